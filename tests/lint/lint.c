// The lint's program: walks the tree, runs the rules, reports. With --self-test it runs every rule
// over its own fixtures: a tree that must be clean, and one or more that must not be.

#include "lint.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_silenced(struct source* file, int line, const char* rule) {
    char wanted[128];
    snprintf(wanted, sizeof wanted, "lint-ok(%s): ", rule);
    for (int i = line; i > 0 && i >= line - 1; i--) {
        if ((size_t)i > file->line_count)
            continue;
        const char* found = strstr(file->lines[i - 1], wanted);
        if (found != NULL && found[strlen(wanted)] != '\0') {
            file->silenced[i - 1] = true;
            return true;
        }
    }
    return false;
}

static bool is_exempt(struct lint* lint, const char* path, const char* rule, const char* function) {
    char with_function[4096];
    snprintf(with_function, sizeof with_function, "%s:%s", path, function == NULL ? "" : function);
    for (size_t i = 0; i < lint->exemption_count; i++) {
        struct exemption* exemption = &lint->exemptions[i];
        if (strcmp(exemption->rule, rule) == 0 &&
            (strcmp(exemption->where, path) == 0 || strcmp(exemption->where, with_function) == 0)) {
            exemption->used = true;
            return true;
        }
    }
    return false;
}

static void count_finding(struct lint* lint, const char* rule) {
    lint->finding_count++;
    if (lint->only_rule == NULL)
        lint->only_rule = rule;
    else if (strcmp(lint->only_rule, rule) != 0)
        lint->mixed_rules = true;
}

void lint_report(struct lint* lint, struct source* file, int line, const char* rule,
                 const char* function, const char* format, ...) {
    if (is_silenced(file, line, rule)) {
        lint->silenced_count++;
        return;
    }
    if (is_exempt(lint, file->path, rule, function))
        return;
    count_finding(lint, rule);
    if (lint->quiet)
        return;
    va_list args;
    va_start(args, format);
    printf("%s:%d: ", file->path, line);
    vprintf(format, args);
    printf(" [%s]\n", rule);
    va_end(args);
}

static int by_name(const struct dirent** a, const struct dirent** b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void add_source(struct lint* lint, const char* path) {
    struct source* grown = realloc(lint->sources, (lint->source_count + 1) * sizeof(struct source));
    if (grown == NULL)
        abort();
    lint->sources = grown;
    if (source_load(&lint->sources[lint->source_count], lint->root, path))
        lint->source_count++;
}

static bool is_source_name(const char* name) {
    size_t size = strlen(name);
    return size > 2 && (strcmp(name + size - 2, ".c") == 0 || strcmp(name + size - 2, ".h") == 0);
}

static void walk(struct lint* lint, const char* path) {
    char full[4096];
    snprintf(full, sizeof full, "%s/%s", lint->root, path);
    struct dirent** entries = NULL;
    int count = scandir(full, &entries, NULL, by_name);
    for (int i = 0; i < count; i++) {
        char child[2048];
        const char* name = entries[i]->d_name;
        snprintf(child, sizeof child, "%s/%s", path, name);
        snprintf(full, sizeof full, "%s/%s", lint->root, child);
        struct stat status;
        if (name[0] != '.' && stat(full, &status) == 0) {
            if (S_ISDIR(status.st_mode) && strcmp(child, "tests/lint/fixtures") != 0 &&
                strcmp(child, "tests/clanglint/fixtures") != 0)
                walk(lint, child);
            else if (S_ISREG(status.st_mode) && is_source_name(name))
                add_source(lint, child);
        }
        free(entries[i]);
    }
    free(entries);
}

// Reads lines of `rule where reason`. A line without a reason is an error.
static void read_exemptions(struct lint* lint) {
    char full[4096];
    snprintf(full, sizeof full, "%s/tests/lint/exemptions.txt", lint->root);
    char* text = file_read(full);
    if (text == NULL)
        return;
    int line = 0;
    for (char* at = text; *at != '\0';) {
        size_t size = strcspn(at, "\n");
        bool more = at[size] == '\n';
        at[size] = '\0';
        line++;
        char rule[64], where[512], reason[8];
        int fields = sscanf(at, "%63s %511s %7s", rule, where, reason);
        if (fields == 3 && rule[0] != '#') {
            size_t bytes = (lint->exemption_count + 1) * sizeof(struct exemption);
            struct exemption* grown = realloc(lint->exemptions, bytes);
            if (grown == NULL)
                abort();
            lint->exemptions = grown;
            lint->exemptions[lint->exemption_count++] =
                (struct exemption){.rule = text_copy(rule, strlen(rule)),
                                   .where = text_copy(where, strlen(where)),
                                   .line = line};
        } else if (fields > 0 && rule[0] != '#') {
            printf("tests/lint/exemptions.txt:%d: not `rule where reason`\n", line);
            count_finding(lint, "exemption");
        }
        at += size + (more ? 1 : 0);
    }
    free(text);
}

// A silencer that silences nothing hides the next mistake.
static void report_unused(struct lint* lint) {
    for (size_t i = 0; i < lint->exemption_count; i++) {
        const struct exemption* exemption = &lint->exemptions[i];
        if (exemption->used)
            continue;
        count_finding(lint, "exemption");
        if (!lint->quiet)
            printf("tests/lint/exemptions.txt:%d: %s is not needed for %s [exemption]\n",
                   exemption->line, exemption->rule, exemption->where);
    }
    for (size_t i = 0; i < lint->source_count; i++) {
        struct source* file = &lint->sources[i];
        for (size_t line = 0; line < file->line_count; line++) {
            const char* comment = strstr(file->lines[line], "// ");
            if (comment == NULL || file->silenced[line])
                continue;
            // In two parts, or this line would be taken for one.
            if (strncmp(comment,
                        "// lint-"
                        "ok(",
                        11) == 0)
                lint_report(lint, file, (int)line + 1, "suppression", NULL,
                            "silences nothing, or has no reason");
        }
    }
}

static void lint_run(struct lint* lint) {
    static const char* const roots[] = {"math", "ecs", "scheduler", "bench", "tests", "docs"};
    read_exemptions(lint);
    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++)
        walk(lint, roots[i]);
    for (size_t r = 0; r < lint_rule_count; r++) {
        const struct rule* rule = &lint_rules[r];
        if (rule->check_tree != NULL)
            rule->check_tree(lint);
        for (size_t i = 0; rule->check_source != NULL && i < lint->source_count; i++) {
            if (source_in_scope(&lint->sources[i], rule->scope))
                rule->check_source(lint, &lint->sources[i]);
        }
    }
    report_unused(lint);
}

static void lint_free(struct lint* lint) {
    for (size_t i = 0; i < lint->source_count; i++)
        source_free(&lint->sources[i]);
    for (size_t i = 0; i < lint->exemption_count; i++) {
        free(lint->exemptions[i].rule);
        free(lint->exemptions[i].where);
    }
    free(lint->sources);
    free(lint->exemptions);
}

// Runs the lint over one fixture of a rule; true if it found what it must.
static bool fixture_passes(const char* fixtures, const char* rule, const char* kind) {
    char root[2048], list[4096];
    snprintf(root, sizeof root, "%s/%s/%s", fixtures, rule, kind);
    snprintf(list, sizeof list, "%s/sources.txt", root);
    struct lint lint = {.root = root, .quiet = true, .source_list = list};
    lint_run(&lint);
    bool bad = strncmp(kind, "bad", 3) == 0;
    bool passes = lint.source_count > 0 && (lint.finding_count > 0) == bad && !lint.mixed_rules &&
                  (!bad || strcmp(lint.only_rule, rule) == 0);
    if (!passes)
        printf("fixture %s/%s: %zu sources, %d findings, first of %s%s\n", rule, kind,
               lint.source_count, lint.finding_count,
               lint.only_rule == NULL ? "no rule" : lint.only_rule,
               lint.mixed_rules ? " and others" : "");
    lint_free(&lint);
    return passes;
}

static int self_test(const char* fixtures) {
    static const char* const silencers[] = {"suppression", "exemption"};
    int failed = 0;
    for (size_t r = 0; r < lint_rule_count + 2; r++) {
        const char* rule =
            r < lint_rule_count ? lint_rules[r].name : silencers[r - lint_rule_count];
        failed += !fixture_passes(fixtures, rule, "good");
        failed += !fixture_passes(fixtures, rule, "bad");
        // A rule with more than one thing to find has a tree for each: bad2, bad3...
        for (int n = 2; n < 10; n++) {
            char kind[16], path[2048];
            struct stat status;
            snprintf(kind, sizeof kind, "bad%d", n);
            snprintf(path, sizeof path, "%s/%s/%s", fixtures, rule, kind);
            if (stat(path, &status) != 0)
                break;
            failed += !fixture_passes(fixtures, rule, kind);
        }
    }
    printf("lint self-test: %zu rules, %d fixtures failed\n", lint_rule_count + 2, failed);
    return failed == 0 ? 0 : 1;
}

int main(int argc, char** argv) {
    if (argc == 3 && strcmp(argv[1], "--self-test") == 0)
        return self_test(argv[2]);
    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: lint ROOT [SOURCE_LIST]\n       lint --self-test FIXTURES\n");
        return 2;
    }
    struct lint lint = {.root = argv[1], .source_list = argc == 3 ? argv[2] : NULL};
    lint_run(&lint);
    printf("lint: %zu files, %d findings, %d suppressed, %zu exempt\n", lint.source_count,
           lint.finding_count, lint.silenced_count, lint.exemption_count);
    int result = lint.finding_count == 0 ? 0 : 1;
    lint_free(&lint);
    return result;
}
