// The outputs of tasks, hashed: how a difference is blamed on a system.

#include "exec.h"
#include "exec_processes.h"
#include "memory_alias.h"
#include "weft_sort.h"

// Hash of the values of a sparse component in this task's own rows: other tasks write the rest.
static weft_digest hash_presence(const weft_view* view, const weft__term* term) {
    const weft_world* world = view->world;
    const weft__chunk* presence =
        weft__chunk_find(&world->sparse.items[term->index], view->chunk->shard);
    weft_digest digest = {0, 0};
    for (uint32_t i = 0; presence != NULL && i < presence->row_count; i++) {
        uint32_t local = presence->entities[i].slot % WEFT_SHARD_SLOTS;
        if (!weft__members_has(&view->chunk->members, local) || term->type->size == 0)
            continue;
        const uint8_t* value = (const uint8_t*)presence->columns[0] + (size_t)i * term->type->size;
        weft_digest part = weft_digest_of(value, term->type->size, presence->entities[i].slot);
        uint64_t words[4] = {digest.low, digest.high, part.low, part.high};
        digest = weft_digest_of(words, sizeof(words), 0);
    }
    return digest;
}

// Hash of everything that a task wrote.
void weft__outputs_note(const weft__stage_run* run, uint32_t worker, const weft_view* view,
                        const weft__system* system) {
    const weft_world* world = view->world;
    WEFT_ASSERT(run->executor->traced && worker < run->executor->worker_count);
    weft__output_lane* lane = &run->executor->output_lanes[worker];
    uint64_t words[4] = {0, 0, 0, 0};
    for (uint32_t i = 0; i <= system->access.terms.count; i++) {
        weft_digest part = {0, 0};
        const weft__term* term = NULL;
        if (i < system->access.terms.count)
            term = &system->access.terms.items[i];
        else
            part = weft__log_task_digest(world, view->lane, 0);
        bool writes = term != NULL &&
                      (term->mode == WEFT_ACCESS_WRITE || term->mode == WEFT_ACCESS_WRITE_OPTIONAL);
        if (writes && !term->sparse && view->columns[i] != WEFT__NONE)
            part = weft__digest_column(world, view->lane, view->chunk, view->columns[i],
                                       view->chunk->filled[view->columns[i]] != 0);
        if (writes && term->sparse) {
            part = hash_presence(view, term);
        }
        if (term != NULL && term->mode == WEFT_ACCESS_EMIT)
            part =
                weft__log_task_digest(world, view->lane, world->channels.items[term->index].stream);
        if (term != NULL && term->mode == WEFT_ACCESS_RESOURCE_WRITE) {
            const weft__resource* resource = &world->resources.items[term->index];
            part = weft_digest_of(resource->values, resource->size, 0);
        }
        if (term != NULL && term->mode == WEFT_ACCESS_REDUCE)
            part = weft_digest_of(
                weft__reduction_partial(view->world, term->index, term->producer, view->chunk),
                term->type->size, 0);
        words[2] = part.low;
        words[3] = part.high;
        weft_digest sum = weft_digest_of(words, sizeof(words), i);
        words[0] = sum.low;
        words[1] = sum.high;
    }
    weft_task_output output = {system->rank, view->commands.archetype, view->commands.shard,
                               (weft_digest){words[0], words[1]}};
    if (WEFT__VEC_PUSH(&view->world->arena, lane->outputs, output) != WEFT_STATUS_OK)
        lane->out_of_memory = true;
    if (run->executor->probe != NULL)
        run->executor->probe(run->executor->probe_context, view, system);
}

static bool output_before(weft_task_output a, weft_task_output b, const weft_executor* executor) {
    uint32_t x = weft__schedule_at(executor->schedule, a.rank)->stage;
    uint32_t y = weft__schedule_at(executor->schedule, b.rank)->stage;
    return x != y ? x < y
                  : weft__key_before((weft__key){a.rank, a.archetype, a.shard},
                                     (weft__key){b.rank, b.archetype, b.shard});
}

WEFT__SORT(sort_outputs, weft_task_output, weft_executor, output_before)

static weft_status gather_outputs(weft_executor* executor) {
    weft__arena* arena = &executor->world->arena;
    executor->outputs.count = executor->output_scratch.count = 0;
    for (uint32_t i = 0; i < executor->worker_count; i++) {
        weft__output_lane* lane = &executor->output_lanes[i];
        if (lane->out_of_memory)
            return WEFT_STATUS_OUT_OF_MEMORY;
        WEFT_TRY(WEFT__VEC_RESERVE(arena, executor->outputs, lane->outputs.count));
        if (lane->outputs.count > 0)
            memcpy(executor->outputs.items + executor->outputs.count, lane->outputs.items,
                   lane->outputs.count * sizeof(weft_task_output));
        executor->outputs.count += lane->outputs.count;
    }
    WEFT_TRY(WEFT__VEC_RESERVE(arena, executor->output_scratch, executor->outputs.count));
    sort_outputs(executor->outputs.items, executor->output_scratch.items, executor->outputs.count,
                 executor);
    return WEFT_STATUS_OK;
}

weft_status weft_executor_tick_traced(weft_executor* executor, const weft_task_output** outputs_out,
                                      size_t* count_out) {
    WEFT_ASSERT(executor != NULL && outputs_out != NULL && count_out != NULL);
    *outputs_out = NULL;
    *count_out = 0;
    if (weft__memory_is_foreign(&executor->world->arena.memory))
        return WEFT_STATUS_UNSUPPORTED;
    size_t bytes = executor->worker_count * sizeof(weft__output_lane);
    if (executor->output_lanes == NULL)
        executor->output_lanes = weft__arena_alloc_zero(&executor->world->arena, bytes);
    if (executor->output_lanes == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    weft_status status = weft__executor_ask(executor, WEFT__REQUEST_TRACED, 0);
    weft_status sorted = gather_outputs(executor);
    *outputs_out = executor->outputs.items;
    *count_out = executor->outputs.count;
    return status != WEFT_STATUS_OK ? status : sorted;
}

void weft__outputs_free(weft_executor* executor) {
    weft__arena* arena = &executor->world->arena;
    for (uint32_t i = 0; executor->output_lanes != NULL && i < executor->worker_count; i++)
        WEFT__VEC_FREE(arena, executor->output_lanes[i].outputs);
    weft__arena_free(arena, executor->output_lanes,
                     executor->worker_count * sizeof(weft__output_lane));
    WEFT__VEC_FREE(arena, executor->outputs);
    WEFT__VEC_FREE(arena, executor->output_scratch);
}
