// Forecasts against what can be said in closed form, against bounds, and on measured ticks.

#include <weft/forecast.h>

#include "machines.h"
#include "worlds.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

enum {
    ITEMS_MAX = 400,
    LINES_ITEMS = 64,
};

// 10 GB/s of one core, memory looked at.
static weft_forecast* make(void) {
    weft_forecast_desc desc = weft_forecast_desc_default();
    desc.core_bytes_per_ns = 10;
    weft_forecast* forecast = NULL;
    cr_assert_eq(weft_forecast_create(&desc, &forecast), WEFT_STATUS_OK);
    return forecast;
}

static weft_forecast_machine machine_of(const weft_topology* topology) {
    weft_forecast_machine machine = weft_forecast_machine_default();
    machine.topology = topology;
    machine.core_bytes_per_ns = 10;
    return machine;
}

static void add_tick(weft_forecast* forecast, uint32_t shards) {
    cr_assert_eq(weft_forecast_add_tick(forecast, shards, 1), WEFT_STATUS_OK);
}

static void add_tick_with_lines(weft_forecast* forecast, double cost, double lines,
                                double before_lines) {
    weft_forecast_item items[LINES_ITEMS];
    for (uint32_t i = 0; i < LINES_ITEMS; i++)
        items[i] = (weft_forecast_item){.cost_ns = cost, .shard = i};
    weft_forecast_batch batch = {.before_ns = cost,
                                 .lines = lines,
                                 .before_lines_ns = before_lines,
                                 .item_count = LINES_ITEMS,
                                 .items = items};
    add_tick(forecast, LINES_ITEMS);
    cr_assert_eq(weft_forecast_add_batch(forecast, &batch), WEFT_STATUS_OK);
}

static void add_batch(weft_forecast* forecast, double before, const weft_forecast_item* items,
                      uint32_t count) {
    weft_forecast_batch batch = {.before_ns = before, .item_count = count, .items = items};
    cr_assert_eq(weft_forecast_add_batch(forecast, &batch), WEFT_STATUS_OK);
}

// Equal items, one to each shard.
static void add_equal(weft_forecast* forecast, double before, uint32_t count, double cost,
                      double bytes) {
    weft_forecast_item items[ITEMS_MAX];
    for (uint32_t i = 0; i < count; i++)
        items[i] = (weft_forecast_item){.cost_ns = cost, .bytes = bytes, .shard = i};
    add_batch(forecast, before, items, count);
}

// A tick of one batch: equal items, one to each shard.
static weft_forecast* make_equal(uint32_t count, double cost, double bytes) {
    weft_forecast* forecast = make();
    add_tick(forecast, count);
    add_equal(forecast, 0, count, cost, bytes);
    return forecast;
}

static weft_forecast* make_batch(const weft_forecast_item* items, uint32_t count) {
    weft_forecast* forecast = make();
    add_tick(forecast, count);
    add_batch(forecast, 0, items, count);
    return forecast;
}

static weft_forecast_result play(weft_forecast* forecast, const weft_forecast_machine* machine,
                                 uint32_t workers) {
    weft_forecast_result result;
    cr_assert_eq(weft_forecast_play(forecast, machine, workers, &result), WEFT_STATUS_OK);
    double sum = result.busy + result.memory + result.lines + result.alone + result.waiting;
    cr_assert(sum > 1 - 1e-6 && sum < 1 + 1e-6, "the shares of %u workers sum up to %.9f", workers,
              sum);
    return result;
}

static void assert_near(double found, double expected, const char* what, uint32_t workers) {
    cr_assert(fabs(found - expected) <= 1e-6 * expected, "%s, %u workers: %.3f ns, not %.3f", what,
              workers, found, expected);
}

Test(forecast, equal_items_take_turns) {
    weft_topology* topology = machine_open("synthetic:core:32 pu:1", 0);
    if (topology == NULL)
        return;
    weft_forecast_machine machine = machine_of(topology);
    for (uint32_t count = 2; count < 100; count += 13) {
        weft_forecast* forecast = make_equal(count, 1e6, 0);
        for (uint32_t workers = 1; workers <= 32; workers++) {
            uint32_t rounds = (count + workers - 1) / workers;
            assert_near(play(forecast, &machine, workers).tick_ns, 1e6 * rounds, "equal items",
                        workers);
        }
        weft_forecast_destroy(forecast);
    }
    weft_topology_destroy(topology);
}

// Amdahl's law, and barriers: what the caller does alone, and the sum of the batches.
Test(forecast, serial_parts_and_barriers_add_up) {
    weft_topology* topology = machine_open("synthetic:core:16 pu:1", 0);
    if (topology == NULL)
        return;
    weft_forecast_machine machine = machine_of(topology);
    weft_forecast* forecast = make();
    add_tick(forecast, 16);
    add_equal(forecast, 3e6, 16, 1e6, 0);
    add_equal(forecast, 1e6, 16, 2e6, 0);
    add_batch(forecast, 4e6, NULL, 0);
    for (uint32_t workers = 1; workers <= 16; workers *= 2) {
        weft_forecast_result result = play(forecast, &machine, workers);
        assert_near(result.tick_ns, 8e6 + 48e6 / workers, "Amdahl", workers);
        double share = 8e6 * (workers - 1) / (result.tick_ns * workers);
        cr_assert_float_eq(result.alone, share, 1e-9, "%u workers", workers);
        assert_near(result.work_ns, 56e6, "work", workers);
        assert_near(result.bound_ns, result.tick_ns, "bound", workers);
    }
    weft_forecast_destroy(forecast);
    weft_topology_destroy(topology);
}

// As many workers as the node feeds, and no more: 25 GB/s for cores that take 10.
Test(forecast, bandwidth_of_a_node_is_shared) {
    weft_topology* topology = machine_open("synthetic:package:2 [numa] core:8 pu:1", 0);
    if (topology == NULL)
        return;
    weft_forecast_machine machine = machine_of(topology);
    machine.placement.policy = WEFT_PLACEMENT_COMPACT;
    machine.node_bytes_per_ns = 25;
    weft_forecast* forecast = make_equal(320, 1e6, 1e7); // All of it is memory.
    for (uint32_t workers = 1; workers <= 16; workers *= 2) {
        uint32_t here = workers < 8 ? workers : 8; // On the first node; it has all of the memory
        uint32_t there = workers - here;           // of their shards.
        double speed = fmin(here, 2.5) + fmin(there, 2.5);
        weft_forecast_result result = play(forecast, &machine, workers);
        assert_near(result.tick_ns, 320e6 / speed, "memory alone", workers);
        cr_assert_float_eq(result.memory, 1 - speed / workers, 1e-6, "%u workers", workers);
        cr_assert_eq(result.node_count, workers > 8 ? 2 : 1);
    }
    weft_forecast_destroy(forecast);
    // Half of it is memory: five workers take what the node gives.
    forecast = make_equal(320, 2e6, 1e7);
    for (uint32_t workers = 1; workers <= 8; workers *= 2)
        assert_near(play(forecast, &machine, workers).tick_ns, 640e6 / fmin(workers, 5),
                    "half of memory", workers);
    weft_forecast_destroy(forecast);
    weft_topology_destroy(topology);
}

// Who helps from another node reads from where the memory is.
Test(forecast, memory_stays_on_the_node_of_its_owner) {
    weft_topology* topology = machine_open("synthetic:package:2 [numa] core:4 pu:1", 0);
    if (topology == NULL)
        return;
    weft_forecast_machine machine = machine_of(topology);
    machine.node_bytes_per_ns = 10;
    weft_forecast_item items[80];
    for (uint32_t i = 0; i < 80; i++)
        items[i] = (weft_forecast_item){.shard = i};
    for (uint32_t i = 0; i < 40; i++) // Those of the first of two workers.
        items[i].cost_ns = 1e6, items[i].bytes = 1e7;
    weft_forecast* forecast = make_batch(items, 80);
    weft_forecast_result result = play(forecast, &machine, 2);
    cr_assert_eq(result.node_count, 2);
    assert_near(result.tick_ns, 40e6, "all of it on one node", 2);
    weft_forecast_destroy(forecast);
    weft_topology_destroy(topology);
}

// What caches hold is no matter of the node.
Test(forecast, caches_that_hold_the_world_lift_the_limit) {
    weft_topology* topology = machine_open("synthetic:l3:1(size=8388608) core:8 pu:1", 0);
    if (topology == NULL)
        return;
    weft_placement placement = {.policy = WEFT_PLACEMENT_SPREAD};
    uint64_t bytes = 0;
    cr_assert_eq(weft_forecast_cache_bytes(topology, &placement, 1, &bytes), WEFT_STATUS_OK);
    cr_assert_eq(bytes, 8388608);
    weft_forecast_machine machine = machine_of(topology);
    machine.node_bytes_per_ns = 10;
    for (uint32_t fits = 0; fits < 2; fits++) {
        weft_forecast* forecast = make();
        cr_assert_eq(weft_forecast_add_tick(forecast, 80, bytes + 1 - fits), WEFT_STATUS_OK);
        add_equal(forecast, 0, 80, 1e6, 1e7);
        weft_forecast_result result = play(forecast, &machine, 8);
        cr_assert_eq(result.cached, fits == 1);
        assert_near(result.tick_ns, fits == 1 ? 10e6 : 80e6, "cached", 8);
        weft_forecast_destroy(forecast);
    }
    weft_topology_destroy(topology);
}

// All that costs is in the shards of the first worker; the others come and help.
Test(forecast, helping_evens_out_shares) {
    weft_topology* topology = machine_open("synthetic:core:4 pu:1", 0);
    if (topology == NULL)
        return;
    weft_forecast_machine machine = machine_of(topology);
    weft_forecast_item items[80];
    for (uint32_t i = 0; i < 80; i++)
        items[i] = (weft_forecast_item){.cost_ns = i < 20 ? 1e6 : 0, .shard = i};
    weft_forecast* forecast = make_batch(items, 80);
    for (uint32_t workers = 1; workers <= 4; workers *= 2)
        assert_near(play(forecast, &machine, workers).tick_ns, 20e6 / workers, "uneven", workers);
    // The way of a line is paid for each piece that is helped with, and hides nowhere here.
    machine.line_ns = 1e6;
    double slower = play(forecast, &machine, 4).tick_ns;
    cr_assert(slower > 5.5e6 && slower < 20e6, "helping costs: %.0f ns", slower);
    weft_forecast_destroy(forecast);
    weft_topology_destroy(topology);
}

// Twenty items a share in pieces of a size: each is claimed, and whoever helps takes whole ones.
Test(forecast, pieces_are_as_large_as_is_said) {
    enum {
        SHARE = 20,
        WORKERS = 4,
    };
    weft_topology* topology = machine_open("synthetic:core:4 pu:1", 0);
    if (topology == NULL)
        return;
    weft_forecast_machine machine = machine_of(topology);
    weft_forecast_item items[SHARE * WORKERS];
    for (uint32_t i = 0; i < SHARE * WORKERS; i++)
        items[i] = (weft_forecast_item){.cost_ns = i < SHARE ? 1e6 : 0, .shard = i};
    weft_forecast* uneven = make();
    add_tick(uneven, SHARE * WORKERS);
    add_batch(uneven, 0, items, SHARE * WORKERS);
    weft_forecast* even = make();
    add_tick(even, SHARE * WORKERS);
    add_equal(even, 0, SHARE * WORKERS, 1e6, 0);
    for (uint32_t grain = 1; grain <= 2 * SHARE; grain++) {
        uint32_t piece = grain < SHARE ? grain : SHARE;
        uint32_t pieces = (SHARE + piece - 1) / piece;
        uint32_t last = SHARE - (pieces - 1) * piece;
        machine.grain = grain;
        machine.claim_ns = 3e5;
        assert_near(play(even, &machine, WORKERS).tick_ns, SHARE * 1e6 + pieces * 3e5, "claims",
                    grain);
        // In rounds of a piece for each worker; the last round may have but the last piece.
        uint32_t rounds = (pieces - 1) / WORKERS;
        uint32_t longest = pieces % WORKERS == 1 ? last : piece;
        machine.claim_ns = 0;
        assert_near(play(uneven, &machine, WORKERS).tick_ns, (rounds * piece + longest) * 1e6,
                    "pieces", grain);
    }
    weft_forecast_destroy(uneven);
    weft_forecast_destroy(even);
    weft_topology_destroy(topology);
}

// A join of nothing costs its time, and what is smaller is done alone.
Test(forecast, joins_cost_and_small_batches_are_done_alone) {
    weft_topology* topology = machine_open("synthetic:core:4 pu:1", 0);
    if (topology == NULL)
        return;
    weft_forecast_machine machine = machine_of(topology);
    machine.join_ns = 1000;
    weft_forecast* forecast = make();
    add_tick(forecast, 2);
    add_equal(forecast, 0, 2, 5e5, 0);
    add_equal(forecast, 0, 2, 400, 0);
    weft_forecast_result result = play(forecast, &machine, 2);
    assert_near(result.tick_ns, 5e5 + 1000 + 800, "joins", 2);
    cr_assert_eq(result.batch_count, 2);
    cr_assert_eq(result.batches_shared, 1);
    // Two more workers make it longer by a part of a line's round trip each.
    machine.line_ns = 400;
    cr_assert_gt(play(forecast, &machine, 4).tick_ns, result.tick_ns);
    weft_forecast_destroy(forecast);
    // A guess decides where nothing was measured.
    for (uint32_t i = 0; i < 2; i++) {
        weft_forecast_item items[2] = {{5e5, 0, 0, 0, 0}, {5e5, 0, 1, 0, 0}};
        weft_forecast_batch batch = {
            .guess_ns = i == 0 ? 100 : 1000000, .item_count = 2, .items = items};
        forecast = make();
        add_tick(forecast, 2);
        cr_assert_eq(weft_forecast_add_batch(forecast, &batch), WEFT_STATUS_OK);
        assert_near(play(forecast, &machine, 2).tick_ns, i == 0 ? 1e6 : 5e5 + 1000, "guess", 2);
        weft_forecast_destroy(forecast);
    }
    weft_topology_destroy(topology);
}

// What the caller touched alone, the other one has to get, and the other way round.
Test(forecast, data_in_other_caches_moves) {
    weft_topology* topology = machine_open("synthetic:core:2 pu:1", 0);
    if (topology == NULL)
        return;
    weft_forecast_machine machine = machine_of(topology);
    machine.move_bytes_per_ns = 2;
    weft_forecast* forecast = make();
    cr_assert_eq(weft_forecast_add_tick(forecast, 2, 0), WEFT_STATUS_OK);
    weft_forecast_item items[2] = {{1e6, 0, 0, 0, 1e6}, {1e6, 0, 1, 1, 1e6}};
    add_batch(forecast, 0, items, 2);
    assert_near(play(forecast, &machine, 2).tick_ns, 1e6, "nobody has touched it", 2);
    // A guess keeps it with the caller: half a megabyte comes to it, and goes back afterwards.
    weft_forecast_batch alone = {.guess_ns = 1, .item_count = 2, .items = items};
    machine.join_ns = 10;
    cr_assert_eq(weft_forecast_add_batch(forecast, &alone), WEFT_STATUS_OK);
    add_batch(forecast, 0, items, 2);
    assert_near(play(forecast, &machine, 2).tick_ns, 1e6 + 2.5e6 + 1.5e6 + 2 * 10, "moves", 2);
    assert_near(play(forecast, &machine, 1).tick_ns, 6e6, "nothing moves", 1);
    weft_forecast_destroy(forecast);
    weft_topology_destroy(topology);
}

// Of w workers the others wrote 1 - 1/w of what one reads; the measured part is that of two.
Test(forecast, lines_of_others_cost_by_how_many_write) {
    weft_topology* topology = machine_open("synthetic:core:64 pu:1", 0);
    if (topology == NULL)
        return;
    weft_forecast_machine machine = machine_of(topology);
    weft_forecast* forecast = make();
    add_tick_with_lines(forecast, 1000, 0.5, 300);
    static const uint32_t counts[] = {1, 2, 4, 64};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        double w = counts[i];
        double far = 2 * (1 - 1 / w);
        weft_forecast_result result = play(forecast, &machine, counts[i]);
        double items = LINES_ITEMS / w * 1000;
        assert_near(result.tick_ns, 1000 + 300 * far + items * (1 + 0.5 * far), "lines", counts[i]);
        assert_near(result.lines + 1, 1 + items * 0.5 * far / result.tick_ns, "their share",
                    counts[i]);
        cr_assert_leq(result.bound_ns, result.tick_ns, "the bound is without lines");
    }
    machine.speed = 2; // Lines do not come faster.
    weft_forecast_result fast = play(forecast, &machine, 2);
    assert_near(fast.tick_ns, 500 + 300 + LINES_ITEMS / 2.0 * (500 + 500), "faster cores", 2);
    weft_forecast_destroy(forecast);
    weft_topology_destroy(topology);
}

// Siblings, crowds and speeds.
Test(forecast, cores_are_as_fast_as_was_said) {
    weft_topology* topology = machine_open("synthetic:core:2 pu:2", 0);
    if (topology == NULL)
        return;
    weft_forecast_machine machine = machine_of(topology);
    weft_forecast* forecast = make_equal(240, 1e6, 0);
    assert_near(play(forecast, &machine, 2).tick_ns, 120e6, "a core each", 2);
    weft_forecast_result result = play(forecast, &machine, 4);
    assert_near(result.tick_ns, 120e6, "no gain of siblings", 4);
    cr_assert_eq(result.core_count, 2);
    machine.smt = 1.25;
    assert_near(play(forecast, &machine, 4).tick_ns, 96e6, "a gain of siblings", 4);
    machine.speed = 2;
    assert_near(play(forecast, &machine, 4).tick_ns, 48e6, "twice as fast", 4);
    machine.speed = machine.smt = 1;
    machine.crowding = 1.3; // Of four CPUs; one other is a third of the others.
    assert_near(play(forecast, &machine, 2).tick_ns, 132e6, "a crowd", 2);
    assert_near(play(forecast, &machine, 1).tick_ns, 240e6, "no crowd", 1);
    weft_forecast_destroy(forecast);
    weft_topology_destroy(topology);
}

Test(forecast, workers_beyond_the_quota_rest) {
    weft_topology* topology = machine_open("synthetic:core:8 pu:1", 2500);
    if (topology == NULL)
        return;
    weft_forecast_machine machine = machine_of(topology);
    weft_forecast* forecast = make_equal(240, 1e6, 0);
    weft_forecast_result result = play(forecast, &machine, 8);
    cr_assert_eq(result.active, 3);
    assert_near(result.tick_ns, 80e6, "quota", 8);
    weft_forecast_destroy(forecast);
    weft_topology_destroy(topology);
}

// A generator for these tests: results must not depend on a library's.
static uint32_t draw(uint64_t* state, uint32_t below) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

static void add_drawn(weft_forecast* forecast, uint64_t* state, bool memory, double* longest) {
    weft_forecast_item items[ITEMS_MAX];
    uint32_t batches = 1 + draw(state, 4);
    add_tick(forecast, 100);
    *longest = 0;
    for (uint32_t b = 0; b < batches; b++) {
        uint32_t count = 1 + draw(state, ITEMS_MAX - 1);
        uint32_t loose = draw(state, 3);
        uint32_t shard = 0;
        double most = 0;
        for (uint32_t i = 0; i < count; i++) {
            shard += draw(state, 3) == 0 && shard < 99;
            items[i] = (weft_forecast_item){
                .cost_ns = 10000.0 + draw(state, 200000),
                .shard = i < loose ? WEFT_FORECAST_LOOSE : shard,
            };
            if (memory)
                items[i].bytes = draw(state, 1000000);
            most = fmax(most, items[i].cost_ns);
        }
        *longest += most;
        add_batch(forecast, draw(state, 50000), items, count);
    }
}

static bool same_results(const weft_forecast_result* a, const weft_forecast_result* b) {
    return a->tick_ns == b->tick_ns && a->bound_ns == b->bound_ns && a->work_ns == b->work_ns &&
           a->busy == b->busy && a->memory == b->memory && a->alone == b->alone &&
           a->waiting == b->waiting && a->active == b->active && a->core_count == b->core_count &&
           a->node_count == b->node_count && a->cached == b->cached &&
           a->batch_count == b->batch_count && a->batches_shared == b->batches_shared;
}

// Never better than the bound, and where nobody waits for memory, never worse than Graham's bound
// for lists; the same again to the last bit.
Test(forecast, drawn_ticks_stay_within_bounds) {
    weft_topology* topology = machine_open("synthetic:package:2 [numa] core:16 pu:2", 0);
    if (topology == NULL)
        return;
    uint64_t state = 20261130;
    for (uint32_t round = 0; round < 60; round++) {
        bool memory = round % 2 == 1;
        weft_forecast* forecast = make();
        weft_forecast_machine machine = machine_of(topology);
        machine.node_bytes_per_ns = 40;
        machine.placement.policy = (weft_placement_policy)draw(&state, 3);
        double longest;
        add_drawn(forecast, &state, memory, &longest);
        double one = play(forecast, &machine, 1).tick_ns;
        for (uint32_t workers = 1; workers <= 32; workers += 1 + draw(&state, 5)) {
            weft_forecast_result result = play(forecast, &machine, workers);
            cr_assert(result.tick_ns >= result.bound_ns * (1 - 1e-9),
                      "round %u, %u workers: %.3f is less than the bound, %.3f", round, workers,
                      result.tick_ns, result.bound_ns);
            double graham = one / workers + longest;
            double alone = result.alone * result.tick_ns; // Of Amdahl's part all but a share.
            cr_assert(memory || result.tick_ns <= graham + alone + 1,
                      "round %u, %u workers: %.3f is more than %.3f", round, workers,
                      result.tick_ns, graham + alone);
            cr_assert(result.tick_ns <= one * (1 + 1e-9), "slower than alone");
            weft_forecast_result again = play(forecast, &machine, workers);
            cr_assert(same_results(&result, &again), "not the same twice");
        }
        weft_forecast_destroy(forecast);
    }
    weft_topology_destroy(topology);
}

Test(forecast, what_cannot_be_is_refused) {
    weft_topology* topology = machine_open(NULL, 0);
    weft_forecast_desc wrong = weft_forecast_desc_default();
    weft_forecast* forecast = NULL;
    wrong.crowding = 0.5;
    cr_assert_eq(weft_forecast_create(&wrong, &forecast), WEFT_STATUS_BAD_ARGUMENT);
    cr_assert_eq(weft_forecast_create(NULL, &forecast), WEFT_STATUS_BAD_ARGUMENT);
    wrong = (weft_forecast_desc){.crowding = 1};
    cr_assert_eq(weft_forecast_create(&wrong, &forecast), WEFT_STATUS_BAD_ARGUMENT);
    cr_assert_null(forecast);
    weft_forecast_destroy(NULL);

    forecast = make();
    weft_forecast_item items[3] = {{1, 0, 0, 0, 0}, {1, 0, 1, 0, 0}, {1, 0, 1, 0, 0}};
    weft_forecast_batch batch = {.item_count = 3, .items = items};
    weft_forecast_machine machine = machine_of(topology);
    weft_forecast_result result;
    cr_assert_eq(weft_forecast_add_batch(forecast, &batch), WEFT_STATUS_BAD_ARGUMENT, "no tick");
    cr_assert_eq(weft_forecast_play(forecast, &machine, 1, &result), WEFT_STATUS_BAD_ARGUMENT);
    add_tick(forecast, 2);
    cr_assert_eq(weft_forecast_add_batch(forecast, &batch), WEFT_STATUS_OK);
    const weft_forecast_item bad[] = {
        {-1, 0, 1, 0, 0},
        {NAN, 0, 1, 0, 0},
        {INFINITY, 0, 1, 0, 0},
        {1, -1, 1, 0, 0},
        {1, 0, 2, 0, 0},
        {1, 0, 0, 0, 0},
        {1, 0, WEFT_FORECAST_LOOSE, 0, 0},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        items[2] = bad[i];
        cr_assert_eq(weft_forecast_add_batch(forecast, &batch), WEFT_STATUS_BAD_ARGUMENT,
                     "item %zu", i);
    }
    weft_forecast_batch late = {.before_ns = -1};
    cr_assert_eq(weft_forecast_add_batch(forecast, &late), WEFT_STATUS_BAD_ARGUMENT);
    late = (weft_forecast_batch){.lines = -1};
    cr_assert_eq(weft_forecast_add_batch(forecast, &late), WEFT_STATUS_BAD_ARGUMENT);
    late = (weft_forecast_batch){.before_lines_ns = NAN};
    cr_assert_eq(weft_forecast_add_batch(forecast, &late), WEFT_STATUS_BAD_ARGUMENT);

    cr_assert_eq(weft_forecast_play(forecast, &machine, 0, &result), WEFT_STATUS_BAD_ARGUMENT);
    cr_assert_eq(weft_forecast_play(forecast, &machine, WEFT_FORECAST_WORKERS_MAX + 1, &result),
                 WEFT_STATUS_BAD_ARGUMENT);
    double* numbers[] = {&machine.speed,   &machine.smt,     &machine.crowding,
                         &machine.join_ns, &machine.line_ns, &machine.node_bytes_per_ns};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        double right = *numbers[i];
        *numbers[i] = -1;
        cr_assert_eq(weft_forecast_play(forecast, &machine, 1, &result), WEFT_STATUS_BAD_ARGUMENT);
        *numbers[i] = right;
    }
    const uint32_t cpus[] = {4000000};
    machine.placement = (weft_placement){WEFT_PLACEMENT_LIST, cpus, 1};
    cr_assert_eq(weft_forecast_play(forecast, &machine, 1, &result), WEFT_STATUS_BAD_ARGUMENT);
    uint64_t bytes;
    cr_assert_eq(weft_forecast_cache_bytes(topology, &machine.placement, 1, &bytes),
                 WEFT_STATUS_BAD_ARGUMENT);
    cr_assert_eq(weft_forecast_cache_bytes(topology, &machine.placement, 0, &bytes),
                 WEFT_STATUS_BAD_ARGUMENT);
    weft_forecast_destroy(forecast);
    weft_topology_destroy(topology);
}

// Measured ticks ---------------------------------------------------------------------------------

WEFT_COMPONENT(Heat, (uint64_t, value), (uint64_t, rate));

enum {
    SHARDS = 6,
    TICKS = 4,
};

static weft_status warm(weft_view* view, const void* context) {
    (void)context;
    Heat* heat = WEFT_WRITE(view, Heat);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        for (uint32_t k = 0; k < 20; k++)
            heat[i].value = heat[i].value * 31 + heat[i].rate + k;
    return WEFT_STATUS_OK;
}

static weft_status die(weft_view* view, const void* context) {
    (void)context;
    const Heat* heat = WEFT_READ(view, Heat);
    weft_commands* commands = weft_view_commands(view);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        if (heat[i].value % 97 == 0)
            weft_commands_destroy(commands, i, weft_view_entities(view)[i]);
    return WEFT_STATUS_OK;
}

static weft_status fail(weft_view* view, const void* context) {
    (void)view;
    (void)context;
    return WEFT_STATUS_SYSTEM_FAILED;
}

static void build_warm(weft_world* world, weft_schedule* schedule) {
    world_component(world, WEFT_TYPE(Heat), WEFT_STORAGE_DENSE);
    weft_commands* commands = weft_world_commands(world);
    for (uint32_t i = 0; i < SHARDS * WEFT_SHARD_SLOTS; i++) {
        weft_entity made = weft_commands_create(commands, 0);
        WEFT_ADD(commands, 0, made, Heat, {i, i / 7});
    }
    world_commit(world);
    run_add(schedule, WEFT_SYSTEM("warm", warm, WEFT_ACCESS(WEFT_WRITES(Heat))));
    run_add(schedule, WEFT_SYSTEM("die", die, WEFT_ACCESS(WEFT_READS(Heat), WEFT_COMMANDS)));
}

static void build_failing(weft_world* world, weft_schedule* schedule) {
    build_warm(world, schedule);
    run_add(schedule, WEFT_SYSTEM("fail", fail, WEFT_ACCESS(WEFT_READS(Heat))));
}

static void assert_alike(const sim* plain, const sim* measured) {
    weft_digest view, full, other_view, other_full;
    WORLD_OK(plain->world, weft_executor_digest(plain->executor, &view, &full));
    WORLD_OK(measured->world, weft_executor_digest(measured->executor, &other_view, &other_full));
    DIGEST_EQ(view, other_view);
    DIGEST_EQ(full, other_full);
}

// The forecast of one worker from a serial measurement is the measurement, and nothing else
// changes by being measured.
Test(forecast, measured_ticks_are_ticks, .timeout = 60) {
    static const run_config configs[] = {
        {.name = "serial", .kind = WEFT_EXECUTOR_SERIAL, .workers = 1},
        {.name = "threads", .kind = WEFT_EXECUTOR_THREADS, .workers = 2, .everybody = true},
    };
    weft_topology* topology = machine_open(NULL, 0);
    weft_forecast_machine machine = machine_of(topology);
    for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
        sim plain = sim_open(&configs[i], build_warm);
        sim measured = sim_open(&configs[i], build_warm);
        weft_forecast* forecast = make();
        for (uint32_t tick = 0; tick < TICKS; tick++) {
            sim_tick(&plain);
            WORLD_OK(measured.world,
                     weft_forecast_measure(forecast, measured.executor, tick % 2 == 1));
            assert_alike(&plain, &measured);
        }
        uint32_t disturbed = 0;
        cr_assert_eq(weft_forecast_ticks(forecast, &disturbed), TICKS);
        cr_assert_leq(disturbed, TICKS);
        weft_forecast_result one = play(forecast, &machine, 1);
        cr_assert_gt(one.work_ns, 10000, "there is some work in this");
        // A stage, and the commit's batches of those who die.
        cr_assert_geq(one.batch_count, 2 * (disturbed < TICKS ? TICKS - disturbed : TICKS));
        assert_near(one.tick_ns, one.work_ns, "the sum of the work", 1);
        cr_assert_eq(weft_forecast_join_ns(measured.executor) > 0,
                     configs[i].kind == WEFT_EXECUTOR_THREADS &&
                         weft_executor_stats_read(measured.executor).oversubscribed == false);
        weft_forecast_destroy(forecast);
        sim_close(&plain);
        sim_close(&measured);
    }
    weft_topology_destroy(topology);
}

Test(forecast, ticks_that_fail_or_cannot_be_measured_leave_nothing, .timeout = 60) {
    run_config config = {.name = "virtual", .kind = WEFT_EXECUTOR_VIRTUAL, .workers = 2, .seed = 1};
    sim s = sim_open(&config, build_warm);
    weft_forecast* forecast = make();
    cr_assert_eq(weft_forecast_measure(forecast, s.executor, false), WEFT_STATUS_UNSUPPORTED);
    sim_close(&s);
    config = (run_config){.name = "serial", .kind = WEFT_EXECUTOR_SERIAL, .workers = 1};
    s = sim_open(&config, build_failing);
    cr_assert_eq(weft_forecast_measure(forecast, s.executor, false), WEFT_STATUS_SYSTEM_FAILED);
    cr_assert_eq(weft_forecast_ticks(forecast, NULL), 0);
    sim_close(&s);
    weft_forecast_destroy(forecast);
}

// Who ran what, and how many at a time.
static atomic_uint at_once, most_at_once, by_others;
static pthread_t caller;

static weft_status watched(weft_view* view, const void* context) {
    (void)context;
    unsigned now = atomic_fetch_add(&at_once, 1) + 1;
    if (now > atomic_load(&most_at_once))
        atomic_store(&most_at_once, now);
    if (!pthread_equal(pthread_self(), caller))
        atomic_fetch_add(&by_others, 1);
    Heat* heat = WEFT_WRITE(view, Heat);
    for (uint32_t i = 0; i < weft_view_row_count(view); i++)
        for (uint32_t k = 0; k < 200; k++)
            heat[i].value = heat[i].value * 31 + heat[i].rate + k;
    atomic_fetch_sub(&at_once, 1);
    return WEFT_STATUS_OK;
}

static void build_watched(weft_world* world, weft_schedule* schedule) {
    build_warm(world, schedule);
    run_add(schedule, WEFT_SYSTEM("watched", watched, WEFT_ACCESS(WEFT_WRITES(Heat))));
}

// Ticks that tell what lines cost are ticks, of which two workers run their shares in turn, or the
// caller runs all.
Test(forecast, ticks_for_lines_are_run_in_turn, .timeout = 60) {
    static const run_config configs[] = {
        {.name = "threads", .kind = WEFT_EXECUTOR_THREADS, .workers = 2, .everybody = true},
        {.name = "paced threads", .kind = WEFT_EXECUTOR_THREADS, .workers = 2},
    };
    caller = pthread_self();
    for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
        sim plain = sim_open(&configs[i], build_watched);
        sim measured = sim_open(&configs[i], build_watched);
        weft_forecast* forecast = make();
        for (uint32_t tick = 0; tick < 4 * TICKS; tick++) {
            bool in_turns = tick / 4 % 2 == 1;
            bool counts = true;
            sim_tick(&plain);
            atomic_store(&most_at_once, 0);
            atomic_store(&by_others, 0);
            WORLD_OK(measured.world, weft_forecast_measure_lines(forecast, measured.executor, true,
                                                                 in_turns, &counts));
            cr_assert_eq(atomic_load(&most_at_once), 1, "one at a time");
            cr_assert(in_turns || atomic_load(&by_others) == 0, "all by the caller");
            cr_assert(!counts || tick % 4 != 0, "the other way went before");
            cr_assert(!counts || !in_turns || atomic_load(&by_others) > 0, "both have a share");
            assert_alike(&plain, &measured);
        }
        cr_assert_eq(weft_forecast_ticks(forecast, NULL), 0, "they are not played");
        weft_forecast_destroy(forecast);
        sim_close(&plain);
        sim_close(&measured);
    }
}

Test(forecast, lines_are_of_two_threads, .timeout = 60) {
    static const run_config configs[] = {
        {.name = "serial", .kind = WEFT_EXECUTOR_SERIAL, .workers = 1},
        {.name = "three", .kind = WEFT_EXECUTOR_THREADS, .workers = 3},
        {.name = "virtual", .kind = WEFT_EXECUTOR_VIRTUAL, .workers = 2, .seed = 1},
    };
    for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
        sim s = sim_open(&configs[i], build_warm);
        weft_forecast* forecast = make();
        bool counts = true;
        cr_assert_eq(weft_forecast_measure_lines(forecast, s.executor, false, true, &counts),
                     WEFT_STATUS_UNSUPPORTED, "%s", configs[i].name);
        cr_assert(!counts);
        weft_forecast_destroy(forecast);
        sim_close(&s);
    }
    sim s = sim_open(&(run_config){.name = "failing", .kind = WEFT_EXECUTOR_THREADS, .workers = 2},
                     build_failing);
    weft_forecast* forecast = make();
    cr_assert_eq(weft_forecast_measure_lines(forecast, s.executor, false, true, NULL),
                 WEFT_STATUS_SYSTEM_FAILED);
    weft_forecast_destroy(forecast);
    sim_close(&s);
}
