#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes the Debian packages of a build, unpacks them into an empty root, and works with what is there:
# the program with its plugins, and the SDK, against which the example plugin is built.
#
#   tests/packaging/run.sh BUILD        such as build/release
#
# Exit status 0 where every check passed, 1 where one failed, 2 for wrong use.
set -uo pipefail
. "$(dirname "$0")/../checks.sh"

for tool in cpack dpkg-deb dpkg-shlibdeps file; do
    command -v "$tool" >/dev/null && continue
    echo "SKIPPED: $tool is not installed"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
done
root=$work/root
weir=$root/usr/bin/weir

# equal GOT WANTED
equal() { [ "$1" = "$2" ] || { echo "got '$1', wanted '$2'"; return 1; }; }

make_packages() { (cd "$work" && cpack --config "$build/CPackConfig.cmake" -B "$work/packages"); }

package_of() { find "$work/packages" -maxdepth 1 -name "$1_*.deb"; }

unpack() {
    local package
    for package in weir weir-sdk-dev; do
        dpkg-deb -x "$(package_of "$package")" "$root" || return 1
    done
}

field() { dpkg-deb -f "$(package_of "$1")" "$2"; }

# NAME <ADDRESS>, and no address of this machine.
has_a_maintainer() {
    local package
    for package in weir weir-sdk-dev; do
        [[ $(field "$package" Maintainer) =~ ^[^\<]+\ \<[^@]+@[^@]+\.[a-z]+\>$ ]] ||
            { field "$package" Maintainer; return 1; }
    done
}

# Of every library that the program or a plugin needs, the package.
depends_on_its_libraries() {
    local depends name
    depends=" $(field weir Depends | sed 's/([^)]*)//g; s/,/ /g') "
    for name in libc6 libfyaml0 libpcre2-8-0 librdkafka1 librocksdb libssl3 libyyjson0; do
        case $depends in *" $name"*) ;; *) echo "no $name in:$depends"; return 1 ;; esac
    done
}

belongs_to_root() {
    local wrong
    wrong=$(for name in weir weir-sdk-dev; do dpkg-deb -c "$(package_of "$name")"; done |
            awk '$2 != "root/root" || $1 !~ /^(drwxr-xr-x|-rwxr-xr-x|-rw-r--r--)/')
    [ -z "$wrong" ] || { echo "$wrong"; return 1; }
}

holds_no_build_path() {
    local found
    found=$(grep -raFl -e "$source/" -e "$build" "$root")
    [ -z "$found" ] || { echo "$found"; return 1; }
}

has_files() {
    local name
    for name in "$@"; do
        [ -s "$root/usr/$name" ] || { echo "no $name"; return 1; }
    done
}

# Each plugin of the build, found beside the program, and none refused.
lists_all_plugins() {
    local files
    files=$("$weir" plugin list --json | python3 -c '
import json, sys
told = json.load(sys.stdin)
assert told["problems"] == [], told["problems"]
print("\n".join(sorted({row["file"].rsplit("/", 1)[1] for row in told["plugins"]})))') || return 1
    equal "$files" "$(find "$build/lib/weir/plugins" -name '*.so' -printf '%f\n' | LC_ALL=C sort)" &&
        [ -n "$files" ]
}

runs_a_pipeline() {
    mkdir -p "$work/run" && cd "$work/run" || return 1
    printf '{"id": %d}\n' 1 2 3 4 >numbers.jsonl
    printf '%s\n' 'pipeline: numbers' 'topics: [even]' 'streams:' '  even:' \
        '    from: {file: numbers.jsonl}' '    steps: [filter: id % 2 == 0]' \
        '    to: [{topic: even}, {print: {format: json}}]' >pipeline.yaml
    equal "$("$weir" run --until-end 2>"$work/stderr")" "$(printf '{"id": 2}\n{"id": 4}')" &&
        equal "$("$weir" topic cat even --raw)" "$(printf '{"id": 2}\n{"id": 4}')" ||
        { cat "$work/stderr"; return 1; }
}

builds_the_example() {
    cp -r "$source/examples/plugins/kilometres" "$work/kilometres" &&
        cmake -S "$work/kilometres" -B "$work/kilometres/build" -DCMAKE_PREFIX_PATH="$root/usr" &&
        cmake --build "$work/kilometres/build"
}

runs_the_example() {
    equal "$(cd "$work/kilometres" && "$weir" run --until-end 2>"$work/stderr")" \
        "$(cat "$source/tests/sdk/expected.jsonl")" || { cat "$work/stderr"; return 1; }
}

builds_by_pkg_config() {
    local flags
    flags=$(PKG_CONFIG_PATH=$(dirname "$(find "$root" -name weir-sdk.pc)") \
        pkg-config --cflags --libs weir-sdk) || return 1
    # shellcheck disable=SC2086
    cc -std=c11 $flags "$work/kilometres/kilometres.c" -o "$work/kilometres/by-hand.so" &&
        "$weir" plugin inspect "$work/kilometres/by-hand.so"
}

check "makes the packages" make_packages || { echo "0 passed, 1 failed"; exit 1; }
check "unpacks them" unpack || { echo "1 passed, 1 failed"; exit 1; }
check "the packages name a maintainer" has_a_maintainer
check "weir depends on the libraries that it needs" depends_on_its_libraries
check "weir-sdk-dev depends on nothing" equal "$(field weir-sdk-dev Depends)" ""
check "both have the version of the program" equal "$(field weir Version) $(field weir-sdk-dev Version)" \
    "$("$weir" version --json | python3 -c 'import json, sys; print(*2 * [json.load(sys.stdin)["version"]])')"
check "files belong to root, with the usual rights" belongs_to_root
check "no path of the build is inside" holds_no_build_path
check "weir has licence, manual page and completion" has_files share/doc/weir/copyright \
    share/man/man1/weir.1 share/bash-completion/completions/weir
check "weir-sdk-dev has licence and headers" has_files share/doc/weir-sdk-dev/copyright \
    include/weir/plugin.h
check "the program runs" "$weir" version
check "it finds all of its plugins" lists_all_plugins
check "it runs a pipeline" runs_a_pipeline
check "the example is built by CMake" builds_the_example
check "the example conforms" "$weir" plugin check "$work/kilometres/build/kilometres.so"
check "the example runs" runs_the_example
check "the example is built by pkg-config" builds_by_pkg_config
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
