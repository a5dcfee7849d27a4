# Layers. A layer's headers are of three kinds, and the build keeps them apart:
#
#   <layer>/include/weft/*.h    public, installed        #include <weft/fixed.h>
#   <layer>/internal/weft_*.h   for the layers above     #include "weft_bytes.h"
#   beside the sources          for the layer alone      #include "arena.h"
#
# A layer sees the public and internal headers of the layers that it depends on and its own. Any
# other include is a missing file.

# Sources known to the build, chosen or not: the lint compares them with the files that exist.
set_property(GLOBAL PROPERTY WEFT_SOURCES "")
set_property(GLOBAL PROPERTY WEFT_LAYERS "")

function(weft_know_sources)
    set_property(GLOBAL APPEND PROPERTY WEFT_SOURCES ${ARGN})
endfunction()

# CMake makes no library of nothing. A folder whose sources are still to come gets a placeholder.
function(weft_sources_or_stub out_var name)
    set(sources ${ARGN})
    if(NOT sources)
        set(stub "${CMAKE_CURRENT_BINARY_DIR}/${name}_empty.c")
        file(CONFIGURE OUTPUT "${stub}" CONTENT "typedef int ${name}_empty;\n")
        set(sources "${stub}")
    endif()
    set(${out_var} ${sources} PARENT_SCOPE)
endfunction()

# weft_add_layer(name
#     [DEPENDS lower...]                                 layers directly or indirectly below
#     [EITHER condition with.c without_none.c]...        one of two bodies of the same interface
#     [SOURCES extra.c...])
#
# Makes weft_<name> (a static library with the public headers) and weft_<name>_internal (the same
# with the internal headers). Sources are the .c files in the layer's folder and its source
# sub-folders; a *_none.c and its counterpart are chosen by EITHER.
function(weft_add_layer name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS;EITHER;SOURCES")
    set(dir "${CMAKE_CURRENT_SOURCE_DIR}")
    file(GLOB sources CONFIGURE_DEPENDS "${dir}/*.c" "${dir}/*/*.c")
    weft_know_sources(${sources})

    set(chosen "")
    while(arg_EITHER)
        list(POP_FRONT arg_EITHER condition with without)
        list(REMOVE_ITEM sources "${dir}/${with}" "${dir}/${without}")
        set(wanted "${without}")
        if(${condition})
            set(wanted "${with}")
        endif()
        if(EXISTS "${dir}/${wanted}")
            list(APPEND chosen "${dir}/${wanted}")
        elseif(EXISTS "${dir}/${with}" OR EXISTS "${dir}/${without}")
            message(FATAL_ERROR "${name}: ${wanted} is chosen and does not exist")
        endif()
    endwhile()
    foreach(file IN LISTS sources)
        cmake_path(GET file FILENAME base)
        if(base MATCHES "_none\\.c$")
            message(FATAL_ERROR "${name}: ${base} has no EITHER in its CMakeLists.txt")
        endif()
    endforeach()

    weft_sources_or_stub(sources weft_${name} ${sources} ${chosen} ${arg_SOURCES})
    add_library(weft_${name} STATIC ${sources})
    weft_set_flags(weft_${name})
    target_include_directories(weft_${name} PUBLIC "${dir}/include" PRIVATE "${dir}/internal")

    # Sources in a sub-folder reach the layer's private headers, and the layer theirs.
    set(quote_dirs "${dir}")
    file(GLOB subs LIST_DIRECTORIES true CONFIGURE_DEPENDS "${dir}/*")
    foreach(sub IN LISTS subs)
        if(IS_DIRECTORY "${sub}" AND NOT sub MATCHES "/(include|internal)$")
            list(APPEND quote_dirs "${sub}")
        endif()
    endforeach()
    set_property(GLOBAL APPEND PROPERTY WEFT_PRIVATE_DIRS ${quote_dirs})
    list(TRANSFORM quote_dirs PREPEND "-iquote")
    target_compile_options(weft_${name} PRIVATE ${quote_dirs})

    add_library(weft_${name}_internal INTERFACE)
    target_include_directories(weft_${name}_internal INTERFACE "${dir}/internal")
    target_link_libraries(weft_${name}_internal INTERFACE weft_${name})
    foreach(lower IN LISTS arg_DEPENDS)
        target_link_libraries(weft_${name} PUBLIC weft_${lower} PRIVATE weft_${lower}_internal)
        target_link_libraries(weft_${name}_internal INTERFACE weft_${lower}_internal)
    endforeach()
    set_property(GLOBAL APPEND PROPERTY WEFT_LAYERS ${name})
endfunction()
