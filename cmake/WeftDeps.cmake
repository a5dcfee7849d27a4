# What Weft is built on. Each dependency becomes an imported target or an honest absence.

include(CheckCSourceCompiles)
find_package(PkgConfig)
if(NOT PkgConfig_FOUND)
    message(FATAL_ERROR "Weft needs pkg-config (Debian: pkg-config); cmake/setup.sh installs it")
endif()
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# Finds a required library by pkg-config, as PkgConfig::<prefix>.
macro(weft_require prefix module title package)
    pkg_check_modules(${prefix} QUIET IMPORTED_TARGET ${module})
    if(NOT ${prefix}_FOUND)
        message(FATAL_ERROR "Weft needs ${title}: no ${module}.pc was found "
            "(Debian: ${package}). cmake/setup.sh installs what is missing.")
    endif()
endmacro()

# Finds an optional library as PkgConfig::WEFT_<name>_LIB and sets WEFT_HAVE_<name>. The option
# WEFT_<name> is ON: it must be there; AUTO: it is looked for where `automatic` is true. Nothing is
# done where `wanted` is false.
macro(weft_optional name wanted automatic module title package)
    set_property(CACHE WEFT_${name} PROPERTY STRINGS AUTO ON OFF)
    set(WEFT_HAVE_${name} OFF)
    if("${wanted}" AND WEFT_${name} STREQUAL "AUTO")
        if("${automatic}")
            pkg_check_modules(WEFT_${name}_LIB QUIET IMPORTED_TARGET ${module})
            set(WEFT_HAVE_${name} ${WEFT_${name}_LIB_FOUND})
        endif()
    elseif("${wanted}" AND WEFT_${name})
        weft_require(WEFT_${name}_LIB ${module} ${title} ${package})
        set(WEFT_HAVE_${name} ON)
    endif()
endmacro()
set(native ON)
if(CMAKE_CROSSCOMPILING)
    set(native OFF)
endif()

# xxHash is a library, or in a cross build one header that is compiled in: weft_xxhash is either.
# (The check takes a variable that is set for its answer, so only the other branch sets it.)
add_library(weft_xxhash INTERFACE)
if(WEFT_HEADERS_FROM)
    set(WEFT_XXHASH_DISPATCH OFF)
    set(borrowed "${PROJECT_BINARY_DIR}/borrowed")
    configure_file("${WEFT_HEADERS_FROM}/xxhash.h" "${borrowed}/xxhash.h" COPYONLY)
    target_include_directories(weft_xxhash SYSTEM INTERFACE "${borrowed}")
    target_compile_definitions(weft_xxhash INTERFACE XXH_INLINE_ALL)
else()
    weft_require(WEFT_XXHASH libxxhash xxHash libxxhash-dev)
    target_link_libraries(weft_xxhash INTERFACE PkgConfig::WEFT_XXHASH)
    set(CMAKE_REQUIRED_LIBRARIES PkgConfig::WEFT_XXHASH)
    check_c_source_compiles("
        #include <stddef.h>
        #include <xxh_x86dispatch.h>
        int main(int argc, char** argv)
        { return (int)XXH3_128bits_withSeed_dispatch(argv[0], (size_t)argc, 0).low64; }"
        WEFT_XXHASH_DISPATCH)
    unset(CMAKE_REQUIRED_LIBRARIES)
endif()

# Concurrency Kit's packaged headers are not multiarch, and the thread sanitizer cannot see into
# its assembly: both cases use the C11 body of the same interface.
set_property(CACHE WEFT_ATOMICS PROPERTY STRINGS ck c11)
set(WEFT_ATOMICS_C11 ON)
if(WEFT_ATOMICS STREQUAL "ck" AND NOT CMAKE_CROSSCOMPILING)
    pkg_check_modules(WEFT_CK QUIET IMPORTED_TARGET ck)
    if(WEFT_CK_FOUND)
        set(WEFT_ATOMICS_C11 OFF)
    endif()
elseif(NOT WEFT_ATOMICS MATCHES "^(ck|c11)$")
    message(FATAL_ERROR "WEFT_ATOMICS is ck or c11, not '${WEFT_ATOMICS}'")
endif()

weft_optional(HWLOC ON ON hwloc>=2 hwloc libhwloc-dev)

# Lines of sources in what a guard reports, where elfutils is.
weft_optional(DW ON ${native} libdw elfutils libdw-dev)

# Snapshots are compressed where zstd is.
weft_optional(ZSTD ON ${native} libzstd zstd libzstd-dev)

# Audits are by BLAKE2b where libb2 is.
weft_optional(B2 ON ${native} libb2 libb2 libb2-dev)

# What the measurements compare with, each optional. The sanitizers do not see into other runtimes,
# so their builds have none of those.
set(WEFT_HAVE_FIXMATH OFF)
set(WEFT_HAVE_OPENMP OFF)
set(WEFT_HAVE_TBB OFF)
set(WEFT_HAVE_STARPU OFF)
if(WEFT_BENCH)
    weft_require(WEFT_JANSSON jansson Jansson libjansson-dev)
    # It has no file for pkg-config.
    find_path(WEFT_FIXMATH_INCLUDE libfixmath/fix16.h)
    find_library(WEFT_FIXMATH_LIBRARY NAMES fixmath libfixmath)
    mark_as_advanced(WEFT_FIXMATH_INCLUDE WEFT_FIXMATH_LIBRARY)
    if(WEFT_FIXMATH_INCLUDE AND WEFT_FIXMATH_LIBRARY)
        set(WEFT_HAVE_FIXMATH ON)
    endif()
endif()
if(WEFT_BENCH AND WEFT_PEERS AND NOT WEFT_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
    # Tasks with dependences and the ending of idle threads are of OpenMP 5.
    find_package(OpenMP 4.5 QUIET COMPONENTS C)
    set(WEFT_HAVE_OPENMP ${OpenMP_C_FOUND})
    pkg_check_modules(WEFT_STARPU QUIET IMPORTED_TARGET starpu-1.3)
    set(WEFT_HAVE_STARPU ${WEFT_STARPU_FOUND})
    # C++ is spoken for oneTBB, and by the tests for Relacy.
    pkg_check_modules(WEFT_TBB QUIET IMPORTED_TARGET tbb>=2021)
    if(WEFT_TBB_FOUND)
        include(CheckLanguage)
        check_language(CXX)
        if(CMAKE_CXX_COMPILER)
            enable_language(CXX)
            set(WEFT_HAVE_TBB ON)
        endif()
    endif()
endif()

# Results of measurements are kept in an SQLite file where there is the library.
weft_optional(SQLITE ${WEFT_BENCH} ${WEFT_BENCH} sqlite3>=3.24 SQLite libsqlite3-dev)

# Exports to NumPy are ZIP archives, which libzip writes where it is.
weft_optional(LIBZIP ${WEFT_BENCH} ${WEFT_BENCH} libzip>=1.5 libzip libzip-dev)

# libclang has no .pc file, and cross builds have no use for it. The newest that is installed is
# taken; its header says whether it can tell operators, which it can from version 17 on.
set_property(CACHE WEFT_LIBCLANG PROPERTY STRINGS AUTO ON OFF)
set(WEFT_HAVE_LIBCLANG OFF)
if(WEFT_BENCH AND WEFT_LIBCLANG AND NOT CMAKE_CROSSCOMPILING)
    file(GLOB llvm_dirs "/usr/lib/llvm-*" "/usr/local/lib/llvm-*")
    list(SORT llvm_dirs COMPARE NATURAL ORDER DESCENDING)
    list(TRANSFORM llvm_dirs APPEND "/include" OUTPUT_VARIABLE llvm_includes)
    list(TRANSFORM llvm_dirs APPEND "/lib" OUTPUT_VARIABLE llvm_libs)
    find_path(WEFT_LIBCLANG_INCLUDE clang-c/Index.h HINTS ${llvm_includes})
    if(WEFT_LIBCLANG_INCLUDE)
        find_library(WEFT_LIBCLANG_PATH clang NO_DEFAULT_PATH
            HINTS "${WEFT_LIBCLANG_INCLUDE}/../lib")
        find_library(WEFT_LIBCLANG_PATH clang HINTS ${llvm_libs})
    endif()
    if(WEFT_LIBCLANG_INCLUDE AND WEFT_LIBCLANG_PATH)
        set(WEFT_HAVE_LIBCLANG ON)
    elseif(NOT WEFT_LIBCLANG STREQUAL "AUTO")
        message(FATAL_ERROR "WEFT_LIBCLANG is ON, and no libclang was found "
            "(Debian: libclang-14-dev)")
    endif()
endif()
if(WEFT_HAVE_LIBCLANG)
    file(STRINGS "${WEFT_LIBCLANG_INCLUDE}/clang-c/Index.h" WEFT_LIBCLANG_OPERATORS
        REGEX "clang_getCursorBinaryOperatorKind\\(")
    # The name that the loader knows: libclang-14.so.1 of libclang-14.so.14.0.6 on Debian.
    execute_process(COMMAND ${CMAKE_OBJDUMP} -p "${WEFT_LIBCLANG_PATH}"
        OUTPUT_VARIABLE headers ERROR_QUIET)
    string(REGEX MATCH "SONAME +([^ \n]+)" headers "${headers}")
    set(WEFT_LIBCLANG_NAME "${CMAKE_MATCH_1}")
    if(NOT WEFT_LIBCLANG_NAME)
        cmake_path(GET WEFT_LIBCLANG_PATH FILENAME WEFT_LIBCLANG_NAME)
    endif()
    string(REGEX MATCH "llvm-([0-9]+)" version "${WEFT_LIBCLANG_INCLUDE}")
    set(WEFT_LIBCLANG_PACKAGE "libclang-dev")
    if(CMAKE_MATCH_1)
        set(WEFT_LIBCLANG_PACKAGE "libclang1-${CMAKE_MATCH_1} and libclang-common-${CMAKE_MATCH_1}-dev")
    endif()
endif()

# Criterion's macros need its headers. Its library runs the tests where they are native.
set(WEFT_HAVE_MPFR OFF)
set(WEFT_HAVE_RELACY OFF)
if(WEFT_TESTS)
    add_library(weft_criterion INTERFACE)
    if(WEFT_HEADERS_FROM)
        file(COPY "${WEFT_HEADERS_FROM}/criterion" DESTINATION "${borrowed}")
        target_include_directories(weft_criterion SYSTEM INTERFACE "${borrowed}")
    else()
        weft_require(WEFT_CRITERION criterion Criterion libcriterion-dev)
        target_link_libraries(weft_criterion INTERFACE PkgConfig::WEFT_CRITERION)
        # The judge of the elementary functions is built where MPFR is.
        pkg_check_modules(WEFT_MPFR QUIET IMPORTED_TARGET mpfr gmp)
        if(WEFT_MPFR_FOUND)
            set(WEFT_HAVE_MPFR ON)
        endif()
    endif()
    # The checker of memory orders is headers of C++.
    find_path(WEFT_RELACY_INCLUDE relacy/relacy.hpp)
    mark_as_advanced(WEFT_RELACY_INCLUDE)
    if(WEFT_RELACY_INCLUDE AND NOT WEFT_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
        include(CheckLanguage)
        check_language(CXX)
        if(CMAKE_CXX_COMPILER)
            enable_language(CXX)
            set(WEFT_HAVE_RELACY ON)
        endif()
    endif()
endif()

message(STATUS "Weft ${PROJECT_VERSION}: xxHash dispatch ${WEFT_XXHASH_DISPATCH}, "
    "C11 atomics ${WEFT_ATOMICS_C11}, hwloc ${WEFT_HAVE_HWLOC}, libdw ${WEFT_HAVE_DW}, zstd ${WEFT_HAVE_ZSTD}, libb2 ${WEFT_HAVE_B2}, libclang ${WEFT_HAVE_LIBCLANG}, "
    "SQLite ${WEFT_HAVE_SQLITE}, libzip ${WEFT_HAVE_LIBZIP}, MPFR ${WEFT_HAVE_MPFR}, Relacy ${WEFT_HAVE_RELACY}; peers: libfixmath ${WEFT_HAVE_FIXMATH}, OpenMP ${WEFT_HAVE_OPENMP}, "
    "oneTBB ${WEFT_HAVE_TBB}, StarPU ${WEFT_HAVE_STARPU}")
