// Fireflies that fall into step, as a shared object for the program `weft`:
//
//   cc -std=gnu17 -O2 -fPIC -shared -o fireflies.so fireflies_module.c -lweft
//   weft run ./fireflies.so
//   weft verify ./fireflies.so
//
// Each firefly has a clock and flashes when it is full. The more flashes it sees, the faster its
// own clock goes, so that after a while most flash at once. Some get lost in the dark, and others
// come in their place.

#include <stdio.h>

#include <weft/module.h>

WEFT_COMPONENT(Firefly, (weft_fixed, clock), (weft_fixed, rate), (uint32_t, flashing));
WEFT_PARTIAL(Light, (uint64_t, flashes), (uint64_t, fireflies));
WEFT_RESOURCE(Night, (uint64_t, most_flashes));

/// Clocks advance; full ones flash. The light of all chunks is summed up in a fixed order.
static weft_status glow(weft_view* view, const void* context) {
    (void)context;
    Firefly* flies = WEFT_WRITE(view, Firefly);
    Light* light = WEFT_PARTIAL_OF(view, Light);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        flies[i].clock = weft_fixed_add(flies[i].clock, flies[i].rate);
        flies[i].flashing = flies[i].clock.raw >= WEFT_FIXED_ONE.raw;
        if (flies[i].flashing)
            flies[i].clock = WEFT_FIXED_ZERO;
        light->flashes += flies[i].flashing;
        light->fireflies++;
    }
    return WEFT_STATUS_OK;
}

/// Clocks go on by the part of all fireflies that flash.
static weft_status see(weft_view* view, const void* context) {
    (void)context;
    const Light* light = WEFT_REDUCED_OF(view, Light);
    Firefly* flies = WEFT_WRITE(view, Firefly);
    // weft-lint: allow(division): who sees is a firefly, so there is one
    weft_fixed brightness = {(int32_t)(light->flashes * 65536 / light->fireflies)};
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        weft_fixed push = weft_fixed_mul(flies[i].clock, brightness);
        flies[i].clock = weft_fixed_add(flies[i].clock, push);
    }
    return WEFT_STATUS_OK;
}

/// Runs once per tick, not once per chunk, and keeps what is not about a single firefly.
static weft_status watch(weft_view* view, const void* context) {
    (void)context;
    const Light* light = WEFT_REDUCED_OF(view, Light);
    Night* night = WEFT_RESOURCE_WRITE(view, Night);
    if (light->flashes > night->most_flashes)
        night->most_flashes = light->flashes;
    return WEFT_STATUS_OK;
}

/// One in a thousand is lost in each tick. Who comes and goes is decided now and takes effect when
/// the tick ends, in one fixed order.
static weft_status wander(weft_view* view, const void* context) {
    (void)context;
    const Firefly* flies = WEFT_READ(view, Firefly);
    const weft_entity* entities = weft_view_entities(view);
    weft_random_key key = weft_view_random(view);
    weft_commands* commands = weft_view_commands(view);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        if (weft_random_below(key, entities[i].slot, 0, 1000) != 0)
            continue;
        weft_commands_destroy(commands, i, entities[i]);
        WEFT_CREATE(commands, i,
                    WEFT_VALUE(Firefly, {.clock = weft_random_fixed(key, entities[i].slot, 1),
                                         .rate = flies[i].rate}));
    }
    return WEFT_STATUS_OK;
}

static void light_combine(void* left, const void* right) {
    Light* to = left;
    const Light* from = right;
    to->flashes += from->flashes;
    to->fireflies += from->fireflies;
}

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule) {
    const weft_random_key key = {options->seed, weft_hash64_of_name("first fireflies"), 0};
    weft_commands* commands = weft_world_commands(world);
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Firefly), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_reduction(world, WEFT_TYPE(Light), NULL, light_combine));
    WEFT_TRY(weft_world_register_resource(world, WEFT_TYPE(Night), 1, NULL));
    for (uint32_t i = 0; i < options->entity_count; i++) {
        weft_fixed rate = {1900 + (int32_t)weft_random_below(key, i, 1, 200)};
        WEFT_CREATE(commands, 0,
                    WEFT_VALUE(Firefly, {.clock = weft_random_fixed(key, i, 0), .rate = rate}));
    }
    WEFT_TRY(weft_schedule_add_system(
        schedule,
        WEFT_SYSTEM("glow", glow, WEFT_ACCESS(WEFT_WRITES(Firefly), WEFT_REDUCES(Light)))));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("see", see, WEFT_ACCESS(WEFT_WRITES(Firefly), WEFT_REDUCED(Light)))));
    WEFT_TRY(weft_schedule_add_system(
        schedule,
        WEFT_SYSTEM("watch", watch, WEFT_ACCESS(WEFT_REDUCED(Light), WEFT_WRITES_RESOURCE(Night)),
                    .scope = WEFT_SCOPE_WORLD)));
    return weft_schedule_add_system(
        schedule, WEFT_SYSTEM("wander", wander, WEFT_ACCESS(WEFT_READS(Firefly), WEFT_COMMANDS)));
}

/// For every one that is lost another comes.
static bool check(const weft_world* world, char* message, size_t capacity) {
    const Light* light = weft_world_resource(world, WEFT_TYPE(Light));
    if (weft_world_tick(world) == 0 || light->fireflies == weft_world_entity_count(world))
        return true;
    (void)snprintf(message, capacity, "%llu fireflies glowed, %llu are here",
                   (unsigned long long)light->fireflies,
                   (unsigned long long)weft_world_entity_count(world));
    return false;
}

static void describe_state(const weft_world* world, char* line, size_t capacity) {
    const Night* night = weft_world_resource(world, WEFT_TYPE(Night));
    (void)snprintf(line, capacity, "%llu fireflies, of which up to %llu flashed at once",
                   (unsigned long long)weft_world_entity_count(world),
                   (unsigned long long)night->most_flashes);
}

WEFT_MODULE_EXPORT const weft_module weft_module_table = {
    .abi = WEFT_MODULE_ABI,
    .name = "fireflies",
    .summary = "fireflies that fall into step",
    .entity_count_default = 20000,
    .tick_count_default = 300,
    .build = build,
    .check = check,
    .describe_state = describe_state,
};
