# What the toolchain files share: Debian's cross compilers, run-time libraries and emulators. A file
# sets CMAKE_SYSTEM_PROCESSOR, weft_triplet, weft_qemu and optionally weft_machine_flags first.
#
# WEFT_CROSS_COMPILER is gcc or clang; both use the libraries of the cross gcc.

set(CMAKE_SYSTEM_NAME Linux)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WEFT_CROSS_COMPILER)
set(WEFT_CROSS_COMPILER "gcc" CACHE STRING "Cross compiler: gcc or clang")
set(CMAKE_C_FLAGS_INIT "${weft_machine_flags}")

# Debian's cross compilers go on to /usr/include, where headers of the build machine's architecture
# lie (ck_md.h is one): only the compiler's own and the machine's may be found.
set(weft_sysroot "/usr/${weft_triplet}")
if(WEFT_CROSS_COMPILER STREQUAL "clang")
    set(CMAKE_C_COMPILER clang)
    set(CMAKE_C_COMPILER_TARGET "${weft_triplet}")
    string(APPEND CMAKE_C_FLAGS_INIT " -nostdlibinc -Wno-unused-command-line-argument")
else()
    set(CMAKE_C_COMPILER "${weft_triplet}-gcc")
    execute_process(COMMAND "${CMAKE_C_COMPILER}" -print-file-name=include
        OUTPUT_VARIABLE weft_compiler_headers OUTPUT_STRIP_TRAILING_WHITESPACE
        RESULT_VARIABLE weft_failed)
    if(weft_failed)
        message(FATAL_ERROR "${CMAKE_C_COMPILER} is missing; cmake/setup.sh cross installs it")
    endif()
    string(APPEND CMAKE_C_FLAGS_INIT " -nostdinc -isystem ${weft_compiler_headers}")
endif()
string(APPEND CMAKE_C_FLAGS_INIT " -isystem ${weft_sysroot}/include")

# Libraries, packages and .pc files are the machine's or none.
set(CMAKE_FIND_ROOT_PATH "${weft_sysroot}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
    set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_PATH} "")
set(ENV{PKG_CONFIG_LIBDIR} "${weft_sysroot}/lib/pkgconfig")

# Tests run in an emulator. The path goes before the build machine's ld.so.cache, which knows a
# 32-bit libc of its own if one is installed.
set(CMAKE_CROSSCOMPILING_EMULATOR
    "${weft_qemu};-L;${weft_sysroot};-E;LD_LIBRARY_PATH=${weft_sysroot}/lib")

# Headers that know no architecture are lent by the build machine.
set(WEFT_HEADERS_FROM "/usr/include" CACHE PATH
    "Folder of xxhash.h and criterion/, used as headers alone; empty for the libraries")
