# SPDX-License-Identifier: MIT
# weir::warnings: the warnings that all code of the project is written under.
add_library(weir_warnings INTERFACE)
add_library(weir::warnings ALIAS weir_warnings)
target_compile_options(weir_warnings INTERFACE
    -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wcast-qual -Wpointer-arith -Wundef -Wvla
    -Wformat=2 -Wdouble-promotion -Wimplicit-fallthrough -Wredundant-decls -Wdate-time -fno-common
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wwrite-strings>
    $<$<COMPILE_LANG_AND_ID:C,GNU>:-Wlogical-op -Wduplicated-cond -Wduplicated-branches -Wjump-misses-init>
    $<$<COMPILE_LANG_AND_ID:C,Clang>:-Wcomma -Wunreachable-code -Wconditional-uninitialized -Wextra-semi-stmt>)
if(WEIR_WERROR)
    target_compile_options(weir_warnings INTERFACE -Werror)
endif()
# Hardening, where nothing stands in its way.
if(NOT WEIR_SANITIZE)
    target_compile_options(weir_warnings INTERFACE -fstack-protector-strong -fstack-clash-protection -fcf-protection)
    if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
        target_compile_options(weir_warnings INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
    endif()
endif()
