/* SPDX-License-Identifier: MIT */
/*
 * How RocksDB is set up for a log.
 */
#include "log/embedded/local/diary.h"
#include "log/embedded/local/local_store.h"

enum {
    MEMTABLE_BYTES = 16 * 1024 * 1024,
    MEMTABLES = 3,
    CACHE_BYTES = 4 * 1024 * 1024,
    OPEN_FILES = 64,
    LEVEL0_TABLES = 8,
    LEVEL1_BYTES = 64 * 1024 * 1024,
    TABLE_BYTES = 32 * 1024 * 1024,
    BACKGROUND_JOBS = 2,
    MANIFEST_BYTES = 1024 * 1024,
    CHECKSUM_XXHASH64 = 3, /* the fastest in RocksDB 7.8 of Debian, whose XXH3 knows SSE2 only */
    FILTER_BITS = 10       /* per key: a table that has not the chunk is not read */
};

static void set_table_options(rocksdb_options_t *options, rocksdb_cache_t *cache)
{
    rocksdb_block_based_table_options_t *table = rocksdb_block_based_options_create();
    rocksdb_block_based_options_set_block_cache(table, cache);
    rocksdb_block_based_options_set_checksum(table, CHECKSUM_XXHASH64);
    rocksdb_block_based_options_set_filter_policy(
        table, rocksdb_filterpolicy_create_bloom_full(FILTER_BITS));
    rocksdb_options_set_block_based_table_factory(options, table);
    rocksdb_block_based_options_destroy(table);
}

/* What the C interface has no function for. A short session then leaves no table of its own. */
static void set_text_options(rocksdb_options_t *options)
{
    char *text = NULL;
    rocksdb_get_options_from_string(options, "avoid_flush_during_recovery=true", options, &text);
    rocksdb_free(text); /* an optimisation only */
}

/*
 * A table that has just been written covers every partition, so merging it rewrites all of the next
 * level: seldom, and with a small one, is best. (Blob files would spare more, but a secondary of
 * RocksDB 7.8 crashes over them.)
 */
static void set_merge_options(rocksdb_options_t *options)
{
    rocksdb_options_set_max_background_jobs(options, BACKGROUND_JOBS);
    rocksdb_options_set_compression(options, rocksdb_lz4_compression);
    rocksdb_options_set_level0_file_num_compaction_trigger(options, LEVEL0_TABLES);
    rocksdb_options_set_max_bytes_for_level_base(options, LEVEL1_BYTES);
    rocksdb_options_set_target_file_size_base(options, TABLE_BYTES);
}

const struct log_memory local_memory = { .cache = CACHE_BYTES,
                                         .memtables = MEMTABLES * MEMTABLE_BYTES };

rocksdb_options_t *local_options(const struct local_store *store, bool is_reader)
{
    rocksdb_options_t *options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, !is_reader);
    /* A write that was cut off by a crash is forgotten; a damaged one, which was committed, is told. */
    rocksdb_options_set_wal_recovery_mode(options,
                                          rocksdb_tolerate_corrupted_tail_records_recovery);
    rocksdb_options_set_write_buffer_size(options, (size_t)store->memory.memtables / MEMTABLES);
    rocksdb_options_set_max_write_buffer_number(options, MEMTABLES);
    /* A secondary keeps every file open, so that what the writer removes stays readable. */
    rocksdb_options_set_max_open_files(options, is_reader ? -1 : OPEN_FILES);
    diary_silence(options);
    rocksdb_options_set_max_manifest_file_size(options, MANIFEST_BYTES);
    rocksdb_options_set_stats_dump_period_sec(options, 0);
    rocksdb_options_set_stats_persist_period_sec(options, 0);
    rocksdb_options_set_skip_stats_update_on_db_open(options, 1);
    set_merge_options(options);
    set_table_options(options, store->cache);
    set_text_options(options);
    return options;
}
