/// What a result depends on besides the code: the machine, the system and the build, as facts for
/// people. A fact that the system does not tell is left out.
#pragma once

#include <weft/topology.h>

/// The commit that was built, with a word on changes, or empty; and the compiler's flags.
extern const char weft_build_commit[];
extern const char weft_build_flags[];

#define WEFT_MACHINE_FACTS_MAX 24u

typedef struct weft_fact {
    char name[24];  // "cpu"
    char text[360]; // "AMD EPYC (family 25, model 17, stepping 1)"
} weft_fact;

typedef struct weft_machine {
    weft_fact fact[WEFT_MACHINE_FACTS_MAX];
    uint32_t count;
} weft_machine;

/// Reads all facts of this machine and this build.
weft_machine weft_machine_read(void);

/// Adds a fact with a text, cut to fit and without control characters; one without is left out.
void weft_machine_add(weft_machine* machine, const char* name, const char* text);

/// The text of a fact, or an empty one.
const char* weft_machine_fact(const weft_machine* machine, const char* name);

/// Whether two machines with different texts for this fact have times that do not compare. The
/// commit is what is compared, and some facts change from minute to minute.
bool weft_machine_fact_matters(const char* name);
