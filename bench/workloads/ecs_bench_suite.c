#include "ecs_bench_suite.h"

#define SUITE_TYPE(letter) WEFT_TYPE(Suite##letter),
const weft_type* const weft_suite_letters[SUITE_LETTER_COUNT] = {SUITE_LETTERS(SUITE_TYPE)};

// Kernels ----------------------------------------------------------------------------------------

WEFT_KERNEL void weft_suite_advance(SuitePosition* restrict position,
                                    const SuiteVelocity* restrict velocity, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        position[i].at.x = weft_fixed_add(position[i].at.x, velocity[i].per_tick.x);
        position[i].at.y = weft_fixed_add(position[i].at.y, velocity[i].per_tick.y);
        position[i].at.z = weft_fixed_add(position[i].at.z, velocity[i].per_tick.z);
    }
}

WEFT_KERNEL void weft_suite_double(SuiteData* data, size_t count) {
    for (size_t i = 0; i < count; ++i)
        data[i].value = weft_fixed_add_wrap(data[i].value, data[i].value);
}

WEFT_KERNEL void weft_suite_swap(weft_fixed* restrict left, weft_fixed* restrict right,
                                 size_t count) {
    for (size_t i = 0; i < count; ++i) {
        weft_fixed kept = left[i];
        left[i] = right[i];
        right[i] = kept;
    }
}

// Systems ----------------------------------------------------------------------------------------

static weft_status advance(weft_view* view, const void* context) {
    (void)context;
    weft_suite_advance(WEFT_WRITE(view, SuitePosition), WEFT_READ(view, SuiteVelocity),
                       weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

static weft_status double_data(weft_view* view, const void* context) {
    (void)context;
    weft_suite_double(WEFT_WRITE(view, SuiteData), weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

static weft_status swap_ab(weft_view* view, const void* context) {
    (void)context;
    weft_suite_swap(&WEFT_WRITE(view, SuiteA)->value, &WEFT_WRITE(view, SuiteB)->value,
                    weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

static weft_status swap_cd(weft_view* view, const void* context) {
    (void)context;
    weft_suite_swap(&WEFT_WRITE(view, SuiteC)->value, &WEFT_WRITE(view, SuiteD)->value,
                    weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

static weft_status swap_ce(weft_view* view, const void* context) {
    (void)context;
    weft_suite_swap(&WEFT_WRITE(view, SuiteC)->value, &WEFT_WRITE(view, SuiteE)->value,
                    weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

static weft_status add_b(weft_view* view, const void* context) {
    (void)context;
    const weft_entity* entities = weft_view_entities(view);
    const uint16_t* rows;
    uint32_t count = weft_view_selected(view, &rows);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t row = rows ? rows[i] : i;
        WEFT_ADD(weft_view_commands(view), row, entities[row], SuiteB, {WEFT_FIXED_ONE});
    }
    return WEFT_STATUS_OK;
}

static weft_status remove_b(weft_view* view, const void* context) {
    (void)context;
    const weft_entity* entities = weft_view_entities(view);
    const uint16_t* rows;
    uint32_t count = weft_view_selected(view, &rows);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t row = rows ? rows[i] : i;
        WEFT_REMOVE(weft_view_commands(view), row, entities[row], SuiteB);
    }
    return WEFT_STATUS_OK;
}

// Worlds -----------------------------------------------------------------------------------------

weft_suite_entity weft_suite_entity_at(uint32_t index) {
    weft_suite_entity entity = {
        .position.at = {WEFT_FIXED_ONE, WEFT_FIXED_RAW(0), WEFT_FIXED_RAW((int32_t)index)},
        .rotation.axis.x = WEFT_FIXED_ONE,
        .velocity.per_tick = {WEFT_FIXED_ONE, WEFT_FIXED_RAW((int32_t)index % 1024),
                              WEFT_FIXED_RAW(-1)},
    };
    for (int i = 0; i < 16; i += 5)
        entity.transform.cell[i] = WEFT_FIXED_ONE;
    return entity;
}

static weft_status register_types(weft_world* world, const weft_type* const* types, size_t count) {
    for (size_t i = 0; i < count; ++i)
        WEFT_TRY(weft_world_register_component(world, types[i], WEFT_STORAGE_DENSE));
    return WEFT_STATUS_OK;
}

static weft_status simple_build(const weft_module_options* options, weft_world* world,
                                weft_schedule* schedule) {
    static const weft_type* const types[] = {WEFT_TYPE(SuiteTransform), WEFT_TYPE(SuitePosition),
                                             WEFT_TYPE(SuiteRotation), WEFT_TYPE(SuiteVelocity)};
    WEFT_TRY(register_types(world, types, 4));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("advance", advance,
                              WEFT_ACCESS(WEFT_WRITES(SuitePosition), WEFT_READS(SuiteVelocity)))));
    for (uint32_t i = 0; i < options->entity_count; ++i) {
        weft_suite_entity entity = weft_suite_entity_at(i);
        const weft_value values[] = {{types[0], &entity.transform},
                                     {types[1], &entity.position},
                                     {types[2], &entity.rotation},
                                     {types[3], &entity.velocity}};
        (void)weft_commands_create_with(weft_world_commands(world), 0, values, 4);
    }
    return WEFT_STATUS_OK;
}

static weft_status fragmented_build(const weft_module_options* options, weft_world* world,
                                    weft_schedule* schedule) {
    WEFT_TRY(register_types(world, weft_suite_letters, SUITE_LETTER_COUNT));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(SuiteData), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("double", double_data, WEFT_ACCESS(WEFT_WRITES(SuiteData)))));
    uint64_t rows = (options->entity_count + SUITE_LETTER_COUNT - 1) / SUITE_LETTER_COUNT;
    for (uint32_t i = 0; i < options->entity_count; ++i) {
        SuiteA letter = {WEFT_FIXED_RAW(0)};
        SuiteData data = {WEFT_FIXED_RAW((int32_t)i - 100)};
        const weft_value values[] = {{weft_suite_letters[i / rows], &letter},
                                     {WEFT_TYPE(SuiteData), &data}};
        (void)weft_commands_create_with(weft_world_commands(world), 0, values, 2);
    }
    return WEFT_STATUS_OK;
}

static weft_status schedule_build(const weft_module_options* options, weft_world* world,
                                  weft_schedule* schedule) {
    // Letters of each set.
    static const uint8_t sets[SUITE_SCHEDULE_SETS][4] = {
        {0, 1}, {0, 1, 2}, {0, 1, 2, 3}, {0, 1, 2, 4}};
    static const uint32_t sizes[SUITE_SCHEDULE_SETS] = {2, 3, 4, 4};
    WEFT_TRY(register_types(world, weft_suite_letters, 5));
    const weft_system_desc* const systems[] = {
        WEFT_SYSTEM("swap_ab", swap_ab, WEFT_ACCESS(WEFT_WRITES(SuiteA), WEFT_WRITES(SuiteB))),
        WEFT_SYSTEM("swap_cd", swap_cd, WEFT_ACCESS(WEFT_WRITES(SuiteC), WEFT_WRITES(SuiteD))),
        WEFT_SYSTEM("swap_ce", swap_ce, WEFT_ACCESS(WEFT_WRITES(SuiteC), WEFT_WRITES(SuiteE))),
    };
    for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); ++i)
        WEFT_TRY(weft_schedule_add_system(schedule, systems[i]));
    uint64_t quarter = (options->entity_count + SUITE_SCHEDULE_SETS - 1) / SUITE_SCHEDULE_SETS;
    for (uint32_t i = 0; i < options->entity_count; ++i) {
        uint32_t set = (uint32_t)(i / quarter);
        SuiteA number[4];
        weft_value values[4];
        for (uint32_t k = 0; k < sizes[set]; ++k) {
            number[k].value = weft_fixed_from_raw((int32_t)(4 * i + k));
            values[k] = (weft_value){weft_suite_letters[sets[set][k]], &number[k]};
        }
        (void)weft_commands_create_with(weft_world_commands(world), 0, values, sizes[set]);
    }
    return WEFT_STATUS_OK;
}

static weft_status add_remove_build(const weft_module_options* options, weft_world* world,
                                    weft_schedule* schedule, weft_storage storage) {
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(SuiteA), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(SuiteB), storage));
    WEFT_TRY(weft_schedule_add_system(
        schedule,
        WEFT_SYSTEM("add", add_b,
                    WEFT_ACCESS(WEFT_WITH(SuiteA), WEFT_WITHOUT(SuiteB), WEFT_COMMANDS))));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("remove", remove_b, WEFT_ACCESS(WEFT_WITH(SuiteB), WEFT_COMMANDS))));
    for (uint32_t i = 0; i < options->entity_count; ++i) {
        WEFT_CREATE(weft_world_commands(world), 0,
                    WEFT_VALUE(SuiteA, {WEFT_FIXED_RAW((int32_t)i)}));
    }
    return WEFT_STATUS_OK;
}

static weft_status add_remove_dense(const weft_module_options* options, weft_world* world,
                                    weft_schedule* schedule) {
    return add_remove_build(options, world, schedule, WEFT_STORAGE_DENSE);
}

static weft_status add_remove_sparse(const weft_module_options* options, weft_world* world,
                                     weft_schedule* schedule) {
    return add_remove_build(options, world, schedule, WEFT_STORAGE_SPARSE);
}

#define SUITE_MODULE(module_name, what, entities, build_function)                                  \
    {                                                                                              \
        .abi = WEFT_MODULE_ABI, .name = (module_name), .summary = (what),                          \
        .entity_count_default = (entities), .tick_count_default = 100, .build = (build_function)   \
    }

const weft_module weft_suite_simple =
    SUITE_MODULE("simple", "position += velocity among four components", 10000, simple_build);
const weft_module weft_suite_fragmented =
    SUITE_MODULE("fragmented", "one number doubled in 26 archetypes of 20",
                 SUITE_LETTER_COUNT* SUITE_FRAGMENT_ROWS, fragmented_build);
const weft_module weft_suite_schedule =
    SUITE_MODULE("schedule", "three systems that swap columns", 40000, schedule_build);
const weft_module weft_suite_add_remove =
    SUITE_MODULE("add_remove", "a component added to all and taken away", 10000, add_remove_dense);
const weft_module weft_suite_add_remove_sparse =
    SUITE_MODULE("add_remove_sparse", "the same in a presence table", 10000, add_remove_sparse);
