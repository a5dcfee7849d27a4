// The state of a world as a log of one tick: what is exported of snapshots.

#include "simlog_format.h"

#include <stdio.h>

#include "os.h"
#include "weft_arena.h"
#include "weft_bytes.h"

/// Where the columns of a table go.
typedef struct state_table {
    const weft_world* world;
    const weft__type* entry;
    uint32_t type_id;
    weft__bytes* bytes;
} state_table;

static bool is_component(const weft__type* entry) {
    return entry->role == WEFT__ROLE_COMPONENT || entry->role == WEFT__ROLE_SPARSE;
}

// Messages are what happened, not what there is.
static bool is_table(const weft__type* entry) {
    return entry->role != WEFT__ROLE_CHANNEL;
}

static uint32_t row_size(const weft__type* entry) {
    return entry->type->size + (is_component(entry) ? (uint32_t)sizeof(weft_entity) : 0);
}

/// Called for each chunk that has rows of a component, in visit order (C1); of a sparse one by
/// shard.
typedef void chunk_fn(void* context, const weft__chunk* chunk, const void* column);

static void each_chunk_of(const weft__archetype* table, uint32_t column, chunk_fn* fn,
                          void* context) {
    for (uint32_t i = 0; i < table->chunks.count; i++) {
        const weft__chunk* chunk = table->chunks.items[i];
        if (chunk->row_count > 0)
            fn(context, chunk, column == WEFT__NONE ? NULL : chunk->columns[column]);
    }
}

static void each_chunk(const state_table* table, chunk_fn* fn, void* context) {
    const weft_world* world = table->world;
    if (table->entry->role == WEFT__ROLE_SPARSE) {
        each_chunk_of(&world->sparse.items[table->entry->index],
                      table->entry->type->size == 0 ? WEFT__NONE : 0, fn, context);
        return;
    }
    for (uint32_t i = 1; i < world->archetypes.count; i++) {
        const weft__archetype* archetype = &world->archetypes.items[i];
        if (weft__archetype_has(archetype, table->type_id))
            each_chunk_of(archetype, weft__archetype_column(archetype, table->type_id), fn,
                          context);
    }
}

static void count_chunk(void* context, const weft__chunk* chunk, const void* column) {
    (void)column;
    *(uint64_t*)context += chunk->row_count;
}

static uint64_t row_count(const state_table* table) {
    uint64_t count = 0;
    if (table->entry->role == WEFT__ROLE_RESOURCE)
        return table->world->resources.items[table->entry->index].count;
    if (table->entry->role == WEFT__ROLE_REDUCTION)
        return 1;
    each_chunk(table, count_chunk, &count);
    return count;
}

// Columns ----------------------------------------------------------------------------------------

/// A scalar of a component, in rows of `stride` bytes.
typedef struct state_column {
    weft__bytes* bytes;
    uint32_t stride;
    uint32_t offset;
    uint32_t size;
    bool handles; // Of the rows' entities, not of the component.
} state_column;

static void put_rows(const state_column* column, const void* rows, size_t count) {
    uint8_t* out = weft__bytes_reserve(column->bytes, count * column->size);
    if (out != NULL && count > 0)
        weft__column_gather(rows, column->stride, column->offset, column->size, count, out);
}

static void put_chunk(void* context, const weft__chunk* chunk, const void* values) {
    const state_column* column = context;
    put_rows(column, column->handles ? chunk->entities : values, chunk->row_count);
}

static void put_column(void* context, const char* name, weft_kind kind, uint32_t offset) {
    const state_table* table = context;
    state_column column = {table->bytes, table->entry->type->size, offset, weft_kind_size(kind),
                           false};
    WEFT_ASSERT(column.size > 0 && offset + column.size <= column.stride);
    (void)name;
    if (is_component(table->entry))
        each_chunk(table, put_chunk, &column);
    else if (table->entry->role == WEFT__ROLE_RESOURCE)
        put_rows(&column, table->world->resources.items[table->entry->index].values,
                 table->world->resources.items[table->entry->index].count);
    else
        put_rows(&column, table->world->reductions.items[table->entry->index].value, 1);
}

static weft_status put_table(state_table* table) {
    if (is_component(table->entry)) {
        state_column slot = {table->bytes, sizeof(weft_entity), 0, 4, true};
        state_column generation = {table->bytes, sizeof(weft_entity), 4, 4, true};
        each_chunk(table, put_chunk, &slot);
        each_chunk(table, put_chunk, &generation);
    }
    return weft__columns_visit(table->entry->type, put_column, table);
}

// The file ---------------------------------------------------------------------------------------

static uint32_t table_count(const weft_world* world) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->types.count; i++)
        count += is_table(&world->types.items[i]);
    return count;
}

static state_table table_at(const weft_world* world, uint32_t index, weft__bytes* bytes) {
    WEFT_ASSERT(index < world->types.count);
    return (state_table){world, &world->types.items[index], index + 1, bytes};
}

static weft_status put_segment(const weft_world* world, weft__bytes* bytes) {
    weft__bytes_put_u64(bytes, world->tick);
    weft__bytes_put_u64(bytes, 1);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < world->types.count; i++) {
            state_table table = table_at(world, i, bytes);
            if (is_table(table.entry))
                weft__bytes_put_integer(bytes, row_count(&table), pass == 0 ? 8 : 4);
        }
    }
    for (uint32_t i = 0; i < world->types.count; i++) {
        state_table table = table_at(world, i, bytes);
        if (is_table(table.entry))
            WEFT_TRY(put_table(&table));
    }
    return WEFT_STATUS_OK;
}

static weft_status write_segment(const weft_world* world, weft__file* file) {
    uint64_t size = WEFT__SIMLOG_SEGMENT_HEAD + 12 * (uint64_t)table_count(world);
    for (uint32_t i = 0; i < world->types.count; i++) {
        state_table table = table_at(world, i, NULL);
        if (is_table(table.entry))
            size += row_count(&table) * row_size(table.entry);
    }
    void* buffer;
    if (size > SIZE_MAX || weft__os_region_reserve((size_t)size, &buffer) != WEFT_STATUS_OK)
        return WEFT_STATUS_OUT_OF_MEMORY;
    weft__bytes bytes;
    weft__bytes_init(&bytes, buffer, (size_t)size);
    weft_status status = put_segment(world, &bytes);
    WEFT_ASSERT(status != WEFT_STATUS_OK || (!bytes.overflow && bytes.size == size));
    if (status == WEFT_STATUS_OK)
        status = weft__frame_append(file, WEFT__SIMLOG_SEGMENT, 1, buffer, (size_t)size);
    weft__os_region_release(buffer, (size_t)size);
    return status;
}

static weft_status write_file(const weft_world* world, weft__arena* arena, weft__file* file) {
    weft__schema schema = {.arena = arena};
    weft__schema_begin(&schema, world, table_count(world));
    for (uint32_t i = 0; i < world->types.count; i++)
        if (is_table(&world->types.items[i]))
            weft__schema_table(&schema, &world->types.items[i],
                               is_component(&world->types.items[i]));
    WEFT_TRY(schema.status);
    WEFT_TRY(weft__frame_begin(file, &weft__simlog_format));
    WEFT_TRY(
        weft__frame_append(file, WEFT__SIMLOG_SCHEMA, 0, schema.bytes.items, schema.bytes.count));
    WEFT_TRY(write_segment(world, file));
    return weft__file_publish(file, true);
}

weft_status weft_simlog_write_state(const weft_world* world, const char* path,
                                    char line[WEFT_SIMLOG_LINE]) {
    WEFT_ASSERT(world != NULL && path != NULL && line != NULL && !world->running);
    line[0] = '\0';
    weft__file file;
    weft__arena arena;
    weft__arena_init(&arena, NULL);
    weft_status status = world->failed ? WEFT_STATUS_WORLD_FAILED : WEFT_STATUS_OK;
    if (status == WEFT_STATUS_OK && table_count(world) == 0)
        status = WEFT_STATUS_BAD_ARGUMENT;
    if (status != WEFT_STATUS_OK) {
        (void)snprintf(line, WEFT_SIMLOG_LINE, "%.800s: %s", path,
                       world->failed ? weft_status_text(status)
                                     : "the world has no components and no resources");
        return status;
    }
    status = weft__file_create(&file, path, NULL);
    if (status == WEFT_STATUS_OK)
        status = write_file(world, &arena, &file);
    if (status != WEFT_STATUS_OK)
        (void)snprintf(line, WEFT_SIMLOG_LINE, "%s",
                       file.line[0] != '\0' ? file.line : weft_status_text(status));
    weft__file_close(&file);
    weft__arena_deinit(&arena);
    return status;
}
