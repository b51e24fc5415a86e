/* SPDX-License-Identifier: MIT */
/*
 * weir's own cost beside hand-written code, in one run. Prints figures and ratios; judges nothing:
 * machines are shared, and a benchmark is no test.
 *
 *     bench FOLDER_OF_PIPELINES [RECORDS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/logger.h"
#include "engine_bench.h"
#include "json_loop.h"
#include "log_bench.h"

enum { ROUNDS = 9, COMPARED = 2048 };

static const char *path_in(const char *folder, const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* The same records in the same bytes, or the run is void. */
static void compare_outputs(const char *a, const size_t *a_ends, size_t a_count, const char *b,
                            const size_t *b_ends, size_t b_count)
{
    size_t compared = a_count < COMPARED ? a_count : COMPARED;
    if (a_count != b_count || memcmp(a_ends, b_ends, compared * sizeof *a_ends) != 0 ||
        memcmp(a, b, a_ends[compared - 1]) != 0) {
        fprintf(stderr, "bench: void, the outputs differ (%zu and %zu records)\n", a_count,
                b_count);
        exit(1);
    }
}

static void bench_json(const char *name, const char *folder, const struct records *records)
{
    size_t room = records->ends[records->count - 1] + records->count * 64;
    char *loop_out = malloc(room);
    char *engine_out = malloc(room);
    size_t *loop_ends = malloc(records->count * sizeof *loop_ends);
    size_t *engine_ends = malloc(records->count * sizeof *engine_ends);
    double loop_ns[ROUNDS];
    double engine_ns[ROUNDS];
    double ratios[ROUNDS];
    memset(loop_out, 0, room);
    struct log *log = bench_log(records, 1);
    /* The first run of each brings code and memory in and is not counted. */
    size_t loop_count = json_loop(records, loop_out, loop_ends);
    bench_run(path_in(folder, "json.yaml"), log, 1);
    compare_outputs(loop_out, loop_ends, loop_count, engine_out, engine_ends,
                    bench_output(log, engine_out, engine_ends));
    for (int round = 0; round < ROUNDS; round++) {
        double start = bench_cpu_seconds();
        json_loop(records, loop_out, loop_ends);
        loop_ns[round] = (bench_cpu_seconds() - start) * 1e9 / (double)records->count;
        struct bench_result result = bench_run(path_in(folder, "json.yaml"), log, 1);
        engine_ns[round] = result.cpu_seconds * 1e9 / (double)records->count;
        ratios[round] = loop_ns[round] / engine_ns[round];
    }
    log_close(log);
    printf("json %-6s  loop %6.0f ns, weir %6.0f ns a record: %.2fx of the loop's speed\n", name,
           bench_median(loop_ns, ROUNDS), bench_median(engine_ns, ROUNDS),
           bench_median(ratios, ROUNDS));
    free(loop_out);
    free(engine_out);
    free(loop_ends);
    free(engine_ends);
}

static void bench_noops(const char *folder, const struct records *records)
{
    double differences[ROUNDS];
    struct log *log = bench_log(records, 1);
    for (int round = 0; round < ROUNDS; round++) {
        double without = bench_run(path_in(folder, "noop0.yaml"), log, 1).cpu_seconds;
        double with = bench_run(path_in(folder, "noop10.yaml"), log, 1).cpu_seconds;
        differences[round] = (with - without) * 1e9 / (double)records->count / 10;
    }
    log_close(log);
    printf("ten no-op operators: %.2f ns a record and operator\n",
           bench_median(differences, ROUNDS));
}

static void bench_allocations_of(const char *folder, size_t count)
{
    struct records few = records_flat(count / 4);
    struct records many = records_flat(count);
    struct log *log = bench_log(&few, 1);
    uint64_t start = bench_run(path_in(folder, "json.yaml"), log, 1).allocations;
    log_close(log);
    log = bench_log(&many, 1);
    uint64_t all = bench_run(path_in(folder, "json.yaml"), log, 1).allocations;
    log_close(log);
    printf("allocations: %llu for %zu records, %llu for %zu: %.3f per 1,000 records in steady "
           "state\n",
           (unsigned long long)start, few.count, (unsigned long long)all, many.count,
           ((double)all - (double)start) * 1000 / (double)(many.count - few.count));
    records_free(&few);
    records_free(&many);
}

/* One and 16 branches of records of 4 KB, each with a field of its own changed and dropped then. */
static void bench_branches(const char *folder, const struct records *records)
{
    double one_ns[ROUNDS];
    double shares[ROUNDS];
    struct log *log = bench_log(records, 1);
    for (int round = 0; round < ROUNDS; round++) {
        struct bench_result one = bench_run(path_in(folder, "branches1.yaml"), log, 1);
        struct bench_result all = bench_run(path_in(folder, "branches16.yaml"), log, 1);
        if (one.records_out != records->count / 1000 ||
            all.records_out != 16 * (records->count / 1000)) {
            fprintf(stderr, "bench: void, branches let %llu and %llu records pass\n",
                    (unsigned long long)one.records_out, (unsigned long long)all.records_out);
            exit(1);
        }
        one_ns[round] = one.cpu_seconds * 1e9 / (double)records->count;
        shares[round] = (all.cpu_seconds / one.cpu_seconds - 1) * 100 / 15;
    }
    log_close(log);
    printf("branches of 4 KB: one %.0f ns a record, each further one %.1f %% of that\n",
           bench_median(one_ns, ROUNDS), bench_median(shares, ROUNDS));
}

/* Time of one worker beside that of two, where a record costs some microseconds. */
static void bench_workers(const char *folder, const struct records *records)
{
    double one_ns[ROUNDS];
    double ratios[ROUNDS];
    double costs[ROUNDS];
    struct log *log = bench_log(records, 8);
    for (int round = 0; round < ROUNDS; round++) {
        struct bench_result one = bench_run(path_in(folder, "workers.yaml"), log, 1);
        struct bench_result two = bench_run(path_in(folder, "workers.yaml"), log, 2);
        one_ns[round] = one.cpu_seconds * 1e9 / (double)records->count;
        ratios[round] = one.wall_seconds / two.wall_seconds;
        costs[round] = two.cpu_seconds / one.cpu_seconds;
    }
    log_close(log);
    printf("two workers: %.2fx the speed of one at %.0f ns a record, %.2fx its processor time (it "
           "wants two cores)\n",
           bench_median(ratios, ROUNDS), bench_median(one_ns, ROUNDS), bench_median(costs, ROUNDS));
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: bench FOLDER_OF_PIPELINES [RECORDS]\n");
        return 2;
    }
    size_t count = argc > 2 ? strtoul(argv[2], NULL, 10) : 60000;
    logger_configure(LOGGER_ERROR, false, false);
    struct records flat = records_flat(count);
    struct records nested = records_nested(count / 20 + 1);
    struct records shared = records_nested(count / 10 + 1);
    struct records branched = records_nested(count / 20000 * 1000 + 1000);
    bench_json("flat", argv[1], &flat);
    bench_json("nested", argv[1], &nested);
    bench_noops(argv[1], &flat);
    bench_branches(argv[1], &branched);
    bench_workers(argv[1], &shared);
    bench_log_beside_rocksdb();
    bench_allocations_of(argv[1], count);
    records_free(&flat);
    records_free(&nested);
    records_free(&shared);
    records_free(&branched);
    return 0;
}
