#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "cli.h"

#include "one_file.h"

TestSuite(hashes, .init = one_file_make, .fini = one_file_remove);

static weft_cli_hashes sample(uint64_t count) {
    weft_cli_hashes hashes = {.identity = {.version = "0.1.0",
                                           .module = "sample",
                                           .entity_count = 4294967295u,
                                           .seed = UINT64_MAX,
                                           .schema_hash = 1,
                                           .schedule_hash = 2}};
    for (uint64_t i = 0; i < count; i++) {
        weft_verify_digests digests = {{i, i * 3}, {UINT64_MAX - i, i << 60}};
        cr_assert_eq(weft_cli_hashes_add(&hashes, digests), WEFT_STATUS_OK);
    }
    return hashes;
}

static void write_text(const char* text, size_t size) {
    bytes_store(path, (const uint8_t*)text, size);
}

static char* read_text(size_t* size_out) {
    test_bytes bytes = bytes_load(path);
    *size_out = bytes.size;
    return (char*)bytes.data;
}

Test(hashes, what_is_written_is_read) {
    char line[WEFT_CLI_LINE_SIZE] = "";
    weft_cli_hashes written = sample(300);
    weft_cli_hashes found;
    cr_assert_eq(weft_cli_hashes_write(path, &written, line, sizeof line), WEFT_STATUS_OK, "%s",
                 line);
    cr_assert_eq(weft_cli_hashes_read(path, &found, line, sizeof line), WEFT_STATUS_OK, "%s", line);
    cr_assert_eq(found.digest_count, 300u);
    for (uint64_t i = 0; i < 300; i++) {
        cr_assert(weft_digest_equal(found.digests[i].view, written.digests[i].view));
        cr_assert(weft_digest_equal(found.digests[i].full, written.digests[i].full));
    }
    cr_assert_eq(weft_cli_hashes_match(path, &found, &written.identity, line, sizeof line),
                 WEFT_STATUS_OK);
    cr_assert_str_eq(found.identity.version, "0.1.0");
    weft_cli_hashes_deinit(&written);
    weft_cli_hashes_deinit(&found);
}

// No prefix of a file is a file.
Test(hashes, every_cut_is_refused) {
    char line[WEFT_CLI_LINE_SIZE] = "";
    size_t size;
    weft_cli_hashes hashes = sample(4);
    cr_assert_eq(weft_cli_hashes_write(path, &hashes, line, sizeof line), WEFT_STATUS_OK);
    char* text = read_text(&size);
    for (size_t cut = 0; cut < size; cut++) {
        weft_cli_hashes found;
        write_text(text, cut);
        cr_assert_eq(weft_cli_hashes_read(path, &found, line, sizeof line), WEFT_STATUS_BAD_FORMAT,
                     "cut at %zu", cut);
        cr_assert_null(found.digests);
        cr_assert_not_null(strstr(line, path));
    }
    free(text);
    weft_cli_hashes_deinit(&hashes);
}

static bool same_identity(const weft_cli_identity* a, const weft_cli_identity* b) {
    return strcmp(a->version, b->version) == 0 && strcmp(a->module, b->module) == 0 &&
           a->entity_count == b->entity_count && a->seed == b->seed &&
           a->schema_hash == b->schema_hash && a->schedule_hash == b->schedule_hash &&
           a->math == b->math;
}

// A changed byte is refused or gives another content, never the same.
Test(hashes, no_changed_byte_goes_unseen) {
    char line[WEFT_CLI_LINE_SIZE] = "";
    size_t size;
    weft_cli_hashes hashes = sample(3);
    cr_assert_eq(weft_cli_hashes_write(path, &hashes, line, sizeof line), WEFT_STATUS_OK);
    char* text = read_text(&size);
    for (size_t at = 0; at < size; at++) {
        for (unsigned bit = 0; bit < 8; bit += 5) {
            weft_cli_hashes found;
            text[at] = (char)(text[at] ^ (1 << bit));
            write_text(text, size);
            text[at] = (char)(text[at] ^ (1 << bit));
            if (weft_cli_hashes_read(path, &found, line, sizeof line) != WEFT_STATUS_OK)
                continue;
            bool same = found.digest_count == hashes.digest_count &&
                        memcmp(found.digests, hashes.digests, 3 * sizeof *found.digests) == 0 &&
                        same_identity(&found.identity, &hashes.identity);
            cr_assert_not(same, "byte %zu, bit %u", at, bit);
            weft_cli_hashes_deinit(&found);
        }
    }
    free(text);
    weft_cli_hashes_deinit(&hashes);
}

Test(hashes, an_old_file_stays_when_writing_fails) {
    char line[WEFT_CLI_LINE_SIZE] = "";
    char bad[160];
    weft_cli_hashes hashes = sample(2);
    snprintf(bad, sizeof bad, "%s/none/file", folder.path);
    cr_assert_eq(weft_cli_hashes_write(bad, &hashes, line, sizeof line), WEFT_STATUS_FILE_ERROR);
    cr_assert_not_null(strstr(line, bad));
    cr_assert_not_null(strstr(line, "No such file"));
    weft_cli_hashes_deinit(&hashes);
}
