# SPDX-License-Identifier: MIT
# weir::sanitizers: what WEIR_SANITIZE asks for, for every target.
add_library(weir_sanitizers INTERFACE)
add_library(weir::sanitizers ALIAS weir_sanitizers)
if(WEIR_SANITIZE)
    target_compile_options(weir_sanitizers INTERFACE -fsanitize=${WEIR_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(weir_sanitizers INTERFACE -fsanitize=${WEIR_SANITIZE})
    # Plugins see the SDK's slow allocation path then, so that every block has borders.
    if(WEIR_SANITIZE MATCHES "address" AND CMAKE_C_COMPILER_ID STREQUAL "Clang")
        target_compile_definitions(weir_sanitizers INTERFACE __SANITIZE_ADDRESS__=1)
    endif()
endif()
