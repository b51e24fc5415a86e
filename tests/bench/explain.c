/* SPDX-License-Identifier: MIT */
/*
 * One run of a pipeline over records in memory, and the processor's time that it took: for explain.py,
 * which has each run in a process of its own, so that instructions can be counted too.
 *
 *     bench_explain PIPELINE RECORDS plain|timed|none
 *
 * none: the records are made, and nothing runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/logger.h"
#include "engine_bench.h"

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: bench_explain PIPELINE RECORDS plain|timed|none\n");
        return 2;
    }
    logger_configure(LOGGER_ERROR, false, false);
    struct records records = records_flat(strtoul(argv[2], NULL, 10));
    struct log *log = bench_log(&records, 1);
    if (strcmp(argv[3], "none") != 0) {
        bool is_timed = strcmp(argv[3], "timed") == 0;
        printf("%.9f\n", bench_run_timed(argv[1], log, is_timed).cpu_seconds);
    }
    log_close(log);
    records_free(&records);
    return 0;
}
