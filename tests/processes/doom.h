/// A small world with a system that dies when it is told to.
#pragma once

#ifndef _GNU_SOURCE
#error "define _GNU_SOURCE before the first include"
#endif

#include <weft/crash.h>
#include <weft/memory.h>

#include <stdatomic.h>
#include <sys/types.h>

#include "worlds.h"

WEFT_COMPONENT(Hull, (uint64_t, mass), (uint32_t, age), (uint32_t, pushed));
WEFT_COMPONENT(Cargo, (uint32_t, crates));
WEFT_TAG(Left);
WEFT_RESOURCE(Gauge, (uint64_t, sum), (uint64_t, ticks));
WEFT_RESOURCE(Dial, (uint64_t, turn)); // Set by the host.
WEFT_PARTIAL(Total, (uint64_t, sum));
WEFT_MESSAGE(Push, (uint64_t, force));
WEFT_MESSAGE(Note, (uint64_t, tick), (uint64_t, sum)); // A log.

/// How it dies.
typedef enum doom_kind {
    DOOM_NONE = 0,
    DOOM_KILL,      // SIGKILL, as the system does it when memory is short.
    DOOM_NULL,      // A write to nowhere.
    DOOM_READ_ONLY, // A write to what was declared to be read.
    DOOM_ABORT,
    DOOM_ASSERT,
    DOOM_EXIT,   // exit(3)
    DOOM_LEAVE,  // _exit(0)
    DOOM_DIVIDE, // By zero; another trap where machines do not mind.
    DOOM_LOOP,   // Without end.
    DOOM_OVERFLOW,
    DOOM_WILD_WORLD, // Writes over all of the world's memory, then DOOM_NULL.
    DOOM_WILD_ALL,   // Also over all else that workers share.
    DOOM_LATER,      // SIGKILL after delay_ns, whatever it does then.
    DOOM_STOP,       // SIGSTOP.
    DOOM_STOP_LATER, // The same after delay_ns, whatever it does then,
    DOOM_HANG_LATER, // or a loop without end.
    DOOM_LOSE,       // Goes on, and what it does is never counted: the batch does not end.
    DOOM_KINDS,
} doom_kind;

/// Where it dies.
typedef enum doom_place {
    DOOM_IN_CHUNK = 0,   // In system "doomed", archetype 2, `shard`.
    DOOM_IN_WORLD = 1,   // In system "sum".
    DOOM_IN_COMBINE = 2, // In a reduction's function, which is not in a system.
    DOOM_IN_WORKER = 3,  // In system "doomed" by worker `worker`.
    DOOM_IN_TWO = 4,     // In shards 0 and 1 of system "doomed", at the same time.
} doom_place;

/// What happens, told to all processes in memory that they share. Set by doom_set().
typedef struct doom {
    doom_kind kind;
    doom_place place;
    uint64_t tick; // From this one on.
    uint32_t shard;
    uint32_t worker;
    uint64_t delay_ns;
    bool busy; // The others are in the middle of their tasks when it happens.
    const weft_executor* executor;
    _Atomic int left; // Deaths to come.
    _Atomic uint32_t met;
    _Atomic uint32_t deaths;
    _Atomic uint32_t line; // Of the last one.
    _Atomic uint64_t died_ns;
    _Atomic uint64_t strange; // What is not in the world; added to it if `unsound`.
    bool unsound;
} doom;

#define DOOM_TICKS 12u
#define DOOM_SHARDS 3u
#define DOOM_ALWAYS 1000000

/// The world's fate. Made by the first call; each test process has its own.
doom* doom_get(void);

/// Arms it; `times` deaths, from tick 5 on, in shard 1.
doom* doom_set(doom_kind kind, doom_place place, int times);

/// Registers types and systems and makes the entities.
void doom_build(weft_world* world, weft_schedule* schedule);

/// So many worker processes that share every batch.
weft_executor_desc doom_desc(uint32_t workers);

/// The world on an executor, in memory that fits it.
sim doom_open(const weft_executor_desc* desc);

/// Posts what comes in the next tick.
void doom_input(weft_world* world);

/// doom_input() and a tick that must go well.
void doom_tick(sim* s);

/// Digests of a serial run after 0 to DOOM_TICKS ticks; nobody dies.
void doom_expected(weft_digest expected[DOOM_TICKS + 1]);

/// Asserts that the world's digests are those of a serial run.
void doom_check(sim* s, const weft_digest expected[DOOM_TICKS + 1], const char* name);

/// A world on that executor after all ticks, each checked against what is then in `expected`. That
/// somebody has died of `f` is asserted.
sim doom_run(const weft_executor_desc* desc, const doom* f, weft_digest expected[DOOM_TICKS + 1],
             const char* name);

/// The function that dies, as sources name it.
const char* doom_function(doom_kind kind);
const char* doom_name(doom_kind kind);

/// Sends an idle worker a signal, and waits until the next request must see what it does.
void doom_signal(const sim* s, uint32_t worker, int number);

/// The same with SIGKILL.
void doom_kill(const sim* s, uint32_t worker);
