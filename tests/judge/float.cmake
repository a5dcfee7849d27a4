# The judge of pinned float32: errors against MPFR, over a stride in every run and over all inputs
# in the long one. Without MPFR there is the stride against double in tests/math, and the digests.

pkg_check_modules(WEFT_FLOAT_MPFR QUIET IMPORTED_TARGET mpfr)
if(NOT WEFT_FLOAT_MPFR_FOUND OR CMAKE_CROSSCOMPILING)
    message(STATUS "No MPFR (Debian: libmpfr-dev): pinned float32 is not judged")
    return()
endif()

add_executable(float_judge "${CMAKE_CURRENT_LIST_DIR}/float_judge.c")
weft_test_usage(float_judge)
target_compile_options(float_judge PRIVATE "-iquote${CMAKE_CURRENT_SOURCE_DIR}/math")
target_link_libraries(float_judge PRIVATE PkgConfig::WEFT_FLOAT_MPFR)
add_test(NAME judge.float COMMAND float_judge 8191)
weft_register_test(judge.float TARGET float_judge LABELS unit quick)
foreach(function sin cos tan atan exp log)
    add_test(NAME judge.float_${function} COMMAND float_judge 1 ${function})
    weft_register_test(judge.float_${function} TARGET float_judge LABELS long TIMEOUT 3600)
endforeach()
add_test(NAME judge.float_pairs COMMAND float_judge 8 atan2 pow)
weft_register_test(judge.float_pairs TARGET float_judge LABELS long TIMEOUT 3600)
