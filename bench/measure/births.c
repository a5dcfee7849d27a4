#include "births.h"

#include <stdio.h>
#include <weft/memory.h>

static void create_each(const weft_births* births, weft_commands* commands) {
    weft_value values[WEFT_BIRTHS_COLUMNS];
    for (uint32_t k = 0; k < births->column_count; ++k)
        values[k].type = births->type[k];
    for (uint32_t i = 0; i < births->entity_count; ++i) {
        for (uint32_t k = 0; k < births->column_count; ++k)
            values[k].value = (const char*)births->values[k] + (size_t)i * births->type[k]->size;
        (void)weft_commands_create_with(commands, 0, values, births->column_count);
    }
}

static void create_all(const weft_births* births, weft_commands* commands) {
    weft_column columns[WEFT_BIRTHS_COLUMNS];
    for (uint32_t k = 0; k < births->column_count; ++k)
        columns[k] = (weft_column){births->type[k], births->values[k], births->entity_count};
    (void)weft_commands_create_many(commands, 0, births->entity_count, columns,
                                    births->column_count);
}

static void destroy(const weft_births* births, weft_view* view, weft_commands* commands) {
    // By chunk; without components 64 at a time.
    const weft_access terms[1] = {{WEFT_ACCESS_WITH, births->type[0]}};
    weft_cursor cursor = weft_view_visit(view, terms, births->column_count > 0);
    while (weft_cursor_next(&cursor)) {
        if (births->bulk)
            weft_commands_destroy_many(commands, 0, cursor.entities, cursor.row_count);
        for (uint32_t i = 0; !births->bulk && i < cursor.row_count; ++i)
            weft_commands_destroy(commands, 0, cursor.entities[i]);
    }
}

static weft_status turn(weft_view* view, const void* context) {
    const weft_births* births = context;
    weft_commands* commands = weft_view_commands(view);
    if (weft_view_tick(view) % 2 != 0)
        destroy(births, view, commands);
    else if (births->bulk)
        create_all(births, commands);
    else
        create_each(births, commands);
    return WEFT_STATUS_OK;
}

static weft_status open_all(weft_births* births) {
    weft_world_desc desc = weft_world_desc_default();
    weft_memory memory = weft_memory_system();
    WEFT_TRY(weft_world_create(&desc, &memory, &births->world));
    for (uint32_t k = 0; k < births->column_count; ++k)
        WEFT_TRY(weft_world_register_component(births->world, births->type[k], WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_schedule_create(births->world, &births->schedule));
    WEFT_TRY(weft_schedule_add_system(births->schedule,
                                      WEFT_SYSTEM("turn", turn, .scope = WEFT_SCOPE_WORLD,
                                                  .context = births, WEFT_ACCESS(WEFT_COMMANDS))));
    weft_executor_desc executor = weft_executor_desc_default();
    executor.kind = WEFT_EXECUTOR_THREADS;
    executor.worker_count = births->worker_count;
    executor.topology = births->topology;
    return weft_executor_create(&executor, births->schedule, &births->executor);
}

static weft_status tick(weft_births* births, uint64_t population, uint64_t* elapsed) {
    uint64_t start = weft_measure_now_ns();
    WEFT_TRY(weft_executor_tick(births->executor));
    *elapsed += weft_measure_now_ns() - start;
    if (weft_world_entity_count(births->world) == population)
        return WEFT_STATUS_OK;
    snprintf(births->error, sizeof(births->error), "%llu entities are alive, not %llu",
             (unsigned long long)weft_world_entity_count(births->world),
             (unsigned long long)population);
    return WEFT_STATUS_DIVERGED;
}

static weft_status run_both(weft_births* births, uint64_t* elapsed) {
    static const weft_digest none = {0, 0};
    uint64_t untimed = 0;
    if (!births->world)
        WEFT_TRY(open_all(births));
    WEFT_TRY(tick(births, births->entity_count, births->deaths ? &untimed : elapsed));
    if (weft_digest_equal(births->digest, none))
        births->digest = weft_world_digest_full(births->world);
    if (births->fresh && !births->deaths)
        return WEFT_STATUS_OK;
    return tick(births, 0, births->deaths ? elapsed : &untimed);
}

weft_status weft_births_once(void* context, uint64_t* elapsed) {
    weft_births* births = context;
    weft_status status = run_both(births, elapsed);
    if (status != WEFT_STATUS_OK && births->error[0] == '\0' && births->world)
        snprintf(births->error, sizeof(births->error), "%s", weft_world_error(births->world));
    if (births->fresh || status != WEFT_STATUS_OK)
        weft_births_close(births);
    return status;
}

void weft_births_close(weft_births* births) {
    weft_executor_destroy(births->executor);
    weft_schedule_destroy(births->schedule);
    weft_world_destroy(births->world);
    births->executor = NULL;
    births->schedule = NULL;
    births->world = NULL;
}
