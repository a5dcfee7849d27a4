// A user's unit, compiled by check.sh with good and bad flags. It prints what the self test says,
// and the bits of operations that contraction would change.

#include <weft/pinned.h>

#include <stdio.h>

static float numbers[3][64];

static void fill(void) {
    uint32_t state = 1;
    for (int i = 0; i < 3 * 64; i++) {
        state = state * 1664525u + 1013904223u;
        // Exponents around 1 and 16 low bits of a mantissa, so that no product is exact.
        numbers[i / 64][i % 64] = weft_float_from_bits((state & 0x80ffffffu) ^ 0x3f000000u);
    }
}

static uint32_t fold(uint32_t hash, float number) {
    return (hash ^ weft_float_to_bits(number)) * 16777619u;
}

int main(void) {
    static float sums[64];
    uint32_t hash = 2166136261u;
    fill();
    const float* a = numbers[0];
    const float* b = numbers[1];
    const float* c = numbers[2];
    // A loop that the compiler makes wide.
    for (int i = 0; i < 64; i++)
        sums[i] = weft_float_add(weft_float_mul(a[i], b[i]), c[i]);
    for (int i = 0; i < 64; i++) {
        weft_float2 left = {a[i], b[i]};
        weft_float2 right = {c[i], sums[i]};
        weft_float3 high = {a[i], b[i], c[i]};
        weft_float3 low = {c[i], a[i], sums[i]};
        hash = fold(hash, sums[i]);
        hash = fold(hash, weft_float_muladd(a[i], b[i], -c[i]));
        hash = fold(hash, weft_float_lerp(a[i], b[i], c[i]));
        hash = fold(hash, weft_float2_dot(left, right));
        hash = fold(hash, weft_float2_cross(left, right));
        hash = fold(hash, weft_float3_dot(high, low));
        hash = fold(hash, weft_float3_cross(high, low).y);
        hash = fold(hash, weft_float3_length(high));
        hash = fold(hash, weft_float2_normalize(left).x);
        hash = fold(hash, weft_float_round(a[i] * 100.0f));
    }
    const char* line = NULL;
    weft_status status = weft_float_self_test(&line);
    printf("%08x %s: %s\n", (unsigned)hash, weft_status_name(status), line ? line : "good");
    return 0;
}
