/// Campaigns of random graphs.
#pragma once

#include "plain_graph.h"

typedef struct graphs_campaign {
    const char* name;
    uint32_t systems; // At most.
    uint32_t graphs;
    bool messages; // Channels and reductions too, which large graphs would hardly ever allow.
} graphs_campaign;

/// Draws graphs, `scale` times as many as the campaign says (a tenth under sanitizers and
/// emulators), and fails the test at the first difference, with the seed. WEFT_TEST_SEED sets the
/// seed.
void graphs_run(const graphs_campaign* c, uint32_t scale);

/// One graph, an eighth of it under sanitizers and emulators.
void graphs_run_one(const char* name, const plain_shape* shape, uint64_t seed);
