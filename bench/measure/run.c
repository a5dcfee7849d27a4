// A run in memory, measured or read.

#include "results.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

weft_run_table* weft_run_add(weft_run* run, const char* name) {
    weft_run_table** grown =
        realloc(run->table, ((size_t)run->table_count + 1) * sizeof(weft_run_table*));
    if (!grown)
        return NULL;
    run->table = grown;
    weft_run_table* added = calloc(1, sizeof(*added));
    if (!added)
        return NULL;
    (void)snprintf(added->name, sizeof(added->name), "%s", name);
    added->table.name = added->name;
    grown[run->table_count++] = added;
    return added;
}

void weft_run_deinit(weft_run* run) {
    for (uint32_t i = 0; i < run->table_count; ++i)
        free(run->table[i]);
    free(run->table);
    *run = (weft_run){.table_count = 0};
}

static void add_number(weft_machine* options, const char* name, uint64_t number) {
    char text[32];
    (void)snprintf(text, sizeof(text), "%" PRIu64, number);
    if (number > 0)
        weft_machine_add(options, name, text);
}

weft_run_head weft_run_head_now(const weft_measure_options* options) {
    weft_run_head head = {.machine = weft_machine_read()};
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc))
        (void)strftime(head.time, sizeof(head.time), "%Y-%m-%dT%H:%M:%SZ", &utc);
    if (options->quick)
        weft_machine_add(&head.options, "quick", "yes");
    add_number(&head.options, "workers", options->worker_max);
    add_number(&head.options, "entities", options->entity_count);
    add_number(&head.options, "ticks", options->tick_count);
    add_number(&head.options, "seed", options->seed);
    return head;
}
