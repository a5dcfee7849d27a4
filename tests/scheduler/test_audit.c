// Audits: known answers, and the same for every executor.

#include <weft/audit.h>

#include "blake.h"
#include "game.h"
#include "workload.h"

// RFC 7693's message, and none, under 256 bits; in pieces of any size.
Test(audit, known_answers) {
    static const uint8_t abc[] = {0xbd, 0xdd, 0x81, 0x3c, 0x63, 0x42, 0x39, 0x72};
    static const uint8_t nothing[] = {0x0e, 0x57, 0x51, 0xc0, 0x26, 0xe5, 0x43, 0xb2};
    uint8_t out[WEFT_AUDIT_SIZE];
    weft__blake blake;
    if (!weft__blake_begin(&blake))
        cr_skip_test("this build has no libb2");
    weft__blake_end(&blake, out);
    cr_assert_eq(memcmp(out, nothing, sizeof(nothing)), 0);
    (void)weft__blake_begin(&blake);
    weft__blake_add(&blake, "a", 1);
    weft__blake_add(&blake, "bc", 2);
    weft__blake_end(&blake, out);
    cr_assert_eq(memcmp(out, abc, sizeof(abc)), 0);
}

Test(audit, the_same_for_every_executor) {
    static const weft_module_options few = {500, 3};
    char texts[3][WEFT_AUDIT_TEXT];
    char before[WEFT_AUDIT_TEXT];
    for (uint32_t i = 0; i < 3; i++) {
        game g = game_open(&weft_workload_churn, &few, &run_configs[3 * i]);
        weft_status status = weft_world_audit(g.world, before);
        if (status == WEFT_STATUS_UNSUPPORTED) {
            TEXT_HAS(weft_world_error(g.world), "libb2");
            game_close(&g);
            cr_skip_test("this build has no libb2");
        }
        WORLD_OK(g.world, status);
        game_tick(&weft_workload_churn, &g);
        WORLD_OK(g.world, weft_world_audit(g.world, texts[i]));
        cr_assert_eq(strlen(texts[i]), 64);
        cr_assert_str_eq(texts[i], texts[0]);
        cr_assert_str_neq(texts[i], before);
        (void)weft_commands_create(weft_world_commands(g.world), 0);
        cr_assert_eq(weft_world_audit(g.world, before), WEFT_STATUS_WRONG_PHASE);
        game_close(&g);
    }
}
