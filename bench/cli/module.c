// Modules: by name from the program, or by path from a shared object.

#define _GNU_SOURCE

#include "cli.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <weft/float_state.h>

#include "workload.h"

/// What a shared object exports.
#define TABLE_SYMBOL "weft_module_table"

const weft_module** weft_cli_modules(const weft_cli* cli, size_t* count_out) {
    size_t builtin_count;
    const weft_module* const* builtin = weft_workloads(&builtin_count);
    size_t count = cli->module_count + builtin_count;
    const weft_module** all = malloc((count + 1) * sizeof(*all));
    *count_out = 0;
    if (all == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        all[i] = i < cli->module_count ? cli->modules[i] : builtin[i - cli->module_count];
    *count_out = count;
    return all;
}

bool weft_cli_module_is_path(const char* name) {
    size_t length = strlen(name);
    return strchr(name, '/') != NULL || (length > 3 && strcmp(name + length - 3, ".so") == 0);
}

/// Looks a name up among all modules; the line suggests the nearest one.
static weft_status module_find(const weft_cli* cli, const char* name, weft_cli_module* out,
                               char* line, size_t capacity) {
    size_t count;
    const weft_module** all = weft_cli_modules(cli, &count);
    const char** names = calloc(count + 1, sizeof(*names));
    weft_status status = WEFT_STATUS_OUT_OF_MEMORY;
    if (all != NULL && names != NULL) {
        for (size_t i = 0; i < count; i++)
            names[i] = all[i]->name;
        for (size_t i = 0; i < count && out->module == NULL; i++)
            out->module = strcmp(all[i]->name, name) == 0 ? all[i] : NULL;
        const char* nearest = weft_cli_nearest(name, names, count);
        status = out->module != NULL ? WEFT_STATUS_OK : WEFT_STATUS_BAD_MODULE;
        (void)snprintf(line, capacity,
                       "no workload is named '%s'%s%s%s; `weft list` shows all, and a shared "
                       "object is given by its path",
                       name, nearest != NULL ? ": did you mean '" : "",
                       nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
    } else {
        (void)snprintf(line, capacity, "%s", weft_status_text(status));
    }
    free(names);
    free(all);
    return status;
}

/// What is wrong with a module's table, or null.
static const char* table_fault(const weft_module* module) {
    if (module->name == NULL || module->name[0] == '\0')
        return "its name is empty";
    if (strlen(module->name) >= sizeof((weft_cli_identity*)0)->module)
        return "its name is longer than 63 characters";
    if (strpbrk(module->name, " \t\r\n") != NULL)
        return "its name has white space";
    if (module->build == NULL)
        return "it has no build function";
    return NULL;
}

/// Loads a shared object. `*fault_out` is what its constructors did to the floating-point state of
/// this thread, or null; it is put back.
static void* object_load(const char* path, const char** fault_out) {
    char* name = NULL;
    void* handle = NULL;
    uint64_t before = weft_float_state_pin();
    // Without a slash the loader would search the library path.
    if (asprintf(&name, "%s%s", strchr(path, '/') != NULL ? "" : "./", path) >= 0) {
        handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        free(name);
    }
    *fault_out = weft_float_state_fault();
    weft_float_state_restore(before);
    return handle;
}

static weft_status module_load(const char* path, weft_cli_module* out, char* line,
                               size_t capacity) {
    struct stat info;
    if (stat(path, &info) != 0) {
        (void)snprintf(line, capacity, "%s: cannot be read: %s", path, strerror(errno));
        return WEFT_STATUS_BAD_MODULE;
    }
    const char* float_fault = NULL;
    void* handle = object_load(path, &float_fault);
    if (handle == NULL) {
        const char* reason = dlerror();
        (void)snprintf(line, capacity, "%s: cannot be loaded as a shared object: %s", path,
                       reason != NULL ? reason : "no memory");
        return WEFT_STATUS_BAD_MODULE;
    }
    const weft_module* module = dlsym(handle, TABLE_SYMBOL);
    const char* fault = NULL;
    if (float_fault != NULL)
        (void)snprintf(line, capacity,
                       "%s: loading it changed the floating-point state: %s; link it, and the "
                       "libraries that it needs, without -ffast-math",
                       path, float_fault);
    else if (module == NULL)
        (void)snprintf(line, capacity,
                       "%s: exports no table named " TABLE_SYMBOL
                       "; define one with WEFT_MODULE_EXPORT",
                       path);
    else if (module->abi != WEFT_MODULE_ABI)
        (void)snprintf(line, capacity,
                       "%s: its module table is of version %u, this program takes %u; compile it "
                       "against the headers of weft %s",
                       path, module->abi, WEFT_MODULE_ABI, weft_version());
    else if ((fault = table_fault(module)) != NULL)
        (void)snprintf(line, capacity, "%s: its module table is wrong: %s", path, fault);
    else {
        *out = (weft_cli_module){module, handle};
        return WEFT_STATUS_OK;
    }
    (void)dlclose(handle);
    return WEFT_STATUS_BAD_MODULE;
}

weft_status weft_cli_module_open(const weft_cli* cli, const char* name, weft_cli_module* out,
                                 weft_exit* exit_out, char* line, size_t capacity) {
    *out = (weft_cli_module){0};
    bool path = weft_cli_module_is_path(name);
    weft_status status =
        path ? module_load(name, out, line, capacity) : module_find(cli, name, out, line, capacity);
    *exit_out = status == WEFT_STATUS_OK                   ? WEFT_EXIT_OK
                : path || status != WEFT_STATUS_BAD_MODULE ? WEFT_EXIT_FAILURE
                                                           : WEFT_EXIT_USAGE;
    return status;
}

void weft_cli_module_close(weft_cli_module* module) {
    if (module->handle != NULL)
        (void)dlclose(module->handle);
    *module = (weft_cli_module){0};
}

weft_world_desc weft_cli_world_desc(const weft_module* module, const weft_module_options* options) {
    weft_world_desc desc = weft_world_desc_default();
    desc.seed = options->seed;
    if (module->describe != NULL)
        module->describe(options, &desc);
    return desc;
}

const char* weft_cli_math_note(weft_math_backend math) {
    return math == WEFT_MATH_FLOAT_PINNED_32 ? ", float_pinned_32" : "";
}

weft_status weft_cli_world_build(const weft_module* module, const weft_module_options* options,
                                 weft_cli_memory wanted, const weft_memory* given,
                                 weft_world** world_out, weft_schedule** schedule_out) {
    weft_world_desc desc = weft_cli_world_desc(module, options);
    weft_memory memory = given != NULL ? *given : weft_memory_system();
    WEFT_ASSERT(given == NULL || wanted == WEFT_CLI_MEMORY_PLAIN);
    if (wanted != WEFT_CLI_MEMORY_PLAIN) {
        weft_status status = weft_memory_aliased(wanted == WEFT_CLI_MEMORY_APART, &memory);
        if (status != WEFT_STATUS_OK && wanted != WEFT_CLI_MEMORY_ALIASED)
            return status;
    }
    WEFT_TRY(weft_world_create(&desc, &memory, world_out));
    WEFT_TRY(weft_schedule_create(*world_out, schedule_out));
    WEFT_TRY(module->build(options, *world_out, *schedule_out));
    return weft_schedule_build(*schedule_out);
}

weft_status weft_cli_world_make(const weft_module* module, const weft_module_options* options,
                                weft_cli_memory wanted, weft_world** world_out,
                                weft_schedule** schedule_out) {
    WEFT_TRY(weft_cli_world_build(module, options, wanted, NULL, world_out, schedule_out));
    return weft_world_commit(*world_out);
}

const char* weft_cli_error(weft_status status, const weft_world* world,
                           const weft_schedule* schedule) {
    const char* text = world != NULL ? weft_world_error(world) : "";
    if (text[0] == '\0' && schedule != NULL)
        text = weft_schedule_error(schedule);
    return text[0] != '\0' ? text : weft_status_text(status);
}

weft_exit weft_cli_prepare(const weft_cli* cli, const char* command, weft_cli_options* options,
                           weft_cli_module* module_out) {
    char line[WEFT_CLI_LINE_SIZE];
    weft_exit code = WEFT_EXIT_OK;
    *module_out = (weft_cli_module){0};
    if (options->name_count > 1) {
        weft_cli_complain("%s takes one simulation: '%s' is one too many", command,
                          options->names[1]);
        return WEFT_EXIT_USAGE;
    }
    if (options->name_count == 0 && cli->module_count != 1) {
        weft_cli_complain("%s needs a simulation: a name that `weft list` shows, or the path of a "
                          "shared object",
                          command);
        return WEFT_EXIT_USAGE;
    }
    if (options->name_count == 0)
        module_out->module = cli->modules[0];
    else if (weft_cli_module_open(cli, options->names[0], module_out, &code, line, sizeof line) !=
             WEFT_STATUS_OK) {
        weft_cli_complain("%s", line);
        return code;
    }
    if (options->entity_count > WEFT_SLOT_LIMIT_MAX) {
        weft_cli_complain("--entities: a world holds at most %u", WEFT_SLOT_LIMIT_MAX);
        return WEFT_EXIT_USAGE;
    }
    if (!options->has_entity_count)
        options->entity_count = module_out->module->entity_count_default;
    return WEFT_EXIT_OK;
}
