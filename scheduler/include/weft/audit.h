/// Audits: a cryptographic hash of a world's state, beside the digest of every tick.
///
/// XXH3 finds accidents. Where somebody might have an interest in two states with one digest, as in
/// a contest whose journal is handed in, BLAKE2b finds that too.
#pragma once

#include <weft/world.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_AUDIT_SIZE 32u // Bytes: BLAKE2b-256.
#define WEFT_AUDIT_TEXT 65u // Characters of one in hexadecimal digits, with the NUL.

/// BLAKE2b-256 of the bytes that weft_world_encode() writes, as 64 lowercase hexadecimal digits.
/// The same on every machine, executor and worker count. Source: RFC 7693, by libb2. Status:
/// UNSUPPORTED (the build has no libb2; the world's error says so), and those of
/// weft_world_encode(). Between ticks.
WEFT_API WEFT_NODISCARD weft_status weft_world_audit(weft_world* world, char text[WEFT_AUDIT_TEXT]);

#ifdef __cplusplus
}
#endif
