#include "layout.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char* const weft_layout_memory_names[WEFT_LAYOUT_MEMORIES] = {"huge-pages", "small-pages",
                                                                    "interleaved"};

weft_layout weft_layout_default(uint32_t worker_count) {
    weft_executor_desc desc = weft_executor_desc_default();
    return (weft_layout){.kind = WEFT_EXECUTOR_THREADS,
                         .worker_count = worker_count,
                         .pin = desc.pin,
                         .policy = desc.placement.policy,
                         .grain = desc.grain,
                         .sweep = desc.sweep,
                         .spin_ns = desc.spin_ns,
                         .yield_ns = desc.yield_ns};
}

bool weft_layout_is_parallel(const weft_layout* layout) {
    return layout->kind == WEFT_EXECUTOR_THREADS || layout->kind == WEFT_EXECUTOR_PROCESSES;
}

weft_executor_desc weft_layout_desc(const weft_layout* layout, weft_system_sweep* sweeps) {
    weft_executor_desc desc = weft_executor_desc_default();
    desc.kind = layout->kind;
    desc.worker_count = layout->worker_count;
    desc.pin = layout->pin;
    desc.placement.policy = layout->policy;
    desc.placement.cpus = layout->cpu_count > 0 ? layout->cpus : NULL;
    desc.placement.cpu_count = layout->cpu_count;
    desc.grain = layout->grain;
    desc.sweep = layout->sweep;
    for (uint32_t i = 0; i < layout->sweep_count; ++i)
        sweeps[i] = (weft_system_sweep){layout->sweeps[i].system, layout->sweeps[i].sweep};
    desc.sweeps = layout->sweep_count > 0 ? sweeps : NULL;
    desc.sweep_count = layout->sweep_count;
    desc.spin_ns = layout->spin_ns;
    desc.yield_ns = layout->yield_ns;
    return desc;
}

weft_status weft_layout_memory_of(const weft_layout* layout, const weft_topology* topology,
                                  weft_memory* out) {
    if (layout->kind == WEFT_EXECUTOR_PROCESSES)
        return weft_memory_aliased(false, out);
    *out = layout->memory == WEFT_LAYOUT_SMALL_PAGES ? weft_memory_small_pages()
                                                     : weft_memory_system();
    if (layout->memory != WEFT_LAYOUT_INTERLEAVED)
        return WEFT_STATUS_OK;
    WEFT_ASSERT(topology);
    return weft_memory_interleaved(topology, out);
}

bool weft_layout_order(weft_layout* layout, const char* system, weft_sweep sweep) {
    uint32_t at = 0;
    while (at < layout->sweep_count && strcmp(layout->sweeps[at].system, system) != 0)
        ++at;
    if (at == WEFT_LAYOUT_SWEEPS_MAX || strlen(system) >= WEFT_LAYOUT_NAME)
        return false;
    snprintf(layout->sweeps[at].system, WEFT_LAYOUT_NAME, "%s", system);
    layout->sweeps[at].sweep = sweep;
    if (at == layout->sweep_count)
        ++layout->sweep_count;
    return true;
}

bool weft_layout_equal(const weft_layout* a, const weft_layout* b) {
    if (a->kind != b->kind || a->worker_count != b->worker_count || a->pin != b->pin ||
        a->policy != b->policy || a->cpu_count != b->cpu_count || a->grain != b->grain ||
        a->sweep != b->sweep || a->sweep_count != b->sweep_count || a->spin_ns != b->spin_ns ||
        a->yield_ns != b->yield_ns || a->memory != b->memory ||
        memcmp(a->cpus, b->cpus, a->cpu_count * sizeof(a->cpus[0])) != 0)
        return false;
    for (uint32_t i = 0; i < a->sweep_count; ++i) {
        if (strcmp(a->sweeps[i].system, b->sweeps[i].system) != 0 ||
            a->sweeps[i].sweep != b->sweeps[i].sweep)
            return false;
    }
    return true;
}

// Words ------------------------------------------------------------------------------------------

static void say(char text[WEFT_LAYOUT_TEXT], const char* format, ...) WEFT_PRINTF(2, 3);

static void say(char text[WEFT_LAYOUT_TEXT], const char* format, ...) {
    size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, WEFT_LAYOUT_TEXT - length, format, arguments);
    va_end(arguments);
}

static void say_workers(const weft_layout* layout, char text[WEFT_LAYOUT_TEXT]) {
    static const char* const policies[] = {"spread", "compact", "per-node", "on listed CPUs"};
    weft_layout plain = weft_layout_default(1);
    say(text, "%s, %u %s", layout->kind == WEFT_EXECUTOR_PROCESSES ? "processes" : "threads",
        layout->worker_count, layout->worker_count == 1 ? "worker" : "workers");
    if (!layout->pin)
        say(text, ", not pinned");
    else if (layout->policy != plain.policy)
        say(text, ", %s", policies[layout->policy]);
    if (layout->grain != plain.grain)
        say(text, ", grain %u", layout->grain);
    if (layout->spin_ns != plain.spin_ns)
        say(text, ", spin %u us", layout->spin_ns / 1000);
    if (layout->yield_ns != plain.yield_ns)
        say(text, ", yield %u us", layout->yield_ns / 1000);
}

void weft_layout_text(const weft_layout* layout, char text[WEFT_LAYOUT_TEXT]) {
    static const char* const orders[] = {"by cost", "by chunk", "by system"};
    text[0] = '\0';
    if (weft_layout_is_parallel(layout))
        say_workers(layout, text);
    else
        say(text, "serial");
    if (layout->sweep != WEFT_SWEEP_AUTO)
        say(text, ", stages %s", orders[layout->sweep]);
    for (uint32_t i = 0; i < layout->sweep_count; ++i)
        say(text, ", stage of %s %s", layout->sweeps[i].system, orders[layout->sweeps[i].sweep]);
    if (layout->memory != WEFT_LAYOUT_HUGE_PAGES)
        say(text, ", %s", weft_layout_memory_names[layout->memory]);
}
