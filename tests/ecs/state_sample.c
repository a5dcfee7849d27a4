#include "state_sample.h"

static void tonnage_combine(void* left, const void* right) {
    ((Tonnage*)left)->tons = 3 * ((Tonnage*)left)->tons + ((const Tonnage*)right)->tons;
}

static void change(weft_view* view, uint32_t row, uint32_t draw) {
    weft_commands* commands = weft_view_commands(view);
    weft_entity self = weft_view_entities(view)[row];
    weft_entity made;
    switch (draw) {
    case 0:
        weft_commands_destroy(commands, row, self);
        break;
    case 1:
        made = WEFT_CREATE(commands, row, WEFT_VALUE(Barge, {.load = (int32_t)self.slot}),
                           WEFT_VALUE(Tide, {self.slot}), WEFT_VALUE(Tow, {self}));
        WEFT_ADD(commands, row, self, Tow, {made});
        break;
    case 2:
        WEFT_ADD_TAG(commands, row, self, Moored);
        break;
    case 3:
        WEFT_REMOVE(commands, row, self, Moored);
        break;
    case 4:
        WEFT_ADD(commands, row, self, Pennant, {1.5f, self});
        break;
    case 5:
        WEFT_REMOVE(commands, row, self, Pennant);
        break;
    case 6:
        WEFT_ADD_TAG(commands, row, self, Plague);
        break;
    case 7:
        WEFT_REMOVE(commands, row, self, Plague);
        break;
    case 8:
        WEFT_REMOVE(commands, row, self, Tow);
        break;
    case 9:
        WEFT_EMIT(view, row, WEFT_ENTITY_NULL, Whistle, {self.slot});
        break;
    case 10:
        WEFT_EMIT(view, row, self, Order, {self, self.slot, true, {1, 2, 3}});
        break;
    case 11:
        WEFT_EMIT(view, row, WEFT_ENTITY_NULL, Call, {self.slot});
        break;
    default:
        break;
    }
}

static weft_status sail(weft_view* view, const void* context) {
    (void)context;
    const weft_entity* entities = weft_view_entities(view);
    weft_random_key key = weft_view_random(view);
    Barge* barges = WEFT_WRITE(view, Barge);
    Tonnage* tonnage = WEFT_PARTIAL_OF(view, Tonnage);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        barges[i].at.x = weft_random_fixed(key, entities[i].slot, 1);
        barges[i].lit = !barges[i].lit;
        tonnage->tons += (uint64_t)barges[i].load + 1;
        change(view, i, weft_random_below(key, entities[i].slot, 0, 32));
    }
    return WEFT_STATUS_OK;
}

static weft_status swell(weft_view* view, const void* context) {
    (void)context;
    const Tide* before = WEFT_READ(view, Tide);
    Tide* after = WEFT_WRITE(view, Tide);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        after[i].level = before[i].level * 5 + 1;
    return WEFT_STATUS_OK;
}

static weft_status obey(weft_view* view, const void* context) {
    (void)context;
    Barge* barges = WEFT_WRITE(view, Barge);
    weft_inbox inbox = weft_view_inbox(view, WEFT_TYPE(Order));
    while (weft_inbox_next(&inbox))
        barges[inbox.row].load += (int32_t)((const Order*)inbox.message)->word;
    return WEFT_STATUS_OK;
}

static weft_status port(weft_view* view, const void* context) {
    (void)context;
    uint32_t whistles;
    uint32_t calls;
    const Whistle* tones = weft_view_messages(view, WEFT_TYPE(Whistle), &whistles);
    (void)weft_view_messages(view, WEFT_TYPE(Call), &calls);
    Berth* berths = WEFT_RESOURCE_WRITE(view, Berth);
    uint64_t tick = weft_view_tick(view);
    berths[tick * 97 % SAMPLE_BERTHS].tons += WEFT_REDUCED_OF(view, Tonnage)->tons + calls;
    for (uint32_t i = 0; i < whistles; i++)
        berths[tones[i].tone % SAMPLE_BERTHS].tons++;
    WEFT_RESOURCE_WRITE(view, Gale)->wind.raw += (int64_t)tick << 30;
    return WEFT_STATUS_OK;
}

static void register_types(weft_world* world) {
    world_component(world, WEFT_TYPE(Barge), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Tide), WEFT_STORAGE_BUFFERED);
    world_component(world, WEFT_TYPE(Tow), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Moored), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Pennant), WEFT_STORAGE_SPARSE);
    world_component(world, WEFT_TYPE(Plague), WEFT_STORAGE_SPARSE);
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Berth), SAMPLE_BERTHS, NULL));
    WORLD_OK(world, weft_world_register_resource(world, WEFT_TYPE(Gale), 1, NULL));
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Whistle), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_NEXT));
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Order), WEFT_TARGET_ENTITY,
                                                WEFT_DELIVERY_NEXT));
    WORLD_OK(world, weft_world_register_channel(world, WEFT_TYPE(Call), WEFT_TARGET_WORLD,
                                                WEFT_DELIVERY_TICK));
    WORLD_OK(world,
             weft_world_register_reduction(world, WEFT_TYPE(Tonnage), NULL, tonnage_combine));
}

static void add_systems(weft_schedule* schedule) {
    run_add(schedule,
            WEFT_SYSTEM("sail", sail,
                        WEFT_ACCESS(WEFT_WRITES(Barge), WEFT_COMMANDS, WEFT_EMITS(Whistle),
                                    WEFT_EMITS(Order), WEFT_EMITS(Call), WEFT_REDUCES(Tonnage))));
    run_add(schedule, WEFT_SYSTEM("swell", swell, WEFT_ACCESS(WEFT_WRITES(Tide))));
    run_add(schedule,
            WEFT_SYSTEM("obey", obey, WEFT_ACCESS(WEFT_WRITES(Barge), WEFT_CONSUMES(Order))));
    run_add(schedule, WEFT_SYSTEM("port", port, .scope = WEFT_SCOPE_WORLD,
                                  WEFT_ACCESS(WEFT_CONSUMES(Whistle), WEFT_CONSUMES(Call),
                                              WEFT_REDUCED(Tonnage), WEFT_WRITES_RESOURCE(Berth),
                                              WEFT_WRITES_RESOURCE(Gale))));
}

sim sample_open(const sample* what) {
    weft_world_desc desc = weft_world_desc_default();
    desc.allow_float = true;
    desc.seed = what->seed;
    sim s = {.world =
                 world_make_for(what->bare ? WEFT_EXECUTOR_SERIAL : what->config->kind, &desc)};
    register_types(s.world);
    if (what->bare)
        return s;
    s.schedule = run_schedule(s.world);
    add_systems(s.schedule);
    weft_commands* commands = weft_world_commands(s.world);
    for (uint32_t i = 0; i < what->entities; i++)
        (void)WEFT_CREATE(commands, 0, WEFT_VALUE(Barge, {.load = (int32_t)i}),
                          WEFT_VALUE(Tide, {i}));
    world_commit(s.world);
    s.executor = run_executor(s.schedule, what->config);
    return s;
}

void sample_close(sim* s) {
    sim_close(s);
    *s = (sim){0};
}

void sample_tick(sim* s) {
    uint64_t tick = weft_world_tick(s->world);
    const Whistle whistle = {(uint32_t)tick + 7};
    if (tick % 3 == 1)
        WORLD_OK(s->world,
                 weft_world_post(s->world, WEFT_TYPE(Whistle), WEFT_ENTITY_NULL, &whistle));
    sim_tick(s);
}

// Bytes ------------------------------------------------------------------------------------------

static weft_status collect(void* context, const void* bytes, size_t size) {
    state* all = context;
    memcpy(all->bytes + all->size, bytes, size);
    all->size += size;
    return WEFT_STATUS_OK;
}

state state_of(weft_world* world) {
    uint64_t size = weft_world_encoded_size(world);
    state all = {malloc((size_t)size), 0};
    cr_assert_not_null(all.bytes);
    WORLD_OK(world, weft_world_encode(world, collect, &all));
    cr_assert_eq(all.size, size);
    return all;
}

void state_free(state* one) {
    free(one->bytes);
    *one = (state){0};
}

state state_copy(const state* one) {
    state copy = {malloc(one->size), one->size};
    cr_assert_not_null(copy.bytes);
    memcpy(copy.bytes, one->bytes, one->size);
    return copy;
}

const char* storage_fault(const weft_world* world) {
    const char* fault = NULL;
    for (uint32_t i = 0; i < world->shards.count && fault == NULL; i++)
        fault = weft__shard_fault(world, i);
    return fault;
}

void state_put(uint8_t* at, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

uint64_t state_get(const uint8_t* at, size_t size) {
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

state_part state_find(const state* one, weft__state_kind kind) {
    for (size_t at = WEFT__STATE_HEADER; at < one->size;) {
        uint8_t* head = one->bytes + at;
        size_t length = (size_t)state_get(head + 16, 8);
        if (state_get(head, 4) == (uint64_t)kind)
            return (state_part){head, head + WEFT__STATE_HEAD, length};
        at += WEFT__STATE_HEAD + length;
    }
    cr_assert(false, "the state has no section %d", (int)kind);
    return (state_part){0};
}

void state_seal(state_part part) {
    state_put(part.head + WEFT__STATE_SUMMED,
              weft__state_checksum(part.head, part.content, part.length), 8);
}

void state_seal_header(const state* one) {
    state_put(one->bytes + 32, weft_hash64_of(one->bytes, 32, 0), 8);
}
