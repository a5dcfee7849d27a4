// Executors and ways to compare them, as they are written.

#include "layout_file.h"

#include <string.h>

/// States for rollback cost so many percent of the ticks, where no distance is given.
#define ROLLBACK_PERCENT 2

static const char* const executor_names[] = {
    [WEFT_EXECUTOR_SERIAL] = "serial",
    [WEFT_EXECUTOR_VIRTUAL] = "virtual",
    [WEFT_EXECUTOR_THREADS] = "threads",
    [WEFT_EXECUTOR_PROCESSES] = "processes",
};

const char* weft_cli_executor_name(weft_executor_kind kind) {
    return executor_names[kind];
}

bool weft_cli_executor_is_parallel(weft_executor_kind kind) {
    return kind == WEFT_EXECUTOR_THREADS || kind == WEFT_EXECUTOR_PROCESSES;
}

bool weft_cli_guard_watches(weft_guard guard, weft_executor_kind kind) {
    return guard <= WEFT_GUARD_ALIAS || !weft_cli_executor_is_parallel(kind) ||
           (guard == WEFT_GUARD_TRAP && kind == WEFT_EXECUTOR_PROCESSES);
}

weft_cli_memory weft_cli_memory_for(weft_guard guard, weft_executor_kind kind) {
    if (guard == WEFT_GUARD_TRAP)
        return WEFT_CLI_MEMORY_APART;
    if (kind == WEFT_EXECUTOR_PROCESSES)
        return WEFT_CLI_MEMORY_SHARED;
    return guard != WEFT_GUARD_NONE ? WEFT_CLI_MEMORY_ALIASED : WEFT_CLI_MEMORY_PLAIN;
}

bool weft_cli_executor_parse(const char* text, size_t length, weft_cli_executor* out) {
    const char* colon = memchr(text, ':', length);
    size_t name_length = colon != NULL ? (size_t)(colon - text) : length;
    uint64_t workers = 0;
    if (colon != NULL) {
        char number[8] = "";
        size_t digits = length - name_length - 1;
        if (digits >= sizeof number)
            return false;
        memcpy(number, colon + 1, digits);
        if (!weft_cli_u64_parse(number, &workers) || workers == 0 || workers > WEFT_CLI_WORKERS_MAX)
            return false;
    }
    for (size_t i = 0; i < sizeof executor_names / sizeof executor_names[0]; i++) {
        if (strlen(executor_names[i]) != name_length ||
            memcmp(executor_names[i], text, name_length) != 0)
            continue;
        *out = (weft_cli_executor){(weft_executor_kind)i, (uint32_t)workers};
        return i != WEFT_EXECUTOR_SERIAL || workers <= 1;
    }
    return false;
}

static const char* const sweep_names[] = {
    [WEFT_SWEEP_AUTO] = "auto",
    [WEFT_SWEEP_CHUNK_MAJOR] = "chunk",
    [WEFT_SWEEP_SYSTEM_MAJOR] = "system",
};

const char* weft_cli_sweep_name(weft_sweep sweep) {
    return sweep_names[sweep];
}

bool weft_cli_sweep_parse(const char* text, weft_sweep* out) {
    for (size_t i = 0; i < sizeof sweep_names / sizeof sweep_names[0]; i++) {
        if (strcmp(sweep_names[i], text) != 0)
            continue;
        *out = (weft_sweep)i;
        return true;
    }
    return false;
}

static const char* const placement_names[] = {
    [WEFT_PLACEMENT_SPREAD] = "spread",
    [WEFT_PLACEMENT_COMPACT] = "compact",
    [WEFT_PLACEMENT_PER_NODE] = "per-node",
    [WEFT_PLACEMENT_LIST] = "list",
};

const char* weft_cli_placement_name(weft_placement_policy policy) {
    return placement_names[policy];
}

bool weft_cli_placement_parse(const char* text, weft_placement_policy* out) {
    for (int i = 0; i < WEFT_PLACEMENT_LIST; i++) {
        if (strcmp(placement_names[i], text) != 0)
            continue;
        *out = (weft_placement_policy)i;
        return true;
    }
    return false;
}

void weft_cli_executor_place(const weft_cli_options* options, weft_executor_desc* desc) {
    if (options->has_placement) {
        desc->placement = options->placement;
        desc->pin = true; // Where a layout says that it is not.
    }
}

static const char* const depth_names[] = {
    [WEFT_VERIFY_DEPTH_ROOT] = "root",
    [WEFT_VERIFY_DEPTH_SYNC] = "sync",
    [WEFT_VERIFY_DEPTH_HEAVY] = "heavy",
};

const char* weft_cli_depth_name(weft_verify_depth depth) {
    return depth_names[depth];
}

bool weft_cli_depth_parse(const char* text, weft_verify_depth* out) {
    for (size_t i = 0; i < sizeof depth_names / sizeof depth_names[0]; i++) {
        if (strcmp(depth_names[i], text) != 0)
            continue;
        *out = (weft_verify_depth)i;
        return true;
    }
    return false;
}

weft_executor_desc weft_cli_executor_desc(weft_cli_executor executor, uint64_t schedule_seed,
                                          bool no_pin) {
    static const uint32_t grains[] = {0, 1, 2, 16};
    weft_executor_desc desc = weft_executor_desc_default();
    desc.kind = executor.kind;
    desc.worker_count = executor.kind == WEFT_EXECUTOR_SERIAL ? 1 : executor.worker_count;
    desc.pin = !no_pin;
    if (executor.kind == WEFT_EXECUTOR_VIRTUAL) {
        desc.schedule_seed = schedule_seed;
        desc.no_fusion = schedule_seed % 3 == 2;
        desc.grain = grains[schedule_seed % 4];
        desc.sweep = schedule_seed % 2 == 1 ? WEFT_SWEEP_SYSTEM_MAJOR : WEFT_SWEEP_CHUNK_MAJOR;
    }
    return desc;
}

void weft_cli_executor_permute(weft_executor_desc* desc, uint64_t draw) {
    static const uint32_t grains[] = {0, 1, 2, 16};
    static const uint32_t spins[] = {100000, 0, 3000};
    if (!weft_cli_executor_is_parallel(desc->kind))
        return;
    desc->everybody = draw % 2 == 1;
    desc->placement.policy = (weft_placement_policy)(draw % WEFT_PLACEMENT_LIST);
    desc->grain = grains[draw / 2 % 4];
    desc->spin_ns = spins[draw / 3 % 3];
    desc->yield_ns = draw / 5 % 2 == 0 ? desc->yield_ns : 0;
    desc->tick_period_ns = draw / 7 % 2 == 0 ? 0 : 1000000;
}

weft_exit weft_cli_executor_choose(const weft_cli_options* options, weft_executor_desc* out) {
    weft_cli_executor executor = {WEFT_EXECUTOR_THREADS, 0};
    if (options->executor != NULL)
        (void)weft_cli_executor_parse(options->executor, strlen(options->executor), &executor);
    else if (options->layout != NULL && options->worker_count == 0)
        executor =
            (weft_cli_executor){options->layout->layout.kind, options->layout->layout.worker_count};
    if (options->worker_count != 0) {
        bool serial = executor.kind == WEFT_EXECUTOR_SERIAL && options->worker_count != 1;
        if (serial ||
            (executor.worker_count != 0 && executor.worker_count != options->worker_count)) {
            weft_cli_complain("--workers %u contradicts --executor %s", options->worker_count,
                              options->executor);
            return WEFT_EXIT_USAGE;
        }
        executor.worker_count = options->worker_count;
    }
    // These watch one worker at a time.
    if (!weft_cli_guard_watches(options->guard, executor.kind)) {
        bool said = options->executor != NULL || options->worker_count != 0;
        if (said && executor.worker_count != 1) {
            weft_cli_complain("--guard=%s watches one worker at a time: leave --executor and "
                              "--workers out, or take serial, virtual:N or threads:1; "
                              "trap also processes:N",
                              weft_guard_name(options->guard));
            return WEFT_EXIT_USAGE;
        }
        if (!said)
            executor = (weft_cli_executor){WEFT_EXECUTOR_SERIAL, 1};
    }
    if (options->interleave && executor.kind == WEFT_EXECUTOR_PROCESSES) {
        weft_cli_complain("--interleave and worker processes want different memory: leave one out");
        return WEFT_EXIT_USAGE;
    }
    *out = weft_cli_executor_desc(executor, options->schedule_seed, options->no_pin);
    weft_cli_layout_apply(options, out);
    weft_cli_executor_place(options, out);
    out->guard = options->guard;
    if (options->has_sweep) {
        out->sweep = options->sweep;
        out->sweep_count = 0;
    }
    if (executor.kind != WEFT_EXECUTOR_PROCESSES &&
        (options->has_images || options->has_retries || options->has_stuck)) {
        weft_cli_complain("--images, --retries and --stuck are for worker processes: add "
                          "--executor processes:N");
        return WEFT_EXIT_USAGE;
    }
    if (options->has_images) {
        out->image_ticks = options->image_ticks;
        out->image_percent = 0;
    }
    if (options->has_retries)
        out->crash_retries = options->retries;
    if (options->has_stuck)
        out->stuck_ns = options->stuck_ns;
    if (options->has_rollback) {
        out->rollback_ticks = options->rollback_ticks;
        out->rollback_percent = options->rollback_ticks == 0 ? ROLLBACK_PERCENT : 0;
    }
    return WEFT_EXIT_OK;
}
