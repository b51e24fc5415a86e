# weir_add_plugin(NAME SOURCES file... [LIBRARIES target...] [DESTINATION folder])
#
# One shared object NAME.so that exports the entry symbol and nothing else. In the project's tree and
# outside it, with the installed SDK, alike.
set(WEIR_PLUGIN_EXPORTS ${CMAKE_CURRENT_LIST_DIR}/weir-plugin.map)

function(weir_add_plugin name)
    cmake_parse_arguments(ARG "" "DESTINATION" "SOURCES;LIBRARIES" ${ARGN})
    add_library(${name} MODULE ${ARG_SOURCES})
    set_target_properties(${name} PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden)
    target_link_libraries(${name} PRIVATE weir::sdk ${ARG_LIBRARIES})
    target_link_options(${name} PRIVATE
        -Wl,-z,nodelete -Wl,-z,relro -Wl,-z,now -Wl,--version-script=${WEIR_PLUGIN_EXPORTS})
    if(NOT WEIR_SANITIZE) # sanitizer run-times are found in the program
        target_link_options(${name} PRIVATE -Wl,-z,defs)
    endif()
    if(ARG_DESTINATION)
        set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${ARG_DESTINATION})
    endif()
endfunction()
