/// oneTBB: a flow graph of continue nodes that is built once, and parallel_for.

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <oneapi/tbb/version.h>

#include <cstdio>
#include <new>
#include <vector>

extern "C" {
#include "peer.h"
}

namespace {

namespace flow = oneapi::tbb::flow;
using range = oneapi::tbb::blocked_range<size_t>;

// A thread that could not be pinned works all the same.
void pin(const weft_peer_place& place, int slot) {
    (void)!weft_topology_pin_self(place.topology, place.cpu[slot]);
}

// Pins each worker when it comes in. The caller is pinned by wake().
class pinner : public oneapi::tbb::task_scheduler_observer {
  public:
    pinner(oneapi::tbb::task_arena& arena, const weft_peer_place& where)
        : task_scheduler_observer(arena), place(where) {
        observe(true);
    }
    ~pinner() override {
        observe(false);
    }
    void on_scheduler_entry(bool is_worker) override {
        int slot = oneapi::tbb::this_task_arena::current_thread_index();
        if (is_worker && slot >= 0 && slot < static_cast<int>(place.worker_count))
            pin(place, slot);
    }

  private:
    const weft_peer_place& place;
};

struct team {
    explicit team(const weft_peer_place& where)
        : place(where), arena(static_cast<int>(where.worker_count), 1), pins(arena, place) {
    }

    weft_peer_place place;
    oneapi::tbb::task_arena arena;
    pinner pins;
    weft_peer_mask own{}; // The caller's CPUs, while awake.
};

using node = flow::continue_node<flow::continue_msg>;

struct graph {
    team* workers;
    flow::graph flow;
    std::vector<node> nodes;
    std::vector<uint32_t> roots;
};

void version(char* text, size_t size) {
    std::snprintf(text, size, "oneTBB %d.%d", TBB_VERSION_MAJOR, TBB_VERSION_MINOR);
}

weft_status open_team(const weft_peer_place* place, void** team_out) {
    *team_out = new (std::nothrow) team(*place);
    return *team_out ? WEFT_STATUS_OK : WEFT_STATUS_OUT_OF_MEMORY;
}

void close_team(void* opened) {
    delete static_cast<team*>(opened);
}

void sweep(void* opened, const weft_peer_loop* loop, uint64_t sweep_count) {
    static_cast<team*>(opened)->arena.execute([=] {
        for (uint64_t i = 0; i < sweep_count; ++i) {
            oneapi::tbb::parallel_for(
                range(0, loop->count, loop->grain),
                [=](const range& part) { loop->run(loop->context, i, part.begin(), part.end()); },
                oneapi::tbb::static_partitioner());
        }
    });
}

void nothing(void*, uint64_t, size_t, size_t) {
}

void wake(void* opened) {
    auto* workers = static_cast<team*>(opened);
    weft_peer_pin(&workers->place, &workers->own);
    const weft_peer_loop loop = {64, 1, nothing, nullptr};
    sweep(opened, &loop, 64);
}

void rest(void* opened) {
    auto* workers = static_cast<team*>(opened);
    weft_peer_unpin(&workers->own);
    weft_peer_settle(); // Idle workers yield for a while, then sleep.
}

weft_status graph_create(void* opened, const weft_peer_edges* edges, weft_peer_node* run,
                         void* context, void** graph_out) {
    *graph_out = nullptr;
    try {
        auto* workers = static_cast<team*>(opened);
        // A flow graph belongs to the arena in which it is made.
        workers->arena.execute([&] {
            auto* made = new graph{workers, {}, {}, {}};
            *graph_out = made;
            made->nodes.reserve(edges->node_count);
            for (uint32_t i = 0; i < edges->node_count; ++i) {
                made->nodes.emplace_back(made->flow,
                                         [=](const flow::continue_msg&) { run(context, i); });
                for (uint32_t k = edges->first[i]; k < edges->first[i + 1]; ++k)
                    flow::make_edge(made->nodes[edges->from[k]], made->nodes[i]);
                if (edges->first[i] == edges->first[i + 1])
                    made->roots.push_back(i);
            }
        });
    } catch (const std::bad_alloc&) {
        delete static_cast<graph*>(*graph_out);
        *graph_out = nullptr;
        return WEFT_STATUS_OUT_OF_MEMORY;
    }
    return WEFT_STATUS_OK;
}

void graph_run(void* created, uint64_t repeat) {
    auto* made = static_cast<graph*>(created);
    made->workers->arena.execute([=] {
        for (uint64_t i = 0; i < repeat; ++i) {
            for (uint32_t root : made->roots)
                made->nodes[root].try_put(flow::continue_msg());
            made->flow.wait_for_all();
        }
    });
}

void graph_destroy(void* created) {
    auto* made = static_cast<graph*>(created);
    if (made)
        made->workers->arena.execute([=] { delete made; });
}

weft_peer describe() {
    weft_peer made{};
    made.name = "oneTBB";
    made.graph_name = "TBB flow_graph";
    made.loop_name = "TBB parallel_for";
    made.version = version;
    made.open = open_team;
    made.close = close_team;
    made.wake = wake;
    made.rest = rest;
    made.graph_create = graph_create;
    made.graph_run = graph_run;
    made.graph_destroy = graph_destroy;
    made.sweep = sweep;
    return made;
}

const weft_peer peer = describe();

} // namespace

const weft_peer* const weft_peer_tbb = &peer;
