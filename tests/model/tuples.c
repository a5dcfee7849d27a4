#include "tuples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "campaign.h"

enum {
    NEWBORNS = 8, // Of two kinds in turn.
    TUPLES_PER_EPISODE = 300,
    STEPS = 2 * NEWBORNS + 4 * TUPLE_MAX + 1,
    SECOND_CREATE = 20, // Numbers of creates in the places of a tuple lie so far apart.
};

static void add_choice(tuple_plan* plan, uint32_t place, choice one) {
    if (plan->choice_counts[place] == CHOICES_MAX)
        abort();
    plan->choices[place][plan->choice_counts[place]++] = one;
}

void tuples_add_subject(tuple_plan* plan, uint32_t place, subject who, uint32_t types) {
    add_choice(plan, place, (choice){.op = MODEL_DESTROY, .who = who});
    for (uint32_t type = 0; type < TYPE_COUNT; type++)
        for (model_op op = MODEL_ADD; op <= MODEL_SET && (types >> type & 1) != 0; op++)
            add_choice(plan, place, (choice){.op = op, .who = who, .type = type});
}

void tuples_add_many(tuple_plan* plan, uint32_t place) {
    for (uint32_t form = 0; form < 3; form++)
        add_choice(plan, place, (choice){.op = MODEL_CREATE, .who = SUBJECT_NEW, .form = form});
    add_choice(plan, place, (choice){.op = MODEL_DESTROY, .who = SUBJECT_SELF, .form = 1});
    add_choice(plan, place, (choice){.op = MODEL_DESTROY, .who = SUBJECT_NEW, .form = 2});
}

// Building ---------------------------------------------------------------------------------------

typedef struct builder {
    episode* e;
    model m;
    uint8_t* settled; // Of each slot: somebody lived there when the episode began.
    weft_entity newborns[NEWBORNS];
    weft_entity subjects[SUBJECT_COUNT];
} builder;

static step* new_step(builder* b) {
    program* p = &b->e->programs[b->e->count];
    if (p->steps == NULL)
        p->steps = calloc(STEPS, sizeof(p->steps[0]));
    if (p->steps == NULL || p->count == STEPS)
        abort();
    return &p->steps[p->count++];
}

static void end_program(builder* b) {
    expectation expected;
    (void)program_run_model(&b->m, &b->e->programs[b->e->count], true, &expected);
    expectation_free(&expected);
    b->e->count++;
}

static void add_part(step* s, uint32_t type, weft_entity inner, uint32_t mark) {
    model_command* part = &s->parts[s->part_count++];
    *part = (model_command){.op = MODEL_ADD,
                            .own = true,
                            .target = MODEL_NEW(s->command.number),
                            .type = type,
                            .has_value = true};
    memset(part->value, (int)mark, sizeof(part->value));
    if (program_types[type].entity_at >= 0)
        memcpy(part->value + program_types[type].entity_at, &inner, sizeof(inner));
}

// The first newborn of a kind that lies in the shard of another, or does not; else null.
static weft_entity find_newborn(const builder* b, uint32_t kind, weft_entity near, bool there) {
    for (uint32_t i = 0; i < NEWBORNS; i++) {
        bool same = b->newborns[i].slot / WEFT_SHARD_SLOTS == near.slot / WEFT_SHARD_SLOTS;
        if (i % 2 == kind && same == there && !weft_entity_equal(b->newborns[i], near))
            return b->newborns[i];
    }
    return WEFT_ENTITY_NULL;
}

static weft_entity prefer(weft_entity first, weft_entity second) {
    return weft_entity_is_null(first) ? second : first;
}

static void choose_subjects(builder* b) {
    weft_entity self = b->newborns[0];
    b->subjects[SUBJECT_SELF] = self;
    b->subjects[SUBJECT_TWIN] = prefer(find_newborn(b, 0, self, true), b->newborns[2]);
    b->subjects[SUBJECT_OTHER] = prefer(find_newborn(b, 1, self, true), b->newborns[1]);
    b->subjects[SUBJECT_FAR] =
        prefer(find_newborn(b, 0, self, false), find_newborn(b, 1, self, false));
    b->subjects[SUBJECT_NEW] = MODEL_NEW(0);
    cr_assert(!weft_entity_is_null(b->subjects[SUBJECT_FAR]), "all lie in one shard");
}

// Whoever is left of the last tuple goes, and new ones come.
static void build_ground(builder* b) {
    for (uint32_t i = 0; i < b->m.slot_count; i++)
        if (b->m.states[i] == MODEL_ALIVE && !b->settled[i])
            *new_step(b) =
                (step){.by = RECORDER_EARLY,
                       .command = {.op = MODEL_DESTROY, .target = {i, b->m.slots[i].generation}}};
    for (uint32_t i = 0; i < NEWBORNS; i++) {
        step* s = new_step(b);
        *s = (step){.by = RECORDER_EARLY, .command = {.op = MODEL_CREATE, .number = i}};
        add_part(s, TYPE_AGE, WEFT_ENTITY_NULL, i);
        add_part(s, i % 2 == 0 ? TYPE_FRIEND : TYPE_MARK, WEFT_ENTITY_NULL, i);
        add_part(s, i % 2 == 0 ? TYPE_WOUND : TYPE_SEEN, WEFT_ENTITY_NULL, i);
    }
    end_program(b);
    for (uint32_t i = 0; i < NEWBORNS; i++)
        b->newborns[i] = model_resolve(&b->m, MODEL_NEW(i));
    choose_subjects(b);
}

static bool is_new(const choice* one) {
    return one->who == SUBJECT_NEW && one->op != MODEL_CREATE;
}

static void build_create(const builder* b, const choice* one, uint32_t place, step* s) {
    s->command.number = place == 0 ? 0 : place * SECOND_CREATE;
    if (one->form == 0)
        return;
    add_part(s, TYPE_AGE, WEFT_ENTITY_NULL, 0x40 + place);
    add_part(s, TYPE_DEBT, b->subjects[SUBJECT_TWIN], 0x50 + place);
    add_part(s, TYPE_FRIEND, b->subjects[SUBJECT_SELF], 0x60 + place);
    if (one->form == 1)
        return;
    s->many = 3;
    s->spreads[0] = s->spreads[2] = SPREAD_EACH;
    s->siblings[2] = true;
}

static void build_step(builder* b, const tuple_plan* plan, uint32_t place, const choice* one,
                       bool has_new) {
    step* s = new_step(b);
    *s = (step){.by = plan->by[place], .row = b->subjects[plan->rows[place]]};
    s->command.op = one->op;
    if (one->op == MODEL_CREATE) {
        build_create(b, one, place, s);
        return;
    }
    s->command.target = b->subjects[one->who];
    s->command.type = one->type;
    if (one->form > 0) {
        s->many = 3;
        s->others[1] = b->subjects[SUBJECT_FAR];
        s->others[2] = s->command.target;
    }
    s->command.has_value = one->op == MODEL_ADD || one->op == MODEL_SET;
    if (!s->command.has_value)
        return;
    memset(s->command.value, (int)(0x10 * (place + 1) + one->type), sizeof(s->command.value));
    weft_entity inner = b->subjects[has_new && place > 0 ? SUBJECT_NEW : SUBJECT_TWIN];
    if (program_types[one->type].entity_at >= 0)
        memcpy(s->command.value + program_types[one->type].entity_at, &inner, sizeof(inner));
}

// The ground, then the tuple; one that speaks of a new entity has it created before.
static void build_tuple(builder* b, const tuple_plan* plan, const choice* const* tuple) {
    build_ground(b);
    bool creates = tuple[0]->op == MODEL_CREATE;
    bool has_new = creates;
    for (uint32_t i = 0; i < plan->length; i++)
        has_new = has_new || is_new(tuple[i]);
    if (has_new && !creates)
        *new_step(b) = (step){.by = RECORDER_EARLY, .command = {.op = MODEL_CREATE}};
    for (uint32_t i = 0; i < plan->length; i++)
        build_step(b, plan, i, tuple[i], has_new);
    end_program(b);
}

static void begin_episode(builder* b, episode* e, uint64_t number) {
    memset(b, 0, sizeof(*b));
    *e = (episode){.seed = number, .ground = TERRAIN_EDGE, .systems = true};
    e->programs = calloc(2 * TUPLES_PER_EPISODE, sizeof(e->programs[0]));
    if (e->programs == NULL)
        abort();
    b->e = e;
    program_model_init(&b->m, e->ground);
    model_command* commands;
    for (uint32_t stage = 0;; stage++) {
        uint32_t count = program_setup(e->ground, &b->m, stage, &commands);
        if (count == 0)
            break;
        (void)model_commit(&b->m, commands, count);
        free(commands);
    }
    // No slot is used that was never used before.
    b->settled = calloc(b->m.slot_count, 1);
    if (b->settled == NULL)
        abort();
    for (uint32_t i = 0; i < b->m.slot_count; i++)
        b->settled[i] = b->m.states[i] == MODEL_ALIVE;
}

static void end_episode(builder* b, const tuple_plan* plan, bool few) {
    campaign_run_episode(plan->name, b->e, few);
    episode_free(b->e);
    free(b->settled);
    model_deinit(&b->m);
}

void tuples_run(const tuple_plan* plan, bool few) {
    uint32_t total = 1;
    uint32_t step_over = 1;
    if (plan->length == 0)
        abort();
#ifdef CAMPAIGN_SLOW
    step_over = 11; // A part of them; no number of choices is a multiple of it.
#endif
    for (uint32_t i = 0; i < plan->length; i++)
        total *= plan->choice_counts[i];
    fprintf(stderr, "tuples, %s: %u of %u\n", plan->name, (total + step_over - 1) / step_over,
            total);
    for (uint32_t number = 0; number < total;) {
        builder b;
        episode e;
        begin_episode(&b, &e, number);
        for (uint32_t i = 0; i < TUPLES_PER_EPISODE && number < total; i++, number += step_over) {
            const choice* tuple[TUPLE_MAX];
            uint32_t rest = number;
            for (uint32_t place = 0; place < plan->length; place++) {
                tuple[place] = &plan->choices[place][rest % plan->choice_counts[place]];
                rest /= plan->choice_counts[place];
            }
            build_tuple(&b, plan, tuple);
        }
        end_episode(&b, plan, few);
    }
}
