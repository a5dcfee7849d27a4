// Memory: steady ticks take none, and running out of it is an orderly end.

#define _GNU_SOURCE
#include <weft/memory.h>
#include <weft/rollback.h>

#include "effort.h"
#include "memory_alias.h"
#include "worlds.h"

WEFT_COMPONENT(Body, (uint32_t, mass), (uint32_t, age));
WEFT_TAG(Left);
WEFT_COMPONENT(Wound, (uint64_t, depth)); // Sparse.
WEFT_COMPONENT(Cell, (uint32_t, now));    // Buffered.
WEFT_COMPONENT(Friend, (weft_entity, who));
WEFT_RESOURCE(Gauge, (uint64_t, level));
WEFT_MESSAGE(Letter, (uint32_t, word)); // Same tick, to entities.
WEFT_MESSAGE(Echo, (uint32_t, word));   // Next tick, to the world.
WEFT_PARTIAL(Total, (uint64_t, mass));

// Counting the C library's allocations -----------------------------------------------------------

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

static uint64_t malloc_count;

#if !defined(SANITIZED) && defined(__GLIBC__)
#define COUNTED 1
// The sanitizers bring their own; elsewhere these take the place of the C library's.
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* block, size_t size);
void* __libc_memalign(size_t align, size_t size);

static void count_malloc(void) {
    (void)__atomic_fetch_add(&malloc_count, 1, __ATOMIC_RELAXED);
}

WEFT_API void* malloc(size_t size) {
    count_malloc();
    return __libc_malloc(size);
}

WEFT_API void* calloc(size_t count, size_t size) {
    count_malloc();
    return __libc_calloc(count, size);
}

WEFT_API void* realloc(void* block, size_t size) {
    count_malloc();
    return __libc_realloc(block, size);
}

WEFT_API void* aligned_alloc(size_t align, size_t size) {
    count_malloc();
    return __libc_memalign(align, size);
}
#endif

static uint64_t mallocs(void) {
    return __atomic_load_n(&malloc_count, __ATOMIC_RELAXED);
}

// A provider that counts, and that gives no more than it is told ----------------------------------

typedef struct provider {
    uint64_t acquired; // Calls that gave something.
    uint64_t refused;
    size_t out;    // Bytes.
    size_t budget; // Bytes; what would be above is refused.
    uint64_t last; // Calls above are refused.
    uint64_t calls;
} provider;

static void* provide(void* context, size_t size) {
    provider* p = context;
    if (++p->calls > p->last || p->out + size > p->budget) {
        p->refused++;
        return NULL;
    }
    void* segment = aligned_alloc(4096, (size + 4095) & ~(size_t)4095);
    cr_assert_not_null(segment);
    memset(segment, 0, size);
    p->acquired++;
    p->out += size;
    return segment;
}

static void take_back(void* context, void* segment, size_t size) {
    provider* p = context;
    cr_assert_geq(p->out, size);
    p->out -= size;
    free(segment);
}

static weft_memory memory_of(provider* p) {
    return (weft_memory){.acquire = provide, .release = take_back, .context = p};
}

// A program with everything ----------------------------------------------------------------------

static void total_combine(void* left, const void* right) {
    ((Total*)left)->mass += ((const Total*)right)->mass;
}

static weft_status live(weft_view* view, const void* context) {
    (void)context;
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    Body* bodies = WEFT_WRITE(view, Body);
    Total* total = WEFT_PARTIAL_OF(view, Total);
    uint32_t phase = (uint32_t)(weft_view_tick(view) % 8);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        uint32_t slot = entities[i].slot;
        bodies[i].age++;
        total->mass += bodies[i].mass;
        if ((slot + phase) % 8 == 0)
            WEFT_EMIT(view, i, entities[i], Letter, {slot});
        if ((slot + phase) % 16 == 1)
            WEFT_EMIT(view, i, WEFT_ENTITY_NULL, Echo, {slot});
        if ((slot + phase) % 8 == 2)
            WEFT_ADD_TAG(commands, i, entities[i], Left);
        if ((slot + phase) % 8 == 6)
            WEFT_REMOVE(commands, i, entities[i], Left);
        if ((slot + phase) % 8 == 3)
            WEFT_ADD(commands, i, entities[i], Wound, {slot});
        if ((slot + phase) % 8 == 7)
            WEFT_REMOVE(commands, i, entities[i], Wound);
        if ((slot + phase) % 16 == 13) { // As many come as go, here at once.
            const Body body = {slot, 0};
            weft_entity made =
                WEFT_CREATE_MANY(commands, i, 3, WEFT_COLUMN(Body, &body, 1),
                                 WEFT_COLUMN_SAME(Cell, {slot}), WEFT_COLUMN_TAG(Friend));
            weft_entity gone[] = {entities[i], weft_entity_nth(made, 1), weft_entity_nth(made, 0)};
            weft_commands_destroy_many(commands, i, gone, 3);
        }
        if ((slot + phase) % 16 == 5) {
            weft_entity made = weft_commands_create(commands, i);
            weft_commands_destroy(commands, i, entities[i]);
            WEFT_ADD(commands, i, made, Body, {slot, 0});
            WEFT_ADD(commands, i, made, Cell, {slot});
            WEFT_ADD(commands, i, made, Friend, {made});
        }
    }
    return WEFT_STATUS_OK;
}

static weft_status hear(weft_view* view, const void* context) {
    (void)context;
    Cell* cells = WEFT_WRITE(view, Cell);
    weft_inbox inbox = weft_view_inbox(view, WEFT_TYPE(Letter));
    while (weft_inbox_next(&inbox))
        cells[inbox.row].now += ((const Letter*)inbox.message)->word;
    return WEFT_STATUS_OK;
}

static weft_status gauge(weft_view* view, const void* context) {
    (void)context;
    uint32_t count;
    (void)weft_view_messages(view, WEFT_TYPE(Echo), &count);
    WEFT_RESOURCE_WRITE(view, Gauge)->level += WEFT_REDUCED_OF(view, Total)->mass + count;
    return WEFT_STATUS_OK;
}

// One run, step by step; the first status that is not OK ends it.
typedef struct run {
    const run_config* config;
    uint32_t entities;
    weft_world* world;
    weft_schedule* schedule;
    weft_executor* executor;
    uint32_t steps; // Done.
    bool in_commit; // The step under way is a commit or a tick.
} run;

static weft_status register_all(weft_world* world) {
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Body), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Left), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Wound), WEFT_STORAGE_SPARSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Cell), WEFT_STORAGE_BUFFERED));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Friend), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_resource(world, WEFT_TYPE(Gauge), 20000, NULL));
    WEFT_TRY(weft_world_register_channel(world, WEFT_TYPE(Letter), WEFT_TARGET_ENTITY,
                                         WEFT_DELIVERY_TICK));
    WEFT_TRY(
        weft_world_register_channel(world, WEFT_TYPE(Echo), WEFT_TARGET_WORLD, WEFT_DELIVERY_NEXT));
    return weft_world_register_reduction(world, WEFT_TYPE(Total), NULL, total_combine);
}

static weft_status add_systems(weft_schedule* schedule) {
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("live", live,
                              WEFT_ACCESS(WEFT_WRITES(Body), WEFT_COMMANDS, WEFT_EMITS(Letter),
                                          WEFT_EMITS(Echo), WEFT_REDUCES(Total)))));
    WEFT_TRY(weft_schedule_add_system(
        schedule,
        WEFT_SYSTEM("hear", hear, WEFT_ACCESS(WEFT_WRITES(Cell), WEFT_CONSUMES(Letter)))));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("gauge", gauge, .scope = WEFT_SCOPE_WORLD,
                              WEFT_ACCESS(WEFT_CONSUMES(Echo), WEFT_REDUCED(Total),
                                          WEFT_WRITES_RESOURCE(Gauge)))));
    return weft_schedule_build(schedule);
}

static weft_status populate(run* r) {
    weft_commands* commands = weft_world_commands(r->world);
    Body bodies[64];
    for (uint32_t i = 0; i < r->entities / 2; i += 64) {
        uint32_t count = r->entities / 2 - i < 64 ? r->entities / 2 - i : 64;
        for (uint32_t j = 0; j < count; j++)
            bodies[j] = (Body){i + j, 0};
        WEFT_CREATE_MANY(commands, 0, count, WEFT_COLUMN(Body, bodies, count),
                         WEFT_COLUMN_SAME(Cell, {i}), WEFT_COLUMN_TAG(Friend));
    }
    for (uint32_t i = r->entities / 2; i < r->entities; i++) {
        weft_entity made = weft_commands_create(commands, 0);
        WEFT_ADD(commands, 0, made, Body, {i, 0});
        WEFT_ADD(commands, 0, made, Cell, {i});
        WEFT_ADD(commands, 0, made, Friend, {made});
    }
    r->in_commit = true;
    weft_status status = weft_world_commit(r->world);
    r->in_commit = status != WEFT_STATUS_OK;
    return status;
}

static weft_status run_start(run* r, const weft_memory* memory) {
    weft_world_desc desc = weft_world_desc_default();
    WEFT_TRY(weft_world_create(&desc, memory, &r->world));
    WEFT_TRY(register_all(r->world));
    WEFT_TRY(weft_schedule_create(r->world, &r->schedule));
    WEFT_TRY(add_systems(r->schedule));
    WEFT_TRY(populate(r));
    weft_executor_desc executor = weft_executor_desc_default();
    executor.kind = r->config->kind;
    executor.worker_count = r->config->workers;
    executor.no_fusion = r->config->no_fusion;
    executor.rollback_ticks = r->config->rollback_ticks;
    return weft_executor_create(&executor, r->schedule, &r->executor);
}

static weft_status run_ticks(run* r, uint32_t count, bool digests) {
    for (uint32_t i = 0; i < count; i++, r->steps++) {
        r->in_commit = true;
        WEFT_TRY(weft_executor_tick(r->executor));
        r->in_commit = false;
        if (digests)
            WEFT_TRY(weft_executor_digest(r->executor, NULL, NULL));
    }
    return WEFT_STATUS_OK;
}

static void run_end(run* r) {
    weft_executor_destroy(r->executor);
    weft_schedule_destroy(r->schedule);
    weft_world_destroy(r->world);
}

// Steady state -----------------------------------------------------------------------------------

static void check_steady(const run_config* config) {
    provider p = {.budget = SIZE_MAX, .last = UINT64_MAX};
    weft_memory memory = memory_of(&p);
    run r = {.config = config, .entities = 2 * WEFT_SHARD_SLOTS + 1000};
    cr_assert_eq(run_start(&r, &memory), WEFT_STATUS_OK);
    WORLD_OK(r.world, run_ticks(&r, 200, true));
    uint64_t acquired = p.acquired;
    uint64_t counted = mallocs();
    WORLD_OK(r.world, run_ticks(&r, 1000, true));
    cr_assert_eq(p.acquired, acquired, "%s: %u segments", config->name,
                 (unsigned)(p.acquired - acquired));
    cr_assert_eq(mallocs(), counted, "%s: %u calls of the C library's allocator", config->name,
                 (unsigned)(mallocs() - counted));
    cr_assert_eq(weft_world_entity_count(r.world), r.entities);
    run_end(&r);
    cr_assert_eq(p.out, 0);
}

Test(memory, steady_ticks_take_none_serially, .timeout = 60) {
    check_steady(&run_configs[0]);
}

Test(memory, steady_ticks_take_none_on_threads, .timeout = 60) {
    check_steady(&(run_config){.name = "threads 2", .kind = WEFT_EXECUTOR_THREADS, .workers = 2});
}

Test(memory, steady_ticks_take_none_on_virtual_workers, .timeout = 60) {
    check_steady(&(run_config){.name = "virtual 3", .kind = WEFT_EXECUTOR_VIRTUAL, .workers = 3});
}

Test(memory, steady_ticks_take_none_with_rollback, .timeout = 60) {
    check_steady(&(run_config){
        .name = "rollback", .kind = WEFT_EXECUTOR_SERIAL, .workers = 1, .rollback_ticks = 3});
}

Test(memory, the_counter_counts) {
#ifdef COUNTED
    uint64_t before = mallocs();
    void* volatile block = malloc(10);
    free(block);
    cr_assert_eq(mallocs(), before + 1);
#endif
}

// Every segment comes back, and the system's own provider works as the default one does.
Test(memory, all_segments_come_back) {
    weft_digest digests[3];
    for (uint32_t i = 0; i < 3; i++) {
        provider p = {.budget = SIZE_MAX, .last = UINT64_MAX};
        weft_memory counted = memory_of(&p);
        weft_memory system = weft_memory_system();
        run r = {.config = &run_configs[0], .entities = 500};
        cr_assert_eq(run_start(&r, i == 0 ? NULL : i == 1 ? &counted : &system), WEFT_STATUS_OK);
        WORLD_OK(r.world, run_ticks(&r, 20, true));
        digests[i] = weft_world_digest_full(r.world);
        cr_assert_eq(weft_world_stats_read(r.world).arena_reserved,
                     i == 1 ? p.out : weft_world_stats_read(r.world).arena_reserved);
        run_end(&r);
        cr_assert_eq(p.out, 0);
    }
    DIGEST_EQ(digests[0], digests[1]);
    DIGEST_EQ(digests[0], digests[2]);
}

// 256 shards of 24 bytes a row and as much for each slot: little more may be taken, whatever blocks
// and segments are rounded to. Segments that go on doubling take half as much again.
Test(memory, a_world_takes_little_more_than_its_columns, .timeout = 60) {
    enum {
        ROWS = 256 * WEFT_SHARD_SLOTS,
        ROW_BYTES = sizeof(Body) + sizeof(Wound) + sizeof(Friend),
        SLOT_BYTES = 24
    };
    weft_world_desc desc = weft_world_desc_default();
    weft_memory memory = weft_memory_system();
    weft_world* world;
    cr_assert_eq(weft_world_create(&desc, &memory, &world), WEFT_STATUS_OK);
    world_component(world, WEFT_TYPE(Body), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Wound), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Friend), WEFT_STORAGE_DENSE);
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < ROWS; i++) {
        WEFT_CREATE(commands, 0, WEFT_VALUE(Body, {i, 0}), WEFT_VALUE(Wound, {i}),
                    WEFT_VALUE(Friend, {WEFT_ENTITY_NULL}));
        if (i % WEFT_SHARD_SLOTS == WEFT_SHARD_SLOTS - 1)
            world_commit(world);
    }
    double taken = (double)weft_world_stats_read(world).arena_reserved;
    double own = (double)ROWS * (ROW_BYTES + SLOT_BYTES);
    cr_expect_leq(taken, 1.2 * own, "%.3f of the columns and %d bytes a slot", taken / own,
                  SLOT_BYTES);
    weft_world_destroy(world);
}

// Out of memory ----------------------------------------------------------------------------------

// Whatever was refused: reading still works, and nothing is left half made.
static void probe(const run* r) {
    const weft_type* types[] = {WEFT_TYPE(Body),   WEFT_TYPE(Left),   WEFT_TYPE(Wound),
                                WEFT_TYPE(Cell),   WEFT_TYPE(Friend), WEFT_TYPE(Gauge),
                                WEFT_TYPE(Letter), WEFT_TYPE(Echo),   WEFT_TYPE(Total)};
    if (r->world == NULL)
        return;
    (void)strlen(weft_world_error(r->world));
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        uint32_t count;
        (void)weft_world_resource(r->world, types[i]);
        (void)weft_world_messages(r->world, types[i], &count);
        (void)weft_world_read(r->world, (weft_entity){0, 1}, types[i]);
    }
    (void)weft_world_entity_count(r->world);
    (void)weft_world_stats_read(r->world);
    if (weft_world_has_failed(r->world)) {
        cr_assert_eq(weft_world_commit(r->world), WEFT_STATUS_WORLD_FAILED);
        weft_digest digest = weft_world_digest_full(r->world);
        cr_assert(digest.low == 0 && digest.high == 0);
        if (r->executor != NULL)
            cr_assert_eq(weft_executor_tick(r->executor), WEFT_STATUS_WORLD_FAILED);
    }
}

// True if it came to its end.
static bool run_in(const weft_memory* memory, size_t budget, const run_config* config,
                   weft_digest* digest) {
    run r = {.config = config, .entities = 300};
    weft_status status = run_start(&r, memory);
    if (status == WEFT_STATUS_OK)
        status = run_ticks(&r, 10, true);
    if (status == WEFT_STATUS_OK)
        *digest = weft_world_digest_full(r.world);
    cr_assert(status == WEFT_STATUS_OK || status == WEFT_STATUS_OUT_OF_MEMORY, "%s: %s",
              config->name, weft_status_name(status));
    // A commit or a tick that ran out of memory is the world's end.
    if (status != WEFT_STATUS_OK && r.in_commit) {
        cr_assert(weft_world_has_failed(r.world), "%s, budget %zu, tick %u: not failed",
                  config->name, budget, r.steps);
        cr_assert_str_neq(weft_world_error(r.world), "");
    }
    probe(&r);
    run_end(&r);
    return status == WEFT_STATUS_OK;
}

static bool run_short_of(provider* p, const run_config* config, weft_digest* digest) {
    weft_memory memory = memory_of(p);
    bool done = run_in(&memory, p->budget, config, digest);
    cr_assert(done || p->refused > 0);
    cr_assert_eq(p->out, 0, "%zu bytes did not come back", p->out);
    return done;
}

static const run_config short_configs[] = {
    {.name = "serial", .kind = WEFT_EXECUTOR_SERIAL, .workers = 1},
    {.name = "virtual 3", .kind = WEFT_EXECUTOR_VIRTUAL, .workers = 3},
    {.name = "threads 2", .kind = WEFT_EXECUTOR_THREADS, .workers = 2},
};

Test(memory, a_refused_segment_is_an_orderly_end, .timeout = 60) {
    for (size_t i = 0; i < 3; i++) {
        weft_digest digest;
        uint64_t last = 0;
        bool done = false;
        while (!done) {
            provider p = {.budget = SIZE_MAX, .last = last++};
            done = run_short_of(&p, &short_configs[i], &digest);
            cr_assert_lt(last, 1000);
        }
    }
}

#define BUDGET_STEP (TEST_EFFORT_PART > 1 ? (size_t)36864 : 12288)

// The arena asks for less when it cannot have much, so a budget that grows in small steps makes
// nearly every allocation the last one at some time.
Test(memory, any_budget_is_an_orderly_end, .timeout = 110) {
    for (size_t i = 0; i < 3; i++) {
        weft_digest expected;
        provider all = {.budget = SIZE_MAX, .last = UINT64_MAX};
        cr_assert(run_short_of(&all, &short_configs[i], &expected));
        uint32_t successes = 0;
        size_t step = i == 2 ? 65536 : BUDGET_STEP;
        for (size_t budget = 0; successes < 3; budget += step) {
            weft_digest digest;
            provider p = {.budget = budget, .last = UINT64_MAX};
            cr_assert_lt(budget, 100000000);
            if (!run_short_of(&p, &short_configs[i], &digest))
                continue;
            successes++;
            DIGEST_EQ(digest, expected);
        }
    }
}

#if TEST_HAS_PROCESSES
// Memory of which worker processes can take so much, whichever of them asks.
static weft_memory shared_memory_of(size_t budget) {
    weft_memory memory;
    cr_assert_eq(weft_memory_aliased(false, &memory), WEFT_STATUS_OK);
    weft__alias_memory* alias = weft__memory_alias(&memory);
    alias->pair.range = budget < alias->used ? alias->used : budget;
    return memory;
}

Test(memory, any_budget_is_an_orderly_end_on_processes, .timeout = 110) {
    const run_config config = {
        .name = "processes 2", .kind = WEFT_EXECUTOR_PROCESSES, .workers = 2};
    weft_memory all = shared_memory_of((size_t)1 << 30);
    weft_digest expected;
    weft_digest digest;
    uint32_t failures = 0;
    cr_assert(run_in(&all, (size_t)1 << 30, &config, &expected));
    for (size_t budget = 0; failures < 1000; budget += 65536, failures++) {
        weft_memory memory = shared_memory_of(budget);
        if (run_in(&memory, budget, &config, &digest))
            break;
    }
    cr_assert(failures > 10 && failures < 1000, "%u failures", failures);
    DIGEST_EQ(digest, expected);
}
#endif

// With rollback: what the tick left of the world when memory ran out is put right as soon as there
// is some, by itself or when the host asks. True if the run came to its ticks.
static bool run_out_and_on(provider* p, const run_config* config, weft_digest* digest,
                           uint32_t* recovered, uint32_t* asked) {
    weft_memory memory = memory_of(p);
    run r = {.config = config, .entities = 300};
    weft_status status = run_start(&r, &memory);
    bool started = status == WEFT_STATUS_OK;
    uint64_t oldest;
    if (started)
        status = run_ticks(&r, 10, true);
    p->budget = SIZE_MAX;
    if (started && status != WEFT_STATUS_OK) {
        cr_assert_eq(status, WEFT_STATUS_OUT_OF_MEMORY);
        uint64_t tick = weft_world_tick(r.world);
        *recovered += strstr(weft_world_error(r.world), "; the world is back") != NULL;
        if (weft_world_has_failed(r.world)) {
            cr_assert(weft_executor_rollback_oldest(r.executor, &oldest), "%s",
                      weft_world_error(r.world));
            WORLD_OK(r.world, weft_executor_rollback(r.executor, tick));
            ++*asked;
        }
        cr_assert_eq(weft_world_tick(r.world), tick);
        WORLD_OK(r.world, weft_world_digest_check(r.world));
        WORLD_OK(r.world, run_ticks(&r, 10 - (uint32_t)tick, true));
    }
    if (started)
        *digest = weft_world_digest_full(r.world);
    run_end(&r);
    cr_assert_eq(p->out, 0);
    return started;
}

Test(memory, a_tick_without_memory_changes_nothing_with_rollback, .timeout = 110) {
    for (size_t i = 0; i < 3; i++) {
        run_config config = short_configs[i];
        config.rollback_ticks = 2;
        weft_digest expected;
        uint32_t recovered = 0;
        uint32_t asked = 0;
        uint32_t whole = 0;
        provider all = {.budget = SIZE_MAX, .last = UINT64_MAX};
        cr_assert(run_out_and_on(&all, &config, &expected, &recovered, &asked));
        size_t step = i == 2 ? 65536 : BUDGET_STEP;
        for (size_t budget = step; whole < 3; budget += step) {
            weft_digest digest;
            provider p = {.budget = budget, .last = UINT64_MAX};
            cr_assert_lt(budget, 100000000);
            if (run_out_and_on(&p, &config, &digest, &recovered, &asked))
                DIGEST_EQ(digest, expected);
            whole += p.refused == 0;
        }
        fprintf(stderr, "%s: recovered %u, asked %u\n", config.name, recovered, asked);
        cr_assert_gt(recovered + asked, 0);
    }
}

// A registration that failed for want of memory has not happened.
Test(memory, a_registration_without_memory_leaves_no_trace) {
    provider p = {.budget = SIZE_MAX, .last = UINT64_MAX};
    weft_memory memory = memory_of(&p);
    weft_world_desc desc = weft_world_desc_default();
    weft_world* world;
    cr_assert_eq(weft_world_create(&desc, &memory, &world), WEFT_STATUS_OK);
    uint64_t schema = weft_world_schema_hash(world);
    p.budget = 0;
    cr_assert_eq(weft_world_register_resource(world, WEFT_TYPE(Gauge), 10000000, NULL),
                 WEFT_STATUS_OUT_OF_MEMORY);
    cr_assert_str_neq(weft_world_error(world), "");
    cr_assert_null(weft_world_resource(world, WEFT_TYPE(Gauge)));
    if (weft_world_has_failed(world)) {
        weft_world_destroy(world);
        return;
    }
    cr_assert_eq(weft_world_schema_hash(world), schema);
    p.budget = SIZE_MAX;
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Gauge), 10000000, NULL));
    cr_assert_not_null(weft_world_resource(world, WEFT_TYPE(Gauge)));
    weft_world_destroy(world);
}
