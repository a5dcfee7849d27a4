/// What the host adds to the identity of a run in files: its name, its sizes, its build.
#pragma once

#include <weft/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One line of an identity, for example "module", "creatures". Both are copied.
typedef struct weft_identity_pair {
    const char* name;  // 1 to 63 characters.
    const char* value; // At most 255 characters.
    bool note;         // Kept, and not compared: a build, a machine.
} weft_identity_pair;

#ifdef __cplusplus
}
#endif
