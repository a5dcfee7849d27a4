// Every rule of the lint, on sources that say themselves what must be found in them: a comment
// `// want: rule rule` lists the findings of its line, `// options: ...` at the top how to lint.
// A line without the comment has no finding. So a rule that finds too little fails here, and one
// that finds too much.

#define _GNU_SOURCE

#include "lint_model.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"

#define FIXTURES WEFT_TEST_DIR "/clanglint/fixtures"
#define LIST_MAX 8u

typedef struct fixture {
    char path[512];
    char* text;
    char words[LIST_MAX][64]; // Of the options line.
    const char* float_files[LIST_MAX];
    const char* pure[LIST_MAX];
    weft_lint_options options;
} fixture;

static const char* const flags[] = {
    "-I" WEFT_TEST_DIR "/../math/include",
    "-I" WEFT_TEST_DIR "/../ecs/include",
    "-I" WEFT_TEST_DIR "/../scheduler/include",
    "-I" WEFT_TEST_DIR "/../bench/include",
};

static weft_lint_parser* parser_or_skip(void) {
    char line[640];
    weft_lint_parser* parser = weft_lint_parser_create(line, sizeof line);
    if (parser == NULL) {
        (void)fprintf(stderr, "SKIPPED: %s\n", line);
        cr_skip_test("%s", line);
    }
    return parser;
}

static char* text_read(const char* path) {
    FILE* file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    char* text = calloc(1, 1 << 16);
    cr_assert_lt(fread(text, 1, (1 << 16) - 1, file), (1 << 16) - 1, "%s", path);
    (void)fclose(file);
    return text;
}

/// Reads "// options: --all --float=*/x.c --pure=f".
static void options_read(fixture* each) {
    static const char mark[] = "// options: ";
    weft_lint_options* options = &each->options;
    *options = (weft_lint_options){.flags = flags,
                                   .flag_count = sizeof flags / sizeof flags[0],
                                   .float_files = each->float_files,
                                   .pure = each->pure};
    if (strncmp(each->text, mark, sizeof mark - 1) != 0)
        return;
    const char* at = each->text + sizeof mark - 1;
    for (size_t i = 0; *at != '\n'; i++) {
        size_t length = strcspn(at, " \n");
        cr_assert(i < LIST_MAX && length < sizeof each->words[i], "%s", each->path);
        memcpy(each->words[i], at, length);
        const char* word = each->words[i];
        if (strcmp(word, "--all") == 0)
            options->all = true;
        else if (strcmp(word, "--float") == 0)
            options->floats = true;
        else if (strncmp(word, "--float=", 8) == 0)
            each->float_files[options->float_file_count++] = word + 8;
        else if (strncmp(word, "--pure=", 7) == 0)
            each->pure[options->pure_count++] = word + 7;
        else
            cr_assert_fail("%s: %s", each->path, word);
        at += length + strspn(at + length, " ");
    }
}

/// Takes one expected finding off a line of text, where it stands after "// want:". False if the
/// line does not expect it.
static bool want_take(char* line, const char* rule) {
    char* want = strstr(line, "// want:");
    size_t length = strlen(rule);
    for (char* at = want; at != NULL && *at != '\0'; at++) {
        if (at[-1] == ' ' && strncmp(at, rule, length) == 0 &&
            (at[length] == ' ' || at[length] == '\0')) {
            memset(at, ' ', length);
            return true;
        }
    }
    return false;
}

/// Compares findings with what the text expects, line by line.
static void findings_check(const fixture* each, const weft_lint* lint, unsigned counts[]) {
    char* lines[1024];
    size_t count = 0;
    char* text = strdup(each->text);
    for (char* at = text; at != NULL && count < 1024;)
        lines[count++] = strsep(&at, "\n");
    for (size_t i = 0; i < lint->finding_count; i++) {
        const weft_lint_finding* found = &lint->findings[i];
        const char* rule = weft_lint_rule_get(found->rule)->name;
        bool wanted = found->place.line >= 1 && found->place.line <= count &&
                      want_take(lines[found->place.line - 1], rule);
        cr_expect(wanted, "%s:%u:%u: not wanted: %s: %s", found->place.path, found->place.line,
                  found->place.column, rule, found->what);
        counts[found->rule]++;
    }
    for (size_t i = 0; i < count; i++) {
        const char* want = strstr(lines[i], "// want:");
        cr_expect(want == NULL || want[8 + strspn(want + 8, " ")] == '\0',
                  "%s:%zu: wanted and not found: %s", each->path, i + 1, lines[i]);
    }
    free(text);
}

static bool name_ends(const char* name, const char* end) {
    size_t length = strlen(name);
    return length > strlen(end) && strcmp(name + length - strlen(end), end) == 0;
}

static void fixture_check(weft_lint_parser* parser, const char* name, unsigned counts[]) {
    fixture each = {.text = NULL};
    (void)snprintf(each.path, sizeof each.path, "%s/%s", FIXTURES, name);
    each.text = text_read(each.path);
    options_read(&each);
    weft_lint* lint = weft_lint_create(&each.options);
    size_t index = weft_lint_file_index(lint, each.path);
    lint->files[index].is_given = true;
    cr_expect(weft_lint_source_add(lint, parser, each.path, stderr), "%s does not compile", name);
    weft_lint_finish(lint);
    findings_check(&each, lint, counts);
    cr_expect(each.options.all || lint->entry_count > 0, "%s has no system", name);
    cr_expect_eq(lint->finding_count == 0, name_ends(name, "_good.c"), "%s: %zu findings", name,
                 lint->finding_count);
    weft_lint_destroy(lint);
    free(each.text);
}

Test(fixtures, every_rule) {
    weft_lint_parser* parser = parser_or_skip();
    unsigned counts[WEFT_LINT_RULE_COUNT] = {0};
    bool good[WEFT_LINT_RULE_COUNT] = {false};
    DIR* folder = opendir(FIXTURES);
    cr_assert_not_null(folder);
    for (struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        const char* name = entry->d_name;
        if (!name_ends(name, ".c"))
            continue;
        fixture_check(parser, name, counts);
        weft_lint_rule rule = weft_lint_rule_find(name, strcspn(name, "_"));
        if (rule < WEFT_LINT_RULE_COUNT)
            good[rule] |= name_ends(name, "_good.c");
    }
    (void)closedir(folder);
    for (size_t i = 0; i < WEFT_LINT_RULE_COUNT; i++) {
        const char* rule = weft_lint_rule_get((weft_lint_rule)i)->name;
        cr_expect_gt(counts[i], 0u, "no fixture breaks %s", rule);
        cr_expect(good[i], "no fixture keeps %s", rule);
    }
    weft_lint_parser_destroy(parser);
}

/// The canary of this test: a fixture whose wish is not met must be noticed.
Test(fixtures, wishes) {
    char line[] = "x = rand() / y; // want: random division";
    cr_expect_not(want_take(line, "rand"));
    cr_expect_not(want_take(line, "time"));
    cr_expect(want_take(line, "random"));
    cr_expect_not(want_take(line, "random"));
    cr_expect(want_take(line, "division"));
    char plain[] = "x = rand();";
    cr_expect_not(want_take(plain, "random"));
}

// Several files ----------------------------------------------------------------------------------

// Sources, and headers, which begin with a comment, by their numbers in a folder.
static weft_lint* lint_texts(weft_lint_parser* parser, const char* const texts[], size_t count,
                             const test_folder* folder) {
    static const weft_lint_options options = {.flags = flags,
                                              .flag_count = sizeof flags / sizeof flags[0]};
    weft_lint* lint = weft_lint_create(&options);
    for (size_t i = 0; i < count; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "%zu.%c", i, texts[i][0] == '/' ? 'h' : 'c');
        folder_put(folder, name, texts[i]);
        if (texts[i][0] != '/')
            cr_expect(weft_lint_source_add(lint, parser, folder_file(folder, name).text, stderr));
    }
    weft_lint_finish(lint);
    return lint;
}

Test(fixtures, calls_across_files) {
    weft_lint_parser* parser = parser_or_skip();
    static const char* const texts[] = {
        "#include <weft/schedule.h>\n"
        "int helper(int x);\n"
        "weft_status run(weft_view* view, const void* context) {\n"
        "    (void)view, (void)context;\n"
        "    return helper(1);\n"
        "}\n",
        "int rand(void);\n"
        "static int draw(void) { return rand(); }\n"
        "int helper(int x) { return x + draw(); }\n"
        "int unused(void) { return rand(); }\n",
    };
    test_folder folder = folder_open();
    weft_lint* lint = lint_texts(parser, texts, 2, &folder);
    cr_assert_eq(lint->finding_count, 1u);
    cr_expect_eq(lint->findings[0].rule, WEFT_LINT_RANDOM);
    cr_expect_eq(lint->findings[0].place.line, 2u);
    cr_expect_eq(lint->findings[0].place.column, 32u);
    cr_expect_str_eq(lint->findings[0].route, "system run > helper > draw");
    weft_lint_destroy(lint);
    folder_close(&folder);
    weft_lint_parser_destroy(parser);
}

// A header that two sources include is one place.
Test(fixtures, headers_once) {
    weft_lint_parser* parser = parser_or_skip();
    static const char* const texts[] = {
        "// header\n"
        "int rand(void);\n"
        "static inline int draw(int a, int b) { return rand() + a / b; }\n"
        "static inline int half(int a, int b) { return a / b; } "
        "// weft-lint: allow(division): b is 2\n",
        "#include <weft/schedule.h>\n"
        "#include \"0.h\"\n"
        "weft_status one(weft_view* view, const void* context) {\n"
        "    return draw(1, 2) + half(1, 2) + (context == view);\n"
        "}\n",
        "#include <weft/schedule.h>\n"
        "#include \"0.h\"\n"
        "weft_status two(weft_view* view, const void* context) {\n"
        "    return draw(1, 2) + half(1, 2) + (context == view);\n"
        "}\n",
    };
    test_folder folder = folder_open();
    weft_lint* lint = lint_texts(parser, texts, 3, &folder);
    cr_assert_eq(lint->finding_count, 2u);
    cr_expect_eq(lint->findings[0].rule, WEFT_LINT_RANDOM);
    cr_expect_eq(lint->findings[1].rule, WEFT_LINT_DIVISION);
    cr_assert_eq(lint->exception_count, 1u);
    cr_expect_eq(lint->exceptions[0].used, 1u);
    cr_expect_eq(lint->entry_count, 2u);
    weft_lint_destroy(lint);
    folder_close(&folder);
    weft_lint_parser_destroy(parser);
}

Test(fixtures, not_c) {
    weft_lint_parser* parser = parser_or_skip();
    static const weft_lint_options options = {.all = true};
    weft_lint* lint = weft_lint_create(&options);
    test_folder folder = folder_open();
    folder_put(&folder, "0.c", "int f(void) { return y; }\n");
    char* said = NULL;
    size_t size = 0;
    FILE* errors = open_memstream(&said, &size);
    cr_expect_not(weft_lint_source_add(lint, parser, folder_file(&folder, "0.c").text, errors));
    (void)fclose(errors);
    cr_expect_not_null(strstr(said, "0.c:1:22: error: use of undeclared identifier 'y'"), "%s",
                       said);
    free(said);
    weft_lint_destroy(lint);
    folder_close(&folder);
    weft_lint_parser_destroy(parser);
}
