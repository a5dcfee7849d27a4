/// Layouts as files: what `weft tune` writes, and `--layout` takes.
#pragma once

#include "cli.h"
#include "layout.h"

/// What a layout was found for, and the layout. `sweeps` is where a description of it points.
typedef struct weft_cli_layout {
    char module[64];
    uint64_t schedule_hash;
    uint64_t entity_count; // 0: not said.
    bool is_forecast;      // Of a machine that was not at hand; else it was measured, or nothing is
                           // said.
    weft_layout layout;    // 0 workers: as many as the machine has.
    weft_system_sweep sweeps[WEFT_LAYOUT_SWEEPS_MAX];
} weft_cli_layout;

/// Writes a file. `tuned` is an object that readers pass over, or null; it is released. Status:
/// FILE_ERROR, OUT_OF_MEMORY.
weft_status weft_cli_layout_write(const char* path, const weft_cli_layout* layout, json_t* tuned,
                                  char* line, size_t capacity);

/// Reads a file, strictly: a key that is unknown, missing or of another type is an error. Status:
/// FILE_ERROR, BAD_FORMAT.
weft_status weft_cli_layout_read(const char* path, weft_cli_layout* out, char* line,
                                 size_t capacity);

/// Reads the file of --layout, if there is one, into the options; says what is wrong with it.
weft_exit weft_cli_layout_open(weft_cli_options* options);

/// Whether the layout, if there is one, is of this simulation. Status: IDENTITY_MISMATCH.
weft_status weft_cli_layout_match(const weft_cli_options* options, const char* module,
                                  const weft_schedule* schedule, char* line, size_t capacity);

/// Whether this machine has the CPUs for a layout that was forecast, where it is to be as it says.
/// Says what else can be done.
weft_exit weft_cli_layout_check(const weft_cli_options* options);

/// Puts the layout, if there is one, into a description of serial, threads or processes, but for
/// executor and workers. It points into the options.
void weft_cli_layout_apply(const weft_cli_options* options, weft_executor_desc* desc);
