#include "compare.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char* const weft_change_names[3] = {
    [WEFT_CHANGE_NONE] = "no difference",
    [WEFT_CHANGE_FASTER] = "faster",
    [WEFT_CHANGE_SLOWER] = "slower",
};

WEFT_PRINTF(2, 3)
static void say(weft_compare_lines* lines, const char* format, ...) {
    void* grown = realloc(lines->line, ((size_t)lines->count + 1) * WEFT_COMPARE_LINE);
    WEFT_ASSERT(grown);
    lines->line = grown;
    va_list values;
    va_start(values, format);
    (void)vsnprintf(lines->line[lines->count++], WEFT_COMPARE_LINE, format, values);
    va_end(values);
}

// Rows -------------------------------------------------------------------------------------------

static bool is_positive(const weft_measure_row* row) {
    for (uint32_t i = 0; i < row->sample_count; ++i) {
        if (!isfinite(row->sample[i]) || row->sample[i] <= 0)
            return false;
    }
    return row->sample_count > 0;
}

// The interval as times of B to A, so that above 1 is slower.
static weft_statistics_ratio cost_of(weft_statistics_ratio ratio, weft_measure_sense sense) {
    if (sense == WEFT_MEASURE_AT_MOST)
        return ratio;
    return (weft_statistics_ratio){.estimate = 1 / ratio.estimate,
                                   .low = 1 / ratio.high,
                                   .high = 1 / ratio.low,
                                   .is_certain = ratio.is_certain};
}

static void judge(weft_compare_row* row, double threshold) {
    weft_statistics_ratio cost = cost_of(row->ratio, row->a->sense);
    double limit = 1 + threshold;
    row->cost = cost.estimate;
    row->change = WEFT_CHANGE_NONE;
    if (cost.is_certain && cost.low > limit)
        row->change = WEFT_CHANGE_SLOWER;
    else if (cost.is_certain && cost.high < 1 / limit)
        row->change = WEFT_CHANGE_FASTER;
    double room = 1 + 5 * threshold;
    row->is_wide = row->change == WEFT_CHANGE_NONE && (cost.high > room || cost.low < 1 / room);
}

static void compare_rows(weft_comparison* all, const char* measurement, const weft_measure_row* a,
                         const weft_measure_row* b) {
    if (!is_positive(a) || !is_positive(b)) {
        say(&all->warnings, "%s: %s: has samples that are not above 0, and is not compared",
            measurement, a->name);
        return;
    }
    weft_compare_row* grown = realloc(all->row, ((size_t)all->row_count + 1) * sizeof(*all->row));
    WEFT_ASSERT(grown);
    all->row = grown;
    weft_compare_row* row = &all->row[all->row_count++];
    *row = (weft_compare_row){.measurement = measurement, .a = a, .b = b};
    row->ratio = weft_statistics_compare(a->sample, a->sample_count, b->sample, b->sample_count,
                                         WEFT_COMPARE_ERROR);
    judge(row, all->threshold);
    ++all->count[row->change];
}

static bool same_row(const weft_measure_row* a, const weft_measure_row* b) {
    return strcmp(a->name, b->name) == 0 && strcmp(a->unit, b->unit) == 0;
}

// The row of the other table that stands for this one: of several alike, the one of the same turn.
static const weft_measure_row* partner(const weft_measure_table* table, uint32_t index,
                                       const weft_measure_table* other) {
    uint32_t turn = 0;
    for (uint32_t i = 0; i < index; ++i)
        turn += same_row(&table->row[i], &table->row[index]);
    for (uint32_t i = 0; i < other->row_count; ++i) {
        if (same_row(&other->row[i], &table->row[index]) && turn-- == 0)
            return &other->row[i];
    }
    return NULL;
}

// What the machine was like ----------------------------------------------------------------------

static double line_of(const weft_conditions* conditions) {
    return sqrt(conditions->line_min * conditions->line_max);
}

static void compare_conditions(weft_comparison* all, const char* name, const weft_conditions* a,
                               const weft_conditions* b) {
    const weft_conditions* const both[2] = {a, b};
    for (int i = 0; i < 2; ++i) {
        if (weft_conditions_line_changed(both[i]))
            say(&all->warnings,
                "%s: in %c the CPUs were near and far in turn: a line went to and fro in %.0f to "
                "%.0f ns",
                name, "AB"[i], both[i] -> line_min, both[i] -> line_max);
        if (both[i]->others > 0.1)
            say(&all->warnings, "%s: in %c other processes had %.0f%% of the CPUs", name, "AB"[i],
                both[i] -> others * 100);
    }
    double line[2] = {line_of(a), line_of(b)};
    if (line[0] > 0 && line[1] > 0 && (line[0] > 2 * line[1] || line[1] > 2 * line[0]))
        say(&all->warnings,
            "%s: a line went to and fro in %.0f ns in A and in %.0f in B: times of several workers "
            "do not compare",
            name, line[0], line[1]);
    if (a->ghz[0] > 0 && b->ghz[0] > 0 && fabs(log(a->ghz[0] / b->ghz[0])) > 0.05)
        say(&all->warnings, "%s: the clock was %.2f GHz in A and %.2f in B", name, a->ghz[0],
            b->ghz[0]);
}

static void compare_facts(weft_comparison* all, const weft_machine* a, const weft_machine* b) {
    for (uint32_t i = 0; i < a->count; ++i) {
        const weft_fact* fact = &a->fact[i];
        const char* other = weft_machine_fact(b, fact->name);
        if (strcmp(fact->text, other) != 0 && weft_machine_fact_matters(fact->name))
            say(&all->warnings, "%s: '%s' in A, '%s' in B", fact->name, fact->text, other);
    }
    for (uint32_t i = 0; i < b->count; ++i) {
        const weft_fact* fact = &b->fact[i];
        if (weft_machine_fact(a, fact->name)[0] == '\0' && weft_machine_fact_matters(fact->name))
            say(&all->warnings, "%s: '' in A, '%s' in B", fact->name, fact->text);
    }
}

static void compare_heads(weft_comparison* all, const weft_run_head* a, const weft_run_head* b) {
    compare_facts(all, &a->machine, &b->machine);
    compare_facts(all, &a->options, &b->options);
    bool quick = weft_machine_fact(&a->options, "quick")[0] != '\0' ||
                 weft_machine_fact(&b->options, "quick")[0] != '\0';
    if (quick)
        say(&all->warnings, "quick runs have too few samples and too small sizes to compare speed");
}

// Tables -----------------------------------------------------------------------------------------

static const weft_run_table* find_table(const weft_run* run, const char* name) {
    for (uint32_t i = run->table_count; i > 0; --i) {
        if (strcmp(run->table[i - 1]->name, name) == 0)
            return run->table[i - 1];
    }
    return NULL;
}

static void list_rows(weft_compare_lines* lines, const weft_run_table* table) {
    for (uint32_t i = 0; i < table->table.row_count; ++i)
        say(lines, "%s: %s", table->name, table->table.row[i].name);
}

static void compare_tables(weft_comparison* all, const weft_run_table* a, const weft_run_table* b) {
    if (strcmp(a->table.title, b->table.title) != 0) {
        say(&all->warnings, "%s: not compared: '%s' in A, '%s' in B", a->name, a->table.title,
            b->table.title);
        return;
    }
    compare_conditions(all, a->name, &a->table.conditions, &b->table.conditions);
    for (uint32_t i = 0; i < a->table.row_count; ++i) {
        const weft_measure_row* other = partner(&a->table, i, &b->table);
        if (other)
            compare_rows(all, a->name, &a->table.row[i], other);
        else
            say(&all->only[0], "%s: %s", a->name, a->table.row[i].name);
    }
    for (uint32_t i = 0; i < b->table.row_count; ++i) {
        if (!partner(&b->table, i, &a->table))
            say(&all->only[1], "%s: %s", b->name, b->table.row[i].name);
    }
}

static void say_failures(weft_comparison* all, const weft_run* run, char side) {
    for (uint32_t i = 0; i < run->table_count; ++i) {
        const weft_run_table* table = run->table[i];
        if (strcmp(table->status, "OK") != 0)
            say(&all->warnings, "%s: failed in %c: %s [%s]", table->name, side, table->table.error,
                table->status);
    }
}

weft_comparison weft_compare(const weft_run* a, const weft_run* b, double threshold) {
    weft_comparison all = {.threshold = threshold};
    compare_heads(&all, &a->head, &b->head);
    say_failures(&all, a, 'A');
    say_failures(&all, b, 'B');
    for (uint32_t i = 0; i < a->table_count; ++i) {
        const weft_run_table* table = a->table[i];
        const weft_run_table* other = find_table(b, table->name);
        if (find_table(a, table->name) != table)
            continue; // It was measured again later in the run.
        if (other)
            compare_tables(&all, table, other);
        else
            list_rows(&all.only[0], table);
    }
    for (uint32_t i = 0; i < b->table_count; ++i) {
        if (!find_table(a, b->table[i]->name))
            list_rows(&all.only[1], b->table[i]);
    }
    return all;
}

void weft_comparison_deinit(weft_comparison* comparison) {
    free(comparison->row);
    free(comparison->only[0].line);
    free(comparison->only[1].line);
    free(comparison->warnings.line);
    *comparison = (weft_comparison){.row_count = 0};
}
