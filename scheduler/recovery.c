// Images of the world's memory, and the log of events since the last one.
//
// One image is enough: it is written while no worker runs, so nobody can die over it but this
// process, and then nothing is left to recover.
//
// An image leads to the world as it is if nothing but events and requests happened since. Whatever
// else a host does between ticks takes or gives back memory, or advances one of two counters: then
// a new image is taken, out of turn. How far images are apart else may be chosen by time, since it
// changes no result.

#include "recovery.h"

#include <string.h>

#include "os.h"

void weft__recovery_init(weft__recovery* recovery, weft_executor* executor) {
    weft_memory memory = weft_memory_system();
    *recovery = (weft__recovery){.executor = executor,
                                 .memory = weft__memory_alias(&executor->world->arena.memory)};
    WEFT_ASSERT(recovery->memory != NULL);
    weft__arena_init(&recovery->arena, &memory);
    recovery->image.arena = &recovery->arena;
}

void weft__recovery_deinit(weft__recovery* recovery) {
    weft__image_free(&recovery->image);
    weft__arena_deinit(&recovery->arena);
}

static weft__recovery_mark mark_now(const weft_world* world) {
    return (weft__recovery_mark){world->tick, world->arena.changes, world->host_changes,
                                 world->pasts};
}

// True if the image, the log and the ticks since give the world as it is.
static bool leads_here(const weft__recovery* recovery) {
    const weft_world* world = recovery->executor->world;
    const weft__recovery_mark now = mark_now(world);
    const weft__recovery_mark* then = &recovery->mark;
    return recovery->whole && now.tick == then->tick && now.arena_changes == then->arena_changes &&
           now.host_changes == then->host_changes && now.pasts == then->pasts &&
           world->host.streams.items[0].segments.count == 0;
}

static bool is_due(const weft__recovery* recovery) {
    const weft_executor* executor = recovery->executor;
    const weft_executor_desc* desc = &executor->desc;
    uint64_t distance = executor->world->tick - recovery->tick;
    return distance > 0 && distance >= desc->image_ticks &&
           (desc->image_percent == 0 ||
            recovery->cost_ns * 100 <= recovery->ticks_ns * desc->image_percent);
}

// The first event of the world's tick in the list of kept inputs; these are the last ones.
static uint32_t posted_begin(const weft_world* world) {
    uint32_t begin = world->inputs.count;
    while (begin > 0 && world->inputs.items[begin - 1].tick == world->tick)
        begin--;
    return begin;
}

static weft_status log_input(weft__recovery* recovery, const weft__input* input) {
    const weft_world* world = recovery->executor->world;
    uint32_t size = weft__type_at(world, world->channels.items[input->channel].type)->type->size;
    weft__recovery_input logged = {input->tick, input->channel, input->target,
                                   recovery->bytes.count, size};
    WEFT_TRY(WEFT__VEC_RESERVE(&recovery->arena, recovery->bytes, size));
    WEFT_TRY(WEFT__VEC_PUSH(&recovery->arena, recovery->inputs, logged));
    memcpy(recovery->bytes.items + recovery->bytes.count, world->input_bytes.items + input->offset,
           size);
    recovery->bytes.count += size;
    return WEFT_STATUS_OK;
}

static weft_status log_posted(weft__recovery* recovery) {
    const weft_world* world = recovery->executor->world;
    uint32_t begin = posted_begin(world);
    if (recovery->logged_tick != world->tick)
        recovery->logged = 0;
    recovery->logged_tick = world->tick;
    for (; begin + recovery->logged < world->inputs.count; recovery->logged++)
        WEFT_TRY(log_input(recovery, &world->inputs.items[begin + recovery->logged]));
    return WEFT_STATUS_OK;
}

static weft_status copy_world(weft__recovery* recovery) {
    weft_executor* executor = recovery->executor;
    const weft_world* world = executor->world;
    recovery->whole = false;
    WEFT_TRY(weft__image_reserve(&recovery->image, world));
    uint64_t begin = weft__os_clock_ns();
    weft__image_take(&recovery->image, world);
    recovery->cost_ns = weft__os_clock_ns() - begin;
    recovery->ticks_ns = 0;
    recovery->whole = true;
    recovery->tick = world->tick;
    executor->stats.images++;
    executor->stats.images_ns += recovery->cost_ns;
    executor->stats.image_bytes = recovery->image.kept;
    return WEFT_STATUS_OK;
}

static weft_status take_image(weft__recovery* recovery) {
    const weft_world* world = recovery->executor->world;
    WEFT_TRY(copy_world(recovery));
    recovery->logged_tick = world->tick;
    recovery->logged = world->inputs.count - posted_begin(world);
    recovery->inputs.count = recovery->bytes.count = recovery->known.count = 0;
    return WEFT_STATUS_OK;
}

// What was before the image is not needed any more; payloads stay until the next one of take_image.
static void forget_before(weft__recovery* recovery, uint64_t tick) {
    uint32_t left = 0;
    for (uint32_t i = 0; i < recovery->inputs.count; i++)
        if (recovery->inputs.items[i].tick >= tick)
            recovery->inputs.items[left++] = recovery->inputs.items[i];
    recovery->inputs.count = left;
    left = 0;
    for (uint32_t i = 0; i < recovery->known.count; i++)
        if (recovery->known.items[i].tick >= tick)
            recovery->known.items[left++] = recovery->known.items[i];
    recovery->known.count = left;
}

// What of this tick's events was logged before is posted after the image is put back, as it is now.
void weft__recovery_on_the_way(weft__recovery* recovery, uint64_t took_ns) {
    const weft_executor* executor = recovery->executor;
    const weft_world* world = executor->world;
    recovery->ticks_ns += took_ns;
    WEFT_ASSERT(recovery->whole && world->tick >= recovery->tick);
    bool far = 2 * (world->tick - recovery->tick) + recovery->tick >= recovery->reached;
    if (executor->desc.image_percent == 0 || !far || !is_due(recovery) ||
        !weft__image_has_room(&recovery->image, world))
        return;
    WEFT_ASSERT(posted_begin(world) == world->inputs.count);
    weft_status status = copy_world(recovery);
    WEFT_ASSERT(status == WEFT_STATUS_OK);
    forget_before(recovery, world->tick);
}

// After changes by the host, which may have been many commands.
static void trim(const weft__recovery* recovery) {
    weft_world* world = recovery->executor->world;
    if (world->host_changes != recovery->mark.host_changes &&
        world->host.streams.items[0].segments.count == 0)
        weft__commit_trim(world);
}

weft_status weft__recovery_before(weft__recovery* recovery, bool trims) {
    weft_executor* executor = recovery->executor;
    weft_status status = WEFT_STATUS_OK;
    bool sound = leads_here(recovery);
    if (executor->desc.image_ticks == 0 && executor->desc.image_percent == 0)
        return WEFT_STATUS_OK;
    if (sound && !is_due(recovery)) {
        status = log_posted(recovery);
    } else {
        if (trims)
            trim(recovery);
        status = take_image(recovery);
    }
    if (status == WEFT_STATUS_OK)
        return status;
    recovery->whole = false;
    return weft__world_fail(executor->world, status,
                            "no memory is left for the image that the world would come back from "
                            "if a worker process died; take fewer entities, or no images "
                            "(weft_executor_desc.image_ticks, .image_percent)");
}

void weft__recovery_after(weft__recovery* recovery, uint64_t took_ns) {
    recovery->mark = mark_now(recovery->executor->world);
    recovery->ticks_ns += took_ns;
}

void weft__recovery_forget(weft__recovery* recovery) {
    recovery->whole = false;
}

void weft__recovery_note(weft__recovery* recovery) {
    const weft_world* world = recovery->executor->world;
    weft__recovery_known known = {world->tick, world->digests.full};
    uint32_t count = recovery->known.count;
    WEFT_ASSERT(world->digests.valid);
    if (!recovery->whole || posted_begin(world) != world->inputs.count ||
        (count > 0 && recovery->known.items[count - 1].tick >= known.tick))
        return;
    // Where there is no memory, one tick is not checked.
    (void)!WEFT__VEC_PUSH(&recovery->arena, recovery->known, known);
}

const weft_digest* weft__recovery_expected(const weft__recovery* recovery, uint64_t tick) {
    for (uint32_t i = 0; i < recovery->known.count; i++)
        if (recovery->known.items[i].tick == tick)
            return &recovery->known.items[i].full;
    return NULL;
}

void weft__recovery_put_back(weft__recovery* recovery) {
    weft_executor* executor = recovery->executor;
    WEFT_ASSERT(recovery->whole);
    weft__image_put_back(&recovery->image, recovery->memory);
    executor->pool = NULL; // That of the dead.
    executor->notes = NULL;
}

weft_status weft__recovery_post(const weft__recovery* recovery) {
    weft_world* world = recovery->executor->world;
    for (uint32_t i = 0; i < recovery->inputs.count; i++) {
        const weft__recovery_input* input = &recovery->inputs.items[i];
        if (input->tick != world->tick)
            continue;
        uint32_t type = world->channels.items[input->channel].type;
        WEFT_TRY(weft_world_post(world, weft__type_at(world, type)->type, input->target,
                                 recovery->bytes.items + input->offset));
    }
    return WEFT_STATUS_OK;
}
