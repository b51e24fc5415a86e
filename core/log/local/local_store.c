/* SPDX-License-Identifier: MIT */
/*
 * Opening and closing the store in a folder. The writer owns the folder by its lock file. A reader
 * opens RocksDB as a secondary, whose scratch files go to the folder for temporary files: it creates
 * nothing beside the writer's files, which may be replaced under its eyes.
 */
#include "log/local/local_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/fault_point.h"
#include "base/file.h"
#include "base/hashmap.h"
#include "base/memory.h"
#include "log/local/diary.h"
#include "log/local/keys.h"

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
    CHECKSUM_XXH3 = 4,
    FILTER_BITS = 10,               /* per key: a table that has not the chunk is not read */
    BATCH_KEPT_BYTES = 1024 * 1024, /* a batch that has grown larger is not kept */
    ATTEMPTS = 20
};

static const char format_key[] = "mformat";
static const char format_value[] = "1";

/* ---- faults -------------------------------------------------------------------------------------- */

static uint32_t class_of(const char *text)
{
    return strstr(text, "Permission denied") != NULL ? WEIR_CLASS_AUTH : WEIR_CLASS_RESOURCE;
}

weir_status local_fault(const struct local_store *store, const char *what, char *text,
                        struct error *error)
{
    text[strcspn(text, "\n")] = '\0';
    weir_status st = error_set(error, WEIR_E_IO, class_of(text), "could not %s the log in '%s': %s",
                               what, store->name, text);
    if (strncmp(text, "Corruption", strlen("Corruption")) == 0) {
        error_hint(error, "keep a copy of the folder, and start with another one");
    } else if (strstr(text, "No space left") != NULL) {
        error_hint(error, "make room on the disk and start again; nothing committed is lost");
    }
    rocksdb_free(text);
    return st;
}

bool local_retries(struct local_store *store, unsigned attempt, char **text)
{
    if (store->scratch == NULL || attempt >= ATTEMPTS) {
        return false;
    }
    rocksdb_free(*text);
    *text = NULL;
    struct timespec pause = { .tv_nsec = 5 * 1000 * 1000 };
    nanosleep(&pause, NULL);
    if (store->db != NULL) {
        char *ignored = NULL; /* the next try tells */
        rocksdb_try_catch_up_with_primary(store->db, &ignored);
        rocksdb_free(ignored);
    }
    return true;
}

weir_status local_write(struct local_store *store, struct error *error)
{
    char *text = NULL;
    size_t size = 0;
    fault_point("log.write");
    rocksdb_write(store->db, store->write_options, store->batch, &text);
    fault_point("log.written");
    (void)rocksdb_writebatch_data(store->batch, &size);
    if (size > BATCH_KEPT_BYTES) {
        rocksdb_writebatch_destroy(store->batch);
        store->batch = rocksdb_writebatch_create();
    } else {
        rocksdb_writebatch_clear(store->batch);
    }
    return text == NULL ? WEIR_OK : local_fault(store, "write to", text, error);
}

/* ---- opening ------------------------------------------------------------------------------------- */

static void set_table_options(rocksdb_options_t *options, const struct log_memory *memory)
{
    rocksdb_block_based_table_options_t *table = rocksdb_block_based_options_create();
    rocksdb_cache_t *cache = rocksdb_cache_create_lru((size_t)memory->cache);
    rocksdb_block_based_options_set_block_cache(table, cache);
    rocksdb_block_based_options_set_checksum(table, CHECKSUM_XXH3);
    rocksdb_block_based_options_set_filter_policy(
        table, rocksdb_filterpolicy_create_bloom_full(FILTER_BITS));
    rocksdb_options_set_block_based_table_factory(options, table);
    rocksdb_cache_destroy(cache);
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

static rocksdb_options_t *create_options(bool is_reader, const struct log_memory *memory)
{
    rocksdb_options_t *options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(options, !is_reader);
    /* A write that was cut off by a crash is forgotten; a damaged one, which was committed, is told. */
    rocksdb_options_set_wal_recovery_mode(options,
                                          rocksdb_tolerate_corrupted_tail_records_recovery);
    rocksdb_options_set_write_buffer_size(options, (size_t)memory->memtables / MEMTABLES);
    rocksdb_options_set_max_write_buffer_number(options, MEMTABLES);
    /* A secondary keeps every file open, so that what the writer removes stays readable. */
    rocksdb_options_set_max_open_files(options, is_reader ? -1 : OPEN_FILES);
    diary_silence(options);
    rocksdb_options_set_max_manifest_file_size(options, MANIFEST_BYTES);
    rocksdb_options_set_stats_dump_period_sec(options, 0);
    rocksdb_options_set_stats_persist_period_sec(options, 0);
    rocksdb_options_set_skip_stats_update_on_db_open(options, 1);
    set_merge_options(options);
    set_table_options(options, memory);
    set_text_options(options);
    return options;
}

static weir_status open_writer(struct local_store *store, const rocksdb_options_t *options,
                               struct error *error)
{
    char *text = NULL;
    store->db = rocksdb_open(options, store->database, &text);
    return text == NULL ? WEIR_OK : local_fault(store, "open", text, error);
}

static weir_status make_scratch(struct local_store *store, struct error *error)
{
    const char *folder = getenv("TMPDIR");
    if (folder == NULL || folder[0] == '\0') {
        folder = "/tmp";
    }
    char *path = arena_printf(&store->names, "%s/weir-XXXXXX", folder);
    if (path == NULL) {
        return error_no_memory(error);
    }
    if (mkdtemp(path) == NULL) {
        return error_from_errno(error, "create a temporary folder in", folder);
    }
    store->scratch = path;
    return WEIR_OK;
}

/* A number for the names of the write-ahead logs that are there. */
static uint64_t wal_names(const char *database)
{
    uint64_t sum = 0;
    DIR *folder = opendir(database);
    if (folder == NULL) {
        return 0;
    }
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        size_t len = strlen(entry->d_name);
        if (len > 4 && strcmp(entry->d_name + len - 4, ".log") == 0) {
            sum += hash_bytes(entry->d_name, len, 0);
        }
    }
    closedir(folder);
    return sum;
}

static void open_secondary(struct local_store *store, const rocksdb_options_t *options, char **text)
{
    if (store->db == NULL) {
        store->db = rocksdb_open_as_secondary(options, store->database, store->scratch, text);
    } else {
        rocksdb_try_catch_up_with_primary(store->db, text);
    }
}

/*
 * Opens or catches up. A secondary first reads which files there are and then the write-ahead logs;
 * one that the writer has turned into a table and removed between the two is missing from its view
 * without an error. Where the logs are the same before and after, that has not happened.
 */
static weir_status catch_up(struct local_store *store, const rocksdb_options_t *options,
                            struct error *error)
{
    char *text = NULL;
    unsigned attempt = 0;
    uint64_t before = 0;
    do {
        before = wal_names(store->database);
        open_secondary(store, options, &text);
    } while ((text != NULL || wal_names(store->database) != before) &&
             local_retries(store, ++attempt, &text));
    return text == NULL ? WEIR_OK : local_fault(store, "read", text, error);
}

static weir_status open_reader(struct local_store *store, const rocksdb_options_t *options,
                               struct error *error)
{
    weir_status st = make_scratch(store, error);
    return st != WEIR_OK ? st : catch_up(store, options, error);
}

static weir_status open_database(struct local_store *store, enum log_mode mode,
                                 const struct log_memory *memory, struct error *error)
{
    static const struct log_memory ordinary = { .cache = CACHE_BYTES,
                                                .memtables = MEMTABLES * MEMTABLE_BYTES };
    rocksdb_options_t *options =
        create_options(mode == LOG_READ, memory != NULL ? memory : &ordinary);
    weir_status st =
        mode == LOG_READ ? open_reader(store, options, error) : open_writer(store, options, error);
    rocksdb_options_destroy(options);
    if (st != WEIR_OK) {
        return st;
    }
    store->write_options = rocksdb_writeoptions_create();
    rocksdb_writeoptions_set_sync(store->write_options, 1);
    store->read_options = rocksdb_readoptions_create();
    store->for_chunks = rocksdb_readoptions_create();
    rocksdb_readoptions_set_fill_cache(store->for_chunks, 0);
    store->batch = rocksdb_writebatch_create();
    return WEIR_OK;
}

static weir_status report_no_log(const struct local_store *store, struct error *error)
{
    weir_status st = error_set(error, WEIR_E_NOT_FOUND, WEIR_CLASS_NOT_FOUND,
                               "there is no log in '%s'", store->name);
    error_hint(error, "run a pipeline first, or name the folder with --log local:DIR");
    return st;
}

/* The writer marks a new store; one of another format is refused untouched. */
static weir_status check_format(struct local_store *store, enum log_mode mode, struct error *error)
{
    char *text = NULL;
    size_t size = 0;
    char *found =
        rocksdb_get(store->db, store->read_options, format_key, strlen(format_key), &size, &text);
    if (text != NULL) {
        return local_fault(store, "read", text, error);
    }
    if (found == NULL && mode == LOG_READ) {
        return report_no_log(store, error);
    }
    if (found == NULL) {
        rocksdb_writebatch_put(store->batch, format_key, strlen(format_key), format_value,
                               strlen(format_value));
        return local_write(store, error);
    }
    weir_status st = WEIR_OK;
    if (size != strlen(format_value) || memcmp(found, format_value, size) != 0) {
        int shown = size > 20 ? 20 : (int)size;
        st = error_set(error, WEIR_E_UNSUPPORTED, WEIR_CLASS_CONFIG,
                       "the log in '%s' has format %.*s, this version of weir knows format %s",
                       store->name, shown, found, format_value);
        error_hint(error, "use the version that wrote it, or another folder");
    }
    rocksdb_free(found);
    return st;
}

static weir_status prepare_folder(struct local_store *store, const char *path, enum log_mode mode,
                                  struct error *error)
{
    const char *current = arena_printf(&store->names, "%s/CURRENT", store->database);
    const char *lock = arena_printf(&store->names, "%s/lock", path);
    if (current == NULL || lock == NULL) {
        return error_no_memory(error);
    }
    if (mode == LOG_READ) {
        return file_exists(current) ? WEIR_OK : report_no_log(store, error);
    }
    weir_status st = file_make_folders(path, error);
    return st != WEIR_OK ? st : owner_take(&store->owner, store->name, lock, error);
}

/* ---- closing ------------------------------------------------------------------------------------- */

/* RocksDB leaves only plain files there. */
static void remove_scratch(const char *path)
{
    DIR *folder = opendir(path);
    if (folder != NULL) {
        for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
            (void)unlinkat(dirfd(folder), entry->d_name, 0); /* "." and ".." refuse */
        }
        closedir(folder);
    }
    (void)rmdir(path);
}

static void local_destroy(struct store *base)
{
    struct local_store *store = local_of(base);
    if (store->batch != NULL) {
        rocksdb_writebatch_destroy(store->batch);
        rocksdb_readoptions_destroy(store->for_chunks);
        rocksdb_readoptions_destroy(store->read_options);
        rocksdb_writeoptions_destroy(store->write_options);
    }
    if (store->db != NULL) {
        rocksdb_close(store->db);
    }
    if (store->scratch != NULL) {
        remove_scratch(store->scratch);
    }
    owner_release(&store->owner);
    arena_deinit(&store->names);
    memory_free(store);
}

static weir_status local_refresh(struct store *base, struct error *error)
{
    return catch_up(local_of(base), NULL, error);
}

static const struct store_ops local_ops = {
    .destroy = local_destroy,
    .load = local_load,
    .topic_create = local_topic_create,
    .topic_empty = local_topic_empty,
    .topic_drop = local_topic_drop,
    .commit = local_commit,
    .read_chunk = local_read_chunk,
    .fact_get = local_fact_get,
    .facts = local_facts,
    .refresh = local_refresh,
};

weir_status local_store_create(const char *name, const char *path, enum log_mode mode,
                               const struct log_memory *memory, struct store **ret_store,
                               struct error *error)
{
    struct local_store *store = memory_zeroed(1, sizeof *store);
    if (store == NULL) {
        return error_no_memory(error);
    }
    store->base.ops = &local_ops;
    owner_init(&store->owner);
    arena_init(&store->names, 1024);
    store->name = arena_copy(&store->names, name, strlen(name));
    store->database = arena_printf(&store->names, "%s/log", path);
    weir_status st = WEIR_E_NOMEM;
    if (store->name == NULL || store->database == NULL) {
        (void)error_no_memory(error);
        goto fail;
    }
    st = prepare_folder(store, path, mode, error);
    if (st == WEIR_OK) {
        st = open_database(store, mode, memory, error);
    }
    if (st == WEIR_OK) {
        st = check_format(store, mode, error);
    }
    if (st != WEIR_OK) {
        goto fail;
    }
    *ret_store = &store->base;
    return WEIR_OK;
fail:
    local_destroy(&store->base);
    return st;
}
