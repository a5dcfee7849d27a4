/// What `weft topo` knows of a machine and of where workers and shards go, and the forms it takes.
#pragma once

#include <weft/memory.h>

#include "cli.h"

/// What became of pinning a thread to a worker's CPU.
typedef enum topo_pin {
    TOPO_PIN_UNTRIED, // The machine is not this one.
    TOPO_PIN_OK,      // The mask that was read back is this CPU alone.
    TOPO_PIN_REFUSED,
} topo_pin;

typedef struct topo_report {
    const char* source; // As in weft_topology_desc.
    weft_topology* topology;
    weft_topology_info info;
    const weft_topology_cpu* cpus; // [info.worker_cpu_count]
    weft_placement placement;
    uint32_t worker_count;
    bool suggested; // The number of workers, by the machine.
    uint32_t active_count;
    weft_seat* seats;        // [worker_count]
    topo_pin* pins;          // [worker_count]
    weft_status interleaves; // Whether memory can be dealt out over the nodes.
    uint64_t entity_count;
    uint32_t shard_count;
} topo_report;

/// Places workers and shards, and tries the pins. `topology`, `placement`, `worker_count` (0: what
/// is suggested) and `entity_count` are set. Status: BAD_ARGUMENT for a list of CPUs,
/// OUT_OF_MEMORY.
weft_status topo_report_init(topo_report* report);
void topo_report_deinit(topo_report* report);

const weft_topology_cpu* topo_cpu(const topo_report* report, uint32_t os_index);

/// Why a worker is on its CPU, or rests, in words. Free it.
char* topo_why(const topo_report* report, uint32_t worker);

/// The reason, for programs: "core", "sibling", ...
const char* topo_reason_name(weft_seat_reason reason);

/// "read back", "refused", "not tried".
const char* topo_pin_text(topo_pin pin);

/// The same of memory that lies in turn on all nodes, or "not in this build".
const char* topo_binding_text(const topo_report* report);

/// The shards of a worker: none for one that rests.
void topo_shards(const topo_report* report, uint32_t worker, uint32_t* first, uint32_t* end);

/// What a policy does, in words.
const char* topo_policy_text(weft_placement_policy policy);

/// "31.4 GiB"; whole numbers without a fraction.
const char* topo_bytes(uint64_t bytes, char text[WEFT_CLI_NUMBER_SIZE]);

/// The CPUs that are closed and masked, or closed otherwise, as a list. Free it.
char* topo_closed_text(const topo_report* report, bool masked);

/// "1 core", "2 cores".
const char* topo_count(uint32_t count, const char* what, char text[WEFT_CLI_NUMBER_SIZE]);

// Each prints a topo_report.
void topo_text_print(FILE* file, const void* report);
void topo_json_print(FILE* file, const void* report);
void topo_svg_print(FILE* file, const void* report);
