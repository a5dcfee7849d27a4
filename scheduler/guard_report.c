// What a guard found, in words: who, what, which entity, where in the sources.

#include "guard_call.h"

#include <stdio.h>
#include <string.h>

#include "source.h"

// Texts
// --------------------------------------------------------------------------------------------

static void copy_text(char* to, size_t capacity, const char* from) {
    (void)snprintf(to, capacity, "%s", from);
}

void weft__guard_spot_text(const weft_world* world, const weft__spot* spot, char* text,
                           size_t capacity) {
    char path[WEFT_GUARD_NAME_SIZE] = "";
    char where[64] = "";
    const weft_type* type = spot->type_id == 0 ? NULL : weft__type_at(world, spot->type_id)->type;
    const char* name = type != NULL ? type->name : "the handle";
    if (type != NULL && !spot->beyond)
        (void)weft_type_path(type, spot->offset, path, sizeof(path));
    if (spot->chunk != NULL && spot->chunk->sparse)
        (void)snprintf(where, sizeof(where), "(shard %u)", spot->chunk->shard);
    else if (spot->chunk != NULL)
        (void)snprintf(where, sizeof(where), "(archetype %u, shard %u)", spot->chunk->archetype,
                       spot->chunk->shard);
    if (spot->place == WEFT_GUARD_NOWHERE)
        copy_text(text, capacity, "memory that is not for systems");
    else if (spot->chunk == NULL && spot->beyond)
        (void)snprintf(text, capacity, "past the last value of %.64s", name);
    else if (spot->chunk == NULL)
        (void)snprintf(text, capacity, "%.64s[%u]%s%.48s", name, spot->row,
                       path[0] != '\0' ? "." : "", path);
    else if (spot->beyond)
        (void)snprintf(text, capacity, "past the last row of %.64s %s",
                       type != NULL ? name : "the handles", where);
    else
        (void)snprintf(text, capacity, "%.64s%s%.48s of entity %u:%u %s", name,
                       path[0] != '\0' ? "." : "", path, spot->chunk->entities[spot->row].slot,
                       spot->chunk->entities[spot->row].generation, where);
}

static const char* act_text(weft_guard_act act) {
    static const char* const names[] = {"touches", "reads", "writes"};
    WEFT_ASSERT((size_t)act < sizeof(names) / sizeof(names[0]));
    return names[act];
}

// Keeping ----------------------------------------------------------------------------------------

// Begins a report; null if the lane has one with a smaller key.
static weft_guard_report* report_start(weft__guard_lane* lane) {
    const weft_view* view = lane->view;
    weft__key key = {lane->system->rank, view->commands.archetype, view->commands.shard};
    if (lane->report.found && !weft__key_before(key, lane->key))
        return NULL;
    lane->key = key;
    lane->report = (weft_guard_report){
        .found = true, .guard = lane->guard->mode, .tick = lane->guard->world->tick};
    copy_text(lane->report.system, sizeof(lane->report.system), lane->system->name);
    return &lane->report;
}

static weft_status report_end(weft__guard_lane* lane, const weft_guard_report* report) {
    WEFT_ASSERT(report == &lane->report && report->found);
    copy_text(lane->view->message, sizeof(lane->view->message), report->text);
    return WEFT_STATUS_UNDECLARED;
}

static void report_spot(const weft_world* world, weft_guard_report* report,
                        const weft__spot* spot) {
    report->place = spot->place;
    report->beyond = spot->beyond;
    report->back = spot->back;
    report->row = spot->row;
    if (spot->type_id != 0) {
        const weft_type* type = weft__type_at(world, spot->type_id)->type;
        copy_text(report->type, sizeof(report->type), type->name);
        if (!spot->beyond)
            (void)weft_type_path(type, spot->offset, report->field, sizeof(report->field));
    }
    if (spot->chunk == NULL)
        return;
    report->archetype = spot->chunk->sparse ? 0 : spot->chunk->archetype;
    report->shard = spot->chunk->shard;
    WEFT_ASSERT(spot->beyond || spot->row < spot->chunk->row_count);
    if (!spot->beyond)
        report->entity = spot->chunk->entities[spot->row];
}

// True if the system may read there, though not write.
static bool reads_declared(const weft__guard_lane* lane, const weft__spot* spot) {
    const uint32_t own = WEFT__MODE(READ) | WEFT__MODE(READ_OPTIONAL);
    const uint32_t lists = WEFT__MODE(RESOURCE_READ) | WEFT__MODE(CONSUME) | WEFT__MODE(REDUCED) |
                           WEFT__MODE(READ_ANY);
    const uint32_t written = WEFT__MODE(WRITE) | WEFT__MODE(WRITE_OPTIONAL);
    bool mine = spot->chunk == NULL || spot->chunk->shard == lane->view->commands.shard;
    if (spot->beyond)
        return false;
    if (spot->place == WEFT_GUARD_ENTITIES)
        return true;
    return weft__guard_term(lane->view->access, spot->type_id, lists | (mine ? own : 0)) != NULL ||
           (mine && !spot->back &&
            weft__guard_term(lane->view->access, spot->type_id, written) != NULL);
}

static void report_source(weft_guard_report* report, const weft__source* source) {
    copy_text(report->module, sizeof(report->module), source->module);
    copy_text(report->function, sizeof(report->function), source->symbol.function);
    copy_text(report->file, sizeof(report->file), source->symbol.file);
    report->offset = source->offset;
    report->line = source->symbol.line;
}

static weft_status blame(weft__guard_lane* lane, weft_guard_act act, const weft__spot* spot,
                         weft_guard_report* report, const weft__source* source, const char* note) {
    char what[160];
    char where[144];
    report->act = act;
    report_spot(lane->guard->world, report, spot);
    report->declared = act != WEFT_GUARD_READ && reads_declared(lane, spot);
    weft__guard_spot_text(lane->guard->world, spot, what, sizeof(what));
    report_source(report, source);
    weft__source_text(source, where, sizeof(where));
    const char* declared = ", which it did not declare";
    if (spot->place == WEFT_GUARD_NOWHERE || spot->beyond)
        declared = "";
    else if (report->declared)
        declared = ", which it declared to read";
    int length = snprintf(report->text, sizeof(report->text), "it %s %s%s%s%s%.80s", act_text(act),
                          what, declared, where, note[0] != '\0' ? ": " : "", note);
    if (length >= (int)sizeof(report->text)) // Long names: what is cut off is said to be.
        memcpy(report->text + sizeof(report->text) - 4, "...", 4);
    return report_end(lane, report);
}

weft_status weft__guard_blame(weft__guard_lane* lane, weft_guard_act act, const weft__spot* spot,
                              const char* note) {
    static const weft__source unknown = {.offset = 0};
    weft_guard_report* report = report_start(lane);
    return report == NULL ? WEFT_STATUS_UNDECLARED : blame(lane, act, spot, report, &unknown, note);
}

weft_status weft__guard_blame_text(weft__guard_lane* lane, const char* text) {
    weft_guard_report* report = report_start(lane);
    if (report == NULL)
        return WEFT_STATUS_UNDECLARED;
    report->place = WEFT_GUARD_HIDDEN;
    copy_text(report->text, sizeof(report->text), text);
    return report_end(lane, report);
}

weft_status weft__guard_blame_fault(weft__guard_lane* lane) {
    static const weft_guard_act acts[] = {WEFT_GUARD_TOUCH, WEFT_GUARD_READ, WEFT_GUARD_WRITE};
    const weft_world* world = lane->guard->world;
    const weft__fault* fault = &lane->fault_catch.fault;
    weft_guard_report* report = report_start(lane);
    if (report == NULL)
        return WEFT_STATUS_UNDECLARED;
    weft__spot spot = weft__guard_spot(world, weft__guard_in_place(world, fault->address));
    weft__source source; // Empty if there is none.
    (void)weft__source_innermost(fault, (uintptr_t)lane->system->run, &source);
    return blame(lane, acts[fault->access], &spot, report, &source, "");
}
