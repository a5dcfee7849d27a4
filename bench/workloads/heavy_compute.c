#include "heavy_compute.h"

// The inverse by the 2x2 minors of the upper and of the lower two rows.
static inline void invert(float m[16]) {
    float a0 = m[0] * m[5] - m[1] * m[4];
    float a1 = m[0] * m[6] - m[2] * m[4];
    float a2 = m[0] * m[7] - m[3] * m[4];
    float a3 = m[1] * m[6] - m[2] * m[5];
    float a4 = m[1] * m[7] - m[3] * m[5];
    float a5 = m[2] * m[7] - m[3] * m[6];
    float b0 = m[8] * m[13] - m[9] * m[12];
    float b1 = m[8] * m[14] - m[10] * m[12];
    float b2 = m[8] * m[15] - m[11] * m[12];
    float b3 = m[9] * m[14] - m[10] * m[13];
    float b4 = m[9] * m[15] - m[11] * m[13];
    float b5 = m[10] * m[15] - m[11] * m[14];
    float determinant = a0 * b5 - a1 * b4 + a2 * b3 + a3 * b2 - a4 * b1 + a5 * b0;
    if (determinant == 0.0f)
        return;
    float scale = 1.0f / determinant;
    float out[16] = {
        (m[5] * b5 - m[6] * b4 + m[7] * b3) * scale,
        (m[2] * b4 - m[1] * b5 - m[3] * b3) * scale,
        (m[13] * a5 - m[14] * a4 + m[15] * a3) * scale,
        (m[10] * a4 - m[9] * a5 - m[11] * a3) * scale,
        (m[6] * b2 - m[4] * b5 - m[7] * b1) * scale,
        (m[0] * b5 - m[2] * b2 + m[3] * b1) * scale,
        (m[14] * a2 - m[12] * a5 - m[15] * a1) * scale,
        (m[8] * a5 - m[10] * a2 + m[11] * a1) * scale,
        (m[4] * b4 - m[5] * b2 + m[7] * b0) * scale,
        (m[1] * b2 - m[0] * b4 - m[3] * b0) * scale,
        (m[12] * a4 - m[13] * a2 + m[15] * a0) * scale,
        (m[9] * a2 - m[8] * a4 - m[11] * a0) * scale,
        (m[5] * b1 - m[4] * b3 - m[6] * b0) * scale,
        (m[0] * b3 - m[1] * b1 + m[2] * b0) * scale,
        (m[13] * a1 - m[12] * a3 - m[14] * a0) * scale,
        (m[8] * a3 - m[9] * a1 + m[10] * a0) * scale,
    };
    for (int i = 0; i < 16; ++i)
        m[i] = out[i];
}

WEFT_KERNEL void weft_heavy_invert(HeavyMatrix* restrict matrix, HeavyPosition* restrict position,
                                   size_t count) {
    for (size_t i = 0; i < count; ++i) {
        float m[16];
        for (int k = 0; k < 16; ++k)
            m[k] = matrix[i].cell[k];
        for (int k = 0; k < HEAVY_INVERSIONS; ++k)
            invert(m);
        for (int k = 0; k < 16; ++k)
            matrix[i].cell[k] = m[k];
        weft_float3 at = position[i].at;
        position[i].at.x = m[0] * at.x + m[1] * at.y + m[2] * at.z + m[3];
        position[i].at.y = m[4] * at.x + m[5] * at.y + m[6] * at.z + m[7];
        position[i].at.z = m[8] * at.x + m[9] * at.y + m[10] * at.z + m[11];
    }
}

static weft_status heavy(weft_view* view, const void* context) {
    (void)context;
    weft_heavy_invert(WEFT_WRITE(view, HeavyMatrix), WEFT_WRITE(view, HeavyPosition),
                      weft_view_row_count(view));
    return WEFT_STATUS_OK;
}

static void describe(const weft_module_options* options, weft_world_desc* desc) {
    (void)options;
    desc->math = WEFT_MATH_FLOAT_PINNED_32;
}

static weft_status build(const weft_module_options* options, weft_world* world,
                         weft_schedule* schedule) {
    // The cosine and the sine of 1.2 radian.
    static const float cosine = 0x1.730deap-2f;
    static const float sine = 0x1.dd343ap-1f;
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(HeavyMatrix), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(HeavyPosition), WEFT_STORAGE_DENSE));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("heavy", heavy,
                              WEFT_ACCESS(WEFT_WRITES(HeavyMatrix), WEFT_WRITES(HeavyPosition)))));
    for (uint32_t i = 0; i < options->entity_count; ++i) {
        HeavyMatrix matrix = {{1, 0, 0, 0, 0, cosine, -sine, 0, 0, sine, cosine, 0, 0, 0, 0, 1}};
        HeavyPosition position = {{1, 0, (float)(i % 256) / 256}};
        const weft_value values[] = {{WEFT_TYPE(HeavyMatrix), &matrix},
                                     {WEFT_TYPE(HeavyPosition), &position}};
        (void)weft_commands_create_with(weft_world_commands(world), 0, values, 2);
    }
    return WEFT_STATUS_OK;
}

const weft_module weft_suite_heavy = {
    .abi = WEFT_MODULE_ABI,
    .name = "heavy_compute",
    .summary = "a matrix inverted a hundred times a row",
    .entity_count_default = 1000,
    .tick_count_default = 100,
    .describe = describe,
    .build = build,
};
