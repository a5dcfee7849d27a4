# The library that users link, shared and optionally static, made of the layers' objects.

get_property(layers GLOBAL PROPERTY WEFT_LAYERS)
set(WEFT_OBJECTS "")

# The public headers of all layers, without the code: what bench is compiled against.
add_library(weft_headers INTERFACE)
foreach(layer IN LISTS layers)
    list(APPEND WEFT_OBJECTS "$<TARGET_OBJECTS:weft_${layer}>")
    target_include_directories(weft_headers INTERFACE
        "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/${layer}/include>")
endforeach()
target_include_directories(weft_headers INTERFACE
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")

set(WEFT_LINK Threads::Threads m)
if(TARGET PkgConfig::WEFT_XXHASH)
    list(PREPEND WEFT_LINK PkgConfig::WEFT_XXHASH)
endif()
foreach(found WEFT_CK WEFT_HWLOC_LIB WEFT_DW_LIB WEFT_B2_LIB WEFT_ZSTD_LIB)
    if(TARGET PkgConfig::${found})
        list(APPEND WEFT_LINK PkgConfig::${found})
    endif()
endforeach()
list(APPEND WEFT_LINK ${CMAKE_DL_LIBS})

add_library(weft SHARED ${WEFT_OBJECTS})
set_target_properties(weft PROPERTIES
    LINKER_LANGUAGE C
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
target_link_libraries(weft PUBLIC weft_headers PRIVATE ${WEFT_LINK})
target_link_options(weft PRIVATE LINKER:--as-needed ${WEFT_SANITIZE_FLAGS})
if(NOT WEFT_SANITIZE)
    target_link_options(weft PRIVATE LINKER:-z,defs)
endif()
add_library(weft::weft ALIAS weft)

if(WEFT_STATIC)
    add_library(weft_static STATIC ${WEFT_OBJECTS})
    set_target_properties(weft_static PROPERTIES LINKER_LANGUAGE C OUTPUT_NAME weft)
    target_link_libraries(weft_static PUBLIC weft_headers PRIVATE ${WEFT_LINK})
    add_library(weft::weft_static ALIAS weft_static)
endif()
