/// How much of a long test is run: all of it, or a part where every instruction costs more.
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
