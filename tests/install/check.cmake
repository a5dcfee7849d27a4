# Installs the build to a scratch tree, then builds a small project against it in both ways that
# users have: find_package and pkg-config. Both programs are run.
#
# cmake -DBUILD_DIR= -DSOURCE_DIR= -DC_COMPILER= -DLIBDIR= -DBENCH= -P check.cmake

function(step)
    execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(scratch "${BUILD_DIR}/tests/install")
set(prefix "${scratch}/tree")
file(REMOVE_RECURSE "${scratch}/tree" "${scratch}/consumer")
step(${CMAKE_COMMAND} --install "${BUILD_DIR}" --prefix "${scratch}/first")

# The tree is moved before use: nothing in it may remember where it was installed.
file(RENAME "${scratch}/first" "${prefix}")

step(${CMAKE_COMMAND} -S "${SOURCE_DIR}" -B "${scratch}/consumer"
    "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_C_COMPILER=${C_COMPILER}" "-DWANT_MAIN=${BENCH}")
step(${CMAKE_COMMAND} --build "${scratch}/consumer")
step("${scratch}/consumer/consumer")

set(ENV{PKG_CONFIG_PATH} "${prefix}/${LIBDIR}/pkgconfig")
set(modules weft)
if(BENCH)
    list(APPEND modules weft-main)
endif()
foreach(module IN LISTS modules)
    execute_process(COMMAND pkg-config --cflags --libs ${module}
        OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    step("${C_COMPILER}" -o "${scratch}/by-${module}" "${SOURCE_DIR}/consumer.c" ${flags}
        "-Wl,-rpath,${prefix}/${LIBDIR}")
    step("${scratch}/by-${module}")
endforeach()

if(EXISTS "${prefix}/bin/weft")
    step("${prefix}/bin/weft" --version)
endif()
