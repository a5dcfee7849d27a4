# Install rules: libraries, headers, program, manual pages, CMake package and pkg-config files.

include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/weft")

set(installed weft weft_headers)
foreach(target weft_static weft_main)
    if(TARGET ${target})
        list(APPEND installed ${target})
    endif()
endforeach()
foreach(layer math ecs scheduler bench)
    if(layer STREQUAL "bench" AND NOT WEFT_BENCH)
        continue()
    endif()
    install(DIRECTORY ${layer}/include/weft DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.h")
endforeach()
install(TARGETS ${installed} EXPORT weft-targets)
if(TARGET weft_program)
    install(TARGETS weft_program)
endif()
foreach(section 1 3 5 7)
    file(GLOB pages CONFIGURE_DEPENDS docs/man/*.${section})
    if(pages)
        install(FILES ${pages} DESTINATION "${CMAKE_INSTALL_MANDIR}/man${section}")
    endif()
endforeach()

# weft::main is the exported name of weft_main.
install(EXPORT weft-targets NAMESPACE weft:: DESTINATION "${package_dir}")
configure_package_config_file(cmake/weft-config.cmake.in weft-config.cmake
    INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(weft-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/weft-config.cmake"
    "${PROJECT_BINARY_DIR}/weft-config-version.cmake" DESTINATION "${package_dir}")

# The pkg-config files find the prefix from their own place, so an install tree can be moved.
file(RELATIVE_PATH weft_prefix_from_pc "/p/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/p")
set(weft_pc_private "")
if(TARGET PkgConfig::WEFT_XXHASH)
    string(APPEND weft_pc_private " libxxhash")
endif()
if(TARGET PkgConfig::WEFT_HWLOC_LIB)
    string(APPEND weft_pc_private " hwloc")
endif()
if(TARGET PkgConfig::WEFT_CK)
    string(APPEND weft_pc_private " ck")
endif()
foreach(pc weft weft-main)
    if(pc STREQUAL "weft" OR TARGET weft_main)
        configure_file(cmake/${pc}.pc.in ${pc}.pc @ONLY)
        install(FILES "${PROJECT_BINARY_DIR}/${pc}.pc"
            DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
    endif()
endforeach()
