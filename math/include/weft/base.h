/// Status codes, assertions and attributes shared by every layer.
///
/// Operating errors are weft_status values from one pinned list; bugs are assertions. Nothing here
/// has global mutable state.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_API __attribute__((visibility("default")))
#define WEFT_NODISCARD __attribute__((warn_unused_result))
#define WEFT_PRINTF(format_index, first_index)                                                     \
    __attribute__((format(printf, format_index, first_index)))

/// One list gives the enum, the name and the message. Numbers appear in files and reports, so a
/// retired number is never reused. The groups are: 1 caller and limits, 20 systems and graph,
/// 40 running, 60 files, 80 machine.
#define WEFT_STATUS_MAP(X)                                                                         \
    X(OK, 0, "success")                                                                            \
    X(OUT_OF_MEMORY, 1, "no memory is left in the world's arena or the machine")                   \
    X(BAD_ARGUMENT, 2, "an argument or a description field is out of range")                       \
    X(BAD_TYPE, 3, "a type description is malformed")                                              \
    X(DUPLICATE, 4, "the name is taken")                                                           \
    X(UNKNOWN_TYPE, 5, "the type is not registered in this world in the role asked for")           \
    X(COMPONENT_LIMIT, 6, "the world's limit on registered types is reached")                      \
    X(ARCHETYPE_LIMIT, 7, "the world's limit on archetypes is reached")                            \
    X(ENTITY_LIMIT, 8, "the world's limit on entity slots is reached")                             \
    X(CREATE_LIMIT, 9, "one task recorded more creates than a provisional handle can number")      \
    X(STALE_ENTITY, 10, "the handle does not name a living entity")                                \
    X(WRONG_PHASE, 11, "the call is not allowed in this phase of the world's life")                \
    X(OUT_OF_RANGE, 12, "a number is beyond the limits of its type")                               \
    X(GRAPH_CYCLE, 20, "the declared order and the access sets form a cycle")                      \
    X(UNKNOWN_SYSTEM, 21, "an order relation names a system that is not registered")               \
    X(BAD_ACCESS, 22, "a system's access list is contradictory")                                   \
    X(SYSTEM_FAILED, 40, "a system returned an error")                                             \
    X(WORLD_FAILED, 41, "the world failed earlier and refuses to go on")                           \
    X(NOT_A_NUMBER, 42, "a value holds NaN")                                                       \
    X(DIGEST_MISMATCH, 43, "a cached digest differs from a full rehash")                           \
    X(DIVERGED, 44, "two runs that must agree produced different digests")                         \
    X(FLOAT_STATE, 45, "a system or module changed the floating-point state of its thread")        \
    X(BAD_BOOL, 47, "a bool holds neither 0 nor 1")                                                \
    X(NOT_DETERMINISTIC, 46, "the world was made with determinism off: its runs are not compared") \
    X(UNDECLARED, 48, "a system touched what it did not declare")                                  \
    X(CRASHED, 49, "a worker process died again and again in the same tick")                       \
    X(BAD_FORMAT, 60, "bytes are truncated, corrupt or of another version")                        \
    X(IDENTITY_MISMATCH, 61, "the file was made by a run of another identity")                     \
    X(FILE_ERROR, 62, "a file could not be opened, read or written")                               \
    X(BAD_MODULE, 63, "the module could not be loaded or lacks its table")                         \
    X(TOO_LATE, 66, "a background writer did not keep up within the stated time")                  \
    X(UNSUPPORTED, 80, "this build or machine lacks the feature")                                  \
    X(OS, 81, "an operating system call failed")

typedef enum weft_status {
#define X(name, number, text) WEFT_STATUS_##name = number,
    WEFT_STATUS_MAP(X)
#undef X
} weft_status;

/// The name of a status without its prefix ("ENTITY_LIMIT"), or "UNKNOWN". Never null.
WEFT_API const char* weft_status_name(weft_status status);

/// One sentence on what a status means, without a full stop. Never null.
WEFT_API const char* weft_status_text(weft_status status);

/// The library's version, "major.minor.patch". The header's own is WEFT_VERSION.
WEFT_API const char* weft_version(void);
#define WEFT_VERSION "0.1.0"

/// Reports a broken invariant on standard error and aborts. Not called directly.
WEFT_API __attribute__((noreturn, cold)) void weft_assert_failed(const char* expression,
                                                                 const char* file, int line);

/// Tier 1: an invariant cheap enough for release builds. One fact per assertion.
#define WEFT_ASSERT(expression)                                                                    \
    (__builtin_expect(!(expression), 0) ? weft_assert_failed(#expression, __FILE__, __LINE__)      \
                                        : (void)0)

/// Tier 2: an invariant checked in debug and sanitizer builds only (WEFT_CHECKS defined by the
/// build). The expression is compiled but not evaluated elsewhere.
#ifdef WEFT_CHECKS
#define WEFT_CHECK(expression) WEFT_ASSERT(expression)
#else
#define WEFT_CHECK(expression) ((void)sizeof(!(expression)))
#endif

/// Returns from the enclosing function with the status of `call` unless it is OK.
#define WEFT_TRY(call)                                                                             \
    do {                                                                                           \
        weft_status weft_try_status_ = (call);                                                     \
        if (weft_try_status_ != WEFT_STATUS_OK)                                                    \
            return weft_try_status_;                                                               \
    } while (0)

#ifdef __cplusplus
}
#endif
