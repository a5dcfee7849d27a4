// Which measurements there are, and how one is run.

#include "measure.h"

#include <string.h>

// In the order of `weft bench`.
static const weft_measure* const measures[] = {
    &weft_measure_motion,          //
    &weft_measure_iterate,         //
    &weft_measure_tick10,          //
    &weft_measure_overhead,        //
    &weft_measure_churn,           //
    &weft_measure_create,          //
    &weft_measure_ecs_bench_suite, //
    &weft_measure_ecs_benchmark,   //
    &weft_measure_presence,        //
    &weft_measure_numbers,         //
    &weft_measure_headline,        //
};

const weft_measure* const* weft_measures(size_t* count_out) {
    *count_out = sizeof(measures) / sizeof(measures[0]);
    return measures;
}

const weft_measure* weft_measure_find(const char* name) {
    for (size_t i = 0; i < sizeof(measures) / sizeof(measures[0]); ++i) {
        if (strcmp(measures[i]->name, name) == 0)
            return measures[i];
    }
    return NULL;
}

weft_status weft_measure_run(const weft_measure* measure, const weft_measure_options* options,
                             weft_measure_table* table) {
    memset(table, 0, sizeof(*table));
    table->name = measure->name;
    weft_status status = measure->run(options, table);
    table->passed = status == WEFT_STATUS_OK;
    for (uint32_t i = 0; i < table->row_count; ++i)
        table->passed = table->passed && table->row[i].verdict != WEFT_MEASURE_FAIL;
    return status;
}
