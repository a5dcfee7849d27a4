// Access (C4): what a system did not declare it cannot reach, and the attempt says who and what.

#define _GNU_SOURCE
#include "worlds.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

WEFT_COMPONENT(Body, (uint32_t, mass));
WEFT_COMPONENT(Cargo, (uint32_t, crates));
WEFT_COMPONENT(Wound, (uint32_t, depth)); // Sparse.
WEFT_RESOURCE(Gauge, (uint32_t, level));
WEFT_MESSAGE(Shout, (uint32_t, word));
WEFT_PARTIAL(Total, (uint32_t, mass));

static void total_combine(void* left, const void* right) {
    ((Total*)left)->mass += ((const Total*)right)->mass;
}

static void populate(weft_world* world) {
    world_component(world, WEFT_TYPE(Body), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Cargo), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Wound), WEFT_STORAGE_SPARSE);
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Gauge), 1, NULL));
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Shout), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_TICK));
    WORLD_OK(world, weft_world_register_reduction(world, WEFT_TYPE(Total), NULL, total_combine));
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < 10; i++) {
        weft_entity made = weft_commands_create(commands, 0);
        WEFT_ADD(commands, 0, made, Body, {i});
        WEFT_ADD(commands, 0, made, Cargo, {i});
        WEFT_ADD(commands, 0, made, Wound, {i});
    }
    world_commit(world);
}

static weft_status read_cargo(weft_view* view, const void* context) {
    (void)context;
    return WEFT_READ(view, Cargo) == NULL ? WEFT_STATUS_BAD_ARGUMENT : WEFT_STATUS_OK;
}

static weft_status write_body(weft_view* view, const void* context) {
    (void)context;
    WEFT_WRITE(view, Body)[0].mass = 1;
    return WEFT_STATUS_OK;
}

static weft_status write_wound(weft_view* view, const void* context) {
    (void)context;
    (void)weft_view_sparse_write(view, 0, WEFT_TYPE(Wound));
    return WEFT_STATUS_OK;
}

static weft_status get_cargo(weft_view* view, const void* context) {
    (void)context;
    (void)WEFT_GET(view, ((weft_entity){0, 1}), Cargo);
    return WEFT_STATUS_OK;
}

static weft_status visit_cargo(weft_view* view, const void* context) {
    (void)context;
    static const weft_access terms[] = {WEFT_READS(Cargo)};
    weft_cursor cursor = weft_view_visit(view, terms, 1);
    (void)weft_cursor_next(&cursor);
    return WEFT_STATUS_OK;
}

static weft_status read_gauge(weft_view* view, const void* context) {
    (void)context;
    (void)WEFT_RESOURCE_READ(view, Gauge);
    return WEFT_STATUS_OK;
}

static weft_status write_gauge(weft_view* view, const void* context) {
    (void)context;
    (void)WEFT_RESOURCE_WRITE(view, Gauge);
    return WEFT_STATUS_OK;
}

static weft_status emit_shout(weft_view* view, const void* context) {
    (void)context;
    WEFT_EMIT(view, 0, WEFT_ENTITY_NULL, Shout, {1});
    return WEFT_STATUS_OK;
}

static weft_status hear_shout(weft_view* view, const void* context) {
    (void)context;
    uint32_t count;
    (void)weft_view_messages(view, WEFT_TYPE(Shout), &count);
    return WEFT_STATUS_OK;
}

static weft_status reduce_total(weft_view* view, const void* context) {
    (void)context;
    (void)WEFT_PARTIAL_OF(view, Total);
    return WEFT_STATUS_OK;
}

static weft_status read_total(weft_view* view, const void* context) {
    (void)context;
    (void)WEFT_REDUCED_OF(view, Total);
    return WEFT_STATUS_OK;
}

static weft_status command(weft_view* view, const void* context) {
    (void)context;
    (void)weft_view_commands(view);
    return WEFT_STATUS_OK;
}

// An attempt by a system with the given access, and the type that the message must name.
typedef struct attempt {
    weft_system_fn* run;
    const char* type;
    weft_access access[3]; // Up to the first of mode 0.
} attempt;

static const attempt attempts[] = {
    {read_cargo, "Cargo", {WEFT_READS(Body)}},
    {read_cargo, "Cargo", {WEFT_WITH(Cargo)}},
    {read_cargo, "Cargo", {WEFT_READS_ANY(Cargo)}},
    {write_body, "Body", {WEFT_READS(Body)}},
    {write_body, "Body", {WEFT_READS_OPTIONAL(Body), WEFT_WRITES(Cargo)}},
    {write_wound, "Wound", {WEFT_READS(Wound)}},
    {write_wound, "Wound", {WEFT_READS(Body)}},
    {get_cargo, "Cargo", {WEFT_WRITES(Cargo)}},
    {visit_cargo, "Cargo", {WEFT_READS(Cargo)}},
    {read_gauge, "Gauge", {WEFT_READS(Body)}},
    {write_gauge, "Gauge", {WEFT_READS_RESOURCE(Gauge)}},
    {emit_shout, "Shout", {WEFT_CONSUMES(Shout)}},
    {hear_shout, "Shout", {WEFT_EMITS(Shout)}},
    {reduce_total, "Total", {WEFT_REDUCED(Total)}},
    {read_total, "Total", {WEFT_REDUCES(Total)}},
    {command, "COMMANDS", {WEFT_WRITES(Body)}},
};

static void run_attempt(const attempt* a) {
    weft_world* world = world_make();
    weft_schedule* schedule = run_schedule(world);
    populate(world);
    weft_system_desc desc = weft_system_desc_default();
    desc.name = "trespasser";
    desc.run = a->run;
    desc.access = a->access;
    while (desc.access_count < 3 && a->access[desc.access_count].mode != 0)
        desc.access_count++;
    run_add(schedule, &desc);
    weft_executor* executor = run_executor(schedule, &run_configs[0]);
    (void)!weft_executor_tick(executor);
}

Test(access, an_undeclared_reach_ends_the_program_and_names_system_and_type) {
    for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++) {
        char text[1024];
        size_t size = 0;
        ssize_t got;
        int ends[2];
        int status = 0;
        cr_assert_eq(pipe(ends), 0);
        pid_t child = fork();
        cr_assert_geq(child, 0);
        if (child == 0) {
            (void)signal(SIGABRT, SIG_DFL);
            (void)dup2(ends[1], STDERR_FILENO);
            (void)close(ends[0]);
            run_attempt(&attempts[i]);
            _exit(0);
        }
        (void)close(ends[1]);
        while (size < sizeof(text) - 1 &&
               (got = read(ends[0], text + size, sizeof(text) - 1 - size)) > 0)
            size += (size_t)got;
        (void)close(ends[0]);
        text[size] = '\0';
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT,
                  "attempt %zu ended with status %d: %s", i, status, text);
        cr_assert(strstr(text, "\"trespasser\"") != NULL, "attempt %zu: %s", i, text);
        cr_assert(strstr(text, attempts[i].type) != NULL, "attempt %zu: %s", i, text);
    }
}

// What was declared is reached, by every way that the declaration allows.
static weft_status everything(weft_view* view, const void* context) {
    (void)context;
    static const weft_access terms[] = {WEFT_READS(Cargo), WEFT_WITHOUT(Body)};
    weft_cursor cursor = weft_view_visit(view, terms, 2);
    uint32_t count;
    if (weft_cursor_next(&cursor) || WEFT_READ(view, Body) == NULL ||
        WEFT_WRITE(view, Body) == NULL || WEFT_GET(view, ((weft_entity){3, 1}), Cargo) == NULL ||
        weft_view_sparse_read(view, 3, WEFT_TYPE(Wound)) == NULL ||
        weft_view_sparse_write(view, 3, WEFT_TYPE(Wound)) == NULL ||
        WEFT_RESOURCE_READ(view, Gauge) == NULL || weft_view_commands(view) == NULL)
        return WEFT_STATUS_BAD_ARGUMENT;
    (void)weft_view_messages(view, WEFT_TYPE(Shout), &count);
    WEFT_PARTIAL_OF(view, Total)->mass++;
    return count == 0 ? WEFT_STATUS_OK : WEFT_STATUS_BAD_ARGUMENT;
}

static void build_everything(weft_world* world, weft_schedule* schedule) {
    populate(world);
    run_add(schedule,
            WEFT_SYSTEM("everything", everything,
                        WEFT_ACCESS(WEFT_WRITES(Body), WEFT_READS_ANY(Cargo), WEFT_WRITES(Wound),
                                    WEFT_READS_RESOURCE(Gauge), WEFT_COMMANDS, WEFT_CONSUMES(Shout),
                                    WEFT_REDUCES(Total))));
}

Test(access, what_is_declared_is_reached) {
    sim_same_everywhere(build_everything, 2, NULL);
}

// Journals and snapshots have these names.
Test(access, modes_have_names) {
    static const char* const names[] = {
        "?",     "reads",    "writes",    "reads optional", "writes optional",
        "with",  "without",  "reads any", "reads resource", "writes resource",
        "emits", "consumes", "reduces",   "reads reduced",  "commands",
        "?"};
    for (int i = -1; i <= (int)WEFT_ACCESS_COMMANDS + 1; i++)
        cr_assert_str_eq(weft_access_mode_name((weft_access_mode)i), i < 0 ? "?" : names[i]);
}
