// n threads, pinned; the caller is worker 0 and is pinned only if it asks to be: it belongs to the
// host program.

#include <stdio.h>

#include "pool.h"

weft_status weft__exec_threads_start(weft_executor* executor) {
    WEFT_TRY(weft__pool_create(executor, false));
    weft__pool* pool = executor->pool;
    for (uint32_t i = 1; i < pool->worker_count; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "weft-%u", i);
        WEFT_TRY(weft__os_thread_start(&pool->workers[i].thread, weft__pool_worker_main,
                                       &pool->workers[i], name));
        pool->started = i;
    }
    weft__pool_started(pool);
    return WEFT_STATUS_OK;
}

void weft__exec_threads_stop(weft_executor* executor) {
    weft__pool* pool = executor->pool;
    WEFT_ASSERT(pool != NULL);
    if (pool->fork_mark != NULL && *pool->fork_mark == 0)
        weft__pool_orphan(pool);
    weft__pool_stop(pool);
    for (uint32_t i = 1; i <= pool->started; i++)
        weft__os_thread_join(&pool->workers[i].thread);
    weft__pool_destroy(pool);
    executor->pool = NULL;
}
