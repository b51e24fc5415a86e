/* SPDX-License-Identifier: MIT */
/*
 * Runs a pipeline over records that already lie in an in-memory log, and measures the run.
 */
#ifndef BENCH_ENGINE_BENCH_H
#define BENCH_ENGINE_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "log/log.h"
#include "records.h"

/* cpu_seconds: of all threads of the process, from start to end of the run. */
struct bench_result {
    double cpu_seconds;
    double wall_seconds;
    uint64_t allocations;
    uint64_t records_in;
    uint64_t records_out;
};

/* An in-memory log whose topic 'in' holds the records, in turn by partition. Exits on failure. */
struct log *bench_log(const struct records *records, uint32_t partitions);
/* Runs the pipeline file from the start to its end. threads: as in engine.h. Exits on failure. */
struct bench_result bench_run(const char *pipeline_file, struct log *log, int64_t threads);
/* With one worker, as `weir run --explain` does if is_timed. */
struct bench_result bench_run_timed(const char *pipeline_file, struct log *log, bool is_timed);
/* Messages of topic 'out' after `bench_run`: value bytes one after another. */
size_t bench_output(struct log *log, char *out, size_t *ends);

double bench_cpu_seconds(void);
double bench_median(double *values, size_t count); /* sorts them */
uint64_t bench_allocations(void); /* allocations of the process so far, over all threads */

#endif
