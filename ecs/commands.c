// Recording (C6). The key is the task's, the row at hand and the order within the row; nothing of
// the worker enters it.

#include "weft/commands.h"

#include <stdio.h>
#include <string.h>

#include "weft_world.h"

#define CREATE_VALUES_MAX 64u

static uint32_t commands_type(const weft_commands* commands, const weft_type* type) {
    uint32_t id = weft__type_id(commands->world, type);
    WEFT_ASSERT(id != 0);
    weft__role role = weft__type_at(commands->world, id)->role;
    WEFT_ASSERT(role == WEFT__ROLE_COMPONENT || role == WEFT__ROLE_SPARSE);
    return id;
}

// Gives a record of a create its provisional handle.
static weft_entity create_record(weft_commands* commands, uint32_t row, weft__op op,
                                 weft__record* record) {
    weft__stream* stream = &commands->lane->streams.items[0];
    weft__segment* segment = &stream->segments.items[stream->segments.count - 1];
    // weft-lint: allow(shift): at most 33 bits
    uint64_t limit = (uint64_t)commands->unit_count << commands->world->create_bits;
    if (segment->create_count >= limit) {
        weft__lane_fail(commands->lane, WEFT_STATUS_CREATE_LIMIT, commands->rank,
                        commands->archetype, commands->shard,
                        "one task recorded more creates than provisional handles can number; "
                        "spread them over ticks or systems");
        segment->create_count--; // The tick fails; the number is used twice, never out of range.
    }
    uint64_t number =
        // weft-lint: allow(shift): at most 33 bits
        ((uint64_t)commands->unit << commands->world->create_bits) + segment->create_count++;
    WEFT_ASSERT(number >> WEFT__PROVISIONAL_BITS == 0);
    weft_entity entity = {WEFT__PROVISIONAL_SLOT + (uint32_t)(number >> 32), (uint32_t)number};
    *record = (weft__record){.entity = entity, .row = row, .op = (uint8_t)op};
    return entity;
}

weft_entity weft_commands_create(weft_commands* commands, uint32_t row) {
    WEFT_ASSERT(commands != NULL);
    weft__record* record = weft__log_append(commands, 0, row, 0);
    if (record == NULL)
        return WEFT_ENTITY_NULL;
    return create_record(commands, row, WEFT__OP_CREATE, record);
}

weft_entity weft_commands_create_with(weft_commands* commands, uint32_t row,
                                      const weft_value* values, uint32_t count) {
    WEFT_ASSERT(commands != NULL && (count == 0 || values != NULL));
    WEFT_ASSERT(count <= CREATE_VALUES_MAX);
    uint16_t ids[CREATE_VALUES_MAX];
    weft__bundle bundle = {sizeof(weft__bundle), count};
    for (uint32_t i = 0; i < count; i++) {
        ids[i] = (uint16_t)commands_type(commands, values[i].type);
        if (weft__commands_refuse(commands, weft__type_at(commands->world, ids[i]),
                                  "command create", values[i].value))
            return WEFT_ENTITY_NULL;
        uint32_t size = values[i].value == NULL ? 0 : (values[i].type->size + 7u) & ~7u;
        bundle.size += (uint32_t)sizeof(weft__part) + size;
    }
    weft__record* record = weft__log_append(commands, 0, row, bundle.size);
    if (record == NULL)
        return WEFT_ENTITY_NULL;
    weft_entity entity = create_record(commands, row, WEFT__OP_CREATE_WITH, record);
    uint8_t* out = weft__record_value(record);
    memcpy(out, &bundle, sizeof(bundle));
    out += sizeof(bundle);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = values[i].value == NULL ? 0 : values[i].type->size;
        weft__part part = {ids[i], size > 0, (size + 7u) & ~7u};
        memcpy(out, &part, sizeof(part));
        if (size == 8)
            memcpy(out + sizeof(part), values[i].value, 8); // The usual size, without a call.
        else if (size > 0)
            memcpy(out + sizeof(part), values[i].value, size);
        out += sizeof(part) + part.size;
    }
    return entity;
}

void weft_commands_destroy(weft_commands* commands, uint32_t row, weft_entity entity) {
    WEFT_ASSERT(commands != NULL);
    weft__record* record = weft__log_append(commands, 0, row, 0);
    if (record != NULL)
        *record = (weft__record){.entity = entity, .row = row, .op = WEFT__OP_DESTROY};
}

bool weft__commands_refuse(weft_commands* commands, const weft__type* type, const char* what,
                           const void* value) {
    if (__builtin_expect(!type->has_float && !type->has_bool, 1) || value == NULL)
        return false;
    char fault[128];
    char text[192];
    uint32_t index;
    weft_status status = weft__values_check(type, value, 1, &index, fault, sizeof(fault));
    if (status == WEFT_STATUS_OK)
        return false;
    (void)snprintf(text, sizeof(text), "%s in a %s", fault, what);
    weft__lane_fail(commands->lane, status, commands->rank, commands->archetype, commands->shard,
                    text);
    return true;
}

static void record_value(weft_commands* commands, uint32_t row, weft_entity entity, uint32_t id,
                         weft__op op, const void* value) {
    const weft__type* type = weft__type_at(commands->world, id);
    if (weft__commands_refuse(commands, type, op == WEFT__OP_ADD ? "command add" : "command set",
                              value))
        return;
    uint32_t size = value == NULL ? 0 : type->type->size;
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
