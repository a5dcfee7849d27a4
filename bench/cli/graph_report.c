// What all forms of `weft graph` need.

#define _GNU_SOURCE // open_memstream

#include "graph_report.h"

#include <stdlib.h>

static const char* const deny_names[GRAPH_DENY_COUNT] = {
    [GRAPH_DENY_AMBIGUOUS] = "ambiguous",
    [GRAPH_DENY_DOUBLE_WRITER] = "double-writer",
    [GRAPH_DENY_READ_BEFORE_WRITE] = "read-before-write",
    [GRAPH_DENY_DEAD] = "dead",
};

const char* graph_deny_name(graph_deny deny) {
    return deny_names[deny];
}

static graph_deny deny_of(weft_finding_kind kind) {
    switch (kind) {
    case WEFT_FINDING_DOUBLE_WRITER:
        return GRAPH_DENY_DOUBLE_WRITER;
    case WEFT_FINDING_READ_BEFORE_WRITE:
        return GRAPH_DENY_READ_BEFORE_WRITE;
    case WEFT_FINDING_DEAD_NO_OUTPUT:
    case WEFT_FINDING_DEAD_UNMATCHED:
        return GRAPH_DENY_DEAD;
    case WEFT_FINDING_IDLE_UNREAD:
    case WEFT_FINDING_IDLE:
        break;
    }
    return GRAPH_DENY_COUNT;
}

uint32_t graph_deny_count(const graph_report* report, graph_deny deny) {
    uint32_t count = 0;
    if (deny == GRAPH_DENY_AMBIGUOUS)
        return report->ambiguous_count;
    for (uint32_t i = 0; i < weft_inspect_finding_count(report->inspect); i++) {
        weft_finding finding = weft_inspect_finding(report->inspect, i);
        // Of several writers of a type each but the first is a finding: the type counts once.
        count += deny_of(finding.kind) == deny &&
                 (deny != GRAPH_DENY_DOUBLE_WRITER || !graph_finding_continues(report, i));
    }
    return count;
}

const char* graph_name(const graph_report* report, uint32_t rank) {
    return weft_schedule_system_name(report->schedule, rank);
}

/// Access modes in the order in which they are shown: what a system does, then where.
static const weft_access_mode mode_order[] = {
    WEFT_ACCESS_WRITE,         WEFT_ACCESS_WRITE_OPTIONAL, WEFT_ACCESS_RESOURCE_WRITE,
    WEFT_ACCESS_EMIT,          WEFT_ACCESS_REDUCE,         WEFT_ACCESS_COMMANDS,
    WEFT_ACCESS_READ,          WEFT_ACCESS_READ_OPTIONAL,  WEFT_ACCESS_READ_ANY,
    WEFT_ACCESS_RESOURCE_READ, WEFT_ACCESS_CONSUME,        WEFT_ACCESS_REDUCED,
    WEFT_ACCESS_WITH,          WEFT_ACCESS_WITHOUT,
};

/// A text under construction.
typedef struct text {
    FILE* file;
    char* at;
    size_t size;
} text;

static void text_begin(text* t) {
    *t = (text){0};
    t->file = open_memstream(&t->at, &t->size);
    WEFT_ASSERT(t->file != NULL);
}

static char* text_end(text* t) {
    int closed = fclose(t->file);
    WEFT_ASSERT(closed == 0 && t->at != NULL);
    return t->at;
}

char* graph_accesses(const graph_report* report, uint32_t rank, const char* between) {
    text t;
    bool some = false;
    text_begin(&t);
    for (size_t m = 0; m < sizeof mode_order / sizeof mode_order[0]; m++) {
        bool begun = false;
        for (uint32_t i = 0; i < weft_schedule_access_count(report->schedule, rank); i++) {
            weft_access access = weft_schedule_access(report->schedule, rank, i);
            if (access.mode != mode_order[m])
                continue;
            if (!begun)
                (void)fprintf(t.file, "%s%s", some ? between : "",
                              weft_access_mode_name(access.mode));
            if (access.type != NULL)
                (void)fprintf(t.file, "%s %s", begun ? "," : "", access.type->name);
            begun = some = true;
        }
    }
    return text_end(&t);
}

char* graph_bonds(const graph_report* report, uint32_t first, uint32_t second, bool conflicts) {
    text t;
    bool some = false;
    weft_bond bonds[WEFT_BONDS_MAX];
    uint32_t count = weft_inspect_bonds(report->inspect, first, second, bonds);
    text_begin(&t);
    for (uint32_t i = 0; i < count; i++) {
        if (conflicts && !bonds[i].conflict)
            continue;
        (void)fprintf(t.file, "%s%s%s%s", some ? "; " : "",
                      bonds[i].type != NULL ? bonds[i].type->name : "",
                      bonds[i].type != NULL ? ": " : "", bonds[i].reason);
        if (bonds[i].apart != NULL)
            (void)fprintf(t.file, ", as %s parts them", bonds[i].apart->name);
        some = true;
    }
    if (!some)
        (void)fputs("nothing in common", t.file);
    return text_end(&t);
}

char* graph_writers(const graph_report* report, uint32_t finding, const char* between) {
    text t;
    weft_finding at = weft_inspect_finding(report->inspect, finding);
    text_begin(&t);
    (void)fputs(graph_name(report, at.system), t.file);
    do {
        at = weft_inspect_finding(report->inspect, finding);
        (void)fprintf(t.file, "%s%s", between, graph_name(report, at.other));
        finding++;
    } while (finding < weft_inspect_finding_count(report->inspect) &&
             graph_finding_continues(report, finding));
    return text_end(&t);
}

const char* graph_wait_text(const weft_edge* edge) {
    return edge->barrier ? "all chunks" : "same chunk";
}

bool graph_is_dead(weft_finding_kind kind) {
    return deny_of(kind) == GRAPH_DENY_DEAD;
}

const char* graph_order_text(weft_inspect_order order) {
    static const char* const texts[] = {
        [WEFT_ORDER_DECLARED] = "declared",
        [WEFT_ORDER_MESSAGES] = "by messages",
        [WEFT_ORDER_REGISTRATION] = "by registration",
    };
    return texts[order];
}

const char* graph_life_text(weft_finding_kind kind) {
    switch (kind) {
    case WEFT_FINDING_DOUBLE_WRITER:
    case WEFT_FINDING_READ_BEFORE_WRITE:
        break;
    case WEFT_FINDING_DEAD_NO_OUTPUT:
        return "changes nothing: it declares no write, message, partial or command";
    case WEFT_FINDING_DEAD_UNMATCHED:
        return "never runs: no archetype matches, and no system that runs has commands to make one";
    case WEFT_FINDING_IDLE_UNREAD:
        return "no archetype matches yet, and no other system reads what it would write";
    case WEFT_FINDING_IDLE:
        return "no archetype matches yet";
    }
    return NULL;
}

bool graph_finding_continues(const graph_report* report, uint32_t index) {
    if (index == 0)
        return false;
    weft_finding last = weft_inspect_finding(report->inspect, index - 1);
    weft_finding finding = weft_inspect_finding(report->inspect, index);
    return last.kind == finding.kind && last.type == finding.type;
}

void graph_count_print(FILE* file, uint32_t count, const char* what) {
    (void)fprintf(file, "%u %s%s", count, what, count == 1 ? "" : "s");
}

weft_status graph_report_init(graph_report* report) {
    WEFT_TRY(weft_inspect_create(report->schedule, &report->inspect));
    report->count = weft_schedule_system_count(report->schedule);
    report->edge_count = weft_schedule_edge_count(report->schedule);
    report->path = calloc((size_t)report->count + 1, sizeof(uint32_t));
    report->place = calloc((size_t)report->count + 1, sizeof(uint32_t));
    report->width = calloc((size_t)report->count + 1, sizeof(uint32_t));
    report->between = calloc((size_t)report->count + 1, sizeof(uint32_t));
    if (report->path == NULL || report->place == NULL || report->width == NULL ||
        report->between == NULL)
        return WEFT_STATUS_OUT_OF_MEMORY;
    report->path_count = weft_inspect_critical_path(report->inspect, report->path);
    for (uint32_t i = 0; i < report->path_count; i++)
        report->place[report->path[i]] = i + 1;
    report->width_count = weft_inspect_width(report->inspect, WEFT_INSPECT_EXACT_MAX, report->width,
                                             &report->width_exact);
    for (uint32_t i = 0; i < report->edge_count; i++) {
        weft_inspect_edge at = weft_inspect_edge_at(report->inspect, i);
        report->implied_count += at.implied;
        bool ambiguous = at.order == WEFT_ORDER_REGISTRATION;
        report->ambiguous_count += ambiguous;
        report->ambiguous_implied_count += ambiguous && at.implied;
    }
    for (uint32_t i = 0; i < report->count; i++)
        for (uint32_t j = i + 1; j < report->count; j++)
            report->free_count += !weft_inspect_is_before(report->inspect, i, j);
    return WEFT_STATUS_OK;
}

void graph_report_deinit(graph_report* report) {
    weft_inspect_destroy(report->inspect);
    free(report->path);
    free(report->place);
    free(report->width);
    free(report->between);
    *report = (graph_report){0};
}
