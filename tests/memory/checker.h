/// A checker of scenes under the C11 memory model: what a scene's threads do, interleaved in many
/// ways, with every value that a weak machine may show them. The bodies are in checker.cpp, on
/// Relacy; the scenes and the code that they check are C.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CHECK_THREADS_MAX = 3,
    CHECK_WORDS_MAX = 64,
    CHECK_CELLS_MAX = 32,
};

typedef enum check_order {
    CHECK_RELAXED,
    CHECK_ORDERED, // Acquire of a load, release of a store.
} check_order;

/// A way to spoil the code under the checker.
typedef enum check_fault {
    FAULT_NONE,
    FAULT_RELAXED_LOAD,  // Loads of the word are relaxed,
    FAULT_RELAXED_STORE, // or stores,
    FAULT_RELAXED_RMW,   // or read-modify-writes.
    FAULT_STUCK,         // Adding to the word does nothing.
    FAULT_NO_WAKE,       // Waking those who sleep on the word does nothing.
    FAULT_NO_FENCE,      // Fences of the first thread, or of all others, do nothing.
    FAULT_NO_SECOND_LOOK // Whoever runs a share finds it current, whatever was announced.
} check_fault;

/// What some threads do to something that they share.
typedef struct check_scene {
    const char* name;
    uint32_t threads;
    void (*before)(void); // Sets everything up anew: check_word() for each word, then its values.
    void (*thread)(uint32_t index);
    void (*after)(void);
    uint32_t switches; // Executions with at most as many forced switches are all tried; 0: none.
} check_scene;

/// Every execution is tried.
#define CHECK_ALL UINT32_MAX

/// A fault that must be found in a scene.
typedef struct check_canary {
    const char* scene;
    check_fault fault;
    const char* word; // As named by check_word(); of a fence "first" or "others".
} check_canary;

extern const check_scene check_scenes[];
extern const uint32_t check_scene_count;
extern const check_canary check_canaries[];
extern const uint32_t check_canary_count;

/// Makes an atomic word known; it holds 0. In `before` only. Words may share a name.
void check_word(const void* word, const char* name);

uint64_t check_load(const void* word, check_order order);
void check_store(void* word, uint64_t value, check_order order);
uint64_t check_add(void* word, uint64_t value);
bool check_compare_exchange(void* word, uint64_t* expected, uint64_t desired);
void check_fence(void);

/// Lets others run: what waiting loops do.
void check_relax(void);

/// As a futex: sleeps while the word holds `expected`, false after a timeout.
bool check_futex_wait(const void* word, uint32_t expected, bool timed);
void check_futex_wake(const void* word);

/// Memory without atomics: reading or writing a cell in a race is an error.
uint64_t check_cell_read(uint32_t cell);
void check_cell_write(uint32_t cell, uint64_t value);

/// Between the two the calling thread runs a share, for FAULT_NO_SECOND_LOOK.
void check_run_begin(void);
void check_run_end(void);

/// Ends the execution as failed if `holds` is false.
void check_that(bool holds, const char* what);

#ifdef __cplusplus
}
#endif
