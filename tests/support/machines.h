/// Machines for tests: this one, synthetic ones, and those of files.
#pragma once

#include <weft/topology.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef WEFT_TEST_DIR
#define WEFT_TEST_DIR "tests"
#endif

/// A machine by its source, as weft_topology_desc has it, with a quota of so many thousandths of a
/// CPU; 0: its own. Null if this build knows no other machine than its own.
static inline weft_topology* machine_open(const char* source, uint32_t quota) {
    weft_topology_desc desc = weft_topology_desc_default();
    desc.source = source;
    desc.quota_milli_cpus = quota;
    weft_topology* topology = NULL;
    weft_status status = weft_topology_create(&desc, &topology);
    if (status == WEFT_STATUS_UNSUPPORTED) {
        printf("skipped: this build reads no other topology than the machine's\n");
        return NULL;
    }
    cr_assert_eq(status, WEFT_STATUS_OK, "%s", source != NULL ? source : "this machine");
    cr_assert_not_null(topology);
    return topology;
}

/// A machine of a file that the project does not hold. Null also if it is not there.
static inline weft_topology* machine_open_file(const char* name) {
    char path[4096];
    const char* folder = getenv("WEFT_TOPOLOGIES");
    if (folder == NULL)
        folder = WEFT_TEST_DIR "/../../shared/topologies";
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (access(path, R_OK) != 0) {
        printf("skipped: no %s (set WEFT_TOPOLOGIES to the folder that holds it)\n", path);
        return NULL;
    }
    return machine_open(path, 0);
}
