// Chrome's trace event format ("JSON Object Format"): one line for each event, times in
// microseconds since the trace began. Workers are threads of one process, also where they are
// processes, so that they stand below each other.
//
// Events are put together in a buffer without printf: a tick has tens of thousands.

#include "trace_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weft/inspect.h>

#include "machine.h"

#define PROCESS_ID "1"
#define PER_TICK "per tick"
#define BYTES_MAX (UINT64_C(1) << 30) // More than viewers load.
#define EVENT_SIZE 2048u              // No event is longer.
#define NAME_SIZE 512u                // Nor a quoted name of a system, of 63 bytes.
#define FLOWS_MAX 64u   // With more edges between stages only the critical path is shown.
#define READY_STEPS 16u // So many points at most show how a stage's calls become fewer.

/// A system as events show it.
typedef struct shown_system {
    char name[NAME_SIZE];    // Quoted.
    uint64_t row_bytes;      // That it may write of each row.
    const trace_item* first; // Of the round: the call that begins first,
    const trace_item* last;  // and that which ends last.
} shown_system;

typedef struct shown_edge {
    uint32_t from;
    uint32_t to;
} shown_edge;

struct trace_file {
    weft_cli_file file;
    const trace_source* source;
    uint64_t start_ns; // 0: not known yet.
    uint64_t bytes;
    uint64_t events;
    uint64_t flows;
    shown_system* systems;
    uint32_t system_count;
    shown_edge edges[FLOWS_MAX];
    uint32_t edge_count;
    const trace_item** calls; // Of one stage.
    size_t call_capacity;
    char* at; // In the event that is put together.
    char event[EVENT_SIZE];
};

// Putting together -------------------------------------------------------------------------------

static void put(trace_file* file, const char* text) {
    size_t length = strlen(text);
    WEFT_ASSERT(file->at + length < file->event + EVENT_SIZE);
    memcpy(file->at, text, length);
    file->at += length;
}

static void put_number(trace_file* file, uint64_t number) {
    char digits[20];
    size_t count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    WEFT_ASSERT(file->at + count < file->event + EVENT_SIZE);
    while (count > 0)
        *file->at++ = digits[--count];
}

/// Nanoseconds as microseconds.
static void put_us(trace_file* file, uint64_t ns) {
    char rest[5] = {'.', (char)('0' + ns / 100 % 10), (char)('0' + ns / 10 % 10),
                    (char)('0' + ns % 10), '\0'};
    put_number(file, ns / 1000);
    put(file, rest);
}

static void begin(trace_file* file, const char* head) {
    file->at = file->event;
    if (file->events > 0)
        put(file, ",\n");
    put(file, head);
}

static void end(trace_file* file) {
    size_t size = (size_t)(file->at - file->event);
    (void)fwrite(file->event, 1, size, file->file.stream); // Seen when the file is closed.
    file->bytes += size;
    file->events++;
}

static void put_time(trace_file* file, uint64_t ns) {
    put(file, ",\"ts\":");
    put_us(file, ns > file->start_ns ? ns - file->start_ns : 0);
}

/// Thread ids are from 1 on: viewers take 0 for the idle thread.
static void put_thread(trace_file* file, uint32_t worker) {
    put(file, ",\"pid\":" PROCESS_ID ",\"tid\":");
    put_number(file, (uint64_t)worker + 1);
}

/// Writes a text as a JSON string with its quotes; what is not UTF-8 becomes U+FFFD. The room must
/// be 6 * strlen(text) + 3 bytes. Returns the end, where a zero is.
static char* quote(const char* text, char* out) {
    static const char hex[] = "0123456789abcdef";
    const unsigned char* from = (const unsigned char*)text;
    *out++ = '"';
    while (*from != '\0') {
        size_t length = weft_cli_utf8_length((const char*)from);
        if (length == 0 || *from < ' ' || *from == 0x7F) {
            uint32_t code = length == 0 ? 0xFFFD : *from;
            memcpy(out, "\\u", 2);
            for (uint32_t i = 0; i < 4; i++)
                out[2 + i] = hex[code >> (12 - 4 * i) & 15];
            out += 6;
            from++;
            continue;
        }
        if (*from == '"' || *from == '\\')
            *out++ = '\\';
        memcpy(out, from, length);
        out += length;
        from += length;
    }
    *out++ = '"';
    *out = '\0';
    return out;
}

// The head ---------------------------------------------------------------------------------------

static void put_quoted(trace_file* file, const char* text) {
    char quoted[6 * 128 + 3];
    char cut[128];
    (void)snprintf(cut, sizeof cut, "%s", text);
    (void)quote(cut, quoted);
    put(file, quoted);
}

static void name_thread(trace_file* file, uint32_t worker) {
    char name[48];
    (void)snprintf(name, sizeof name, worker == 0 ? "worker 0, leads" : "worker %" PRIu32, worker);
    begin(file, "{\"ph\":\"M\",\"name\":\"thread_name\"");
    put_thread(file, worker);
    put(file, ",\"args\":{\"name\":");
    put_quoted(file, name);
    put(file, "}}");
    end(file);
    begin(file, "{\"ph\":\"M\",\"name\":\"thread_sort_index\"");
    put_thread(file, worker);
    put(file, ",\"args\":{\"sort_index\":");
    put_number(file, worker);
    put(file, "}}");
    end(file);
}

/// What the trace is of, and where it was made.
static bool head(trace_file* file) {
    const trace_source* source = file->source;
    weft_machine machine = weft_machine_read();
    json_t* facts = json_pack(
        "{s:s, s:s, s:I, s:s, s:s, s:i}", "weft", weft_version(), "module", source->module->name,
        "entities", (json_int_t)source->sizes->entity_count, "executor", source->executor, "math",
        weft_math_name(weft_world_math(source->world)), "workers", (int)source->worker_count);
    if (facts == NULL) // The name is no UTF-8.
        facts =
            json_pack("{s:s, s:i}", "weft", weft_version(), "workers", (int)source->worker_count);
    (void)json_object_set_new(facts, "seed", weft_cli_json_hex(source->sizes->seed));
    for (uint32_t i = 0; i < machine.count; i++)
        (void)json_object_set_new(facts, machine.fact[i].name, json_string(machine.fact[i].text));
    char* text = json_dumps(facts, 0);
    json_decref(facts);
    if (text == NULL)
        return false;
    (void)fprintf(file->file.stream,
                  "{\"displayTimeUnit\":\"ns\",\n\"metadata\":%s,\n\"traceEvents\":[\n", text);
    free(text);
    begin(file, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":" PROCESS_ID ",\"tid\":1,\"args\":"
                "{\"name\":");
    char name[128];
    (void)snprintf(name, sizeof name, "weft %s", source->module->name);
    put_quoted(file, name);
    put(file, "}}");
    end(file);
    for (uint32_t i = 0; i < source->worker_count; i++)
        name_thread(file, i);
    return true;
}

static bool list_systems(trace_file* file) {
    const weft_schedule* schedule = file->source->schedule;
    file->system_count = weft_schedule_system_count(schedule);
    file->systems = calloc(file->system_count + 1, sizeof *file->systems);
    for (uint32_t i = 0; file->systems != NULL && i < file->system_count; i++) {
        shown_system* system = &file->systems[i];
        (void)quote(weft_schedule_system_name(schedule, i), system->name);
        for (uint32_t j = 0; j < weft_schedule_access_count(schedule, i); j++) {
            weft_access access = weft_schedule_access(schedule, i, j);
            if (access.mode == WEFT_ACCESS_WRITE || access.mode == WEFT_ACCESS_WRITE_OPTIONAL)
                system->row_bytes += access.type->size;
        }
    }
    return file->systems != NULL;
}

static void add_edge(trace_file* file, uint32_t from, uint32_t to) {
    const weft_schedule* schedule = file->source->schedule;
    if (file->edge_count < FLOWS_MAX &&
        weft_schedule_system_stage(schedule, from) != weft_schedule_system_stage(schedule, to))
        file->edges[file->edge_count++] = (shown_edge){from, to};
}

/// Edges between stages that no others imply; where these are many, those of the critical path.
static bool list_edges(trace_file* file) {
    const weft_schedule* schedule = file->source->schedule;
    weft_inspect* inspect;
    if (weft_inspect_create(schedule, &inspect) != WEFT_STATUS_OK)
        return false;
    uint32_t count = 0;
    for (uint32_t i = 0; i < weft_schedule_edge_count(schedule); i++) {
        weft_inspect_edge edge = weft_inspect_edge_at(inspect, i);
        count += !edge.implied && weft_schedule_system_stage(schedule, edge.edge.from) !=
                                      weft_schedule_system_stage(schedule, edge.edge.to);
    }
    for (uint32_t i = 0; count <= FLOWS_MAX && i < weft_schedule_edge_count(schedule); i++) {
        weft_inspect_edge edge = weft_inspect_edge_at(inspect, i);
        if (!edge.implied)
            add_edge(file, edge.edge.from, edge.edge.to);
    }
    uint32_t* path = calloc(file->system_count + 1, sizeof *path);
    uint32_t length =
        count > FLOWS_MAX && path != NULL ? weft_inspect_critical_path(inspect, path) : 0;
    for (uint32_t i = 1; i < length; i++)
        add_edge(file, path[i - 1], path[i]);
    bool listed = path != NULL;
    free(path);
    weft_inspect_destroy(inspect);
    return listed;
}

weft_status trace_file_open(const trace_source* source, const char* path, trace_file** file_out,
                            char* line, size_t capacity) {
    trace_file* file = calloc(1, sizeof *file);
    *file_out = file;
    if (file != NULL) {
        file->source = source;
        WEFT_TRY(weft_cli_file_begin(&file->file, path, "trace", line, capacity));
        if (list_systems(file) && list_edges(file) && head(file))
            return WEFT_STATUS_OK;
        weft_cli_file_drop(&file->file);
    }
    (void)snprintf(line, capacity, "%s: no memory is left for the trace", path);
    return WEFT_STATUS_OUT_OF_MEMORY;
}

// Events -----------------------------------------------------------------------------------------

static void put_name(trace_file* file, const weft_trace_record* record) {
    switch ((weft_trace_kind)record->kind) {
    case WEFT_TRACE_SYSTEM:
        put(file, file->systems[record->rank].name);
        return;
    case WEFT_TRACE_TICK:
        put(file, "\"tick ");
        put_number(file, record->tick);
        break;
    case WEFT_TRACE_STAGE:
        put(file, "\"stage ");
        put_number(file, record->stage);
        break;
    case WEFT_TRACE_HELP:
        put(file, "\"help worker ");
        put_number(file, record->other);
        break;
    default:
        put(file, "\"");
        put(file, weft_trace_kind_name((weft_trace_kind)record->kind));
        break;
    }
    put(file, "\"");
}

static void put_argument(trace_file* file, const char* name, uint64_t value) {
    put(file, name);
    put_number(file, value);
}

static void put_slice(trace_file* file, const trace_item* item) {
    const weft_trace_record* record = &item->record;
    begin(file, "{\"ph\":\"X\",\"name\":");
    put_name(file, record);
    put(file, ",\"cat\":\"");
    put(file, weft_trace_kind_name((weft_trace_kind)record->kind));
    put(file, "\"");
    put_thread(file, item->worker);
    put_time(file, record->begin_ns);
    put(file, ",\"dur\":");
    uint64_t from = record->begin_ns > file->start_ns ? record->begin_ns : file->start_ns;
    put_us(file, record->end_ns > from ? record->end_ns - from : 0);
    put_argument(file, ",\"args\":{\"tick\":", record->tick);
    if (record->stage != WEFT_TRACE_NONE)
        put_argument(file, ",\"stage\":", record->stage);
    if (record->kind == WEFT_TRACE_HASH) {
        put(file, ",\"after\":");
        put(file, file->systems[record->rank].name);
    }
    if (record->archetype != WEFT_TRACE_NONE) {
        put_argument(file, ",\"archetype\":", record->archetype);
        put_argument(file, ",\"shard\":", record->shard);
        put_argument(file, ",\"rows\":", record->count);
    } else if (record->count > 0) {
        put_argument(file, ",\"items\":", record->count);
    }
    put(file, "}}");
    end(file);
}

/// Perfetto's name of the track is both words.
static void put_counter(trace_file* file, const char* name, const char* what, uint64_t ns,
                        uint64_t value) {
    begin(file, "{\"ph\":\"C\",\"name\":\"");
    put(file, name);
    put(file, "\",\"pid\":" PROCESS_ID);
    put_time(file, ns);
    put(file, ",\"args\":{\"");
    put(file, what);
    put_argument(file, "\":", value);
    put(file, "}}");
    end(file);
}

/// An arrow from one call to another. Where a slice ends and the next begins Perfetto takes the
/// next and chrome://tracing the one before, so both ends are a nanosecond inside.
static void put_flow(trace_file* file, const shown_edge* edge) {
    const trace_item* from = file->systems[edge->from].last;
    const trace_item* to = file->systems[edge->to].first;
    if (from == NULL || to == NULL || from->record.end_ns > to->record.begin_ns ||
        from->record.end_ns - from->record.begin_ns < 2 ||
        to->record.end_ns - to->record.begin_ns < 2)
        return;
    begin(file, "{\"ph\":\"s\",\"name\":\"edge\",\"cat\":\"edge\",\"id\":");
    put_number(file, ++file->flows);
    put_thread(file, from->worker);
    put_time(file, from->record.end_ns - 1);
    put(file, "}");
    end(file);
    begin(file, "{\"ph\":\"f\",\"bp\":\"e\",\"name\":\"edge\",\"cat\":\"edge\",\"id\":");
    put_number(file, file->flows);
    put_thread(file, to->worker);
    put_time(file, to->record.begin_ns + 1);
    put(file, "}");
    end(file);
}

static int compare_calls(const void* a, const void* b) {
    const trace_item* x = *(const trace_item* const*)a;
    const trace_item* y = *(const trace_item* const*)b;
    if (x->record.tick != y->record.tick)
        return x->record.tick < y->record.tick ? -1 : 1;
    if (x->record.stage != y->record.stage)
        return x->record.stage < y->record.stage ? -1 : 1;
    return (x->record.begin_ns > y->record.begin_ns) - (x->record.begin_ns < y->record.begin_ns);
}

/// How many calls of the running stage nobody has begun.
static void put_ready(trace_file* file, size_t call_count) {
    if (call_count > 0)
        qsort(file->calls, call_count, sizeof(trace_item*), compare_calls);
    for (size_t first = 0; first < call_count;) {
        size_t next = first;
        while (next < call_count &&
               file->calls[next]->record.tick == file->calls[first]->record.tick &&
               file->calls[next]->record.stage == file->calls[first]->record.stage)
            next++;
        size_t step = (next - first + READY_STEPS - 1) / READY_STEPS;
        for (size_t i = first; i < next; i += step)
            put_counter(file, "ready calls", "now", file->calls[i]->record.begin_ns, next - i);
        put_counter(file, "ready calls", "now", file->calls[next - 1]->record.end_ns, 0);
        first = next;
    }
}

/// Gathers what is about calls. Returns how many there are; 0 if there is no memory for a list.
static size_t look_at_calls(trace_file* file, const trace_round* round, uint64_t* bytes_out) {
    size_t count = 0;
    for (uint32_t i = 0; i < file->system_count; i++)
        file->systems[i].first = file->systems[i].last = NULL;
    if (file->call_capacity < round->count) {
        free(file->calls);
        file->calls = calloc(round->count, sizeof(trace_item*));
        file->call_capacity = file->calls == NULL ? 0 : round->count;
    }
    for (size_t i = 0; i < round->count; i++) {
        const trace_item* item = &round->items[i];
        const weft_trace_record* record = &item->record;
        if (record->kind != WEFT_TRACE_SYSTEM)
            continue;
        shown_system* system = &file->systems[record->rank];
        *bytes_out += system->row_bytes * record->count;
        if (system->first == NULL || record->begin_ns < system->first->record.begin_ns)
            system->first = item;
        if (system->last == NULL || record->end_ns > system->last->record.end_ns)
            system->last = item;
        if (file->calls != NULL)
            file->calls[count++] = item;
    }
    return count;
}

/// A value is shown until the next one comes, so what is counted of a tick stands at its begin.
static void put_counters(trace_file* file, const trace_round* round, const weft_trace_record* tick,
                         uint64_t bytes) {
    const trace_source* source = file->source;
    uint64_t ns = tick->begin_ns;
    put_counter(file, "entities", "now", tick->end_ns, weft_world_entity_count(source->world));
    put_counter(file, "commands", PER_TICK, ns, round->commands);
    put_counter(file, "messages", PER_TICK, ns, round->messages);
    put_counter(file, "bytes of written columns", PER_TICK, ns, bytes);
    for (uint32_t i = 0; i < source->worker_count; i++)
        for (uint32_t j = 0; j < WEFT_TRACE_COUNTERS; j++) {
            char name[64];
            if ((source->counter_mask >> j & 1) == 0)
                continue;
            (void)snprintf(name, sizeof name, "worker %" PRIu32 " %s", i,
                           weft_trace_counter_name((weft_trace_counter)j));
            put_counter(file, name, PER_TICK, ns, round->counts[i].value[j]);
        }
}

bool trace_file_add(trace_file* file, const trace_round* round) {
    if (file->bytes >= BYTES_MAX)
        return false;
    const weft_trace_record* tick = NULL; // The last.
    uint64_t bytes = 0;
    bool first = file->start_ns == 0;
    file->start_ns = first ? UINT64_MAX : file->start_ns;
    for (size_t i = 0; i < round->count; i++) {
        const weft_trace_record* record = &round->items[i].record;
        if (first && record->begin_ns < file->start_ns)
            file->start_ns = record->begin_ns;
        if (record->kind == WEFT_TRACE_TICK && (tick == NULL || record->end_ns > tick->end_ns))
            tick = record;
    }
    for (size_t i = 0; i < round->count; i++)
        put_slice(file, &round->items[i]);
    size_t call_count = look_at_calls(file, round, &bytes);
    if (call_count > 0)
        put_ready(file, call_count);
    for (uint32_t i = 0; i < file->edge_count; i++)
        put_flow(file, &file->edges[i]);
    if (tick != NULL)
        put_counters(file, round, tick, bytes);
    return true;
}

uint64_t trace_file_events(const trace_file* file) {
    return file->events;
}

weft_status trace_file_close(trace_file* file, char* line, size_t capacity) {
    if (file == NULL)
        return WEFT_STATUS_OK;
    if (file->file.stream != NULL)
        (void)fputs("\n]}\n", file->file.stream);
    weft_status status = weft_cli_file_end(&file->file, line, capacity);
    free(file->systems);
    free(file->calls);
    free(file);
    return status;
}
