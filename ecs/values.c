// What may enter the state (C7): no NaN, and no bool that is neither 0 nor 1. Looked for where
// values enter, so that whoever wrote one can be named: after a task in what it may have written,
// and in every value that is recorded, sent or set.

#include <stdio.h>

#include "weft_bits.h"
#include "weft_view.h"

weft_status weft__values_check(const weft__type* type, const void* values, uint32_t count,
                               uint32_t* index_out, char* text, size_t capacity) {
    char path[80];
    WEFT_ASSERT(values != NULL || count == 0);
    if (type->has_float &&
        weft__type_find_nan(type->type, values, count, index_out, path, sizeof(path))) {
        (void)snprintf(text, capacity, "%.64s.%.60s is NaN", type->type->name, path);
        return WEFT_STATUS_NOT_A_NUMBER;
    }
    if (type->has_bool &&
        weft__type_find_bool(type->type, values, count, index_out, path, sizeof(path))) {
        (void)snprintf(text, capacity, "%.64s.%.64s is a bool that is neither 0 nor 1",
                       type->type->name, path);
        return WEFT_STATUS_BAD_BOOL;
    }
    return WEFT_STATUS_OK;
}

// One row's value, and the entity in the message.
static weft_status row_fault(weft_view* view, weft_status status, weft_entity entity,
                             const char* text) {
    WEFT_ASSERT(status != WEFT_STATUS_OK);
    (void)snprintf(view->message, sizeof(view->message), "%.120s of entity %u:%u", text,
                   entity.slot, entity.generation);
    return status;
}

// Rows of a presence table that are this chunk's own: other tasks write the rest.
static weft_status presence_check(weft_view* view, const weft__term* term, char* text,
                                  size_t capacity) {
    const weft__type* type = weft__type_at(view->world, term->type_id);
    const weft__chunk* presence =
        weft__chunk_find(&view->world->sparse.items[term->index], view->chunk->shard);
    for (uint32_t word = 0; presence != NULL && word < WEFT__MEMBER_WORDS; word++) {
        uint64_t both = view->chunk->members.words[word] & presence->members.words[word];
        for (; both != 0; both &= both - 1) {
            uint32_t row = weft__members_rank(&presence->members, word * 64 + weft__ctz64(both));
            const uint8_t* value =
                (const uint8_t*)presence->columns[0] + (size_t)row * term->type->size;
            uint32_t index;
            weft_status status = weft__values_check(type, value, 1, &index, text, capacity);
            if (status != WEFT_STATUS_OK)
                return row_fault(view, status, presence->entities[row], text);
        }
    }
    return WEFT_STATUS_OK;
}

static weft_status column_check(weft_view* view, uint32_t term_index, char* text, size_t capacity) {
    const weft__chunk* chunk = view->chunk;
    uint32_t column = view->columns[term_index];
    if (column == WEFT__NONE)
        return WEFT_STATUS_OK;
    WEFT_ASSERT(column < chunk->column_count);
    bool back = chunk->backs[column] != NULL;
    if (back && !chunk->filled[column])
        return WEFT_STATUS_OK; // Buffered, and not taken for writing.
    const weft__type* type =
        weft__type_at(view->world, view->access->terms.items[term_index].type_id);
    uint32_t row;
    weft_status status =
        weft__values_check(type, back ? chunk->backs[column] : chunk->columns[column],
                           chunk->row_count, &row, text, capacity);
    return status == WEFT_STATUS_OK ? status : row_fault(view, status, chunk->entities[row], text);
}

static weft_status whole_check(weft_view* view, const weft__term* term, const void* values,
                               uint32_t count, char* text, size_t capacity) {
    uint32_t index;
    weft_status status = weft__values_check(weft__type_at(view->world, term->type_id), values,
                                            count, &index, text, capacity);
    if (status != WEFT_STATUS_OK)
        (void)snprintf(view->message, sizeof(view->message), "%.140s, value %u", text, index);
    return status;
}

weft_status weft__view_check(weft_view* view) {
    char text[192];
    WEFT_ASSERT(view->access->checked);
    for (uint32_t i = 0; i < view->access->terms.count; i++) {
        const weft__term* term = &view->access->terms.items[i];
        if (!term->checked)
            continue;
        if (term->mode == WEFT_ACCESS_RESOURCE_WRITE) {
            const weft__resource* resource = &view->world->resources.items[term->index];
            WEFT_TRY(
                whole_check(view, term, resource->values, resource->count, text, sizeof(text)));
        } else if (term->mode == WEFT_ACCESS_REDUCE) {
            const void* partial =
                weft__reduction_partial(view->world, term->index, term->producer, view->chunk);
            WEFT_TRY(whole_check(view, term, partial, 1, text, sizeof(text)));
        } else if (term->sparse) {
            WEFT_TRY(presence_check(view, term, text, sizeof(text)));
        } else {
            WEFT_TRY(column_check(view, i, text, sizeof(text)));
        }
    }
    return WEFT_STATUS_OK;
}
