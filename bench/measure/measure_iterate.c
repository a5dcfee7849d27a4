/// position += velocity from a thousand to ten million rows, against one loop over two arrays.
///
/// A small tick is all framework and a large one all memory, so the sizes are the curve of what a
/// tick and what a chunk cost. Two workers help where half the rows are worth an exchange.

#include "duel.h"
#include "iterate.h"
#include "plain.h"

#include <stdio.h>

static const weft_access terms[] = {WEFT_READS(IteratePosition), WEFT_READS(IterateVelocity)};

static void advance_part(void* hand, uint32_t index, uint32_t count) {
    const weft_plain* plain = hand;
    for (uint32_t i = 0; i < plain->table_count; ++i) {
        const weft_plain_table* table = &plain->table[i];
        size_t first, end;
        weft_plain_cut(table, index, count, &first, &end);
        weft_iterate_advance(WEFT_PLAIN_AT(table, 0, IteratePosition, first),
                             WEFT_PLAIN_AT(table, 1, IterateVelocity, first), end - first);
    }
}

static weft_status measure_size(const weft_measure_options* options, weft_measure_table* table,
                                uint64_t entity_count, double target) {
    char label[40];
    snprintf(label, sizeof(label), "%llu rows: ", (unsigned long long)entity_count);
    weft_plain plain = {.terms = terms, .term_count = 2};
    weft_duel duel = {
        .module = &weft_suite_iterate,
        .entity_count = entity_count,
        .label = label,
        .what = "iterate",
        .unit = "ns/row",
        .units = (double)entity_count,
        .target = {target, target},
        .peers = true,
        .hand = &plain,
        .open = weft_plain_open,
        .part = advance_part,
        .equal = weft_plain_equal,
        .close = weft_plain_close,
    };
    return weft_duel_run(&duel, options, table);
}

static weft_status run(const weft_measure_options* options, weft_measure_table* table) {
    // No target where the tick itself is most of the time, or all waits for memory.
    static const struct {
        uint64_t entity_count;
        double target;
    } sizes[] = {{1000, 0}, {10000, 0}, {100000, 1.05}, {1000000, 1.05}, {10000000, 0}};
    snprintf(table->title, sizeof(table->title), "position += velocity by the number of rows");
    if (options->entity_count > 0)
        return measure_size(options, table, options->entity_count, 0);
    for (size_t i = 0; i < (options->quick ? 2 : sizeof(sizes) / sizeof(sizes[0])); ++i)
        WEFT_TRY(measure_size(options, table, sizes[i].entity_count, sizes[i].target));
    return WEFT_STATUS_OK;
}

const weft_measure weft_measure_iterate = {
    .name = "iterate",
    .summary = "position += velocity over 1e3 to 1e7 rows, against a hand-written loop",
    .run = run,
};
