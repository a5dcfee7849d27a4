# Writes OUTPUT, a C file that says which commit is built and with what flags, when that changed.
#
# cmake -DSOURCE_DIR= -DOUTPUT= -DFLAGS= -P commit.cmake
#
# It is run by every build, since a commit is made without any file being touched.

set(commit "")
find_program(GIT git)
if(GIT)
    # In somebody else's repository the commit is not Weft's.
    execute_process(COMMAND "${GIT}" rev-parse --show-prefix WORKING_DIRECTORY "${SOURCE_DIR}"
        OUTPUT_VARIABLE prefix OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed AND prefix STREQUAL "")
        execute_process(COMMAND "${GIT}" rev-parse --short=12 HEAD WORKING_DIRECTORY "${SOURCE_DIR}"
            OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
        execute_process(COMMAND "${GIT}" --no-optional-locks status --porcelain --untracked-files=no
            WORKING_DIRECTORY "${SOURCE_DIR}" OUTPUT_VARIABLE changes ERROR_QUIET)
        if(commit AND changes)
            string(APPEND commit " with changes")
        endif()
    endif()
endif()

string(REGEX REPLACE " +" " " flags "${FLAGS}")
string(STRIP "${flags}" flags)
string(REPLACE "\\" "\\\\" flags "${flags}")
string(REPLACE "\"" "\\\"" flags "${flags}")
set(text "#include \"machine.h\"\n\nconst char weft_build_commit[] = \"${commit}\";\n")
string(APPEND text "const char weft_build_flags[] = \"${flags}\";\n")
set(before "")
if(EXISTS "${OUTPUT}")
    file(READ "${OUTPUT}" before)
endif()
if(NOT before STREQUAL text)
    file(WRITE "${OUTPUT}" "${text}")
endif()
