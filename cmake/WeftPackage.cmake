# Packages for Debian and its kin, made by cpack: weft, which runs, and libweft-dev, with which
# programs are built. Anywhere else cpack makes an archive of the install tree.

find_program(WEFT_DPKG_DEB dpkg-deb)
mark_as_advanced(WEFT_DPKG_DEB)
set(CPACK_GENERATOR TGZ)
if(WEFT_DPKG_DEB)
    set(CPACK_GENERATOR DEB)
endif()
set(CPACK_PACKAGE_NAME weft)
set(CPACK_PACKAGE_VENDOR "The Weft authors")
set(CPACK_PACKAGE_CONTACT "The Weft authors <weft@example.org>" CACHE STRING
    "Maintainer of the packages, as Name <address>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
    GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL runtime development)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/package_files.cmake")

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME weft)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION science)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS graphviz)
if(WEFT_HAVE_LIBCLANG)
    string(REPLACE " and " ", " packages "${WEFT_LIBCLANG_PACKAGE}")
    string(APPEND CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS ", ${packages}")
endif()
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "Systems over entities and components, run on all cores with the result of a run on one, bit
for bit. With the program weft, which runs, verifies, measures and compares simulations.")

set(packages ${weft_static_needs} ${weft_main_needs})
list(TRANSFORM packages REPLACE ".* " "")
list(JOIN packages ", " packages)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libweft-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "weft (= ${PROJECT_VERSION}), libc6-dev, ${packages}")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "What programs are built with: headers, libraries, and files for CMake and pkg-config.")
include(CPack)
