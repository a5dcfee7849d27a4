// The world's side of a plain graph: registering it, and comparing what was built.

#include "plain_graph.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const weft_type* plain_graph_type(uint32_t index) {
    static const weft_field fields[] = {{.name = "value", .kind = WEFT_KIND_U32}};
    static weft_type types[PLAIN_TYPES_MAX];
    static char names[PLAIN_TYPES_MAX][8];
    if (index >= PLAIN_TYPES_MAX)
        abort();
    (void)snprintf(names[index], sizeof(names[index]), "T%u", index);
    types[index] = (weft_type){names[index], sizeof(uint32_t), _Alignof(uint32_t), 1, fields};
    return &types[index];
}

static void add_up(void* left, const void* right) {
    uint32_t sums[2];
    memcpy(&sums[0], left, sizeof(uint32_t));
    memcpy(&sums[1], right, sizeof(uint32_t));
    sums[0] += sums[1];
    memcpy(left, sums, sizeof(uint32_t));
}

weft_status plain_graph_register(const plain_graph* g, weft_world* world) {
    for (uint32_t i = 0; i < g->type_count; i++) {
        const weft_type* type = plain_graph_type(i);
        switch (g->kinds[i]) {
        case PLAIN_RESOURCE:
            WEFT_TRY(weft_world_register_resource(world, type, 1, NULL));
            break;
        case PLAIN_CHANNEL:
            WEFT_TRY(
                weft_world_register_channel(world, type, WEFT_TARGET_WORLD, WEFT_DELIVERY_TICK));
            break;
        case PLAIN_REDUCTION:
            WEFT_TRY(weft_world_register_reduction(world, type, NULL, add_up));
            break;
        default:
            WEFT_TRY(weft_world_register_component(
                world, type,
                g->kinds[i] == PLAIN_DENSE
                    ? WEFT_STORAGE_DENSE
                    : (g->kinds[i] == PLAIN_SPARSE ? WEFT_STORAGE_SPARSE : WEFT_STORAGE_BUFFERED)));
        }
    }
    return WEFT_STATUS_OK;
}

static weft_status idle(weft_view* view, const void* context) {
    (void)view;
    (void)context;
    return WEFT_STATUS_OK;
}

// The names of those that a system tells its relations to; a list that ends with null.
static void list_names(const plain_graph* g, const uint32_t* relations, uint32_t count, bool before,
                       const char** names) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        const plain_relation* relation = &g->relations[relations[i]];
        if (relation->told_by_first == before)
            names[at++] = g->systems[before ? relation->second : relation->first].name;
    }
    names[at] = NULL;
}

weft_status plain_graph_schedule(const plain_graph* g, weft_schedule* schedule,
                                 weft_system_fn* run) {
    size_t most = g->relation_count + 1u;
    uint32_t* starts = calloc(g->count + 2u, sizeof(uint32_t));
    uint32_t* told = calloc(most, sizeof(uint32_t));
    const char** before = calloc(most, sizeof(char*));
    const char** after = calloc(most, sizeof(char*));
    if (starts == NULL || told == NULL || before == NULL || after == NULL)
        abort();
    for (uint32_t i = 0; i < g->relation_count; i++)
        starts[(g->relations[i].told_by_first ? g->relations[i].first : g->relations[i].second) +
               2]++;
    for (uint32_t i = 0; i < g->count; i++)
        starts[i + 2] += starts[i + 1];
    for (uint32_t i = 0; i < g->relation_count; i++)
        told[starts[(g->relations[i].told_by_first ? g->relations[i].first
                                                   : g->relations[i].second) +
                    1]++] = i;
    weft_status status = WEFT_STATUS_OK;
    for (uint32_t i = 0; i < g->count && status == WEFT_STATUS_OK; i++) {
        const plain_system* system = &g->systems[i];
        weft_access terms[PLAIN_TERMS_MAX];
        for (uint32_t j = 0; j < system->term_count; j++)
            terms[j] =
                (weft_access){system->terms[j].mode, plain_graph_type(system->terms[j].type)};
        list_names(g, told + starts[i], starts[i + 1] - starts[i], true, before);
        list_names(g, told + starts[i], starts[i + 1] - starts[i], false, after);
        weft_system_desc desc = weft_system_desc_default();
        desc.name = system->name;
        desc.run = run == NULL ? idle : run;
        desc.context = system;
        desc.scope = system->scope;
        desc.access = terms;
        desc.access_count = system->term_count;
        desc.before = before;
        desc.after = after;
        status = weft_schedule_add_system(schedule, &desc);
    }
    free(starts);
    free(told);
    free(before);
    free(after);
    return status;
}

// Comparing --------------------------------------------------------------------------------------

static bool differs(char* problem, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(problem, PLAIN_PROBLEM_SIZE, format, arguments);
    va_end(arguments);
    return false;
}

static bool has(const plain_graph* g, const uint64_t* bits, uint32_t from, uint32_t to) {
    return (bits[(size_t)from * g->words + to / 64] >> to % 64 & 1) != 0;
}

// The cycle that the error names must be one, of edges that are there.
static bool compare_cycle(const plain_graph* g, const char* error, char* problem) {
    uint32_t start = UINT32_MAX;
    uint32_t last = UINT32_MAX;
    uint32_t left_out = 0;
    for (const char* line = strchr(error, '\n'); line != NULL; line = strchr(line + 1, '\n')) {
        uint32_t first;
        uint32_t second;
        if (sscanf(line, "\n  and %u more", &left_out) == 1 && left_out > 0 &&
            strchr(line + 1, '\n') == NULL)
            break;
        if (sscanf(line, "\n  \"%*[^,], s%u\" before \"%*[^,], s%u\": ", &first, &second) != 2 ||
            first >= g->count || second >= g->count)
            return differs(problem, "no edge of a cycle: %.200s", line);
        bool declared = false;
        for (uint32_t i = 0; i < g->relation_count; i++)
            declared =
                declared || (g->relations[i].first == first && g->relations[i].second == second);
        bool conflict = plain_graph_conflict(g, first, second) != 0 &&
                        (first < second ? !has(g, g->declared, second, first)
                                        : has(g, g->declared, first, second));
        if (!declared && !conflict)
            return differs(problem, "no edge from s%u to s%u: %.200s", first, second, error);
        if (last != UINT32_MAX && second != last)
            return differs(problem, "the cycle breaks at s%u: %.200s", second, error);
        start = start == UINT32_MAX ? second : start;
        last = first;
    }
    if (start == UINT32_MAX || (left_out == 0 && last != start))
        return differs(problem, "no cycle: %.400s", error);
    return true;
}

static bool compare_edges(const plain_graph* g, const weft_schedule* schedule, char* problem) {
    uint32_t at = 0;
    uint32_t count = weft_schedule_edge_count(schedule);
    for (uint32_t from = 0; from < g->count; from++)
        for (uint32_t to = 0; to < g->count; to++) {
            if (!has(g, g->edges, from, to))
                continue;
            if (at == count)
                return differs(problem, "%u edges, and none from s%u to s%u", count, from, to);
            weft_edge edge = weft_schedule_edge(schedule, at++);
            if (g->order[edge.from] != from || g->order[edge.to] != to)
                return differs(problem, "edge %u is from s%u to s%u, expected s%u to s%u", at - 1,
                               g->order[edge.from], g->order[edge.to], from, to);
            if (edge.barrier != has(g, g->barriers, from, to) || edge.reason == NULL ||
                edge.by_registration == has(g, g->declared, from, to))
                return differs(problem, "edge from s%u to s%u: barrier %d, by registration %d",
                               from, to, edge.barrier, edge.by_registration);
        }
    return at == count || differs(problem, "%u edges, expected %u", count, at);
}

// Systems of one stage may share rows and nothing else; what conflicts has an order.
static bool compare_stages(const plain_graph* g, const weft_schedule* schedule, char* problem) {
    for (uint32_t i = 0; i < g->count; i++)
        for (uint32_t j = i + 1; j < g->count; j++) {
            uint32_t a = g->order[i];
            uint32_t b = g->order[j];
            if (has(g, g->edges, b, a))
                return differs(problem, "s%u has a smaller rank than s%u, which is before it", a,
                               b);
            if (has(g, g->barriers, a, b) &&
                weft_schedule_system_stage(schedule, i) >= weft_schedule_system_stage(schedule, j))
                return differs(problem, "s%u and s%u share a stage", a, b);
        }
    return true;
}

bool plain_graph_compare(const plain_graph* g, weft_schedule* schedule,
                         char problem[PLAIN_PROBLEM_SIZE]) {
    weft_status status = weft_schedule_build(schedule);
    if (status != g->result)
        return differs(problem, "%s, expected %s: %.300s", weft_status_name(status),
                       weft_status_name(g->result), weft_schedule_error(schedule));
    if (status == WEFT_STATUS_GRAPH_CYCLE)
        return compare_cycle(g, weft_schedule_error(schedule), problem);
    if (status != WEFT_STATUS_OK)
        return true;
    for (uint32_t rank = 0; rank < g->count; rank++) {
        const plain_system* system = &g->systems[g->order[rank]];
        if (strcmp(weft_schedule_system_name(schedule, rank), system->name) != 0)
            return differs(problem, "rank %u is %s, expected %s", rank,
                           weft_schedule_system_name(schedule, rank), system->name);
        if (weft_schedule_system_stage(schedule, rank) != g->stages[g->order[rank]])
            return differs(problem, "the stage of %s is %u, expected %u", system->name,
                           weft_schedule_system_stage(schedule, rank), g->stages[g->order[rank]]);
    }
    if (weft_schedule_stage_count(schedule) != g->stage_count)
        return differs(problem, "%u stages, expected %u", weft_schedule_stage_count(schedule),
                       g->stage_count);
    return compare_edges(g, schedule, problem) && compare_stages(g, schedule, problem);
}
