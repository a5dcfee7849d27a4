// Pages: while a system runs, what it did not declare is closed to it.
//
// Systems see the world through the second mapping alone, so the world itself needs nothing opened.
// All of that mapping is closed at the start of a tick. A call opens its own columns and resources.
// What it declared of other rows, messages and reductions is opened when it is first touched: that
// costs a fault, and else every call would have to open all of the world. The bytes behind the last
// row on its page are compared instead.

#include "guard_call.h"

#include "os.h"
#include "weft_bits.h"

static uint8_t* seen(const weft_world* world, uint8_t* place) {
    return place + world->write_alias;
}

weft_status weft__guard_trap_all(const weft__guard* guard, bool open) {
    const weft_world* world = guard->world;
    weft__arena_segment* segment = world->arena.segments;
    for (; segment != NULL; segment = segment->next)
        WEFT_TRY(weft__os_protect(seen(world, (uint8_t*)segment),
                                  weft__align_up(segment->size, world->arena.memory.apart),
                                  open ? WEFT__OS_WRITE : WEFT__OS_NONE));
    return WEFT_STATUS_OK;
}

// Opens the pages of some bytes to the system.
static weft_status open_bytes(weft__guard_lane* lane, uint8_t* at, size_t bytes,
                              weft__os_access access) {
    const weft_world* world = lane->guard->world;
    size_t page = world->arena.memory.apart;
    size_t before = (uintptr_t)at & (page - 1);
    weft__guard_open range = {seen(world, at - before), weft__align_up(before + bytes, page)};
    if (lane->open.count < lane->open.capacity)
        lane->open.items[lane->open.count++] = range;
    else
        lane->open_more = true;
    return weft__os_protect(range.base, range.bytes, access);
}

static weft_status close_all(weft__guard_lane* lane) {
    weft_status status =
        lane->open_more ? weft__guard_trap_all(lane->guard, false) : WEFT_STATUS_OK;
    for (uint32_t i = 0; i < lane->open.count && status == WEFT_STATUS_OK && !lane->open_more; i++)
        status =
            weft__os_protect(lane->open.items[i].base, lane->open.items[i].bytes, WEFT__OS_NONE);
    lane->open.count = 0;
    lane->open_more = false;
    return status;
}

static weft_status open_own(weft__guard_lane* lane) {
    for (uint32_t i = 0; i < lane->spans.count; i++) {
        const weft__span* span = &lane->spans.items[i];
        if (span->access == WEFT__SPAN_READ || span->access == WEFT__SPAN_WRITE)
            WEFT_TRY(open_bytes(lane, span->at, span->bytes,
                                span->access == WEFT__SPAN_WRITE ? WEFT__OS_WRITE : WEFT__OS_READ));
    }
    return WEFT_STATUS_OK;
}

// Nothing here allocates or asks for a lock.
bool weft__guard_trap_fault(void* context, const weft__fault* fault) {
    weft__guard_lane* lane = context;
    const weft_world* world = lane->guard->world;
    if (fault->access == WEFT__FAULT_WRITE)
        return false;
    // What is open faults only when it is written.
    for (uint32_t i = 0; i < lane->open.count; i++)
        if ((uintptr_t)fault->address - (uintptr_t)lane->open.items[i].base <
            lane->open.items[i].bytes)
            return false;
    weft__spot spot = weft__guard_spot(world, weft__guard_in_place(world, fault->address));
    uint32_t modes = 0;
    switch (spot.place) {
    case WEFT_GUARD_NOWHERE:
    case WEFT_GUARD_RESOURCE: // Open, or not declared.
    case WEFT_GUARD_HIDDEN:
        return false;
    case WEFT_GUARD_ENTITIES:
        break;
    case WEFT_GUARD_COMPONENT:
        modes = WEFT__MODE(READ_ANY);
        break;
    case WEFT_GUARD_MESSAGE:
        modes = WEFT__MODE(CONSUME);
        break;
    case WEFT_GUARD_REDUCTION:
        modes = WEFT__MODE(REDUCED);
        break;
    }
    bool declared = modes == 0 || weft__guard_term(lane->view->access, spot.type_id, modes) != NULL;
    return declared && !spot.back && !spot.beyond && !lane->open_more &&
           open_bytes(lane, spot.begin, spot.used, WEFT__OS_READ) == WEFT_STATUS_OK;
}

weft_status weft__guard_trap(weft__guard_lane* lane) {
    WEFT_TRY(weft__guard_spans(lane));
    WEFT_TRY(weft__guard_keep(lane));
    weft_status opened = open_own(lane);
    weft_status status = opened == WEFT_STATUS_OK ? weft__guard_run(lane) : opened;
    bool faulted = opened == WEFT_STATUS_OK && lane->faulted;
    weft_status closed = close_all(lane);
    if (opened != WEFT_STATUS_OK || closed != WEFT_STATUS_OK) {
        (void)weft_view_fail(lane->view, "guard \"trap\" could not change the protection of pages: "
                                         "raise vm.max_map_count, or take fewer entities");
        return WEFT_STATUS_OS;
    }
    if (faulted)
        return weft__guard_blame_fault(lane);
    const uint8_t* changed = weft__guard_changed(lane);
    if (changed == NULL)
        return status;
    weft__spot spot = weft__guard_spot(lane->guard->world, changed);
    return weft__guard_blame(lane, WEFT_GUARD_WRITE, &spot, "");
}
