// JSON and SARIF of a lint: what is in them, and that readers take them.

#define _GNU_SOURCE

#include "lint_model.h"

#include <criterion/criterion.h>
#include <string.h>

static weft_lint* lint_make(void) {
    static const weft_lint_options options = {.all = true};
    weft_lint* lint = weft_lint_create(&options);
    const char* path = weft_lint_path(lint, "dir name/\xff.c");
    uint32_t node = weft_lint_node_add(lint, "f", "f", (weft_lint_place){path, 1, 5}, true);
    weft_lint_place none = {.path = NULL};
    static const char text[] = "x; // weft-lint: allow(shift): says \"who\"\n";
    weft_lint_comments_add(lint, weft_lint_file_index(lint, "b.c"), text, sizeof text - 1);
    weft_lint_entry_add(lint, "f", "system");
    weft_lint_candidate_add(lint, node, WEFT_LINT_TIME, (weft_lint_place){path, 3, 7}, none,
                            "\"time\"()");
    weft_lint_candidate_add(lint, node, WEFT_LINT_SHIFT,
                            (weft_lint_place){weft_lint_path(lint, "b.c"), 1, 2}, none, "<<");
    weft_lint_finding_add(
        lint, (weft_lint_finding){.rule = WEFT_LINT_STATIC,
                                  .place = {.path = weft_lint_path(lint, "/no/such/a.o")},
                                  .what = "counter may be written",
                                  .symbol = "counter"});
    lint->source_count = 1;
    lint->object_count = 1;
    weft_lint_finish(lint);
    return lint;
}

/// As a reader sees it: printed and parsed again.
static json_t* reparsed(json_t* value) {
    json_error_t error;
    cr_assert_not_null(value);
    char* text = json_dumps(value, 0);
    json_decref(value);
    json_t* read = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    cr_assert_not_null(read, "%s", error.text);
    free(text);
    return read;
}

static const char* string_at(const json_t* value, const char* key) {
    const char* text = json_string_value(json_object_get(value, key));
    return text != NULL ? text : "";
}

Test(output, json) {
    weft_lint* lint = lint_make();
    json_t* root = reparsed(weft_lint_json(lint));
    const json_t* findings = json_object_get(root, "findings");
    cr_assert_eq(json_array_size(findings), 2u);
    const json_t* object = json_array_get(findings, 0);
    cr_expect_str_eq(string_at(object, "file"), "/no/such/a.o");
    cr_expect_str_eq(string_at(object, "symbol"), "counter");
    cr_expect(json_is_null(json_object_get(object, "route")));
    const json_t* source = json_array_get(findings, 1);
    cr_expect_str_eq(string_at(source, "file"), "dir name/?.c");
    cr_expect_str_eq(string_at(source, "rule"), "time");
    cr_expect_str_eq(string_at(source, "what"), "\"time\"()");
    cr_expect_str_eq(string_at(source, "route"), "system f");
    cr_expect_eq(json_integer_value(json_object_get(source, "line")), 3);
    cr_expect_eq(json_integer_value(json_object_get(source, "column")), 7);
    const json_t* exceptions = json_object_get(root, "exceptions");
    cr_assert_eq(json_array_size(exceptions), 1u);
    cr_expect_str_eq(string_at(json_array_get(exceptions, 0), "reason"), "says \"who\"");
    cr_expect_eq(json_integer_value(json_object_get(root, "systems")), 1);
    json_decref(root);
    weft_lint_destroy(lint);
}

Test(output, sarif) {
    weft_lint* lint = lint_make();
    json_t* root = reparsed(weft_lint_sarif(lint));
    cr_expect_str_eq(string_at(root, "version"), "2.1.0");
    const json_t* run = json_array_get(json_object_get(root, "runs"), 0);
    const json_t* driver = json_object_get(json_object_get(run, "tool"), "driver");
    cr_expect_str_eq(string_at(driver, "name"), "weft lint");
    const json_t* rules = json_object_get(driver, "rules");
    const json_t* results = json_object_get(run, "results");
    cr_expect_eq(json_array_size(rules), (size_t)WEFT_LINT_RULE_COUNT);
    cr_assert_eq(json_array_size(results), 3u);
    size_t i;
    const json_t* each;
    json_array_foreach(results, i, each) {
        size_t index = (size_t)json_integer_value(json_object_get(each, "ruleIndex"));
        cr_expect_str_eq(string_at(json_array_get(rules, index), "id"), string_at(each, "ruleId"));
        cr_expect_neq(string_at(json_object_get(each, "message"), "text")[0], '\0');
        cr_expect_eq(json_array_size(json_object_get(each, "locations")), 1u);
    }
    const json_t* place =
        json_array_get(json_object_get(json_array_get(results, 1), "locations"), 0);
    const json_t* physical = json_object_get(place, "physicalLocation");
    cr_expect_str_eq(string_at(json_object_get(physical, "artifactLocation"), "uri"),
                     "dir%20name/%FF.c");
    cr_expect_eq(
        json_integer_value(json_object_get(json_object_get(physical, "region"), "startLine")), 3);
    const json_t* symbol = json_array_get(
        json_object_get(json_array_get(json_object_get(json_array_get(results, 0), "locations"), 0),
                        "logicalLocations"),
        0);
    cr_expect_str_eq(string_at(symbol, "name"), "counter");
    const json_t* last = json_array_get(results, 2);
    cr_expect_eq(json_array_size(json_object_get(last, "suppressions")), 1u);
    cr_expect_str_eq(string_at(last, "level"), "note");
    json_decref(root);
    weft_lint_destroy(lint);
}

Test(output, rules) {
    weft_lint_options options = {.all = false};
    static const struct {
        const char* name;
        weft_lint_rule rule;
    } names[] = {
        {"memcpy", WEFT_LINT_RULE_COUNT},
        {"__builtin_memcpy", WEFT_LINT_RULE_COUNT},
        {"__memcpy_chk", WEFT_LINT_RULE_COUNT},
        {"__builtin___memcpy_chk", WEFT_LINT_RULE_COUNT},
        {"__builtin_expect", WEFT_LINT_RULE_COUNT},
        {"weft_view_tick", WEFT_LINT_RULE_COUNT},
        {"sqrtf", WEFT_LINT_RULE_COUNT},
        {"sqrt", WEFT_LINT_LIBM},
        {"sinf", WEFT_LINT_LIBM},
        {"cexpl", WEFT_LINT_LIBM},
        {"fmaxf", WEFT_LINT_LIBM},
        {"__builtin_cosf", WEFT_LINT_LIBM},
        {"__builtin_ia32_rdtsc", WEFT_LINT_TIME},
        {"clock_nanosleep", WEFT_LINT_TIME},
        {"clocks", WEFT_LINT_EXTERNAL},
        {"randomize", WEFT_LINT_EXTERNAL},
        {"isolate", WEFT_LINT_EXTERNAL},
        {"isalpha", WEFT_LINT_ENVIRONMENT},
        {"pthread_create", WEFT_LINT_THREAD},
        {"__sync_fetch_and_add_4", WEFT_LINT_ATOMIC},
        {"__builtin_malloc", WEFT_LINT_ALLOC},
        {"__builtin_return_address", WEFT_LINT_ADDRESS},
        {"_mm_add_epi32", WEFT_LINT_RULE_COUNT},
        {"_mm_rcp_ps", WEFT_LINT_LIBM},
        {"printf", WEFT_LINT_EXTERNAL},
        {"__builtin_printf", WEFT_LINT_EXTERNAL},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        cr_expect_eq(weft_lint_name_rule(&options, names[i].name), names[i].rule, "%s",
                     names[i].name);
    static const char* const pure[] = {"rand", "geo_*"};
    options.pure = pure;
    options.pure_count = 2;
    cr_expect_eq(weft_lint_name_rule(&options, "rand"), WEFT_LINT_RULE_COUNT);
    cr_expect_eq(weft_lint_name_rule(&options, "geo_cell"), WEFT_LINT_RULE_COUNT);
    cr_expect_eq(weft_lint_name_rule(&options, "random"), WEFT_LINT_RANDOM);
    for (size_t i = 0; i < WEFT_LINT_RULE_COUNT; i++) {
        const char* name = weft_lint_rule_get((weft_lint_rule)i)->name;
        cr_expect_eq(weft_lint_rule_find(name, strlen(name)), (weft_lint_rule)i);
    }
    cr_expect_eq(weft_lint_rule_find("tim", 3), WEFT_LINT_RULE_COUNT);
}
