// Guards: what is common to all of them.
//
// A fault in a system ends it by a jump out of the signal's handler. What it was doing in the world
// stays half done, as after any other failure of a system: the tick is abandoned, and the world
// refuses to go on or is rolled back (C11).

#include "guard_call.h"

#include <weft/float_state.h>

#include "float_control.h"
#include "memory_alias.h"

const char* weft_guard_name(weft_guard guard) {
    static const char* const names[] = {"none", "alias", "hash", "twin", "trap"};
    return (size_t)guard < sizeof(names) / sizeof(names[0]) ? names[guard] : "unknown";
}

// Ranges that one call opens: its columns and more. What is above is closed all at once.
#define OPEN_MAX 256u

static weft_status guard_start(weft__guard* guard) {
    weft__arena* arena = &guard->world->arena;
    guard->lanes = weft__arena_alloc_zero(arena, guard->lane_count * sizeof(*guard->lanes));
    if (guard->lanes == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < guard->lane_count; i++) {
        guard->lanes[i].guard = guard;
        if (guard->mode == WEFT_GUARD_TRAP)
            WEFT_TRY(WEFT__VEC_RESERVE(arena, guard->lanes[i].open, OPEN_MAX));
    }
    return weft__os_faults_begin();
}

weft_status weft__guard_create(weft_world* world, weft_guard mode, uint32_t lanes,
                               bool one_at_a_time, uint64_t seed, weft__guard** guard_out) {
    *guard_out = NULL;
    if (mode == WEFT_GUARD_NONE)
        return WEFT_STATUS_OK;
    WEFT_ASSERT(lanes > 0);
    if (mode > WEFT_GUARD_ALIAS && !one_at_a_time)
        return weft__world_fail(
            world, WEFT_STATUS_BAD_ARGUMENT,
            "guard \"%s\" watches one worker at a time: use WEFT_EXECUTOR_SERIAL "
            "or WEFT_EXECUTOR_VIRTUAL, or one thread; guard \"trap\" also any number of "
            "WEFT_EXECUTOR_PROCESSES",
            weft_guard_name(mode));
    if (mode == WEFT_GUARD_TRAP && (world->arena.memory.apart == 0 || world->write_alias == 0 ||
                                    world->write_alias != world->read_alias))
        return weft__world_fail(world, WEFT_STATUS_BAD_ARGUMENT,
                                "guard \"trap\" needs columns on pages of their own: create the "
                                "world with the memory of weft_memory_aliased(true)");
    weft__guard* guard = weft__arena_alloc_zero(&world->arena, sizeof(*guard));
    if (guard == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    *guard = (weft__guard){.mode = mode, .world = world, .seed = seed, .lane_count = lanes};
    weft_status status = guard_start(guard);
    if (status == WEFT_STATUS_OK)
        *guard_out = guard;
    return status; // What is lost after a failure goes with the world.
}

void weft__guard_destroy(weft__guard* guard) {
    if (guard == NULL)
        return;
    weft__arena* arena = &guard->world->arena;
    weft__os_faults_end();
    for (uint32_t i = 0; i < guard->lane_count; i++) {
        weft__guard_lane* lane = &guard->lanes[i];
        WEFT__VEC_FREE(arena, lane->spans);
        WEFT__VEC_FREE(arena, lane->copy);
        WEFT__VEC_FREE(arena, lane->open);
        weft__guard_twin_free(lane);
    }
    weft__arena_free(arena, guard->lanes, guard->lane_count * sizeof(*guard->lanes));
    weft__arena_free(arena, guard, sizeof(*guard));
}

static weft_status pages_failed(weft_world* world, weft_status status) {
    return weft__world_break(world, status,
                             "tick %llu: guard \"trap\" could not change the protection of pages: "
                             "raise vm.max_map_count, or take fewer entities",
                             (unsigned long long)world->tick);
}

// All that there will ever be is mapped already.
static weft_status set_own_pages(weft__guard_lane* lane, bool rests) {
    const weft__alias_memory* memory = weft__memory_alias(&lane->guard->world->arena.memory);
    WEFT_ASSERT(memory != NULL);
    lane->rests = rests;
    return weft__os_protect(memory->pair.base + memory->pair.range, memory->pair.range,
                            rests ? WEFT__OS_WRITE : WEFT__OS_NONE);
}

weft_status weft__guard_worker_begin(weft__guard* guard, uint32_t worker) {
    WEFT_ASSERT(worker < guard->lane_count);
    return guard->own_pages ? set_own_pages(&guard->lanes[worker], false) : WEFT_STATUS_OK;
}

weft_status weft__guard_tick_begin(weft__guard* guard) {
    WEFT_ASSERT(!guard->rests || guard->own_pages);
    if (guard->rests)
        return WEFT_STATUS_OK;
    for (uint32_t i = 0; i < guard->lane_count; i++)
        guard->lanes[i].report.found = false;
    if (guard->mode != WEFT_GUARD_TRAP || guard->own_pages)
        return WEFT_STATUS_OK;
    weft_status status = weft__guard_trap_all(guard, false);
    return status == WEFT_STATUS_OK ? status : pages_failed(guard->world, status);
}

weft_status weft__guard_tick_end(weft__guard* guard) {
    if (guard->mode != WEFT_GUARD_TRAP || guard->own_pages)
        return WEFT_STATUS_OK;
    weft_status status = weft__guard_trap_all(guard, true);
    return status == WEFT_STATUS_OK ? status : pages_failed(guard->world, status);
}

weft_status weft__guard_run(weft__guard_lane* lane) {
    lane->faulted = false;
    lane->fault_catch.context = lane;
    lane->fault_catch.fn = lane->guard->mode == WEFT_GUARD_TRAP ? weft__guard_trap_fault : NULL;
    if (sigsetjmp(lane->fault_catch.place, 0) != 0) {
        (void)weft__float_state_pin(); // A handler starts with the system's own.
        lane->faulted = true;
        return WEFT_STATUS_UNDECLARED;
    }
    weft__os_faults_expect(&lane->fault_catch);
    weft_status status = lane->system->run(lane->view, lane->system->context);
    weft__os_faults_expect(NULL);
    return status;
}

weft_status weft__guard_call(weft__guard* guard, weft_view* view, uint32_t worker,
                             const weft__system* system) {
    WEFT_ASSERT(worker < guard->lane_count && view->world == guard->world);
    weft__guard_lane* lane = &guard->lanes[worker];
    lane->system = system;
    lane->view = view;
    weft_status status = WEFT_STATUS_OK;
    if (lane->rests != guard->rests && set_own_pages(lane, guard->rests) != WEFT_STATUS_OK)
        return WEFT_STATUS_OS;
    if (guard->rests)
        return system->run(view, system->context);
    switch (guard->mode) {
    case WEFT_GUARD_NONE:
    case WEFT_GUARD_ALIAS: // Several workers may be here at once.
        status = weft__guard_run(lane);
        return lane->faulted ? weft__guard_blame_fault(lane) : status;
    case WEFT_GUARD_HASH:
        status = weft__guard_hash(lane);
        break;
    case WEFT_GUARD_TWIN:
        status = weft__guard_twin(lane);
        break;
    case WEFT_GUARD_TRAP:
        status = weft__guard_trap(lane);
        break;
    }
    if (!guard->own_pages) // Else several workers are here at once.
        guard->calls++;
    return status;
}

const weft_guard_report* weft__guard_report(const weft__guard* guard) {
    const weft__guard_lane* first = NULL;
    for (uint32_t i = 0; i < guard->lane_count; i++) {
        const weft__guard_lane* lane = &guard->lanes[i];
        if (lane->report.found && (first == NULL || weft__key_before(lane->key, first->key)))
            first = lane;
    }
    return first == NULL ? &guard->none : &first->report;
}
