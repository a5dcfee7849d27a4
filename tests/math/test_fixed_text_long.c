// Every Q16.16 number there is, as text and back.

#include "math_test.h"
#include "weft/fixed.h"

/// Both forms: the exact one for one number in 16, another 16th for each whole part.
Test(fixed_text_long, every_number_round_trips) {
    char text[WEFT_FIXED_TEXT_SIZE];
    for (int64_t raw = INT32_MIN; raw <= INT32_MAX; ++raw) {
        weft_fixed number = weft_fixed_from_raw((int32_t)raw);
        weft_fixed back = WEFT_FIXED_ZERO;
        size_t length = weft_fixed_format(number, text, sizeof text);
        weft_status status = weft_fixed_parse(text, length, &back);
        if (status != WEFT_STATUS_OK || back.raw != raw)
            cr_assert_fail("%" PRId64 " as %s: %s, %d", raw, text, weft_status_name(status),
                           back.raw);
        if (((raw >> 16) & 15) != (raw & 15))
            continue;
        length = weft_fixed_format_exact(number, text, sizeof text);
        status = weft_fixed_parse(text, length, &back);
        if (status != WEFT_STATUS_OK || back.raw != raw)
            cr_assert_fail("%" PRId64 " exactly as %s: %s, %d", raw, text, weft_status_name(status),
                           back.raw);
    }
}
