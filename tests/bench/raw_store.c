/* SPDX-License-Identifier: MIT */
#include "raw_store.h"

#include <endian.h>
#include <rocksdb/c.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_ROOM = 1 << 20, MEMTABLE_BYTES = 16 * 1024 * 1024 };

struct raw_store {
    rocksdb_t *db;
    rocksdb_options_t *options;
    rocksdb_writeoptions_t *synced;
    rocksdb_readoptions_t *reading;
    char batch[BATCH_ROOM];
};

static void check(const char *what, const char *fault)
{
    if (fault != NULL) {
        fprintf(stderr, "raw_store: could not %s: %s\n", what, fault);
        exit(1);
    }
}

struct raw_store *raw_store_open(const char *folder)
{
    struct raw_store *store = calloc(1, sizeof *store);
    char *fault = NULL;
    check("open", store == NULL ? "out of memory" : NULL);
    store->options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(store->options, 1);
    rocksdb_options_set_compression(store->options, rocksdb_lz4_compression);
    rocksdb_options_set_write_buffer_size(store->options, MEMTABLE_BYTES);
    store->synced = rocksdb_writeoptions_create();
    rocksdb_writeoptions_set_sync(store->synced, 1);
    store->reading = rocksdb_readoptions_create();
    store->db = rocksdb_open(store->options, folder, &fault);
    check("open", fault);
    return store;
}

void raw_store_close(struct raw_store *store)
{
    rocksdb_close(store->db);
    rocksdb_readoptions_destroy(store->reading);
    rocksdb_writeoptions_destroy(store->synced);
    rocksdb_options_destroy(store->options);
    free(store);
}

static size_t pack(const struct records *records, size_t first, size_t count, char *batch)
{
    size_t used = 0;
    for (size_t i = first; i < first + count; i++) {
        size_t size;
        const char *text = record_at(records, i, &size);
        uint32_t packed = (uint32_t)size;
        check("pack", used + sizeof packed + size > BATCH_ROOM ? "a batch is too large" : NULL);
        memcpy(batch + used, &packed, sizeof packed);
        memcpy(batch + used + sizeof packed, text, size);
        used += sizeof packed + size;
    }
    return used;
}

void raw_store_write(struct raw_store *store, const struct records *records, size_t first,
                     size_t batches, size_t per_batch)
{
    rocksdb_writebatch_t *write = rocksdb_writebatch_create();
    char *fault = NULL;
    for (size_t i = 0; i < batches; i++) {
        size_t at = first + i * per_batch;
        uint64_t key = htobe64(at);
        size_t size = pack(records, at, per_batch, store->batch);
        rocksdb_writebatch_put(write, (const char *)&key, sizeof key, store->batch, size);
    }
    rocksdb_write(store->db, store->synced, write, &fault);
    check("write", fault);
    rocksdb_writebatch_destroy(write);
}

static size_t unpack(const char *batch, size_t size, char *room)
{
    size_t sum = 0;
    for (size_t at = 0; at < size;) {
        uint32_t packed;
        memcpy(&packed, batch + at, sizeof packed);
        memcpy(room + sum, batch + at + sizeof packed, packed);
        sum += packed;
        at += sizeof packed + packed;
    }
    return sum;
}

size_t raw_store_read(struct raw_store *store, char *room)
{
    rocksdb_iterator_t *cursor = rocksdb_create_iterator(store->db, store->reading);
    size_t sum = 0;
    for (rocksdb_iter_seek_to_first(cursor); rocksdb_iter_valid(cursor);
         rocksdb_iter_next(cursor)) {
        size_t size = 0;
        const char *batch = rocksdb_iter_value(cursor, &size);
        sum += unpack(batch, size, room);
    }
    rocksdb_iter_destroy(cursor);
    return sum;
}
