// The faults are written as people write them. Those that hang on the order of tasks ask whether
// the chunk of shard 1 came before that of shard 0: never so in the serial run, and in one of two
// schedules that are drawn.

#include "faulty.h"

#include <fenv.h>
#include <string.h>
#include <time.h>
#include <weft/pinned.h>

WEFT_COMPONENT(FaultyPlace, (weft_vec2, at), (int32_t, layer));
WEFT_COMPONENT(FaultySpeed, (weft_vec2, by));
WEFT_COMPONENT(FaultyTrace, (uint32_t, sum), (uint32_t, note), (array, uint8_t, packet, 8));
WEFT_COMPONENT(FaultyChoice, (uint32_t, by), (uint32_t, sum));
WEFT_COMPONENT(FaultyEcho, (uint32_t, heard));
WEFT_COMPONENT(FaultyHeat, (float, degrees));
WEFT_COMPONENT(FaultyGuest, (uint32_t, by)); // Of the host.
WEFT_COMPONENT(FaultySecret, (int32_t, a), (int32_t, b));
WEFT_RESOURCE(FaultySeason, (uint32_t, day));
WEFT_MESSAGE(FaultyCall, (uint32_t, slot));

typedef struct weft_faulty_outside outside;

enum {
    GROUP = 32,   // Slots of which one is the captain,
    CAPTAIN = 10, // and two choose for it: the greater one has the last word.
    LOWER = 8,
    UPPER = 12,
    BROOD = 16, // Of so many slots one is born and dies.
};

static void* unconst(const void* place) {
    return (void*)(uintptr_t)place; // weft-lint: allow(address): to be caught at run time
}

/// What is kept outside of the world. A system's context is const; this is not.
static outside* outside_of(const void* context) {
    weft_faulty* faulty = unconst(context);
    return &faulty->outside;
}

/// Row of the entity that the fault is about, if this is its tick and chunk; else the row count.
static uint32_t faulty_row(const weft_view* view, const weft_faulty* faulty) {
    uint32_t count = weft_view_row_count(view);
    const weft_entity* entities = weft_view_entities(view);
    if (weft_view_tick(view) != faulty->tick)
        return count;
    uint32_t row = 0;
    while (row < count && entities[row].slot != faulty->slot)
        row++;
    return row;
}

// The order of chunks ----------------------------------------------------------------------------

static void order_forget(outside* o) {
    // weft-lint: allow(atomic): the order of tasks is what is to be found
    __atomic_store_n(&o->arrivals, 0, __ATOMIC_SEQ_CST);
    __atomic_store_n(&o->first, 0, __ATOMIC_SEQ_CST); // weft-lint: allow(atomic): the same
    __atomic_store_n(&o->late, 0, __ATOMIC_SEQ_CST);  // weft-lint: allow(atomic): the same
}

/// Notes that a chunk is at hand; returns how many were before it.
static uint32_t order_note(outside* o, uint32_t shard) {
    // weft-lint: allow(atomic): the order of tasks is what is to be found
    uint32_t first = __atomic_load_n(&o->first, __ATOMIC_SEQ_CST);
    if (shard == 0)
        __atomic_store_n(&o->first, 1, __ATOMIC_SEQ_CST); // weft-lint: allow(atomic): the same
    if (shard == 1 && first == 0)
        __atomic_store_n(&o->late, 1, __ATOMIC_SEQ_CST); // weft-lint: allow(atomic): the same
    // weft-lint: allow(atomic): the same
    return __atomic_fetch_add(&o->arrivals, 1, __ATOMIC_SEQ_CST);
}

static bool order_is_late(outside* o) {
    // weft-lint: allow(atomic): the order of tasks is what is to be found
    return __atomic_load_n(&o->late, __ATOMIC_SEQ_CST) != 0;
}

// Faults of one row ------------------------------------------------------------------------------

/// Fills in two parts of a packet and copies all of it: three bytes keep what was there before.
static void fault_padding(outside* o, FaultyTrace* trace) {
    o->scratch[0] = 1;
    memset(o->scratch + 4, 2, 4);
    memcpy(trace->packet, o->scratch, sizeof o->scratch);
    memset(o->scratch, (int)(++o->calls & 0xFF), sizeof o->scratch);
}

static uint32_t fault_clock(void) {
    struct timespec now = {0};
    // weft-lint: allow(time): this system is to be caught at run time
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (uint32_t)now.tv_nsec ^ (uint32_t)now.tv_sec;
}

/// Goes through a list by address. Its memory is given out as if much else had been there before.
static uint32_t fault_address(outside* o) {
    const weft_faulty_node* list[WEFT_FAULTY_NODES];
    uint32_t begin = o->calls++;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < WEFT_FAULTY_NODES; i++) {
        weft_faulty_node* node = &o->nodes[(begin + i) % WEFT_FAULTY_NODES];
        node->key = i;
        list[i] = node;
    }
    for (uint32_t i = 1; i < WEFT_FAULTY_NODES; i++) {
        const weft_faulty_node* node = list[i];
        uint32_t at = i;
        // weft-lint: allow(address): this system is to be caught at run time
        for (; at > 0 && node < list[at - 1]; at--)
            list[at] = list[at - 1];
        list[at] = node;
    }
    for (uint32_t i = 0; i < WEFT_FAULTY_NODES; i++)
        sum = sum * 31 + list[i]->key;
    return sum;
}

/// What the system `mark` does wrong at the row. The volatile keep the line before the fault.
static void fault_do(const weft_faulty* faulty, uint32_t row, uint32_t arrivals,
                     const FaultySpeed* speeds, FaultyTrace* traces) {
    outside* o = outside_of(faulty);
    volatile FaultySecret* secrets = o->secrets;
    FaultyTrace* trace = &traces[row];
    if (faulty->fault == WEFT_FAULT_BIT && order_is_late(o))
        trace->sum ^= 1u << WEFT_FAULTY_BIT;
    if (faulty->fault == WEFT_FAULT_TIE)
        trace->note = arrivals;
    if (faulty->fault == WEFT_FAULT_PADDING)
        fault_padding(o, trace);
    if (faulty->fault == WEFT_FAULT_CLOCK)
        trace->note = fault_clock();
    if (faulty->fault == WEFT_FAULT_ADDRESS)
        trace->note = fault_address(o);
    if (faulty->fault == WEFT_FAULT_WRITE_READ) {
        volatile FaultySpeed* written = unconst(speeds);
        o->line = __LINE__ + 1;
        written[row].by.x.raw = 77;
    }
    if (faulty->fault == WEFT_FAULT_WRITE_HIDDEN) {
        o->line = __LINE__ + 1;
        secrets[row].b = 77;
    }
    if (faulty->fault == WEFT_FAULT_READ_HIDDEN) {
        o->line = __LINE__ + 1;
        trace->note = (uint32_t)secrets[row].b;
    }
}

// Systems ----------------------------------------------------------------------------------------

static weft_status open_day(weft_view* view, const void* context) {
    WEFT_RESOURCE_WRITE(view, FaultySeason)->day++;
    order_forget(outside_of(context));
    return WEFT_STATUS_OK;
}

static weft_status move(weft_view* view, const void* context) {
    (void)context;
    FaultyPlace* places = WEFT_WRITE(view, FaultyPlace);
    const FaultySpeed* speeds = WEFT_READ(view, FaultySpeed);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        places[i].at = weft_vec2_add(places[i].at, speeds[i].by);
    return WEFT_STATUS_OK;
}

static weft_status warm(weft_view* view, const void* context) {
    const weft_faulty* faulty = context;
    FaultyHeat* heats = WEFT_WRITE(view, FaultyHeat);
    uint32_t count = weft_view_row_count(view);
    uint32_t row = faulty_row(view, faulty);
    for (uint32_t i = 0; i < count; i++)
        heats[i].degrees = weft_float_add(weft_float_mul(heats[i].degrees, 0.75f), 1.0f);
    if (row < count && faulty->fault == WEFT_FAULT_NAN)
        heats[row].degrees = weft_float_from_bits(0x7FC00000u);
    if (row < count && faulty->fault == WEFT_FAULT_FLOAT_MODE)
        (void)fesetround(FE_TOWARDZERO); // weft-lint: allow(libm): to be caught at run time
    return WEFT_STATUS_OK;
}

/// Has every right to its column, and gives the pointer away.
static weft_status hide(weft_view* view, const void* context) {
    FaultySecret* secrets = WEFT_WRITE(view, FaultySecret);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        secrets[i].a++;
    if (weft_view_shard(view) == 1)
        outside_of(context)->secrets = secrets;
    return WEFT_STATUS_OK;
}

static weft_status mark(weft_view* view, const void* context) {
    const weft_faulty* faulty = context;
    const FaultyPlace* places = WEFT_READ(view, FaultyPlace);
    const FaultySpeed* speeds = weft_view_read(view, WEFT_TYPE(FaultySpeed));
    FaultyTrace* traces = WEFT_WRITE(view, FaultyTrace);
    uint32_t day = WEFT_RESOURCE_READ(view, FaultySeason)->day;
    uint32_t count = weft_view_row_count(view);
    for (uint32_t i = 0; i < count; i++)
        traces[i].sum = (traces[i].sum ^ (uint32_t)places[i].at.x.raw) * 0x9E3779B1u + day;
    if (speeds == NULL)
        return WEFT_STATUS_OK;
    uint32_t arrivals = order_note(outside_of(context), weft_view_shard(view));
    uint32_t row = faulty_row(view, faulty);
    if (row < count)
        fault_do(faulty, row, arrivals, speeds, traces);
    return WEFT_STATUS_OK;
}

/// Captains hear one of the next shard: so what goes wrong there is seen in the same tick at an
/// entity that comes first, but is not the one.
static weft_status echo(weft_view* view, const void* context) {
    (void)context;
    FaultyEcho* echoes = WEFT_WRITE(view, FaultyEcho);
    const weft_entity* entities = weft_view_entities(view);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        weft_entity other = {entities[i].slot + WEFT_SHARD_SLOTS, 1};
        if (entities[i].slot % GROUP != CAPTAIN)
            continue;
        const FaultyTrace* trace = WEFT_GET(view, other, FaultyTrace);
        if (trace != NULL)
            echoes[i].heard = trace->sum + trace->note + trace->packet[1];
    }
    return WEFT_STATUS_OK;
}

/// Two rows set the captain of their group: commands on one entity, of which the last wins.
static weft_status vote(weft_view* view, const void* context) {
    const weft_faulty* faulty = context;
    const FaultyTrace* traces = WEFT_READ(view, FaultyTrace);
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    bool now = weft_view_tick(view) == faulty->tick && order_is_late(outside_of(context));
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        uint32_t place = entities[i].slot % GROUP;
        weft_entity captain = {entities[i].slot - place + CAPTAIN, 1};
        bool faulted = now && captain.slot == faulty->slot;
        uint32_t key = i;
        if (place != LOWER && place != UPPER)
            continue;
        if (faulted && faulty->fault == WEFT_FAULT_LOST_COMMAND && place == UPPER)
            continue;
        if (faulted && faulty->fault == WEFT_FAULT_MERGE)
            key = place == LOWER ? i + 2 : i - 2; // The other one's row: slots are even here.
        WEFT_SET(commands, key, captain, FaultyChoice, {entities[i].slot, traces[i].sum});
        if (!faulted || faulty->fault != WEFT_FAULT_LOST_MESSAGE || place == LOWER)
            WEFT_EMIT(view, i, WEFT_ENTITY_NULL, FaultyCall, {entities[i].slot});
    }
    return WEFT_STATUS_OK;
}

static weft_status breed(weft_view* view, const void* context) {
    (void)context;
    const FaultyTrace* traces = WEFT_READ(view, FaultyTrace);
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        if (entities[i].slot % BROOD != BROOD - 1)
            continue;
        if (traces[i].sum % 4 == 0)
            weft_commands_destroy(commands, i, entities[i]);
        else if (traces[i].sum % 4 == 1)
            WEFT_CREATE(commands, i, WEFT_VALUE(FaultyPlace, {.layer = 1}),
                        WEFT_VALUE(FaultyTrace, {.sum = traces[i].sum}));
    }
    return WEFT_STATUS_OK;
}

// Building ---------------------------------------------------------------------------------------

void weft_faulty_describe(weft_world_desc* desc) {
    desc->allow_float = true;
}

static weft_status add_types(weft_world* world) {
    static const weft_type* const types[] = {
        WEFT_TYPE(FaultyPlace),  WEFT_TYPE(FaultySpeed), WEFT_TYPE(FaultyTrace),
        WEFT_TYPE(FaultyChoice), WEFT_TYPE(FaultyHeat),  WEFT_TYPE(FaultySecret),
        WEFT_TYPE(FaultyGuest),  WEFT_TYPE(FaultyEcho),
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        WEFT_TRY(weft_world_register_component(world, types[i], WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_channel(world, WEFT_TYPE(FaultyCall), WEFT_TARGET_WORLD,
                                         WEFT_DELIVERY_TICK));
    return weft_world_register_resource(world, WEFT_TYPE(FaultySeason), 1, NULL);
}

static weft_status add_systems(const weft_faulty* faulty, weft_schedule* schedule) {
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("open", open_day, .context = faulty, .scope = WEFT_SCOPE_WORLD,
                              WEFT_ACCESS(WEFT_WRITES_RESOURCE(FaultySeason)))));
    WEFT_TRY(weft_schedule_add_system(
        schedule,
        WEFT_SYSTEM("move", move, WEFT_ACCESS(WEFT_WRITES(FaultyPlace), WEFT_READS(FaultySpeed)))));
    WEFT_TRY(weft_schedule_add_system(schedule, WEFT_SYSTEM("warm", warm, .context = faulty,
                                                            WEFT_ACCESS(WEFT_WRITES(FaultyHeat)))));
    WEFT_TRY(
        weft_schedule_add_system(schedule, WEFT_SYSTEM("hide", hide, .context = faulty,
                                                       WEFT_ACCESS(WEFT_WRITES(FaultySecret)))));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("mark", mark, .context = faulty,
                              WEFT_ACCESS(WEFT_WRITES(FaultyTrace), WEFT_READS(FaultyPlace),
                                          WEFT_READS_OPTIONAL(FaultySpeed),
                                          WEFT_READS_RESOURCE(FaultySeason)))));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("echo", echo,
                              WEFT_ACCESS(WEFT_WRITES(FaultyEcho), WEFT_READS_ANY(FaultyTrace)))));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("vote", vote, .context = faulty,
                              WEFT_ACCESS(WEFT_READS(FaultyTrace), WEFT_WITH(FaultySpeed),
                                          WEFT_EMITS(FaultyCall), WEFT_COMMANDS))));
    return weft_schedule_add_system(
        schedule, WEFT_SYSTEM("breed", breed,
                              WEFT_ACCESS(WEFT_READS(FaultyTrace), WEFT_WITHOUT(FaultySpeed),
                                          WEFT_COMMANDS)));
}

weft_status weft_faulty_build(weft_faulty* faulty, weft_world* world, weft_schedule* schedule) {
    weft_commands* commands = weft_world_commands(world);
    WEFT_TRY(add_types(world));
    WEFT_TRY(add_systems(faulty, schedule));
    for (uint32_t i = 0; i < WEFT_FAULTY_ENTITIES; i++) {
        if (i % 2 == 0)
            WEFT_CREATE(commands, 0, WEFT_VALUE(FaultyPlace, {.layer = 2}),
                        WEFT_VALUE(FaultySpeed, {{WEFT_FIXED_RAW((int32_t)i), WEFT_FIXED_RAW(1)}}),
                        WEFT_VALUE(FaultyTrace, {.sum = i}), WEFT_VALUE(FaultyChoice, {0}),
                        WEFT_VALUE(FaultyHeat, {20.0f}), WEFT_VALUE(FaultySecret, {3, 4}),
                        WEFT_VALUE(FaultyGuest, {0}), WEFT_VALUE(FaultyEcho, {0}));
        else
            WEFT_CREATE(commands, 0, WEFT_VALUE(FaultyPlace, {.layer = 1}),
                        WEFT_VALUE(FaultyTrace, {.sum = i}));
    }
    return WEFT_STATUS_OK;
}

weft_status weft_faulty_input(weft_faulty* faulty, weft_world* world, uint64_t tick) {
    weft_entity target = {faulty->slot, 1};
    bool faulted = faulty->fault == WEFT_FAULT_HOST && tick == faulty->tick;
    uint32_t begin = faulted ? faulty->outside.calls++ : 0;
    for (uint32_t i = 0; i < WEFT_FAULTY_NODES; i++)
        WEFT_SET(weft_world_commands(world), 0, target, FaultyGuest,
                 {(begin + i) % WEFT_FAULTY_NODES});
    return WEFT_STATUS_OK;
}
