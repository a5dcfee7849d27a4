// One batch, event by event: what weft__pool_run() and the board do, with costs in place of work.
//
// Between two events everybody goes on at a steady pace. Pieces that read memory share the
// bandwidth of the node that it is on: all their memory parts stretch by one factor, such that
// together they take what the node gives. An event is the end of a piece. Of workers whose pieces
// end at the same time the first one claims first.

#include "forecast_play.h"
#include "board.h"

// What the look at another worker's line takes, of the round trip of a line.
#define LOOK_PART 0.25
// Ends so close to each other are one event.
#define SAME_PART 1e-12
// The factor of a node is found by Newton's method from below, where it ends by itself.
#define ROUNDS_MAX 64u
#define NEAR_ENOUGH 1e-10
// Of what the caller does alone at least so much is not waiting for lines.
#define LEAST_PART 0.25

// How much longer the batch's items take where two have written what they read.
static double lines_of(const weft__forecast_play* play, const weft__forecast_batch* batch) {
    return batch->part == WEFT__NONE ? batch->lines
                                     : play->forecast->parts.items[batch->part].lines;
}

static double before_lines_of(const weft__forecast_play* play, const weft__forecast_batch* batch) {
    return batch->part == WEFT__NONE ? batch->before_lines_ns
                                     : play->forecast->parts.items[batch->part].before_lines_ns;
}

double weft__forecast_cost(const weft__forecast_play* play, const weft__forecast_batch* batch,
                           const weft_forecast_item* item) {
    return item->cost_ns / (1 + lines_of(play, batch) * play->far_measured);
}

double weft__forecast_before(const weft__forecast_play* play, const weft__forecast_batch* batch) {
    double lines = before_lines_of(play, batch) * play->far_measured;
    double least = batch->before_ns * LEAST_PART;
    return batch->before_ns - lines > least ? batch->before_ns - lines : least;
}

double weft__forecast_memory_part(const weft__forecast_play* play,
                                  const weft__forecast_batch* batch,
                                  const weft_forecast_item* item) {
    double rate = play->forecast->desc.core_bytes_per_ns;
    if (rate <= 0 || !play->limited)
        return 0;
    double memory = item->bytes / rate;
    double cost = weft__forecast_cost(play, batch, item);
    return memory < cost ? memory : cost;
}

// What an item waits for lines that others wrote.
static double lines_time(const weft__forecast_play* play, const weft__forecast_batch* batch,
                         const weft_forecast_item* item) {
    return weft__forecast_cost(play, batch, item) * lines_of(play, batch) * play->far;
}

// What it takes to get what an item touches to this worker.
static double move_time(const weft__forecast_play* play, const weft_forecast_item* item,
                        uint32_t worker) {
    uint32_t last = play->last[item->chunk];
    double rate = play->machine->move_bytes_per_ns;
    bool moves = rate > 0 && !play->limited && last != WEFT__NONE && last != worker;
    return moves ? item->touched / rate : 0;
}

// The same at the rate of a core of the machine.
static double memory_there(const weft__forecast_play* play, double memory_ns) {
    double there = play->machine->core_bytes_per_ns;
    return there > 0 ? memory_ns * play->forecast->desc.core_bytes_per_ns / there : memory_ns;
}

static double node_rate(const weft__forecast_play* play) {
    return play->limited ? play->machine->node_bytes_per_ns : 0;
}

double weft__forecast_item_time(const weft__forecast_play* play, const weft__forecast_batch* batch,
                                const weft_forecast_item* item, double speed) {
    double memory = weft__forecast_memory_part(play, batch, item);
    double compute = weft__forecast_cost(play, batch, item) - memory;
    double time = compute / speed + memory_there(play, memory);
    double rate = node_rate(play);
    double least = memory > 0 && rate > 0 ? item->bytes / rate : 0;
    return time > least ? time : least;
}

// Pieces -----------------------------------------------------------------------------------------

static const weft_forecast_item* batch_item(const weft__forecast_play* play,
                                            const weft__forecast_batch* batch, uint32_t number) {
    WEFT_CHECK(number < batch->count);
    return &play->forecast->items.items[batch->begin + number];
}

// Claims up to `grain` items of the share of `owner`.
static void claim(weft__forecast_play* play, const weft__forecast_batch* batch, uint32_t worker,
                  uint32_t owner, uint32_t grain) {
    weft__forecast_player* player = &play->players[worker];
    weft__forecast_share* share = &play->shares[owner];
    uint32_t taken = share->left < grain ? share->left : grain;
    uint32_t first = share->count - share->left;
    share->left -= taken;
    player->compute_ns = player->memory_ns = player->bytes = player->lines_ns = 0;
    player->home = player->node;
    for (uint32_t i = first; i < first + taken; i++) {
        bool loose = i < share->loose_count;
        uint32_t number =
            loose ? share->loose_begin + i : share->homed_begin + i - share->loose_count;
        const weft_forecast_item* item = batch_item(play, batch, number);
        double memory = weft__forecast_memory_part(play, batch, item);
        double compute = weft__forecast_cost(play, batch, item) - memory;
        double lines = move_time(play, item, worker) + lines_time(play, batch, item);
        player->compute_ns += compute / player->speed;
        player->lines_ns += lines;
        player->delay_ns += lines;
        player->memory_ns += memory_there(play, memory);
        play->ran_by[number] = worker;
        player->bytes += memory > 0 ? item->bytes : 0;
        if (!loose)
            player->home = play->players[owner].node;
    }
    player->runs = true;
    player->part = 1;
}

// What a worker does after its piece: more of its own share, then of the others', nearest first.
static void take(weft__forecast_play* play, const weft__forecast_batch* batch, weft__claims claims,
                 uint32_t worker, double now) {
    weft__forecast_player* player = &play->players[worker];
    player->delay_ns = 0;
    if (play->shares[worker].left > 0) {
        player->delay_ns = worker == 0 && !claims.helps ? 0 : play->machine->claim_ns;
        claim(play, batch, worker, worker, claims.grain);
        return;
    }
    const uint32_t* others = play->help_order + (size_t)worker * (play->worker_count - 1);
    for (; claims.helps && player->help_at + 1 < play->worker_count; player->help_at++) {
        uint32_t owner = others[player->help_at];
        if (owner < play->active && play->shares[owner].left > 0) {
            player->delay_ns += play->machine->line_ns;
            claim(play, batch, worker, owner, claims.grain);
            return;
        }
        player->delay_ns += LOOK_PART * play->machine->line_ns;
    }
    player->done = true;
    player->end_ns = now + player->delay_ns;
}

// Paces ------------------------------------------------------------------------------------------

// How much longer memory of a node takes with those who use it now.
static double node_slow(const weft__forecast_play* play, uint32_t node, double rate) {
    double slow = 1;
    for (uint32_t round = 0; round < ROUNDS_MAX; round++) {
        double over = -rate;
        double slope = 0;
        for (uint32_t i = 0; i < play->active; i++) {
            const weft__forecast_player* player = &play->players[i];
            if (!player->runs || player->home != node || player->bytes <= 0)
                continue;
            double whole = player->whole_ns + (slow - 1) * player->base_ns;
            over += player->bytes / whole;
            slope += player->bytes * player->base_ns / (whole * whole);
        }
        if (over <= NEAR_ENOUGH * rate || slope <= 0)
            break;
        slow += over / slope;
    }
    return slow;
}

// How long the pieces at hand take as a whole, with those who run now.
static void set_paces(weft__forecast_play* play) {
    uint32_t running = 0;
    for (uint32_t i = 0; i < play->core_count; i++)
        play->on_core[i] = 0;
    for (uint32_t i = 0; i < play->active; i++) {
        if (play->players[i].runs) {
            play->on_core[play->players[i].core]++;
            running++;
        }
    }
    const weft_forecast_machine* machine = play->machine;
    double crowd = 1;
    if (play->cpu_count > 1 && running > 1)
        crowd += (machine->crowding - 1) * (running - 1) / (play->cpu_count - 1);
    for (uint32_t i = 0; i < play->active; i++) {
        weft__forecast_player* player = &play->players[i];
        uint32_t beside = play->on_core[player->core];
        double split = player->runs && beside > 1 ? beside / machine->smt : 1;
        player->base_ns = player->memory_ns * split; // For now: of memory.
        player->whole_ns = player->delay_ns + player->compute_ns * crowd * split + player->base_ns;
    }
    double rate = node_rate(play);
    for (uint32_t node = 0; node < play->node_count; node++)
        play->slow[node] = rate > 0 ? node_slow(play, node, rate) : 1;
    for (uint32_t i = 0; i < play->active; i++) {
        weft__forecast_player* player = &play->players[i];
        double alone_ns = player->whole_ns;
        player->whole_ns += (play->slow[player->home] - 1) * player->base_ns;
        player->base_ns = alone_ns;
    }
}

// Lets time go on to the next end of a piece, and returns how much that was.
static double advance(weft__forecast_play* play) {
    double step = -1;
    for (uint32_t i = 0; i < play->active; i++) {
        const weft__forecast_player* player = &play->players[i];
        double left = player->part * player->whole_ns;
        if (!player->done && (step < 0 || left < step))
            step = left;
    }
    WEFT_ASSERT(step >= 0);
    for (uint32_t i = 0; i < play->active; i++) {
        weft__forecast_player* player = &play->players[i];
        if (player->done)
            continue;
        double whole = player->whole_ns;
        double part = whole > 0 ? step / whole : player->part;
        if (player->runs && whole > 0) {
            play->busy_ns += step * (player->base_ns - player->delay_ns) / whole;
            play->memory_ns += step * (whole - player->base_ns) / whole;
            play->lines_ns += step * player->lines_ns / whole;
        }
        player->part -= part;
        if (player->part * whole <= SAME_PART * (step + whole))
            player->part = 0;
    }
    return step;
}

// Batches ----------------------------------------------------------------------------------------

static uint32_t item_shard(const void* context, uint32_t item) {
    const weft_forecast_item* items = context;
    return items[item].shard;
}

static void cut_shares(weft__forecast_play* play, const weft__forecast_batch* batch,
                       const weft__sharing* sharing, uint64_t cost_ns) {
    weft__batch cut = {.count = batch->count,
                       .unsharded = batch->loose,
                       .context = play->forecast->items.items + batch->begin,
                       .shard_of = item_shard};
    uint64_t each = weft__sharing_each(sharing, &cut, cost_ns);
    uint64_t begin = weft__cut(0, batch->loose);
    for (uint32_t i = 0; i < play->active; i++) {
        uint64_t end = weft__sharing_end(sharing, &cut, each, (uint64_t)i + 1);
        weft__forecast_share* share = &play->shares[i];
        share->loose_begin = (uint32_t)(begin >> 32);
        share->loose_count = (uint32_t)(end >> 32) - share->loose_begin;
        share->homed_begin = (uint32_t)begin;
        share->count = share->loose_count + ((uint32_t)end - share->homed_begin);
        share->left = share->count;
        begin = end;
    }
}

static double play_together(weft__forecast_play* play, const weft__forecast_batch* batch,
                            uint64_t cost_ns) {
    weft__sharing sharing = {.join_ns = (uint64_t)play->join_ns,
                             .shards = play->shard_count,
                             .active = play->active,
                             .grain = play->machine->grain};
    weft__claims claims = weft__sharing_claims(&sharing, batch->count, cost_ns);
    cut_shares(play, batch, &sharing, cost_ns);
    uint32_t open = 0;
    for (uint32_t i = 0; i < play->active; i++) {
        weft__forecast_player* player = &play->players[i];
        player->compute_ns = player->memory_ns = player->bytes = player->lines_ns = 0;
        player->delay_ns = i == 0 ? 0 : play->join_ns / 2; // Until it sees the batch.
        player->help_at = 0;
        player->home = player->node;
        player->part = 1;
        player->runs = player->done = false;
        if (i == 0)
            take(play, batch, claims, i, 0);
        open += !player->done;
    }
    double now = 0;
    while (open > 0) {
        set_paces(play);
        now += advance(play);
        for (uint32_t i = 0; i < play->active; i++) {
            weft__forecast_player* player = &play->players[i];
            if (player->done || player->part > 0)
                continue;
            player->runs = false;
            take(play, batch, claims, i, now);
            open -= player->done;
        }
    }
    double end = play->players[0].end_ns;
    for (uint32_t i = 1; i < play->active; i++) {
        // What it looked for after its last piece nobody waits for.
        double seen = play->players[i].end_ns - play->players[i].delay_ns + play->join_ns / 2;
        end = seen > end ? seen : end;
    }
    return end;
}

// Where things are after it.
static void note_touched(weft__forecast_play* play, const weft__forecast_batch* batch,
                         bool shared) {
    for (uint32_t i = 0; i < batch->count; i++) {
        const weft_forecast_item* item = batch_item(play, batch, i);
        if (item->touched > 0)
            play->last[item->chunk] = shared ? play->ran_by[i] : 0;
    }
}

static void note_alone(weft__forecast_play* play, double ns) {
    play->busy_ns += ns;
    play->alone_ns += ns * (play->active - 1);
}

double weft__forecast_batch_time(weft__forecast_play* play, const weft__forecast_batch* batch,
                                 bool* shared_out) {
    double speed = play->players[0].speed;
    double before = weft__forecast_before(play, batch) / speed;
    before += before_lines_of(play, batch) * play->far;
    double alone = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        const weft_forecast_item* item = batch_item(play, batch, i);
        alone += weft__forecast_item_time(play, batch, item, speed) + move_time(play, item, 0) +
                 lines_time(play, batch, item);
    }
    *shared_out = false;
    uint64_t cost = batch->guess_ns != 0 ? batch->guess_ns : (uint64_t)alone;
    bool may = play->active > 1 && batch->count > 1;
    if (may && batch->guess_ns != 0)
        may = weft__sharing_gain(cost, play->active, (uint64_t)play->join_ns) > 0;
    note_alone(play, before);
    if (may) {
        double busy = play->busy_ns;
        double memory = play->memory_ns;
        double lines = play->lines_ns;
        double together = play_together(play, batch, cost);
        *shared_out = batch->guess_ns != 0 || together < alone;
        if (*shared_out) {
            note_touched(play, batch, true);
            return before + together;
        }
        play->busy_ns = busy;
        play->memory_ns = memory;
        play->lines_ns = lines;
    }
    note_touched(play, batch, false);
    note_alone(play, alone);
    return before + alone;
}
