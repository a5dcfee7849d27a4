/// The plain arrays of a hand-written rival: for each archetype of a world, one array a component.
///
/// The first member of a hand-written side (duel.h), whose `open`, `equal` and `close` these are.
#pragma once

#include <weft/world.h>

enum {
    WEFT_PLAIN_COLUMNS = 8,
    WEFT_PLAIN_TABLES = 32
};

/// The rows of one archetype.
typedef struct weft_plain_table {
    uint32_t archetype;
    size_t count;
    void* column[WEFT_PLAIN_COLUMNS]; // By term; null where the archetype lacks the component.
} weft_plain_table;

typedef struct weft_plain {
    const weft_access* terms; // What is copied. Set these two before the call of `open`.
    uint32_t term_count;
    uint32_t table_count; // In visit order.
    weft_plain_table table[WEFT_PLAIN_TABLES];
    char* segment;
    size_t segment_size;
} weft_plain;

/// Copies what the terms match. OUT_OF_MEMORY, or BAD_FORMAT for more archetypes than there is
/// room for.
weft_status weft_plain_open(void* plain, const weft_world* world);

/// Whether the world has the same rows, byte for byte.
bool weft_plain_equal(void* plain, const weft_world* world);

/// Frees the arrays. A plain of zeroes is allowed.
void weft_plain_close(void* plain);

/// Rows [*first_out, *end_out) of part `index` of `count` of a table.
static inline void weft_plain_cut(const weft_plain_table* table, uint32_t index, uint32_t count,
                                  size_t* first_out, size_t* end_out) {
    *first_out = table->count * index / count;
    *end_out = table->count * (index + 1) / count;
}

/// Row `row` of a table's column, as a pointer to `type`.
#define WEFT_PLAIN_AT(table, term, type, row) ((type*)(table)->column[term] + (row))
