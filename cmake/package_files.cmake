# Run by cpack on the staged files of each component: what Debian's policy asks for beyond an install
# tree.

if(NOT CPACK_GENERATOR STREQUAL "DEB")
    return()
endif()
set(package_runtime weft)
set(package_development libweft-dev)
find_program(gzip gzip REQUIRED)
foreach(component runtime development)
    set(share "${CPACK_TEMPORARY_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX}/share")
    # Not by file(INSTALL), which cpack makes go somewhere else.
    file(MAKE_DIRECTORY "${share}/doc/${package_${component}}")
    file(COPY_FILE "${CPACK_RESOURCE_FILE_LICENSE}" "${share}/doc/${package_${component}}/copyright")
    file(GLOB pages "${share}/man/man1/*.1")
    if(pages)
        execute_process(COMMAND "${gzip}" -9n ${pages} COMMAND_ERROR_IS_FATAL ANY)
    endif()
    # Packages of Debian bring their completion for zsh here; site-functions is the machine's own.
    if(EXISTS "${share}/zsh/site-functions")
        file(RENAME "${share}/zsh/site-functions" "${share}/zsh/vendor-completions")
    endif()
endforeach()
