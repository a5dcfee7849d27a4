// Recording (C6). The key is the task's, the row at hand and the order within the row; nothing of
// the worker enters it.

#include "weft/commands.h"

#include <string.h>

#include "weft_world.h"

static uint32_t commands_type(const weft_commands* commands, const weft_type* type) {
    uint32_t id = weft__type_id(commands->world, type);
    WEFT_ASSERT(id != 0);
    weft__role role = weft__type_at(commands->world, id)->role;
    WEFT_ASSERT(role == WEFT__ROLE_COMPONENT || role == WEFT__ROLE_SPARSE);
    return id;
}

weft_entity weft_commands_create(weft_commands* commands, uint32_t row) {
    WEFT_ASSERT(commands != NULL);
    const weft_world* world = commands->world;
    weft__record* record = weft__log_append(commands, 0, row, 0);
    if (record == NULL)
        return WEFT_ENTITY_NULL;
    weft__stream* stream = &commands->lane->streams.items[0];
    weft__segment* segment = &stream->segments.items[stream->segments.count - 1];
    uint64_t limit = (uint64_t)commands->unit_count << world->create_bits;
    if (segment->create_count >= limit) {
        // The record stays as a destroy of nobody: the tick fails anyway.
        *record = (weft__record){.row = row, .op = WEFT__OP_DESTROY};
        weft__lane_fail(commands->lane, WEFT_STATUS_CREATE_LIMIT, commands->rank,
                        commands->archetype, commands->shard,
                        "one task recorded more creates than provisional handles can number; "
                        "spread them over ticks or systems");
        return WEFT_ENTITY_NULL;
    }
    uint64_t number = ((uint64_t)commands->unit << world->create_bits) + segment->create_count++;
    WEFT_ASSERT(number >> WEFT__PROVISIONAL_BITS == 0);
    weft_entity entity = {WEFT__PROVISIONAL_SLOT + (uint32_t)(number >> 32), (uint32_t)number};
    *record = (weft__record){.entity = entity, .row = row, .op = WEFT__OP_CREATE};
    return entity;
}

void weft_commands_destroy(weft_commands* commands, uint32_t row, weft_entity entity) {
    WEFT_ASSERT(commands != NULL);
    weft__record* record = weft__log_append(commands, 0, row, 0);
    if (record != NULL)
        *record = (weft__record){.entity = entity, .row = row, .op = WEFT__OP_DESTROY};
}

static void record_value(weft_commands* commands, uint32_t row, weft_entity entity, uint32_t id,
                         weft__op op, const void* value) {
    uint32_t size = value == NULL ? 0 : weft__type_at(commands->world, id)->type->size;
    weft__record* record = weft__log_append(commands, 0, row, size);
    if (record == NULL)
        return;
    *record = (weft__record){entity, row, (uint16_t)id, (uint8_t)op, size > 0};
    if (size == 8)
        memcpy(weft__record_value(record), value, 8); // The usual size, without a call.
    else if (size > 0)
        memcpy(weft__record_value(record), value, size);
}

void weft_commands_add(weft_commands* commands, uint32_t row, weft_entity entity,
                       const weft_type* type, const void* value) {
    WEFT_ASSERT(commands != NULL);
    record_value(commands, row, entity, commands_type(commands, type), WEFT__OP_ADD, value);
}

void weft_commands_remove(weft_commands* commands, uint32_t row, weft_entity entity,
                          const weft_type* type) {
    WEFT_ASSERT(commands != NULL);
    record_value(commands, row, entity, commands_type(commands, type), WEFT__OP_REMOVE, NULL);
}

void weft_commands_set(weft_commands* commands, uint32_t row, weft_entity entity,
                       const weft_type* type, const void* value) {
    WEFT_ASSERT(commands != NULL && value != NULL);
    record_value(commands, row, entity, commands_type(commands, type), WEFT__OP_SET, value);
}
