# SPDX-License-Identifier: MIT
# What the test programs of the shell share; sourced, with BUILD as $1. Gives them:
#
#   $build, $source    folders
#   $work              a folder of their own, which goes when they end
#   check              checks, counted in $passed and $failed
[ $# = 1 ] && [ -f "$1/CMakeCache.txt" ] || { echo "run.sh BUILD" >&2; exit 2; }
build=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
umask 022
unset WEIR_PLUGIN_PATH CPATH C_INCLUDE_PATH LIBRARY_PATH CMAKE_PREFIX_PATH
passed=0 failed=0

# check WHAT COMMAND...: the command must succeed; its output is shown where it does not.
check() {
    local what=$1 log=$work/log
    shift
    if "$@" >"$log" 2>&1; then
        passed=$((passed + 1))
        echo "ok $what"
    else
        failed=$((failed + 1))
        echo "FAILED $what"
        sed 's/^/    /' "$log"
        return 1
    fi
}
