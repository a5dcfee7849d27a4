#include "workload.h"

#include <string.h>

static const weft_module* const workloads[] = {
    &weft_workload_creatures,      //
    &weft_workload_motion,         //
    &weft_workload_motion_compute, //
    &weft_workload_churn,          //
    &weft_workload_churn_sparse,   //
    &weft_workload_boids,          //
    &weft_workload_tick10,         //
    &weft_workload_overhead,       //
    &weft_workload_orbits,         //
    &weft_workload_canary,
};

const weft_module* const* weft_workloads(size_t* count_out) {
    *count_out = sizeof(workloads) / sizeof(workloads[0]);
    return workloads;
}

const weft_module* weft_workload_find(const char* name) {
    size_t count;
    const weft_module* const* all = weft_workloads(&count);
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    }
    return NULL;
}
