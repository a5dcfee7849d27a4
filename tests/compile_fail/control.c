// compiles: every kind of field and form, thirty-two fields, every kind of declaration
#include <weft/executor.h>

WEFT_ENUM(Mood, uint8_t, CALM, ANGRY);
WEFT_ENUM(Phase, int16_t, REST, RUN);
WEFT_ENUM(Bits, uint64_t, ONE_BIT = 1, FOUR = 4);

WEFT_COMPONENT(Every, (int64_t, i64), (uint64_t, u64), (weft_entity, link), (weft_vec2, at),
               (int32_t, i32), (uint32_t, u32), (weft_fixed, fixed), (int16_t, i16),
               (uint16_t, u16), (int8_t, i8), (uint8_t, u8), (int16_t, rest), (uint32_t, last));
WEFT_COMPONENT(More, (weft_fixed64, far), (weft_vec3, at), (float, heat), (weft_float2, turn),
               (weft_float3, pull), (bool, set), (Mood, plain), (enumerated, Mood, mood),
               (bool, last), (enumerated, Bits, bits));
WEFT_COMPONENT(Arrays, (array, weft_fixed64, far, 2), (array, weft_vec3, path, 3),
               (array, float, heat, 3), (array, weft_entity, links, 4), (array, bool, set, 1 + 1),
               (array, Mood, moods, 2), (array, uint16_t, words, 2));
WEFT_COMPONENT(Wing, (weft_fixed, span), (array, uint8_t, flaps, 3), (bool, bent));
WEFT_COMPONENT(Ship, (weft_entity, base), (nested, Wing, left), (nested_array, Wing, rest, 3));
WEFT_COMPONENT(Fleet, (nested_array, Ship, ships, 4), (enumerated, Phase, phase),
               (uint16_t, number), (uint32_t, size));
WEFT_COMPONENT(Full, (array, uint8_t, bytes, 4096));
WEFT_COMPONENT(ThirtyTwo, (int8_t, a), (int8_t, b), (int8_t, c), (int8_t, d), (int8_t, e),
               (int8_t, f), (int8_t, g), (int8_t, h), (int8_t, i), (int8_t, j), (int8_t, k),
               (int8_t, l), (int8_t, m), (int8_t, n), (int8_t, o), (int8_t, p), (int8_t, q),
               (int8_t, r), (int8_t, s), (int8_t, t), (int8_t, u), (int8_t, v), (int8_t, w),
               (int8_t, x), (int8_t, y), (int8_t, z), (int8_t, aa), (int8_t, ab), (int8_t, ac),
               (int8_t, ad), (int8_t, ae), (int8_t, af));
WEFT_COMPONENT(One, (uint8_t, value));
WEFT_TAG(Nothing);
WEFT_RESOURCE(Gauge, (weft_fixed, level));
WEFT_MESSAGE(Letter, (weft_entity, about), (uint32_t, word));
WEFT_PARTIAL(Total, (int64_t, sum), (float, heat), (uint32_t, count));

_Static_assert(sizeof(Mood) == 1 && sizeof(Phase) == 2 && ANGRY == 1 && FOUR == 4, "stated widths");
_Static_assert(sizeof(Wing) == 8 && sizeof(Ship) == 40 && sizeof(Fleet) == 168, "no padding");

weft_status careful(weft_view* view, const void* context);

weft_status careful(weft_view* view, const void* context) {
    (void)context;
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        WEFT_WRITE(view, Every)[i].i32 += WEFT_READ(view, ThirtyTwo)[i].p;
    return WEFT_STATUS_OK;
}
