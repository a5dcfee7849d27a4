// Verify against a fault of the merge itself: every task records what it should, and two of them
// change places in the merge, in runs whose order is not the serial one. No system is to blame, and
// the value that comes out wrong is named.

#include <weft/verify.h>

#include "worlds.h"

#include "weft_world.h"

WEFT_COMPONENT(Ballot, (uint32_t, by));

enum {
    ENTITIES = 2 * WEFT_SHARD_SLOTS,
    CHOSEN = 77, // Both chunks set it in each tick: the later key wins.
    TICKS = 4,
    TICK = 2
};

/// One world and what is done to it.
typedef struct tampering {
    weft_world* world;
    bool wanted;
    bool first_seen; // Shard 0 was voted in this tick.
    bool late;       // Shard 1 came before it.
} tampering;

static weft_status vote(weft_view* view, const void* context) {
    tampering* own = (tampering*)(uintptr_t)context;
    weft_entity chosen = {CHOSEN, 1};
    uint32_t shard = weft_view_shard(view);
    own->late = shard == 1 ? !own->first_seen : own->late;
    own->first_seen = own->first_seen || shard == 0;
    WEFT_SET(weft_view_commands(view), 0, chosen, Ballot, {shard + 1});
    return WEFT_STATUS_OK;
}

static weft_status tamper(weft_view* view, const void* context) {
    tampering* own = (tampering*)(uintptr_t)context;
    bool now = own->wanted && own->late && weft_view_tick(view) == TICK;
    own->first_seen = own->late = false;
    for (uint32_t i = 0; now && i < own->world->lane_count; i++) {
        weft__stream* commands = &own->world->lanes[i].streams.items[0];
        for (uint32_t j = 0; j < commands->segments.count; j++)
            commands->segments.items[j].shard ^= 1;
    }
    return WEFT_STATUS_OK;
}

static weft_status make(void* context, weft_world** world_out, weft_schedule** schedule_out) {
    static const char* const after[] = {"vote", NULL};
    tampering* own = context;
    weft_world_desc desc = weft_world_desc_default();
    WEFT_TRY(weft_world_create(&desc, NULL, world_out));
    WEFT_TRY(weft_schedule_create(*world_out, schedule_out));
    WEFT_TRY(weft_world_register_component(*world_out, WEFT_TYPE(Ballot), WEFT_STORAGE_DENSE));
    *own = (tampering){.world = *world_out, .wanted = own->wanted};
    WEFT_TRY(weft_schedule_add_system(
        *schedule_out,
        WEFT_SYSTEM("vote", vote, .context = own, WEFT_ACCESS(WEFT_READS(Ballot), WEFT_COMMANDS))));
    WEFT_TRY(weft_schedule_add_system(
        *schedule_out,
        WEFT_SYSTEM("tamper", tamper, .context = own, .after = after, .scope = WEFT_SCOPE_WORLD)));
    for (uint32_t i = 0; i < ENTITIES; i++)
        (void)WEFT_CREATE(weft_world_commands(*world_out), 0, WEFT_VALUE(Ballot, {0}));
    WEFT_TRY(weft_world_commit(*world_out));
    return weft_schedule_build(*schedule_out);
}

static weft_verify_report* verify(bool wanted, weft_verify_depth depth, weft_status status) {
    static weft_executor_desc configs[8]; // Of which one in two goes the other way round.
    tampering own = {.wanted = wanted};
    weft_verify_desc desc = weft_verify_desc_default();
    weft_verify_report* report;
    for (uint64_t i = 0; i < 8; i++) {
        configs[i] = weft_executor_desc_default();
        configs[i].kind = WEFT_EXECUTOR_VIRTUAL;
        configs[i].worker_count = 2;
        configs[i].schedule_seed = i;
    }
    desc.make = make;
    desc.context = &own;
    desc.tick_count = TICKS;
    desc.configs = configs;
    desc.config_count = 8;
    desc.depth = depth;
    cr_assert_eq(weft_verify(&desc, &report), status);
    return report;
}

Test(verify_merge, a_swapped_merge_names_the_value_and_no_system) {
    for (int depth = WEFT_VERIFY_DEPTH_ROOT; depth <= WEFT_VERIFY_DEPTH_HEAVY; depth++) {
        weft_verify_report* report = verify(true, (weft_verify_depth)depth, WEFT_STATUS_DIVERGED);
        const weft_verify_result* odd = report->results;
        while (odd->outcome == WEFT_VERIFY_EQUAL)
            odd++;
        cr_assert_eq(odd->tick, (uint64_t)TICK + 1);
        cr_assert(odd->place.traced && odd->place.compared && odd->place.repeated);
        cr_assert_not(odd->place.has_task, "%s is blamed", odd->place.system);
        cr_assert_not(odd->place.unstable);
        cr_assert_eq(odd->place.kind, WEFT_VERIFY_KIND_FIELD);
        cr_assert_str_eq(odd->place.type, "Ballot");
        cr_assert_str_eq(odd->place.field, "by");
        cr_assert_eq(odd->place.entity.slot, (uint32_t)CHOSEN);
        cr_assert_str_eq(odd->place.reference_text, "2");
        cr_assert_str_eq(odd->place.found_text, "1");
        cr_assert_eq(odd->place.entity_count, 1u);
        weft_verify_report_destroy(report);
    }
}

Test(verify_merge, without_tampering_all_is_equal) {
    weft_verify_report_destroy(verify(false, WEFT_VERIFY_DEPTH_HEAVY, WEFT_STATUS_OK));
}
