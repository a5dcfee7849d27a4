// Balls that fall and bounce: simulated on one thread, then on several, to the same digests.

#include <stdio.h>

#include <weft/executor.h>

WEFT_COMPONENT(Ball, (weft_fixed, height), (weft_fixed, speed));

static weft_status fall(weft_view* view, const void* context) {
    (void)context;
    Ball* balls = WEFT_WRITE(view, Ball);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        balls[i].speed = weft_fixed_sub(balls[i].speed, WEFT_FIXED_ONE);
        balls[i].height = weft_fixed_add(balls[i].height, balls[i].speed);
    }
    return WEFT_STATUS_OK;
}

static weft_status bounce(weft_view* view, const void* context) {
    (void)context;
    Ball* balls = WEFT_WRITE(view, Ball);
    const weft_entity* entities = weft_view_entities(view);
    weft_random_key key = weft_view_random(view);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++) {
        if (balls[i].height.raw >= 0)
            continue;
        balls[i].height = WEFT_FIXED_ZERO;
        balls[i].speed = weft_fixed_mul(weft_fixed_neg(balls[i].speed),
                                        weft_random_fixed(key, entities[i].slot, 0));
    }
    return WEFT_STATUS_OK;
}

enum {
    BALLS = 50000,
    TICKS = 8
};

static weft_status simulate(weft_executor_kind kind, weft_digest digests[TICKS]) {
    weft_world_desc world_desc = weft_world_desc_default();
    weft_executor_desc executor_desc = weft_executor_desc_default();
    weft_world* world;
    weft_schedule* schedule;
    weft_executor* executor;

    world_desc.seed = 42;
    executor_desc.kind = kind;
    WEFT_TRY(weft_world_create(&world_desc, NULL, &world));
    WEFT_TRY(weft_world_register_component(world, WEFT_TYPE(Ball), WEFT_STORAGE_DENSE));
    for (int32_t i = 0; i < BALLS; i++) {
        WEFT_CREATE(weft_world_commands(world), 0, WEFT_VALUE(Ball, {.height = {i}}));
    }
    WEFT_TRY(weft_world_commit(world));
    WEFT_TRY(weft_schedule_create(world, &schedule));
    WEFT_TRY(weft_schedule_add_system(schedule,
                                      WEFT_SYSTEM("fall", fall, WEFT_ACCESS(WEFT_WRITES(Ball)))));
    WEFT_TRY(weft_schedule_add_system(
        schedule, WEFT_SYSTEM("bounce", bounce, WEFT_ACCESS(WEFT_WRITES(Ball)))));
    WEFT_TRY(weft_executor_create(&executor_desc, schedule, &executor));
    for (int tick = 0; tick < TICKS; tick++) {
        WEFT_TRY(weft_executor_tick(executor));
        digests[tick] = weft_world_digest_full(world);
    }
    weft_executor_destroy(executor);
    weft_schedule_destroy(schedule);
    weft_world_destroy(world);
    return WEFT_STATUS_OK;
}

int main(void) {
    weft_digest serial[TICKS];
    weft_digest threads[TICKS];
    if (simulate(WEFT_EXECUTOR_SERIAL, serial) != WEFT_STATUS_OK ||
        simulate(WEFT_EXECUTOR_THREADS, threads) != WEFT_STATUS_OK)
        return 2;
    bool equal = true;
    printf("tick  %-32s  threads\n", "serial");
    for (int tick = 0; tick < TICKS; tick++) {
        char left[WEFT_DIGEST_TEXT];
        char right[WEFT_DIGEST_TEXT];
        weft_digest_format(serial[tick], left);
        weft_digest_format(threads[tick], right);
        printf("%4d  %s  %s\n", tick + 1, left, right);
        equal = equal && weft_digest_equal(serial[tick], threads[tick]);
    }
    return equal ? 0 : 1;
}
