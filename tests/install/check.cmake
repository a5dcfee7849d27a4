# Installs the build to a scratch tree and moves it. Then what users have is used there, outside of
# the build: find_package, with versions and components, and pkg-config, shared and static; and the
# manual's examples, as a project of their own, are built and tested.
#
# cmake -DBUILD_DIR= -DSOURCE_DIR= -DTOP_DIR= -DC_COMPILER= -DLIBDIR= -DBENCH= -DSTATIC= -P check.cmake

function(step)
    execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# refused(text command...): the command fails, and says why.
function(refused text)
    file(REMOVE_RECURSE "${scratch}/refused") # CMake keeps what it found.
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
    string(REGEX REPLACE "[ \n]+" " " said "${said}")
    string(FIND "${said}" "${text}" at)
    if(code EQUAL 0 OR at EQUAL -1)
        message(FATAL_ERROR "not refused with '${text}': ${ARGN}\n${code}: ${said}")
    endif()
endfunction()

set(scratch "${BUILD_DIR}/tests/install")
set(prefix "${scratch}/tree")
file(REMOVE_RECURSE "${scratch}")
step(${CMAKE_COMMAND} --install "${BUILD_DIR}" --prefix "${scratch}/first")

# The tree is moved before use: nothing in it may remember where it was built or installed.
file(RENAME "${scratch}/first" "${prefix}")
file(GLOB_RECURSE texts "${prefix}/*.cmake" "${prefix}/*.pc" "${prefix}/*.h" "${prefix}/share/*")
foreach(file IN LISTS texts)
    file(READ "${file}" text)
    foreach(place "${scratch}" "${BUILD_DIR}" "${TOP_DIR}")
        string(FIND "${text}" "${place}" at)
        if(NOT at EQUAL -1)
            message(FATAL_ERROR "${file} names ${place}")
        endif()
    endforeach()
endforeach()

set(parts "")
if(BENCH)
    list(APPEND parts main)
endif()
if(STATIC)
    list(APPEND parts static)
endif()
file(STRINGS "${prefix}/include/weft/base.h" version REGEX "#define WEFT_VERSION \"")
string(REGEX REPLACE ".*\"([0-9.]+)\".*" "\\1" version "${version}")
string(REGEX MATCH "^[0-9]+\\.[0-9]+" minor "${version}")

# find_package
function(consumer name)
    step(${CMAKE_COMMAND} -S "${SOURCE_DIR}" -B "${scratch}/${name}"
        "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_C_COMPILER=${C_COMPILER}" ${ARGN})
    step(${CMAKE_COMMAND} --build "${scratch}/${name}")
endfunction()
list(JOIN parts "," words)
consumer(consumer "-DVERSION=${version}" "-DPARTS=${words}")
step("${scratch}/consumer/consumer")
foreach(part IN LISTS parts)
    step("${scratch}/consumer/consumer_${part}")
endforeach()
consumer(consumer_minor "-DVERSION=${minor}")
function(stands_alone program)
    execute_process(COMMAND objdump -p "${program}"
        OUTPUT_VARIABLE needed COMMAND_ERROR_IS_FATAL ANY)
    if(needed MATCHES "libweft")
        message(FATAL_ERROR "${program} needs the shared library: ${needed}")
    endif()
endfunction()
if(STATIC)
    stands_alone("${scratch}/consumer/consumer_static")
endif()
set(configure ${CMAKE_COMMAND} -S "${SOURCE_DIR}" -B "${scratch}/refused"
    "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_C_COMPILER=${C_COMPILER}")
refused("compatible with requested version \"99.0\"" ${configure} -DVERSION=99.0)
refused("compatible with requested version \"${minor}.999\"" ${configure} -DVERSION=${minor}.999)
refused("no component is named nothing" ${configure} "-DVERSION=${minor}" -DPARTS=nothing)
# What a component is made of is missing: only who asks for it notices.
if(BENCH)
    set(blind PKG_CONFIG_LIBDIR=/nonexistent)
    refused("the component main is not there: it needs"
        ${CMAKE_COMMAND} -E env ${blind} ${configure} "-DVERSION=${minor}" -DPARTS=main)
    file(REMOVE_RECURSE "${scratch}/refused")
    step(${CMAKE_COMMAND} -E env ${blind} ${configure} "-DVERSION=${minor}")
endif()
if(NOT STATIC)
    refused("the component static is not there: this Weft was built without it"
        ${configure} "-DVERSION=${minor}" -DPARTS=static)
endif()

# pkg-config
set(ENV{PKG_CONFIG_PATH} "${prefix}/${LIBDIR}/pkgconfig")
step(pkg-config --exact-version=${version} weft)
refused("" pkg-config --atleast-version=99 weft)
set(modules weft ${parts})
list(TRANSFORM modules REPLACE "^(main|static)$" "weft-\\1")
foreach(module IN LISTS modules)
    execute_process(COMMAND pkg-config --cflags --libs ${module}
        OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    set(program "by-${module}")
    foreach(source "${SOURCE_DIR}/consumer.c" "${TOP_DIR}/docs/examples/hello.c")
        step("${C_COMPILER}" -std=gnu17 -o "${scratch}/${program}" "${source}" ${flags}
            "-Wl,-rpath,${prefix}/${LIBDIR}")
        step("${scratch}/${program}")
    endforeach()
endforeach()
if(STATIC)
    stands_alone("${scratch}/by-weft-static")
endif()

# The manual's examples, with the program where it was installed.
file(COPY "${TOP_DIR}/docs/examples" DESTINATION "${scratch}/outside")
step(${CMAKE_COMMAND} -S "${scratch}/outside/examples" -B "${scratch}/examples"
    "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_C_COMPILER=${C_COMPILER}")
step(${CMAKE_COMMAND} --build "${scratch}/examples")
step(${CMAKE_CTEST_COMMAND} --test-dir "${scratch}/examples" --output-on-failure)

if(BENCH)
    step("${prefix}/bin/weft" --version)
    foreach(file man/man1/weft.1 man/man1/weft-run.1 bash-completion/completions/weft
            fish/vendor_completions.d/weft.fish zsh/site-functions/_weft)
        if(NOT EXISTS "${prefix}/share/${file}")
            message(FATAL_ERROR "share/${file} is not installed")
        endif()
    endforeach()
endif()
