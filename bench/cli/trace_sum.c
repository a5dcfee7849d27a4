// Sums over records; what is printed of them.

#include "trace_sum.h"

#include <inttypes.h>
#include <stdlib.h>

#define SHOWN_SYSTEMS 20u

bool trace_sum_open(const trace_source* source, bool one_thread, trace_sum* sum) {
    *sum = (trace_sum){.source = source,
                       .one_thread = one_thread,
                       .system_count = weft_schedule_system_count(source->schedule)};
    sum->systems = calloc(sum->system_count + 1, sizeof *sum->systems);
    sum->kinds = calloc(source->worker_count, sizeof *sum->kinds);
    return sum->systems != NULL && sum->kinds != NULL;
}

void trace_sum_close(trace_sum* sum) {
    free(sum->systems);
    free(sum->kinds);
    *sum = (trace_sum){0};
}

static void add_call(trace_calls* calls, const weft_trace_record* record) {
    uint64_t took = record->end_ns - record->begin_ns;
    calls->count++;
    calls->rows += record->count;
    calls->total_ns += took;
    if (took < calls->max_ns)
        return;
    calls->max_ns = took;
    calls->slowest = *record;
}

void trace_sum_add(trace_sum* sum, const trace_round* round) {
    for (size_t i = 0; i < round->count; i++) {
        const weft_trace_record* record = &round->items[i].record;
        uint32_t worker = round->items[i].worker;
        if (record->kind == WEFT_TRACE_HOST)
            sum->host_end_ns = record->end_ns;
        // Waits for a snapshot's batches are the host's.
        if (worker == 0 && record->kind != WEFT_TRACE_HOST && record->begin_ns < sum->host_end_ns)
            continue;
        sum->records++;
        sum->ticks += record->kind == WEFT_TRACE_TICK;
        sum->kinds[worker][record->kind] += record->end_ns - record->begin_ns;
        if (record->kind == WEFT_TRACE_SYSTEM)
            add_call(&sum->systems[record->rank], record);
    }
    for (uint32_t i = 0; i < sum->source->worker_count; i++)
        for (uint32_t j = 0; j < WEFT_TRACE_COUNTERS; j++)
            sum->counts.value[j] += round->counts[i].value[j];
}

// Reading ----------------------------------------------------------------------------------------

/// Time in which the executor was at work.
static uint64_t work_ns(const trace_sum* sum) {
    const uint64_t* frame = sum->kinds[0];
    return frame[WEFT_TRACE_TICK] + frame[WEFT_TRACE_DIGEST] + frame[WEFT_TRACE_ROLLBACK];
}

/// The part of it in which a worker did something. Of the others' shares what is in help counts
/// once: their systems are in stages or in help.
static uint64_t busy_ns(const trace_sum* sum, uint32_t worker) {
    const uint64_t* kinds = sum->kinds[worker];
    uint64_t busy = 0;
    if (sum->one_thread)
        return kinds[WEFT_TRACE_SYSTEM] + kinds[WEFT_TRACE_HASH];
    if (worker == 0)
        return work_ns(sum) - (kinds[WEFT_TRACE_WAIT] < work_ns(sum) ? kinds[WEFT_TRACE_WAIT] : 0);
    busy = kinds[WEFT_TRACE_STAGE] + kinds[WEFT_TRACE_HELP] + kinds[WEFT_TRACE_LEAVES];
    for (uint32_t kind = WEFT_TRACE_ROUTE; kind <= WEFT_TRACE_MESSAGES; kind++)
        busy += kinds[kind];
    return busy < work_ns(sum) ? busy : work_ns(sum);
}

static uint64_t calls_ns(const trace_sum* sum) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < sum->system_count; i++)
        total += sum->systems[i].total_ns;
    return total;
}

static double share(uint64_t part, uint64_t whole) {
    return whole > 0 ? (double)part / (double)whole : 0;
}

static double us(uint64_t ns) {
    return (double)ns / 1000;
}

/// Ranks by falling time.
static uint32_t* by_time(const trace_sum* sum) {
    uint32_t* ranks = calloc(sum->system_count + 1, sizeof *ranks);
    for (uint32_t i = 0; ranks != NULL && i < sum->system_count; i++) {
        uint32_t at = i;
        for (; at > 0 && sum->systems[ranks[at - 1]].total_ns < sum->systems[i].total_ns; at--)
            ranks[at] = ranks[at - 1];
        ranks[at] = i;
    }
    return ranks;
}

static void print_place(weft_cli_table* table, const weft_trace_record* record) {
    if (record->archetype == WEFT_TRACE_NONE)
        weft_cli_table_add(table, "tick %" PRIu64, record->tick);
    else
        weft_cli_table_add(
            table, "tick %" PRIu64 ", archetype %" PRIu32 ", shard %" PRIu32 ", %" PRIu32 " rows",
            record->tick, record->archetype, record->shard, record->count);
}

static void print_systems(const trace_sum* sum) {
    weft_cli_table table = weft_cli_table_create("llrrrrrl");
    static const char* const names[] = {"",     "system", "calls", "total",
                                        "mean", "max",    "share", "the slowest"};
    char text[WEFT_CLI_NUMBER_SIZE];
    uint32_t* ranks = by_time(sum);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        weft_cli_table_add(&table, "%s", i == 0 ? "        " : names[i]);
    for (uint32_t i = 0; ranks != NULL && i < sum->system_count && i < SHOWN_SYSTEMS; i++) {
        const trace_calls* calls = &sum->systems[ranks[i]];
        if (calls->count == 0)
            break;
        weft_cli_table_add(&table, "%s", "");
        weft_cli_table_add(&table, "%s",
                           weft_schedule_system_name(sum->source->schedule, ranks[i]));
        weft_cli_table_add(&table, "%s", weft_cli_number(calls->count, text));
        weft_cli_table_add(&table, "%s", weft_cli_seconds((double)calls->total_ns / 1e9, text));
        weft_cli_table_add(&table, "%.1f us", us(calls->total_ns) / (double)calls->count);
        weft_cli_table_add(&table, "%.1f us", us(calls->max_ns));
        weft_cli_table_add(&table, "%.1f%%", 100 * share(calls->total_ns, calls_ns(sum)));
        print_place(&table, &calls->slowest);
    }
    weft_cli_table_print(&table, stdout);
    if (sum->system_count > SHOWN_SYSTEMS)
        printf("          and %" PRIu32 " more systems; --json has all\n",
               sum->system_count - SHOWN_SYSTEMS);
    free(ranks);
}

static void print_workers(const trace_sum* sum) {
    weft_cli_table table = weft_cli_table_create("llrrr");
    static const char* const names[] = {"        ", "worker", "busy", "waits", "of it helps"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        weft_cli_table_add(&table, "%s", names[i]);
    for (uint32_t i = 0; i < sum->source->worker_count; i++) {
        uint64_t busy = busy_ns(sum, i);
        weft_cli_table_add(&table, "%s", "");
        weft_cli_table_add(&table, "%" PRIu32, i);
        weft_cli_table_add(&table, "%.1f%%", 100 * share(busy, work_ns(sum)));
        if (sum->one_thread)
            weft_cli_table_add(&table, "%s", "-");
        else
            weft_cli_table_add(&table, "%.1f%%", 100 * share(work_ns(sum) - busy, work_ns(sum)));
        weft_cli_table_add(&table, "%.1f%%",
                           100 * share(sum->kinds[i][WEFT_TRACE_HELP], work_ns(sum)));
    }
    weft_cli_table_print(&table, stdout);
}

void trace_sum_print(const trace_sum* sum) {
    const uint64_t* frame = sum->kinds[0];
    char text[WEFT_CLI_NUMBER_SIZE];
    printf(
        "          time in ticks %s: prepare %.1f%%, finish %.1f%%, stages %.1f%%, commit %.1f%%\n",
        weft_cli_seconds((double)frame[WEFT_TRACE_TICK] / 1e9, text),
        100 * share(frame[WEFT_TRACE_PREPARE], frame[WEFT_TRACE_TICK]),
        100 * share(frame[WEFT_TRACE_FINISH], frame[WEFT_TRACE_TICK]),
        100 * share(frame[WEFT_TRACE_STAGE], frame[WEFT_TRACE_TICK]),
        100 * share(frame[WEFT_TRACE_COMMIT], frame[WEFT_TRACE_TICK]));
    printf("          commit: ");
    for (uint32_t kind = WEFT_TRACE_ORDER; kind <= WEFT_TRACE_MESSAGES; kind++)
        printf("%s%s %.1f%%", kind > WEFT_TRACE_ORDER ? ", " : "",
               weft_trace_kind_name((weft_trace_kind)kind),
               100 * share(frame[kind], frame[WEFT_TRACE_COMMIT]));
    printf("\n          digests %s",
           weft_cli_seconds((double)frame[WEFT_TRACE_DIGEST] / 1e9, text));
    uint64_t hashed = 0;
    for (uint32_t i = 0; i < sum->source->worker_count; i++)
        hashed += sum->kinds[i][WEFT_TRACE_HASH];
    printf(", and %s of hashing in stages\n", weft_cli_seconds((double)hashed / 1e9, text));
    print_systems(sum);
    print_workers(sum);
    for (uint32_t i = 0; i < WEFT_TRACE_COUNTERS; i++)
        if ((sum->source->counter_mask >> i & 1) != 0)
            printf("          %s %s\n", weft_trace_counter_name((weft_trace_counter)i),
                   weft_cli_number(sum->counts.value[i], text));
}

// JSON -------------------------------------------------------------------------------------------

static json_t* system_json(const trace_sum* sum, uint32_t rank) {
    const trace_calls* calls = &sum->systems[rank];
    json_t* object =
        json_pack("{s:i, s:i, s:I, s:I, s:I, s:I, s:f}", "rank", (int)rank, "stage",
                  (int)weft_schedule_system_stage(sum->source->schedule, rank), "calls",
                  (json_int_t)calls->count, "rows", (json_int_t)calls->rows, "total_ns",
                  (json_int_t)calls->total_ns, "max_ns", (json_int_t)calls->max_ns, "share",
                  share(calls->total_ns, calls_ns(sum)));
    const char* name = weft_schedule_system_name(sum->source->schedule, rank);
    json_t* text = json_string(name);
    (void)json_object_set_new(object, "system", text != NULL ? text : json_string("?"));
    return object;
}

void trace_sum_json(const trace_sum* sum, json_t* object) {
    json_t* systems = json_array();
    json_t* workers = json_array();
    json_t* frame = json_object();
    json_t* counts = json_object();
    for (uint32_t i = 0; i < sum->system_count; i++)
        (void)json_array_append_new(systems, system_json(sum, i));
    for (uint32_t i = 0; i < sum->source->worker_count; i++) {
        uint64_t busy = busy_ns(sum, i);
        (void)json_array_append_new(
            workers,
            json_pack("{s:i, s:I, s:I, s:I}", "worker", (int)i, "busy_ns", (json_int_t)busy,
                      "wait_ns", (json_int_t)(sum->one_thread ? 0 : work_ns(sum) - busy), "help_ns",
                      (json_int_t)sum->kinds[i][WEFT_TRACE_HELP]));
    }
    // Of worker 0, who leads: what it did itself, and waits.
    for (uint32_t kind = WEFT_TRACE_HOST; kind < WEFT_TRACE_KINDS; kind++)
        (void)json_object_set_new(frame, weft_trace_kind_name((weft_trace_kind)kind),
                                  json_integer((json_int_t)sum->kinds[0][kind]));
    for (uint32_t i = 0; i < WEFT_TRACE_COUNTERS; i++)
        if ((sum->source->counter_mask >> i & 1) != 0)
            (void)json_object_set_new(counts, weft_trace_counter_name((weft_trace_counter)i),
                                      json_integer((json_int_t)sum->counts.value[i]));
    (void)json_object_set_new(object, "ticks", json_integer((json_int_t)sum->ticks));
    (void)json_object_set_new(object, "lead_ns", frame);
    (void)json_object_set_new(object, "systems", systems);
    (void)json_object_set_new(object, "workers", workers);
    (void)json_object_set_new(object, "counters", counts);
}
