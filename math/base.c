#include "weft/base.h"

#include <stdio.h>
#include <stdlib.h>

_Static_assert(sizeof(weft_status) == 4, "a status is passed as a 32-bit integer");

const char* weft_status_name(weft_status status) {
    switch (status) {
#define X(name, number, text)                                                                      \
    case WEFT_STATUS_##name:                                                                       \
        return #name;
        WEFT_STATUS_MAP(X)
#undef X
    }
    return "UNKNOWN";
}

const char* weft_status_text(weft_status status) {
    switch (status) {
#define X(name, number, text)                                                                      \
    case WEFT_STATUS_##name:                                                                       \
        return text;
        WEFT_STATUS_MAP(X)
#undef X
    }
    return "the status is not one that this version knows";
}

const char* weft_version(void) {
    return WEFT_VERSION;
}

void weft_assert_failed(const char* expression, const char* file, int line) {
    // weft-lint: allow(external, static): a broken invariant ends the program
    fprintf(stderr, "weft: assertion failed: %s (%s:%d)\n", expression, file, line);
    fflush(stderr); // weft-lint: allow(external, static): a broken invariant ends the program
    abort();
}
