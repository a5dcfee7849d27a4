# 64-bit RISC-V: weakly ordered, divides by zero without a trap.
set(CMAKE_SYSTEM_PROCESSOR riscv64)
set(weft_triplet riscv64-linux-gnu)
set(weft_qemu qemu-riscv64)
include("${CMAKE_CURRENT_LIST_DIR}/debian.cmake")
