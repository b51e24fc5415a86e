# SPDX-License-Identifier: MIT
# weir_add_plugin(NAME SOURCES file... [LIBRARIES target...] [DESTINATION folder])
#
# One shared object NAME.so that exports the entry symbol and nothing else. In the project's tree and
# outside it, with the installed SDK, alike.
#
#   LIBRARIES    what it links; never a memory allocator
#   DESTINATION  folder of the file; the current build folder if not given
set(WEIR_PLUGIN_EXPORTS ${CMAKE_CURRENT_LIST_DIR}/weir-plugin.map)

function(weir_add_plugin name)
    cmake_parse_arguments(ARG "" "DESTINATION" "SOURCES;LIBRARIES" ${ARGN})
    if(NOT ARG_SOURCES OR ARG_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "weir_add_plugin(${name}): expected SOURCES, found '${ARG_UNPARSED_ARGUMENTS}'")
    endif()
    add_library(${name} MODULE ${ARG_SOURCES})
    set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX ".so"
        C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    target_link_libraries(${name} PRIVATE weir::sdk ${ARG_LIBRARIES})
    target_link_options(${name} PRIVATE
        -Wl,-z,nodelete -Wl,-z,relro -Wl,-z,now -Wl,--version-script=${WEIR_PLUGIN_EXPORTS})
    set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${WEIR_PLUGIN_EXPORTS})
    if(NOT WEIR_SANITIZE) # sanitizer run-times are found in the program
        target_link_options(${name} PRIVATE -Wl,-z,defs)
    endif()
    if(ARG_DESTINATION)
        set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${ARG_DESTINATION})
    endif()
endfunction()
