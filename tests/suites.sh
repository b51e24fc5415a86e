# SPDX-License-Identifier: MIT
# The suites: their list, and what each does. It prints what it does and last its count. For tests/run.

# They begin and are told in this order, the long ones early, so that in the end none is waited for alone. A suite
# "build-X" makes preset X; what stands on it is named <suite>-X.
suites=(format dependencies runner
        build-release kill-release unit-release check-release pipelines-release cli-release kafka-release
        reference-release docs-release schema-release graph-release examples-release sizes-release
        debughost-release seats-release refusals-release faults-release sdk-release packaging-release
        servers-release kafkatopics-release kafkaruns-release kafkafaults-release benchkafka-release
        chaosaudit-release chaos-release robustness-release order-release mutants-release mutations-release
        differential-release
        build-tsan pipelines-tsan unit-tsan order-tsan debughost-tsan
        build-fuzz fuzz-fuzz
        build-asan pipelines-asan cli-asan robustness-asan debughost-asan unit-asan fault_points-asan sizes-asan
        graph-asan check-asan order-asan
        build-clang unit-clang)

# Runs a test program of ours: PROGRAM [ARGUMENT...]
python() { python3 "$root/$1" "${@:2}"; }

suite_format() {
    local files
    mapfile -t files < <(git ls-files '*.c' '*.cpp' '*.h')
    clang-format --dry-run -Werror "${files[@]}" && echo "${#files[@]} passed, 0 failed"
}

suite_dependencies() { python tests/dependencies.py; }
suite_runner() { python tests/runner.py; }

suite_build() {
    local preset=$1
    cmake --preset "$preset" || return 1
    if [ "$preset" = fuzz ]; then
        cmake --build "build/$preset" -j "$jobs" --target fuzz || return 1
    else
        cmake --build "build/$preset" -j "$jobs" -- -k 0 || return 1
    fi
    echo "1 passed, 0 failed"
}

# The unit tests of one folder of core, as a pattern for ctest.
tests_of() {
    local names
    names=$(find "core/$1" -name '*_test.c' -printf '%f\n' | sed 's/\.c$//' | paste -sd '|')
    echo "^(${names:-none})\$"
}

# Those that load plugins, by the names that plugins/CMakeLists.txt gives them.
tests_of_plugins() {
    local folder names=functions
    for folder in plugins/*s/*/; do
        names+="|$(echo "$folder" | sed -E 's,plugins/(.*)s/(.*)/,\1_\2,')"
    done
    echo "^($names)_test\$"
}

# ctest counts programs; the checks inside them are what we count, where a program tells them.
count_ctest() {
    awk '
        match($0, /^[0-9]+: [0-9]+%: Checks: [0-9]+, Failures: [0-9]+, Errors: [0-9]+/) {
            split(substr($0, RSTART, RLENGTH), word, /[:,%] */)
            checks[word[1]] += word[5]; bad[word[1]] += word[7] + word[9]
        }
        match($0, /^ *[0-9]+\/[0-9]+ Test +#[0-9]+:/) {
            number = $0; sub(/^[^#]*#/, "", number); sub(/:.*/, "", number)
            if ($0 ~ /Passed/) { passed += number in checks ? checks[number] : 1 }
            else if ($0 ~ /Skipped/) { skipped++ }
            else {
                lost = bad[number] > 0 ? bad[number] : 1
                failed += lost; if (checks[number] > lost) { passed += checks[number] - lost }
            }
        }
        END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped }'
}

# Those that start threads. Not those with a mock cluster: librdkafka starts its threads by thrd_create, which TSan does
# not follow, and crashes in them.
tests_of_threads() {
    echo "^($(git grep -l pthread_create -- '*_test.c' | xargs grep -L mock_fixture | sed 's,.*/,,; s/\.c$//' | paste -sd '|'))\$"
}

# One at a time for each preset, since it keeps its notes there: LOG PRESET [OPTION...]
run_ctest() {
    local log=$logs/$1.ctest status
    flock "build/$2/ctest.lock" \
        ctest --test-dir "build/$2" -V -j "$jobs" --no-tests=error "${@:3}" >"$log"
    status=$?
    cat "$log"
    count_ctest <"$log"
    return $status
}

suite_unit() {
    local preset=$1 chosen=()
    # Under TSan only what has threads: the rest runs under ASan and would tell nothing new.
    [ "$preset" = tsan ] && chosen=(-R "$(tests_of engine)|$(tests_of_threads)")
    run_ctest "unit-$preset" "$preset" "${chosen[@]}"
}

# Every program of a folder, with the weir of a preset.
each_python() {
    local status=0 test
    for test in "$1"/*.py; do
        echo "== $test"
        python "$test" "build/$2/bin/weir" || status=1
    done
    return $status
}

# The same, all at a time: for tests that mostly wait for servers of their own.
each_python_at_once() {
    local folder=$1 preset=$2 status=0 test tests=("$1"/*.py) pids=() outputs=() i
    for test in "${tests[@]}"; do
        outputs+=("$logs/$(basename "$folder").$(basename "$test").out")
        python "$test" "build/$preset/bin/weir" >"${outputs[-1]}" 2>&1 &
        pids+=($!)
    done
    for i in "${!tests[@]}"; do
        wait "${pids[$i]}" || status=1
        echo "== ${tests[$i]}"
        cat "${outputs[$i]}"
    done
    return $status
}

suite_reference() { python docs/reference/generate --check "build/$1/bin/weir"; }
suite_docs() { each_python tests/docs "$1"; }
suite_cli() { each_python tests/cli "$1"; }
suite_check() { python tests/check/run.py "build/$1/bin/weir"; }
suite_schema() { python tests/schema/run.py "build/$1/bin/weir"; }
suite_graph() { python tests/graph/run.py "build/$1/bin/weir"; }
suite_pipelines() { python tests/pipelines/run.py "build/$1/bin/weir"; }
suite_sizes() { python tests/sizes/run.py "build/$1/bin/weir"; }
suite_examples() { python tests/examples/run.py "build/$1/bin/weir"; }
suite_differential() { python tests/differential/run.py "build/$1/bin/weir"; }
suite_mutations() { python tests/mutations/run.py "build/$1/bin/weir"; }
suite_kill() { python tests/kill/run.py "build/$1/bin/weir"; }
suite_fault_points() { python tests/kill/points.py "build/$1/bin/weir"; }
# Graphs made at random; under the sanitizers fewer.
suite_order() {
    local count=${WEIR_ORDER_GRAPHS:-300}
    [ "$1" = release ] || count=40
    python tests/order/run.py "build/$1/bin/weir" "$count"
}
suite_mutants() { python tests/order/mutants.py "build/$1/bin/weir"; }
suite_faults() { python tests/faults/run.py "build/$1/bin/weir"; }
# Under the debug host: plugins that break a rule each, then all of ours, which break none.
suite_debughost() {
    local status=0
    python tests/debug_host/run.py "build/$1/bin/weir" || status=1
    [ "$1" = tsan ] && return $status # the rest has no threads that those have not
    WEIR_CHECK_ABI=1 run_ctest "debughost-$1" "$1" -R "$(tests_of_plugins)" || status=1
    WEIR_CHECK_ABI=1 python tests/pipelines/run.py "build/$1/bin/weir" || status=1
    return $status
}
# Golden pipelines whose sinks have an instance for each partition, under the debug host.
suite_seats() {
    WEIR_TEST_SEATS=1 WEIR_CHECK_ABI=1 python tests/pipelines/run.py "build/$1/bin/weir"
}
# With the Python that has clients of Kafka: PROGRAM [ARGUMENT...]
kafka_python() {
    local python status
    python=$(tests/servers/quixstreams/venv)
    status=$?
    if [ $status = 77 ]; then
        echo "0 passed, 0 failed, 1 skipped"
        return 0
    fi
    [ $status = 0 ] && "$python" "$root/$1" "${@:2}"
}
suite_benchkafka() {
    cmake --build "build/$1" -j "$jobs" --target bench_kafka >/dev/null &&
        kafka_python tests/bench/kafka/smoke.py "build/$1"
}
suite_refusals() { python tests/debug_host/refusals.py "build/$1/bin/weir"; }
suite_robustness() { each_python tests/robustness "$1"; }
suite_sdk() { tests/sdk/run.sh "build/$1"; }
# The auditor of chaos runs.
suite_chaosaudit() {
    local status=0
    python tests/chaos/audit_test.py || status=1
    kafka_python tests/chaos/selftest.py || status=1
    return $status
}
# Three replicas on three brokers, disturbed; each kind of event under one guarantee, pauses under both.
suite_chaos() {
    local guarantee status=0 failed=0
    local -A kinds=([at-least-once]="kill pause broker scale" [exactly-once]="terminate pause leader coordinator")
    if ! tests/servers/quixstreams/venv >/dev/null; then
        echo "0 passed, 0 failed, 1 skipped"
        return 0
    fi
    for guarantee in at-least-once exactly-once; do
        kafka_python tests/chaos/main.py --seed "${WEIR_CHAOS_SEED:-1}" --events 4 --guarantee "$guarantee" \
            --kinds ${kinds[$guarantee]} \
            --command "$root/build/$1/bin/weir run $root/tests/chaos/chaos.yaml" || { status=1; failed=$((failed + 1)); }
    done
    echo "$((2 - failed)) passed, $failed failed"
    return $status
}
# Real servers, and the programs by which tests work with them.
suite_servers() { each_python tests/servers/tests "$1"; }
# The log on a real Kafka.
suite_kafka() { each_python_at_once tests/kafka "$1"; }
# What a run does with each error that brokers answer, on a mock cluster.
suite_kafkafaults() { python tests/kafka/mocked/faults.py "build/$1/bin/weir"; }
# Commands about topics, and what runs make of topics, on a real Kafka.
suite_kafkatopics() { python tests/kafka/topics/run.py "build/$1/bin/weir"; }
# How runs begin and end, what moves positions, how partitions come and go, on a real Kafka.
suite_kafkaruns() { python tests/kafka/runs/run.py "build/$1/bin/weir"; }
suite_packaging() { tests/packaging/run.sh "build/$1"; }

# Each target for some seconds, beginning with its corpus; what it finds new stays in the build folder.
suite_fuzz() {
    local program name found passed=0 failed=0 seconds=${WEIR_FUZZ_SECONDS:-30}
    for program in build/fuzz/fuzz/fuzz_*; do
        [ -x "$program" ] || continue
        name=${program##*/fuzz_}
        found=build/fuzz/corpus/$name
        mkdir -p "$found" "tests/fuzz/corpus/$name"
        echo "== $name"
        if "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -verbosity=1 \
            -artifact_prefix="$logs/fuzz-$name-" "$found" "tests/fuzz/corpus/$name" 2>&1 | tail -60; then
            passed=$((passed + 1))
        else
            echo "FAILED $name: its input lies beside this log, as fuzz-$name-..."
            failed=$((failed + 1))
        fi
    done
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ] && [ "$passed" -gt 0 ]
}
