# Install rules: libraries, headers, program, manual pages, completion, CMake package and pkg-config
# files. In two components, which are packages of their own (WeftPackage.cmake): what runs, and what
# programs are built with.

include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/weft")

# What the static libraries need besides, where it was found: target, module of pkg-config, package
# of Debian.
set(weft_static_needs "")
foreach(need "WEFT_XXHASH libxxhash libxxhash-dev" "WEFT_HWLOC_LIB hwloc libhwloc-dev"
        "WEFT_DW_LIB libdw libdw-dev" "WEFT_B2_LIB libb2 libb2-dev"
        "WEFT_ZSTD_LIB libzstd libzstd-dev" "WEFT_CK ck libck-dev")
    string(REGEX MATCH "^[A-Z0-9_]+" target "${need}")
    if(TARGET PkgConfig::${target})
        list(APPEND weft_static_needs "${need}")
    endif()
endforeach()
set(weft_main_needs "")
if(WEFT_BENCH)
    foreach(need "WEFT_JANSSON jansson libjansson-dev" "WEFT_SQLITE_LIB sqlite3 libsqlite3-dev"
            "WEFT_LIBZIP_LIB libzip libzip-dev")
        string(REGEX MATCH "^[A-Z0-9_]+" target "${need}")
        if(TARGET PkgConfig::${target})
            list(APPEND weft_main_needs "${need}")
        endif()
    endforeach()
endif()

foreach(layer math ecs scheduler bench)
    if(layer STREQUAL "bench" AND NOT WEFT_BENCH)
        continue()
    endif()
    install(DIRECTORY ${layer}/include/weft DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        COMPONENT development FILES_MATCHING PATTERN "*.h")
endforeach()
install(TARGETS weft weft_headers EXPORT weft-targets
    LIBRARY COMPONENT runtime NAMELINK_COMPONENT development)
foreach(part main static)
    if(TARGET weft_${part})
        install(TARGETS weft_${part} EXPORT weft-${part}-targets ARCHIVE COMPONENT development)
        install(EXPORT weft-${part}-targets NAMESPACE weft:: DESTINATION "${package_dir}"
            COMPONENT development)
    endif()
endforeach()
if(TARGET weft_program)
    install(TARGETS weft_program RUNTIME COMPONENT runtime)
    file(GLOB pages CONFIGURE_DEPENDS docs/man/*.1)
    install(FILES ${pages} DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT runtime)
    install(FILES cmake/completion/weft.bash RENAME weft COMPONENT runtime
        DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
    install(FILES cmake/completion/weft.fish COMPONENT runtime
        DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
    install(FILES cmake/completion/_weft COMPONENT runtime
        DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
endif()

# weft::main is the exported name of weft_main.
install(EXPORT weft-targets NAMESPACE weft:: DESTINATION "${package_dir}" COMPONENT development)
configure_package_config_file(cmake/weft-config.cmake.in weft-config.cmake
    INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(weft-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/weft-config.cmake"
    "${PROJECT_BINARY_DIR}/weft-config-version.cmake" DESTINATION "${package_dir}"
    COMPONENT development)

# The pkg-config files find the prefix from their own place, so an install tree can be moved.
file(RELATIVE_PATH weft_prefix_from_pc "/p/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/p")
set(modules ${weft_static_needs})
list(TRANSFORM modules REPLACE "^[^ ]+ ([^ ]+) .*" "\\1")
list(JOIN modules " " weft_pc_private)
set(modules ${weft_main_needs})
list(TRANSFORM modules REPLACE "^[^ ]+ ([^ ]+) .*" "\\1")
list(JOIN modules " " weft_pc_main)
foreach(pc weft weft-main weft-static)
    string(REPLACE "-" "_" target "${pc}")
    if(TARGET ${target})
        configure_file(cmake/${pc}.pc.in ${pc}.pc @ONLY)
        install(FILES "${PROJECT_BINARY_DIR}/${pc}.pc"
            DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)
    endif()
endforeach()
