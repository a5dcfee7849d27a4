// Tables: what a run tells about itself. They read what is there, so they cannot change a result.

#include "weft_world.h"

weft_status weft__table_add(weft_world* world, uint32_t type_id) {
    return WEFT__VEC_PUSH(&world->arena, world->tables, type_id);
}

weft_status weft_world_register_table(weft_world* world, const weft_type* type) {
    WEFT_ASSERT(world != NULL && type != NULL);
    if (world->failed)
        return WEFT_STATUS_WORLD_FAILED;
    if (world->started || world->running)
        return weft__world_fail(world, WEFT_STATUS_WRONG_PHASE,
                                "table %s: tables are registered before the first tick",
                                type->name);
    uint32_t id = weft__type_id(world, type);
    if (id == 0)
        return weft__world_fail(world, WEFT_STATUS_UNKNOWN_TYPE,
                                "table %s: the type is not registered in this world; register it "
                                "as a channel, a resource or a reduction first",
                                type->name);
    const weft__type* entry = weft__type_at(world, id);
    bool to_world = entry->role == WEFT__ROLE_CHANNEL &&
                    world->channels.items[entry->index].target == WEFT_TARGET_WORLD;
    if (!to_world && entry->role != WEFT__ROLE_RESOURCE && entry->role != WEFT__ROLE_REDUCTION)
        return weft__world_fail(world, WEFT_STATUS_BAD_ARGUMENT,
                                "table %s: only a channel to the world, a resource or a reduction "
                                "can be a table; send rows to a channel of WEFT_DELIVERY_LOG",
                                type->name);
    for (uint32_t i = 0; i < world->tables.count; i++)
        if (world->tables.items[i] == id)
            return weft__world_fail(world, WEFT_STATUS_DUPLICATE, "%s is a table already",
                                    type->name);
    weft_status status = weft__table_add(world, id);
    return status == WEFT_STATUS_OK
               ? status
               : weft__world_fail(world, status, "no memory is left to register a table");
}

uint32_t weft_world_table_count(const weft_world* world) {
    WEFT_ASSERT(world != NULL);
    return world->tables.count;
}

weft_table weft_world_table(const weft_world* world, uint32_t index) {
    WEFT_ASSERT(world != NULL && !world->running && index < world->tables.count);
    const weft__type* entry = weft__type_at(world, world->tables.items[index]);
    weft_table table = {.type = entry->type};
    if (entry->role == WEFT__ROLE_CHANNEL) {
        const weft__channel* channel = &world->channels.items[entry->index];
        table.count = channel->count;
        table.rows = channel->count == 0 ? NULL : channel->payloads.items;
    } else if (entry->role == WEFT__ROLE_RESOURCE) {
        table.count = world->resources.items[entry->index].count;
        table.rows = world->resources.items[entry->index].values;
    } else {
        WEFT_ASSERT(entry->role == WEFT__ROLE_REDUCTION);
        table.count = 1;
        table.rows = world->reductions.items[entry->index].value;
    }
    return table;
}

void weft_world_keep_tables(weft_world* world, bool keep) {
    WEFT_ASSERT(world != NULL && !world->running);
    world->keep_tables = keep;
    world->host_changes++;
}
