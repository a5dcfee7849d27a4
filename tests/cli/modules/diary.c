// A module with tables of its own: rows with a column of each kind, and a resource.
#include <string.h>
#include <weft/module.h>

WEFT_COMPONENT(Writer, (uint32_t, number));
WEFT_COMPONENT(Pace, (int16_t, left), (int16_t, right));
WEFT_MESSAGE(Entry, (uint64_t, large), (int64_t, small), (weft_fixed64, wide), (weft_entity, who),
             (weft_vec2, at), (weft_fixed, level), (float, warmth), (nested, Pace, pace),
             (array, uint16_t, steps, 2), (int32_t, debt), (uint32_t, word), (int8_t, sign),
             (bool, odd), (uint8_t, byte), (uint8_t, rest), (uint32_t, fill));
WEFT_RESOURCE(Pages, (uint64_t, count));

static weft_status note(weft_view* view, const void* context) {
    (void)context;
    const Writer* writers = WEFT_READ(view, Writer);
    const weft_entity* entities = weft_view_entities(view);
    uint64_t tick = weft_view_tick(view);
    for (uint32_t row = 0; row < weft_view_row_count(view); row++) {
        uint32_t n = writers[row].number;
        if ((n + tick) % 7 != 0)
            continue;
        Entry entry = {.large = UINT64_MAX - n, .small = INT64_MIN + n, .who = entities[row]};
        entry.wide.raw = -((int64_t)n << 30) - 1;
        entry.at.x.raw = (int32_t)n * 12345 - 1000000;
        entry.at.y.raw = INT32_MAX - (int32_t)n;
        entry.level.raw = -(int32_t)n;
        uint32_t bits = n % 14 == 0 ? 0x7fc00000u : 0x3dcccccdu + n; // NaN, and from 0.1 on.
        memcpy(&entry.warmth, &bits, sizeof(bits));
        entry.pace = (Pace){(int16_t) - (int16_t)n, (int16_t)n};
        entry.steps[0] = (uint16_t)(n * 1000);
        entry.steps[1] = UINT16_MAX;
        entry.debt = INT32_MIN + (int32_t)n;
        entry.word = UINT32_MAX - n;
        entry.sign = (int8_t) - (int8_t)(n % 128);
        entry.odd = n % 2 != 0;
        entry.byte = (uint8_t)n;
        weft_view_emit(view, row, WEFT_TYPE(Entry), WEFT_ENTITY_NULL, &entry);
    }
    return WEFT_STATUS_OK;
}

static weft_status turn(weft_view* view, const void* context) {
    (void)context;
    WEFT_RESOURCE_WRITE(view, Pages)->count++;
    return WEFT_STATUS_OK;
}

static void describe(const weft_module_options* options, weft_world_desc* desc) {
    (void)options;
    desc->allow_float = true;
}

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule) {
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Writer), WEFT_STORAGE_DENSE));
    WEFT_TRY(
        weft_world_register_channel(world, WEFT_TYPE(Entry), WEFT_TARGET_WORLD, WEFT_DELIVERY_LOG));
    WEFT_TRY(weft_world_register_resource(world, WEFT_TYPE(Pages), 1, NULL));
    WEFT_TRY(weft_world_register_table(world, WEFT_TYPE(Pages)));
    for (uint32_t i = 0; i < options->entity_count; i++)
        WEFT_CREATE(weft_world_commands(world), 0, WEFT_VALUE(Writer, {i}));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("note", note, WEFT_ACCESS(WEFT_READS(Writer), WEFT_EMITS(Entry)))));
    return weft_schedule_add_system(schedule,
                                    WEFT_SYSTEM("turn", turn, .scope = WEFT_SCOPE_WORLD,
                                                WEFT_ACCESS(WEFT_WRITES_RESOURCE(Pages))));
}

WEFT_MODULE_EXPORT const weft_module weft_module_table = {
    .abi = WEFT_MODULE_ABI,
    .name = "diary",
    .summary = "a module with tables of its own",
    .entity_count_default = 50,
    .tick_count_default = 20,
    .describe = describe,
    .build = build,
};
