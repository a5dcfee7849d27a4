#define _GNU_SOURCE // mkstemps

#include "instrument.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lint_model.h"

#define WORKERS 3u
#define SEEDS 8u  // Each shows a fault of order with one chance in two at least.
#define DRAWS 16u // The same.
#define DRAWS_SEED 1u

static const char* const instrument_names[] = {
    [WEFT_INSTRUMENT_ROOT] = "verify",
    [WEFT_INSTRUMENT_SYNC] = "--check=sync",
    [WEFT_INSTRUMENT_HEAVY] = "--check=heavy",
    [WEFT_INSTRUMENT_PERTURB] = "--perturb",
    [WEFT_INSTRUMENT_DIGEST] = "--digest-check",
    [WEFT_INSTRUMENT_ALIAS] = "--guard=alias",
    [WEFT_INSTRUMENT_HASH] = "--guard=hash",
    [WEFT_INSTRUMENT_TWIN] = "--guard=twin",
    [WEFT_INSTRUMENT_TRAP] = "--guard=trap",
    [WEFT_INSTRUMENT_TICK] = "tick",
    [WEFT_INSTRUMENT_LINT] = "lint",
};

const char* weft_instrument_name(weft_instrument instrument) {
    return instrument_names[instrument];
}

weft_instrument weft_instrument_find(const char* name) {
    weft_instrument instrument = WEFT_INSTRUMENT_ROOT;
    while (instrument < WEFT_INSTRUMENT_COUNT && strcmp(instrument_names[instrument], name) != 0)
        instrument++;
    return instrument;
}

/// One run of an instrument that runs the simulation.
typedef struct instrument_run {
    weft_faulty* faulty;
    weft_guard guard;
    bool draws;    // Some configurations may have worker processes.
    uint64_t seed; // Where the next draw begins.
} instrument_run;

static weft_status run_make(void* context, weft_world** world_out, weft_schedule** schedule_out) {
    const instrument_run* run = context;
    weft_world_desc desc = weft_world_desc_default();
    weft_memory memory = weft_memory_system();
    weft_faulty_describe(&desc);
    if (run->guard != WEFT_GUARD_NONE || run->draws)
        WEFT_TRY(weft_memory_aliased(run->guard == WEFT_GUARD_TRAP, &memory));
    WEFT_TRY(weft_world_create(&desc, &memory, world_out));
    WEFT_TRY(weft_schedule_create(*world_out, schedule_out));
    WEFT_TRY(weft_faulty_build(run->faulty, *world_out, *schedule_out));
    WEFT_TRY(weft_world_commit(*world_out));
    return weft_schedule_build(*schedule_out);
}

static weft_status run_input(void* context, weft_world* world, uint64_t tick) {
    const instrument_run* run = context;
    return weft_faulty_input(run->faulty, world, tick);
}

/// The next draw. A fault must be found again to be located, so it gets no threads, which hang on
/// timing; an honest simulation gets them too.
static bool run_draw(void* context, uint64_t draw, weft_executor_desc* config_out) {
    instrument_run* run = context;
    if (draw >= DRAWS)
        return false;
    do
        *config_out = weft_cli_draw_config(weft_cli_draw_seed(DRAWS_SEED, run->seed++), true,
                                           WEFT_GUARD_NONE);
    while (run->faulty->fault != WEFT_FAULT_NONE && config_out->kind != WEFT_EXECUTOR_VIRTUAL);
    return true;
}

// What was named ---------------------------------------------------------------------------------

/// The bit in which two numbers differ, if it is one; else -1.
static int32_t bit_of(const char* left, const char* right) {
    uint64_t a;
    uint64_t b;
    if (!weft_cli_u64_parse(left, &a) || !weft_cli_u64_parse(right, &b) ||
        __builtin_popcountll(a ^ b) != 1)
        return -1;
    return __builtin_ctzll(a ^ b);
}

/// A place in a column, in the same words from every instrument.
static void name_value(weft_instrument_finding* finding, uint64_t tick, const char* system,
                       const char* type, const char* field, weft_entity entity, uint32_t archetype,
                       uint32_t shard) {
    (void)snprintf(finding->place, sizeof finding->place,
                   "tick %" PRIu64 ", %s: %s%s%s of entity %u:%u (archetype %u, shard %u)", tick,
                   system, type, field[0] != '\0' ? "." : "", field, entity.slot, entity.generation,
                   archetype, shard);
}

static void name_line(weft_instrument_finding* finding, const char* line) {
    (void)snprintf(finding->place, sizeof finding->place, "%s", line);
}

static void name_difference(weft_instrument_finding* finding, const weft_verify_result* result) {
    const weft_verify_place* place = &result->place;
    finding->hidden = place->unstable;
    bool valued = place->compared && place->kind == WEFT_VERIFY_KIND_FIELD;
    if (valued)
        finding->bit = bit_of(place->reference_text, place->found_text);
    if (place->has_task && valued)
        name_value(finding, place->tick, place->system, place->type, place->field, place->entity,
                   place->archetype, place->shard);
    else if (place->has_task)
        (void)snprintf(finding->place, sizeof finding->place,
                       "tick %" PRIu64 ", %s: no value (archetype %u, shard %u)", place->tick,
                       place->system, place->archetype, place->shard);
    else if (place->traced && valued)
        (void)snprintf(finding->place, sizeof finding->place,
                       "tick %" PRIu64 ", no system: %s.%s of entity %u:%u", place->tick,
                       place->type, place->field, place->entity.slot, place->entity.generation);
    else
        (void)snprintf(finding->place, sizeof finding->place, "tick %" PRIu64 ", no place",
                       result->tick);
}

/// A guard counts the ticks that are complete, verify the one that is run.
static void name_undeclared(weft_instrument_finding* finding, const weft_guard_report* report) {
    char text[WEFT_GUARD_TEXT_SIZE] = "";
    const char* file = strrchr(report->file, '/');
    file = file != NULL ? file + 1 : report->file;
    finding->guarded = report->place != WEFT_GUARD_HIDDEN;
    finding->act = report->act;
    finding->declared = report->declared;
    if (file[0] != '\0')
        (void)snprintf(finding->source, sizeof finding->source, "%.48s:%u", file, report->line);
    if (report->place == WEFT_GUARD_COMPONENT) {
        name_value(finding, report->tick + 1, report->system, report->type, report->field,
                   report->entity, report->archetype, report->shard);
        return;
    }
    // A system that does not repeat itself: "... (WHAT comes out different): ...".
    const char* begin = strchr(report->text, '(');
    const char* end = strstr(report->text, " comes out different");
    finding->hidden = report->place == WEFT_GUARD_HIDDEN;
    if (begin != NULL && end != NULL && begin < end)
        (void)snprintf(text, sizeof text, "%.*s", (int)(end - begin - 1), begin + 1);
    else
        (void)snprintf(text, sizeof text, "%s", report->text);
    (void)snprintf(finding->place, sizeof finding->place, "tick %" PRIu64 ", %.63s: %.150s",
                   report->tick + 1, report->system, text);
}

/// A run ended with a status. What a user is to do then stands behind the place.
static void name_failure(weft_instrument_finding* finding, weft_instrument instrument,
                         const weft_verify_result* result) {
    if (instrument == WEFT_INSTRUMENT_DIGEST && result->status == WEFT_STATUS_DIGEST_MISMATCH) {
        const char* end = strstr(result->error, " was changed without a mark");
        (void)snprintf(finding->place, sizeof finding->place, "tick %" PRIu64 ": %.*s",
                       result->tick + 1, end != NULL ? (int)(end - result->error) : (int)128,
                       result->error);
    } else if (result->guard.found) {
        name_undeclared(finding, &result->guard);
    } else {
        name_line(finding, result->error);
    }
}

// Instruments ------------------------------------------------------------------------------------

/// What is compared with the serial run: itself, then drawn orders; threads where nothing has to be
/// found again.
static size_t configs_fill(const weft_faulty* faulty, weft_executor_desc* configs) {
    size_t count = 0;
    configs[count++] =
        weft_cli_executor_desc((weft_cli_executor){WEFT_EXECUTOR_SERIAL, 1}, 0, true);
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        configs[count++] =
            weft_cli_executor_desc((weft_cli_executor){WEFT_EXECUTOR_VIRTUAL, WORKERS}, seed, true);
    if (faulty->fault == WEFT_FAULT_NONE) {
        configs[count] =
            weft_cli_executor_desc((weft_cli_executor){WEFT_EXECUTOR_THREADS, WORKERS}, 0, true);
        configs[count].everybody = true;
        configs[count++].grain = 1;
    }
    return count;
}

static void verify_run(weft_instrument instrument, weft_faulty* faulty,
                       weft_instrument_finding* finding) {
    static const weft_guard guards[WEFT_INSTRUMENT_COUNT] = {
        [WEFT_INSTRUMENT_ALIAS] = WEFT_GUARD_ALIAS,
        [WEFT_INSTRUMENT_HASH] = WEFT_GUARD_HASH,
        [WEFT_INSTRUMENT_TWIN] = WEFT_GUARD_TWIN,
        [WEFT_INSTRUMENT_TRAP] = WEFT_GUARD_TRAP,
    };
    static const weft_verify_depth depths[WEFT_INSTRUMENT_COUNT] = {
        [WEFT_INSTRUMENT_SYNC] = WEFT_VERIFY_DEPTH_SYNC,
        [WEFT_INSTRUMENT_HEAVY] = WEFT_VERIFY_DEPTH_HEAVY,
    };
    weft_executor_desc configs[SEEDS + 2];
    instrument_run run = {.faulty = faulty,
                          .guard = guards[instrument],
                          .draws = instrument == WEFT_INSTRUMENT_PERTURB};
    weft_verify_desc desc = weft_verify_desc_default();
    weft_verify_report* report = NULL;
    desc.make = run_make;
    desc.input = run_input;
    desc.context = &run;
    desc.tick_count = WEFT_FAULTY_TICKS;
    desc.guard = run.guard;
    desc.depth = depths[instrument];
    desc.digest_check = instrument == WEFT_INSTRUMENT_DIGEST;
    if (instrument == WEFT_INSTRUMENT_PERTURB)
        desc.draw = run_draw;
    if (instrument <= WEFT_INSTRUMENT_HEAVY) {
        desc.configs = configs;
        desc.config_count = configs_fill(faulty, configs);
    }
    weft_status status = weft_verify(&desc, &report);
    finding->found = status != WEFT_STATUS_OK;
    if (report == NULL) {
        name_line(finding, weft_status_text(status));
        return;
    }
    const weft_verify_result* odd = &report->reference;
    for (size_t i = 0; i < report->result_count && odd->outcome == WEFT_VERIFY_EQUAL; i++)
        odd = &report->results[i];
    if (odd->outcome == WEFT_VERIFY_EQUAL && report->draw_count > 0)
        odd = &report->drawn;
    if (odd->outcome == WEFT_VERIFY_DIFFERENT)
        name_difference(finding, odd);
    else if (odd->outcome == WEFT_VERIFY_FAILED)
        name_failure(finding, instrument, odd);
    weft_verify_report_destroy(report);
}

/// Ticks on one executor until one is refused; its line.
static weft_status tick_run(weft_faulty* faulty, const weft_executor_desc* config, char* line,
                            size_t capacity) {
    instrument_run run = {.faulty = faulty};
    weft_world* world = NULL;
    weft_schedule* schedule = NULL;
    weft_executor* executor = NULL;
    weft_status status = run_make(&run, &world, &schedule);
    if (status == WEFT_STATUS_OK)
        status = weft_executor_create(config, schedule, &executor);
    for (uint32_t tick = 0; tick < WEFT_FAULTY_TICKS && status == WEFT_STATUS_OK; tick++) {
        status = weft_faulty_input(faulty, world, tick);
        if (status == WEFT_STATUS_OK)
            status = weft_executor_tick(executor);
    }
    (void)snprintf(line, capacity, "%s",
                   status == WEFT_STATUS_OK ? "" : weft_cli_error(status, world, schedule));
    weft_executor_destroy(executor);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
    return status;
}

/// What of a line lies behind `before` and in front of `behind`; empty if that is not there.
static void text_between(const char* line, const char* before, const char* behind, char* text,
                         size_t capacity) {
    const char* begin = strstr(line, before);
    const char* end = begin != NULL ? strstr(begin + strlen(before), behind) : NULL;
    text[0] = '\0';
    if (begin == NULL || end == NULL)
        return;
    begin += strlen(before);
    (void)snprintf(text, capacity, "%.*s", (int)(end - begin), begin);
}

/// A tick counts as from 1 here. What a user is to do is left out.
static void name_refusal(weft_instrument_finding* finding, const char* line) {
    char system[64];
    char tick[24];
    char where[64];
    char what[256];
    uint64_t number;
    text_between(line, "system \"", "\"", system, sizeof system);
    text_between(line, " failed in tick ", ",", tick, sizeof tick);
    text_between(line, ", archetype ", ": ", where, sizeof where);
    text_between(line, "floating-point state changed (", ")", what, sizeof what);
    const char* rest = strstr(line, where);
    if (what[0] == '\0' && where[0] != '\0' && rest != NULL)
        text_between(rest, ": ", ";", what, sizeof what);
    if (what[0] != '\0' && weft_cli_u64_parse(tick, &number))
        (void)snprintf(finding->place, sizeof finding->place,
                       "tick %" PRIu64 ", %s: %s (archetype %s)", number + 1, system, what, where);
    else
        name_line(finding, line);
}

/// All executors must refuse in the same words.
static void ticks_run(weft_faulty* faulty, weft_instrument_finding* finding) {
    static const weft_cli_executor executors[] = {
        {WEFT_EXECUTOR_SERIAL, 1}, {WEFT_EXECUTOR_VIRTUAL, WORKERS}, {WEFT_EXECUTOR_THREADS, 2}};
    char lines[3][WEFT_VERIFY_LINE_SIZE];
    for (size_t i = 0; i < 3; i++) {
        weft_executor_desc config = weft_cli_executor_desc(executors[i], 1, true);
        config.everybody = config.kind == WEFT_EXECUTOR_THREADS;
        finding->found |= tick_run(faulty, &config, lines[i], sizeof lines[i]) != WEFT_STATUS_OK;
    }
    name_refusal(finding, lines[0]);
    for (size_t i = 1; i < 3; i++) {
        if (strcmp(lines[0], lines[i]) != 0)
            (void)snprintf(finding->place, sizeof finding->place, "%s: \"%.200s\", not \"%.200s\"",
                           weft_cli_executor_name(executors[i].kind), lines[i], lines[0]);
    }
}

// The sources of the simulation are not where the program runs: the lint gets their faults alone.
static const char* const lint_sources[WEFT_FAULT_COUNT] = {
    [WEFT_FAULT_CLOCK] = "struct timespec { long s, ns; };\n"
                         "int clock_gettime(int, struct timespec*);\n"
                         "unsigned note(void);\n"
                         "unsigned note(void) {\n"
                         "    struct timespec now = {0, 0};\n"
                         "    clock_gettime(0, &now);\n"
                         "    return (unsigned)now.ns ^ (unsigned)now.s;\n"
                         "}\n",
    [WEFT_FAULT_ADDRESS] = "struct node { struct node* next; };\n"
                           "unsigned note(const struct node* a, const struct node* b);\n"
                           "unsigned note(const struct node* a, const struct node* b) {\n"
                           "    return a < b ? 1u : 2u;\n"
                           "}\n",
};
static const char lint_honest[] = "unsigned note(unsigned a);\n"
                                  "unsigned note(unsigned a) { return a * 31u; }\n";

/// Lints one file; its first finding is "RULE, line N".
static void lint_file(weft_lint_parser* parser, const char* path,
                      weft_instrument_finding* finding) {
    weft_lint_options options = {.all = true};
    weft_lint* lint = weft_lint_create(&options);
    if (!weft_lint_source_add(lint, parser, path, stderr)) {
        finding->found = true;
        name_line(finding, "a source that does not compile");
    }
    weft_lint_finish(lint);
    if (lint->finding_count > 0) {
        const weft_lint_finding* first = &lint->findings[0];
        finding->found = true;
        (void)snprintf(finding->place, sizeof finding->place, "rule %s, line %u",
                       weft_lint_rule_get(first->rule)->name, first->place.line);
    }
    weft_lint_destroy(lint);
}

static void lint_run(const weft_faulty* faulty, weft_instrument_finding* finding) {
    const char* source = lint_sources[faulty->fault];
    const char* folder = getenv("TMPDIR");
    char path[512];
    char line[WEFT_CLI_LINE_SIZE];
    weft_lint_parser* parser = weft_lint_parser_create(line, sizeof line);
    source = source != NULL ? source : lint_honest;
    (void)snprintf(path, sizeof path, "%s/weft-selftest-XXXXXX.c",
                   folder != NULL && strlen(folder) < sizeof path / 2 ? folder : "/tmp");
    int handle = parser != NULL ? mkstemps(path, 2) : -1;
    finding->absent = handle < 0;
    if (parser == NULL)
        name_line(finding, "libclang is not there");
    else if (handle < 0)
        name_line(finding, "no temporary file can be made");
    if (handle >= 0) {
        size_t size = strlen(source);
        finding->absent = write(handle, source, size) != (ssize_t)size;
        (void)close(handle);
        if (finding->absent)
            name_line(finding, "the temporary file cannot be written");
        else
            lint_file(parser, path, finding);
        (void)unlink(path);
    }
    weft_lint_parser_destroy(parser);
}

weft_instrument_finding weft_instrument_run(weft_instrument instrument, weft_faulty* faulty) {
    weft_instrument_finding finding = {.bit = -1};
    double begun = weft_cli_clock();
    if (instrument == WEFT_INSTRUMENT_LINT)
        lint_run(faulty, &finding);
    else if (instrument == WEFT_INSTRUMENT_TICK)
        ticks_run(faulty, &finding);
    else
        verify_run(instrument, faulty, &finding);
    finding.time_s = weft_cli_clock() - begun;
    return finding;
}
