// What the lint found: for people, as JSON, and as SARIF 2.1.0 for tools.

#include "lint_model.h"

#include <stdlib.h>
#include <string.h>

static size_t used_count(const weft_lint* lint) {
    size_t count = 0;
    for (size_t i = 0; i < lint->exception_count; i++)
        count += lint->exceptions[i].used > 0;
    return count;
}

static const char* plural(size_t count) {
    return count == 1 ? "" : "s";
}

static void summary_print(const weft_lint* lint, FILE* file) {
    size_t used = used_count(lint);
    (void)fprintf(file, "%zu finding%s, %zu exception%s", lint->finding_count,
                  plural(lint->finding_count), used, plural(used));
    if (lint->source_count > 0)
        (void)fprintf(file, "; %u source%s, %u function%s", lint->source_count,
                      plural(lint->source_count), lint->reached_count, plural(lint->reached_count));
    if (lint->source_count > 0 && !lint->options.all)
        (void)fprintf(file, " reached from %u system%s", lint->entry_count,
                      plural(lint->entry_count));
    if (lint->object_count > 0)
        (void)fprintf(file, "; %u object%s", lint->object_count, plural(lint->object_count));
    (void)fputc('\n', file);
}

void weft_lint_print(const weft_lint* lint, FILE* file) {
    for (size_t i = 0; i < lint->finding_count; i++) {
        const weft_lint_finding* each = &lint->findings[i];
        const weft_lint_rule_text* rule = weft_lint_rule_get(each->rule);
        if (each->place.line > 0)
            (void)fprintf(file, "%s:%u:%u: ", each->place.path, each->place.line,
                          each->place.column);
        else
            (void)fprintf(file, "%s: ", each->place.path);
        (void)fprintf(file, "%s: %s: %s; %s\n", rule->name, each->what, rule->why, rule->instead);
        if (each->route != NULL)
            (void)fprintf(file, "  in %s\n", each->route);
    }
    for (size_t i = 0; i < lint->exception_count; i++) {
        const weft_lint_exception* each = &lint->exceptions[i];
        if (each->used > 0)
            (void)fprintf(file, "%s:%u: excepted from %s: %s\n", each->place.path, each->place.line,
                          weft_lint_rule_get(each->rule)->name, each->reason);
    }
    summary_print(lint, file);
}

// JSON -------------------------------------------------------------------------------------------

/// A string as JSON; a path or a comment in another encoding must not lose the finding.
static json_t* text_json(const char* text) {
    json_t* made = json_string(text);
    if (made != NULL || text == NULL)
        return made != NULL ? made : json_null();
    size_t length = strlen(text);
    char* plain = malloc(length + 1);
    WEFT_ASSERT(plain != NULL);
    for (size_t i = 0; i <= length; i++)
        plain[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
    made = json_string(plain);
    free(plain);
    return made;
}

static json_t* finding_json(const weft_lint_finding* each) {
    const weft_lint_rule_text* rule = weft_lint_rule_get(each->rule);
    return json_pack("{s:o, s:i, s:i, s:s, s:o, s:s, s:s, s:o, s:o}", "file",
                     text_json(each->place.path), "line", (int)each->place.line, "column",
                     (int)each->place.column, "rule", rule->name, "what", text_json(each->what),
                     "why", rule->why, "instead", rule->instead, "symbol", text_json(each->symbol),
                     "route", text_json(each->route));
}

json_t* weft_lint_json(const weft_lint* lint) {
    json_t* findings = json_array();
    json_t* exceptions = json_array();
    for (size_t i = 0; i < lint->finding_count; i++)
        (void)json_array_append_new(findings, finding_json(&lint->findings[i]));
    for (size_t i = 0; i < lint->exception_count; i++) {
        const weft_lint_exception* each = &lint->exceptions[i];
        if (each->used > 0)
            (void)json_array_append_new(
                exceptions,
                json_pack("{s:o, s:i, s:s, s:o, s:i}", "file", text_json(each->place.path), "line",
                          (int)each->place.line, "rule", weft_lint_rule_get(each->rule)->name,
                          "reason", text_json(each->reason), "findings", (int)each->used));
    }
    return json_pack("{s:o, s:o, s:i, s:i, s:i, s:i}", "findings", findings, "exceptions",
                     exceptions, "sources", (int)lint->source_count, "objects",
                     (int)lint->object_count, "functions", (int)lint->reached_count, "systems",
                     (int)lint->entry_count);
}

// SARIF ------------------------------------------------------------------------------------------

static json_t* rules_sarif(void) {
    json_t* rules = json_array();
    for (size_t i = 0; i < WEFT_LINT_RULE_COUNT; i++) {
        const weft_lint_rule_text* rule = weft_lint_rule_get((weft_lint_rule)i);
        (void)json_array_append_new(rules, json_pack("{s:s, s:{s:s}, s:{s:s}, s:{s:s}}", "id",
                                                     rule->name, "shortDescription", "text",
                                                     rule->finds, "fullDescription", "text",
                                                     rule->why, "help", "text", rule->instead));
    }
    return rules;
}

/// A path as a URI reference: what is not plain is escaped.
static json_t* uri_sarif(const char* path) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-._~/";
    static const char hex[] = "0123456789ABCDEF";
    char* text = malloc(strlen(path) * 3 + 8);
    WEFT_ASSERT(text != NULL);
    char* to = text;
    if (path[0] == '/') {
        memcpy(to, "file://", 7);
        to += 7;
    }
    for (const char* at = path; *at != '\0'; at++) {
        unsigned char byte = (unsigned char)*at;
        if (strchr(plain, *at) != NULL) {
            *to++ = *at;
        } else {
            *to++ = '%';
            *to++ = hex[byte >> 4];
            *to++ = hex[byte & 15];
        }
    }
    *to = '\0';
    json_t* made = json_string(text);
    free(text);
    return made;
}

static json_t* place_sarif(const weft_lint_place* place, const char* symbol) {
    json_t* physical = json_pack("{s:{s:o}}", "artifactLocation", "uri", uri_sarif(place->path));
    if (place->line > 0)
        (void)json_object_set_new(physical, "region",
                                  json_pack("{s:i, s:i}", "startLine", (int)place->line,
                                            "startColumn", (int)place->column));
    json_t* location = json_pack("{s:o}", "physicalLocation", physical);
    if (symbol != NULL)
        (void)json_object_set_new(location, "logicalLocations",
                                  json_pack("[{s:o}]", "name", text_json(symbol)));
    return location;
}

static json_t* result_sarif(weft_lint_rule id, const char* level, json_t* message,
                            json_t* location) {
    return json_pack("{s:s, s:i, s:s, s:{s:o}, s:[o]}", "ruleId", weft_lint_rule_get(id)->name,
                     "ruleIndex", (int)id, "level", level, "message", "text", message, "locations",
                     location);
}

static json_t* message_sarif(const weft_lint_finding* each) {
    const weft_lint_rule_text* rule = weft_lint_rule_get(each->rule);
    json_t* what = text_json(each->what);
    json_t* message = json_sprintf("%s: %s; %s", json_string_value(what), rule->why, rule->instead);
    json_decref(what);
    return message;
}

json_t* weft_lint_sarif(const weft_lint* lint) {
    json_t* results = json_array();
    for (size_t i = 0; i < lint->finding_count; i++) {
        const weft_lint_finding* each = &lint->findings[i];
        (void)json_array_append_new(results, result_sarif(each->rule, "error", message_sarif(each),
                                                          place_sarif(&each->place, each->symbol)));
    }
    for (size_t i = 0; i < lint->exception_count; i++) {
        const weft_lint_exception* each = &lint->exceptions[i];
        if (each->used == 0)
            continue;
        weft_lint_place place = each->place;
        json_t* result = result_sarif(each->rule, "note", json_string("excepted in the source"),
                                      place_sarif(&place, NULL));
        (void)json_object_set_new(result, "suppressions",
                                  json_pack("[{s:s, s:o}]", "kind", "inSource", "justification",
                                            text_json(each->reason)));
        (void)json_array_append_new(results, result);
    }
    return json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:s, s:o}]}", "$schema",
                     "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs",
                     "tool", "driver", "name", "weft lint", "version", weft_version(), "rules",
                     rules_sarif(), "columnKind", "utf16CodeUnits", "results", results);
}
