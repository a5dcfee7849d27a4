// A program of one's own with the commands of `weft`: comets around a star.
//
//   orbit run --entities 1M
//   orbit verify
//
// Linked with weft::main. The built-in workloads are there too; `orbit` is the default because it
// is the program's only module of its own.

#include <stdio.h>

#include <weft/module.h>

WEFT_COMPONENT(Comet, (weft_vec2, at), (weft_vec2, speed));
WEFT_PARTIAL(Swarm, (uint64_t, comet_count), (int32_t, nearest), (int32_t, farthest));

static const weft_fixed step = WEFT_FIXED_RATIO(1, 16);
static const weft_fixed pull = WEFT_FIXED_RATIO(400, 1);
static const weft_fixed core = WEFT_FIXED_RATIO(8, 1); // Nearer than this, the pull stops growing.

/// The star pulls with 1/r^2: the direction times pull / r / r.
static weft_status gravity(weft_view* view, const void* context) {
    (void)context;
    Comet* comets = WEFT_WRITE(view, Comet);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        weft_fixed r = weft_fixed_max(weft_vec2_length(comets[i].at), core);
        weft_fixed strength = weft_fixed_div(weft_fixed_div(pull, r), r);
        weft_vec2 inward =
            weft_vec2_scale(weft_vec2_normalize(comets[i].at), weft_fixed_neg(strength));
        comets[i].speed = weft_vec2_add(comets[i].speed, weft_vec2_scale(inward, step));
    }
    return WEFT_STATUS_OK;
}

static weft_status drift(weft_view* view, const void* context) {
    (void)context;
    Comet* comets = WEFT_WRITE(view, Comet);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        comets[i].at = weft_vec2_add(comets[i].at, weft_vec2_scale(comets[i].speed, step));
    return WEFT_STATUS_OK;
}

/// Every chunk has a partial of its own; they are combined in one fixed order.
static weft_status survey(weft_view* view, const void* context) {
    (void)context;
    const Comet* comets = WEFT_READ(view, Comet);
    Swarm* swarm = WEFT_PARTIAL_OF(view, Swarm);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        int32_t r = weft_vec2_length(comets[i].at).raw;
        swarm->comet_count++;
        swarm->nearest = r < swarm->nearest ? r : swarm->nearest;
        swarm->farthest = r > swarm->farthest ? r : swarm->farthest;
    }
    return WEFT_STATUS_OK;
}

static void swarm_combine(void* left, const void* right) {
    Swarm* to = left;
    const Swarm* from = right;
    to->comet_count += from->comet_count;
    to->nearest = from->nearest < to->nearest ? from->nearest : to->nearest;
    to->farthest = from->farthest > to->farthest ? from->farthest : to->farthest;
}

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule) {
    const Swarm nobody = {.nearest = INT32_MAX};
    const weft_random_key key = {options->seed, weft_hash64_of_name("first comets"), 0};
    weft_commands* commands = weft_world_commands(world);
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Comet), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_reduction(world, WEFT_TYPE(Swarm), &nobody, swarm_combine));
    for (uint32_t i = 0; i < options->entity_count; i++) {
        weft_fixed r =
            weft_random_fixed_range(key, i, 0, weft_fixed_from_int(20), weft_fixed_from_int(100));
        weft_fixed speed = weft_fixed_sqrt(weft_fixed_div(pull, r)); // Of a circular orbit.
        WEFT_CREATE(
            commands, 0,
            WEFT_VALUE(Comet, {.at = {r, WEFT_FIXED_ZERO}, .speed = {WEFT_FIXED_ZERO, speed}}));
    }
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("gravity", gravity, WEFT_ACCESS(WEFT_WRITES(Comet)))));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("drift", drift, WEFT_ACCESS(WEFT_WRITES(Comet)))));
    return weft_schedule_add_system(
        schedule,
        WEFT_SYSTEM("survey", survey, WEFT_ACCESS(WEFT_READS(Comet), WEFT_REDUCES(Swarm))));
}

static void describe_state(const weft_world* world, char* line, size_t capacity) {
    const Swarm* swarm = weft_world_resource(world, WEFT_TYPE(Swarm));
    (void)snprintf(line, capacity, "%llu comets, %.1f to %.1f from the star",
                   (unsigned long long)swarm->comet_count, swarm->nearest / 65536.0,
                   swarm->farthest / 65536.0);
}

static const weft_module orbit = {
    .abi = WEFT_MODULE_ABI,
    .name = "orbit",
    .summary = "comets around a star",
    .entity_count_default = 50000,
    .tick_count_default = 400,
    .build = build,
    .describe_state = describe_state,
};

int main(int argc, char** argv) {
    const weft_module* const modules[] = {&orbit};
    return weft_main(argc, argv, modules, 1);
}
