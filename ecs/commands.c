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

// Entities that the running task has created so far.
static uint64_t created_so_far(const weft_commands* commands) {
    const weft__segment* segment = weft__log_segment(commands, 0);
    return segment == NULL ? 0 : segment->create_count;
}

static weft_entity provisional(const weft_commands* commands, uint64_t sequence) {
    // weft-lint: allow(shift): at most 33 bits
    uint64_t number = ((uint64_t)commands->unit << commands->world->create_bits) + sequence;
    WEFT_ASSERT(number >> WEFT__PROVISIONAL_BITS == 0);
    return (weft_entity){WEFT__PROVISIONAL_SLOT + (uint32_t)(number >> 32), (uint32_t)number};
}

// False where a task has no numbers left for `count` creates: the tick fails.
static bool numbers_left(weft_commands* commands, uint64_t count) {
    // weft-lint: allow(shift): at most 33 bits
    uint64_t limit = (uint64_t)commands->unit_count << commands->world->create_bits;
    if (created_so_far(commands) + count <= limit)
        return true;
    weft__lane_fail(commands->lane, WEFT_STATUS_CREATE_LIMIT, commands->rank, commands->archetype,
                    commands->shard,
                    "one task recorded more creates than provisional handles can number; "
                    "spread them over ticks or systems");
    return false;
}

// Fills the head of a create of `count` entities, and gives them their numbers.
static weft_entity create_record(weft_commands* commands, uint32_t row, weft__op op, uint32_t count,
                                 weft__record* record) {
    weft__stream* stream = &commands->lane->streams.items[0];
    weft__segment* segment = &stream->segments.items[stream->segments.count - 1];
    weft_entity entity = provisional(commands, segment->create_count);
    segment->create_count += count;
    *record = (weft__record){.entity = entity, .row = row, .op = (uint8_t)op};
    return entity;
}

weft_entity weft_commands_create(weft_commands* commands, uint32_t row) {
    WEFT_ASSERT(commands != NULL);
    weft__record* record = numbers_left(commands, 1) ? weft__log_append(commands, 0, row, 0) : NULL;
    if (record == NULL)
        return WEFT_ENTITY_NULL;
    return create_record(commands, row, WEFT__OP_CREATE, 1, record);
}

weft_entity weft_commands_next(const weft_commands* commands) {
    WEFT_ASSERT(commands != NULL);
    return provisional(commands, created_so_far(commands));
}

static inline uint32_t padded(uint32_t size) {
    return (size + 7u) & ~7u;
}

// Copies a value or a column behind a part's head, and zeroes its padding: records are hashed.
static uint8_t* put_part(uint8_t* out, weft__part part, const void* values, uint32_t size) {
    memcpy(out, &part, sizeof(part));
    out += sizeof(part);
    if (size == 8) {
        memcpy(out, values, 8); // The usual size, without a call.
        return out + 8;
    }
    if (size < part.size)
        memset(out + part.size - 8, 0, 8);
    if (size > 0)
        memcpy(out, values, size);
    return out + part.size;
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
                                  "command create", values[i].value, 1))
            return WEFT_ENTITY_NULL;
        uint32_t size = values[i].value == NULL ? 0 : padded(values[i].type->size);
        bundle.size += (uint32_t)sizeof(weft__part) + size;
    }
    weft__record* record =
        numbers_left(commands, 1) ? weft__log_append(commands, 0, row, bundle.size) : NULL;
    if (record == NULL)
        return WEFT_ENTITY_NULL;
    weft_entity entity = create_record(commands, row, WEFT__OP_CREATE_WITH, 1, record);
    uint8_t* out = weft__record_value(record);
    memcpy(out, &bundle, sizeof(bundle));
    out += sizeof(bundle);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = values[i].value == NULL ? 0 : values[i].type->size;
        weft__part_kind kind = size == 0 ? WEFT__PART_ZERO : WEFT__PART_VALUE;
        out = put_part(out, (weft__part){ids[i], (uint16_t)kind, padded(size)}, values[i].value,
                       size);
    }
    return entity;
}

// A column that a create of many records: how, and of which type.
typedef struct many_column {
    const uint8_t* values;
    uint32_t size; // Of one value.
    uint16_t id;
    uint16_t kind;
} many_column;

// How many values of a column a record of `entity_count` entities holds.
static uint32_t many_values(const many_column* column, uint32_t entity_count) {
    if (column->kind == WEFT__PART_ZERO)
        return 0;
    return column->kind == WEFT__PART_VALUE ? 1 : entity_count;
}

// Looks the columns up. `*fixed` are the bytes of a record's parts without values for each entity,
// `*each` the bytes of these for one entity. False if a value may not enter the state.
static bool many_columns(weft_commands* commands, const weft_column* columns, uint32_t count,
                         uint32_t entity_count, many_column* out, uint64_t* fixed, uint64_t* each) {
    *fixed = sizeof(weft__many) + sizeof(weft__bundle);
    *each = 0;
    for (uint32_t i = 0; i < count; i++) {
        const weft_column* column = &columns[i];
        uint32_t id = commands_type(commands, column->type);
        uint32_t size = column->type->size;
        out[i] = (many_column){column->values, size, (uint16_t)id, WEFT__PART_ZERO};
        *fixed += sizeof(weft__part);
        if (column->values == NULL || size == 0)
            continue;
        WEFT_ASSERT(column->count == 1 || column->count == entity_count);
        if (weft__commands_refuse(commands, weft__type_at(commands->world, id), "command create",
                                  column->values, column->count))
            return false;
        bool one = column->count == 1;
        out[i].kind = one ? WEFT__PART_VALUE : WEFT__PART_COLUMN;
        *fixed += one ? padded(size) : 7u;
        *each += one ? 0 : size;
    }
    return true;
}

// Records the create of entities `first` to `first` + `entity_count` - 1 of a call.
static weft_entity record_many(weft_commands* commands, uint32_t row, uint32_t first,
                               uint32_t entity_count, const many_column* columns, uint32_t count) {
    weft__bundle bundle = {sizeof(weft__bundle), count};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t values = many_values(&columns[i], entity_count);
        bundle.size += (uint32_t)sizeof(weft__part) + padded(values * columns[i].size);
    }
    weft__many many = {entity_count, 0};
    weft__record* record = weft__log_append(commands, 0, row, (uint32_t)sizeof(many) + bundle.size);
    if (record == NULL)
        return WEFT_ENTITY_NULL;
    weft_entity entity = create_record(commands, row, WEFT__OP_CREATE_MANY, entity_count, record);
    weft__segment* segment = weft__log_segment(commands, 0);
    segment->bulk_records++;
    segment->bulk_creates += entity_count;
    uint8_t* out = weft__record_value(record);
    memcpy(out, &many, sizeof(many));
    memcpy(out + sizeof(many), &bundle, sizeof(bundle));
    out += sizeof(many) + sizeof(bundle);
    for (uint32_t i = 0; i < count; i++) {
        many_column column = columns[i];
        uint32_t size = many_values(&column, entity_count) * column.size;
        const uint8_t* from = column.values;
        if (column.kind == WEFT__PART_COLUMN)
            from += (size_t)first * column.size;
        out = put_part(out, (weft__part){column.id, column.kind, padded(size)}, from, size);
    }
    return entity;
}

weft_entity weft_commands_create_many(weft_commands* commands, uint32_t row, uint32_t entity_count,
                                      const weft_column* columns, uint32_t column_count) {
    WEFT_ASSERT(commands != NULL && (column_count == 0 || columns != NULL));
    WEFT_ASSERT(column_count <= CREATE_VALUES_MAX);
    many_column found[CREATE_VALUES_MAX];
    uint64_t fixed;
    uint64_t each;
    if (entity_count == 0 ||
        !many_columns(commands, columns, column_count, entity_count, found, &fixed, &each) ||
        !numbers_left(commands, entity_count))
        return WEFT_ENTITY_NULL;
    uint64_t piece = entity_count; // Entities of a record: what a block of the log has room for.
    uint64_t room = WEFT__LOG_BLOCK_BYTES - sizeof(weft__record);
    if (each > 0 && fixed + piece * each > room)
        // weft-lint: allow(division): above 0
        piece = fixed + each > room ? 1 : (room - fixed) / each;
    weft_entity first = weft_commands_next(commands);
    for (uint64_t at = 0; at < entity_count; at += piece) {
        uint64_t left = entity_count - at;
        if (weft_entity_is_null(record_many(commands, row, (uint32_t)at,
                                            (uint32_t)(left < piece ? left : piece), found,
                                            column_count)))
            return WEFT_ENTITY_NULL;
    }
    return first;
}

void weft_commands_destroy(weft_commands* commands, uint32_t row, weft_entity entity) {
    WEFT_ASSERT(commands != NULL);
    weft__record* record = weft__log_append(commands, 0, row, 0);
    if (record != NULL)
        *record = (weft__record){.entity = entity, .row = row, .op = WEFT__OP_DESTROY};
}

void weft_commands_destroy_many(weft_commands* commands, uint32_t row, const weft_entity* entities,
                                uint32_t count) {
    WEFT_ASSERT(commands != NULL && (count == 0 || entities != NULL));
    const uint32_t piece =
        (WEFT__LOG_BLOCK_BYTES - (uint32_t)(sizeof(weft__record) + sizeof(weft__many))) /
        (uint32_t)sizeof(weft_entity);
    while (count > 0) {
        weft__many many = {count < piece ? count : piece, 0};
        uint32_t size = many.count * (uint32_t)sizeof(weft_entity);
        weft__record* record = weft__log_append(commands, 0, row, (uint32_t)sizeof(many) + size);
        if (record == NULL)
            return;
        *record = (weft__record){.row = row, .op = WEFT__OP_DESTROY_MANY};
        uint8_t* out = weft__record_value(record);
        memcpy(out, &many, sizeof(many));
        memcpy(out + sizeof(many), entities, size);
        weft__log_segment(commands, 0)->bulk_handles += many.count;
        entities += many.count;
        count -= many.count;
    }
}

bool weft__commands_refuse(weft_commands* commands, const weft__type* type, const char* what,
                           const void* values, uint32_t count) {
    if (__builtin_expect(!type->has_float && !type->has_bool, 1) || values == NULL)
        return false;
    char fault[128];
    char text[192];
    uint32_t index;
    weft_status status = weft__values_check(type, values, count, &index, fault, sizeof(fault));
    if (status == WEFT_STATUS_OK)
        return false;
    if (count == 1)
        (void)snprintf(text, sizeof(text), "%s in a %s", fault, what);
    else
        (void)snprintf(text, sizeof(text), "%s in a %s, value %u of %u", fault, what, index, count);
    weft__lane_fail(commands->lane, status, commands->rank, commands->archetype, commands->shard,
                    text);
    return true;
}

static void record_value(weft_commands* commands, uint32_t row, weft_entity entity, uint32_t id,
                         weft__op op, const void* value) {
    const weft__type* type = weft__type_at(commands->world, id);
    if (weft__commands_refuse(commands, type, op == WEFT__OP_ADD ? "command add" : "command set",
                              value, 1))
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
