// Every workload by the checks that look closer than at the digests.

#include <criterion/criterion.h>

#include "matrix.h"
#include "workload.h"

Test(depths, every_workload_is_equal_by_every_check, .timeout = 120) {
    size_t count;
    const weft_module* const* modules = weft_workloads(&count);
    for (size_t i = 0; i < count; i++)
        if (modules[i] != &weft_workload_canary) // Which keeps no promise.
            matrix_deep(modules[i]->name, modules[i] == &weft_workload_overhead ? 10 : 9000, 10);
}
