// compiles: every kind of field, sixteen fields, every kind of declaration
#include <weft/executor.h>

WEFT_COMPONENT(Every, (int64_t, i64), (uint64_t, u64), (weft_entity, link), (weft_vec2, at),
               (int32_t, i32), (uint32_t, u32), (weft_fixed, fixed), (int16_t, i16),
               (uint16_t, u16), (int8_t, i8), (uint8_t, u8), (int16_t, rest), (uint32_t, last));
WEFT_COMPONENT(Sixteen, (int8_t, a), (int8_t, b), (int8_t, c), (int8_t, d), (int8_t, e),
               (int8_t, f), (int8_t, g), (int8_t, h), (int8_t, i), (int8_t, j), (int8_t, k),
               (int8_t, l), (int8_t, m), (int8_t, n), (int8_t, o), (int8_t, p));
WEFT_COMPONENT(One, (uint8_t, value));
WEFT_TAG(Nothing);
WEFT_RESOURCE(Gauge, (weft_fixed, level));
WEFT_MESSAGE(Letter, (weft_entity, about), (uint32_t, word));
WEFT_PARTIAL(Total, (int64_t, sum));

weft_status careful(weft_view* view, const void* context);

weft_status careful(weft_view* view, const void* context) {
    (void)context;
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        WEFT_WRITE(view, Every)[i].i32 += WEFT_READ(view, Sixteen)[i].p;
    return WEFT_STATUS_OK;
}
