/* SPDX-License-Identifier: MIT */
#include "log_bench.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine_bench.h"
#include "log/log.h"
#include "raw_store.h"

/* A commit of 16 batches as the engine has them; 64 MB in all, more than lies in memory before tables. */
enum { PER_BATCH = 1024, BATCHES = 16, COMMITS = 20, ROUNDS = 5, READ_BYTES = 1 << 20 };

/* CPU seconds of all threads: what writing and reading again have taken. */
struct cost {
    double write;
    double read;
};

static void check(const char *what, weir_status st, const struct error *error)
{
    if (st != WEIR_OK) {
        fprintf(stderr, "bench: could not %s: %s\n", what, error->message);
        exit(1);
    }
}

static void check_sum(const char *whose, const struct records *records, size_t sum)
{
    if (sum != records->ends[records->count - 1]) {
        fprintf(stderr, "bench: void, %s has given %zu bytes back and not %zu\n", whose, sum,
                records->ends[records->count - 1]);
        exit(1);
    }
}

/* ---- the log ----------------------------------------------------------------------------------- */

static void append_batch(struct log_topic *topic, const struct records *records, size_t first)
{
    struct log_message messages[PER_BATCH];
    struct error error = { .status = WEIR_OK };
    for (size_t i = 0; i < PER_BATCH; i++) {
        size_t size;
        const char *text = record_at(records, first + i, &size);
        messages[i] = (struct log_message){ .timestamp = 1700000000000,
                                            .key = { NULL, LOG_ABSENT },
                                            .value = { (const uint8_t *)text, size } };
    }
    check("append", log_append(topic, 0, messages, PER_BATCH, &error), &error);
}

static double write_log(const char *url, const struct records *records)
{
    struct error error = { .status = WEIR_OK };
    struct log *log = NULL;
    struct log_topic *topic = NULL;
    check("open", log_open(url, "/", LOG_WRITE, &log, &error), &error);
    check("create", log_topic_create(log, "in", 1, &topic, &error), &error);
    double start = bench_cpu_seconds();
    for (size_t i = 0; i < records->count; i += PER_BATCH) {
        append_batch(topic, records, i);
        if (i / PER_BATCH % BATCHES == BATCHES - 1) {
            struct log_epoch epoch = { .fact_count = 0 };
            check("commit", log_commit(log, "bench", &epoch, &error), &error);
        }
    }
    double taken = bench_cpu_seconds() - start;
    log_close(log);
    return taken;
}

static size_t read_topic(struct log_topic *topic)
{
    struct error error = { .status = WEIR_OK };
    struct arena arena;
    size_t sum = 0;
    int64_t offset = 0;
    struct log_batch batch;
    arena_init(&arena, 0);
    do {
        arena_reset(&arena);
        check("read", log_read(topic, 0, offset, PER_BATCH, READ_BYTES, &arena, &batch, &error),
              &error);
        for (uint32_t i = 0; i < batch.count; i++) {
            sum += (size_t)batch.messages[i].value.size;
        }
        offset = batch.next;
        log_lease_end(&batch.lease);
    } while (batch.count > 0);
    arena_deinit(&arena);
    return sum;
}

static double read_log(const char *url, const struct records *records)
{
    struct error error = { .status = WEIR_OK };
    struct log *log = NULL;
    check("open", log_open(url, "/", LOG_WRITE, &log, &error), &error);
    double start = bench_cpu_seconds();
    size_t sum = read_topic(log_topic_find(log, "in"));
    double taken = bench_cpu_seconds() - start;
    check_sum("the log", records, sum);
    log_close(log);
    return taken;
}

static struct cost cost_of_log(const char *folder, const struct records *records)
{
    char url[4096];
    snprintf(url, sizeof url, "local:%s", folder);
    double written = write_log(url, records);
    return (struct cost){ written, read_log(url, records) };
}

/* ---- RocksDB alone ----------------------------------------------------------------------------- */

static struct cost cost_of_rocksdb(const char *folder, const struct records *records)
{
    static char room[READ_BYTES];
    struct raw_store *store = raw_store_open(folder);
    double start = bench_cpu_seconds();
    for (size_t i = 0; i < records->count; i += BATCHES * PER_BATCH) {
        raw_store_write(store, records, i, BATCHES, PER_BATCH);
    }
    double written = bench_cpu_seconds() - start;
    raw_store_close(store);
    store = raw_store_open(folder);
    start = bench_cpu_seconds();
    size_t sum = raw_store_read(store, room);
    double read = bench_cpu_seconds() - start;
    check_sum("RocksDB", records, sum);
    raw_store_close(store);
    return (struct cost){ written, read };
}

/* ---- both -------------------------------------------------------------------------------------- */

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)kind;
    (void)place;
    return remove(path);
}

/* In a folder of its own, which is removed again. */
static struct cost measure(struct cost (*cost_of)(const char *, const struct records *),
                           const struct records *records)
{
    char folder[] = "/tmp/weir-bench-XXXXXX";
    if (mkdtemp(folder) == NULL) {
        perror("bench: mkdtemp");
        exit(1);
    }
    struct cost cost = cost_of(folder, records);
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    return cost;
}

static void print_line(const char *what, double *raw, double *ours, size_t count)
{
    double ratios[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        ratios[i] = raw[i] / ours[i];
    }
    printf("log %-5s   RocksDB alone %4.0f ns, weir %4.0f ns a record: %.2fx of its speed\n", what,
           bench_median(raw, ROUNDS) * 1e9 / (double)count,
           bench_median(ours, ROUNDS) * 1e9 / (double)count, bench_median(ratios, ROUNDS));
}

void bench_log_beside_rocksdb(void)
{
    struct records records = records_flat((size_t)COMMITS * BATCHES * PER_BATCH);
    double raw[3][ROUNDS];
    double ours[3][ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        struct cost a = measure(cost_of_rocksdb, &records);
        struct cost b = measure(cost_of_log, &records);
        raw[0][round] = a.write;
        raw[1][round] = a.read;
        raw[2][round] = a.write + a.read;
        ours[0][round] = b.write;
        ours[1][round] = b.read;
        ours[2][round] = b.write + b.read;
    }
    print_line("write", raw[0], ours[0], records.count);
    print_line("read", raw[1], ours[1], records.count);
    print_line("both", raw[2], ours[2], records.count);
    records_free(&records);
}
