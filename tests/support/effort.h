/// What of a test is run where a build cannot do all of it: how much of a long one, and whether
/// worker processes are there.
#pragma once

/// One of so many cases is run.
#if defined(__SANITIZE_THREAD__)
#define TEST_EFFORT_PART 60u
#elif defined(__SANITIZE_ADDRESS__)
#define TEST_EFFORT_PART 20u
#elif defined(WEFT_TEST_EMULATED)
#define TEST_EFFORT_PART 10u
#else
#define TEST_EFFORT_PART 1u
#endif

/// The part of `count` cases that is run, at least one.
#define TEST_EFFORT(count) (((count) + TEST_EFFORT_PART - 1) / TEST_EFFORT_PART)

/// ThreadSanitizer ends a forked child that starts a thread, as worker processes do.
#if defined(__SANITIZE_THREAD__)
#define TEST_HAS_PROCESSES 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TEST_HAS_PROCESSES 0
#endif
#endif
#ifndef TEST_HAS_PROCESSES
#define TEST_HAS_PROCESSES 1
#endif
