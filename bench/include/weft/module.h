/// A simulation as the program `weft` sees it: built in, in a shared object, or linked.
#pragma once

#include <weft/executor.h>
#include <weft/memory.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Advanced whenever weft_module or what it refers to changes incompatibly.
#define WEFT_MODULE_ABI 2u

/// Sizes of a run, from the command line or the module's defaults.
typedef struct weft_module_options {
    uint64_t entity_count; // What `--entities` says; the module's default if not given.
    uint64_t seed;
} weft_module_options;

/// One simulation. A shared object exports exactly one, under the name `weft_module_table`:
///   WEFT_MODULE_EXPORT const weft_module weft_module_table = {...};
typedef struct weft_module {
    uint32_t abi; // WEFT_MODULE_ABI
    const char* name;
    const char* summary; // One line for `weft list`.
    uint64_t entity_count_default;
    uint64_t tick_count_default;

    /// Changes the world's limits before it is created. May be null.
    void (*describe)(const weft_module_options* options, weft_world_desc* desc);
    /// Registers types and systems and records the first entities; the caller commits and builds.
    weft_status (*build)(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule);
    /// Posts the input events of the tick that comes next. A pure function of the tick. May be
    /// null.
    weft_status (*input)(weft_world* world, uint64_t tick);
    /// Checks what must hold after each tick; on failure writes one line. May be null.
    bool (*check)(const weft_world* world, char* message, size_t capacity);
    /// One line on the state of the simulation, for people ("creatures 10211, food 7003"). May be
    /// null.
    void (*describe_state)(const weft_world* world, char* line, size_t capacity);
} weft_module;

#define WEFT_MODULE_EXPORT __attribute__((visibility("default")))

/// The program `weft` with `module_count` modules of the caller's own beside the built-in ones.
/// Returns the exit code: 0 equal or done, 1 different, 2 usage, 3 failure.
WEFT_API int weft_main(int argc, char** argv, const weft_module* const* modules,
                       size_t module_count);

#ifdef __cplusplus
}
#endif
