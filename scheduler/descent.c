// At every level the children of two nodes are a list of digests; where the lists part is found by
// halves, so that a world of n rows takes about log2(n) comparisons. The halves' digests are made
// when they are wanted: a tree that kept them would cost every tick.
//
// What two trees do not share, an archetype or a row that only one of them has, ends the descent:
// the entity there is compared as such.

#include "descent.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "system.h"
#include "verify_compare.h"

typedef struct descent {
    weft_world* reference;
    weft_world* found;
    const weft_schedule* schedule; // Null: nothing is known of the task's system.
    weft_verify_place* place;
    weft_descent* out;
    weft__arena arena;
} descent;

/// Children of a node in both trees.
typedef struct children {
    WEFT__VEC(weft_digest) reference;
    WEFT__VEC(weft_digest) found;
    WEFT__VEC(const void*) reference_nodes; // What they are of.
    WEFT__VEC(const void*) found_nodes;
} children;

static bool same(const descent* d, weft_digest a, weft_digest b) {
    d->out->comparisons++;
    return weft_digest_equal(a, b);
}

static void enter(const descent* d, const char* format, ...) WEFT_PRINTF(2, 3);

/// Goes down to a node, by name.
static void enter(const descent* d, const char* format, ...) {
    va_list args;
    va_start(args, format);
    (void)vsnprintf(d->out->node, sizeof d->out->node, format, args);
    va_end(args);
    d->out->levels++;
}

static bool parts_same(const descent* d, const void* a, const void* b, size_t stride,
                       uint32_t begin, uint32_t end) {
    WEFT_ASSERT(begin < end && stride > 0);
    size_t offset = begin * stride;
    size_t size = (end - begin) * stride;
    return same(d, weft_digest_of((const uint8_t*)a + offset, size, 0),
                weft_digest_of((const uint8_t*)b + offset, size, 0));
}

/// The first place where two arrays differ; the length of the shorter one if that is where.
static uint32_t first_difference(const descent* d, const void* a, uint32_t a_count, const void* b,
                                 uint32_t b_count, size_t stride) {
    uint32_t low = 0;
    uint32_t high = a_count < b_count ? a_count : b_count;
    if (high == 0 || parts_same(d, a, b, stride, 0, high))
        return high;
    while (high - low > 1) { // All before `low` is equal, something before `high` is not.
        uint32_t middle = low + (high - low) / 2;
        if (parts_same(d, a, b, stride, low, middle))
            low = middle;
        else
            high = middle;
    }
    WEFT_ASSERT(low < high);
    return low;
}

static uint32_t children_differ(const descent* d, const children* both) {
    return first_difference(d, both->reference.items, both->reference.count, both->found.items,
                            both->found.count, sizeof(weft_digest));
}

/// True if the place where two lists part is in neither.
static bool children_end(const children* both, uint32_t at) {
    return at == both->reference.count && at == both->found.count;
}

// Entities ---------------------------------------------------------------------------------------

/// Compares an entity that one of the worlds has. False if it is the same in both.
static bool entity_differs(const descent* d, weft_entity entity) {
    bool here = weft_world_is_alive(d->reference, entity);
    bool there = weft_world_is_alive(d->found, entity);
    if (here && there)
        return weft__verify_entity(d->reference, d->found, entity, d->place);
    weft__verify_texts(d->place, WEFT_VERIFY_KIND_ALIVE, entity, here ? "alive" : "dead",
                       there ? "alive" : "dead");
    return here != there;
}

/// Compares the entities at which two lists part, the one with the smaller slot first.
static void entities_differ(const descent* d, const weft_entity* a, const weft_entity* b) {
    bool first = b == NULL || (a != NULL && a->slot <= b->slot);
    const weft_entity* other = first ? b : a;
    WEFT_ASSERT(a != NULL || b != NULL);
    if (!entity_differs(d, first ? *a : *b) && other != NULL)
        (void)entity_differs(d, *other);
    enter(d, "entity at slot %u", d->place->entity.slot);
}

static const weft_entity* chunk_first(const weft__chunk* chunk) {
    return chunk == NULL || chunk->row_count == 0 ? NULL : chunk->entities;
}

/// The first entity of a table, by slot.
static const weft_entity* table_first(const weft__archetype* table) {
    const weft_entity* first = NULL;
    for (uint32_t i = 0; table != NULL && i < table->chunks.count && first == NULL; i++)
        first = chunk_first(table->chunks.items[i]);
    return first;
}

// Tables -----------------------------------------------------------------------------------------

static void descend_column(const descent* d, const weft__chunk* a, const weft__chunk* b,
                           uint32_t column) {
    const weft__archetype* table = weft__chunk_table(d->reference, a);
    WEFT_ASSERT(column < a->column_count && a->row_count == b->row_count);
    const weft_type* type = weft__type_at(d->reference, table->column_types[column])->type;
    const uint8_t* left = a->columns[column];
    const uint8_t* right = b->columns[column];
    enter(d, "column %s", type->name);
    uint32_t row = first_difference(d, left, a->row_count, right, b->row_count, type->size);
    if (row == a->row_count)
        return;
    enter(d, "row %u of column %s", row, type->name);
    size_t offset = (size_t)row * type->size;
    d->place->entity = a->entities[row];
    if (weft__verify_values(d->place, WEFT_VERIFY_KIND_FIELD, type, left + offset, right + offset))
        enter(d, "%s.%.*s", type->name, 40, d->place->field);
}

/// The first column that differs of those that the named task's system writes, or WEFT__NONE.
static uint32_t written_column(const descent* d, const weft__chunk* a, const weft__chunk* b) {
    const weft_verify_place* place = d->place;
    if (d->schedule == NULL || !place->has_task || a->sparse || a->archetype != place->archetype)
        return WEFT__NONE;
    const weft__access* access = &weft__schedule_at(d->schedule, place->rank)->access;
    for (uint32_t i = 0; i < access->terms.count; i++) {
        const weft__term* term = &access->terms.items[i];
        if (term->mode != WEFT_ACCESS_WRITE && term->mode != WEFT_ACCESS_WRITE_OPTIONAL)
            continue;
        uint32_t column = weft__archetype_column(weft__chunk_table(d->reference, a), term->type_id);
        if (column != WEFT__NONE && !same(d, a->leaves[column], b->leaves[column]))
            return column;
    }
    return WEFT__NONE;
}

static void descend_chunk(const descent* d, const weft__chunk* a, const weft__chunk* b) {
    uint32_t columns = a->column_count;
    WEFT_ASSERT(columns == b->column_count && a->shard == b->shard);
    enter(d, "%s %u, shard %u", a->sparse ? "presence table" : "archetype", a->archetype, a->shard);
    if (!same(d, a->leaves[columns], b->leaves[columns])) {
        uint32_t row = first_difference(d, a->entities, a->row_count, b->entities, b->row_count,
                                        sizeof(weft_entity));
        entities_differ(d, row < a->row_count ? &a->entities[row] : NULL,
                        row < b->row_count ? &b->entities[row] : NULL);
        return;
    }
    uint32_t column = written_column(d, a, b);
    if (column == WEFT__NONE)
        column = first_difference(d, a->leaves, columns, b->leaves, columns, sizeof(weft_digest));
    if (column < columns)
        descend_column(d, a, b, column);
}

static weft_status gather_chunks(descent* d, const weft__archetype* a, const weft__archetype* b,
                                 children* out) {
    for (uint32_t i = 0; i < a->chunks.count; i++) {
        if (a->chunks.items[i]->row_count == 0)
            continue;
        WEFT_TRY(WEFT__VEC_PUSH(&d->arena, out->reference, a->chunks.items[i]->node));
        WEFT_TRY(WEFT__VEC_PUSH(&d->arena, out->reference_nodes, a->chunks.items[i]));
    }
    for (uint32_t i = 0; i < b->chunks.count; i++) {
        if (b->chunks.items[i]->row_count == 0)
            continue;
        WEFT_TRY(WEFT__VEC_PUSH(&d->arena, out->found, b->chunks.items[i]->node));
        WEFT_TRY(WEFT__VEC_PUSH(&d->arena, out->found_nodes, b->chunks.items[i]));
    }
    return WEFT_STATUS_OK;
}

static weft_status descend_table(descent* d, const weft__archetype* a, const weft__archetype* b,
                                 const char* what, uint32_t index) {
    children both = {0};
    enter(d, "%s %u", what, index);
    WEFT_TRY(gather_chunks(d, a, b, &both));
    uint32_t at = children_differ(d, &both);
    const weft__chunk* left = at < both.reference.count ? both.reference_nodes.items[at] : NULL;
    const weft__chunk* right = at < both.found.count ? both.found_nodes.items[at] : NULL;
    if (left != NULL && right != NULL && left->shard == right->shard)
        descend_chunk(d, left, right);
    else if (left != NULL && (right == NULL || left->shard < right->shard))
        entities_differ(d, chunk_first(left), NULL);
    else if (right != NULL)
        entities_differ(d, NULL, chunk_first(right));
    return WEFT_STATUS_OK;
}

static weft_status gather_tables(descent* d, const weft__archetype* tables, uint32_t count,
                                 bool found, children* out) {
    for (uint32_t i = 0; i < count; i++) {
        const weft__archetype* table = &tables[i];
        if (table->node_empty)
            continue;
        if (found) {
            WEFT_TRY(WEFT__VEC_PUSH(&d->arena, out->found, table->node));
            WEFT_TRY(WEFT__VEC_PUSH(&d->arena, out->found_nodes, table));
        } else {
            WEFT_TRY(WEFT__VEC_PUSH(&d->arena, out->reference, table->node));
            WEFT_TRY(WEFT__VEC_PUSH(&d->arena, out->reference_nodes, table));
        }
    }
    return WEFT_STATUS_OK;
}

static bool sets_equal(const weft__archetype* a, const weft__archetype* b) {
    return a->component_count == b->component_count &&
           memcmp(a->components, b->components, a->component_count * sizeof(a->components[0])) == 0;
}

/// Descends archetypes, or presence tables. `*done_out` if a difference was among them.
static weft_status descend_tables(descent* d, bool sparse, bool* done_out) {
    const weft_world* one = d->reference;
    const weft_world* two = d->found;
    const weft__archetype* first = sparse ? one->sparse.items : one->archetypes.items;
    children both = {0};
    WEFT_TRY(
        gather_tables(d, first, sparse ? one->sparse.count : one->archetypes.count, false, &both));
    WEFT_TRY(gather_tables(d, sparse ? two->sparse.items : two->archetypes.items,
                           sparse ? two->sparse.count : two->archetypes.count, true, &both));
    uint32_t at = children_differ(d, &both);
    *done_out = !children_end(&both, at);
    if (!*done_out)
        return WEFT_STATUS_OK;
    const weft__archetype* left = at < both.reference.count ? both.reference_nodes.items[at] : NULL;
    const weft__archetype* right = at < both.found.count ? both.found_nodes.items[at] : NULL;
    if (left != NULL && right != NULL && sets_equal(left, right))
        return descend_table(d, left, right, sparse ? "presence table" : "archetype",
                             (uint32_t)(left - first));
    entities_differ(d, table_first(left), table_first(right));
    return WEFT_STATUS_OK;
}

/// Looks first where the named task was at work. True if the difference is there.
static bool descend_task(const descent* d) {
    const weft_verify_place* place = d->place;
    if (!place->has_task || place->world_scope ||
        place->archetype >= d->reference->archetypes.count ||
        place->archetype >= d->found->archetypes.count)
        return false;
    const weft__archetype* left = &d->reference->archetypes.items[place->archetype];
    const weft__archetype* right = &d->found->archetypes.items[place->archetype];
    if (!sets_equal(left, right))
        return false;
    const weft__chunk* a = weft__chunk_find(left, place->shard);
    const weft__chunk* b = weft__chunk_find(right, place->shard);
    if (a == NULL || b == NULL || a->row_count == 0 || b->row_count == 0 ||
        same(d, a->node, b->node))
        return false;
    descend_chunk(d, a, b);
    return d->place->kind != WEFT_VERIFY_KIND_NONE;
}

// Everything else --------------------------------------------------------------------------------

/// The first value that differs in two arrays of `type`. False if there is none.
static bool descend_values(const descent* d, weft_verify_kind kind, const weft_type* type,
                           const void* a, uint32_t a_count, const void* b, uint32_t b_count) {
    uint32_t at = first_difference(d, a, a_count, b, b_count, type->size);
    if (at == a_count || at == b_count)
        return false;
    size_t offset = (size_t)at * type->size;
    d->place->index = at;
    enter(d, "%s[%u]", type->name, at);
    if (weft__verify_values(d->place, kind, type, (const uint8_t*)a + offset,
                            (const uint8_t*)b + offset))
        enter(d, "%s[%u].%.*s", type->name, at, 40, d->place->field);
    return true;
}

static uint32_t piece_count(const weft__resource* resource) {
    return resource->count / WEFT_SHARD_SLOTS + (resource->count % WEFT_SHARD_SLOTS != 0);
}

static weft_status descend_resources(descent* d, bool* done_out) {
    children both = {0};
    for (uint32_t i = 0; i < d->reference->resources.count; i++) {
        WEFT_TRY(WEFT__VEC_PUSH(&d->arena, both.reference, d->reference->resources.items[i].leaf));
        WEFT_TRY(WEFT__VEC_PUSH(&d->arena, both.found, d->found->resources.items[i].leaf));
    }
    uint32_t at = children_differ(d, &both);
    *done_out = !children_end(&both, at);
    if (!*done_out)
        return WEFT_STATUS_OK;
    WEFT_ASSERT(at < d->reference->resources.count && at < d->found->resources.count);
    const weft__resource* a = &d->reference->resources.items[at];
    const weft__resource* b = &d->found->resources.items[at];
    const weft_type* type = weft__type_at(d->reference, a->type)->type;
    enter(d, "resource %s", type->name);
    // The pieces first, as the tree has them.
    uint32_t piece = first_difference(d, a->pieces.items, piece_count(a), b->pieces.items,
                                      piece_count(b), sizeof(weft_digest));
    WEFT_ASSERT(piece < piece_count(a) && a->count == b->count);
    uint32_t from = piece * WEFT_SHARD_SLOTS;
    uint32_t left = a->count - from < WEFT_SHARD_SLOTS ? a->count - from : WEFT_SHARD_SLOTS;
    size_t offset = (size_t)from * type->size;
    if (descend_values(d, WEFT_VERIFY_KIND_RESOURCE, type, (const uint8_t*)a->values + offset, left,
                       (const uint8_t*)b->values + offset, left))
        d->place->index += from;
    return WEFT_STATUS_OK;
}

static bool descend_reductions(const descent* d) {
    for (uint32_t i = 0; i < d->reference->reductions.count; i++) {
        const weft__reduction* a = &d->reference->reductions.items[i];
        const weft_type* type = weft__type_at(d->reference, a->type)->type;
        if (descend_values(d, WEFT_VERIFY_KIND_REDUCTION, type, a->value, 1,
                           d->found->reductions.items[i].value, 1))
            return true;
    }
    return false;
}

static void descend_channel(const descent* d, const weft__channel* a, const weft__channel* b) {
    weft_verify_place* place = d->place;
    const weft_type* type = weft__type_at(d->reference, a->type)->type;
    enter(d, "messages of %s for the next tick", type->name);
    uint32_t at = first_difference(d, a->next_targets.items, a->next_count, b->next_targets.items,
                                   b->next_count, sizeof(weft_entity));
    weft__verify_text(place->type, sizeof place->type, type->name);
    if (at < a->next_count && at < b->next_count) {
        place->kind = WEFT_VERIFY_KIND_MESSAGE;
        place->index = at;
        weft__verify_text(place->field, sizeof place->field, "(addressee)");
        (void)snprintf(place->reference_text, sizeof place->reference_text,
                       "slot %u, generation %u", a->next_targets.items[at].slot,
                       a->next_targets.items[at].generation);
        (void)snprintf(place->found_text, sizeof place->found_text, "slot %u, generation %u",
                       b->next_targets.items[at].slot, b->next_targets.items[at].generation);
        return;
    }
    if (descend_values(d, WEFT_VERIFY_KIND_MESSAGE, type, a->next_payloads.items, a->next_count,
                       b->next_payloads.items, b->next_count) ||
        a->next_count == b->next_count)
        return;
    place->kind = WEFT_VERIFY_KIND_COUNT;
    (void)snprintf(place->reference_text, sizeof place->reference_text, "%u messages",
                   a->next_count);
    (void)snprintf(place->found_text, sizeof place->found_text, "%u messages", b->next_count);
}

/// What the view does not show.
static void descend_hidden(const descent* d) {
    if (!same(d, d->reference->allocator_leaf, d->found->allocator_leaf)) {
        enter(d, "free slots");
        return;
    }
    if (!same(d, d->reference->archetype_chain, d->found->archetype_chain)) {
        enter(d, "ids of archetypes");
        return;
    }
    for (uint32_t i = 0; i < d->reference->channels.count; i++) {
        const weft__channel* a = &d->reference->channels.items[i];
        const weft__channel* b = &d->found->channels.items[i];
        if (a->delivery != WEFT_DELIVERY_NEXT || same(d, a->leaf, b->leaf))
            continue;
        descend_channel(d, a, b);
        return;
    }
    enter(d, "tick, seed or limits");
}

static uint64_t count_table(const weft__archetype* table) {
    uint64_t count = !table->node_empty;
    for (uint32_t i = 0; i < table->chunks.count; i++) {
        const weft__chunk* chunk = table->chunks.items[i];
        if (chunk->row_count > 0)
            count += 1 + ((uint64_t)chunk->row_count + 1) * (chunk->column_count + 1u);
    }
    return count;
}

/// Nodes of a tree: roots, tables, chunks, leaves, and what the leaves are of.
static uint64_t count_nodes(const weft_world* world) {
    uint64_t count = 4 + world->free_slots.count; // Both roots, free slots, ids of archetypes.
    for (uint32_t i = 0; i < world->archetypes.count; i++)
        count += count_table(&world->archetypes.items[i]);
    for (uint32_t i = 0; i < world->sparse.count; i++)
        count += count_table(&world->sparse.items[i]);
    for (uint32_t i = 0; i < world->resources.count; i++)
        count += 1 + piece_count(&world->resources.items[i]) + world->resources.items[i].count;
    for (uint32_t i = 0; i < world->channels.count; i++)
        count += 1 + world->channels.items[i].next_count;
    return count + world->reductions.count;
}

static weft_status descend_view(descent* d) {
    enter(d, "view");
    bool done = descend_task(d);
    if (!done)
        WEFT_TRY(descend_tables(d, false, &done));
    if (!done)
        WEFT_TRY(descend_tables(d, true, &done));
    if (!done)
        WEFT_TRY(descend_resources(d, &done));
    if (!done)
        (void)descend_reductions(d);
    return WEFT_STATUS_OK;
}

static weft_status update(weft_world* world) {
    weft__runner serial = weft__runner_serial();
    return weft__digest_update(world, &serial);
}

weft_status weft__descend(weft_world* reference, weft_world* found, const weft_schedule* schedule,
                          weft_verify_place* place, weft_descent* out) {
    WEFT_ASSERT(reference != NULL && found != NULL && reference != found);
    descent d = {
        .reference = reference, .found = found, .schedule = schedule, .place = place, .out = out};
    *out = (weft_descent){0};
    if (weft_world_schema_hash(reference) != weft_world_schema_hash(found))
        return WEFT_STATUS_IDENTITY_MISMATCH;
    WEFT_TRY(update(reference));
    WEFT_TRY(update(found));
    weft__arena_init(&d.arena, NULL);
    out->nodes = count_nodes(reference);
    place->compared = true;
    weft_status status = WEFT_STATUS_OK;
    enter(&d, "root");
    if (!same(&d, reference->digests.view, found->digests.view))
        status = descend_view(&d);
    else if (!same(&d, reference->digests.full, found->digests.full))
        descend_hidden(&d);
    else
        out->node[0] = '\0';
    weft__arena_deinit(&d.arena);
    return status;
}

weft_status weft_descend(weft_world* reference, weft_world* found, weft_verify_place* place,
                         weft_descent* out) {
    return weft__descend(reference, found, NULL, place, out);
}
