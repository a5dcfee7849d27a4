# 64-bit ARM: weakly ordered, unsigned plain char, fused multiply-add.
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(weft_triplet aarch64-linux-gnu)
set(weft_qemu qemu-aarch64)
include("${CMAKE_CURRENT_LIST_DIR}/debian.cmake")
