// Files of results: what was written is read, and what is no such file is refused and left alone.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "harness.h"
#include "results.h"

#include <signal.h>
#include <sys/resource.h>

#include "one_file.h"

static char line[WEFT_RESULTS_LINE];

static void set_up(void) {
    if (!weft_results_supported())
        cr_skip_test("built without SQLite");
    one_file_make();
}

static void tear_down(void) {
    char journal[sizeof(path) + 8];
    snprintf(journal, sizeof(journal), "%s-journal", path);
    unlink(journal);
    one_file_remove();
}

TestSuite(results, .init = set_up, .fini = tear_down);

static weft_measure_table* make_table(const char* name, uint32_t rows) {
    weft_measure_table* table = calloc(1, sizeof(*table));
    table->name = name;
    strcpy(table->title, "a title, with 'quotes' and ünïcode");
    strcpy(table->note, "a note");
    table->conditions = (weft_conditions){.line_ns = {85, 90},
                                          .line_min = 80,
                                          .line_max = 95,
                                          .ghz = {3.5, 3.4},
                                          .others = 0.125,
                                          .stolen = 0.25,
                                          .shares_known = true,
                                          .seconds = 1.5,
                                          .samples = 30,
                                          .disturbed = 2,
                                          .repeated = 4};
    for (uint32_t i = 0; i < rows; ++i) {
        weft_series series = {.disturbed = 1, .repeated = 2};
        for (uint32_t k = 0; k < 15; ++k)
            weft_series_add(&series, 1.0 / 3 + i + (k * 7 % 15) / 100.0);
        weft_measure_row* row =
            weft_measure_add(table, i % 2 ? "ns" : "ticks/s", &series, 1, "row %u", i);
        weft_measure_options options = {.quick = false};
        if (i % 3 == 1)
            weft_measure_target(&options, row, WEFT_MEASURE_AT_LEAST, 1e9);
    }
    return table;
}

static void save(const char* name, uint32_t rows, uint64_t seed) {
    weft_results* results;
    weft_measure_options options = {.seed = seed, .quick = true};
    weft_run_head head = weft_run_head_now(&options);
    weft_measure_table* table = make_table(name, rows);
    cr_assert_eq(weft_results_open(path, &results, line), WEFT_STATUS_OK, "%s", line);
    cr_assert_eq(weft_results_add(results, &head, WEFT_STATUS_OK, table, line), WEFT_STATUS_OK,
                 "%s", line);
    cr_expect_gt(head.number, 0);
    weft_results_close(results);
    free(table);
}

static void check_doubles(const double* is, const double* was, size_t count) {
    for (size_t i = 0; i < count; i++)
        cr_expect(is[i] == was[i], "%zu: %.17g, not %.17g", i, is[i], was[i]);
}

static void check_conditions(const weft_conditions* is, const weft_conditions* was) {
    check_doubles(is->line_ns, was->line_ns, 2);
    check_doubles(&is->line_min, &was->line_min, 1);
    check_doubles(&is->line_max, &was->line_max, 1);
    check_doubles(is->ghz, was->ghz, 2);
    check_doubles(&is->others, &was->others, 1);
    check_doubles(&is->stolen, &was->stolen, 1);
    check_doubles(&is->seconds, &was->seconds, 1);
    cr_expect_eq(is->shares_known, was->shares_known);
    cr_expect_eq(is->samples, was->samples);
    cr_expect_eq(is->disturbed, was->disturbed);
    cr_expect_eq(is->repeated, was->repeated);
}

static void check_equal(const weft_measure_table* is, const weft_measure_table* was) {
    cr_expect_str_eq(is->name, was->name);
    cr_expect_str_eq(is->title, was->title);
    cr_expect_str_eq(is->note, was->note);
    check_conditions(&is->conditions, &was->conditions);
    cr_assert_eq(is->row_count, was->row_count);
    for (uint32_t i = 0; i < is->row_count; ++i) {
        const weft_measure_row* a = &is->row[i];
        const weft_measure_row* b = &was->row[i];
        cr_expect_str_eq(a->name, b->name);
        cr_expect_str_eq(a->unit, b->unit);
        cr_expect_eq(a->sample_count, b->sample_count);
        check_doubles(a->sample, b->sample, WEFT_SERIES_MAX);
        check_doubles(a->value, b->value, WEFT_MEASURE_COLUMNS);
        cr_expect_eq(a->disturbed, b->disturbed);
        cr_expect_eq(a->repeated, b->repeated);
        cr_expect_eq(a->sense, b->sense);
        cr_expect_eq(a->verdict, b->verdict);
        cr_expect_float_eq(a->target, b->target, 1e-12);
    }
}

Test(results, what_is_saved_is_read) {
    save("first", 4, 1);
    save("second", 5, 77);
    weft_run run;
    cr_assert_eq(weft_results_load(path, 0, &run, line), WEFT_STATUS_OK, "%s", line);
    cr_expect_eq(run.head.number, 2);
    cr_assert_eq(run.table_count, 1);
    cr_expect_str_eq(run.table[0]->status, "OK");
    weft_measure_table* table = make_table("second", 5);
    check_equal(&run.table[0]->table, table);
    free(table);
    weft_machine machine = weft_machine_read();
    cr_expect_str_eq(weft_machine_fact(&run.head.machine, "cpu"),
                     weft_machine_fact(&machine, "cpu"));
    cr_expect_str_eq(weft_machine_fact(&run.head.machine, "weft"), weft_version());
    cr_expect_str_eq(weft_machine_fact(&run.head.options, "seed"), "77");
    cr_expect_str_eq(weft_machine_fact(&run.head.options, "quick"), "yes");
    cr_expect_eq(strlen(run.head.time), strlen("2026-11-30T14:05:16Z"));
    weft_run_deinit(&run);
    cr_assert_eq(weft_results_load(path, 1, &run, line), WEFT_STATUS_OK, "%s", line);
    cr_expect_str_eq(run.table[0]->name, "first");
    weft_run_deinit(&run);
    cr_expect_eq(weft_results_load(path, 3, &run, line), WEFT_STATUS_OUT_OF_RANGE);
    cr_expect_not_null(strstr(line, "has no run 3"));
    weft_run_deinit(&run);
}

// One run holds several measurements, failed ones too.
Test(results, run_grows_by_measurements) {
    weft_results* results;
    weft_measure_options options = {.seed = 1};
    weft_run_head head = weft_run_head_now(&options);
    weft_measure_table* table = make_table("good", 2);
    cr_assert_eq(weft_results_open(path, &results, line), WEFT_STATUS_OK, "%s", line);
    cr_assert_eq(weft_results_add(results, &head, WEFT_STATUS_OK, table, line), WEFT_STATUS_OK);
    table->name = "bad";
    strcpy(table->error, "why");
    cr_assert_eq(weft_results_add(results, &head, WEFT_STATUS_DIVERGED, table, line),
                 WEFT_STATUS_OK);
    weft_results_close(results);
    free(table);
    weft_run run;
    cr_assert_eq(weft_results_load(path, 0, &run, line), WEFT_STATUS_OK, "%s", line);
    cr_expect_eq(run.head.number, 1);
    cr_assert_eq(run.table_count, 2);
    cr_expect_str_eq(run.table[1]->status, "DIVERGED");
    cr_expect_str_eq(run.table[1]->table.error, "why");
    cr_expect_eq(run.table[1]->table.row_count, 0);
    weft_run_deinit(&run);
}

static void write_file(const void* bytes, size_t size) {
    FILE* file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(bytes, 1, size, file), size);
    cr_assert_eq(fclose(file), 0);
}

static size_t read_file(unsigned char** bytes) {
    FILE* file = fopen(path, "rb");
    cr_assert_not_null(file);
    cr_assert_eq(fseek(file, 0, SEEK_END), 0);
    size_t size = (size_t)ftell(file);
    rewind(file);
    *bytes = malloc(size + 1);
    cr_assert_eq(fread(*bytes, 1, size, file), size);
    fclose(file);
    return size;
}

// Opening for writing and reading both refuse, and no byte changes.
static void check_refused(const char* why) {
    unsigned char* before;
    unsigned char* after;
    weft_results* results;
    weft_run run;
    size_t size = read_file(&before);
    cr_expect_eq(weft_results_open(path, &results, line), WEFT_STATUS_BAD_FORMAT, "%s", line);
    cr_expect_not_null(strstr(line, why), "%s", line);
    cr_expect_null(results);
    cr_expect_eq(weft_results_load(path, 0, &run, line), WEFT_STATUS_BAD_FORMAT, "%s", line);
    cr_expect_not_null(strstr(line, why), "%s", line);
    weft_run_deinit(&run);
    cr_assert_eq(read_file(&after), size);
    cr_expect_eq(memcmp(before, after, size), 0);
    free(before);
    free(after);
}

Test(results, other_files_are_refused) {
    write_file("#!/bin/sh\necho hello\n", 21);
    check_refused("it is no SQLite file");
    unlink(path);
    save("x", 1, 1);
    unsigned char* bytes;
    size_t size = read_file(&bytes);
    bytes[68] ^= 1; // The application's id.
    write_file(bytes, size);
    check_refused("another program's SQLite file");
    bytes[68] ^= 1;
    bytes[63] = WEFT_RESULTS_VERSION + 1; // The version.
    write_file(bytes, size);
    check_refused("of version 2, this weft knows version 1");
    free(bytes);
}

// Every cut at a page, and inside of pages, is found or, where it leaves nothing, is an empty file.
Test(results, torn_files_are_refused) {
    save("x", 30, 1);
    unsigned char* bytes;
    size_t size = read_file(&bytes);
    cr_assert_gt(size, 8192);
    for (size_t cut = 50; cut < size; cut += 1371) {
        write_file(bytes, cut);
        check_refused(cut < 100 ? "no SQLite file" : "damaged");
    }
    free(bytes);
}

// Bytes that are overwritten are found, or lie where nothing is read.
Test(results, damaged_pages_never_crash) {
    save("x", 30, 1);
    unsigned char* bytes;
    size_t size = read_file(&bytes);
    uint32_t refused = 0;
    for (size_t at = 100; at + 64 < size; at += 997) {
        unsigned char* copy = malloc(size);
        weft_run run;
        memcpy(copy, bytes, size);
        memset(copy + at, 0xa5, 64);
        write_file(copy, size);
        free(copy);
        refused += weft_results_load(path, 0, &run, line) != WEFT_STATUS_OK;
        weft_run_deinit(&run);
    }
    cr_expect_gt(refused, 3);
    free(bytes);
}

Test(results, empty_file_is_as_good_as_none) {
    write_file("", 0);
    weft_run run;
    cr_expect_eq(weft_results_load(path, 0, &run, line), WEFT_STATUS_FILE_ERROR);
    weft_run_deinit(&run);
    save("x", 1, 1);
    cr_expect_eq(weft_results_load(path, 0, &run, line), WEFT_STATUS_OK, "%s", line);
    weft_run_deinit(&run);
}

Test(results, paths_that_cannot_be) {
    weft_results* results;
    weft_run run;
    cr_expect_eq(weft_results_open(folder.path, &results, line), WEFT_STATUS_FILE_ERROR);
    cr_expect_not_null(strstr(line, "not a regular file"));
    cr_expect_eq(weft_results_open("/proc/no/file", &results, line), WEFT_STATUS_FILE_ERROR);
    cr_expect_not_null(strstr(line, "No such file or directory"), "%s", line);
    cr_expect_eq(weft_results_open("/dev/full", &results, line), WEFT_STATUS_FILE_ERROR);
    cr_expect_eq(weft_results_load(path, 0, &run, line), WEFT_STATUS_FILE_ERROR);
    cr_expect_not_null(strstr(line, "there is no such file"));
    weft_run_deinit(&run);
}

// No room for the second run: it fails with a reason, and the first is still there.
Test(results, full_disk_loses_nothing) {
    save("x", 30, 1);
    unsigned char* bytes;
    size_t size = read_file(&bytes);
    free(bytes);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {size + 8192, size + 8192};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    weft_results* results;
    weft_measure_options options = {.seed = 1};
    weft_run_head head = weft_run_head_now(&options);
    weft_measure_table* table = make_table("y", 200);
    cr_assert_eq(weft_results_open(path, &results, line), WEFT_STATUS_OK, "%s", line);
    cr_expect_eq(weft_results_add(results, &head, WEFT_STATUS_OK, table, line),
                 WEFT_STATUS_FILE_ERROR);
    cr_expect_not_null(strstr(line, "make room"), "%s", line);
    cr_expect_eq(head.number, 0);
    free(table);
    // A smaller one fits.
    table = make_table("z", 1);
    cr_expect_eq(weft_results_add(results, &head, WEFT_STATUS_OK, table, line), WEFT_STATUS_OK,
                 "%s", line);
    cr_expect_eq(head.number, 2);
    free(table);
    weft_results_close(results);
    weft_run run;
    cr_assert_eq(weft_results_load(path, 1, &run, line), WEFT_STATUS_OK, "%s", line);
    cr_expect_eq(run.table[0]->table.row_count, 30);
    weft_run_deinit(&run);
    cr_assert_eq(weft_results_load(path, 0, &run, line), WEFT_STATUS_OK, "%s", line);
    cr_expect_str_eq(run.table[0]->name, "z");
    weft_run_deinit(&run);
}

static void count_runs(void* context, const weft_results_entry* run) {
    uint32_t* count = context;
    cr_expect_eq(run->number, ++*count);
    cr_expect_neq(run->compiler[0], '\0');
    cr_expect_neq(run->measurements[0], '\0');
}

Test(results, runs_are_listed) {
    save("x", 1, 1);
    save("y", 1, 1);
    uint32_t count = 0;
    cr_expect_eq(weft_results_list(path, count_runs, &count, line), WEFT_STATUS_OK, "%s", line);
    cr_expect_eq(count, 2);
}

// Without SQLite all of it says how to get it.
Test(no_results, the_way_to_them_is_said) {
    weft_results* results;
    weft_run run;
    if (weft_results_supported())
        cr_skip_test("built with SQLite");
    cr_expect_eq(weft_results_open("x", &results, line), WEFT_STATUS_UNSUPPORTED);
    cr_expect_not_null(strstr(line, "libsqlite3-dev"));
    cr_expect_eq(weft_results_load("x", 0, &run, line), WEFT_STATUS_UNSUPPORTED);
    weft_run_deinit(&run);
}
