// Layout files: what is written is read, and nothing else is.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "layout_file.h"

#include "one_file.h"

TestSuite(layout, .init = one_file_make, .fini = one_file_remove);

static void write_text(const char* text) {
    bytes_store(path, (const uint8_t*)text, strlen(text));
}

enum {
    SAMPLES = 3,
};

// Every field differs from the default in one of them.
static weft_cli_layout* sample(int number) {
    bool listed = number == 1;
    weft_cli_layout* file = calloc(1, sizeof *file);
    cr_assert_not_null(file);
    snprintf(file->module, sizeof file->module, "sample");
    file->schedule_hash = UINT64_MAX - 1;
    file->entity_count = 4294967294u;
    weft_layout* layout = &file->layout;
    *layout = weft_layout_default(7);
    layout->pin = listed;
    layout->policy = listed ? WEFT_PLACEMENT_LIST : WEFT_PLACEMENT_PER_NODE;
    for (uint32_t i = 0; i < 5 && listed; i++)
        layout->cpus[layout->cpu_count++] = (i * 3 + 2) % 7;
    layout->grain = UINT32_MAX;
    layout->sweep = WEFT_SWEEP_SYSTEM_MAJOR;
    cr_assert(weft_layout_order(layout, "first", WEFT_SWEEP_CHUNK_MAJOR));
    cr_assert(weft_layout_order(layout, "a \"second\"", WEFT_SWEEP_AUTO));
    layout->spin_ns = 0;
    layout->yield_ns = UINT32_MAX;
    layout->memory = listed ? WEFT_LAYOUT_INTERLEAVED : WEFT_LAYOUT_SMALL_PAGES;
    file->is_forecast = number == 2;
    if (number == 2) {
        layout->kind = WEFT_EXECUTOR_PROCESSES; // Whose memory is no part of a layout.
        layout->memory = WEFT_LAYOUT_HUGE_PAGES;
    }
    return file;
}

Test(layout, what_is_written_is_read) {
    char line[WEFT_CLI_LINE_SIZE] = "";
    for (int number = 0; number < SAMPLES; number++) {
        weft_cli_layout* written = sample(number);
        weft_cli_layout* read = calloc(1, sizeof *read);
        cr_assert_not_null(read);
        json_t* tuned = json_pack("{s:[i, f]}", "anything", 1, 0.5);
        cr_assert_eq(weft_cli_layout_write(path, written, tuned, line, sizeof line), WEFT_STATUS_OK,
                     "%s", line);
        cr_assert_eq(weft_cli_layout_read(path, read, line, sizeof line), WEFT_STATUS_OK, "%s",
                     line);
        cr_expect(weft_layout_equal(&written->layout, &read->layout));
        cr_expect_str_eq(read->module, "sample");
        cr_expect_eq(read->schedule_hash, written->schedule_hash);
        cr_expect_eq(read->entity_count, written->entity_count);
        cr_expect_eq(read->is_forecast, written->is_forecast);
        free(written);
        free(read);
    }
}

Test(layout, what_is_left_out_is_the_default) {
    char line[WEFT_CLI_LINE_SIZE] = "";
    weft_cli_layout* read = calloc(1, sizeof *read);
    write_text("{\"format\": \"weft-layout 1\", \"module\": \"m\", \"schedule\": \"0x1\"}");
    cr_assert_eq(weft_cli_layout_read(path, read, line, sizeof line), WEFT_STATUS_OK, "%s", line);
    weft_layout plain = weft_layout_default(0);
    cr_expect(weft_layout_equal(&read->layout, &plain));
    free(read);
}

#define HEAD "{\"format\": \"weft-layout 1\", \"module\": \"m\", \"schedule\": \"0x1\""

Test(layout, refusals) {
    static const struct {
        const char* text;
        const char* said;
    } bad[] = {
        {"", "this is no layout"},
        {"[]", "a layout is an object"},
        {"{}", "'format' is missing"},
        {"{\"format\": \"weft-layout 2\"}", "'format' is \"weft-layout 2\", not \"weft-layout 1\""},
        {"{\"format\": \"weft-layout 1\"}", "'module' is missing"},
        {"{\"format\": \"weft-layout 1\", \"module\": \"\"}", "'module' is \"\""},
        {"{\"format\": \"weft-layout 1\", \"module\": \"m\"}", "'schedule' is missing"},
        {"{\"format\": \"weft-layout 1\", \"module\": \"m\", \"schedule\": 5}", "'schedule' is 5"},
        {HEAD, "this is no layout"},
        {HEAD "} x", "this is no layout"},
        {HEAD ", \"pin\": true, \"pin\": true}", "duplicate"},
        {HEAD ", \"wrokers\": 2}", "'wrokers' is no key of a layout: did you mean 'workers'?"},
        {HEAD ", \"workers\": \"2\"}", "'workers' is \"2\", not a number from 0 to 1024"},
        {HEAD ", \"workers\": 2.0}", "'workers' is 2.0, not"},
        {HEAD ", \"workers\": 1025}", "'workers' is 1025"},
        {HEAD ", \"workers\": -1}", "'workers' is -1"},
        {HEAD ", \"executor\": \"virtual\"}",
         "'executor' is \"virtual\", not \"serial\", \"threads\" or"},
        {HEAD ", \"memory\": \"huge-pages\", \"executor\": \"processes\"}",
         "'memory' is for serial and threads"},
        {HEAD ", \"evidence\": \"hearsay\"}", "'evidence' is \"hearsay\", not \"measured\" or"},
        {HEAD ", \"pin\": 1}", "'pin' is 1, not true or false"},
        {HEAD ", \"placement\": \"list\"}", "'placement' is \"list\""},
        {HEAD ", \"placement\": \"spread\", \"cpus\": \"0\"}", "exclude each other"},
        {HEAD ", \"cpus\": \"0,\"}", "'cpus' is \"0,\""},
        {HEAD ", \"grain\": 4294967296}", "'grain' is 4294967296"},
        {HEAD ", \"sweep\": \"rows\"}", "'sweep' is \"rows\""},
        {HEAD ", \"sweeps\": []}", "'sweeps' is []"},
        {HEAD ", \"sweeps\": {\"a\": \"rows\"}}", "'sweeps' is {\"a\":\"rows\"}"},
        {HEAD ", \"sweeps\": {\"a\": 1}}", "'sweeps' is {\"a\":1}"},
        {HEAD ", \"spin_ns\": null}", "'spin_ns' is null"},
        {HEAD ", \"memory\": \"large\"}", "'memory' is \"large\""},
        {HEAD ", \"entities\": 0}", "'entities' is 0"},
        {HEAD ", \"tuned\": 1}", "'tuned' is 1, not an object"},
    };
    weft_cli_layout* read = calloc(1, sizeof *read);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char line[WEFT_CLI_LINE_SIZE] = "";
        write_text(bad[i].text);
        cr_expect_eq(weft_cli_layout_read(path, read, line, sizeof line), WEFT_STATUS_BAD_FORMAT,
                     "%s was taken", bad[i].text);
        cr_expect(strstr(line, bad[i].said) != NULL, "%s: %s", bad[i].text, line);
        cr_expect_eq(strncmp(line, path, strlen(path)), 0, "%s", line);
    }
    free(read);
}

Test(layout, a_system_name_that_is_too_long_is_refused) {
    char line[WEFT_CLI_LINE_SIZE] = "";
    char text[256];
    weft_cli_layout* read = calloc(1, sizeof *read);
    snprintf(text, sizeof text, HEAD ", \"sweeps\": {\"%0*d\": \"auto\"}}", 64, 1);
    write_text(text);
    cr_expect_eq(weft_cli_layout_read(path, read, line, sizeof line), WEFT_STATUS_BAD_FORMAT);
    snprintf(text, sizeof text, HEAD ", \"sweeps\": {\"%0*d\": \"auto\"}}", 63, 1);
    write_text(text);
    cr_expect_eq(weft_cli_layout_read(path, read, line, sizeof line), WEFT_STATUS_OK);
    free(read);
}

Test(layout, a_file_that_is_not_there) {
    char line[WEFT_CLI_LINE_SIZE] = "";
    weft_cli_layout* read = calloc(1, sizeof *read);
    cr_expect_eq(weft_cli_layout_read(path, read, line, sizeof line), WEFT_STATUS_FILE_ERROR);
    cr_expect(strstr(line, "No such file") != NULL, "%s", line);
    cr_expect_eq(weft_cli_layout_write("/nowhere/at/all.json", read, NULL, line, sizeof line),
                 WEFT_STATUS_FILE_ERROR);
    free(read);
}
