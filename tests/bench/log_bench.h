/* SPDX-License-Identifier: MIT */
#ifndef BENCH_LOG_BENCH_H
#define BENCH_LOG_BENCH_H

/*
 * The log in a folder, written and read, beside a loop over RocksDB alone that keeps the same batches
 * as one value each. Prints figures.
 */
void bench_log_beside_rocksdb(void);

#endif
