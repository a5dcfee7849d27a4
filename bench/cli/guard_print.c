// What a guard found, for people and as JSON.

#include "cli.h"

#include <inttypes.h>

static const char* place_name(weft_guard_place place) {
    static const char* const names[] = {
        [WEFT_GUARD_NOWHERE] = "memory",   [WEFT_GUARD_COMPONENT] = "component",
        [WEFT_GUARD_ENTITIES] = "handles", [WEFT_GUARD_RESOURCE] = "resource",
        [WEFT_GUARD_MESSAGE] = "message",  [WEFT_GUARD_REDUCTION] = "reduction",
        [WEFT_GUARD_HIDDEN] = "hidden",
    };
    return names[place];
}

static const char* act_name(weft_guard_act act) {
    static const char* const names[] = {"touch", "read", "write"};
    return names[act];
}

static void place_print(const weft_guard_report* report) {
    if (report->place == WEFT_GUARD_NOWHERE)
        printf("  memory     none that the world has for systems\n");
    if (report->type[0] != '\0')
        printf("  %-9s  %s%s%s%s\n", place_name(report->place), report->type,
               report->field[0] != '\0' ? "." : "", report->field,
               report->back ? " of the next tick" : "");
    else if (report->place == WEFT_GUARD_ENTITIES)
        printf("  handles    of the chunk's rows\n");
    if (report->beyond)
        printf("  row        %u: past the last one\n", report->row);
    else if (!weft_entity_is_null(report->entity))
        printf("  entity     slot %u, generation %u\n", report->entity.slot,
               report->entity.generation);
    else if (report->type[0] != '\0')
        printf("  value      %u\n", report->row);
    if (report->place == WEFT_GUARD_COMPONENT && report->archetype == 0)
        printf("  table      shard %u\n", report->shard);
    else if (report->place == WEFT_GUARD_COMPONENT || report->place == WEFT_GUARD_ENTITIES)
        printf("  chunk      archetype %u, shard %u, row %u\n", report->archetype, report->shard,
               report->row);
}

void weft_cli_guard_print(const weft_guard_report* report) {
    printf("\nUNDECLARED access, found by --guard=%s\n\n", weft_guard_name(report->guard));
    printf("  tick       %" PRIu64 ": so many were complete\n", report->tick);
    printf("  system     %s\n", report->system);
    if (report->place != WEFT_GUARD_HIDDEN)
        printf("  access     %s, %s\n", act_name(report->act),
               report->declared ? "declared as read" : "not declared");
    place_print(report);
    if (report->file[0] != '\0')
        printf("  source     %s:%u, %s()\n", report->file, report->line, report->function);
    if (report->module[0] != '\0')
        printf("  object     %s+0x%" PRIx64 "%s\n", report->module, report->offset,
               report->file[0] != '\0' ? "" : ": addr2line -e FILE ADDRESS tells the line");
    printf("  in short   %s\n", report->text);
}

json_t* weft_cli_guard_json(weft_guard guard, const weft_guard_report* report) {
    json_t* object = json_pack("{s:s, s:b}", "guard", weft_guard_name(guard), "found",
                               (int)(report != NULL && report->found));
    if (report == NULL || !report->found)
        return object;
    json_t* found = json_pack(
        "{s:I, s:s, s:s, s:b, s:s, s:s, s:s, s:b, s:b, s:I, s:I, s:I, s:i, s:i, s:s, s:I, s:s, "
        "s:s, s:i, s:s}",
        "tick", (json_int_t)report->tick,                    //
        "system", report->system,                            //
        "access", act_name(report->act),                     //
        "declared_read", (int)report->declared,              //
        "place", place_name(report->place),                  //
        "type", report->type,                                //
        "field", report->field,                              //
        "beyond", (int)report->beyond,                       //
        "next_tick", (int)report->back,                      //
        "slot", (json_int_t)report->entity.slot,             //
        "generation", (json_int_t)report->entity.generation, //
        "row", (json_int_t)report->row,                      //
        "archetype", (int)report->archetype,                 //
        "shard", (int)report->shard,                         //
        "object", report->module,                            //
        "offset", (json_int_t)report->offset,                //
        "function", report->function,                        //
        "file", report->file,                                //
        "line", (int)report->line,                           //
        "text", report->text);
    (void)json_object_update(object, found);
    json_decref(found);
    return object;
}
