#include "machine.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define CPU0 "/sys/devices/system/cpu/cpu0/"

void weft_machine_add(weft_machine* machine, const char* name, const char* text) {
    if (text[0] == '\0' || machine->count == WEFT_MACHINE_FACTS_MAX)
        return;
    weft_fact* fact = &machine->fact[machine->count++];
    (void)snprintf(fact->name, sizeof(fact->name), "%s", name);
    (void)snprintf(fact->text, sizeof(fact->text), "%s", text);
    for (char* at = fact->text; *at != '\0'; ++at) {
        if (iscntrl((unsigned char)*at))
            *at = ' ';
    }
}

const char* weft_machine_fact(const weft_machine* machine, const char* name) {
    for (uint32_t i = 0; i < machine->count; ++i) {
        if (strcmp(machine->fact[i].name, name) == 0)
            return machine->fact[i].text;
    }
    return "";
}

bool weft_machine_fact_matters(const char* name) {
    static const char* const passing[] = {"weft", "commit", "frequency"};
    for (size_t i = 0; i < sizeof(passing) / sizeof(passing[0]); ++i) {
        if (strcmp(passing[i], name) == 0)
            return false;
    }
    return true;
}

// Files of the system ---------------------------------------------------------------------------

// The first line of a file, or an empty text.
static const char* first_line(const char* path, char* text, size_t size) {
    text[0] = '\0';
    FILE* file = fopen(path, "re");
    if (!file)
        return text;
    if (!fgets(text, (int)size, file))
        text[0] = '\0';
    (void)fclose(file);
    text[strcspn(text, "\n")] = '\0';
    return text;
}

// What stands behind "name:" in the first such line of /proc/cpuinfo.
static bool cpuinfo(const char* name, char* text, size_t size) {
    char line[4096];
    size_t length = strlen(name);
    bool found = false;
    text[0] = '\0';
    FILE* file = fopen("/proc/cpuinfo", "re");
    if (!file)
        return false;
    while (!found && fgets(line, sizeof(line), file)) {
        const char* colon = strchr(line, ':');
        if (!colon || strncmp(line, name, length) != 0 ||
            strspn(line + length, " \t") != (size_t)(colon - line) - length)
            continue;
        line[strcspn(line, "\n")] = '\0';
        (void)snprintf(text, size, "%s", colon + 1 + strspn(colon + 1, " "));
        found = true;
    }
    (void)fclose(file);
    return found;
}

static void add_cpu(weft_machine* machine) {
    char model[128], family[16], number[16], stepping[16], flags[4096];
    char text[256] = "";
    static const char* const names[] = {"model name", "cpu model", "uarch", "processor 0", "cpu"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && text[0] == '\0'; ++i) {
        if (cpuinfo(names[i], model, sizeof(model)))
            (void)snprintf(text, sizeof(text), "%s", model);
    }
    // Machines in a cloud often have the same name for different CPUs.
    if (cpuinfo("cpu family", family, sizeof(family)) && cpuinfo("model", number, sizeof(number)) &&
        cpuinfo("stepping", stepping, sizeof(stepping)))
        (void)snprintf(text, sizeof(text), "%s (family %s, model %s, stepping %s)", model, family,
                       number, stepping);
    weft_machine_add(machine, "cpu", text);
    if (cpuinfo("flags", flags, sizeof(flags)))
        weft_machine_add(machine, "virtual", strstr(flags, " hypervisor") ? "yes" : "no");
}

static void add_frequency(weft_machine* machine) {
    char now[64], most[64], text[128];
    long kilohertz =
        strtol(first_line(CPU0 "cpufreq/scaling_cur_freq", now, sizeof(now)), NULL, 10);
    long limit = strtol(first_line(CPU0 "cpufreq/cpuinfo_max_freq", most, sizeof(most)), NULL, 10);
    if (kilohertz > 0)
        (void)snprintf(text, sizeof(text), "%ld MHz of %ld", kilohertz / 1000, limit / 1000);
    else if (cpuinfo("cpu MHz", now, sizeof(now)))
        (void)snprintf(text, sizeof(text), "%.48s MHz", now);
    else
        text[0] = '\0';
    weft_machine_add(machine, "frequency", text);
    weft_machine_add(machine, "governor",
                     first_line(CPU0 "cpufreq/scaling_governor", text, sizeof(text)));
}

// "L1 Data 32K, L1 Instruction 32K, L2 Unified 1024K, ..."
static void add_caches(weft_machine* machine) {
    char path[96], level[8], type[24], size[16];
    char text[256] = "";
    size_t used = 0;
    for (int i = 0; i < 8; ++i) {
        (void)snprintf(path, sizeof(path), CPU0 "cache/index%d/level", i);
        if (first_line(path, level, sizeof(level))[0] == '\0')
            break;
        (void)snprintf(path, sizeof(path), CPU0 "cache/index%d/type", i);
        (void)first_line(path, type, sizeof(type));
        (void)snprintf(path, sizeof(path), CPU0 "cache/index%d/size", i);
        (void)first_line(path, size, sizeof(size));
        int written = snprintf(text + used, sizeof(text) - used, "%sL%s %s %s",
                               used > 0 ? ", " : "", level, type, size);
        used += (size_t)written < sizeof(text) - used ? (size_t)written : 0;
    }
    // Where the system has no list, the C library asks the CPU.
    if (used == 0 && sysconf(_SC_LEVEL1_DCACHE_SIZE) > 0)
        (void)snprintf(
            text, sizeof(text),
            "L1 Data %ldK, L1 Instruction %ldK, L2 Unified %ldK, L3 Unified %ldK",
            sysconf(_SC_LEVEL1_DCACHE_SIZE) / 1024, sysconf(_SC_LEVEL1_ICACHE_SIZE) / 1024,
            sysconf(_SC_LEVEL2_CACHE_SIZE) / 1024, sysconf(_SC_LEVEL3_CACHE_SIZE) / 1024);
    weft_machine_add(machine, "caches", text);
}

static void add_topology(weft_machine* machine) {
    char text[256];
    weft_topology* topology;
    if (weft_topology_create(NULL, &topology) != WEFT_STATUS_OK)
        return;
    (void)weft_topology_summary(topology, text, sizeof(text));
    weft_machine_add(machine, "topology", text);
    weft_topology_destroy(topology);
}

static void add_memory(weft_machine* machine) {
    char text[128];
    long pages = sysconf(_SC_PHYS_PAGES);
    long page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0) {
        (void)snprintf(text, sizeof(text), "%.1f GiB",
                       (double)pages * (double)page / (1024.0 * 1024 * 1024));
        weft_machine_add(machine, "memory", text);
    }
    weft_machine_add(machine, "huge pages",
                     first_line("/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof(text)));
}

// The build and the system -----------------------------------------------------------------------

static void add_build(weft_machine* machine) {
    weft_machine_add(machine, "weft", weft_version());
    weft_machine_add(machine, "commit", weft_build_commit);
#ifdef __clang__
    weft_machine_add(machine, "compiler", __VERSION__);
#else
    weft_machine_add(machine, "compiler", "gcc " __VERSION__);
#endif
    weft_machine_add(machine, "flags", weft_build_flags);
#ifdef WEFT_CHECKS
    weft_machine_add(machine, "assertions", "all");
#else
    weft_machine_add(machine, "assertions", "of release builds");
#endif
}

weft_machine weft_machine_read(void) {
    weft_machine machine = {.count = 0};
    struct utsname system;
    char text[256];
    add_build(&machine);
    add_cpu(&machine);
    if (uname(&system) == 0) {
        weft_machine_add(&machine, "architecture", system.machine);
        (void)snprintf(text, sizeof(text), "%s %s", system.sysname, system.release);
        weft_machine_add(&machine, "kernel", text);
        weft_machine_add(&machine, "host", system.nodename);
    }
    add_topology(&machine);
    add_caches(&machine);
    add_frequency(&machine);
    add_memory(&machine);
    return machine;
}
