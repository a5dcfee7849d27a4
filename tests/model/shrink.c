// Making a failing episode small, and printing it.

#include "programs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    SECONDS_MAX = 20, // Of CPU time: what is left then is small enough.
};

static bool still_fails(const episode* e, const episode_config* config, clock_t begun) {
    episode_outcome outcome = {0};
    if (clock() - begun > SECONDS_MAX * CLOCKS_PER_SEC)
        return false;
    episode_run(e, config, &outcome);
    return outcome.failed;
}

static void remove_step(program* p, uint32_t at) {
    p->count--;
    memmove(&p->steps[at], &p->steps[at + 1], (p->count - at) * sizeof(p->steps[0]));
}

static void insert_step(program* p, uint32_t at, const step* s) {
    memmove(&p->steps[at + 1], &p->steps[at], (p->count - at) * sizeof(p->steps[0]));
    p->steps[at] = *s;
    p->count++;
}

void episode_shrink(episode* e, const episode_config* config, uint32_t failed) {
    clock_t begun = clock();
    for (uint32_t i = failed + 1; i < e->count; i++)
        e->programs[i].count = 0;
    for (uint32_t i = 0; i <= failed && i < e->count; i++) {
        uint32_t kept = e->programs[i].count;
        e->programs[i].count = 0;
        if (!still_fails(e, config, begun))
            e->programs[i].count = kept;
    }
    for (uint32_t i = 0; i <= failed && i < e->count; i++) {
        for (uint32_t at = e->programs[i].count; at-- > 0;) {
            step dropped = e->programs[i].steps[at];
            remove_step(&e->programs[i], at);
            if (still_fails(e, config, begun))
                continue;
            insert_step(&e->programs[i], at, &dropped);
            e->programs[i].steps[at].part_count = 0;
            if (dropped.part_count > 0 && !still_fails(e, config, begun))
                e->programs[i].steps[at].part_count = dropped.part_count;
        }
    }
}

static void print_entity(const char* label, weft_entity entity) {
    if (model_is_new(entity))
        fprintf(stderr, "%snew %u", label, entity.generation);
    else
        fprintf(stderr, "%s%u:%u", label, entity.slot, entity.generation);
}

static void print_value(const model_command* command) {
    fprintf(stderr, " %s%s", program_weft_type(command->type)->name,
            command->has_value ? "" : " without a value");
    int32_t at = program_types[command->type].entity_at;
    if (command->has_value && at >= 0) {
        weft_entity inner;
        memcpy(&inner, command->value + at, sizeof(inner));
        print_entity(" naming ", inner);
    }
}

static void print_step(const step* s) {
    static const char* const recorders[] = {"early",  "walker", "elder", "heir",
                                            "scribe", "late",   "host"};
    static const char* const ops[] = {"create", "destroy", "add", "remove", "set"};
    static const char* const kinds[] = {"", "write Friend", "news", "focus"};
    fprintf(stderr, "    %s", recorders[s->by]);
    if (!weft_entity_is_null(s->row))
        print_entity(" at ", s->row);
    fprintf(stderr, ": %s", s->kind == STEP_COMMAND ? ops[s->command.op] : kinds[s->kind]);
    if (s->kind == STEP_COMMAND && s->command.op == MODEL_CREATE) {
        fprintf(stderr, " %u", s->command.number);
        if (s->many > 0)
            fprintf(stderr, " and on, %u at once", s->many);
        for (uint32_t i = 0; i < s->part_count; i++)
            print_value(&s->parts[i]);
        fprintf(stderr, "\n");
        return;
    }
    print_entity(" ", s->command.target);
    for (uint32_t i = 1; i < s->many; i++)
        print_entity(", ", s->others[i]);
    if (s->command.op >= MODEL_ADD)
        print_value(&s->command);
    fprintf(stderr, "\n");
}

void episode_print(const episode* e) {
    static const char* const terrains[] = {"small", "edge", "limited", "crowd"};
    fprintf(stderr, "episode 0x%" PRIX64 ", terrain %s, recorded by %s\n", e->seed,
            terrains[e->ground], e->systems ? "systems" : "the host");
    for (uint32_t i = 0; i < e->count; i++) {
        if (e->programs[i].count > 0)
            fprintf(stderr, "  program %u\n", i);
        for (uint32_t at = 0; at < e->programs[i].count; at++)
            print_step(&e->programs[i].steps[at]);
    }
}
