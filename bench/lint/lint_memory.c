// Memory of the lint: strings, growing arrays, a map from names, files.

#define _GNU_SOURCE

#include "lint_model.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// Each block begins with the one before it.
typedef struct block {
    struct block* next;
    max_align_t bytes[];
} block;

typedef struct name_slot {
    const char* key; // Null: free.
    uint32_t index;
} name_slot;

/// Open addressing with a power of two of slots, at most half of them taken. Looked up, never
/// iterated.
struct weft_lint_names {
    name_slot* slots;
    size_t count, capacity;
};

void* weft_lint_allocate(weft_lint* lint, size_t size) {
    block* made = calloc(1, sizeof(block) + size);
    WEFT_ASSERT(made != NULL);
    made->next = lint->memory;
    lint->memory = made;
    return made->bytes;
}

const char* weft_lint_format(weft_lint* lint, const char* format, ...) {
    va_list args;
    va_start(args, format);
    char* text = NULL;
    int length = vasprintf(&text, format, args);
    va_end(args);
    WEFT_ASSERT(length >= 0);
    char* kept = weft_lint_allocate(lint, (size_t)length + 1);
    memcpy(kept, text, (size_t)length + 1);
    free(text);
    return kept;
}

void* weft_lint_grow(void* array, size_t count, size_t* capacity, size_t element_size) {
    if (count < *capacity)
        return array;
    *capacity = *capacity * 2 + 64;
    void* grown = reallocarray(array, *capacity, element_size);
    WEFT_ASSERT(grown != NULL);
    return grown;
}

weft_lint* weft_lint_create(const weft_lint_options* options) {
    weft_lint* lint = calloc(1, sizeof(*lint));
    WEFT_ASSERT(lint != NULL);
    lint->options = *options;
    lint->names = weft_lint_allocate(lint, sizeof(*lint->names));
    char* here = getcwd(NULL, 0);
    lint->here = weft_lint_format(lint, "%s/", here != NULL ? here : "");
    free(here);
    return lint;
}

void weft_lint_destroy(weft_lint* lint) {
    if (lint == NULL)
        return;
    free(lint->names->slots);
    for (block* each = lint->memory; each != NULL;) {
        block* next = each->next;
        free(each);
        each = next;
    }
    free(lint->nodes);
    free(lint->refs);
    free(lint->candidates);
    free(lint->findings);
    free(lint->exceptions);
    free(lint->files);
    free(lint);
}

// Names ------------------------------------------------------------------------------------------

/// Where a key is, or the free slot where it would be.
static size_t slot_find(const weft_lint_names* names, const char* key) {
    uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
    for (const char* at = key; *at != '\0'; at++)
        hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
    size_t slot = (size_t)(hash ^ hash >> 32) & (names->capacity - 1);
    while (names->slots[slot].key != NULL && strcmp(names->slots[slot].key, key) != 0)
        slot = (slot + 1) & (names->capacity - 1);
    return slot;
}

uint32_t weft_lint_name_get(const weft_lint* lint, const char* key) {
    const weft_lint_names* names = lint->names;
    if (names->capacity == 0)
        return WEFT_LINT_NO_NODE;
    const name_slot* slot = &names->slots[slot_find(names, key)];
    return slot->key != NULL ? slot->index : WEFT_LINT_NO_NODE;
}

void weft_lint_name_put(weft_lint* lint, const char* key, uint32_t index) {
    weft_lint_names* names = lint->names;
    if (names->count * 2 >= names->capacity) {
        weft_lint_names wider = {.capacity = names->capacity == 0 ? 256 : names->capacity * 2};
        wider.slots = calloc(wider.capacity, sizeof(*wider.slots));
        WEFT_ASSERT(wider.slots != NULL);
        for (size_t i = 0; i < names->capacity; i++) {
            if (names->slots[i].key != NULL)
                wider.slots[slot_find(&wider, names->slots[i].key)] = names->slots[i];
        }
        wider.count = names->count;
        free(names->slots);
        *names = wider;
    }
    name_slot* slot = &names->slots[slot_find(names, key)];
    names->count += slot->key == NULL;
    *slot = (name_slot){key, index};
}

// Files ------------------------------------------------------------------------------------------

size_t weft_lint_file_index(weft_lint* lint, const char* path) {
    char* whole = realpath(path, NULL);
    const char* shown = whole != NULL ? whole : path;
    size_t length = strlen(lint->here);
    if (length > 1 && strncmp(shown, lint->here, length) == 0)
        shown += length;
    // Paths share the map with nodes, no key of which begins like this.
    const char* key = weft_lint_format(lint, "path %s", shown);
    free(whole);
    uint32_t known = weft_lint_name_get(lint, key);
    if (known != WEFT_LINT_NO_NODE)
        return known;
    lint->files =
        weft_lint_grow(lint->files, lint->file_count, &lint->file_capacity, sizeof(*lint->files));
    lint->files[lint->file_count] = (weft_lint_file){.path = key + sizeof "path"};
    weft_lint_name_put(lint, key, (uint32_t)lint->file_count);
    return lint->file_count++;
}

const char* weft_lint_path(weft_lint* lint, const char* path) {
    size_t index = weft_lint_file_index(lint, path); // May move the array.
    return lint->files[index].path;
}

char* weft_lint_read(weft_lint* lint, const char* path, size_t* size_out) {
    FILE* file = fopen(path, "rbe");
    struct stat info;
    char* text = NULL;
    if (file == NULL)
        return NULL;
    int reason = fstat(fileno(file), &info) != 0 ? errno : 0;
    if (reason == 0 && !S_ISREG(info.st_mode))
        reason = S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
    if (reason == 0) {
        size_t size = (size_t)info.st_size;
        text = weft_lint_allocate(lint, size + 1);
        *size_out = fread(text, 1, size, file);
        reason = ferror(file) ? EIO : 0;
    }
    (void)fclose(file);
    errno = reason;
    return reason == 0 ? text : NULL;
}
