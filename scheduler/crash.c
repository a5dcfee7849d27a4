// A worker's death in words.

#include <stdio.h>
#include <string.h>

#include "guard_call.h"
#include "processes.h"
#include "source.h"

static void describe_frames(weft__processes* processes) {
    weft_crash_report* report = &processes->report;
    const weft__fault* fault = &processes->fault;
    for (uint32_t i = 0; i < fault->frame_count && report->frame_count < WEFT_CRASH_FRAMES; i++) {
        weft__source source;
        weft_crash_frame* frame = &report->frames[report->frame_count];
        if (!weft__source_find(fault, i, &source))
            continue;
        frame->offset = source.offset;
        frame->line = source.symbol.line;
        (void)snprintf(frame->module, sizeof(frame->module), "%s", source.module);
        (void)snprintf(frame->function, sizeof(frame->function), "%s", source.symbol.function);
        (void)snprintf(frame->file, sizeof(frame->file), "%s", source.symbol.file);
        report->frame_count++;
    }
}

// "was killed by SIGSEGV", "exited with code 3", ...
static void end_text(const weft__processes* processes, char* text, size_t capacity) {
    static const char* const stands[] = {"did nothing", "was in one task",
                                         "was stopped by somebody", "did not go on"};
    const weft_crash_report* report = &processes->report;
    char name[32];
    switch (report->kind) {
    case WEFT_CRASH_SIGNAL:
        (void)snprintf(text, capacity, "was killed by %s",
                       weft__os_signal_name(report->signal, name, sizeof(name)));
        return;
    case WEFT_CRASH_EXIT:
        (void)snprintf(text, capacity, "exited with code %d", report->exit_code);
        return;
    case WEFT_CRASH_STUCK:
        (void)snprintf(text, capacity, "%s for %.3g s, and was killed", stands[processes->stand],
                       (double)processes->stuck_ns / 1e9);
        return;
    case WEFT_CRASH_NONE:
    case WEFT_CRASH_LOST:
        (void)snprintf(text, capacity,
                       "ended, and the program has waited for it, so nobody knows how");
        return;
    }
}

// Told by the one who dies: where its columns lay is forgotten when the world comes back.
void weft__crash_place(const void* context, const weft__fault* fault, char* text, size_t capacity) {
    const weft_world* world = context;
    weft__spot spot = weft__guard_spot(world, weft__guard_in_place(world, fault->address));
    if (spot.place != WEFT_GUARD_NOWHERE)
        weft__guard_spot_text(world, &spot, text, capacity);
}

// " (it wrote Place.x of entity 3:1 ...)"
static void address_text(const weft__processes* processes, char* text, size_t capacity) {
    static const char* const acts[] = {"touched", "read", "wrote"};
    const weft__fault* fault = &processes->fault;
    text[0] = '\0';
    if (fault->address == NULL && fault->access == WEFT__FAULT_UNKNOWN)
        return;
    if (processes->place[0] == '\0')
        (void)snprintf(text, capacity, " (it %s address 0x%llx)", acts[fault->access],
                       (unsigned long long)(uintptr_t)fault->address);
    else
        (void)snprintf(text, capacity, " (it %s %.140s)", acts[fault->access], processes->place);
}

// Memory that workers share is not to be trusted after a death.
static void place_text(weft__processes* processes, char* text, size_t capacity) {
    weft_crash_report* report = &processes->report;
    report->in_system = report->in_system && processes->rank < processes->system_count;
    if (!report->in_system) {
        report->archetype = report->shard = 0;
        return;
    }
    const weft__system_card* system = &processes->systems[processes->rank];
    (void)snprintf(report->system, sizeof(report->system), "%s", system->name);
    if (system->scope == WEFT_SCOPE_CHUNK)
        (void)snprintf(text, capacity, " in system \"%.48s\", archetype %u, shard %u", system->name,
                       report->archetype, report->shard);
    else
        (void)snprintf(text, capacity, " in system \"%.48s\"", system->name);
}

// Whose frames are told apart from Weft's own: the system's, or any.
static uintptr_t user_function(const weft__processes* processes) {
    return processes->report.in_system ? (uintptr_t)processes->systems[processes->rank].run
                                       : (uintptr_t)weft_world_create;
}

void weft__crash_describe(weft__processes* processes) {
    weft_crash_report* report = &processes->report;
    const weft__fault* fault = &processes->fault;
    char end[72]; // Together they fit into the text.
    char address[157];
    char place[104] = "";
    char where[120] = "";
    weft__source source;
    report->address = (uint64_t)(uintptr_t)fault->address;
    describe_frames(processes);
    end_text(processes, end, sizeof(end));
    address_text(processes, address, sizeof(address));
    place_text(processes, place, sizeof(place));
    if (weft__source_innermost(fault, user_function(processes), &source))
        weft__source_text(&source, where, sizeof(where));
    (void)snprintf(report->text, sizeof(report->text), "in tick %llu worker process %u %s%s%s%s",
                   (unsigned long long)report->tick, report->worker, end, address, place, where);
}

const weft_crash_report* weft_executor_crash_report(const weft_executor* executor) {
    static const weft_crash_report none = {.kind = WEFT_CRASH_NONE};
    WEFT_ASSERT(executor != NULL);
    return executor->processes == NULL ? &none : &executor->processes->report;
}
