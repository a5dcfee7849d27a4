// Scenes of the event count: somebody waits for a number that signals make larger.

#include "scenes.h"

typedef struct gate {
    weft__park park;
    weft__atomic_u32 flag;
} gate;

static gate gates[2];

void park_before(void) {
    for (uint32_t i = 0; i < 2; i++) {
        scene_park_init(&gates[i].park, "value", "sleepers");
        check_word(&gates[i].flag, "flag");
    }
}

void park_after(void) {
    check_that(weft__park_sleepers(&gates[0].park) == 0, "nobody is announced");
    check_that(weft__park_sleepers(&gates[1].park) == 0, "nobody is announced");
}

static void signal_gate(gate* one) {
    (void)weft__atomic_u32_fetch_add_acq_rel(&one->flag, 1);
    weft__park_notify(&one->park);
}

static void await_gate(gate* one, uint32_t count, uint64_t deadline_ns) {
    while (weft__atomic_u32_load_acquire(&one->flag) < count) {
        uint32_t ticket = weft__park_prepare(&one->park);
        if (weft__atomic_u32_load_acquire(&one->flag) < count)
            weft__park_sleep(&one->park, ticket, deadline_ns);
        else
            weft__park_cancel(&one->park);
    }
}

void park_one_thread(uint32_t index) {
    if (index == 0) {
        check_cell_write(0, 7);
        weft__atomic_u32_store_release(&gates[0].flag, 1);
        weft__park_notify(&gates[0].park);
        return;
    }
    await_gate(&gates[0], 1, 0);
    check_that(check_cell_read(0) == 7, "what came before the signal is there");
}

void park_timed_thread(uint32_t index) {
    if (index == 0) {
        check_cell_write(0, 7);
        signal_gate(&gates[0]);
        return;
    }
    await_gate(&gates[0], 1, 1);
    check_that(check_cell_read(0) == 7, "what came before the signal is there");
}

void park_many_thread(uint32_t index) {
    park_one_thread(index);
}

// Two signal, the last one waits for both.
void park_signallers_thread(uint32_t index) {
    if (index < 2) {
        check_cell_write(index, 7);
        signal_gate(&gates[0]);
        return;
    }
    await_gate(&gates[0], 2, 0);
    check_that(check_cell_read(0) == 7 && check_cell_read(1) == 7, "both have come");
}

// To and fro twice: the second sleep is after a notification.
void park_rounds_thread(uint32_t index) {
    for (uint32_t round = 1; round <= 2; round++) {
        if (index == 1)
            await_gate(&gates[0], round, 0);
        check_cell_write(0, check_cell_read(0) + 1);
        signal_gate(&gates[index]);
        if (index == 0)
            await_gate(&gates[1], round, 0);
    }
}
