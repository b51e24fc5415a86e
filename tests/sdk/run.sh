#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs a build into an empty prefix and makes the example plugin against that installation alone,
# in a folder outside the tree: with CMake, and with the compiler and pkg-config. Then runs it.
#
#   tests/sdk/run.sh BUILD        such as build/release
#
# Exit status 0 where every check passed, 1 where one failed, 2 for wrong use.
set -uo pipefail
. "$(dirname "$0")/../checks.sh"
prefix=$work/prefix

# What the loader can see of a shared object.
exports_only_the_entry() {
    local names
    names=$(nm --dynamic --defined-only "$1" | awk '{ print $3 }')
    [ "$names" = weir_plugin_entry_v1 ] || { echo "exports: $names"; return 1; }
}

needs_only_libc() {
    local needed
    needed=$(objdump -p "$1" | awk '$1 == "NEEDED" { print $2 }' | grep -v '^libc\.so')
    [ -z "$needed" ] || { echo "needs: $needed"; return 1; }
}

# copy_example EXAMPLE FOLDER: a copy in a folder of its own.
copy_example() {
    mkdir -p "$work/$2" && cp "$source/examples/plugins/$1"/* "$work/$2/"
}

build_with_cmake() {
    cmake -S "$work/$1" -B "$work/$1/build" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_C_FLAGS="-Wall -Wextra -Wpedantic -Werror" &&
        cmake --build "$work/$1/build"
}

# shellcheck disable=SC2046
build_with_cc() {
    mkdir -p "$work/cc/build"
    cc -std=c11 -Wall -Wextra -Werror $(pkg-config --cflags --libs weir-sdk) \
        "$work/cc/kilometres.c" -o "$work/cc/build/kilometres.so"
}

refuses_another_version() {
    mkdir -p "$work/version"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.21)' 'project(x LANGUAGES C)' \
        "find_package(weir-sdk $1 REQUIRED)" >"$work/version/CMakeLists.txt"
    ! cmake -S "$work/version" -B "$work/version/build" -DCMAKE_PREFIX_PATH="$prefix"
}

runs_in() {
    local output
    output=$(cd "$work/$1" && "$prefix/bin/weir" run --until-end 2>"$work/stderr") || {
        cat "$work/stderr"
        return 1
    }
    diff <(echo "$output") "$source/tests/sdk/expected.jsonl"
}

# Under the debug host.
keeps_the_rules_in() {
    WEIR_CHECK_ABI=1 runs_in "$1"
}

# An option that the plugin does not have is found before anything runs.
checks_options_in() {
    local file=$work/$1/wrong.yaml
    sed 's/kilometres: distance/kilometres: {feld: distance}/' \
        "$work/$1/pipeline.yaml" >"$file"
    ! "$prefix/bin/weir" check "$file" 2>"$work/stderr" >&2 &&
        grep -q "did you mean 'field'?" "$work/stderr" || { cat "$work/stderr"; return 1; }
}

check "installs" cmake --install "$build" --prefix "$prefix" || exit 1
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name weir-sdk.pc)")
abi=$(pkg-config --modversion weir-sdk)
check "the version is that of the ABI" test "$abi" = "$(awk '
    /define WEIR_ABI_MAJOR/ { major = $3 } /define WEIR_ABI_MINOR/ { print major "." $3 }
    ' "$prefix/include/weir/abi.h")"
check "the plugin map is where pkg-config says" test -f "$(pkg-config --variable=plugin_map weir-sdk)"
check "the plugin folder is where pkg-config says" test -d "$(pkg-config --variable=plugin_dir weir-sdk)"
check "no other version is taken" refuses_another_version 0.999

copy_example kilometres cmake
copy_example kilometres cc
check "builds with CMake" build_with_cmake cmake
check "builds with cc and pkg-config" build_with_cc
for way in cmake cc; do
    plugin=$work/$way/build/kilometres.so
    check "$way: exports one symbol" exports_only_the_entry "$plugin"
    check "$way: needs nothing but libc" needs_only_libc "$plugin"
    check "$way: can be inspected" "$prefix/bin/weir" plugin inspect "$plugin"
    check "$way: runs in a pipeline" runs_in "$way"
    check "$way: keeps the rules of the ABI" keeps_the_rules_in "$way"
    check "$way: its options are checked" checks_options_in "$way"
done

# A sink that keeps the contract for tokens, killed again and again.
copy_example parcels parcels
sink=$work/parcels/build/parcels.so
check "sink: builds with CMake" build_with_cmake parcels
check "sink: exports one symbol" exports_only_the_entry "$sink"
check "sink: has less than 150 lines of code" test "$(grep -vcE '^ ?\*|^/\*|^#|^$' "$source/examples/plugins/parcels/parcels.c")" -lt 150
check "sink: runs in a pipeline" env -C "$work/parcels" "$prefix/bin/weir" run --until-end
check "sink: keeps the rules of the debug host" env -C "$work/parcels" WEIR_CHECK_ABI=1 "$prefix/bin/weir" run --until-end --log memory
check "sink: gives every record once whenever it is killed" \
    python3 "$source/tests/sdk/kill_sink.py" "$prefix/bin/weir" "$sink"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
