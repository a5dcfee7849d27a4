#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "doom.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "memory_alias.h"
#include "processes.h"
#include "weft_world.h"

// Of the test's process. What it points to is shared.
static doom* fate;

doom* doom_get(void) {
    if (fate == NULL) {
        void* memory =
            mmap(NULL, sizeof(*fate), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        cr_assert_neq(memory, MAP_FAILED);
        fate = memory;
    }
    return fate;
}

doom* doom_set(doom_kind kind, doom_place place, int times) {
    doom* f = doom_get();
    f->kind = kind;
    f->place = place;
    f->tick = 5;
    f->shard = 1;
    f->worker = 0;
    f->delay_ns = 0;
    f->busy = false;
    f->unsound = false;
    f->executor = NULL;
    f->left = times;
    f->met = f->deaths = f->line = 0;
    f->died_ns = f->strange = 0;
    return f;
}

// The ways to die --------------------------------------------------------------------------------
// Each notes the line that it dies in. Sanitizers would die another death first.

#define DYING __attribute__((noinline, no_sanitize("address", "undefined")))
#define NEXT_LINE() (fate->line = (uint32_t)__LINE__ + 1)

static uint64_t now_ns(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

DYING static void die_by_kill(void) {
    NEXT_LINE();
    (void)kill(getpid(), SIGKILL);
}

DYING static void die_by_null(void) {
    int* volatile nowhere = NULL;
    NEXT_LINE();
    *(volatile int*)nowhere = 1; // NOLINT(clang-analyzer-core.NullDereference): its death.
}

DYING static void die_by_read_only(const weft_view* view) {
    volatile Cargo* cargo = (volatile Cargo*)(uintptr_t)WEFT_READ(view, Cargo);
    NEXT_LINE();
    cargo[5].crates = 9;
}

DYING static void die_by_abort(void) {
    NEXT_LINE();
    abort();
}

DYING static void die_by_assert(void) {
    volatile int truth = 0;
    NEXT_LINE();
    WEFT_ASSERT(truth == 1);
}

DYING static void die_by_exit(void) {
    NEXT_LINE();
    exit(3);
}

DYING static void die_by_leave(void) {
    NEXT_LINE();
    _exit(0);
}

DYING static void die_by_divide(void) {
#if defined(__x86_64__) || defined(__i386__)
    volatile int zero = 0;
    volatile int hundred = 100;
    volatile int result;
    NEXT_LINE();
    result = hundred / zero; // NOLINT(clang-analyzer-core.DivideZero): its death.
    (void)result;
#else
    NEXT_LINE();
    (void)raise(SIGFPE);
#endif
}

DYING static void die_by_loop(void) {
    NEXT_LINE();
    for (volatile uint64_t i = 0;; i++)
        continue;
}

DYING static uint64_t die_by_overflow(uint64_t depth) {
    volatile uint8_t room[4096];
    room[0] = room[depth % sizeof(room)] = (uint8_t)depth;
    if (depth == UINT64_MAX)
        return 0;
    NEXT_LINE();
    return die_by_overflow(depth + 1) + room[0];
}

// In a worker, whose copy of the host's own memory is read for where things are.
DYING static void die_wildly(const weft_view* view, bool all) {
    WEFT_ASSERT(view != NULL);
    const weft__alias_memory* memory = weft__memory_alias(&view->world->arena.memory);
    const weft__processes* processes = fate->executor->processes;
    weft__pool* pool = processes->pool;
    weft__desk* desk = processes->desk;
    size_t pool_size = pool->block_size;
    size_t desk_size = processes->shared_size;
    memset(memory->pair.base, 0xA5, memory->used);
    if (all) {
        memset(pool, 0xA5, pool_size);
        memset(desk, 0xA5, desk_size);
    }
    die_by_null();
}

static pthread_t doomed_thread;
static const volatile uint32_t* doomed_asleep; // A word of its own, as a handler calls nothing.
static volatile sig_atomic_t asleep, struck;

// Nobody loops in its sleep.
static void hang(int number) {
    (void)number;
    asleep = *doomed_asleep != 0;
    struck = true;
    while (!asleep)
        continue;
}

// One of the signals that workers do not block is what makes it hang.
static void* strike_later(void* context) {
    struct timespec wait = {0, (long)fate->delay_ns};
    (void)context;
    do {
        (void)nanosleep(&wait, NULL);
        wait.tv_nsec = 20000;
        struck = false;
        if (fate->kind == DOOM_HANG_LATER)
            (void)pthread_kill(doomed_thread, SIGFPE);
        else
            (void)kill(getpid(), fate->kind == DOOM_LATER ? SIGKILL : SIGSTOP);
        do // It may take its time to get a CPU.
            (void)nanosleep(&wait, NULL);
        while (fate->kind == DOOM_HANG_LATER && !struck);
    } while (asleep);
    return NULL;
}

static void die_later(void) {
    pthread_t thread;
    char name[16] = "";
    (void)prctl(PR_GET_NAME, name);
    const weft__worker* worker =
        fate->executor->processes->pool_workers + strtoul(name + 5, NULL, 10);
    doomed_asleep = (const volatile uint32_t*)(const volatile void*)&worker->asleep;
    doomed_thread = pthread_self();
    if (fate->kind == DOOM_HANG_LATER)
        (void)signal(SIGFPE, hang);
    (void)pthread_create(&thread, NULL, strike_later, NULL);
}

static bool is_worker(uint32_t index) {
    char name[16] = "";
    char expected[16];
    (void)snprintf(expected, sizeof(expected), "weft-%u", index);
    return prctl(PR_GET_NAME, name) == 0 && strcmp(name, expected) == 0;
}

// The worker's own count, which nobody else writes.
static void lose_item(void) {
    weft__board* board = &fate->executor->processes->pool->board;
    uint32_t index = 0;
    while (!is_worker(index))
        index++;
    weft__atomic_u32* finished = &board->shares[index].finished;
    weft__atomic_u32_store_release(finished, weft__atomic_u32_load_relaxed(finished) - 1);
}

static void die(weft_view* view) {
    fate->deaths++;
    fate->died_ns = now_ns();
    switch (fate->kind) {
    case DOOM_KILL:
        die_by_kill();
        break;
    case DOOM_NULL:
        die_by_null();
        break;
    case DOOM_READ_ONLY:
        die_by_read_only(view);
        break;
    case DOOM_ABORT:
        die_by_abort();
        break;
    case DOOM_ASSERT:
        die_by_assert();
        break;
    case DOOM_EXIT:
        die_by_exit();
        break;
    case DOOM_LEAVE:
        die_by_leave();
        break;
    case DOOM_DIVIDE:
        die_by_divide();
        break;
    case DOOM_LOOP:
        die_by_loop();
        break;
    case DOOM_OVERFLOW:
        (void)die_by_overflow(0);
        break;
    case DOOM_WILD_WORLD:
    case DOOM_WILD_ALL:
        die_wildly(view, fate->kind == DOOM_WILD_ALL);
        break;
    case DOOM_STOP:
        NEXT_LINE();
        (void)kill(getpid(), SIGSTOP);
        break;
    case DOOM_LATER:
    case DOOM_STOP_LATER:
    case DOOM_HANG_LATER:
        die_later();
        break;
    case DOOM_LOSE:
        lose_item();
        break;
    case DOOM_NONE:
    case DOOM_KINDS:
        break;
    }
}

const char* doom_name(doom_kind kind) {
    static const char* const names[DOOM_KINDS] = {
        "nothing",  "kill",  "null",   "read-only",  "abort",      "assert",
        "exit",     "leave", "divide", "loop",       "overflow",   "wild world",
        "wild all", "later", "stop",   "stop later", "hang later", "lose"};
    return names[kind];
}

const char* doom_function(doom_kind kind) {
    static const char* const names[DOOM_KINDS] = {
        [DOOM_NULL] = "die_by_null",     [DOOM_READ_ONLY] = "die_by_read_only",
        [DOOM_ABORT] = "die_by_abort",   [DOOM_ASSERT] = "die_by_assert",
        [DOOM_DIVIDE] = "die_by_divide", [DOOM_OVERFLOW] = "die_by_overflow"};
    return names[kind] != NULL ? names[kind] : "";
}

// When ----------------------------------------------------------------------------------------

// Takes one of the deaths that are to come.
static bool takes_death(uint64_t tick) {
    int left = fate->left;
    if (fate->kind == DOOM_NONE || tick < fate->tick)
        return false;
    while (left > 0 && !atomic_compare_exchange_weak(&fate->left, &left, left - 1))
        continue;
    return left > 0;
}

static uint64_t cpu_ns(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

// Waits for others, but not for ever: one worker may have to do it all.
static void wait_for(_Atomic uint32_t* count, uint32_t enough, uint64_t most_ns) {
    uint64_t begin = cpu_ns();
    while (*count < enough && cpu_ns() - begin < most_ns)
        continue;
}

static bool comes_here(const weft_view* view) {
    switch (fate->place) {
    case DOOM_IN_CHUNK:
        return weft_view_shard(view) == fate->shard;
    case DOOM_IN_WORKER:
        return is_worker(fate->worker);
    case DOOM_IN_TWO:
        return weft_view_shard(view) < 2;
    case DOOM_IN_WORLD:
    case DOOM_IN_COMBINE:
        break;
    }
    return false;
}

// The systems ------------------------------------------------------------------------------------

static weft_status doomed(weft_view* view, const void* context) {
    (void)context;
    Hull* hulls = WEFT_WRITE(view, Hull);
    const Cargo* cargo = WEFT_READ(view, Cargo);
    uint32_t count = weft_view_row_count(view);
    bool armed = fate->left > 0 && fate->kind != DOOM_NONE && weft_view_tick(view) >= fate->tick;
    for (uint32_t i = 0; i < count; i++) {
        hulls[i].mass = hulls[i].mass * 5 + cargo[i].crates;
        if (i != count / 2 || !armed) // Half is written when it happens.
            continue;
        if (comes_here(view) && takes_death(weft_view_tick(view))) {
            fate->met++;
            if (fate->place == DOOM_IN_TWO)
                wait_for(&fate->met, 2, 3000000000); // The other one may wait for a CPU.
            die(view);
        } else if (fate->busy) {
            wait_for(&fate->met, 1, 300000000);
        }
    }
    return WEFT_STATUS_OK;
}

static weft_status grow(weft_view* view, const void* context) {
    (void)context;
    Hull* hulls = WEFT_WRITE(view, Hull);
    Total* total = WEFT_PARTIAL_OF(view, Total);
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    const Dial* dial = WEFT_RESOURCE_READ(view, Dial);
    uint32_t tick = (uint32_t)weft_view_tick(view);
    uint32_t count;
    const Push* pushes = weft_view_messages(view, WEFT_TYPE(Push), &count);
    uint64_t force = dial->turn;
    for (uint32_t i = 0; i < count; i++)
        force = force * 31 + pushes[i].force;
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        hulls[i].mass = hulls[i].mass * 3 + force + entities[i].slot;
        hulls[i].age++;
        hulls[i].pushed += count;
        total->sum = total->sum * 7 + hulls[i].mass;
        uint32_t draw = (entities[i].slot * 7 + tick * 13) % 97;
        if (draw == 0) {
            weft_entity made = weft_commands_create(commands, i);
            WEFT_ADD(commands, i, made, Hull, {i, 0, 0});
            WEFT_ADD(commands, i, made, Cargo, {tick});
            weft_commands_destroy(commands, i, entities[i]);
        } else if (draw < 3) {
            WEFT_ADD_TAG(commands, i, entities[i], Left);
        } else if (draw < 5) {
            WEFT_REMOVE(commands, i, entities[i], Left);
        }
    }
    return WEFT_STATUS_OK;
}

static weft_status sum(weft_view* view, const void* context) {
    (void)context;
    Gauge* gauge = WEFT_RESOURCE_WRITE(view, Gauge);
    gauge->sum += WEFT_REDUCED_OF(view, Total)->sum;
    if (fate->place == DOOM_IN_WORLD && takes_death(weft_view_tick(view)))
        die(view);
    gauge->ticks++;
    if (fate->unsound)
        gauge->sum += ++fate->strange;
    for (uint64_t i = 0; i < gauge->ticks % 4; i++)
        WEFT_EMIT(view, 0, WEFT_ENTITY_NULL, Note, {weft_view_tick(view), gauge->sum + i});
    return WEFT_STATUS_OK;
}

// By the leader, between stages. Ticks are not told, so it counts from the first that may be.
static void total_combine(void* left, const void* right) {
    ((Total*)left)->sum = ((Total*)left)->sum * 31 + ((const Total*)right)->sum;
    if (fate->place == DOOM_IN_COMBINE && takes_death(fate->tick))
        die(NULL);
}

void doom_build(weft_world* world, weft_schedule* schedule) {
    (void)doom_get();
    world_component(world, WEFT_TYPE(Hull), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Cargo), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Left), WEFT_STORAGE_DENSE);
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Gauge), 1, NULL));
    WORLD_OK(world, weft_world_register_table(world, WEFT_TYPE(Gauge)));
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Dial), 1, NULL));
    WORLD_OK(world, weft_world_register_reduction(world, WEFT_TYPE(Total), NULL, total_combine));
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Push), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_NEXT));
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Note), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_LOG));
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < DOOM_SHARDS * WEFT_SHARD_SLOTS; i++) {
        weft_entity made = weft_commands_create(commands, 0);
        WEFT_ADD(commands, 0, made, Hull, {i, 0, 0});
        WEFT_ADD(commands, 0, made, Cargo, {i * 3});
        if (i % 2 == 1) // Archetype 2.
            WEFT_ADD_TAG(commands, 0, made, Left);
    }
    world_commit(world);
    run_add(schedule,
            WEFT_SYSTEM("grow", grow,
                        WEFT_ACCESS(WEFT_WRITES(Hull), WEFT_REDUCES(Total), WEFT_CONSUMES(Push),
                                    WEFT_READS_RESOURCE(Dial), WEFT_COMMANDS)));
    run_add(schedule,
            WEFT_SYSTEM("doomed", doomed,
                        WEFT_ACCESS(WEFT_WITH(Left), WEFT_WRITES(Hull), WEFT_READS(Cargo))));
    run_add(schedule, WEFT_SYSTEM("sum", sum, .scope = WEFT_SCOPE_WORLD,
                                  WEFT_ACCESS(WEFT_REDUCED(Total), WEFT_WRITES_RESOURCE(Gauge),
                                              WEFT_EMITS(Note))));
}

// Runs --------------------------------------------------------------------------------------------

weft_executor_desc doom_desc(uint32_t workers) {
    weft_executor_desc desc = weft_executor_desc_default();
    desc.kind = WEFT_EXECUTOR_PROCESSES;
    desc.worker_count = workers;
    desc.everybody = true;
    desc.grain = 1;
    return desc;
}

sim doom_open(const weft_executor_desc* desc) {
    weft_world_desc world_desc = weft_world_desc_default();
    weft_memory memory;
    sim s = {0};
    bool shared = desc->kind == WEFT_EXECUTOR_PROCESSES;
    if (shared)
        cr_assert_eq(weft_memory_aliased(false, &memory), WEFT_STATUS_OK);
    cr_assert_eq(weft_world_create(&world_desc, shared ? &memory : NULL, &s.world), WEFT_STATUS_OK);
    s.schedule = run_schedule(s.world);
    doom_build(s.world, s.schedule);
    WORLD_OK(s.world, weft_executor_create(desc, s.schedule, &s.executor));
    fate->executor = s.executor;
    return s;
}

void doom_input(weft_world* world) {
    uint64_t tick = weft_world_tick(world);
    for (uint64_t i = 0; i < tick % 3; i++) {
        Push push = {tick * 100 + i};
        WORLD_OK(world, weft_world_post(world, WEFT_TYPE(Push), WEFT_ENTITY_NULL, &push));
    }
}

void doom_tick(sim* s) {
    doom_input(s->world);
    sim_tick(s);
}

void doom_expected(weft_digest expected[DOOM_TICKS + 1]) {
    weft_executor_desc desc = weft_executor_desc_default();
    sim s = doom_open(&desc);
    int left = fate->left;
    fate->left = 0;
    expected[0] = weft_world_digest_full(s.world);
    while (weft_world_tick(s.world) < DOOM_TICKS) {
        doom_tick(&s);
        expected[weft_world_tick(s.world)] = weft_world_digest_full(s.world);
    }
    sim_close(&s);
    fate->left = left;
    fate->executor = NULL;
}

void doom_check(sim* s, const weft_digest expected[DOOM_TICKS + 1], const char* name) {
    weft_digest full;
    uint64_t tick = weft_world_tick(s->world);
    WORLD_OK(s->world, weft_executor_digest(s->executor, NULL, &full));
    cr_assert(weft_digest_equal(full, expected[tick]), "%s: another digest after tick %" PRIu64,
              name, tick);
    WORLD_OK(s->world, weft_world_digest_check(s->world));
}

void doom_signal(const sim* s, uint32_t worker, int number) {
    const struct timespec wait = {0, 6000000};
    const weft__processes* processes = s->executor->processes;
    cr_assert_lt(worker, processes->worker_count);
    cr_assert_not_null(processes->pool);
    cr_assert_eq(kill(processes->workers[worker].id, number), 0);
    if (number == SIGKILL) { // On a busy machine that may take longer than the wait.
        siginfo_t info;
        cr_assert_eq(waitid(P_PID, (id_t)processes->workers[worker].id, &info, WEXITED | WNOWAIT),
                     0);
    }
    (void)nanosleep(&wait, NULL);
}

void doom_kill(const sim* s, uint32_t worker) {
    doom_signal(s, worker, SIGKILL);
}

sim doom_run(const weft_executor_desc* desc, const doom* f, weft_digest expected[DOOM_TICKS + 1],
             const char* name) {
    doom_expected(expected);
    sim s = doom_open(desc);
    while (weft_world_tick(s.world) < DOOM_TICKS) {
        doom_tick(&s);
        doom_check(&s, expected, name);
    }
    cr_assert_geq(f->deaths, 1, "%s: nobody died", name);
    return s;
}
