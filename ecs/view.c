// Views: the only way from a system to the world, and only along its declared access (C4).

#include "weft_view.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void weft__view_undeclared(const weft_view* view, const weft_type* type, const char* what) {
    char text[256];
    (void)snprintf(text, sizeof(text), "system \"%s\" declared no %s access to %s",
                   view->system_name, what, type != NULL ? type->name : "(null)");
    weft_assert_failed(text, __FILE__, __LINE__);
}

// Modes as a bit set, so that one search serves every accessor.
#define MODE(name) (1u << WEFT_ACCESS_##name)

// The same declaration seen through another module has another address.
__attribute__((noinline)) static const weft__term*
view_term_by_name(const weft_view* view, const weft_type* type, uint32_t modes, const char* what) {
    const weft__access* access = view->access;
    for (uint32_t i = 0; i < access->terms.count && type != NULL; i++)
        // weft-lint: allow(shift): modes are checked to be under 15
        if ((1u << access->terms.items[i].mode & modes) != 0 &&
            weft__type_same(access->terms.items[i].type, type))
            return &access->terms.items[i];
    weft__view_undeclared(view, type, what);
}

static WEFT__INLINE const weft__term* view_term(const weft_view* view, const weft_type* type,
                                                uint32_t modes, const char* what) {
    const weft__access* access = view->access;
    for (uint32_t i = 0; i < access->terms.count; i++)
        // weft-lint: allow(shift): modes are checked to be under 15
        if (access->terms.items[i].type == type && (1u << access->terms.items[i].mode & modes) != 0)
            return &access->terms.items[i];
    return view_term_by_name(view, type, modes, what);
}

uint32_t weft_view_row_count(const weft_view* view) {
    return view->chunk == NULL ? 0 : view->chunk->row_count;
}

const weft_entity* weft_view_entities(const weft_view* view) {
    WEFT_ASSERT(view->chunk != NULL);
    return weft__view_alias(view, view->chunk->entities);
}

const void* weft_view_read(const weft_view* view, const weft_type* type) {
    const weft__term* term = view_term(
        view, type, MODE(READ) | MODE(WRITE) | MODE(READ_OPTIONAL) | MODE(WRITE_OPTIONAL), "read");
    WEFT_ASSERT(view->chunk != NULL && !term->sparse);
    // weft-lint: allow(address): a term is one of the items
    uint32_t column = view->columns[term - view->access->terms.items];
    WEFT_CHECK(column == WEFT__NONE || column < view->chunk->column_count);
    return column == WEFT__NONE ? NULL : weft__view_alias(view, view->chunk->columns[column]);
}

void* weft_view_write(weft_view* view, const weft_type* type) {
    const weft__term* term = view_term(view, type, MODE(WRITE) | MODE(WRITE_OPTIONAL), "write");
    WEFT_ASSERT(view->chunk != NULL && !term->sparse);
    // weft-lint: allow(address): a term is one of the items
    uint32_t column = view->columns[term - view->access->terms.items];
    if (column == WEFT__NONE)
        return NULL;
    weft__chunk* chunk = view->chunk;
    WEFT_CHECK(column < chunk->column_count);
    if (chunk->dirty[column] == 0 || !chunk->listed || chunk->backs[column] != NULL)
        return weft__view_alias_write(
            view, weft__chunk_write(view->world, view->lane, chunk, column, term->type_id));
    chunk->written_tick = view->world->tick + 1; // All else is marked: nobody asked for a digest.
    return weft__view_alias_write(view, chunk->columns[column]);
}

// Keeps the rows of a list whose presence in a sparse table is `wanted`. Every row is written and
// those that count are kept: which ones they are is random, and a branch would guess it wrong.
static uint32_t select_rows(const weft_view* view, const weft__chunk* presence, bool wanted,
                            const uint16_t* in, uint32_t count, uint16_t* out) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = in[i];
        uint32_t local = view->chunk->entities[row].slot % WEFT_SHARD_SLOTS;
        out[kept] = (uint16_t)row;
        kept += (presence != NULL && weft__members_has(&presence->members, local)) == wanted;
    }
    return kept;
}

// The row of bit `bit` of one word of members, the first of which is row `first`. Mostly a chunk
// has all slots of a word, and then nothing is to be counted.
static WEFT__INLINE uint32_t row_of_bit(uint64_t members, uint32_t first, uint32_t bit) {
    WEFT_CHECK(bit < 64 && (members >> (bit % 64) & 1) != 0);
    if (members == UINT64_MAX)
        return first + bit;
    return first + weft__popcount64(members & (((uint64_t)1 << (bit % 64)) - 1));
}

// The rows of a presence chunk that lie in this chunk: cheaper than a walk of all rows.
WEFT__WIDE
static uint32_t select_present(const weft_view* view, const weft__chunk* presence, uint16_t* out) {
    WEFT_ASSERT(out != NULL);
    const weft__members* members = &view->chunk->members;
    uint32_t kept = 0;
    for (uint32_t word = 0; presence != NULL && word < WEFT__MEMBER_WORDS; word++) {
        uint64_t own = members->words[word];
        uint64_t both = own & presence->members.words[word];
        uint32_t first = members->ranks[word];
        if (both == own) {
            uint32_t end = kept + weft__popcount64(own);
            while (kept < end)
                out[kept++] = (uint16_t)first++;
            continue;
        }
        for (; both != 0; both &= both - 1)
            out[kept++] = (uint16_t)row_of_bit(own, first, weft__ctz64(both));
    }
    WEFT_ASSERT(kept <= view->chunk->row_count);
    return kept;
}

// The rows of this chunk that a presence chunk lacks. Most are in runs between the few it has.
WEFT__WIDE
static uint32_t select_absent(const weft_view* view, const weft__chunk* presence, uint16_t* out) {
    WEFT_ASSERT(out != NULL);
    const weft__members* members = &view->chunk->members;
    uint32_t kept = 0;
    uint32_t row = 0;
    for (uint32_t word = 0; presence != NULL && word < WEFT__MEMBER_WORDS; word++) {
        uint64_t own = members->words[word];
        uint64_t both = own & presence->members.words[word];
        for (; both != 0; both &= both - 1) {
            uint32_t stop = row_of_bit(own, members->ranks[word], weft__ctz64(both));
            while (row < stop)
                out[kept++] = (uint16_t)row++;
            row++;
        }
    }
    while (row < view->chunk->row_count)
        out[kept++] = (uint16_t)row++;
    WEFT_ASSERT(kept <= view->chunk->row_count);
    return kept;
}

uint32_t weft_view_selected(weft_view* view, const uint16_t** rows_out) {
    WEFT_ASSERT(view->chunk != NULL && rows_out != NULL);
    if (!view->selected_valid) {
        const uint16_t* rows = NULL;
        uint32_t count = view->chunk->row_count;
        for (uint32_t i = 0; i < view->access->terms.count && view->access->selects; i++) {
            const weft__term* term = &view->access->terms.items[i];
            bool wanted = term->mode == WEFT_ACCESS_READ || term->mode == WEFT_ACCESS_WRITE ||
                          term->mode == WEFT_ACCESS_WITH;
            if (!term->sparse || (!wanted && term->mode != WEFT_ACCESS_WITHOUT))
                continue;
            const weft__chunk* presence =
                weft__chunk_find(&view->world->sparse.items[term->index], view->chunk->shard);
            uint16_t* out = view->lane->selected;
            if (rows == NULL)
                count = wanted ? select_present(view, presence, out)
                               : select_absent(view, presence, out);
            else
                count = select_rows(view, presence, wanted, rows, count, out);
            rows = count < view->chunk->row_count ? view->lane->selected : NULL;
        }
        view->selected_valid = true;
        view->selected_all = rows == NULL;
        view->selected_count = count;
    }
    *rows_out = view->selected_all ? NULL : view->lane->selected;
    return view->selected_count;
}

// Row of this chunk's row in a presence table, or WEFT__NONE.
static uint32_t sparse_row(const weft_view* view, const weft__chunk* presence, uint32_t row) {
    WEFT_ASSERT(row < view->chunk->row_count);
    return presence == NULL ? WEFT__NONE
                            : weft__chunk_row(presence, view->chunk->entities[row].slot);
}

static weft__chunk* sparse_chunk(const weft_view* view, const weft__term* term) {
    WEFT_ASSERT(view->chunk != NULL && term->sparse);
    return weft__chunk_find(&view->world->sparse.items[term->index], view->chunk->shard);
}

const void* weft_view_sparse_read(const weft_view* view, uint32_t row, const weft_type* type) {
    const weft__term* term = view_term(
        view, type, MODE(READ) | MODE(WRITE) | MODE(READ_OPTIONAL) | MODE(WRITE_OPTIONAL), "read");
    const weft__chunk* presence = sparse_chunk(view, term);
    uint32_t at = sparse_row(view, presence, row);
    if (at == WEFT__NONE)
        return NULL;
    if (type->size == 0)
        return weft__view_alias(view, &presence->entities[at]);
    const uint8_t* column = weft__view_alias(view, presence->columns[0]);
    return column + (size_t)at * type->size;
}

void* weft_view_sparse_write(weft_view* view, uint32_t row, const weft_type* type) {
    const weft__term* term = view_term(view, type, MODE(WRITE) | MODE(WRITE_OPTIONAL), "write");
    WEFT_ASSERT(type->size > 0);
    weft__chunk* presence = sparse_chunk(view, term);
    uint32_t at = sparse_row(view, presence, row);
    if (at == WEFT__NONE)
        return NULL;
    uint8_t* column =
        weft__view_alias_write(view, weft__presence_write(view->world, view->lane, presence));
    return column + (size_t)at * type->size;
}

// Column of a term's type in an archetype. Neighbours mostly share an archetype, so the last answer
// for the term is tried first.
static uint32_t get_column(const weft_view* view, uint32_t term, uint32_t archetype) {
    WEFT_CHECK(term < view->access->terms.count && archetype < view->world->archetypes.count);
    uint32_t at = term % WEFT__GETS;
    uint64_t key = ((uint64_t)term << 32 | archetype) + 1;
    if (view->gets[at].key != key) {
        const weft__archetype* table = &view->world->archetypes.items[archetype];
        uint32_t type_id = view->access->terms.items[term].type_id;
        uint32_t column = weft__archetype_column(table, type_id);
        if (column == WEFT__NONE && weft__archetype_has(table, type_id))
            column = WEFT__GET_TAG;
        view->gets[at].key = key;
        view->gets[at].column = column;
    }
    return view->gets[at].column;
}

WEFT__WIDE
const void* weft_view_get(const weft_view* view, weft_entity entity, const weft_type* type) {
    const weft__term* term = view_term(view, type, MODE(READ_ANY), "any-row read");
    if (term->sparse) {
        const void* value = weft_world_read(view->world, entity, type);
        return value == NULL ? NULL : weft__view_alias(view, value);
    }
    uint32_t row;
    const weft__chunk* chunk = weft__entity_find(view->world, entity, &row);
    if (chunk == NULL)
        return NULL;
    uint32_t column =
        // weft-lint: allow(address): a term is one of the items
        get_column(view, (uint32_t)(term - view->access->terms.items), chunk->archetype);
    if (column == WEFT__NONE)
        return NULL;
    if (column == WEFT__GET_TAG) // Present, nothing to read.
        return weft__view_alias(view, &chunk->entities[row]);
    return weft__view_alias(view,
                            (const uint8_t*)chunk->columns[column] + (size_t)row * type->size);
}

const void* weft_view_resource(const weft_view* view, const weft_type* type) {
    const weft__term* term =
        view_term(view, type, MODE(RESOURCE_READ) | MODE(RESOURCE_WRITE), "resource");
    WEFT_CHECK(term->index < view->world->resources.count);
    return weft__view_alias(view, view->world->resources.items[term->index].values);
}

void* weft_view_resource_write(weft_view* view, const weft_type* type) {
    const weft__term* term = view_term(view, type, MODE(RESOURCE_WRITE), "resource write");
    weft__resource* resource = &view->world->resources.items[term->index];
    WEFT_ASSERT(view->chunk == NULL);
    if (!resource->dirty) // Its line is shared with other resources: hardly ever written.
        resource->dirty = true;
    return weft__view_alias_write(view, resource->values);
}

void weft_view_emit(weft_view* view, uint32_t row, const weft_type* type, weft_entity target,
                    const void* message) {
    const weft__term* term = view_term(view, type, MODE(EMIT), "emit");
    const weft__channel* channel = &view->world->channels.items[term->index];
    WEFT_ASSERT((channel->target == WEFT_TARGET_WORLD) == weft_entity_is_null(target));
    WEFT_ASSERT(message != NULL && !weft__entity_is_provisional(target));
    // Rows never become state, so nothing in them fails a tick that would not fail unlogged.
    if (channel->delivery == WEFT_DELIVERY_LOG) {
        if (!view->world->keep_tables)
            return;
    } else if (weft__commands_refuse(&view->commands, weft__type_at(view->world, term->type_id),
                                     "message", message, 1)) {
        return;
    }
    weft__record* record = weft__log_append(&view->commands, channel->stream, row, type->size);
    if (record == NULL)
        return;
    *record = (weft__record){target, row, (uint16_t)term->type_id, WEFT__OP_MESSAGE, 1};
    memcpy(weft__record_value(record), message, type->size);
}

const void* weft_view_messages(const weft_view* view, const weft_type* type, uint32_t* count_out) {
    const weft__term* term = view_term(view, type, MODE(CONSUME), "consume");
    const weft__channel* channel = &view->world->channels.items[term->index];
    WEFT_ASSERT(count_out != NULL);
    *count_out = channel->count;
    return channel->payloads.items == NULL ? NULL : weft__view_alias(view, channel->payloads.items);
}

// Position of the first message to a slot that is not below `slot`.
static uint32_t messages_lower(const weft__channel* channel, uint64_t slot) {
    uint32_t low = 0;
    uint32_t high = channel->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (channel->targets.items[middle].slot < slot)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

weft_inbox weft_view_inbox(const weft_view* view, const weft_type* type) {
    const weft__term* term = view_term(view, type, MODE(CONSUME), "consume");
    const weft__channel* channel = &view->world->channels.items[term->index];
    WEFT_ASSERT(view->chunk != NULL && channel->target == WEFT_TARGET_ENTITY);
    uint64_t first = (uint64_t)view->chunk->shard * WEFT_SHARD_SLOTS;
    return (weft_inbox){.view = view,
                        .channel = channel,
                        .position = messages_lower(channel, first),
                        .end = messages_lower(channel, first + WEFT_SHARD_SLOTS)};
}

bool weft_inbox_next(weft_inbox* inbox) {
    WEFT_ASSERT(inbox != NULL && inbox->view != NULL);
    const weft__channel* channel = inbox->channel;
    const weft__chunk* chunk = inbox->view->chunk;
    size_t size = weft__type_at(inbox->view->world, channel->type)->type->size;
    while (inbox->position < inbox->end) {
        uint32_t at = inbox->position++;
        uint32_t local = channel->targets.items[at].slot % WEFT_SHARD_SLOTS;
        if (!weft__members_has(&chunk->members, local))
            continue;
        inbox->row = weft__members_rank(&chunk->members, local);
        WEFT_CHECK(inbox->row < chunk->row_count);
        inbox->message = weft__view_alias(inbox->view, channel->payloads.items + at * size);
        return true;
    }
    return false;
}

void* weft_view_partial(weft_view* view, const weft_type* type) {
    const weft__term* term = view_term(view, type, MODE(REDUCE), "reduce");
    WEFT_ASSERT(view->chunk != NULL);
    return weft__reduction_partial(view->world, term->index, term->producer, view->chunk);
}

const void* weft_view_reduced(const weft_view* view, const weft_type* type) {
    const weft__term* term = view_term(view, type, MODE(REDUCED), "reduced");
    return weft__view_alias(view, view->world->reductions.items[term->index].value);
}

weft_commands* weft_view_commands(weft_view* view) {
    if (!view->access->commands)
        weft__view_undeclared(view, NULL, "COMMANDS");
    return &view->commands;
}

uint64_t weft_view_tick(const weft_view* view) {
    return view->world->tick;
}

bool weft_view_has_random(const weft_view* view) {
    return view->world->desc.deterministic;
}

// A generator that could not be repeated would be worse than none.
static void view_needs_random(const weft_view* view) {
    char text[256];
    if (__builtin_expect(view->world->desc.deterministic, 1))
        return;
    (void)snprintf(
        text, sizeof(text),
        "system \"%s\": the world has no generator: weft_world_desc.deterministic is off",
        view->system_name);
    weft_assert_failed(text, __FILE__, __LINE__);
}

weft_random_key weft_view_random(const weft_view* view) {
    view_needs_random(view);
    return (weft_random_key){
        .seed = view->world->desc.seed, .system = view->system_hash, .tick = view->world->tick};
}

weft_random_key weft_view_random_chunk(const weft_view* view) {
    view_needs_random(view);
    // Another system key per archetype, so that neither entity draws nor the draws of two chunks
    // of one shard meet.
    uint64_t archetype = view->chunk == NULL ? UINT64_MAX : view->chunk->archetype;
    uint64_t parts[2] = {view->system_hash, archetype};
    return (weft_random_key){.seed = view->world->desc.seed,
                             .system = weft__hash_words(parts, 2, 1),
                             .tick = view->world->tick};
}

uint32_t weft_view_shard(const weft_view* view) {
    return view->chunk == NULL ? 0 : view->chunk->shard;
}

weft_number_flags* weft_view_number_flags(weft_view* view) {
    WEFT_ASSERT(view != NULL && view->lane != NULL);
    return &view->lane->number_flags;
}

weft_status weft_view_fail(weft_view* view, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(view->message, sizeof(view->message), format, arguments);
    va_end(arguments);
    return WEFT_STATUS_SYSTEM_FAILED;
}
