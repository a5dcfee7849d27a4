// Pairs by more recorders and triples of more commands, by every configuration.

#include "tuples.h"

#include <criterion/criterion.h>

enum {
    ALL_TYPES = (1u << TYPE_COUNT) - 1,
    MANY_TYPES = 1u << TYPE_FRIEND | 1u << TYPE_MARK | 1u << TYPE_ECHO | 1u << TYPE_DEBT,
};

static void run_pairs(const char* name, recorder first, subject first_row, recorder second,
                      subject second_row) {
    static tuple_plan plan;
    plan = (tuple_plan){
        .name = name, .length = 2, .by = {first, second}, .rows = {first_row, second_row}};
    for (uint32_t place = 0; place < 2; place++) {
        for (subject who = SUBJECT_SELF; who < SUBJECT_COUNT; who++)
            tuples_add_subject(&plan, place, who, ALL_TYPES);
        tuples_add_many(&plan, place);
    }
    tuples_run(&plan, false);
}

Test(tuples_long, pairs_from_systems_of_the_world) {
    run_pairs("long early, late", RECORDER_EARLY, SUBJECT_SELF, RECORDER_LATE, SUBJECT_SELF);
}

Test(tuples_long, pairs_in_the_other_order_of_keys) {
    run_pairs("long late, early", RECORDER_LATE, SUBJECT_SELF, RECORDER_EARLY, SUBJECT_SELF);
}

Test(tuples_long, pairs_from_chunks) {
    run_pairs("long walker, heir", RECORDER_WALKER, SUBJECT_OTHER, RECORDER_HEIR, SUBJECT_SELF);
}

Test(tuples_long, pairs_from_chunks_of_one_system) {
    run_pairs("long walker, walker", RECORDER_WALKER, SUBJECT_FAR, RECORDER_WALKER, SUBJECT_SELF);
}

Test(tuples_long, triples) {
    static tuple_plan plan;
    plan = (tuple_plan){.name = "long early, heir, late",
                        .length = 3,
                        .by = {RECORDER_EARLY, RECORDER_HEIR, RECORDER_LATE},
                        .rows = {SUBJECT_SELF, SUBJECT_FAR, SUBJECT_SELF}};
    for (uint32_t place = 0; place < 3; place++) {
        tuples_add_subject(&plan, place, SUBJECT_SELF, MANY_TYPES);
        tuples_add_subject(&plan, place, SUBJECT_NEW, MANY_TYPES);
        tuples_add_many(&plan, place);
    }
    tuples_run(&plan, false);
}
