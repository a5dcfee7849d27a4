#include "plain.h"

#include <string.h>
#include <weft/memory.h>

#define LINE 64u

static weft_plain_table* table_of(weft_plain* plain, uint32_t archetype) {
    for (uint32_t i = 0; i < plain->table_count; ++i) {
        if (plain->table[i].archetype == archetype)
            return &plain->table[i];
    }
    return NULL;
}

static size_t column_bytes(const weft_plain_table* table, const weft_type* type) {
    return (table->count * type->size + LINE - 1) / LINE * LINE;
}

// Counts the rows of each archetype. Which components it has is noted by a pointer that is not yet
// the column's.
static weft_status count_rows(weft_plain* plain, const weft_world* world) {
    weft_cursor cursor = weft_world_visit(world, plain->terms, plain->term_count);
    while (weft_cursor_next(&cursor)) {
        weft_plain_table* table = table_of(plain, cursor.archetype);
        if (!table && plain->table_count == WEFT_PLAIN_TABLES)
            return WEFT_STATUS_BAD_FORMAT;
        if (!table) {
            table = &plain->table[plain->table_count++];
            *table = (weft_plain_table){.archetype = cursor.archetype};
            for (uint32_t i = 0; i < plain->term_count; ++i) {
                if (weft_cursor_column(&cursor, plain->terms[i].type))
                    table->column[i] = plain;
            }
        }
        table->count += cursor.row_count;
    }
    return WEFT_STATUS_OK;
}

static weft_status place_columns(weft_plain* plain) {
    size_t size = LINE;
    for (uint32_t i = 0; i < plain->table_count; ++i) {
        for (uint32_t k = 0; k < plain->term_count; ++k)
            size += column_bytes(&plain->table[i], plain->terms[k].type);
    }
    weft_memory memory = weft_memory_system();
    plain->segment_size = (size + 4095) / 4096 * 4096;
    plain->segment = memory.acquire(memory.context, plain->segment_size);
    if (!plain->segment)
        return WEFT_STATUS_OUT_OF_MEMORY;
    char* next = plain->segment;
    for (uint32_t i = 0; i < plain->table_count; ++i) {
        for (uint32_t k = 0; k < plain->term_count; ++k) {
            if (!plain->table[i].column[k])
                continue;
            plain->table[i].column[k] = next;
            next += column_bytes(&plain->table[i], plain->terms[k].type);
        }
    }
    return WEFT_STATUS_OK;
}

weft_status weft_plain_open(void* hand, const weft_world* world) {
    weft_plain* plain = hand;
    size_t done[WEFT_PLAIN_TABLES] = {0};
    WEFT_ASSERT(plain->term_count <= WEFT_PLAIN_COLUMNS);
    WEFT_TRY(count_rows(plain, world));
    WEFT_TRY(place_columns(plain));
    weft_cursor cursor = weft_world_visit(world, plain->terms, plain->term_count);
    while (weft_cursor_next(&cursor)) {
        weft_plain_table* table = table_of(plain, cursor.archetype);
        size_t* at = &done[table - plain->table];
        for (uint32_t i = 0; i < plain->term_count; ++i) {
            size_t size = plain->terms[i].type->size;
            if (table->column[i])
                memcpy((char*)table->column[i] + *at * size,
                       weft_cursor_column(&cursor, plain->terms[i].type), cursor.row_count * size);
        }
        *at += cursor.row_count;
    }
    return WEFT_STATUS_OK;
}

bool weft_plain_equal(void* hand, const weft_world* world) {
    weft_plain* plain = hand;
    size_t done[WEFT_PLAIN_TABLES] = {0};
    weft_cursor cursor = weft_world_visit(world, plain->terms, plain->term_count);
    while (weft_cursor_next(&cursor)) {
        const weft_plain_table* table = table_of(plain, cursor.archetype);
        if (!table)
            return false;
        size_t* at = &done[table - plain->table];
        if (*at + cursor.row_count > table->count)
            return false;
        for (uint32_t i = 0; i < plain->term_count; ++i) {
            size_t size = plain->terms[i].type->size;
            if (table->column[i] && memcmp((const char*)table->column[i] + *at * size,
                                           weft_cursor_column(&cursor, plain->terms[i].type),
                                           cursor.row_count * size) != 0)
                return false;
        }
        *at += cursor.row_count;
    }
    for (uint32_t i = 0; i < plain->table_count; ++i) {
        if (done[i] != plain->table[i].count)
            return false;
    }
    return true;
}

void weft_plain_close(void* hand) {
    weft_plain* plain = hand;
    weft_memory memory = weft_memory_system();
    if (plain->segment)
        memory.release(memory.context, plain->segment, plain->segment_size);
    plain->segment = NULL;
    plain->table_count = 0;
}
