#include "motion.h"

#include <stdio.h>

WEFT_KERNEL void weft_motion_advance(MotionPosition* restrict position,
                                     const MotionVelocity* restrict velocity, size_t count,
                                     weft_fixed seconds) {
    for (size_t i = 0; i < count; ++i) {
        weft_vec2 way = weft_vec2_scale(velocity[i].per_second, seconds);
        position[i].at = weft_vec2_add(position[i].at, way);
    }
}

// Coefficients of the Taylor polynomials: 1/3!, 1/5!, 1/7! and 1/2!, 1/4!, 1/6!, 1/8!.
#define SIN_3 WEFT_FIXED_RATIO_RAW(-1, 6)
#define SIN_5 WEFT_FIXED_RATIO_RAW(1, 120)
#define SIN_7 WEFT_FIXED_RATIO_RAW(-1, 5040)
#define COS_2 WEFT_FIXED_RATIO_RAW(-1, 2)
#define COS_4 WEFT_FIXED_RATIO_RAW(1, 24)
#define COS_6 WEFT_FIXED_RATIO_RAW(-1, 720)
#define COS_8 WEFT_FIXED_RATIO_RAW(1, 40320)

// sum * factor + term
static inline weft_fixed horner(weft_fixed sum, weft_fixed factor, int32_t term_raw) {
    return weft_fixed_add(weft_fixed_mul(sum, factor), weft_fixed_from_raw(term_raw));
}

static inline weft_fixed unity_of(weft_fixed x) {
    weft_fixed square = weft_fixed_mul(x, x);
    weft_fixed sine = weft_fixed_from_raw(SIN_7);
    sine = horner(sine, square, SIN_5);
    sine = horner(sine, square, SIN_3);
    sine = horner(sine, square, WEFT_FIXED_ONE.raw);
    sine = weft_fixed_mul(sine, x);
    weft_fixed cosine = weft_fixed_from_raw(COS_8);
    cosine = horner(cosine, square, COS_6);
    cosine = horner(cosine, square, COS_4);
    cosine = horner(cosine, square, COS_2);
    cosine = horner(cosine, square, WEFT_FIXED_ONE.raw);
    return weft_fixed_add(weft_fixed_mul(sine, sine), weft_fixed_mul(cosine, cosine));
}

WEFT_KERNEL void weft_motion_evaluate(ComputeAngle* restrict angle, ComputeUnity* restrict unity,
                                      size_t count) {
    for (size_t i = 0; i < count; ++i) {
        // The angle stays in -1..1: past 1 it goes on from -1.
        int32_t turned = angle[i].radians.raw + 1024;
        turned -= turned > 65536 ? 131072 : 0;
        angle[i].radians = weft_fixed_from_raw(turned);
        unity[i].value = unity_of(angle[i].radians);
    }
}

static weft_status advance(weft_view* view, const void* context) {
    (void)context;
    const MotionStep* step = WEFT_RESOURCE_READ(view, MotionStep);
    weft_motion_advance(WEFT_WRITE(view, MotionPosition), WEFT_READ(view, MotionVelocity),
                        weft_view_row_count(view), step->seconds);
    return WEFT_STATUS_OK;
}

static weft_status evaluate(weft_view* view, const void* context) {
    (void)context;
    weft_motion_evaluate(WEFT_WRITE(view, ComputeAngle), WEFT_WRITE(view, ComputeUnity),
                         weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

static weft_random_key start_key(const weft_module_options* options, const char* what) {
    return (weft_random_key){.seed = options->seed, .system = weft_hash64_of_name(what)};
}

static weft_status motion_build(const weft_module_options* options, weft_world* world,
                                weft_schedule* schedule) {
    static const MotionStep step = {WEFT_FIXED_RATIO(1, 30)};
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(MotionPosition), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(MotionVelocity), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_resource(world, WEFT_TYPE(MotionStep), 1, &step));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("motion", advance,
                              WEFT_ACCESS(WEFT_WRITES(MotionPosition), WEFT_READS(MotionVelocity),
                                          WEFT_READS_RESOURCE(MotionStep)))));
    if (options->entity_count > WEFT_SLOT_LIMIT_MAX)
        return WEFT_STATUS_BAD_ARGUMENT;
    weft_random_key key = start_key(options, "motion_start");
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < options->entity_count; ++i) {
        weft_random_block draw = weft_random_block_at(key, i, 0);
        // Places in -1024..1024 and speeds in -2..2.
        WEFT_CREATE(commands, 0,
                    WEFT_VALUE(MotionPosition,
                               {{{(int32_t)draw.word[0] >> 5}, {(int32_t)draw.word[1] >> 5}}}),
                    WEFT_VALUE(MotionVelocity,
                               {{{(int32_t)draw.word[2] >> 14}, {(int32_t)draw.word[3] >> 14}}}));
    }
    return WEFT_STATUS_OK;
}

static weft_status compute_build(const weft_module_options* options, weft_world* world,
                                 weft_schedule* schedule) {
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(ComputeAngle), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(ComputeUnity), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("evaluate", evaluate,
                              WEFT_ACCESS(WEFT_WRITES(ComputeAngle), WEFT_WRITES(ComputeUnity)))));
    if (options->entity_count > WEFT_SLOT_LIMIT_MAX)
        return WEFT_STATUS_BAD_ARGUMENT;
    weft_random_key key = start_key(options, "compute_start");
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < options->entity_count; ++i) {
        WEFT_CREATE(commands, 0,
                    WEFT_VALUE(ComputeAngle, {{(int32_t)weft_random_u32(key, i, 0) >> 15}}),
                    WEFT_VALUE(ComputeUnity, {WEFT_FIXED_RAW(65536)}));
    }
    return WEFT_STATUS_OK;
}

// sin^2 + cos^2 is 1 within the error of the polynomials and the rounding of 20 operations.
static bool compute_check(const weft_world* world, char* message, size_t capacity) {
    static const weft_access terms[] = {WEFT_READS(ComputeUnity)};
    weft_cursor cursor = weft_world_visit(world, terms, 1);
    while (weft_cursor_next(&cursor)) {
        const ComputeUnity* unity = WEFT_CURSOR_COLUMN(&cursor, ComputeUnity);
        for (uint32_t row = 0; row < cursor.row_count; ++row) {
            int32_t error = unity[row].value.raw - WEFT_FIXED_ONE.raw;
            if (error < -8 || error > 8) {
                snprintf(message, capacity, "entity %u: sin^2 + cos^2 is off by %d ulp",
                         cursor.entities[row].slot, error);
                return false;
            }
        }
    }
    return true;
}

const weft_module weft_workload_motion = {
    .abi = WEFT_MODULE_ABI,
    .name = "motion",
    .summary = "bound by memory: position += velocity * step",
    .entity_count_default = 10000000,
    .tick_count_default = 100,
    .build = motion_build,
};

const weft_module weft_workload_motion_compute = {
    .abi = WEFT_MODULE_ABI,
    .name = "motion_compute",
    .summary = "bound by arithmetic: a polynomial of 20 operations a row",
    .entity_count_default = 10000000,
    .tick_count_default = 100,
    .build = compute_build,
    .check = compute_check,
};
