#define _GNU_SOURCE // sched_getaffinity

#include "peer.h"

#include "hand.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

uint32_t weft_peers(const weft_peer* peers[WEFT_PEERS_MAX]) {
    const weft_peer* const all[WEFT_PEERS_MAX] = {&weft_peer_hand, weft_peer_openmp, weft_peer_tbb,
                                                  weft_peer_starpu};
    uint32_t count = 0;
    for (uint32_t i = 0; i < WEFT_PEERS_MAX; ++i) {
        if (all[i])
            peers[count++] = all[i];
    }
    return count;
}

void weft_peers_describe(char* text, size_t size) {
    static const char* const missing[WEFT_PEERS_MAX] = {"", "OpenMP", "oneTBB", "StarPU"};
    const weft_peer* const all[WEFT_PEERS_MAX] = {NULL, weft_peer_openmp, weft_peer_tbb,
                                                  weft_peer_starpu};
    size_t at = 0;
    for (uint32_t i = 1; i < WEFT_PEERS_MAX; ++i) {
        char one[64];
        if (all[i])
            all[i]->version(one, sizeof(one));
        else
            snprintf(one, sizeof(one), "%s is not there", missing[i]);
        int length = snprintf(text + at, size - at, "%s%s", at > 0 ? ", " : "", one);
        if (length > 0)
            at += (size_t)length < size - at ? (size_t)length : size - at - 1;
    }
}

weft_status weft_peer_place_choose(const weft_topology* topology, uint32_t worker_count,
                                   weft_peer_place* out) {
    WEFT_ASSERT(worker_count >= 1 && worker_count <= WEFT_PEER_WORKERS_MAX);
    *out = (weft_peer_place){.topology = topology, .worker_count = worker_count};
    if (worker_count == 2)
        return weft_hand_cpus(topology, out->cpu, 2) == 2 ? WEFT_STATUS_OK
                                                          : WEFT_STATUS_UNSUPPORTED;
    uint32_t count;
    out->cpu[0] = weft_topology_cpus(topology, &count)[0].os_index;
    return WEFT_STATUS_OK;
}

// Teams ------------------------------------------------------------------------------------------

weft_status weft_peer_open(const weft_peer* peer, const weft_peer_place* place,
                           weft_peer_team* team_out) {
    *team_out = (weft_peer_team){.peer = peer};
    return peer->open(place, &team_out->team);
}

void weft_peer_close(weft_peer_team* team) {
    if (team->team)
        team->peer->close(team->team);
    team->team = NULL;
}

weft_status weft_peers_open(const weft_peer_place* place, weft_peer_teams* out) {
    const weft_peer* peers[WEFT_PEERS_MAX];
    uint32_t count = weft_peers(peers);
    *out = (weft_peer_teams){.count = 0};
    for (uint32_t i = 0; i < count; ++i) {
        weft_status status = weft_peer_open(peers[i], place, &out->team[out->count]);
        if (status == WEFT_STATUS_OK)
            ++out->count;
        else if (peers[i]->bound)
            return status;
    }
    return WEFT_STATUS_OK;
}

void weft_peers_close(weft_peer_teams* teams) {
    for (uint32_t i = 0; i < teams->count; ++i)
        weft_peer_close(&teams->team[i]);
    teams->count = 0;
}

void weft_peer_for(const weft_peer_team* team, size_t count, size_t grain, weft_peer_range* run,
                   void* context) {
    weft_peer_loop loop = {.count = count, .grain = grain, .run = run, .context = context};
    team->peer->sweep(team->team, &loop, 1);
}

void weft_peer_prepare(void* side) {
    const weft_peer_team* team = ((weft_peer_side*)side)->team;
    team->peer->wake(team->team);
}

weft_status weft_peer_run(void* side, uint64_t repeat) {
    const weft_peer_side* work = side;
    const weft_peer* peer = work->team->peer;
    if (work->graph)
        peer->graph_run(work->graph, repeat);
    else
        peer->sweep(work->team->team, &work->loop, repeat);
    return WEFT_STATUS_OK;
}

void weft_peer_finish(void* side) {
    const weft_peer_team* team = ((weft_peer_side*)side)->team;
    team->peer->rest(team->team);
}

// For peers --------------------------------------------------------------------------------------

_Static_assert(sizeof(weft_peer_mask) == sizeof(cpu_set_t), "a mask holds the system's own");

void weft_peer_pin(const weft_peer_place* place, weft_peer_mask* own) {
    cpu_set_t set;
    CPU_ZERO(&set);
    (void)sched_getaffinity(0, sizeof(set), &set);
    memcpy(own, &set, sizeof(set));
    (void)!weft_topology_pin_self(place->topology, place->cpu[0]);
}

void weft_peer_unpin(const weft_peer_mask* own) {
    cpu_set_t set;
    memcpy(&set, own, sizeof(set));
    (void)sched_setaffinity(0, sizeof(set), &set);
}

static uint64_t process_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void weft_peer_settle(void) {
    // This thread sleeps for most of a nap, so what the process uses meanwhile is the others'.
    const struct timespec nap = {.tv_nsec = 200000};
    for (int i = 0; i < 100; ++i) {
        uint64_t before = process_ns();
        nanosleep(&nap, NULL);
        if (process_ns() - before < 60000)
            return;
    }
}
