// Depends on whether the first shard is run before the second one: no declared access orders them,
// and as a rule it is.
#include <weft/module.h>

WEFT_COMPONENT(Ticket, (uint32_t, late));

// What no system may have: state outside the world. Of the tick that is being run.
static uint32_t first_shard_done;

static weft_status open_shop(weft_view* view, const void* context) {
    (void)view;
    (void)context;
    __atomic_store_n(&first_shard_done, 0, __ATOMIC_SEQ_CST);
    return WEFT_STATUS_OK;
}

static weft_status queue(weft_view* view, const void* context) {
    (void)context;
    Ticket* tickets = WEFT_WRITE(view, Ticket);
    if (weft_view_shard(view) == 0)
        __atomic_store_n(&first_shard_done, 1, __ATOMIC_SEQ_CST);
    else if (__atomic_load_n(&first_shard_done, __ATOMIC_SEQ_CST) == 0)
        tickets[0].late++;
    return WEFT_STATUS_OK;
}

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule) {
    static const char* const after[] = {"open", NULL};
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Ticket), WEFT_STORAGE_DENSE));
    for (uint32_t i = 0; i < options->entity_count; i++)
        WEFT_CREATE(weft_world_commands(world), 0, WEFT_VALUE(Ticket, {0}));
    WEFT_TRY(weft_schedule_add_system(schedule,
                                      WEFT_SYSTEM("open", open_shop, .scope = WEFT_SCOPE_WORLD)));
    return weft_schedule_add_system(
        schedule, WEFT_SYSTEM("queue", queue, WEFT_ACCESS(WEFT_WRITES(Ticket)), .after = after));
}

WEFT_MODULE_EXPORT const weft_module weft_module_table = {
    .abi = WEFT_MODULE_ABI,
    .name = "order_bug",
    .summary = "depends on which shard is run first",
    .entity_count_default = 2 * WEFT_SHARD_SLOTS,
    .tick_count_default = 100,
    .build = build,
};
