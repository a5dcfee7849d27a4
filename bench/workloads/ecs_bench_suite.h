/// The workloads of rust-gamedev's ecs_bench_suite, in fixed-point numbers. For measurements; not
/// in the list of workloads. heavy_compute.h has the one that is done in float.
#pragma once

#include "kernel.h"
#include "workload.h"

WEFT_COMPONENT(SuiteTransform, (array, weft_fixed, cell, 16));
WEFT_COMPONENT(SuitePosition, (weft_vec3, at));
WEFT_COMPONENT(SuiteRotation, (weft_vec3, axis));
WEFT_COMPONENT(SuiteVelocity, (weft_vec3, per_tick));
WEFT_COMPONENT(SuiteData, (weft_fixed, value));

/// SuiteA to SuiteZ, one number each.
#define SUITE_LETTERS(apply)                                                                       \
    apply(A) apply(B) apply(C) apply(D) apply(E) apply(F) apply(G) apply(H) apply(I) apply(J)      \
        apply(K) apply(L) apply(M) apply(N) apply(O) apply(P) apply(Q) apply(R) apply(S) apply(T)  \
            apply(U) apply(V) apply(W) apply(X) apply(Y) apply(Z)
#define SUITE_LETTER(letter) WEFT_COMPONENT(Suite##letter, (weft_fixed, value));
SUITE_LETTERS(SUITE_LETTER)

enum {
    SUITE_LETTER_COUNT = 26,
    SUITE_FRAGMENT_ROWS = 20, // Entities of each letter in fragmented_iter.
    SUITE_SCHEDULE_SETS = 4   // Component sets in schedule: AB, ABC, ABCD, ABCE.
};

/// The types, in order.
extern const weft_type* const weft_suite_letters[SUITE_LETTER_COUNT];

/// The components of entity number `index` of simple_insert and simple_iter.
typedef struct weft_suite_entity {
    SuiteTransform transform;
    SuitePosition position;
    SuiteRotation rotation;
    SuiteVelocity velocity;
} weft_suite_entity;
weft_suite_entity weft_suite_entity_at(uint32_t index);

/// position += velocity.
void weft_suite_advance(SuitePosition* position, const SuiteVelocity* velocity, size_t count);
/// Data *= 2, one operation as in float: what does not fit is lost.
void weft_suite_double(SuiteData* data, size_t count);
/// Exchanges two columns' values row by row.
void weft_suite_swap(weft_fixed* left, weft_fixed* right, size_t count);

/// 10,000 entities of four components, 112 bytes; position += velocity.
extern const weft_module weft_suite_simple;
/// 26 archetypes of 20 entities; Data *= 2.
extern const weft_module weft_suite_fragmented;
/// A quarter of the entities in each of four sets; three systems swap A with B, C with D, C with E.
extern const weft_module weft_suite_schedule;
/// Entities with A; one tick adds B to all, the next takes it away.
extern const weft_module weft_suite_add_remove;
/// The same with B in a presence table.
extern const weft_module weft_suite_add_remove_sparse;
