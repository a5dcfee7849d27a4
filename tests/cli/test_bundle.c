// Bundles: what is written is read, and nothing else is.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "bisect_job.h"

#include <weft/random.h>

#include "one_file.h"

TestSuite(bundle, .init = one_file_make, .fini = one_file_remove);

static void write_bytes(const void* bytes, size_t size) {
    bytes_store(path, bytes, size);
}

static const char identity[] =
    "{\"path\": \"canary\", \"module_hash\": \"\", \"entities\": \"0x10\", \"seed\": \"0x7\", "
    "\"schema\": \"0x1\", \"schedule\": \"0x2\", \"tick\": \"0x0\"}";
static const char executor[] =
    "{\"suspect\": \"virtual\", \"from\": \"the serial run\", \"kind\": 1, \"workers\": 3, "
    "\"schedule_seed\": \"0xffffffffffffffff\", \"pin\": true, "
    "\"placement\": 2, \"no_fusion\": false, \"sweep\": 2, "
    "\"grain\": 9, \"everybody\": true, \"perturb_seed\": \"0x0\", \"spin_ns\": 5, \"yield_ns\": "
    "6, "
    "\"tick_period_ns\": \"0x3\", \"checkpoint_ticks\": 64}";
#define DIGESTS                                                                                    \
    "{\"view\": \"00000000000000000000000000000001\", "                                            \
    "\"full\": \"00000000000000000000000000000002\"}"
static const char finding[] =
    "{\"serial\": " DIGESTS ", \"here\": " DIGESTS ", \"write\": {\"kind\": 2, \"tick\": 400, "
    "\"rank\": 1, \"archetype\": 2, \"shard\": 3, \"world_scope\": false, \"system\": \"move\", "
    "\"value\": \"41\"}}";

static weft_cli_bundle sample(void) {
    weft_cli_bundle bundle = {0};
    bundle.bytes[WEFT_CLI_SECTION_IDENTITY] = identity;
    bundle.sizes[WEFT_CLI_SECTION_IDENTITY] = strlen(identity);
    bundle.bytes[WEFT_CLI_SECTION_EXECUTOR] = executor;
    bundle.sizes[WEFT_CLI_SECTION_EXECUTOR] = strlen(executor);
    bundle.bytes[WEFT_CLI_SECTION_FINDING] = finding;
    bundle.sizes[WEFT_CLI_SECTION_FINDING] = strlen(finding);
    bundle.bytes[WEFT_CLI_SECTION_PLAN] = "";
    return bundle;
}

static void store(const weft_cli_bundle* bundle) {
    char line[WEFT_CLI_LINE_SIZE];
    cr_assert_eq(weft_cli_bundle_write(path, bundle, line, sizeof line), WEFT_STATUS_OK, "%s",
                 line);
}

static void refused(const char* why) {
    char line[WEFT_CLI_LINE_SIZE] = "";
    bisect_bundle bundle;
    cr_assert_eq(bisect_bundle_read(path, &bundle, line, sizeof line), WEFT_STATUS_BAD_FORMAT);
    cr_assert_not_null(strstr(line, why), "'%s' lacks '%s'", line, why);
    cr_assert_null(bundle.file.file);
}

Test(bundle, what_is_written_is_read) {
    char line[WEFT_CLI_LINE_SIZE];
    weft_cli_bundle written = sample();
    bisect_bundle bundle;
    store(&written);
    cr_assert(weft_cli_bundle_is(path));
    cr_assert_eq(bisect_bundle_read(path, &bundle, line, sizeof line), WEFT_STATUS_OK, "%s", line);
    cr_assert_str_eq(bundle.module, "canary");
    cr_assert_eq(bundle.sizes.entity_count, 16u);
    cr_assert_eq(bundle.sizes.seed, 7u);
    cr_assert_eq(bundle.schedule_hash, 2u);
    cr_assert_eq(bundle.config.kind, WEFT_EXECUTOR_VIRTUAL);
    cr_assert_eq(bundle.config.worker_count, 3u);
    cr_assert_eq(bundle.config.schedule_seed, UINT64_MAX);
    cr_assert_eq(bundle.config.sweep, WEFT_SWEEP_SYSTEM_MAJOR);
    cr_assert(bundle.config.everybody && bundle.config.pin &&
              bundle.config.placement.policy == WEFT_PLACEMENT_PER_NODE &&
              !bundle.config.no_fusion);
    cr_assert_eq(bundle.digests[1].full.low, 2u);
    cr_assert_eq(bundle.write.kind, WEFT_WRITE_TASK);
    cr_assert_eq(bundle.write.tick, 400u);
    cr_assert_str_eq(bundle.write.system, "move");
    cr_assert_not_null(bundle.file.bytes[WEFT_CLI_SECTION_PLAN]);
    cr_assert_eq(bundle.file.sizes[WEFT_CLI_SECTION_PLAN], 0u);
    cr_assert_null(bundle.file.bytes[WEFT_CLI_SECTION_STATE]);
    bisect_bundle_deinit(&bundle);
}

// Every bit of the file counts, and so does every byte that is missing or follows.
Test(bundle, damaged_files_are_refused) {
    weft_cli_bundle written = sample();
    char* bytes;
    size_t size;
    store(&written);
    cr_assert(weft_cli_file_read(path, &bytes, &size));
    cr_assert_gt(size, 0);
    for (size_t i = 0; i < size; i++) {
        for (int bit = 0; bit < 8; bit++) {
            bytes[i] = (char)(bytes[i] ^ 1 << bit);
            write_bytes(bytes, size);
            refused(path);
            bytes[i] = (char)(bytes[i] ^ 1 << bit);
        }
    }
    for (size_t length = 0; length < size; length++) {
        write_bytes(bytes, length);
        refused(length < 8 ? "this is no bundle" : length < 32 ? "cut off" : "bytes, and should");
    }
    bytes[size] = 0; // The reader gives one byte more.
    write_bytes(bytes, size + 1);
    refused("joined with something else");
    weft_random_key key = {.seed = 3};
    for (uint32_t round = 0; round < 500; round++) {
        char* copy = malloc(size);
        memcpy(copy, bytes, size);
        for (uint32_t i = 0; i < 3; i++) {
            uint32_t at = weft_random_below(key, round, 2 * i, (uint32_t)size);
            copy[at] = (char)weft_random_below(key, round, 2 * i + 1, 256);
        }
        if (memcmp(copy, bytes, size) != 0) {
            write_bytes(copy, size);
            refused(path);
        }
        free(copy);
    }
    free(bytes);
}

// A head that a later version may give a meaning, with checksums that are right.
Test(bundle, unknown_forms_are_refused) {
    static const struct {
        size_t offset; // In the file.
        char value;
        const char* why;
    } forms[] = {
        {8, 2, "it is of version 2, this program reads version 1"},
        {12, 3, "something follows its last section"},
        {12, 5, "it is cut off between sections"},
        {32, 7, "its section 'executor' is damaged"}, // Kinds ascend.
        {32, 99, "its section 'of an unknown kind' is damaged"},
        {36, 1, "its section 'identity' is damaged"},
    };
    weft_cli_bundle written = sample();
    char* bytes;
    size_t size;
    store(&written);
    cr_assert(weft_cli_file_read(path, &bytes, &size));
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        char* copy = malloc(size);
        memcpy(copy, bytes, size);
        copy[forms[i].offset] = forms[i].value;
        uint64_t header = weft_hash64_of(copy, 24, 0);
        uint64_t head =
            weft_hash64_of(copy + 56, strlen(identity), weft_hash64_of(copy + 32, 16, 0));
        for (int byte = 0; byte < 8; byte++) {
            copy[24 + byte] = (char)(header >> (8 * byte));
            copy[48 + byte] = (char)(head >> (8 * byte));
        }
        write_bytes(copy, size);
        refused(forms[i].why);
        free(copy);
    }
    free(bytes);
}

// Whole files of sections that are not as they must be.
Test(bundle, wrong_sections_are_refused) {
    static const struct {
        weft_cli_section section;
        const char* text;
        const char* why;
    } wrong[] = {
        {WEFT_CLI_SECTION_IDENTITY, NULL, "its section 'identity' is missing"},
        {WEFT_CLI_SECTION_IDENTITY, "{", "'identity'"},
        {WEFT_CLI_SECTION_IDENTITY, "[]", "'identity'"},
        {WEFT_CLI_SECTION_EXECUTOR, NULL, "'executor'"},
        {WEFT_CLI_SECTION_EXECUTOR, "{\"kind\": 99}", "'executor'"},
        {WEFT_CLI_SECTION_FINDING, NULL, "'finding'"},
        {WEFT_CLI_SECTION_FINDING, "{\"serial\": 1, \"here\": \"\"}", "'finding'"},
        {WEFT_CLI_SECTION_FINDING, "", "'finding'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        weft_cli_bundle bundle = sample();
        bundle.bytes[wrong[i].section] = wrong[i].text;
        bundle.sizes[wrong[i].section] = wrong[i].text != NULL ? strlen(wrong[i].text) : 0;
        store(&bundle);
        refused(wrong[i].why);
    }
    // Each value of the JSON sections, cut in two.
    static const weft_cli_section sections[] = {
        WEFT_CLI_SECTION_IDENTITY, WEFT_CLI_SECTION_EXECUTOR, WEFT_CLI_SECTION_FINDING};
    for (size_t i = 0; i < 3; i++) {
        weft_cli_bundle bundle = sample();
        for (size_t size = 0; size < bundle.sizes[sections[i]]; size++) {
            weft_cli_bundle cut = bundle;
            cut.sizes[sections[i]] = size;
            store(&cut);
            refused("is missing, or not as weft");
        }
    }
}

// A tick that is not the first needs the state before it.
Test(bundle, a_bundle_without_its_state_is_refused) {
    weft_cli_bundle bundle = sample();
    char* later = strdup(identity);
    char* tick = strstr(later, "\"tick\": \"0x0\"");
    cr_assert_not_null(tick);
    tick[strlen("\"tick\": \"0x")] = '9';
    bundle.bytes[WEFT_CLI_SECTION_IDENTITY] = later;
    store(&bundle);
    refused("'state or inputs'");
    free(later);
}

Test(bundle, files_that_cannot_be_read) {
    char line[WEFT_CLI_LINE_SIZE];
    bisect_bundle bundle;
    bisect_recorded record;
    cr_assert_not(weft_cli_bundle_is(path));
    cr_assert(weft_cli_bundle_is("any.weftbundle"));
    cr_assert_eq(bisect_bundle_read(path, &bundle, line, sizeof line), WEFT_STATUS_FILE_ERROR);
    cr_assert_eq(bisect_bundle_read(folder.path, &bundle, line, sizeof line),
                 WEFT_STATUS_FILE_ERROR);
    cr_assert_eq(bisect_record_read(path, &record, line, sizeof line), WEFT_STATUS_FILE_ERROR);
    weft_cli_bundle written = sample();
    store(&written);
    cr_assert_eq(bisect_record_read(path, &record, line, sizeof line), WEFT_STATUS_BAD_FORMAT);
}
