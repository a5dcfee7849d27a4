#include "advice.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// From which on something is worth saying.
#define SHARE_SERIAL 0.05 // Of the tick.
#define SHARE_STAGE 0.10  // Of the tick, and
#define SHARE_IDLE 0.20   // of its workers' time.
#define SHARE_SYSTEM 0.05 // Of all work.
#define SHARE_LONGEST 0.5 // Of a stage.
#define SHARE_SPLIT 0.25  // Of all work.
#define SHARE_COLUMNS 0.5 // Of the smaller system's bytes.
#define SHARE_MEMORY 0.5  // Of what memory gives.
#define MEMORY_MOST 1.5   // A measurement may be off by as much; beyond it is another place.
#define SHARE_MOVES 0.10  // Of the visits.
#define ROWS_FEW 256.0    // In a call: less than that is not worth the way to it.
#define CALL_SHORT_NS 2000.0
#define SHARE_JOIN 0.25 // Of all work, and
#define COLUMNS_MANY 4u // of one system, more than that.
#define BYTES_LARGE 32u // Of a component.

const char* const weft_advice_names[WEFT_ADVICE_KINDS] = {
    "serial", "width", "wait",         "split",   "merge",
    "memory", "cold",  "small-chunks", "sharing", "join"};

typedef struct advisor {
    const weft_costs* costs;
    const weft_schedule* schedule;
    weft_advice* out;
    uint32_t count;
    double tick_ns; // Of all ticks, as the next.
    double work_ns;
} advisor;

static void say(advisor* all, weft_advice_kind kind, double share, const char* format, ...)
    WEFT_PRINTF(4, 5);

static void say(advisor* all, weft_advice_kind kind, double share, const char* format, ...) {
    if (all->count == WEFT_ADVICE_MAX)
        return;
    weft_advice* advice = &all->out[all->count++];
    *advice = (weft_advice){.kind = kind, .share = share < 1 ? share : 1};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(advice->text, sizeof(advice->text), format, arguments);
    va_end(arguments);
}

static const char* name_of(const advisor* all, uint32_t rank) {
    return weft_schedule_system_name(all->schedule, rank);
}

static double per_tick(const advisor* all, double sum) {
    return sum / (double)all->costs->ticks;
}

// Microseconds of a tick.
static double us(const advisor* all, uint64_t ns) {
    return per_tick(all, (double)ns) / 1000;
}

// What memory gives for this mix of reading and writing. Of what an update moves a third is read
// only.
static double memory_gbs(const advisor* all, const weft_cost_system* system) {
    double bytes = weft_cost_bytes(system);
    double written = bytes > 0 ? fmin(2 * system->both_bytes / bytes * 1.5, 1) : 0;
    return all->costs->read_gbs * (1 - written) + all->costs->update_gbs * written;
}

// Share of that which a system takes while it runs, all workers doing so. 0: not known.
static double memory_share(const advisor* all, const weft_cost_system* system) {
    double gbs = memory_gbs(all, system);
    return gbs > 0 ? weft_cost_gbs(system) * all->costs->worker_count / gbs : 0;
}

// One worker alone -------------------------------------------------------------------------------

static void advise_serial(advisor* all) {
    const weft_costs* costs = all->costs;
    double serial = (double)weft_costs_serial_ns(costs);
    double shared = (double)weft_costs_shared_ns(costs);
    double share = serial / all->tick_ns;
    double before = (double)weft_costs_between_ns(costs);
    if (share < SHARE_SERIAL)
        return;
    say(all, WEFT_ADVICE_SERIAL, share,
        "%.0f%% of a tick (%.1f us) is done by one worker alone: %.1f us in the commit, %.1f us "
        "before and between stages (inputs, the order of messages, reductions); with any number of "
        "workers it is at most %.1f times as fast as with one. Fewer creates, deaths and messages, "
        "or sets of values in place of add and remove, make it less",
        share * 100, us(all, (uint64_t)serial), us(all, (uint64_t)(serial - before)),
        us(all, (uint64_t)before), (serial + shared) / serial);
}

// Stages -----------------------------------------------------------------------------------------

// The system of a stage that costs most, of one scope.
static uint32_t largest_of(const advisor* all, uint32_t stage, weft_scope scope) {
    uint32_t found = WEFT_TRACE_NONE;
    for (uint32_t rank = 0; rank < all->costs->system_count; ++rank) {
        if (weft_schedule_system_stage(all->schedule, rank) != stage ||
            weft_schedule_system_scope(all->schedule, rank) != scope)
            continue;
        if (found == WEFT_TRACE_NONE || all->costs->system[rank].ns > all->costs->system[found].ns)
            found = rank;
    }
    return found;
}

static void advise_idle(advisor* all, uint32_t stage, double share, double idle) {
    const weft_cost_stage* at = &all->costs->stage[stage];
    uint32_t world = largest_of(all, stage, WEFT_SCOPE_WORLD);
    uint32_t chunk = largest_of(all, stage, WEFT_SCOPE_CHUNK);
    double items = per_tick(all, (double)at->items);
    double longest = (double)at->longest_ns / (double)at->ns;
    const char* name = name_of(all, chunk != WEFT_TRACE_NONE ? chunk : world);
    if (world != WEFT_TRACE_NONE &&
        (double)all->costs->system[world].ns >= SHARE_LONGEST * (double)at->ns)
        say(all, WEFT_ADVICE_SPLIT, share * idle,
            "system %s is of world scope and takes %.1f us of the %.1f us of its stage, in which "
            "workers have nothing to do for %.0f%% of their time: what it does for each entity "
            "belongs into a system of chunk scope, what it sums up into a reduction",
            name_of(all, world), us(all, all->costs->system[world].ns), us(all, at->ns),
            idle * 100);
    else if (items < all->costs->worker_count)
        say(all, WEFT_ADVICE_WIDTH, share * idle,
            "the stage of %s has %.1f chunks for %u workers, who have nothing to do for %.0f%% of "
            "its %.1f us: fewer workers, or more entities",
            name, items, all->costs->worker_count, idle * 100, us(all, at->ns));
    else if (at->others_ns < at->work_ns / 50)
        say(all, WEFT_ADVICE_WAIT, share * idle,
            "the stage of %s takes %.1f us and was run by one worker alone, but for %.1f%% of its "
            "work: shared it was measured to be slower here, as the CPUs lie far apart or are "
            "taken away, or as it is too short to be handed out; with one worker nobody waits",
            name, us(all, at->ns), (double)at->others_ns / (double)at->work_ns * 100);
    else if (longest >= SHARE_LONGEST)
        say(all, WEFT_ADVICE_WIDTH, share * idle,
            "in the stage of %s one chunk of %.0f takes %.1f us of %.1f us, and the workers have "
            "nothing to do for %.0f%% of their time: some rows cost far more than others; split "
            "that work into a system or into messages",
            name, items, us(all, at->longest_ns), us(all, at->ns), idle * 100);
    else
        say(all, WEFT_ADVICE_WAIT, share * idle,
            "the stage of %s takes %.1f us, and the workers have nothing to do for %.0f%% of their "
            "time in it, of which the others than the first did %.0f%% of the work: handing it "
            "out, waking them and joining costs that, or their CPUs are taken away; fewer stages "
            "or fewer workers",
            name, us(all, at->ns), idle * 100, (double)at->others_ns / (double)at->work_ns * 100);
}

static void advise_stages(advisor* all) {
    const weft_costs* costs = all->costs;
    for (uint32_t i = 0; i < costs->stage_count; ++i) {
        const weft_cost_stage* at = &costs->stage[i];
        double share = (double)at->ns / all->tick_ns;
        double room = (double)at->ns * costs->worker_count;
        double idle = room > 0 ? 1 - (double)at->work_ns / room : 0;
        if (costs->worker_count > 1 && share >= SHARE_STAGE && idle >= SHARE_IDLE)
            advise_idle(all, i, share, idle);
    }
}

// Systems ----------------------------------------------------------------------------------------

static bool is_own(weft_access access) {
    return access.mode >= WEFT_ACCESS_READ && access.mode <= WEFT_ACCESS_WRITE_OPTIONAL;
}

// Bytes of the columns that both use.
static double bytes_in_common(const advisor* all, uint32_t a, uint32_t b) {
    double bytes = 0;
    uint32_t a_count = weft_schedule_access_count(all->schedule, a);
    uint32_t b_count = weft_schedule_access_count(all->schedule, b);
    for (uint32_t i = 0; i < a_count; ++i) {
        weft_access one = weft_schedule_access(all->schedule, a, i);
        for (uint32_t j = 0; j < b_count && is_own(one); ++j) {
            weft_access two = weft_schedule_access(all->schedule, b, j);
            if (is_own(two) && two.type == one.type)
                bytes += one.type->size;
        }
    }
    return bytes;
}

static double column_bytes(const weft_cost_system* system) {
    return system->read_bytes + system->both_bytes;
}

static double call_ns(const weft_cost_system* system) {
    return system->calls > 0 ? (double)system->ns / (double)system->calls : 0;
}

// Neighbours in a stage that walk the same columns, with calls so short or so near the limit of
// memory that a second walk counts.
static void advise_merge(advisor* all, uint32_t rank) {
    const weft_cost_system* a = &all->costs->system[rank];
    const weft_cost_system* b = &all->costs->system[rank + 1];
    double common = bytes_in_common(all, rank, rank + 1);
    double less = fmin(column_bytes(a), column_bytes(b));
    double share = (double)(a->ns + b->ns) / all->work_ns;
    bool together = weft_schedule_system_stage(all->schedule, rank) ==
                        weft_schedule_system_stage(all->schedule, rank + 1) &&
                    weft_schedule_system_scope(all->schedule, rank) == WEFT_SCOPE_CHUNK &&
                    weft_schedule_system_scope(all->schedule, rank + 1) == WEFT_SCOPE_CHUNK;
    bool shorts = fmin(call_ns(a), call_ns(b)) < CALL_SHORT_NS;
    bool bound = fmin(memory_share(all, a), memory_share(all, b)) >= SHARE_MEMORY;
    if (!together || share < SHARE_SYSTEM || a->calls == 0 || b->calls == 0 || less <= 0 ||
        common < SHARE_COLUMNS * less || !(shorts || bound))
        return;
    say(all, WEFT_ADVICE_MERGE, share,
        "%s and %s are in one stage, have %.0f of %.0f and %.0f bytes of a row in common, and take "
        "%.0f%% of all work; a call takes %.2f us and %.2f us: as one system they walk the columns "
        "once",
        name_of(all, rank), name_of(all, rank + 1), common, column_bytes(a), column_bytes(b),
        share * 100, call_ns(a) / 1000, call_ns(b) / 1000);
}

// Who needs all rows of others before it begins, and writes: the first part ends a stage, the
// second need not.
static void advise_split(advisor* all, uint32_t rank) {
    const weft_cost_system* system = &all->costs->system[rank];
    double share = (double)system->ns / all->work_ns;
    uint32_t barriers = 0;
    uint32_t any = 0;
    for (uint32_t i = 0; i < weft_schedule_edge_count(all->schedule); ++i) {
        weft_edge edge = weft_schedule_edge(all->schedule, i);
        barriers += edge.barrier && (edge.from == rank || edge.to == rank);
    }
    for (uint32_t i = 0; i < weft_schedule_access_count(all->schedule, rank); ++i)
        any += weft_schedule_access(all->schedule, rank, i).mode == WEFT_ACCESS_READ_ANY;
    if (share < SHARE_SPLIT || any == 0 || barriers == 0 || system->both_bytes <= 0)
        return;
    say(all, WEFT_ADVICE_SPLIT, share,
        "system %s is %.0f%% of all work, reads rows of others in %u component%s and makes %u "
        "edge%s that end a stage: what it does to its own row only, in a system of its own, could "
        "go on in the next stage without that wait",
        name_of(all, rank), share * 100, any, any == 1 ? "" : "s", barriers,
        barriers == 1 ? "" : "s");
}

// What the caches hold does not come from memory; neither does what is faster than that.
static bool is_in_caches(const advisor* all, const weft_cost_system* system, double memory) {
    double bytes = column_bytes(system) * per_tick(all, (double)system->rows);
    return memory > MEMORY_MOST || bytes < 2 * all->costs->cache_bytes;
}

static void advise_memory(advisor* all, uint32_t rank) {
    const weft_cost_system* system = &all->costs->system[rank];
    double share = (double)system->ns / all->work_ns;
    double memory = memory_share(all, system);
    double bytes = column_bytes(system);
    if (share < SHARE_SYSTEM || memory < SHARE_MEMORY || is_in_caches(all, system, memory))
        return;
    say(all, WEFT_ADVICE_MEMORY, share * fmin(memory, 1),
        "system %s moves %.1f GB/s with %u workers by what it declares, %.0f%% of what the "
        "machine's memory gives them (%.1f GB/s): more workers do not help; fewer bytes a row do, "
        "or more work on the same columns",
        name_of(all, rank), weft_cost_gbs(system) * all->costs->worker_count,
        all->costs->worker_count, memory * 100, memory_gbs(all, system));
    for (uint32_t i = 0; i < weft_schedule_access_count(all->schedule, rank); ++i) {
        weft_access access = weft_schedule_access(all->schedule, rank, i);
        if (!is_own(access) || access.type->size < BYTES_LARGE ||
            access.type->size < SHARE_COLUMNS * bytes)
            continue;
        say(all, WEFT_ADVICE_COLD, share * fmin(memory, 1) * access.type->size / bytes,
            "component %s is %u of the %.0f bytes that %s moves for a row at %.0f%% of the "
            "machine's memory: if that system needs few of its fields, the others are cold, and "
            "belong into a component of their own",
            access.type->name, access.type->size, bytes, name_of(all, rank), memory * 100);
    }
}

static void advise_small(advisor* all, uint32_t rank) {
    const weft_cost_system* system = &all->costs->system[rank];
    double share = (double)system->ns / all->work_ns;
    double rows = system->calls > 0 ? (double)system->rows / (double)system->calls : 0;
    if (weft_schedule_system_scope(all->schedule, rank) != WEFT_SCOPE_CHUNK ||
        share < SHARE_SYSTEM || rows >= ROWS_FEW || per_tick(all, (double)system->calls) < 2)
        return;
    say(all, WEFT_ADVICE_SMALL, share,
        "system %s is called %.0f times in a tick for %.0f rows each: a call takes %.0f ns. Chunks "
        "are that small where few entities have the same set of components; a field in place of a "
        "tag makes them larger, or a presence table",
        name_of(all, rank), per_tick(all, (double)system->calls), rows, call_ns(system));
}

// Components -------------------------------------------------------------------------------------

static bool uses(const advisor* all, uint32_t rank, const weft_type* type, uint32_t* columns) {
    bool found = false;
    *columns = 0;
    for (uint32_t i = 0; i < weft_schedule_access_count(all->schedule, rank); ++i) {
        weft_access access = weft_schedule_access(all->schedule, rank, i);
        *columns += is_own(access) && access.type->size > 0;
        found = found || access.type == type;
    }
    return found;
}

// Whether each system uses both or neither, and what those cost who do.
static bool go_together(const advisor* all, const weft_type* a, const weft_type* b,
                        uint32_t* systems, uint32_t* columns, double* share) {
    *systems = *columns = 0;
    *share = 0;
    for (uint32_t rank = 0; rank < all->costs->system_count; ++rank) {
        uint32_t count;
        bool one = uses(all, rank, a, &count);
        if (one != uses(all, rank, b, &count))
            return false;
        if (!one)
            continue;
        ++*systems;
        *columns = count > *columns ? count : *columns;
        *share += (double)all->costs->system[rank].ns / all->work_ns;
    }
    return true;
}

static bool is_used_before(const advisor* all, uint32_t rank, const weft_type* type) {
    uint32_t columns;
    bool found = false;
    for (uint32_t before = 0; before < rank && !found; ++before)
        found = uses(all, before, type, &columns);
    return found;
}

// Pairs are told at the first system that uses them.
static void advise_join(advisor* all, uint32_t rank) {
    uint32_t count = weft_schedule_access_count(all->schedule, rank);
    for (uint32_t i = 0; i < count; ++i) {
        weft_access a = weft_schedule_access(all->schedule, rank, i);
        bool first = is_own(a) && a.type->size > 0 && !is_used_before(all, rank, a.type);
        for (uint32_t k = i + 1; k < count && first; ++k) {
            weft_access b = weft_schedule_access(all->schedule, rank, k);
            uint32_t systems;
            uint32_t columns;
            double share;
            if (!is_own(b) || b.type->size == 0 ||
                !go_together(all, a.type, b.type, &systems, &columns, &share) ||
                share < SHARE_JOIN || columns <= COLUMNS_MANY)
                continue;
            say(all, WEFT_ADVICE_JOIN, share,
                "components %s and %s, of %u and %u bytes, are used by the same systems (%u, "
                "%.0f%% "
                "of all work), one of which walks %u columns: as one component they are one column "
                "less",
                a.type->name, b.type->name, a.type->size, b.type->size, systems, share * 100,
                columns);
        }
    }
}

static void advise_sharing(advisor* all) {
    const weft_costs* costs = all->costs;
    double moves = costs->visits > 0 ? (double)costs->moves / (double)costs->visits : 0;
    if (costs->worker_count < 2 || moves < SHARE_MOVES)
        return;
    say(all, WEFT_ADVICE_SHARING, moves,
        "%.0f%% of the visits of chunks were by another worker than in the tick before, so their "
        "lines went from cache to cache: workers help each other where shares are unequal or the "
        "CPUs are taken away; a coarser grain or fewer workers keep chunks where they are",
        moves * 100);
}

uint32_t weft_advise(const weft_costs* costs, const weft_schedule* schedule,
                     weft_advice out[WEFT_ADVICE_MAX]) {
    advisor all = {.costs = costs,
                   .schedule = schedule,
                   .out = out,
                   .tick_ns = (double)costs->tick_ns,
                   .work_ns = (double)weft_costs_shared_ns(costs)};
    if (costs->ticks == 0 || costs->tick_ns == 0 || all.work_ns <= 0)
        return 0;
    advise_serial(&all);
    advise_stages(&all);
    advise_sharing(&all);
    for (uint32_t rank = 0; rank < costs->system_count; ++rank) {
        if (rank + 1 < costs->system_count)
            advise_merge(&all, rank);
        if ((double)costs->system[rank].ns >= SHARE_SPLIT * all.work_ns)
            advise_split(&all, rank);
        advise_memory(&all, rank);
        advise_join(&all, rank);
        advise_small(&all, rank);
    }
    // By share; what came first stays first.
    for (uint32_t i = 1; i < all.count; ++i) {
        for (uint32_t k = i; k > 0 && out[k].share > out[k - 1].share; --k) {
            weft_advice held = out[k];
            out[k] = out[k - 1];
            out[k - 1] = held;
        }
    }
    return all.count;
}
