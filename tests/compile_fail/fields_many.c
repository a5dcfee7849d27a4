// error: struct Broken has more than 32 fields | nested structs
#include <weft/type.h>

WEFT_COMPONENT(Broken, (int8_t, f0), (int8_t, f1), (int8_t, f2), (int8_t, f3), (int8_t, f4),
               (int8_t, f5), (int8_t, f6), (int8_t, f7), (int8_t, f8), (int8_t, f9), (int8_t, f10),
               (int8_t, f11), (int8_t, f12), (int8_t, f13), (int8_t, f14), (int8_t, f15),
               (int8_t, f16), (int8_t, f17), (int8_t, f18), (int8_t, f19), (int8_t, f20),
               (int8_t, f21), (int8_t, f22), (int8_t, f23), (int8_t, f24), (int8_t, f25),
               (int8_t, f26), (int8_t, f27), (int8_t, f28), (int8_t, f29), (int8_t, f30),
               (int8_t, f31), (int8_t, f32));
