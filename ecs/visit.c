// The visit order of C1: archetypes ascending, in each the chunks and rows by slot.
//
// The walk touches the archetype table, chunk lists and slot columns, all in index order; no hash
// container is iterated.

#include "weft_bits.h"
#include "weft_view.h"

#define VISIT_TERMS_MAX 16u
#define VISIT_ALL 1u     // The query without terms.
#define VISIT_NOTHING 2u // A required type is unknown here.
#define VISIT_SPARSE 4u  // Rows are filtered one by one.

static bool visit_requires(weft_access_mode mode) {
    return mode == WEFT_ACCESS_READ || mode == WEFT_ACCESS_WITH || mode == WEFT_ACCESS_READ_ANY;
}

weft_cursor weft_world_visit(const weft_world* world, const weft_access* terms,
                             uint32_t term_count) {
    WEFT_ASSERT(world != NULL && term_count <= VISIT_TERMS_MAX);
    weft_cursor cursor = {.world = world, .terms = terms, .term_count = term_count};
    if (term_count == 0)
        cursor.flags = VISIT_ALL;
    for (uint32_t i = 0; i < term_count; i++) {
        bool known_mode = visit_requires(terms[i].mode) ||
                          terms[i].mode == WEFT_ACCESS_READ_OPTIONAL ||
                          terms[i].mode == WEFT_ACCESS_WITHOUT;
        WEFT_ASSERT(known_mode);
        uint32_t id = weft__type_id(world, terms[i].type);
        if (id == 0 && visit_requires(terms[i].mode))
            cursor.flags |= VISIT_NOTHING;
        if (id != 0 && weft__type_at(world, id)->role == WEFT__ROLE_SPARSE)
            cursor.flags |= VISIT_SPARSE;
    }
    return cursor;
}

weft_cursor weft_view_visit(const weft_view* view, const weft_access* terms, uint32_t term_count) {
    for (uint32_t i = 0; i < term_count; i++) {
        bool reads = terms[i].mode == WEFT_ACCESS_READ ||
                     terms[i].mode == WEFT_ACCESS_READ_OPTIONAL ||
                     terms[i].mode == WEFT_ACCESS_READ_ANY;
        bool declared = !reads;
        for (uint32_t j = 0; j < view->access->terms.count && !declared; j++)
            declared = view->access->terms.items[j].mode == WEFT_ACCESS_READ_ANY &&
                       weft__type_same(view->access->terms.items[j].type, terms[i].type);
        if (!declared)
            weft__view_undeclared(view, terms[i].type, "any-row read");
    }
    weft_cursor cursor = weft_world_visit(view->world, terms, term_count);
    cursor.view = view;
    return cursor;
}

// Systems read elsewhere than the host, where memory is mapped twice.
static const void* cursor_place(const weft_cursor* cursor, const void* place) {
    const weft_view* view = cursor->view;
    return view == NULL || place == NULL ? place : weft__view_alias(view, place);
}

static bool archetype_matches(const weft_cursor* cursor, const weft__archetype* archetype) {
    for (uint32_t i = 0; i < cursor->term_count; i++) {
        const weft_access* term = &cursor->terms[i];
        uint32_t id = weft__type_id(cursor->world, term->type);
        if (term->mode == WEFT_ACCESS_READ_OPTIONAL || id == 0 ||
            weft__type_at(cursor->world, id)->role == WEFT__ROLE_SPARSE)
            continue;
        if (weft__archetype_has(archetype, id) != visit_requires(term->mode))
            return false;
    }
    return true;
}

static bool row_passes(const weft_cursor* cursor, const weft__chunk* chunk, uint32_t row) {
    for (uint32_t i = 0; i < cursor->term_count; i++) {
        const weft_access* term = &cursor->terms[i];
        uint32_t id = weft__type_id(cursor->world, term->type);
        if (id == 0 || term->mode == WEFT_ACCESS_READ_OPTIONAL)
            continue;
        const weft__type* type = weft__type_at(cursor->world, id);
        if (type->role != WEFT__ROLE_SPARSE)
            continue;
        const weft__chunk* presence =
            weft__chunk_find(&cursor->world->sparse.items[type->index], chunk->shard);
        bool present =
            presence != NULL && weft__chunk_row(presence, chunk->entities[row].slot) != WEFT__NONE;
        if (present != visit_requires(term->mode))
            return false;
    }
    return true;
}

// Up to 64 living entities of one word of the live bitmap.
static bool next_entities(weft_cursor* cursor) {
    const weft_world* world = cursor->world;
    for (; cursor->shard < world->shards.count; cursor->shard++, cursor->position = 0) {
        const weft__shard* shard = world->shards.items[cursor->shard];
        for (; cursor->position < WEFT__LIVE_WORDS; cursor->position++) {
            uint64_t bits = shard->live[cursor->position];
            if (bits == 0)
                continue;
            cursor->row_count = 0;
            for (; bits != 0; bits &= bits - 1) {
                uint32_t local = cursor->position * 64 + weft__ctz64(bits);
                cursor->buffer[cursor->row_count++] = (weft_entity){
                    cursor->shard * WEFT_SHARD_SLOTS + local, shard->slots[local].generation};
            }
            WEFT_CHECK(cursor->row_count <= 64);
            cursor->entities = cursor->buffer;
            cursor->position++;
            return true;
        }
    }
    return false;
}

// The next row of the current chunk that passes the sparse terms.
static bool next_row(weft_cursor* cursor) {
    const weft__chunk* chunk = cursor->chunk;
    while (chunk != NULL && cursor->shard < chunk->row_count) {
        uint32_t row = cursor->shard++;
        if (!row_passes(cursor, chunk, row))
            continue;
        cursor->entities = cursor_place(cursor, chunk->entities + row);
        cursor->row_count = 1;
        return true;
    }
    return false;
}

bool weft_cursor_next(weft_cursor* cursor) {
    WEFT_ASSERT(cursor != NULL && cursor->world != NULL);
    if ((cursor->flags & VISIT_NOTHING) != 0)
        return false;
    if ((cursor->flags & VISIT_ALL) != 0)
        return next_entities(cursor);
    bool sparse = (cursor->flags & VISIT_SPARSE) != 0;
    if (sparse && next_row(cursor))
        return true;
    const weft_world* world = cursor->world;
    for (; cursor->archetype < world->archetypes.count; cursor->archetype++, cursor->position = 0) {
        const weft__archetype* archetype = &world->archetypes.items[cursor->archetype];
        if (cursor->position == 0 && !archetype_matches(cursor, archetype))
            continue;
        while (cursor->position < archetype->chunks.count) {
            const weft__chunk* chunk = archetype->chunks.items[cursor->position++];
            cursor->chunk = chunk;
            cursor->shard = 0;
            if (sparse ? next_row(cursor) : chunk->row_count > 0) {
                if (!sparse) {
                    cursor->entities = cursor_place(cursor, chunk->entities);
                    cursor->row_count = chunk->row_count;
                }
                return true;
            }
        }
    }
    cursor->chunk = NULL;
    return false;
}

const void* weft_cursor_column(const weft_cursor* cursor, const weft_type* type) {
    WEFT_ASSERT(cursor != NULL && type != NULL);
    const weft__chunk* chunk = cursor->chunk;
    uint32_t id = weft__type_id(cursor->world, type);
    bool named = false;
    for (uint32_t i = 0; i < cursor->term_count && !named; i++)
        named = cursor->terms[i].mode != WEFT_ACCESS_WITH &&
                cursor->terms[i].mode != WEFT_ACCESS_WITHOUT &&
                weft__type_same(cursor->terms[i].type, type);
    if (!named || chunk == NULL || id == 0)
        return NULL;
    if (weft__type_at(cursor->world, id)->role == WEFT__ROLE_SPARSE)
        return cursor->row_count == 1
                   ? cursor_place(cursor, weft_world_read(cursor->world, cursor->entities[0], type))
                   : NULL;
    const weft__archetype* archetype = &cursor->world->archetypes.items[chunk->archetype];
    uint32_t column = weft__archetype_column(archetype, id);
    if (column == WEFT__NONE)
        return NULL;
    const weft_entity* first = cursor_place(cursor, chunk->entities);
    size_t row = (size_t)(cursor->entities - first); // weft-lint: allow(address): of one chunk
    return cursor_place(cursor, (const uint8_t*)chunk->columns[column] + row * type->size);
}
