/// Loops over columns, compiled once for each instruction set that a reader's machine may have.
///
/// Systems and the hand-written loops that they are measured against call the same kernels, so a
/// comparison sees the framework and nothing else. Integer arithmetic gives the same values in
/// every version.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WEFT_KERNEL_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WEFT_KERNEL_SANITIZED
#endif

// Sanitizers are not set up yet when the loader asks which version to take, and clang 14 gives the
// versions names that other files do not find.
#if defined(__x86_64__) && defined(__OPTIMIZE__) && defined(__gnu_linux__) &&                      \
    !defined(__clang__) && !defined(WEFT_KERNEL_SANITIZED)
#define WEFT_KERNEL __attribute__((target_clones("avx512f", "avx2", "sse4.2", "default")))
#else
#define WEFT_KERNEL
#endif
