// States of another schema: rewritten by a table, or refused by name.

#include <weft/state.h>

#include "state_format.h"
#include "worlds.h"

WEFT_COMPONENT(SloopThen, (uint32_t, load), (weft_vec2, at), (uint16_t, mast), (uint16_t, crew));
WEFT_COMPONENT(SloopNow, (weft_vec2, at), (uint64_t, speed), (uint32_t, crew32), (uint32_t, load));
WEFT_COMPONENT(PilotThen, (weft_entity, aboard), (uint32_t, years));
WEFT_COMPONENT(PilotNow, (uint32_t, months), (weft_entity, aboard));
WEFT_COMPONENT(Same, (uint32_t, number));
WEFT_RESOURCE(ChartThen, (uint32_t, depth));
WEFT_RESOURCE(ChartNow, (uint32_t, depth), (uint32_t, age));
WEFT_MESSAGE(SignalThen, (uint32_t, flag));
WEFT_MESSAGE(SignalNow, (uint32_t, lamp), (uint32_t, flag));
WEFT_COMPONENT(Radar, (uint32_t, range));
WEFT_RESOURCE(Port, (uint64_t, ships));
WEFT_MESSAGE(Radio, (uint32_t, word));
WEFT_TAG(Afloat);

enum {
    ENTITIES = 5000,
    CHARTS = 4100
};

// Both versions have these names.
static weft_type named(const weft_type* type, const char* name) {
    weft_type copy = *type;
    copy.name = name;
    return copy;
}

static weft_type sloop_then, sloop_now, pilot_then, pilot_now, chart_then, chart_now, signal_then,
    signal_now;

static void name_types(void) {
    sloop_then = named(WEFT_TYPE(SloopThen), "Sloop");
    sloop_now = named(WEFT_TYPE(SloopNow), "Sloop");
    pilot_then = named(WEFT_TYPE(PilotThen), "Pilot");
    pilot_now = named(WEFT_TYPE(PilotNow), "Helmsman"); // Renamed.
    chart_then = named(WEFT_TYPE(ChartThen), "Chart");
    chart_now = named(WEFT_TYPE(ChartNow), "Chart");
    signal_then = named(WEFT_TYPE(SignalThen), "Signal");
    signal_now = named(WEFT_TYPE(SignalNow), "Signal");
}

static weft_world* make(bool now) {
    weft_world* world = world_make();
    name_types();
    world_component(world, now ? &sloop_now : &sloop_then, WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Afloat), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Same), WEFT_STORAGE_DENSE);
    world_component(world, now ? &pilot_now : &pilot_then, WEFT_STORAGE_SPARSE);
    WORLD_OK(world,
             weft_world_register_resource(world, now ? &chart_now : &chart_then, CHARTS, NULL));
    WORLD_OK(world, weft_world_register_channel(world, now ? &signal_now : &signal_then,
                                                WEFT_TARGET_ENTITY, WEFT_DELIVERY_NEXT));
    if (now) {
        Port port = {77};
        world_component(world, WEFT_TYPE(Radar), WEFT_STORAGE_DENSE);
        WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Port), 1, &port));
        WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Radio), WEFT_TARGET_WORLD,
                                                    WEFT_DELIVERY_NEXT));
    }
    return world;
}

static void years_to_months(void* to, const void* from) {
    const PilotThen* then = from;
    PilotNow* now = to;
    now->months = 12 * then->years;
    now->aboard = then->aboard;
}

static const SloopNow sloop_initial = {.speed = 9, .crew32 = 3};
static weft_migration table[8];
static size_t table_count;

static void fill_table(void) {
    name_types();
    table_count = 0;
    table[table_count++] = (weft_migration){&sloop_then, &sloop_now, NULL, &sloop_initial};
    table[table_count++] = (weft_migration){&pilot_then, &pilot_now, years_to_months, NULL};
    table[table_count++] = (weft_migration){&chart_then, &chart_now, NULL, NULL};
    table[table_count++] = (weft_migration){&signal_then, &signal_now, NULL, NULL};
    table[table_count++] = (weft_migration){NULL, WEFT_TYPE(Radar), NULL, NULL};
    table[table_count++] = (weft_migration){NULL, WEFT_TYPE(Port), NULL, NULL};
    table[table_count++] = (weft_migration){NULL, WEFT_TYPE(Radio), NULL, NULL};
}

typedef struct old_state {
    uint8_t* bytes;
    size_t size;
    weft_entity entities[ENTITIES];
} old_state;

static weft_status collect(void* context, const void* bytes, size_t size) {
    old_state* state = context;
    memcpy(state->bytes + state->size, bytes, size);
    state->size += size;
    return WEFT_STATUS_OK;
}

static old_state* encode_old(uint32_t count) {
    old_state* state = calloc(1, sizeof(*state));
    weft_world* world = make(false);
    world_create(world, count, state->entities);
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < count; i++) {
        SloopThen sloop = {i, {{(int32_t)i}, {5}}, 1, 2};
        PilotThen pilot = {state->entities[0], i};
        Same same = {i * 3};
        weft_commands_add(commands, 0, state->entities[i], &sloop_then, &sloop);
        if (i % 2 == 0)
            weft_commands_add(commands, 0, state->entities[i], WEFT_TYPE(Afloat), NULL);
        if (i % 3 == 0)
            weft_commands_add(commands, 0, state->entities[i], &pilot_then, &pilot);
        if (i % 5 == 0)
            weft_commands_add(commands, 0, state->entities[i], WEFT_TYPE(Same), &same);
    }
    world_commit(world);
    world_destroy(world, state->entities[1]);
    ChartThen charts[CHARTS];
    for (uint32_t i = 0; i < CHARTS; i++)
        charts[i].depth = i;
    WORLD_OK(world, weft_world_set_resource(world, &chart_then, charts));
    SignalThen signal = {123};
    WORLD_OK(world, weft_world_post(world, &signal_then, state->entities[2], &signal));
    state->bytes = malloc((size_t)weft_world_encoded_size(world));
    WORLD_OK(world, weft_world_encode(world, collect, state));
    weft_world_destroy(world);
    return state;
}

static void free_old(old_state* state) {
    free(state->bytes);
    free(state);
}

static weft_status migrate(weft_world* world, const old_state* state) {
    return weft_world_decode_migrated(world, state->bytes, state->size, table, table_count);
}

Test(state_migrate, values_move_to_their_new_places) {
    fill_table();
    old_state* state = encode_old(ENTITIES);
    weft_world* world = make(true);
    WORLD_OK(world, migrate(world, state));
    cr_assert_eq(weft_world_entity_count(world), ENTITIES - 1);
    for (uint32_t i = 0; i < ENTITIES; i += 7) {
        const SloopNow* sloop = weft_world_read(world, state->entities[i], &sloop_now);
        const PilotNow* pilot = weft_world_read(world, state->entities[i], &pilot_now);
        const Same* same = weft_world_read(world, state->entities[i], WEFT_TYPE(Same));
        cr_assert_not_null(sloop);
        cr_assert(sloop->load == i && sloop->at.x.raw == (int32_t)i && sloop->at.y.raw == 5);
        cr_assert(sloop->speed == 9 && sloop->crew32 == 3, "what is new has its initial value");
        cr_assert_eq(pilot != NULL, i % 3 == 0);
        if (pilot != NULL)
            cr_assert(pilot->months == 12 * i && pilot->aboard.slot == state->entities[0].slot);
        cr_assert_eq(same != NULL, i % 5 == 0);
        cr_assert(same == NULL || same->number == 3 * i);
        cr_assert_null(weft_world_read(world, state->entities[i], WEFT_TYPE(Radar)));
    }
    const ChartNow* charts = weft_world_resource(world, &chart_now);
    const Port* port = weft_world_resource(world, WEFT_TYPE(Port));
    for (uint32_t i = 0; i < CHARTS; i++)
        cr_assert(charts[i].depth == i && charts[i].age == 0);
    cr_assert_eq(port->ships, 77);
    // The message that waits is delivered in its new layout.
    weft_schedule* schedule = run_schedule(world);
    weft_executor* executor = run_executor(schedule, &run_configs[0]);
    WORLD_OK(world, weft_executor_tick(executor));
    uint32_t count;
    const SignalNow* signal = weft_world_messages(world, &signal_now, &count);
    cr_assert_eq(count, 1);
    cr_assert(signal->flag == 123 && signal->lamp == 0);
    weft_executor_destroy(executor);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
    free_old(state);
}

static void refused(const old_state* state, weft_status expected, const char* words) {
    weft_world* world = make(true);
    weft_digest before = weft_world_digest_full(world);
    cr_assert_eq(migrate(world, state), expected, "%s", weft_world_error(world));
    TEXT_HAS(weft_world_error(world), words);
    DIGEST_EQ(weft_world_digest_full(world), before);
    weft_world_destroy(world);
}

Test(state_migrate, what_the_table_lacks_is_named) {
    old_state* state = encode_old(10);
    fill_table();
    table_count = 0;
    refused(state, WEFT_STATUS_IDENTITY_MISMATCH,
            "type 1, Sloop, has a layout that no entry of the migration table starts from");
    fill_table();
    table[4].to = WEFT_TYPE(Same);
    refused(state, WEFT_STATUS_IDENTITY_MISMATCH, "type 7, Radar, is new here");
    fill_table();
    table[1].convert = NULL;
    table[0].from = WEFT_TYPE(Port);
    refused(state, WEFT_STATUS_IDENTITY_MISMATCH, "type 1, Sloop, has a layout");
    static const weft_field crew[] = {{.name = "crew32", .kind = WEFT_KIND_U16},
                                      {.name = "load", .kind = WEFT_KIND_U16, .offset = 2}};
    static const weft_type other = {"Sloop", 4, 2, 2, crew};
    fill_table();
    table[0].from = &other;
    refused(state, WEFT_STATUS_BAD_ARGUMENT, "migration of Sloop: field crew32 is of another kind");
    fill_table();
    table[2].to = NULL;
    refused(state, WEFT_STATUS_BAD_ARGUMENT, "a type of the migration table is none");
    // The other way: a type is gone.
    weft_world* old = make(false);
    weft_world* now = make(true);
    fill_table();
    state->size = 0;
    free(state->bytes);
    state->bytes = malloc((size_t)weft_world_encoded_size(now));
    WORLD_OK(now, weft_world_encode(now, collect, state));
    cr_assert_eq(weft_world_decode_migrated(old, state->bytes, state->size, NULL, 0),
                 WEFT_STATUS_IDENTITY_MISMATCH);
    TEXT_HAS(weft_world_error(old), "type 1, Sloop");
    weft_world_destroy(old);
    weft_world_destroy(now);
    free_old(state);
}

Test(state_migrate, the_same_schema_needs_no_table) {
    old_state* state = encode_old(20);
    weft_world* one = make(false);
    weft_world* two = make(false);
    WORLD_OK(one, weft_world_decode(one, state->bytes, state->size));
    WORLD_OK(two, weft_world_decode_migrated(two, state->bytes, state->size, NULL, 0));
    DIGEST_EQ(weft_world_digest_full(one), weft_world_digest_full(two));
    weft_world_destroy(one);
    weft_world_destroy(two);
    free_old(state);
}

Test(state_migrate, damage_is_refused, .timeout = 60) {
    old_state* state = encode_old(6);
    weft_world* world = make(true);
    fill_table();
    weft_digest before = weft_world_digest_full(world);
    size_t whole = state->size;
    // What is long is one part of a resource after the other: looked at here and there.
    for (state->size = 0; state->size < whole; state->size += state->size < 1500 ? 1 : 211)
        cr_assert_eq(migrate(world, state), WEFT_STATUS_BAD_FORMAT, "cut at %zu", state->size);
    state->size = whole;
    for (size_t bit = 0; bit < 8 * whole; bit += bit < 12000 ? 1 : 997) {
        state->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        cr_assert_eq(migrate(world, state), WEFT_STATUS_BAD_FORMAT, "bit %zu", bit);
        state->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    DIGEST_EQ(weft_world_digest_full(world), before);
    WORLD_OK(world, migrate(world, state));
    weft_world_destroy(world);
    free_old(state);
}
