#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compiles each header of the SDK alone, as C and as C++: what a plugin's author includes first must
# not depend on what was included before it, nor on extensions.
#
#   headers.sh CC CXX
set -uo pipefail

[ $# = 2 ] || { echo "headers.sh CC CXX" >&2; exit 2; }
include=$(cd "$(dirname "$0")/../../sdk/include" && pwd)
warnings=(-Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "$include")
failed=0 count=0

# compile LANGUAGE STANDARD HEADER COMPILER
compile() {
    count=$((count + 1))
    printf '#include <weir/%s>\n#include <weir/%s>\n' "$3" "$3" |
        "$4" -x "$1" "-std=$2" "${warnings[@]}" - || {
        echo "FAILED $3 as $2" >&2
        failed=$((failed + 1))
    }
}

for header in "$include"/weir/*.h; do
    name=$(basename "$header")
    compile c c11 "$name" "$1"
    compile c c17 "$name" "$1"
    compile c++ c++17 "$name" "$2"
done
[ $failed = 0 ] && [ $count -gt 0 ]
