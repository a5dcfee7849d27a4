// The instruments of the self-test say what they see: a fault elsewhere is named elsewhere, and
// what they are not made for they do not see.

#include "instrument.h"

#include <criterion/criterion.h>
#include <string.h>

enum {
    OTHER_TICK = 1,
    OTHER_SLOT = 4106 // A captain too, as the systems call it: shard 1.
};

static weft_instrument_finding look(weft_instrument instrument, weft_fault fault) {
    weft_faulty faulty = {.fault = fault, .tick = OTHER_TICK, .slot = OTHER_SLOT};
    return weft_instrument_run(instrument, &faulty);
}

/// Faults and instruments that name the value.
static const struct {
    weft_instrument instrument;
    weft_fault fault;
    const char* place;
} elsewhere[] = {
    {WEFT_INSTRUMENT_ROOT, WEFT_FAULT_BIT, "tick 2, mark: FaultyTrace.sum of entity 4106:1 "},
    {WEFT_INSTRUMENT_SYNC, WEFT_FAULT_TIE, "tick 2, mark: FaultyTrace.note of entity 4106:1 "},
    {WEFT_INSTRUMENT_HEAVY, WEFT_FAULT_MERGE, "tick 2, vote: FaultyChoice.by of entity 4106:1 "},
    {WEFT_INSTRUMENT_PERTURB, WEFT_FAULT_CLOCK, "tick 2, mark: FaultyTrace.note of entity 4106:1 "},
    {WEFT_INSTRUMENT_ROOT, WEFT_FAULT_HOST, "tick 2, no system: FaultyGuest.by of entity 4106:1"},
    {WEFT_INSTRUMENT_DIGEST, WEFT_FAULT_WRITE_READ, "tick 2: archetype 1, shard 1, column "},
    {WEFT_INSTRUMENT_ALIAS, WEFT_FAULT_WRITE_READ, "tick 2, mark: FaultySpeed.by of entity 4106:1"},
    {WEFT_INSTRUMENT_HASH, WEFT_FAULT_WRITE_HIDDEN, "tick 2, mark: FaultySecret.b of entity 4106:"},
    {WEFT_INSTRUMENT_TWIN, WEFT_FAULT_PADDING, "tick 2, mark: FaultyTrace.packet[1] of entity 410"},
    {WEFT_INSTRUMENT_TRAP, WEFT_FAULT_READ_HIDDEN, "tick 2, mark: FaultySecret.b of entity 4106:1"},
    {WEFT_INSTRUMENT_TICK, WEFT_FAULT_NAN,
     "tick 2, warm: FaultyHeat.degrees is NaN of entity 4106"},
    {WEFT_INSTRUMENT_TICK, WEFT_FAULT_FLOAT_MODE, "tick 2, warm: rounding is changed (archetype 1"},
};

Test(selftest, a_fault_elsewhere_is_named_elsewhere) {
    for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++) {
        weft_instrument_finding finding = look(elsewhere[i].instrument, elsewhere[i].fault);
        cr_assert(finding.found, "%zu", i);
        cr_assert_eq(strncmp(finding.place, elsewhere[i].place, strlen(elsewhere[i].place)), 0,
                     "%zu: %s", i, finding.place);
    }
}

// What each is not for: the table of the guards, and digests that a lost message leaves alone.
Test(selftest, instruments_are_blind_where_the_manual_says_so) {
    cr_expect_not(look(WEFT_INSTRUMENT_ALIAS, WEFT_FAULT_WRITE_HIDDEN).found);
    cr_expect_not(look(WEFT_INSTRUMENT_HASH, WEFT_FAULT_READ_HIDDEN).found);
    cr_expect_not(look(WEFT_INSTRUMENT_TRAP, WEFT_FAULT_CLOCK).found);
    cr_expect_not(look(WEFT_INSTRUMENT_ROOT, WEFT_FAULT_LOST_MESSAGE).found);
    cr_expect_not(look(WEFT_INSTRUMENT_SYNC, WEFT_FAULT_LOST_MESSAGE).found);
    cr_expect(look(WEFT_INSTRUMENT_HEAVY, WEFT_FAULT_LOST_MESSAGE).found);
}

Test(selftest, names_of_instruments_are_found_again) {
    for (weft_instrument i = 0; i < WEFT_INSTRUMENT_COUNT; i++)
        cr_expect_eq(weft_instrument_find(weft_instrument_name(i)), i);
    cr_expect_eq(weft_instrument_find("verif"), WEFT_INSTRUMENT_COUNT);
}
