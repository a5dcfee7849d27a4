// Where rows lie: full chunks of an archetype side by side, and no two of them in one place.

#include "weft_world.h"
#include "worlds.h"

WEFT_COMPONENT(Rock, (uint32_t, mass));
WEFT_COMPONENT(Sand, (uint64_t, grains), (uint32_t, wind), (uint32_t, sun)); // Buffered.
WEFT_TAG(Wet);

enum {
    SHARDS = 48
};

// Every slot of every shard, by `stride` shards of one archetype and then of the other.
static weft_world* full_world(uint32_t stride, uint32_t shards) {
    weft_world* world = world_make();
    world_component(world, WEFT_TYPE(Rock), WEFT_STORAGE_DENSE);
    world_component(world, WEFT_TYPE(Sand), WEFT_STORAGE_BUFFERED);
    world_component(world, WEFT_TYPE(Wet), WEFT_STORAGE_DENSE);
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < shards * WEFT_SHARD_SLOTS; i++) {
        weft_entity made = weft_commands_create(commands, 0);
        WEFT_ADD(commands, 0, made, Rock, {i});
        WEFT_ADD(commands, 0, made, Sand, {i, i + 1, i + 2});
        if (i / WEFT_SHARD_SLOTS / stride % 2 == 1)
            WEFT_ADD_TAG(commands, 0, made, Wet);
    }
    world_commit(world);
    return world;
}

// Chunks whose columns follow those of the chunk before, which is the last one of the archetype.
static uint32_t neighbours(const weft_world* world) {
    uint32_t count = 0;
    for (uint32_t i = 1; i < world->archetypes.count; i++) {
        const weft__archetype* table = &world->archetypes.items[i];
        for (uint32_t j = 1; j < table->chunks.count; j++) {
            const weft__chunk* a = table->chunks.items[j - 1];
            const weft__chunk* b = table->chunks.items[j];
            bool near = true;
            for (uint32_t k = 0; k < table->column_count; k++) {
                size_t pitch = WEFT_SHARD_SLOTS * (size_t)table->column_sizes[k];
                near = near && (uint8_t*)b->columns[k] == (uint8_t*)a->columns[k] + pitch;
            }
            count += near;
        }
    }
    return count;
}

static bool apart(const void* a, size_t a_size, const void* b, size_t b_size) {
    uintptr_t x = (uintptr_t)a;
    uintptr_t y = (uintptr_t)b;
    return x + a_size <= y || y + b_size <= x;
}

static void check_apart(const weft_world* world) {
    for (uint32_t i = 0; i < world->chunks.count; i++) {
        const weft__chunk* a = world->chunks.items[i];
        const weft__archetype* table = &world->archetypes.items[a->archetype];
        for (uint32_t j = 0; j < i * table->column_count; j++) {
            const weft__chunk* b = world->chunks.items[j / table->column_count];
            uint32_t k = j % table->column_count;
            size_t size = a->capacity * (size_t)table->column_sizes[k];
            size_t other = b->capacity * (size_t)table->column_sizes[k];
            cr_assert(apart(a->columns[k], size, b->columns[k], other));
            cr_assert(a->backs[k] == NULL || apart(a->backs[k], size, b->columns[k], other));
            cr_assert(a->backs[k] == NULL || apart(a->backs[k], size, a->columns[k], size));
            cr_assert(apart(a->entities, a->capacity * sizeof(weft_entity), b->columns[k], other));
        }
    }
}

// Values of all rows, which name their slot unless they were set.
static void check_values(const weft_world* world) {
    const weft_access terms[] = {WEFT_READS(Rock), WEFT_READS(Sand)};
    weft_cursor cursor = weft_world_visit(world, terms, 2);
    while (weft_cursor_next(&cursor))
        for (uint32_t i = 0; i < cursor.row_count; i++) {
            cr_assert_eq(WEFT_CURSOR_COLUMN(&cursor, Rock)[i].mass, cursor.entities[i].slot);
            cr_assert_eq(WEFT_CURSOR_COLUMN(&cursor, Sand)[i].sun, cursor.entities[i].slot + 2);
        }
}

Test(blocks, full_chunks_lie_side_by_side) {
    static const uint32_t strides[] = {SHARDS, SHARDS / 2, 1};
    for (uint32_t i = 0; i < 3; i++) {
        weft_world* world = full_world(strides[i], SHARDS);
        cr_assert_geq(neighbours(world), i == 2 ? SHARDS / 3 : SHARDS / 2);
        check_apart(world);
        check_values(world);
        weft_world_destroy(world);
    }
}

// A merge of every chunk, again and again, moves each by one place: they stay neighbours.
Test(blocks, merges_keep_them_side_by_side) {
    weft_world* world = full_world(SHARDS, SHARDS);
    uint32_t before = neighbours(world);
    for (uint32_t round = 0; round < 5; round++) {
        weft_commands* commands = weft_world_commands(world);
        for (uint32_t i = 0; i < SHARDS; i++)
            weft_commands_destroy(commands, 0,
                                  (weft_entity){i * WEFT_SHARD_SLOTS + 7 * round + i, 1});
        world_commit(world);
        check_apart(world);
        check_values(world);
    }
    cr_assert_geq(neighbours(world) + 6, before);
    weft_world_destroy(world);
}

// Chunks that change their archetype leave slices behind for the next that come.
Test(blocks, slices_are_used_again) {
    weft_world* world = full_world(SHARDS, 12);
    uint32_t slices = 0;
    for (uint32_t round = 0; round < 6; round++) {
        weft_commands* commands = weft_world_commands(world);
        for (uint32_t i = 0; i < 12 * WEFT_SHARD_SLOTS; i++) {
            weft_entity entity = {i, 1};
            if (round % 2 == 0)
                WEFT_ADD_TAG(commands, 0, entity, Wet);
            else
                weft_commands_remove(commands, 0, entity, WEFT_TYPE(Wet));
        }
        world_commit(world);
        check_apart(world);
        check_values(world);
        slices = round == 1 ? world->slice_count : slices;
    }
    cr_assert_eq(world->slice_count, slices, "runs are made for slices that are there");
    weft_world_destroy(world);
}
