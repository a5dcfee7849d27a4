/// What `weft topo` knows of a machine and of where workers and shards go, and the forms it takes.
///
/// It is asked of a topology, or read from what topo_json_print() printed; all forms are printed of
/// either.
#pragma once

#include <weft/memory.h>

#include "cli.h"

/// What became of pinning a thread to a worker's CPU.
typedef enum topo_pin {
    TOPO_PIN_UNTRIED, // The machine is not this one.
    TOPO_PIN_OK,      // The mask that was read back is this CPU alone.
    TOPO_PIN_REFUSED,
} topo_pin;

/// What a report that was read has of its own.
typedef struct topo_lists {
    weft_topology_cpu* cpus;
    weft_topology_closed_cpu* closed;
    weft_topology_node* nodes;
    weft_topology_cache* caches;
    weft_topology_kind* kinds;
} topo_lists;

typedef struct topo_report {
    const char* source;            // As in weft_topology_desc.
    const weft_topology* topology; // Outlives the report. Null: it was read.
    weft_topology_info info;
    const weft_topology_cpu* cpus; // [info.worker_cpu_count]
    const weft_topology_closed_cpu* closed;
    const weft_topology_node* nodes;
    const weft_topology_cache* caches;
    const weft_topology_kind* kinds; // [info.kind_count]
    uint32_t closed_count;
    uint32_t node_count;
    uint32_t cache_count;
    weft_placement placement; // Its list is not set in a report that was read.
    uint32_t worker_count;
    uint32_t suggested_count; // Of workers, by the machine.
    bool suggested;           // Nobody said how many.
    uint32_t active_count;
    weft_seat* seats;        // [worker_count]
    topo_pin* pins;          // [worker_count]
    weft_status interleaves; // Whether memory can be dealt out over the nodes.
    uint64_t entity_count;
    uint32_t shard_count;
    topo_lists own;
} topo_report;

/// Entities whose shards are shown, where nothing is said.
#define TOPO_ENTITIES_DEFAULT 1000000u

/// Places workers and shards, and tries the pins. `topology`, `placement`, `worker_count` (0: what
/// is suggested) and `entity_count` are set. Status: BAD_ARGUMENT for a list of CPUs,
/// OUT_OF_MEMORY. To be deinitialized in any case.
weft_status topo_report_init(topo_report* report);
void topo_report_deinit(topo_report* report);

/// Reads what topo_json_print() printed, which must outlive the report. False, with a line that
/// says what is wrong and where in it, if anything is missing, of another type, or at odds with the
/// rest; keys that it does not know are none of its business. To be deinitialized in any case.
bool topo_json_read(const json_t* root, topo_report* out, char* line, size_t capacity);

const weft_topology_cpu* topo_cpu(const topo_report* report, uint32_t os_index);

/// Why a worker is on its CPU, or rests, in words. Free it.
char* topo_why(const topo_report* report, uint32_t worker);

/// The reason, for programs: "core", "sibling", ...
#define TOPO_REASONS 5u
const char* topo_reason_name(weft_seat_reason reason);

/// "read back", "refused", "not tried".
#define TOPO_PINS 3u
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

/// What is known of the machine and of its workers together, fact by fact, each with its name.
typedef void topo_fact_fn(void* context, const char* name, const char* text);
void topo_facts(const topo_report* report, topo_fact_fn* fact, void* context);

/// "2 packages, 1 NUMA node, 4 cores, 8 CPUs".
#define TOPO_SIZE_TEXT 160u
const char* topo_size_text(const topo_report* report, char text[TOPO_SIZE_TEXT]);

/// "3-5", "3", or "-": the shards of a worker.
const char* topo_shards_text(const topo_report* report, uint32_t worker,
                             char text[WEFT_CLI_NUMBER_SIZE]);

/// An identity as a number, or "-" where it is not told.
const char* topo_identity_text(uint32_t identity, char text[WEFT_CLI_NUMBER_SIZE]);

/// The report as JSON.
json_t* topo_json(const topo_report* report);

/// The same of a topology with so many workers (0: what is suggested), for what is printed about
/// it; null if there is no memory.
json_t* topo_json_of(const weft_topology* topology, const char* source,
                     const weft_placement* placement, uint32_t worker_count, uint64_t entity_count);

/// The picture as an SVG element. `id` begins its ids, so that a page can have several.
void topo_svg_draw(FILE* file, const topo_report* report, const char* id);

// Each prints a topo_report.
void topo_text_print(FILE* file, const void* report);
void topo_json_print(FILE* file, const void* report);
void topo_svg_print(FILE* file, const void* report);
