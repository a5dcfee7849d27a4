/// A folder of its own for a test's files.
#pragma once

#ifndef _GNU_SOURCE
#error "define _GNU_SOURCE before the first include"
#endif

#include <criterion/criterion.h>
#include <dirent.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct test_folder {
    char path[64];
} test_folder;

typedef struct test_path {
    char text[384];
} test_path;

typedef struct test_bytes {
    uint8_t* data;
    size_t size;
} test_bytes;

static inline test_folder folder_open(void) {
    test_folder folder;
    (void)snprintf(folder.path, sizeof(folder.path), "/tmp/weft-test-XXXXXX");
    cr_assert_not_null(mkdtemp(folder.path));
    return folder;
}

static inline test_path folder_file(const test_folder* folder, const char* name) {
    test_path path;
    (void)snprintf(path.text, sizeof(path.text), "%s/%s", folder->path, name);
    return path;
}

/// Files in it.
static inline uint32_t folder_count(const test_folder* folder) {
    uint32_t count = 0;
    DIR* dir = opendir(folder->path);
    cr_assert_not_null(dir);
    for (const struct dirent* entry = readdir(dir); entry != NULL; entry = readdir(dir))
        count += entry->d_name[0] != '.';
    (void)closedir(dir);
    return count;
}

static inline int folder_remove_one(const char* path, const struct stat* info, int kind,
                                    struct FTW* where) {
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

/// Removes it with all that is in it.
static inline void folder_close(const test_folder* folder) {
    cr_assert_eq(nftw(folder->path, folder_remove_one, 8, FTW_DEPTH | FTW_PHYS), 0, "%s",
                 folder->path);
}

/// Removes it, and nothing may be in it any more.
static inline void folder_close_empty(const test_folder* folder) {
    cr_expect_eq(rmdir(folder->path), 0, "something was left behind in %s", folder->path);
}

static inline test_bytes bytes_load(const char* path) {
    FILE* file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    cr_assert_eq(fseek(file, 0, SEEK_END), 0);
    test_bytes bytes = {.size = (size_t)ftell(file)};
    rewind(file);
    bytes.data = malloc(bytes.size + 1);
    cr_assert_not_null(bytes.data);
    cr_assert_eq(fread(bytes.data, 1, bytes.size, file), bytes.size);
    (void)fclose(file);
    return bytes;
}

static inline void bytes_store(const char* path, const uint8_t* data, size_t size) {
    FILE* file = fopen(path, "wb");
    cr_assert_not_null(file, "%s", path);
    cr_assert_eq(fwrite(data, 1, size, file), size);
    cr_assert_eq(fclose(file), 0);
}

/// Makes the folders of a path, up to its last slash.
static inline void folder_make_parents(char* path) {
    for (char* slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
}

/// Writes a text under a name that may have folders in it, which are made.
static inline void folder_put(const test_folder* folder, const char* name, const char* text) {
    test_path path = folder_file(folder, name);
    folder_make_parents(path.text);
    bytes_store(path.text, (const uint8_t*)text, strlen(text));
}
