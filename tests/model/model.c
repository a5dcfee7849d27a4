#include "model.h"

#include <stdlib.h>
#include <string.h>

static void* grow(void* items, uint32_t* capacity, uint32_t need, size_t size) {
    if (need <= *capacity)
        return items;
    *capacity = need * 2;
    void* grown = realloc(items, *capacity * size);
    if (grown == NULL)
        abort();
    return grown;
}

void model_init(model* m, const model_type* types, uint32_t type_count, uint32_t slot_limit,
                uint32_t archetype_limit) {
    memset(m, 0, sizeof(*m));
    memcpy(m->types, types, type_count * sizeof(types[0]));
    m->type_count = type_count;
    m->slot_limit = slot_limit;
    m->archetype_limit = archetype_limit;
    m->archetype_count = 1;
}

void model_deinit(model* m) {
    free(m->slots);
    free(m->states);
    free(m->free_slots);
    free(m->newborns);
    free(m->touched);
    memset(m, 0, sizeof(*m));
}

bool model_alive(const model* m, weft_entity entity) {
    return entity.slot < m->slot_count && m->states[entity.slot] == MODEL_ALIVE &&
           m->slots[entity.slot].generation == entity.generation;
}

const uint8_t* model_read(const model* m, weft_entity entity, uint32_t type) {
    if (!model_alive(m, entity) || (m->slots[entity.slot].set >> type & 1) == 0)
        return NULL;
    return m->slots[entity.slot].values[type];
}

static void touch(model* m, uint32_t slot) {
    m->touched =
        grow(m->touched, &m->touched_capacity, m->touched_count + 1, sizeof(m->touched[0]));
    m->touched[m->touched_count++] = slot;
}

void model_write(model* m, weft_entity entity, uint32_t type, const uint8_t* value) {
    if (model_read(m, entity, type) == NULL)
        abort();
    memcpy(m->slots[entity.slot].values[type], value, m->types[type].size);
    touch(m, entity.slot);
}

static bool key_before(const model_command* a, const model_command* b) {
    if (a->rank != b->rank)
        return a->rank < b->rank;
    if (a->archetype != b->archetype)
        return a->archetype < b->archetype;
    if (a->slot != b->slot)
        return a->slot < b->slot;
    return a->sequence < b->sequence;
}

static void sort_by_key(model_command* commands, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        model_command moved = commands[i];
        uint32_t at = i;
        for (; at > 0 && key_before(&moved, &commands[at - 1]); at--)
            commands[at] = commands[at - 1];
        commands[at] = moved;
    }
}

static model_newborn* find_newborn(const model* m, weft_entity entity) {
    for (uint32_t i = 0; i < m->newborn_count; i++)
        if (m->newborns[i].number == entity.generation)
            return &m->newborns[i];
    return NULL;
}

weft_entity model_resolve(const model* m, weft_entity entity) {
    if (!model_is_new(entity))
        return entity;
    const model_newborn* newborn = find_newborn(m, entity);
    return newborn == NULL ? WEFT_ENTITY_NULL : newborn->real;
}

// The id of a set, given now if it has none yet; false when ids are used up.
static bool archetype_of(model* m, uint32_t set, uint32_t* id) {
    uint32_t dense = 0;
    for (uint32_t i = 0; i < m->type_count; i++)
        if (!m->types[i].sparse)
            dense |= set & 1u << i;
    for (*id = 0; *id < m->archetype_count; ++*id)
        if (m->archetypes[*id] == dense)
            return true;
    if (m->archetype_count > m->archetype_limit)
        return false;
    if (m->archetype_count == MODEL_ARCHETYPES_MAX)
        abort();
    m->archetypes[m->archetype_count++] = dense;
    return true;
}

// One add, remove or set on a living entity.
static void apply(model* m, model_slot* slot, const model_command* command) {
    uint32_t bit = 1u << command->type;
    if (command->op == MODEL_REMOVE) {
        slot->set &= ~bit;
        return;
    }
    if (command->op == MODEL_SET && (slot->set & bit) == 0) {
        m->dropped++;
        return;
    }
    slot->set |= bit;
    memset(slot->values[command->type], 0, MODEL_VALUE_MAX);
    if (command->has_value)
        memcpy(slot->values[command->type], command->value, m->types[command->type].size);
}

// Step 1: the destroys as a set; freed slots ascending.
static void destroy_all(model* m, const model_command* commands, uint32_t count) {
    uint32_t dying = 0;
    for (uint32_t i = 0; i < count; i++) {
        weft_entity target = commands[i].target;
        if (commands[i].op != MODEL_DESTROY)
            continue;
        if (model_is_new(target)) {
            model_newborn* newborn = find_newborn(m, target);
            if (newborn == NULL)
                m->dropped++;
            else
                newborn->cancelled = true;
        } else if (target.slot < m->slot_count && m->states[target.slot] != MODEL_FREE &&
                   m->slots[target.slot].generation == target.generation) {
            dying += m->states[target.slot] == MODEL_ALIVE;
            m->states[target.slot] = MODEL_DYING;
        } else {
            m->dropped++;
        }
    }
    for (uint32_t i = 0; i < m->slot_count && dying > 0; i++) {
        if (m->states[i] != MODEL_DYING)
            continue;
        dying--;
        m->states[i] = MODEL_FREE;
        m->alive_count--;
        m->destroyed++;
        if (++m->slots[i].generation != 0)
            m->free_slots[m->free_count++] = i;
    }
}

// Step 2: survivors by slot, each with its commands in key order.
static bool change_survivors(model* m, const model_command* commands, uint32_t count) {
    int64_t done = -1; // Slots up to this one are through.
    for (uint32_t i = 0; i < count; i++)
        if (commands[i].op >= MODEL_ADD && !model_is_new(commands[i].target))
            m->dropped += !model_alive(m, commands[i].target);
    for (;;) {
        int64_t next = INT64_MAX;
        for (uint32_t i = 0; i < count; i++) {
            const model_command* command = &commands[i];
            if (command->op >= MODEL_ADD && !model_is_new(command->target) &&
                model_alive(m, command->target) && command->target.slot > done &&
                command->target.slot < next)
                next = command->target.slot;
        }
        if (next == INT64_MAX)
            return true;
        done = next;
        model_slot* slot = &m->slots[next];
        for (uint32_t i = 0; i < count; i++)
            if (commands[i].op >= MODEL_ADD && !model_is_new(commands[i].target) &&
                model_alive(m, commands[i].target) && commands[i].target.slot == next)
                apply(m, slot, &commands[i]);
        uint32_t archetype;
        if (!archetype_of(m, slot->set, &archetype))
            return false;
        m->moved += archetype != slot->archetype;
        slot->archetype = archetype;
        touch(m, (uint32_t)next);
    }
}

static uint32_t take_slot(model* m) {
    if (m->free_count > 0)
        return m->free_slots[--m->free_count];
    if (m->slot_count == m->slot_limit)
        return UINT32_MAX;
    if (m->slot_count == m->slot_capacity) {
        m->slots = grow(m->slots, &m->slot_capacity, m->slot_count + 1, sizeof(m->slots[0]));
        if (m->slot_capacity <= m->slot_count)
            abort();
        m->free_slots = realloc(m->free_slots, m->slot_capacity * sizeof(m->free_slots[0]));
        m->states = realloc(m->states, m->slot_capacity);
        if (m->free_slots == NULL || m->states == NULL)
            abort();
    }
    memset(&m->slots[m->slot_count], 0, sizeof(m->slots[0]));
    m->slots[m->slot_count].generation = 1;
    return m->slot_count++;
}

// Step 3: creates by key, each with its commands in key order.
static model_result bear_all(model* m, const model_command* commands, uint32_t count) {
    bool filled = false; // Some newborn gets components.
    for (uint32_t i = 0; i < count; i++)
        if (commands[i].op >= MODEL_ADD && model_is_new(commands[i].target)) {
            const model_newborn* newborn = find_newborn(m, commands[i].target);
            m->dropped += newborn == NULL || newborn->cancelled;
            filled = true;
        }
    for (uint32_t i = 0; i < m->newborn_count; i++) {
        model_newborn* newborn = &m->newborns[i];
        if (newborn->cancelled)
            continue;
        uint32_t at = take_slot(m);
        if (at == UINT32_MAX)
            return MODEL_ENTITY_LIMIT;
        model_slot* slot = &m->slots[at];
        m->states[at] = MODEL_ALIVE;
        slot->set = 0;
        newborn->real = (weft_entity){at, slot->generation};
        m->alive_count++;
        m->created++;
        // The create's own components first.
        for (uint32_t j = 0; j < 2 * count && filled; j++) {
            const model_command* command = &commands[j % count];
            if (command->own == (j < count) && command->op >= MODEL_ADD &&
                model_is_new(command->target) && command->target.generation == newborn->number)
                apply(m, slot, command);
        }
        if (!archetype_of(m, slot->set, &slot->archetype))
            return MODEL_ARCHETYPE_LIMIT;
        touch(m, at);
    }
    return MODEL_OK;
}

// Handles of newborns in values become real.
static void resolve_values(model* m) {
    for (uint32_t i = 0; i < m->touched_count; i++) {
        model_slot* slot = &m->slots[m->touched[i]];
        for (uint32_t type = 0; type < m->type_count; type++) {
            if (m->types[type].entity_at < 0)
                continue;
            weft_entity entity;
            memcpy(&entity, slot->values[type] + m->types[type].entity_at, sizeof(entity));
            entity = model_resolve(m, entity);
            memcpy(slot->values[type] + m->types[type].entity_at, &entity, sizeof(entity));
        }
    }
    m->touched_count = 0;
}

static model_result run_steps(model* m, const model_command* commands, uint32_t count) {
    destroy_all(m, commands, count);
    if (!change_survivors(m, commands, count))
        return MODEL_ARCHETYPE_LIMIT;
    model_result result = bear_all(m, commands, count);
    if (result == MODEL_OK)
        resolve_values(m);
    return result;
}

// Where a limit may be hit, the steps are tried on a copy.
static model_result run_limited(model* m, const model_command* commands, uint32_t count) {
    model copy = *m;
    size_t bytes = m->slot_capacity * sizeof(m->slots[0]);
    copy.slots = calloc(1, bytes + 1);
    copy.free_slots = calloc(m->slot_capacity + 1, sizeof(m->free_slots[0]));
    copy.states = calloc(1, m->slot_capacity + 1);
    if (copy.slots == NULL || copy.free_slots == NULL || copy.states == NULL)
        abort();
    if (m->slot_capacity > 0) {
        memcpy(copy.slots, m->slots, bytes);
        memcpy(copy.free_slots, m->free_slots, m->slot_capacity * sizeof(m->free_slots[0]));
        memcpy(copy.states, m->states, m->slot_capacity);
    }
    model_result result = run_steps(&copy, commands, count);
    if (result == MODEL_OK) {
        free(m->slots);
        free(m->free_slots);
        free(m->states);
        *m = copy;
        return result;
    }
    free(copy.slots);
    free(copy.free_slots);
    free(copy.states);
    m->touched = copy.touched;
    m->touched_capacity = copy.touched_capacity;
    m->touched_count = 0;
    for (uint32_t i = 0; i < m->newborn_count; i++)
        m->newborns[i].real = WEFT_ENTITY_NULL;
    return result;
}

model_result model_commit(model* m, model_command* commands, uint32_t count) {
    sort_by_key(commands, count);
    m->newborn_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (commands[i].op != MODEL_CREATE)
            continue;
        m->newborns =
            grow(m->newborns, &m->newborn_capacity, m->newborn_count + 1, sizeof(m->newborns[0]));
        m->newborns[m->newborn_count++] = (model_newborn){.number = commands[i].number};
    }
    bool limited = m->slot_limit < 1000 || m->archetype_limit < 100;
    return limited ? run_limited(m, commands, count) : run_steps(m, commands, count);
}

static uint32_t next_living(const model* m, uint32_t from) {
    const uint8_t* found =
        from < m->slot_count ? memchr(m->states + from, MODEL_ALIVE, m->slot_count - from) : NULL;
    return found == NULL ? m->slot_count : (uint32_t)(found - m->states);
}

uint32_t model_visit(const model* m, bool grouped, uint32_t with, uint32_t without,
                     model_visit_item* items) {
    // How many come before each archetype's; without grouping all count as one.
    uint32_t starts[MODEL_ARCHETYPES_MAX + 1] = {0};
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = next_living(m, 0); i < m->slot_count; i = next_living(m, i + 1)) {
            const model_slot* slot = &m->slots[i];
            if ((slot->set & with) != with || (slot->set & without) != 0)
                continue;
            uint32_t group = grouped ? slot->archetype : 0;
            if (pass == 0)
                starts[group + 1]++;
            else
                items[starts[group]++] = (model_visit_item){{i, slot->generation}, slot->archetype};
        }
        for (uint32_t i = 0; i < MODEL_ARCHETYPES_MAX && pass == 0; i++)
            starts[i + 1] += starts[i];
    }
    return starts[MODEL_ARCHETYPES_MAX - 1];
}
