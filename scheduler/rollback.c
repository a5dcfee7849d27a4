// Rollback by encoded states (docs/decisions/0010-rollback-by-states.md).
//
// Two states are kept, so that one is whole while the next is written. A state is taken right
// before a tick and without the input events of that tick, which are posted again like all later
// ones. Whatever else the host changed between ticks is in the state: where there was such a
// change, a new one is taken.
//
//   kept[older]       kept[newest]        now
//   |-- reached from the older --|-- from the newest --|
//
// How far states are apart may be chosen by time, since it changes no result: only how far back one
// can go, and how long that takes.

#include "rollback_tick.h"

#include <string.h>

#include "os.h"
#include "state_bytes.h"

typedef struct kept_state {
    weft__state_bytes bytes;
    uint64_t tick;
    uint64_t changes;       // The world's host_changes then,
    weft_world_stats stats; // and its counters.
    bool whole;
} kept_state;

/// A digest that the host was given.
typedef struct known_digest {
    uint64_t tick;
    uint32_t posted; // Input events of this tick, so far.
    uint64_t changes;
    weft_digest full;
} known_digest;

typedef struct weft__rollback {
    kept_state kept[2];
    uint32_t newest;
    uint64_t past;                 // The world's, of both.
    uint64_t ticks_ns;             // In ticks since the newest.
    uint64_t cost_ns;              // Of the newest.
    WEFT__VEC(known_digest) known; // Since the older, by tick and events.
} weft__rollback;

weft_status weft__rollback_create(weft_executor* executor) {
    weft__arena* arena = &executor->world->arena;
    if (executor->desc.rollback_ticks == 0 && executor->desc.rollback_percent == 0)
        return WEFT_STATUS_OK;
    weft__rollback* rollback = weft__arena_alloc_zero(arena, sizeof(*rollback));
    if (rollback == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    rollback->kept[0].bytes.arena = rollback->kept[1].bytes.arena = arena;
    executor->rollback = rollback;
    return WEFT_STATUS_OK;
}

void weft__rollback_destroy(weft_executor* executor) {
    weft__rollback* rollback = executor->rollback;
    weft__arena* arena = &executor->world->arena;
    if (rollback == NULL)
        return;
    weft__state_bytes_free(&rollback->kept[0].bytes);
    weft__state_bytes_free(&rollback->kept[1].bytes);
    WEFT__VEC_FREE(arena, rollback->known);
    weft__arena_free(arena, rollback, sizeof(*rollback));
    executor->rollback = NULL;
}

// Keeping ----------------------------------------------------------------------------------------

// Input events posted for the tick that comes next; they are the last ones.
static uint32_t posted_now(const weft_world* world) {
    uint32_t begin = world->inputs.count;
    while (begin > 0 && world->inputs.items[begin - 1].tick == world->tick)
        begin--;
    return world->inputs.count - begin;
}

// True if the state is whole and all inputs since are kept.
static bool leads_on(const weft_executor* executor, const kept_state* kept) {
    const weft_world* world = executor->world;
    return kept->whole && executor->rollback->past == world->pasts &&
           world->checkpoint_tick <= kept->tick;
}

// True if the ticks since the newest state, run again, give the world before this tick.
static bool leads_here(const weft_executor* executor) {
    const kept_state* newest = &executor->rollback->kept[executor->rollback->newest];
    return leads_on(executor, newest) && newest->changes == executor->world->host_changes;
}

static bool is_due(const weft_executor* executor) {
    const weft__rollback* rollback = executor->rollback;
    const weft_executor_desc* desc = &executor->desc;
    WEFT_ASSERT(rollback->kept[rollback->newest].tick <= executor->world->tick);
    uint64_t distance = executor->world->tick - rollback->kept[rollback->newest].tick;
    return distance > 0 && distance >= desc->rollback_ticks &&
           (desc->rollback_percent == 0 ||
            rollback->cost_ns * 100 <= rollback->ticks_ns * desc->rollback_percent);
}

// The messages that wait, with or without the input events of this tick, which are their ends.
static void show_posted(weft_world* world, bool show) {
    uint32_t posted = posted_now(world);
    for (uint32_t i = world->inputs.count - posted; i < world->inputs.count; i++) {
        weft__channel* channel = &world->channels.items[world->inputs.items[i].channel];
        WEFT_ASSERT(show || channel->next_count > 0);
        channel->next_count = show ? channel->next_count + 1 : channel->next_count - 1;
    }
}

// Forgets what lies before the older state.
static void forget_before(weft_executor* executor, uint64_t tick) {
    weft__rollback* rollback = executor->rollback;
    uint32_t gone = 0;
    weft__inputs_forget(executor->world, tick);
    while (gone < rollback->known.count && rollback->known.items[gone].tick < tick)
        gone++;
    rollback->known.count -= gone;
    if (gone > 0 && rollback->known.count > 0)
        memmove(rollback->known.items, rollback->known.items + gone,
                rollback->known.count * sizeof(known_digest));
}

// Of the same tick as the newest, it replaces that one, so that the older one stays.
static weft_status keep_state(weft_executor* executor) {
    weft__rollback* rollback = executor->rollback;
    weft_world* world = executor->world;
    for (uint32_t i = 0; i < 2; i++)
        rollback->kept[i].whole = leads_on(executor, &rollback->kept[i]);
    const kept_state* newest = &rollback->kept[rollback->newest];
    uint32_t index =
        newest->whole && newest->tick < world->tick ? rollback->newest ^ 1 : rollback->newest;
    kept_state* kept = &rollback->kept[index];
    kept->whole = false;
    uint64_t begin = weft__os_clock_ns();
    show_posted(world, false);
    weft_status status = weft__state_bytes_encode(world, &kept->bytes);
    show_posted(world, true);
    rollback->cost_ns = weft__os_clock_ns() - begin;
    rollback->ticks_ns = 0;
    WEFT_TRY(status);
    rollback->past = world->pasts;
    rollback->newest = index;
    kept->tick = world->tick;
    kept->changes = world->host_changes;
    kept->stats = world->stats;
    kept->whole = true;
    executor->stats.states++;
    executor->stats.states_ns += rollback->cost_ns;
    executor->stats.state_bytes = kept->bytes.size;
    const kept_state* older = &rollback->kept[index ^ 1];
    forget_before(executor, older->whole ? older->tick : kept->tick);
    return WEFT_STATUS_OK;
}

// Without memory for a new state one goes on with those that are there, as long as they lead here.
static weft_status keep_if_due(weft_executor* executor) {
    bool sound = leads_here(executor);
    if (sound && !is_due(executor))
        return WEFT_STATUS_OK;
    weft_status status = keep_state(executor);
    return status == WEFT_STATUS_OUT_OF_MEMORY && leads_here(executor) ? WEFT_STATUS_OK : status;
}

void weft__rollback_note(weft_executor* executor) {
    weft__rollback* rollback = executor->rollback;
    const weft_world* world = executor->world;
    known_digest known = {world->tick, posted_now(world), world->host_changes, world->digests.full};
    WEFT_ASSERT(world->digests.valid);
    if (rollback->known.count > 0) {
        const known_digest* last = &rollback->known.items[rollback->known.count - 1];
        if (last->tick == known.tick && last->posted == known.posted &&
            last->changes == known.changes)
            return;
    }
    // Where there is no memory, one tick is not checked.
    (void)!WEFT__VEC_PUSH(&executor->world->arena, rollback->known, known);
}

// Going back -------------------------------------------------------------------------------------

/// Ticks that run again.
typedef struct rerun {
    const kept_state* from;
    uint64_t target;
    bool with_posted; // Also post the events of the target.
    uint32_t input;   // The next one.
    uint32_t known;   // The next digest.
    uint32_t posted;  // Events of the world's tick.
} rerun;

// The state that leads to a tick, or null.
static const kept_state* find_state(const weft_executor* executor, uint64_t tick) {
    const weft__rollback* rollback = executor->rollback;
    const kept_state* newest = &rollback->kept[rollback->newest];
    const kept_state* older = &rollback->kept[rollback->newest ^ 1];
    if (newest->tick <= tick)
        return leads_on(executor, newest) ? newest : NULL;
    return leads_on(executor, older) && older->tick <= tick ? older : NULL;
}

// Compares the world with what was known of it.
static weft_status check_known(weft_executor* executor, rerun* run) {
    const weft__rollback* rollback = executor->rollback;
    weft_world* world = executor->world;
    for (; run->known < rollback->known.count; run->known++) {
        const known_digest* known = &rollback->known.items[run->known];
        if (known->tick > world->tick ||
            (known->tick == world->tick && known->posted > run->posted))
            return WEFT_STATUS_OK;
        if (known->tick < world->tick || known->posted < run->posted ||
            known->changes != run->from->changes)
            continue;
        WEFT_TRY(weft__digest_update(world, &executor->runner));
        if (weft_digest_equal(world->digests.full, known->full))
            continue;
        return weft__world_break(world, WEFT_STATUS_DIVERGED,
                                 "run again from tick %llu, the world has another digest after "
                                 "%llu ticks than before: some system depends on what is not in "
                                 "the world, such as a static variable or a clock; weft verify "
                                 "--check=sync looks for it",
                                 (unsigned long long)run->from->tick,
                                 (unsigned long long)world->tick);
    }
    return WEFT_STATUS_OK;
}

// Posts the events of the world's tick again, without keeping them twice.
static weft_status post_again(weft_executor* executor, rerun* run) {
    weft_world* world = executor->world;
    run->posted = 0;
    WEFT_TRY(check_known(executor, run));
    if (world->tick == run->target && !run->with_posted)
        return WEFT_STATUS_OK;
    for (; run->input < world->inputs.count; run->input++) {
        const weft__input* input = &world->inputs.items[run->input];
        if (input->tick > world->tick)
            break;
        WEFT_ASSERT(input->tick == world->tick);
        weft_status status = weft__channel_post(world, input->channel, input->target,
                                                world->input_bytes.items + input->offset);
        if (status != WEFT_STATUS_OK)
            return weft__world_break(world, status, "no memory is left to post an event again");
        run->posted++;
        WEFT_TRY(check_known(executor, run));
    }
    return WEFT_STATUS_OK;
}

static weft_status step_again(weft_executor* executor) {
    weft_world* world = executor->world;
    char reason[sizeof(world->error)];
    weft_status status = weft__executor_step(executor);
    executor->stats.reruns++;
    if (status == WEFT_STATUS_OK || status == WEFT_STATUS_OUT_OF_MEMORY)
        return status;
    memcpy(reason, world->error, sizeof(reason));
    return weft__world_break(world, WEFT_STATUS_DIVERGED,
                             "tick %llu fails when it is run again, and did not before, so it "
                             "depends on what is not in the world: %s",
                             (unsigned long long)world->tick, reason);
}

static weft_status run_again(weft_executor* executor, rerun* run) {
    weft_world* world = executor->world;
    WEFT_TRY(
        weft__state_decode(world, &executor->runner, run->from->bytes.data, run->from->bytes.size));
    WEFT_ASSERT(world->tick == run->from->tick && world->tick <= run->target);
    uint64_t hashed = world->stats.leaves_hashed;
    world->stats = run->from->stats;
    world->stats.leaves_hashed = hashed;
    while (run->input < world->inputs.count &&
           world->inputs.items[run->input].tick < run->from->tick)
        run->input++;
    WEFT_TRY(post_again(executor, run));
    while (world->tick < run->target) {
        WEFT_TRY(step_again(executor));
        WEFT_TRY(post_again(executor, run));
    }
    return WEFT_STATUS_OK;
}

// What was after the tick is no more.
static void forget_after(weft_executor* executor, const rerun* run) {
    weft__rollback* rollback = executor->rollback;
    weft_world* world = executor->world;
    uint64_t end = run->target + run->with_posted;
    while (world->inputs.count > 0 && world->inputs.items[world->inputs.count - 1].tick >= end)
        world->input_bytes.count = world->inputs.items[--world->inputs.count].offset;
    while (rollback->known.count > 0) {
        const known_digest* last = &rollback->known.items[rollback->known.count - 1];
        if (last->tick < end || (last->tick == end && last->posted == 0))
            break;
        rollback->known.count--;
    }
    uint32_t index = run->from == &rollback->kept[1];
    if (index != rollback->newest)
        rollback->kept[rollback->newest].whole = false;
    rollback->newest = index;
    rollback->kept[index].changes = world->host_changes;
    if (run->with_posted)
        return;
    world->pasts++; // For other executors: theirs are states of what was forgotten.
    rollback->past = world->pasts;
}

// Guards stay out of it: the ticks passed them, and their reports are of the tick that did not. One
// whose workers have closed their pages has to open them.
static weft_status go_back(weft_executor* executor, const kept_state* from, uint64_t tick,
                           bool with_posted) {
    rerun run = {.from = from, .target = tick, .with_posted = with_posted};
    weft__guard* guard = executor->guard;
    weft_number_report numbers = executor->numbers;
    bool traced = executor->traced;
    if (guard != NULL && guard->own_pages)
        guard->rests = true;
    else
        executor->guard = NULL;
    executor->traced = false;
    weft_status status = run_again(executor, &run);
    executor->guard = guard;
    if (guard != NULL)
        guard->rests = false;
    executor->traced = traced;
    executor->numbers = numbers;
    WEFT_TRY(status);
    forget_after(executor, &run);
    executor->stats.rollbacks++;
    WEFT_ASSERT(!executor->world->failed && executor->world->tick == tick);
    return WEFT_STATUS_OK;
}

// After a tick, or the host's commit before it, has failed the world.
static weft_status recover(weft_executor* executor, weft_status failure) {
    weft_world* world = executor->world;
    char line[sizeof(world->error)];
    char reason[sizeof(world->error)];
    const kept_state* from = find_state(executor, world->tick);
    uint64_t tick = world->tick;
    if (from == NULL)
        return failure;
    memcpy(line, world->error, sizeof(line));
    weft_status status = go_back(executor, from, tick, true);
    if (status == WEFT_STATUS_OK)
        return weft__world_fail(world, failure, "%s; the world is back at the start of tick %llu",
                                line, (unsigned long long)tick);
    memcpy(reason, world->error, sizeof(reason));
    if (status == WEFT_STATUS_DIVERGED)
        return weft__world_break(world, status, "%s; this was found going back after: %s", reason,
                                 line);
    return weft__world_break(world, failure, "%s; the world could not be taken back: %s", line,
                             reason);
}

weft_status weft__rollback_tick(weft_executor* executor) {
    weft_world* world = executor->world;
    weft__guard* guard = executor->guard;
    uint64_t calls = guard == NULL ? 0 : guard->calls;
    WEFT_ASSERT(!world->failed);
    weft_status status = weft__executor_host(executor);
    if (status == WEFT_STATUS_OK) {
        WEFT_TRY(keep_if_due(executor));
        uint64_t begin = weft__os_clock_ns();
        status = weft__executor_step(executor);
        executor->rollback->ticks_ns += weft__os_clock_ns() - begin;
    }
    if (!world->failed)
        return status;
    if (guard != NULL)
        guard->calls = calls; // So that the same is found when the tick is tried again.
    return recover(executor, status);
}

bool weft_executor_rollback_oldest(const weft_executor* executor, uint64_t* tick_out) {
    WEFT_ASSERT(executor != NULL && tick_out != NULL);
    const weft__rollback* rollback = executor->rollback;
    if (rollback == NULL)
        return false;
    const kept_state* newest = &rollback->kept[rollback->newest];
    const kept_state* older = &rollback->kept[rollback->newest ^ 1];
    const kept_state* oldest = leads_on(executor, older) ? older : newest;
    *tick_out = oldest->tick;
    return leads_on(executor, oldest);
}

weft_status weft__rollback_to(weft_executor* executor, uint64_t tick) {
    weft_world* world = executor->world;
    uint64_t oldest;
    unsigned long long wanted = tick;
    if (executor->rollback == NULL)
        return weft__world_fail(world, WEFT_STATUS_UNSUPPORTED,
                                "this executor keeps no states to go back to: set "
                                "weft_executor_desc.rollback_ticks or .rollback_percent");
    if (tick > world->tick)
        return weft__world_fail(world, WEFT_STATUS_OUT_OF_RANGE,
                                "tick %llu has not been: the world is at tick %llu", wanted,
                                (unsigned long long)world->tick);
    const kept_state* from = find_state(executor, tick);
    if (from != NULL)
        return go_back(executor, from, tick, false);
    if (weft_executor_rollback_oldest(executor, &oldest))
        return weft__world_fail(world, WEFT_STATUS_OUT_OF_RANGE,
                                "tick %llu is too long ago: the oldest state kept is that of tick "
                                "%llu; raise weft_executor_desc.rollback_ticks",
                                wanted, (unsigned long long)oldest);
    return weft__world_fail(world, WEFT_STATUS_OUT_OF_RANGE,
                            "no state is kept that leads to tick %llu: the first one is taken in "
                            "the next tick",
                            wanted);
}
