// Bisecting differences that were planted: where they are, and who wrote there before.

#include <weft/bisect.h>
#include <weft/state.h>

#include "worlds.h"

WEFT_COMPONENT(Stock, (int32_t, amount), (uint32_t, mood));
WEFT_COMPONENT(Price, (int32_t, now)); // Buffered.
WEFT_COMPONENT(Crate, (uint32_t, number));
WEFT_RESOURCE(Ledger, (uint64_t, sum));
WEFT_MESSAGE(Sale, (uint32_t, amount));

enum {
    ENTITIES = 2 * WEFT_SHARD_SLOTS,
    SLOT = WEFT_SHARD_SLOTS + 33,
    TICK = 20, // The tick of the fault.
    BORN = ENTITIES,
    BORN_OF_MANY = ENTITIES + 4,
};

typedef enum fault {
    FAULT_NONE,
    FAULT_MOOD,      // A field that nobody ever wrote.
    FAULT_AMOUNT,    // A field that a system writes now and then.
    FAULT_PRICE,     // The same, buffered.
    FAULT_LEDGER,    // A resource.
    FAULT_TWICE,     // Another value of it, which was written twice between two kept states.
    FAULT_CRATE,     // A component that a command has added.
    FAULT_NUMBER,    // A field of it, which a command has set.
    FAULT_KILL,      // An entity that a command has made,
    FAULT_KILL_MANY, // and one of many.
    FAULT_REMOVED,   // A component that a command has taken away.
    FAULT_ONCE,      // Only in a run from tick 0: the world counts its ticks outside.
    FAULT_NEVER,     // Not to be had again.
    FAULT_ERROR,     // The suspect fails.
} fault;

/// What a world's systems keep outside of it.
typedef struct kept {
    fault kind;
    bool faulty;
    uint64_t ticks;
} kept;

/// The worlds that were made.
typedef struct maker {
    fault kind;
    bool every; // The first one too.
    bool odd;   // Inputs in odd ticks too.
    uint32_t made;
    uint32_t calls; // Of progress.
    uint32_t stop_at;
    kept kept[16];
} maker;

static bool strikes(const weft_view* view, const kept* own, fault kind) {
    return own->faulty && own->kind == kind && weft_view_tick(view) + 1 == TICK;
}

static weft_status sell(weft_view* view, const void* context) {
    const kept* own = context;
    Stock* stocks = WEFT_WRITE(view, Stock);
    const weft_entity* entities = weft_view_entities(view);
    uint64_t tick = weft_view_tick(view);
    if (strikes(view, own, FAULT_ERROR))
        return weft_view_fail(view, "sold out");
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        bool here = entities[i].slot == SLOT;
        if (tick % 7 == 2)
            stocks[i].amount += (int32_t)tick;
        if (here && strikes(view, own, FAULT_MOOD))
            stocks[i].mood = 5;
        if (here && strikes(view, own, FAULT_AMOUNT))
            stocks[i].amount++;
        if (here && strikes(view, own, FAULT_ONCE) && own->ticks >= TICK)
            stocks[i].amount = 77;
    }
    return WEFT_STATUS_OK;
}

static weft_status rise(weft_view* view, const void* context) {
    const kept* own = context;
    Price* prices = WEFT_WRITE(view, Price);
    uint64_t tick = weft_view_tick(view);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        bool here = weft_view_entities(view)[i].slot == SLOT;
        if (tick % 5 == 0)
            prices[i].now = (int32_t)tick;
        if (here && strikes(view, own, FAULT_PRICE))
            prices[i].now = -1;
    }
    return WEFT_STATUS_OK;
}

static weft_status load_faults(weft_view* view, const kept* own, uint32_t row, weft_entity self) {
    weft_commands* commands = weft_view_commands(view);
    const weft_entity born = {BORN, 1};
    const weft_entity next = {SLOT + 1, 1};
    const weft_entity many[] = {{BORN_OF_MANY, 1}, {BORN_OF_MANY + 1, 1}};
    if (strikes(view, own, FAULT_CRATE))
        WEFT_REMOVE(commands, row, self, Crate);
    if (strikes(view, own, FAULT_NUMBER))
        WEFT_SET(commands, row, self, Crate, {100});
    if (strikes(view, own, FAULT_KILL))
        weft_commands_destroy(commands, row, born);
    if (strikes(view, own, FAULT_KILL_MANY))
        weft_commands_destroy_many(commands, row, many, 2);
    if (strikes(view, own, FAULT_REMOVED))
        WEFT_ADD(commands, row, next, Crate, {6});
    return WEFT_STATUS_OK;
}

static weft_status load(weft_view* view, const void* context) {
    weft_commands* commands = weft_view_commands(view);
    const weft_entity* entities = weft_view_entities(view);
    const Stock stocks[] = {{1, 1}, {2, 2}, {3, 3}};
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        weft_entity self = entities[i];
        if (self.slot != SLOT)
            continue;
        switch (weft_view_tick(view)) {
        case 3:
            WEFT_ADD(commands, i, self, Crate, {1});
            WEFT_ADD(commands, i, entities[i + 1], Crate, {2});
            break;
        case 5:
            (void)WEFT_CREATE(commands, i, WEFT_VALUE(Stock, {9, 9}));
            break;
        case 6:
            (void)WEFT_CREATE(commands, i, WEFT_VALUE(Stock, {8, 8}));
            (void)WEFT_CREATE_MANY(commands, i, 3, WEFT_COLUMN(Stock, stocks, 3));
            (void)WEFT_CREATE_MANY(commands, i, 3, WEFT_COLUMN(Stock, stocks, 3));
            break;
        case 11:
            WEFT_SET(commands, i, self, Crate, {7});
            break;
        case 12:
            weft_commands_remove(commands, i, (weft_entity){SLOT + 1, 1}, WEFT_TYPE(Crate));
            break;
        default:
            return load_faults(view, context, i, self);
        }
    }
    return WEFT_STATUS_OK;
}

/// Says again what `load` says in the same tick: once right after it, and once in a chunk that is
/// run before that of `load`. By its rank it has the last word both times.
static weft_status label(weft_view* view, const void* context) {
    const weft_entity self = {SLOT, 1};
    (void)context;
    if (weft_view_tick(view) == 3 && weft_view_shard(view) == 1)
        WEFT_ADD(weft_view_commands(view), 0, self, Crate, {1});
    bool crates = weft_view_entities(view)[0].slot == SLOT; // The chunk of those that have some.
    if (weft_view_tick(view) == 11 && weft_view_shard(view) == 1 && !crates)
        WEFT_SET(weft_view_commands(view), 0, self, Crate, {2});
    return WEFT_STATUS_OK;
}

static weft_status book(weft_view* view, const void* context) {
    kept* own = (kept*)(uintptr_t)context;
    uint32_t count;
    const Sale* sales = weft_view_messages(view, WEFT_TYPE(Sale), &count);
    Ledger* ledgers = WEFT_RESOURCE_WRITE(view, Ledger);
    own->ticks++;
    for (uint32_t i = 0; i < count; i++)
        ledgers[1].sum += sales[i].amount;
    if (weft_view_tick(view) == 4 || weft_view_tick(view) == 8)
        ledgers[2].sum += weft_view_tick(view);
    if (strikes(view, own, FAULT_LEDGER))
        ledgers[1].sum += 1000;
    if (strikes(view, own, FAULT_TWICE))
        ledgers[2].sum = 1;
    return WEFT_STATUS_OK;
}

static weft_status populate(weft_world* world, weft_schedule* schedule, const kept* own) {
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Stock), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Price), WEFT_STORAGE_BUFFERED));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Crate), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_resource(world, WEFT_TYPE(Ledger), 3, NULL));
    WEFT_TRY(
        weft_world_register_channel(world, WEFT_TYPE(Sale), WEFT_TARGET_WORLD, WEFT_DELIVERY_NEXT));
    for (uint32_t i = 0; i < ENTITIES; i++)
        (void)WEFT_CREATE(weft_world_commands(world), 0, WEFT_VALUE(Stock, {(int32_t)i, 3}),
                          WEFT_VALUE(Price, {4}));
    WEFT_TRY(weft_world_commit(world));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("sell", sell, WEFT_ACCESS(WEFT_WRITES(Stock)), .context = own)));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("rise", rise, WEFT_ACCESS(WEFT_WRITES(Price)), .context = own)));
    WEFT_TRY(weft_schedule_add_system(
        schedule,
        WEFT_SYSTEM("load", load, WEFT_ACCESS(WEFT_WITH(Price), WEFT_COMMANDS), .context = own)));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("label", label, WEFT_ACCESS(WEFT_WITH(Price), WEFT_COMMANDS))));
    WEFT_TRY(weft_schedule_add_system(
        schedule,
        WEFT_SYSTEM("book", book, WEFT_ACCESS(WEFT_CONSUMES(Sale), WEFT_WRITES_RESOURCE(Ledger)),
                    .scope = WEFT_SCOPE_WORLD, .context = own)));
    return weft_schedule_build(schedule);
}

static weft_status make(void* context, weft_world** world_out, weft_schedule** schedule_out) {
    maker* all = context;
    weft_world_desc desc = weft_world_desc_default();
    cr_assert_lt(all->made, 16);
    kept* own = &all->kept[all->made];
    *own = (kept){.kind = all->kind, .faulty = all->every || all->made > 0};
    if (all->kind == FAULT_NEVER)
        own->faulty = false;
    all->made++;
    WEFT_TRY(weft_world_create(&desc, NULL, world_out));
    WEFT_TRY(weft_schedule_create(*world_out, schedule_out));
    return populate(*world_out, *schedule_out, own);
}

static weft_status input(void* context, weft_world* world, uint64_t tick) {
    const Sale sale = {(uint32_t)tick + 1};
    const maker* all = context;
    return all->odd || tick % 2 == 0
               ? weft_world_post(world, WEFT_TYPE(Sale), WEFT_ENTITY_NULL, &sale)
               : WEFT_STATUS_OK;
}

static bool progress(void* context, const weft_verify_progress* progress) {
    maker* all = context;
    cr_assert_eq(progress->phase, WEFT_VERIFY_LOCATE);
    return ++all->calls != all->stop_at;
}

static weft_bisect_desc desc_of(maker* all) {
    weft_bisect_desc desc = weft_bisect_desc_default();
    desc.make = make;
    desc.input = input;
    desc.progress = progress;
    desc.context = all;
    desc.tick = TICK;
    return desc;
}

static weft_bisect_report* bisect(maker* all, const weft_bisect_desc* desc, weft_status status) {
    weft_bisect_report* report = NULL;
    weft_status found = weft_bisect(desc, &report);
    cr_assert_not_null(report);
    cr_assert_eq(found, status, "%s: %s", weft_status_name(found), report->error);
    cr_assert_eq(report->status, status);
    cr_assert_leq(all->made, 8u);
    return report;
}

/// Bisects a fault, whose entity, field and values are known, as is the write before.
static void expect(fault kind, uint32_t slot, const char* field, const char* reference,
                   const char* found, weft_write write) {
    maker all = {.kind = kind};
    weft_bisect_desc desc = desc_of(&all);
    weft_bisect_report* report = bisect(&all, &desc, WEFT_STATUS_DIVERGED);
    const weft_verify_place* place = &report->place;
    cr_assert(report->different && !report->from_start && place->has_task);
    cr_assert_eq(report->tick, (uint64_t)TICK);
    cr_assert_eq(place->entity.slot, slot);
    cr_assert_str_eq(place->field, field);
    cr_assert_str_eq(place->reference_text, reference);
    cr_assert_str_eq(place->found_text, found);
    cr_assert_eq(report->write.kind, write.kind, "%d", (int)report->write.kind);
    cr_assert_eq(report->write.tick, write.tick, "tick %u", (unsigned)report->write.tick);
    cr_assert_str_eq(report->write.system, write.system);
    cr_assert_eq(report->write.shard, write.shard);
    cr_assert_eq(report->write.world_scope, write.world_scope);
    cr_assert_str_eq(report->write.text, reference);
    cr_assert_leq(report->state_count, 7u); // Of ticks 19, 18, 17, 15, 11, 3, 0.
    cr_assert_leq(report->ticks_run, 3u * TICK + 2);
    weft_bisect_report_destroy(report);
}

Test(bisect, a_field_that_nobody_wrote) {
    expect(FAULT_MOOD, SLOT, "mood", "3", "5", (weft_write){.kind = WEFT_WRITE_FIRST});
}

Test(bisect, a_field_that_a_task_wrote) {
    char reference[16];
    char found[16];
    snprintf(reference, sizeof reference, "%d", SLOT + 2 + 9 + 16);
    snprintf(found, sizeof found, "%d", SLOT + 2 + 9 + 16 + 1);
    expect(FAULT_AMOUNT, SLOT, "amount", reference, found,
           (weft_write){.kind = WEFT_WRITE_TASK, .tick = 17, .system = "sell", .shard = 1});
    expect(FAULT_PRICE, SLOT, "now", "15", "-1",
           (weft_write){.kind = WEFT_WRITE_TASK, .tick = 16, .system = "rise", .shard = 1});
}

Test(bisect, a_resource_with_inputs) {
    weft_write write = {.kind = WEFT_WRITE_TASK, .system = "book", .world_scope = true};
    write.tick = 19;
    expect(FAULT_LEDGER, 0, "sum", "100", "1100", write);
    write.tick = 9;
    expect(FAULT_TWICE, 0, "sum", "12", "1", write);
}

// The executor forgets inputs at its checkpoints, of which tick 64 is one.
Test(bisect, inputs_of_any_tick) {
    for (uint64_t tick = 62; tick < 67; tick++) {
        maker all = {.kind = FAULT_NONE, .odd = true};
        weft_bisect_desc desc = desc_of(&all);
        desc.tick = tick;
        weft_bisect_report* report = bisect(&all, &desc, WEFT_STATUS_OK);
        cr_assert_eq(report->inputs_size, 4u + 16u);
        weft_bisect_report_destroy(report);
    }
}

Test(bisect, what_commands_did) {
    weft_write write = {.kind = WEFT_WRITE_COMMAND, .system = "label", .shard = 1};
    write.tick = 4;
    expect(FAULT_CRATE, SLOT, "", "present", "absent", write);
    write.tick = 12;
    expect(FAULT_NUMBER, SLOT, "number", "2", "100", write);
    strcpy(write.system, "load");
    write.tick = 13;
    expect(FAULT_REMOVED, SLOT + 1, "", "absent", "present", write);
    write.tick = 6;
    expect(FAULT_KILL, BORN, "", "alive", "dead", write);
    write.tick = 7;
    expect(FAULT_KILL_MANY, BORN_OF_MANY, "", "alive", "dead", write);
}

Test(bisect, what_does_not_show_from_the_state) {
    maker all = {.kind = FAULT_ONCE};
    weft_bisect_desc desc = desc_of(&all);
    weft_bisect_report* report = bisect(&all, &desc, WEFT_STATUS_DIVERGED);
    cr_assert(report->from_start && report->different);
    cr_assert_eq(report->place.attempt_count, desc.attempt_limit + 1);
    cr_assert_str_eq(report->place.found_text, "77");
    weft_bisect_report_destroy(report);
    all = (maker){.kind = FAULT_NEVER};
    report = bisect(&all, &desc, WEFT_STATUS_OK);
    cr_assert_not(report->different);
    cr_assert_eq(report->place.attempt_count, 2 * desc.attempt_limit);
    cr_assert_eq(report->write.kind, WEFT_WRITE_UNKNOWN);
    weft_bisect_report_destroy(report);
}

/// The state of a run after some ticks, as bytes of a report that a bisection left.
static weft_bisect_report* record(maker* all) {
    weft_bisect_desc desc = desc_of(all);
    return bisect(all, &desc, WEFT_STATUS_DIVERGED);
}

Test(bisect, a_replay_needs_no_input) {
    maker first = {.kind = FAULT_LEDGER};
    weft_bisect_report* made = record(&first);
    maker all = {.kind = FAULT_LEDGER};
    weft_bisect_desc desc = desc_of(&all);
    desc.before = made->state;
    desc.before_size = made->state_size;
    desc.inputs = made->inputs;
    desc.inputs_size = made->inputs_size;
    desc.input = NULL;
    desc.reference = made->reference;
    weft_bisect_report* report = bisect(&all, &desc, WEFT_STATUS_DIVERGED);
    cr_assert_not(report->unstable);
    cr_assert(weft_digest_equal(report->reference.full, made->reference.full));
    cr_assert(weft_digest_equal(report->found.full, made->found.full));
    cr_assert_str_eq(report->place.found_text, "1100");
    cr_assert_leq(report->ticks_run, 2u);
    weft_bisect_report_destroy(report);
    // Inputs that are damaged, too many, or of another channel.
    uint8_t* inputs = malloc(made->inputs_size + 1);
    for (size_t i = 0; i <= made->inputs_size; i++) {
        memcpy(inputs, made->inputs, made->inputs_size);
        inputs[made->inputs_size] = 0;
        desc.inputs = inputs;
        desc.inputs_size = i < made->inputs_size ? i : i + 1;
        all = (maker){.kind = FAULT_LEDGER};
        report = bisect(&all, &desc, WEFT_STATUS_BAD_FORMAT);
        TEXT_HAS(report->error, "the inputs of the tick");
        weft_bisect_report_destroy(report);
    }
    free(inputs);
    // Another tick's state.
    desc.inputs = made->inputs;
    desc.inputs_size = made->inputs_size;
    desc.tick = TICK + 1;
    all = (maker){.kind = FAULT_LEDGER};
    report = bisect(&all, &desc, WEFT_STATUS_IDENTITY_MISMATCH);
    TEXT_HAS(report->error, "the state is that after tick 19, not the one before tick 21");
    weft_bisect_report_destroy(report);
    weft_bisect_report_destroy(made);
}

static weft_status collect(void* context, const void* bytes, size_t size) {
    uint8_t** end = context;
    memcpy(*end, bytes, size);
    *end += size;
    return WEFT_STATUS_OK;
}

Test(bisect, a_suspect_that_was_recorded) {
    static uint8_t state[1 << 20];
    uint8_t* end = state;
    maker first = {.kind = FAULT_AMOUNT, .every = true};
    weft_world* world;
    weft_schedule* schedule;
    weft_executor* executor;
    const weft_task_output* outputs = NULL;
    size_t count = 0;
    weft_executor_desc config = weft_executor_desc_default();
    WORLD_OK(world, make(&first, &world, &schedule));
    WORLD_OK(world, weft_executor_create(&config, schedule, &executor));
    for (uint64_t tick = 0; tick < TICK; tick++) {
        WORLD_OK(world, input(&first, world, tick));
        WORLD_OK(world, weft_executor_tick_traced(executor, &outputs, &count));
    }
    cr_assert_leq(weft_world_encoded_size(world), sizeof state);
    WORLD_OK(world, weft_world_encode(world, collect, &end));
    maker all = {.kind = FAULT_NEVER};
    weft_bisect_desc desc = desc_of(&all);
    desc.after = state;
    desc.after_size = (size_t)(end - state);
    desc.outputs = outputs;
    desc.output_count = count;
    weft_bisect_report* report = bisect(&all, &desc, WEFT_STATUS_DIVERGED);
    cr_assert_str_eq(report->place.system, "sell");
    cr_assert_str_eq(report->place.field, "amount");
    cr_assert_eq(report->write.tick, 17u);
    weft_bisect_report_destroy(report);
    // Without what its tasks gave the system is not known, and the rest is.
    all = (maker){.kind = FAULT_NEVER};
    desc.outputs = NULL;
    report = bisect(&all, &desc, WEFT_STATUS_DIVERGED);
    cr_assert_not(report->place.traced || report->place.has_task);
    cr_assert_str_eq(report->place.field, "amount");
    weft_bisect_report_destroy(report);
    all = (maker){.kind = FAULT_NEVER};
    desc.after_size--;
    report = bisect(&all, &desc, WEFT_STATUS_BAD_FORMAT);
    weft_bisect_report_destroy(report);
    weft_executor_destroy(executor);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
}

Test(bisect, tick_0_and_what_cannot_be) {
    maker all = {.kind = FAULT_MOOD};
    weft_bisect_desc desc = desc_of(&all);
    weft_bisect_report* report;
    desc.tick = 0;
    report = bisect(&all, &desc, WEFT_STATUS_OK);
    cr_assert_null(report->state);
    weft_bisect_report_destroy(report);
    desc.before = "state";
    cr_assert_eq(weft_bisect(&desc, &report), WEFT_STATUS_BAD_ARGUMENT);
    cr_assert_null(report);
    desc = desc_of(&all);
    desc.cookie = 0;
    cr_assert_eq(weft_bisect(&desc, &report), WEFT_STATUS_BAD_ARGUMENT);
    desc = desc_of(&all);
    desc.attempt_limit = 0;
    cr_assert_eq(weft_bisect(&desc, &report), WEFT_STATUS_BAD_ARGUMENT);
    desc = desc_of(&all);
    desc.make = NULL;
    cr_assert_eq(weft_bisect(&desc, &report), WEFT_STATUS_BAD_ARGUMENT);
    weft_bisect_report_destroy(NULL);
}

Test(bisect, failures_and_stops) {
    maker all = {.kind = FAULT_ERROR};
    weft_bisect_desc desc = desc_of(&all);
    weft_bisect_report* report = bisect(&all, &desc, WEFT_STATUS_SYSTEM_FAILED);
    TEXT_HAS(report->error, "sold out");
    weft_bisect_report_destroy(report);
    // At every place where it may be stopped.
    uint32_t stops = 0;
    for (uint32_t at = 1; at < 200; at++) {
        all = (maker){.kind = FAULT_AMOUNT, .stop_at = at};
        report = NULL;
        weft_status status = weft_bisect(&desc, &report);
        cr_assert_not_null(report);
        bool stopped = report->stopped;
        cr_assert(status == WEFT_STATUS_DIVERGED || (status == WEFT_STATUS_OK && stopped));
        weft_bisect_report_destroy(report);
        stops += stopped;
        if (!stopped)
            break;
    }
    cr_assert_gt(stops, (uint32_t)TICK);
    cr_assert_lt(stops, 100u);
}

// Ticks ------------------------------------------------------------------------------------------

enum {
    DIGESTS = 1000
};

static weft_tick_search search(uint64_t from, uint64_t to, uint64_t count) {
    static weft_verify_digests a[DIGESTS];
    static weft_verify_digests b[DIGESTS];
    for (uint64_t i = 0; i < DIGESTS; i++) {
        a[i] = b[i] = (weft_verify_digests){{i, 1}, {i, 2}};
        b[i].full.high += i >= from && i < to;
    }
    return weft_bisect_ticks(a, b, count);
}

Test(bisect, ticks_by_halves) {
    for (uint64_t first = 0; first < DIGESTS; first += 7) {
        weft_tick_search found = search(first, DIGESTS, DIGESTS);
        cr_assert(found.different && !found.resumes);
        cr_assert_eq(found.tick, first);
        cr_assert_leq(found.steps, 10u);
    }
    cr_assert_not(search(DIGESTS, DIGESTS, DIGESTS).different);
    cr_assert_not(search(10, 20, 10).different);
    cr_assert_not(search(0, 0, 0).different);
    cr_assert_eq(search(0, 1, 1).tick, 0u);
    // Differences that do not stay are found all the same.
    for (uint64_t first = 0; first < DIGESTS - 3; first += 41) {
        weft_tick_search found = search(first, first + 2, DIGESTS);
        cr_assert(found.different && found.resumes);
        cr_assert_eq(found.tick, first);
        cr_assert_eq(found.last_equal, DIGESTS - 1u);
        cr_assert_eq(found.equal_after, DIGESTS - first - 2);
    }
}
