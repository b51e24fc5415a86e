# SPDX-License-Identifier: MIT
# Runs suites beside each other, and tells of them in their order. For tests/run.
#
# Most suites wait for a good part of their time, for servers, timers and processes that sleep. So one more runs
# than there are processors to be used, and what one leaves idle another takes. Each begins in its turn as soon
# as its preset is built; builds, which use all processors by themselves, come one after another.
#
# None measures how long something takes in relation to something else, so none has to be alone.

declare -A began=() status_of=() seconds_of=() # by suite
declare -A suite_of=()                         # by process, those that run

is_build() { [ "${1%%-*}" = build ]; }
preset_of() { case $1 in *-*) echo "${1#*-}" ;; esac }

is_any_build_running() {
    local suite
    for suite in "${suite_of[@]}"; do is_build "$suite" && return 0; done
    return 1
}

can_begin() {
    local suite=$1 preset
    preset=$(preset_of "$suite")
    [ ${#suite_of[@]} -le "$jobs" ] || return 1
    if is_build "$suite"; then
        ! is_any_build_running
    else
        [ -z "$preset" ] || [ -n "${status_of[build-$preset]:-}" ]
    fi
}

# In a process group of its own, so that what a suite leaves behind ends with it.
begin() {
    local suite=$1 preset
    preset=$(preset_of "$suite")
    began[$suite]=$SECONDS
    if ! is_build "$suite" && [ "${status_of[build-$preset]:-0}" != 0 ]; then
        echo "preset $preset was not built" >"$logs/$suite.log"
        end "$suite" 1
        return
    fi
    timeout --kill-after=10 "$limit" "$0" --suite "${suite%%-*}" "$preset" >"$logs/$suite.log" 2>&1 &
    suite_of[$!]=$suite
}

end() {
    local suite=$1 status=$2
    status_of[$suite]=$status
    seconds_of[$suite]=$((SECONDS - began[$suite]))
    [ "$status" != 124 ] || echo "ended after $limit s" >>"$logs/$suite.log"
}

begin_what_can() {
    local suite
    for suite in "$@"; do
        [ -z "${began[$suite]:-}" ] && can_begin "$suite" && begin "$suite"
    done
}

wait_for_one() {
    local process status
    wait -n -p process "${!suite_of[@]}"
    status=$?
    end "${suite_of[$process]}" "$status"
    unset "suite_of[$process]"
}

stop_all() {
    [ ${#suite_of[@]} = 0 ] || kill -TERM "${!suite_of[@]}" 2>/dev/null
}

# Runs the suites, and tells of each: TELL SUITE STATUS SECONDS
run_all() {
    local tell=$1 suite
    shift
    trap 'stop_all; exit 130' INT TERM
    for suite in "$@"; do
        begin_what_can "$@"
        while [ -z "${status_of[$suite]:-}" ]; do
            wait_for_one
            begin_what_can "$@"
        done
        "$tell" "$suite" "${status_of[$suite]}" "${seconds_of[$suite]}"
    done
}
