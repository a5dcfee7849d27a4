/// The operating system's memory for worlds.
#pragma once

#include <weft/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Segments straight from the operating system, in huge pages where it gives them. The value has
/// no state and needs no release.
WEFT_API weft_memory weft_memory_system(void);

#ifdef __cplusplus
}
#endif
