/// Other runtimes behind one interface: what Weft is measured against, side by side in one run.
///
/// A peer runs two forms of work, each in the way that is natural and fast for it: a static graph,
/// run again and again, and sweeps, loops with a join after each. The hand-written peer is always
/// there: it is the bound, not a rival. The others are optional: only the program is linked with
/// them, so weft_main, which is installed, has the bodies without them.
///
/// A team is a peer's threads, one for each CPU, pinned as Weft's are; the caller is one of them
/// where the runtime allows it. At most one team of a peer is open at a time. Between
/// `wake` and `rest` it may spin; outside it sleeps, so that it never disturbs
/// another alternative.
#pragma once

#include <weft/topology.h>

#include "harness.h"

/// Workers of a team at most: the hand-written bound is made for two.
#define WEFT_PEER_WORKERS_MAX 2

/// Where a team's workers run.
typedef struct weft_peer_place {
    const weft_topology* topology;
    uint32_t worker_count; // 1 or 2.
    uint32_t cpu[WEFT_PEER_WORKERS_MAX];
} weft_peer_place;

/// The place of so many workers. UNSUPPORTED where there are not as many CPUs.
weft_status weft_peer_place_choose(const weft_topology* topology, uint32_t worker_count,
                                   weft_peer_place* out);

/// One node of a graph.
typedef void weft_peer_node(void* context, uint32_t node);

/// A static graph. Every edge goes from a smaller node to a greater one. The caller keeps what is
/// pointed to while the graph lives.
typedef struct weft_peer_edges {
    uint32_t node_count;
    const uint32_t* first; // node_count + 1 of them: node n waits for from[first[n]] and so on.
    const uint32_t* from;
} weft_peer_edges;

/// Items `first` to `end` - 1 of sweep `sweep`.
typedef void weft_peer_range(void* context, uint64_t sweep, size_t first, size_t end);

/// Loops over `count` independent items, cut into pieces of `grain`. All items of a sweep are done
/// before the next one begins.
typedef struct weft_peer_loop {
    size_t count;
    size_t grain;
    weft_peer_range* run;
    void* context;
} weft_peer_loop;

/// One runtime.
typedef struct weft_peer {
    const char* name;
    const char* graph_name; // Of its graphs in tables; null: it has none.
    const char* loop_name;  // Of its sweeps; null: it has none.
    bool bound;             // Hand-written: the floor, not a rival.
    /// The version that runs.
    void (*version)(char* text, size_t size);
    /// Starts the threads, which sleep. OS, OUT_OF_MEMORY, UNSUPPORTED.
    weft_status (*open)(const weft_peer_place* place, void** team_out);
    /// Stops them. Graphs must be gone.
    void (*close)(void* team);
    /// Sets the threads to work, and pins the caller. Untimed.
    void (*wake)(void* team);
    /// Sends them to sleep, and gives the caller its CPUs back. Untimed.
    void (*rest)(void* team);
    /// Builds a graph, whatever the runtime can do in advance. OUT_OF_MEMORY.
    weft_status (*graph_create)(void* team, const weft_peer_edges* edges, weft_peer_node* run,
                                void* context, void** graph_out);
    /// Runs the whole graph `repeat` times, one after the other.
    void (*graph_run)(void* graph, uint64_t repeat);
    void (*graph_destroy)(void* graph);
    /// Runs sweeps 0 to `sweep_count` - 1.
    void (*sweep)(void* team, const weft_peer_loop* loop, uint64_t sweep_count);
} weft_peer;

extern const weft_peer weft_peer_hand;
extern const weft_peer* const weft_peer_openmp; // Null where it was not found, as the ones below.
extern const weft_peer* const weft_peer_tbb;
extern const weft_peer* const weft_peer_starpu;

#define WEFT_PEERS_MAX 4

/// The peers of this program, the hand-written one first. Returns how many.
uint32_t weft_peers(const weft_peer* peers[WEFT_PEERS_MAX]);

/// One line for a table's note: versions of the peers that are there, names of those that are not.
void weft_peers_describe(char* text, size_t size);

// Teams ------------------------------------------------------------------------------------------

/// A peer with an open team.
typedef struct weft_peer_team {
    const weft_peer* peer;
    void* team; // Null: not open.
} weft_peer_team;

weft_status weft_peer_open(const weft_peer* peer, const weft_peer_place* place,
                           weft_peer_team* team_out);

/// Closes a team. A zeroed one is allowed.
void weft_peer_close(weft_peer_team* team);

/// Teams of all peers at one place.
typedef struct weft_peer_teams {
    uint32_t count;
    weft_peer_team team[WEFT_PEERS_MAX]; // The hand-written one first.
} weft_peer_teams;

/// Opens them. A runtime that does not start here is left out, as if it were not installed; only
/// the hand-written peer must.
weft_status weft_peers_open(const weft_peer_place* place, weft_peer_teams* out);

/// Closes them. Zeroed teams are allowed.
void weft_peers_close(weft_peer_teams* teams);

/// Runs one loop: a sweep over `count` items in pieces of `grain`. The team is awake.
void weft_peer_for(const weft_peer_team* team, size_t count, size_t grain, weft_peer_range* run,
                   void* context);

/// A peer's work as a case of a measurement (harness.h): a graph, or one sweep a repeat.
typedef struct weft_peer_side {
    const weft_peer_team* team;
    void* graph; // Null: sweeps of `loop`.
    weft_peer_loop loop;
} weft_peer_side;

/// The three calls of a weft_case whose context is a weft_peer_side.
void weft_peer_prepare(void* side);
weft_status weft_peer_run(void* side, uint64_t repeat);
void weft_peer_finish(void* side);

// For peers --------------------------------------------------------------------------------------

/// The CPUs of a thread, kept while it is pinned to one.
typedef struct weft_peer_mask {
    uint64_t bits[16];
} weft_peer_mask;

/// Pins the caller to the place's first CPU. What cannot be pinned runs all the same.
void weft_peer_pin(const weft_peer_place* place, weft_peer_mask* own);

/// Gives the caller its CPUs back.
void weft_peer_unpin(const weft_peer_mask* own);

/// Sleeps until the other threads of this process use no CPU time any more, 20 ms at most: some
/// runtimes have no way of saying when their threads shall stop to spin.
void weft_peer_settle(void);
