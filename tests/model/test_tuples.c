// Every pair of commands, and every triple of fewer, against the model of the commit.

#include "tuples.h"

#include <criterion/criterion.h>

enum {
    ALL_TYPES = (1u << TYPE_COUNT) - 1,
    FEW_TYPES = 1u << TYPE_AGE | 1u << TYPE_WOUND,
};

// The first command is about SELF or a new entity, the second one about anybody.
static void run_pairs(const char* name, recorder first, subject first_row, recorder second,
                      subject second_row, bool with_new) {
    static tuple_plan plan;
    plan = (tuple_plan){
        .name = name, .length = 2, .by = {first, second}, .rows = {first_row, second_row}};
    for (uint32_t place = 0; place < 2; place++) {
        for (subject who = SUBJECT_SELF; who < SUBJECT_COUNT; who++)
            if ((place == 1 || who == SUBJECT_SELF || who == SUBJECT_NEW) &&
                (with_new || who != SUBJECT_NEW))
                tuples_add_subject(&plan, place, who, ALL_TYPES);
        tuples_add_many(&plan, place);
    }
    tuples_run(&plan, true);
}

Test(tuples, pairs_from_systems_of_the_world, .timeout = 100) {
    run_pairs("early, late", RECORDER_EARLY, SUBJECT_SELF, RECORDER_LATE, SUBJECT_SELF, true);
}

Test(tuples, pairs_in_the_other_order_of_keys, .timeout = 100) {
    run_pairs("late, early", RECORDER_LATE, SUBJECT_SELF, RECORDER_EARLY, SUBJECT_SELF, false);
}

Test(tuples, pairs_from_rows_of_one_system, .timeout = 100) {
    run_pairs("rows of walker", RECORDER_WALKER, SUBJECT_SELF, RECORDER_WALKER, SUBJECT_OTHER,
              false);
}

Test(tuples, triples_from_three_systems, .timeout = 100) {
    static tuple_plan plan;
    plan = (tuple_plan){.name = "early, heir, late",
                        .length = 3,
                        .by = {RECORDER_EARLY, RECORDER_HEIR, RECORDER_LATE},
                        .rows = {SUBJECT_SELF, SUBJECT_SELF, SUBJECT_SELF}};
    for (uint32_t place = 0; place < 3; place++) {
        tuples_add_subject(&plan, place, SUBJECT_SELF, FEW_TYPES);
        tuples_add_subject(&plan, place, SUBJECT_NEW, FEW_TYPES);
        tuples_add_many(&plan, place);
    }
    tuples_run(&plan, true);
}
