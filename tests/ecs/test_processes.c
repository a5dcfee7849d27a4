// Fresh processes: addresses, allocator contents and hash seeds are new in each, results are not.
//
// The test runs its own program again with WEFT_TEST_CHILD set; then a constructor runs the small
// simulation, prints the digests and ends the process before the tests start.

#define _GNU_SOURCE
#include "worlds.h"

#include <sys/wait.h>
#include <unistd.h>

WEFT_COMPONENT(Body, (uint64_t, mass), (uint32_t, age), (uint8_t, kind), (uint8_t, mood),
               (uint16_t, rest));
WEFT_COMPONENT(Byte, (uint8_t, value));
WEFT_COMPONENT(Friend, (weft_entity, who));
WEFT_TAG(Red);
WEFT_TAG(Green);
WEFT_TAG(Blue);
WEFT_COMPONENT(Wound, (uint16_t, depth)); // Sparse.
WEFT_RESOURCE(Gauge, (uint64_t, sum));
WEFT_PARTIAL(Total, (uint64_t, sum));

enum {
    CHILDREN = 50,
    TICKS = 100,
    LINE = 80
};

static void total_combine(void* left, const void* right) {
    ((Total*)left)->sum = ((Total*)left)->sum * 31 + ((const Total*)right)->sum;
}

static weft_status weigh(weft_view* view, const void* context) {
    (void)context;
    Body* bodies = WEFT_WRITE(view, Body);
    Total* total = WEFT_PARTIAL_OF(view, Total);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        bodies[i].age++;
        bodies[i].mass = bodies[i].mass * 3 + bodies[i].kind;
        total->sum = total->sum * 7 + bodies[i].mass;
    }
    return WEFT_STATUS_OK;
}

// Rows move between archetypes and slots are used again.
static weft_status wander(weft_view* view, const void* context) {
    (void)context;
    const weft_entity* entities = weft_view_entities(view);
    weft_commands* commands = weft_view_commands(view);
    uint32_t tick = (uint32_t)weft_view_tick(view);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        switch ((entities[i].slot * 7 + tick) % 11) {
        case 0:
            WEFT_ADD_TAG(commands, i, entities[i], Red);
            break;
        case 1:
            WEFT_REMOVE(commands, i, entities[i], Red);
            break;
        case 2:
            WEFT_ADD(commands, i, entities[i], Byte, {(uint8_t)tick});
            break;
        case 3:
            WEFT_REMOVE(commands, i, entities[i], Byte);
            break;
        case 4:
            weft_commands_add(commands, i, entities[i], WEFT_TYPE(Wound), NULL);
            break;
        case 5:
            if (tick % 3 == 0)
                weft_commands_destroy(commands, i, entities[i]);
            break;
        case 6:
            if (tick % 3 == 0) {
                weft_entity made = weft_commands_create(commands, i);
                weft_commands_add(commands, i, made, WEFT_TYPE(Body), NULL);
                WEFT_ADD(commands, i, made, Friend, {entities[i]});
            }
            break;
        default:
            break;
        }
    }
    return WEFT_STATUS_OK;
}

static weft_status sum(weft_view* view, const void* context) {
    (void)context;
    WEFT_RESOURCE_WRITE(view, Gauge)->sum += WEFT_REDUCED_OF(view, Total)->sum;
    return WEFT_STATUS_OK;
}

static weft_status build(weft_world* world, weft_schedule* schedule) {
    const weft_type* tags[] = {WEFT_TYPE(Red), WEFT_TYPE(Green), WEFT_TYPE(Blue)};
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Body), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Byte), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Friend), WEFT_STORAGE_DENSE));
    for (uint32_t i = 0; i < 3; i++)
        WEFT_TRY(weft_world_register_component(world, tags[i], WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Wound), WEFT_STORAGE_SPARSE));
    WEFT_TRY(weft_world_register_resource(world, WEFT_TYPE(Gauge), 3, NULL));
    WEFT_TRY(weft_world_register_reduction(world, WEFT_TYPE(Total), NULL, total_combine));
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < 200; i++) {
        weft_entity made = weft_commands_create(commands, 0);
        WEFT_ADD(commands, 0, made, Body, {i, 0, (uint8_t)(i % 5), 0, 0});
        for (uint32_t tag = 0; tag < 3; tag++)
            if ((i % 5 >> tag & 1) != 0)
                weft_commands_add(commands, 0, made, tags[tag], NULL);
    }
    WEFT_TRY(weft_world_commit(world));
    WEFT_TRY(weft_schedule_add_system(
        schedule,
        WEFT_SYSTEM("weigh", weigh, WEFT_ACCESS(WEFT_WRITES(Body), WEFT_REDUCES(Total)))));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("wander", wander, WEFT_ACCESS(WEFT_READS(Body), WEFT_COMMANDS))));
    return weft_schedule_add_system(
        schedule, WEFT_SYSTEM("sum", sum, .scope = WEFT_SCOPE_WORLD,
                              WEFT_ACCESS(WEFT_REDUCED(Total), WEFT_WRITES_RESOURCE(Gauge))));
}

// Runs the simulation on so many workers; the line has both digests at the end and one over all
// ticks.
static weft_status run_child(uint32_t workers, char* line) {
    weft_world_desc desc = weft_world_desc_default();
    weft_executor_desc executor_desc = weft_executor_desc_default();
    weft_world* world;
    weft_schedule* schedule;
    weft_executor* executor;
    uint64_t all = 0;
    WEFT_TRY(weft_world_create(&desc, NULL, &world));
    WEFT_TRY(weft_schedule_create(world, &schedule));
    WEFT_TRY(build(world, schedule));
    executor_desc.kind = WEFT_EXECUTOR_THREADS;
    executor_desc.worker_count = workers;
    WEFT_TRY(weft_executor_create(&executor_desc, schedule, &executor));
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        weft_digest view;
        weft_digest full;
        WEFT_TRY(weft_executor_tick(executor));
        WEFT_TRY(weft_executor_digest(executor, &view, &full));
        all = all * 31 + view.low + full.low;
    }
    char full[WEFT_DIGEST_TEXT];
    weft_digest_format(weft_world_digest_full(world), full);
    snprintf(line, LINE, "%s %016" PRIX64, full, all);
    weft_executor_destroy(executor);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
    return WEFT_STATUS_OK;
}

__attribute__((constructor)) static void child_main(void) {
    const char* workers = getenv("WEFT_TEST_CHILD");
    char line[LINE] = "";
    if (workers == NULL)
        return;
    weft_status status = run_child((uint32_t)strtoul(workers, NULL, 10), line);
    (void)printf("%s\n", status == WEFT_STATUS_OK ? line : weft_status_name(status));
    (void)fflush(stdout);
    _exit(0);
}

// Becomes this program again, in the emulator if there is one.
static void start_again(void) {
    char words[] = WEFT_TEST_EMULATOR;
    char self[512] = "";
    char* arguments[16] = {NULL};
    uint32_t count = 0;
    for (char* word = strtok(words, " "); word != NULL && count < 14; word = strtok(NULL, " "))
        arguments[count++] = word;
    if (readlink("/proc/self/exe", self, sizeof(self) - 1) > 0)
        arguments[count++] = self;
    if (count > 0)
        (void)execvp(arguments[0], arguments);
}

// Runs one child with W workers and one more setting of its environment, and reads its line.
static void run_process(const char* workers, const char* name, const char* value, char* line) {
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)close(ends[0]);
        (void)setenv("WEFT_TEST_CHILD", workers, 1);
        if (name != NULL)
            (void)setenv(name, value, 1);
        start_again();
        _exit(127);
    }
    (void)close(ends[1]);
    size_t size = 0;
    ssize_t got;
    while (size < LINE - 1 && (got = read(ends[0], line + size, LINE - 1 - size)) > 0)
        size += (size_t)got;
    (void)close(ends[0]);
    line[size] = '\0';
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with %d", status);
    cr_assert_geq(size, 50, "the child said \"%s\"", line);
}

Test(processes, a_hundred_fresh_ones_give_one_digest, .timeout = 110) {
    char expected[LINE];
    run_process("1", NULL, NULL, expected);
    for (uint32_t i = 0; i < CHILDREN; i++) {
        char line[LINE];
        run_process("1", NULL, NULL, line);
        cr_assert_str_eq(line, expected, "process %u with one worker", i);
        run_process("4", NULL, NULL, line);
        cr_assert_str_eq(line, expected, "process %u with four workers", i);
    }
}

// What fresh memory holds must not matter: no digest may reach a byte that nobody wrote.
Test(processes, the_contents_of_fresh_memory_do_not_matter, .timeout = 60) {
    static const char* const fills[] = {"0", "1", "85", "170", "255"};
    char expected[LINE];
    run_process("1", NULL, NULL, expected);
    for (uint32_t i = 0; i < 5; i++) {
        char line[LINE];
        run_process("1", "MALLOC_PERTURB_", fills[i], line);
        cr_assert_str_eq(line, expected, "filled with %s", fills[i]);
        run_process("2", "MALLOC_PERTURB_", fills[i], line);
        cr_assert_str_eq(line, expected, "filled with %s, two workers", fills[i]);
    }
}
