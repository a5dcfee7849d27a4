#include "verify_compare.h"

/// Walks all entities of a world one by one.
typedef struct verify_walk {
    weft_cursor cursor;
    uint32_t row;
    bool more;
} verify_walk;

static void walk_settle(verify_walk* walk) {
    while (walk->more && walk->row == walk->cursor.row_count) {
        walk->more = weft_cursor_next(&walk->cursor);
        walk->row = 0;
    }
}

static void walk_start(verify_walk* walk, const weft_world* world) {
    walk->cursor = weft_world_visit(world, NULL, 0);
    walk->more = weft_cursor_next(&walk->cursor);
    walk->row = 0;
    walk_settle(walk);
}

static void walk_advance(verify_walk* walk) {
    WEFT_ASSERT(walk->more && walk->row < walk->cursor.row_count);
    walk->row++;
    walk_settle(walk);
}

/// Slot of the entity at hand; past every slot at the end.
static uint64_t walk_slot(const verify_walk* walk) {
    return walk->more ? walk->cursor.entities[walk->row].slot : UINT64_MAX;
}

/// Two worlds and the place that is being filled.
typedef struct verify_pair {
    const weft_world* serial;
    const weft_world* suspect;
    weft_verify_place* place;
} verify_pair;

void weft__verify_texts(weft_verify_place* place, weft_verify_kind kind, weft_entity entity,
                        const char* reference, const char* found) {
    place->kind = kind;
    place->entity = entity;
    weft__verify_text(place->reference_text, sizeof place->reference_text, reference);
    weft__verify_text(place->found_text, sizeof place->found_text, found);
}

bool weft__verify_values(weft_verify_place* place, weft_verify_kind kind, const weft_type* type,
                         const void* reference, const void* found) {
    const uint8_t* left = reference;
    const uint8_t* right = found;
    uint32_t offset = 0; // Of the first differing byte: fields tile the value in order.
    while (offset < type->size && left[offset] == right[offset])
        offset++;
    if (offset == type->size)
        return false;
    place->kind = kind;
    weft__verify_text(place->type, sizeof place->type, type->name);
    (void)weft_type_path(type, offset, place->field, sizeof place->field);
    (void)weft_type_format(type, reference, offset, place->reference_text,
                           sizeof place->reference_text);
    (void)weft_type_format(type, found, offset, place->found_text, sizeof place->found_text);
    return true;
}

bool weft__verify_entity(const weft_world* serial, const weft_world* suspect, weft_entity entity,
                         weft_verify_place* place) {
    for (uint32_t i = 0; i < serial->types.count; i++) {
        const weft__type* entry = &serial->types.items[i];
        if (entry->role != WEFT__ROLE_COMPONENT && entry->role != WEFT__ROLE_SPARSE)
            continue;
        const void* left = weft_world_read(serial, entity, entry->type);
        const void* right = weft_world_read(suspect, entity, entry->type);
        if (left == NULL && right == NULL)
            continue;
        if (left != NULL && right != NULL) {
            if (!weft__verify_values(place, WEFT_VERIFY_KIND_FIELD, entry->type, left, right))
                continue;
            place->entity = entity;
            return true;
        }
        weft__verify_texts(place, WEFT_VERIFY_KIND_PRESENCE, entity,
                           left != NULL ? "present" : "absent",
                           right != NULL ? "present" : "absent");
        weft__verify_text(place->type, sizeof place->type, entry->type->name);
        return true;
    }
    return false;
}

/// The next entity of two walks: false when equal. Advances what it looked at.
static bool walks_differ(const verify_pair* pair, verify_walk* serial, verify_walk* suspect,
                         weft_verify_place* place) {
    uint64_t left = walk_slot(serial);
    uint64_t right = walk_slot(suspect);
    WEFT_ASSERT(serial->more || suspect->more);
    weft_entity entity = left <= right ? serial->cursor.entities[serial->row]
                                       : suspect->cursor.entities[suspect->row];
    weft_entity other = left == right ? suspect->cursor.entities[suspect->row] : entity;
    bool differs = true;
    if (left != right) {
        weft__verify_texts(place, WEFT_VERIFY_KIND_ALIVE, entity, left < right ? "alive" : "dead",
                           left < right ? "dead" : "alive");
    } else if (!weft_entity_equal(entity, other)) {
        char text[WEFT_VERIFY_VALUE_SIZE];
        (void)snprintf(text, sizeof text, "generation %lu in that slot",
                       (unsigned long)other.generation);
        weft__verify_texts(place, WEFT_VERIFY_KIND_ALIVE, entity, "alive", text);
    } else {
        differs = weft__verify_entity(pair->serial, pair->suspect, entity, place);
    }
    if (left <= right)
        walk_advance(serial);
    if (right <= left)
        walk_advance(suspect);
    return differs;
}

/// The first entity that differs, in the blamed task's shard if there is one, and how many do.
static void compare_entities(const verify_pair* pair) {
    weft_verify_place* place = pair->place;
    bool prefer = place->has_task && !place->world_scope;
    bool settled = false;
    uint64_t count = 0;
    verify_walk serial;
    verify_walk suspect;
    walk_start(&serial, pair->serial);
    walk_start(&suspect, pair->suspect);
    while (serial.more || suspect.more) {
        weft_verify_place found = *place;
        if (!walks_differ(pair, &serial, &suspect, &found))
            continue;
        bool preferred = !prefer || found.entity.slot / WEFT_SHARD_SLOTS == place->shard;
        if (count == 0 || (preferred && !settled)) {
            *place = found;
            settled = preferred;
        }
        count++;
    }
    place->entity_count = count;
}

static bool compare_messages(const verify_pair* pair, const weft_type* type) {
    weft_verify_place* place = pair->place;
    uint32_t left_count = 0;
    uint32_t right_count = 0;
    const char* left = weft_world_messages(pair->serial, type, &left_count);
    const char* right = weft_world_messages(pair->suspect, type, &right_count);
    for (uint32_t i = 0; i < left_count && i < right_count; i++) {
        size_t offset = (size_t)i * type->size;
        place->index = i;
        if (weft__verify_values(place, WEFT_VERIFY_KIND_MESSAGE, type, left + offset,
                                right + offset))
            return true;
    }
    if (left_count == right_count)
        return false;
    place->kind = WEFT_VERIFY_KIND_COUNT;
    weft__verify_text(place->type, sizeof place->type, type->name);
    (void)snprintf(place->reference_text, sizeof place->reference_text, "%lu messages",
                   (unsigned long)left_count);
    (void)snprintf(place->found_text, sizeof place->found_text, "%lu messages",
                   (unsigned long)right_count);
    return true;
}

/// Compares the values of a resource (`count` of them) or of a reduction.
static bool compare_values(const verify_pair* pair, weft_verify_kind kind, const weft_type* type,
                           uint32_t count) {
    const char* left = weft_world_resource(pair->serial, type);
    const char* right = weft_world_resource(pair->suspect, type);
    for (uint32_t i = 0; left != NULL && right != NULL && i < count; i++) {
        size_t offset = (size_t)i * type->size;
        pair->place->index = i;
        if (weft__verify_values(pair->place, kind, type, left + offset, right + offset))
            return true;
    }
    return false;
}

/// Compares what a registered type other than a component holds.
static bool compare_entry(const verify_pair* pair, const weft__type* entry) {
    switch (entry->role) {
    case WEFT__ROLE_RESOURCE:
        return compare_values(pair, WEFT_VERIFY_KIND_RESOURCE, entry->type,
                              pair->serial->resources.items[entry->index].count);
    case WEFT__ROLE_REDUCTION:
        return compare_values(pair, WEFT_VERIFY_KIND_REDUCTION, entry->type, 1);
    case WEFT__ROLE_CHANNEL:
        return compare_messages(pair, entry->type);
    case WEFT__ROLE_COMPONENT:
    case WEFT__ROLE_SPARSE:
        break;
    }
    return false;
}

void weft__verify_compare_worlds(const weft_world* serial, const weft_world* suspect,
                                 weft_verify_place* place) {
    verify_pair pair = {serial, suspect, place};
    place->compared = true;
    compare_entities(&pair);
    bool found = place->kind != WEFT_VERIFY_KIND_NONE;
    for (uint32_t i = 0; i < serial->types.count && !found; i++)
        found = compare_entry(&pair, &serial->types.items[i]);
}
