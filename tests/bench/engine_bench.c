/* SPDX-License-Identifier: MIT */
#include "engine_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "engine/engine.h"

enum { CHUNK = 1000, READ_BYTES = 1 << 20 };

static _Noreturn void stop(const char *what, const struct error *error)
{
    fprintf(stderr, "bench: %s: %s\n", what, error != NULL ? error->message : "failed");
    exit(1);
}

double bench_cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return values[count / 2];
}

struct log *bench_log(const struct records *records, uint32_t partitions)
{
    struct error error = { .status = WEIR_OK };
    struct log *log = NULL;
    struct log_topic *topic = NULL;
    if (log_open("memory", ".", LOG_WRITE, &log, &error) != WEIR_OK ||
        log_topic_create(log, "in", partitions, &topic, &error) != WEIR_OK) {
        stop("open", &error);
    }
    struct log_message messages[CHUNK];
    size_t share = records->count / partitions + 1;
    uint32_t partition = 0;
    for (size_t i = 0; i < records->count; partition = (partition + 1) % partitions) {
        uint32_t n = 0;
        for (; n < CHUNK && n < share && i < records->count; n++, i++) {
            size_t size;
            const char *text = record_at(records, i, &size);
            messages[n] = (struct log_message){ .timestamp = 1700000000000,
                                                .key = { NULL, LOG_ABSENT },
                                                .value = { (const uint8_t *)text, size } };
        }
        if (log_append(topic, partition, messages, n, &error) != WEIR_OK) {
            stop("append", &error);
        }
    }
    struct log_epoch epoch = { .fact_count = 0 };
    if (log_commit(log, "bench", &epoch, &error) != WEIR_OK) {
        stop("commit", &error);
    }
    return log;
}

static void print_diagnostics(struct diagnostics *diagnostics)
{
    weir_buffer text;
    buffer_init(&text, 1 << 20);
    for (size_t i = 0; i < diagnostics->count; i++) {
        diagnostic_write(&diagnostics->list[i], false, &text);
    }
    fwrite(text.data, 1, (size_t)text.size, stderr);
    buffer_deinit(&text);
}

static struct bench_result run(const char *pipeline_file, struct log *log, int64_t threads,
                               bool is_timed)
{
    struct arena arena;
    struct registry registry;
    struct diagnostics diagnostics;
    arena_init(&arena, 0);
    registry_init(&registry);
    registry_load_default(&registry);
    diagnostics_init(&diagnostics, &arena);
    struct pipeline *pipeline = pipeline_load(pipeline_file, &registry, &diagnostics);
    if (pipeline == NULL) {
        print_diagnostics(&diagnostics);
        stop(pipeline_file, NULL);
    }
    /* Fresh: what the last run wrote is dropped, and its memory is there to be written again. */
    struct engine_options options = { .log = log,
                                      .folder = ".",
                                      .checkpoint_interval_ms = -1,
                                      .threads = threads,
                                      .is_until_end = true,
                                      .is_timed = is_timed,
                                      .is_fresh = true };
    struct engine_report report;
    struct error error = { .status = WEIR_OK };
    uint64_t allocations = bench_allocations();
    double cpu = bench_cpu_seconds();
    int64_t wall = clock_monotonic_ns();
    if (engine_run(pipeline, &options, &report, &error) != WEIR_OK) {
        stop(pipeline_file, &error);
    }
    struct bench_result result = { .cpu_seconds = bench_cpu_seconds() - cpu,
                                   .wall_seconds = (double)(clock_monotonic_ns() - wall) / 1e9,
                                   .allocations = bench_allocations() - allocations,
                                   .records_in = report.records_in,
                                   .records_out = report.records_out };
    report_deinit(&report);
    pipeline_destroy(pipeline);
    diagnostics_deinit(&diagnostics);
    registry_deinit(&registry);
    arena_deinit(&arena);
    return result;
}

struct bench_result bench_run(const char *pipeline_file, struct log *log, int64_t threads)
{
    return run(pipeline_file, log, threads, false);
}

struct bench_result bench_run_timed(const char *pipeline_file, struct log *log, bool is_timed)
{
    return run(pipeline_file, log, 1, is_timed);
}

size_t bench_output(struct log *log, char *out, size_t *ends)
{
    struct error error = { .status = WEIR_OK };
    struct log_topic *topic = log_topic_find(log, "out");
    struct arena arena;
    size_t count = 0;
    size_t size = 0;
    int64_t offset = 0;
    arena_init(&arena, 0);
    for (;;) {
        struct log_batch batch;
        arena_reset(&arena);
        if (log_read(topic, 0, offset, CHUNK, READ_BYTES, &arena, &batch, &error) != WEIR_OK) {
            stop("read", &error);
        }
        for (uint32_t i = 0; i < batch.count; i++) {
            weir_slice value = batch.messages[i].value;
            memcpy(out + size, value.data, (size_t)value.size);
            size += (size_t)value.size;
            ends[count++] = size;
        }
        offset = batch.next;
        log_lease_end(&batch.lease);
        if (batch.count == 0) {
            break;
        }
    }
    arena_deinit(&arena);
    return count;
}
