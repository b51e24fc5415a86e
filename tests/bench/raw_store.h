/* SPDX-License-Identifier: MIT */
#ifndef BENCH_RAW_STORE_H
#define BENCH_RAW_STORE_H

#include "records.h"

/*
 * What a careful programmer would write with RocksDB alone to keep batches of messages: a batch is one
 * value, its messages with their sizes before them, and some batches are written in one synced write.
 * Exits on failure. folder: of its own, empty or from before.
 */
struct raw_store;
struct raw_store *raw_store_open(const char *folder);
void raw_store_close(struct raw_store *store);
/* The records from `first` on in `batches` batches of `per_batch`. Only once for each batch. */
void raw_store_write(struct raw_store *store, const struct records *records, size_t first,
                     size_t batches, size_t per_batch);
/* All batches in order. A copy of every message to `room`, one batch at a time; returns their sum. */
size_t raw_store_read(struct raw_store *store, char *room);

#endif
