// The kernels of the timed workloads against plain formulas, value by value.

#include "motion.h"
#include "ten_systems.h"

#include <criterion/criterion.h>

enum {
    ROWS = 1003
}; // Not a multiple of any vector's width.

Test(kernels, advance_is_one_rounded_product_and_a_sum) {
    static MotionPosition position[ROWS];
    static MotionVelocity velocity[ROWS];
    weft_random_key key = {.seed = 1};
    weft_fixed seconds = WEFT_FIXED_RATIO(1, 30);
    weft_vec2 expected[ROWS];
    for (uint32_t i = 0; i < ROWS; ++i) {
        weft_random_block draw = weft_random_block_at(key, i, 0);
        position[i].at.x.raw = (int32_t)draw.word[0]; // Over the whole range: some saturate.
        position[i].at.y.raw = (int32_t)draw.word[1];
        velocity[i].per_second.x.raw = (int32_t)draw.word[2];
        velocity[i].per_second.y.raw = (int32_t)draw.word[3];
        expected[i].x =
            weft_fixed_add(position[i].at.x, weft_fixed_mul(velocity[i].per_second.x, seconds));
        expected[i].y =
            weft_fixed_add(position[i].at.y, weft_fixed_mul(velocity[i].per_second.y, seconds));
    }
    weft_motion_advance(position, velocity, ROWS, seconds);
    for (uint32_t i = 0; i < ROWS; ++i) {
        cr_assert_eq(position[i].at.x.raw, expected[i].x.raw, "row %u", i);
        cr_assert_eq(position[i].at.y.raw, expected[i].y.raw, "row %u", i);
    }
}

Test(kernels, evaluate_stays_near_one) {
    static ComputeAngle angle[ROWS];
    static ComputeUnity unity[ROWS];
    for (int32_t i = 0; i < ROWS; ++i)
        angle[i].radians.raw = (i - ROWS / 2) * 130;
    for (int step = 0; step < 200; ++step) {
        weft_motion_evaluate(angle, unity, ROWS);
        for (uint32_t i = 0; i < ROWS; ++i) {
            cr_assert_geq(angle[i].radians.raw, -65536);
            cr_assert_leq(angle[i].radians.raw, 65536);
            cr_assert_leq(unity[i].value.raw, 65536 + 8);
            cr_assert_geq(unity[i].value.raw, 65536 - 8);
        }
    }
}

// A column in one sweep and the same column in pieces of odd sizes.
Test(kernels, ten_systems_are_elementwise) {
    static TenPlace place[2][ROWS];
    static TenSpeed speed[2][ROWS];
    static TenPush push[2][ROWS];
    static TenMass mass[2][ROWS];
    for (uint32_t i = 0; i < ROWS; ++i) {
        uint32_t word[TEN_COMPONENTS][2];
        weft_ten_start(9, i, word);
        for (int k = 0; k < 2; ++k) {
            place[k][i] = (TenPlace){(int32_t)word[0][0], (int32_t)word[0][1]};
            speed[k][i] = (TenSpeed){(int32_t)word[1][0], (int32_t)word[1][1]};
            push[k][i] = (TenPush){(int32_t)word[2][0], (int32_t)word[2][1]};
            mass[k][i] = (TenMass){(int32_t)word[3][0], (int32_t)word[3][1]};
        }
    }
    for (int tick = 0; tick < 50; ++tick) {
        weft_ten_accelerate(push[0], place[0], mass[0], ROWS);
        weft_ten_speed(speed[0], push[0], ROWS);
        weft_ten_move(place[0], speed[0], ROWS);
        weft_ten_bound(speed[0], place[0], ROWS);
        weft_ten_weigh(mass[0], ROWS);
        for (size_t at = 0; at < ROWS; at += 17) {
            size_t rows = ROWS - at < 17 ? ROWS - at : 17;
            weft_ten_accelerate(push[1] + at, place[1] + at, mass[1] + at, rows);
            weft_ten_speed(speed[1] + at, push[1] + at, rows);
            weft_ten_move(place[1] + at, speed[1] + at, rows);
            weft_ten_bound(speed[1] + at, place[1] + at, rows);
            weft_ten_weigh(mass[1] + at, rows);
        }
        for (uint32_t i = 0; i < ROWS; ++i) {
            cr_assert_eq(place[0][i].x, place[1][i].x, "tick %d, row %u", tick, i);
            cr_assert_eq(speed[0][i].y, speed[1][i].y, "tick %d, row %u", tick, i);
        }
    }
}
