# Flags for every target of Weft: the language, the floating-point contract, warnings, sanitizers.

if(NOT CMAKE_C_COMPILER_ID MATCHES "^(GNU|Clang)$")
    message(FATAL_ERROR "Weft is built by gcc or clang, not by ${CMAKE_C_COMPILER_ID}")
endif()
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES AND PROJECT_IS_TOP_LEVEL)
    set_property(CACHE CMAKE_BUILD_TYPE PROPERTY VALUE RelWithDebInfo)
endif()

# -ffp-contract=off comes after -fno-fast-math, which resets contraction in some clang versions.
# Square roots need no errno, so they become one instruction; no value changes.
set(WEFT_FLAGS
    -fno-fast-math -ffp-contract=off -fno-math-errno -fsigned-char
    # Assertions name files from the root of the source tree.
    "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/="
    -fno-semantic-interposition
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes)
if(WEFT_WERROR)
    list(APPEND WEFT_FLAGS -Werror)
endif()

set(WEFT_SANITIZE_FLAGS "")
if(WEFT_SANITIZE)
    set(WEFT_SANITIZE_FLAGS "-fsanitize=${WEFT_SANITIZE}" -fno-sanitize-recover=all
        -fno-omit-frame-pointer)
    if(WEFT_SANITIZE MATCHES "undefined")
        # Not a part of it, and as undefined: a conversion to an integer that does not fit.
        list(APPEND WEFT_SANITIZE_FLAGS -fsanitize=float-cast-overflow
            -fno-sanitize-recover=float-cast-overflow)
    endif()
endif()

# Applies the flags to one target. Nothing propagates to users of the target.
function(weft_set_flags target)
    set_target_properties(${target} PROPERTIES
        C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS ON
        C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
    target_compile_options(${target} PRIVATE ${WEFT_FLAGS} ${WEFT_SANITIZE_FLAGS})
    target_link_options(${target} PRIVATE ${WEFT_SANITIZE_FLAGS})
    if(WEFT_CHECKS)
        target_compile_definitions(${target} PRIVATE WEFT_CHECKS)
    endif()
endfunction()
