# 32-bit x86 with SSE2: 32-bit sizes, 64-bit members aligned to 4 bytes.
set(CMAKE_SYSTEM_PROCESSOR i386)
set(weft_triplet i686-linux-gnu)
set(weft_qemu qemu-i386)
# x87 registers are wider than the types. A note of gcc about an older layout of atomics is silenced.
set(weft_machine_flags "-msse2 -mfpmath=sse -Wno-psabi")
include("${CMAKE_CURRENT_LIST_DIR}/debian.cmake")
