// The reference: every item in order, as worker 0.

#include "exec.h"

void weft__exec_serial_run(weft__runner* runner, const weft__batch* batch) {
    weft_executor* executor = (weft_executor*)runner;
    WEFT_ASSERT(executor->worker_count == 1);
    for (uint32_t i = 0; i < batch->count; i++)
        batch->fn(batch->context, 0, i);
    executor->stats.tasks += batch->count;
}
