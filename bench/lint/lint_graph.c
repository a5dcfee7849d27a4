// The graph: what systems reach, and which candidates become findings.

#include "lint_model.h"

#include <stdlib.h>
#include <string.h>

/// Keys of entries and of nodes share a map: an entry's has a word before it.
static const char* entry_key(weft_lint* lint, const char* key) {
    return weft_lint_format(lint, "entry %s", key);
}

const char* weft_lint_node_key(weft_lint* lint, const char* name, weft_lint_place place) {
    uint32_t known = weft_lint_name_get(lint, name);
    if (known == WEFT_LINT_NO_NODE || place.path == NULL)
        return name;
    const weft_lint_place* first = &lint->nodes[known].place;
    if (first->path == place.path && first->line == place.line && first->column == place.column)
        return name;
    return weft_lint_format(lint, "%s@%s:%u:%u", name, place.path, place.line, place.column);
}

uint32_t weft_lint_node_add(weft_lint* lint, const char* key, const char* name,
                            weft_lint_place place, bool is_function) {
    if (weft_lint_name_get(lint, key) != WEFT_LINT_NO_NODE)
        return WEFT_LINT_NO_NODE;
    lint->nodes =
        weft_lint_grow(lint->nodes, lint->node_count, &lint->node_capacity, sizeof(*lint->nodes));
    lint->nodes[lint->node_count] = (weft_lint_node){
        .key = key,
        .name = name,
        .place = place,
        .is_function = is_function,
        .via = WEFT_LINT_NO_NODE,
    };
    weft_lint_name_put(lint, key, (uint32_t)lint->node_count);
    return (uint32_t)lint->node_count++;
}

void weft_lint_ref_add(weft_lint* lint, weft_lint_ref ref) {
    lint->refs =
        weft_lint_grow(lint->refs, lint->ref_count, &lint->ref_capacity, sizeof(*lint->refs));
    lint->refs[lint->ref_count++] = ref;
}

void weft_lint_candidate_add(weft_lint* lint, uint32_t node, weft_lint_rule rule,
                             weft_lint_place place, weft_lint_place other, const char* what) {
    if (lint->options.without[rule])
        return;
    lint->candidates = weft_lint_grow(lint->candidates, lint->candidate_count,
                                      &lint->candidate_capacity, sizeof(*lint->candidates));
    lint->candidates[lint->candidate_count++] =
        (weft_lint_candidate){node, rule, place, other, what};
}

void weft_lint_entry_add(weft_lint* lint, const char* key, const char* kind) {
    key = entry_key(lint, key);
    // The index of a kind is its first letter: kinds are two.
    weft_lint_name_put(lint, key, (uint32_t)kind[0]);
}

void weft_lint_finding_add(weft_lint* lint, weft_lint_finding finding) {
    if (lint->options.without[finding.rule])
        return;
    lint->findings = weft_lint_grow(lint->findings, lint->finding_count, &lint->finding_capacity,
                                    sizeof(*lint->findings));
    lint->findings[lint->finding_count++] = finding;
}

// Reaching ---------------------------------------------------------------------------------------

static int by_from(const void* a, const void* b) {
    const weft_lint_ref* left = a;
    const weft_lint_ref* right = b;
    if (left->from != right->from)
        return left->from < right->from ? -1 : 1;
    if (left->place.line != right->place.line)
        return left->place.line < right->place.line ? -1 : 1;
    return left->place.column < right->place.column ? -1 : left->place.column > right->place.column;
}

/// Marks everything that entries reach, in breadth, so that routes are shortest. `begin` has for
/// each node where its references begin, and one more.
static void reach(weft_lint* lint, const size_t* begin, uint32_t* queue) {
    size_t head = 0;
    size_t tail = 0;
    for (uint32_t i = 0; i < lint->node_count; i++) {
        weft_lint_node* node = &lint->nodes[i];
        uint32_t kind = weft_lint_name_get(lint, entry_key(lint, node->key));
        if (kind != WEFT_LINT_NO_NODE && node->is_function)
            node->entry = kind == 's' ? "system" : "input";
        lint->entry_count += node->entry != NULL;
        // A table of functions that someone registers is no function, and yet an entry.
        if (kind == WEFT_LINT_NO_NODE)
            continue;
        node->reached = true;
        queue[tail++] = i;
    }
    while (head < tail) {
        uint32_t from = queue[head++];
        for (size_t i = begin[from]; i < begin[from + 1]; i++) {
            uint32_t to = weft_lint_name_get(lint, lint->refs[i].key);
            if (to == WEFT_LINT_NO_NODE || lint->nodes[to].reached)
                continue;
            lint->nodes[to].reached = true;
            lint->nodes[to].via = from;
            queue[tail++] = to;
        }
    }
    for (size_t i = 0; i < lint->node_count; i++)
        lint->reached_count +=
            lint->nodes[i].is_function && (lint->nodes[i].reached || lint->options.all);
}

/// How a system comes to a node: "system 'move': move > step > helper".
static const char* route_of(weft_lint* lint, uint32_t index) {
    const char* route = NULL;
    if (index == WEFT_LINT_NO_NODE || !lint->nodes[index].reached)
        return NULL;
    while (true) {
        const weft_lint_node* node = &lint->nodes[index];
        route = route == NULL ? node->name : weft_lint_format(lint, "%s > %s", node->name, route);
        if (node->via == WEFT_LINT_NO_NODE)
            return weft_lint_format(lint, "%s %s", node->entry != NULL ? node->entry : "table",
                                    route);
        index = node->via;
    }
}

// Candidates -------------------------------------------------------------------------------------

/// References to what no given file defines become candidates by their names.
static void classify(weft_lint* lint) {
    for (size_t i = 0; i < lint->ref_count; i++) {
        const weft_lint_ref* ref = &lint->refs[i];
        if (weft_lint_name_get(lint, ref->key) != WEFT_LINT_NO_NODE)
            continue;
        weft_lint_rule rule = weft_lint_name_rule(&lint->options, ref->name);
        if (!ref->is_function && rule == WEFT_LINT_EXTERNAL)
            rule = ref->is_mutable ? WEFT_LINT_STATIC : WEFT_LINT_RULE_COUNT;
        if (rule != WEFT_LINT_RULE_COUNT)
            weft_lint_candidate_add(
                lint, ref->from, rule, ref->place, ref->other,
                weft_lint_format(lint, "%s%s", ref->name, ref->is_function ? "()" : ""));
    }
}

/// An exception that covers a candidate is of use, even where no system comes to it.
static void decide(weft_lint* lint, const weft_lint_candidate* candidate) {
    const weft_lint_node* node =
        candidate->node != WEFT_LINT_NO_NODE ? &lint->nodes[candidate->node] : NULL;
    bool counts = lint->options.all || (node != NULL && node->reached);
    weft_lint_exception* exception =
        weft_lint_exception_find(lint, candidate->rule, candidate->place);
    if (exception == NULL && candidate->other.path != NULL)
        exception = weft_lint_exception_find(lint, candidate->rule, candidate->other);
    if (exception != NULL) {
        exception->matched = true;
        exception->used += counts;
    } else if (counts) {
        weft_lint_finding_add(lint, (weft_lint_finding){
                                        .rule = candidate->rule,
                                        .place = candidate->place,
                                        .what = candidate->what,
                                        .route = route_of(lint, candidate->node),
                                    });
    }
}

static int place_compare(const weft_lint_place* a, const weft_lint_place* b) {
    int order = a->path != b->path ? strcmp(a->path, b->path) : 0;
    if (order != 0)
        return order;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return a->column < b->column ? -1 : a->column > b->column;
}

static int candidate_compare(const void* left, const void* right) {
    const weft_lint_candidate* a = left;
    const weft_lint_candidate* b = right;
    int order = place_compare(&a->place, &b->place);
    if (order == 0)
        order = (int)a->rule - (int)b->rule;
    if (order == 0) // One that a reached node has goes first.
        order = a->node < b->node ? -1 : a->node > b->node;
    return order != 0 ? order : strcmp(a->what, b->what);
}

static int finding_compare(const void* left, const void* right) {
    const weft_lint_finding* a = left;
    const weft_lint_finding* b = right;
    int order = place_compare(&a->place, &b->place);
    if (order == 0)
        order = (int)a->rule - (int)b->rule;
    if (order == 0 && a->symbol != NULL && b->symbol != NULL)
        order = strcmp(a->symbol, b->symbol);
    return order != 0 ? order : strcmp(a->what, b->what);
}

/// One finding for one rule at one place.
static void drop_repeated(weft_lint* lint) {
    size_t kept = 0;
    for (size_t i = 0; i < lint->finding_count; i++) {
        const weft_lint_finding* last = kept > 0 ? &lint->findings[kept - 1] : NULL;
        const weft_lint_finding* each = &lint->findings[i];
        bool repeated = last != NULL && last->rule == each->rule && last->symbol == NULL &&
                        each->symbol == NULL && place_compare(&last->place, &each->place) == 0;
        if (!repeated)
            lint->findings[kept++] = *each;
    }
    lint->finding_count = kept;
}

void weft_lint_finish(weft_lint* lint) {
    size_t* begin = calloc(lint->node_count + 2, sizeof(*begin));
    uint32_t* queue = calloc(lint->node_count + 1, sizeof(*queue));
    WEFT_ASSERT(begin != NULL && queue != NULL);
    classify(lint);
    if (lint->ref_count > 0)
        qsort(lint->refs, lint->ref_count, sizeof(*lint->refs), by_from);
    for (size_t i = 0; i < lint->ref_count; i++) {
        // Those at file scope have no node: they come last and are not followed.
        if (lint->refs[i].from != WEFT_LINT_NO_NODE)
            begin[lint->refs[i].from + 1]++;
    }
    for (size_t i = 1; i <= lint->node_count; i++)
        begin[i] += begin[i - 1];
    reach(lint, begin, queue);
    free(queue);
    free(begin);
    if (lint->candidate_count > 0)
        qsort(lint->candidates, lint->candidate_count, sizeof(*lint->candidates),
              candidate_compare);
    for (size_t i = 0; i < lint->candidate_count; i++)
        decide(lint, &lint->candidates[i]);
    weft_lint_exceptions_finish(lint);
    if (lint->finding_count > 0)
        qsort(lint->findings, lint->finding_count, sizeof(*lint->findings), finding_compare);
    drop_repeated(lint);
}
