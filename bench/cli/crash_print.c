// Worker processes that died, for people and as JSON.

#include "cli.h"

#include <inttypes.h>
#include <string.h>

static const char* kind_name(weft_crash_kind kind) {
    static const char* const names[] = {"none", "signal", "exit", "stuck", "lost"};
    return names[kind];
}

static void frame_print(const weft_crash_frame* frame, uint32_t index) {
    const char* module = strrchr(frame->module, '/');
    printf("  %-9s  ", index == 0 ? "at" : "");
    if (frame->file[0] != '\0')
        printf("%s() in %s:%u\n", frame->function, frame->file, frame->line);
    else
        printf("%s+0x%" PRIx64 "%s%s\n", module != NULL ? module + 1 : frame->module, frame->offset,
               frame->function[0] != '\0' ? " " : "", frame->function);
}

void weft_cli_crash_print(const weft_crash_report* report) {
    printf("\nCRASHED %u %s in the same tick\n\n", report->deaths,
           report->deaths == 1 ? "time" : "times");
    printf("  tick       %" PRIu64 ": so many were complete\n", report->tick);
    if (report->in_system)
        printf("  system     %s\n", report->system);
    else
        printf("  system     none: it was merging, hashing or waiting\n");
    if (report->in_system && report->archetype != 0)
        printf("  chunk      archetype %u, shard %u\n", report->archetype, report->shard);
    for (uint32_t i = 0; i < report->frame_count; i++)
        frame_print(&report->frames[i], i);
    printf("  in short   %s\n", report->text);
}

static json_t* frames_json(const weft_crash_report* report) {
    json_t* frames = json_array();
    for (uint32_t i = 0; i < report->frame_count; i++) {
        const weft_crash_frame* frame = &report->frames[i];
        json_t* one = json_pack("{s:s, s:I, s:s, s:s, s:i}",         //
                                "module", frame->module,             //
                                "offset", (json_int_t)frame->offset, //
                                "function", frame->function,         //
                                "file", frame->file, "line", (int)frame->line);
        (void)json_array_append_new(frames, one);
    }
    return frames;
}

json_t* weft_cli_crash_json(const weft_crash_report* report) {
    if (report->kind == WEFT_CRASH_NONE)
        return json_null();
    return json_pack("{s:s, s:i, s:i, s:i, s:i, s:b, s:I, s:b, s:s, s:i, s:i, s:s, s:o}", //
                     "kind", kind_name(report->kind),                                     //
                     "signal", report->signal,                                            //
                     "exit_code", report->exit_code,                                      //
                     "worker", (int)report->worker,                                       //
                     "deaths", (int)report->deaths,                                       //
                     "recovered", (int)report->recovered,                                 //
                     "tick", (json_int_t)report->tick,                                    //
                     "in_system", (int)report->in_system,                                 //
                     "system", report->system,                                            //
                     "archetype", (int)report->archetype,                                 //
                     "shard", (int)report->shard,                                         //
                     "text", report->text, "frames", frames_json(report));
}
