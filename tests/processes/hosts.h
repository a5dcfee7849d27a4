/// Host programs that end, however, with worker processes running.
#pragma once

#ifndef _GNU_SOURCE
#error "define _GNU_SOURCE before the first include"
#endif

#include <stdint.h>
#include <stdio.h>

/// In a function that is run in a process of its own: if this is no fact, says where and returns 1.
#define EXPECT(fact)                                                                               \
    do {                                                                                           \
        if (!(fact)) {                                                                             \
            (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #fact);                       \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

/// Runs `rounds` hosts for each way to end: by each signal, by leaving without destroying anything,
/// between ticks and in them. No worker may be left after two seconds, and none may have had a file
/// that others can see. A healthy run beside them is not disturbed.
void hosts_end(uint32_t rounds);

/// Runs a function in a process of its own, whose signals are as usual; its exit code.
int hosts_fork(int (*function)(void* context), void* context);
