/* SPDX-License-Identifier: MIT */
/*
 * Opening, closing and writing the store in a folder. The writer owns the folder by its lock file.
 *
 * After a write that failed (a full disk, most often) RocksDB takes none any more, and its C interface
 * cannot ask it to go on; so the next write opens it anew first. Nothing is lost by that: what was
 * not written is still in the log's chunks.
 */
#include "log/embedded/local/local_store.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fault_point.h"
#include "base/file.h"
#include "base/memory.h"
#include "log/embedded/local/damage.h"
#include "log/embedded/local/keys.h"

enum {
    BATCH_KEPT_BYTES = 1024 * 1024, /* a batch that has grown larger is not kept */
    COMMITS_BYTES = 16              /* number of changes, sum of ends */
};

static const char commits_key[] = "mcommits";

/* ---- faults -------------------------------------------------------------------------------------- */

static uint32_t class_of(const char *text)
{
    return strstr(text, "Permission denied") != NULL ? WEIR_CLASS_AUTH : WEIR_CLASS_RESOURCE;
}

static bool is_disk_full(const char *text)
{
    return strstr(text, "No space left") != NULL || strstr(text, "Disk quota exceeded") != NULL ||
           strstr(text, "File too large") != NULL;
}

weir_status local_fault(const struct local_store *store, const char *what, char *text,
                        struct error *error)
{
    text[strcspn(text, "\n")] = '\0';
    if (!damage_tell(store->name, store->database, text, error)) {
        (void)error_set(error, WEIR_E_IO, class_of(text), "could not %s the log in '%s': %s", what,
                        store->name, text);
    }
    if (is_disk_full(text)) {
        error_hint(error, "make room on the disk; nothing committed is lost");
        if (error != NULL) {
            error->is_retriable = true;
        }
    }
    rocksdb_free(text);
    return WEIR_E_IO;
}

void local_cause(struct store *base, char *text, size_t size)
{
    struct local_store *store = local_of(base);
    struct damage_cuts cuts = store->cuts;
    if (store->scratch != NULL) {
        damage_find_cuts(store->database, &cuts);
    }
    damage_cut_text(&cuts.missing, text, size);
}

/* ---- opening ------------------------------------------------------------------------------------- */

void local_read_commits(struct local_store *store, char **text)
{
    rocksdb_iterator_t *cursor = rocksdb_create_iterator(store->db, store->read_options);
    rocksdb_iter_seek(cursor, commits_key, strlen(commits_key));
    store->commits = 0;
    store->ends = 0;
    if (local_is_at(cursor, commits_key, strlen(commits_key))) {
        size_t size = 0;
        const char *value = rocksdb_iter_value(cursor, &size);
        if (size == COMMITS_BYTES) {
            store->commits = key_get64(value);
            store->ends = key_get64(value + sizeof(uint64_t));
        }
    }
    rocksdb_iter_get_error(cursor, text);
    rocksdb_iter_destroy(cursor);
}

static weir_status open_writer(struct local_store *store, struct error *error)
{
    char *text = NULL;
    rocksdb_options_t *options = local_options(store, false);
    store->db = rocksdb_open(options, store->database, &text);
    rocksdb_options_destroy(options);
    if (text == NULL) {
        local_read_commits(store, &text);
    }
    if (text != NULL) {
        return local_fault(store, "open", text, error);
    }
    return witness_check(store->name, &store->cuts.newest, witness_read(&store->witness),
                         store->commits, error);
}

static weir_status open_database(struct local_store *store, enum log_mode mode, struct error *error)
{
    store->cache = rocksdb_cache_create_lru((size_t)store->memory.cache);
    store->write_options = rocksdb_writeoptions_create();
    rocksdb_writeoptions_set_sync(store->write_options, 1);
    store->read_options = rocksdb_readoptions_create();
    store->for_chunks = rocksdb_readoptions_create();
    rocksdb_readoptions_set_fill_cache(store->for_chunks, 0);
    store->batch = rocksdb_writebatch_create();
    if (mode == LOG_READ) {
        return local_open_reader(store, error);
    }
    /* Opening may turn the write-ahead logs into tables. */
    damage_find_cuts(store->database, &store->cuts);
    return open_writer(store, error);
}

/* ---- writing ------------------------------------------------------------------------------------- */

static weir_status open_again(struct local_store *store, struct error *error)
{
    pthread_rwlock_wrlock(&store->gate);
    if (store->db != NULL) {
        rocksdb_close(store->db);
        store->db = NULL;
    }
    weir_status st = open_writer(store, error);
    pthread_rwlock_unlock(&store->gate);
    return st;
}

/* The batch and the number of this change. */
static void write_batch(struct local_store *store, int64_t more, char **text)
{
    char commits[COMMITS_BYTES];
    uint64_t ends = store->ends + (uint64_t)more;
    key_put64(commits, store->commits + 1);
    key_put64(commits + sizeof(uint64_t), ends);
    rocksdb_writebatch_put(store->batch, commits_key, strlen(commits_key), commits, sizeof commits);
    fault_point("log.write");
    rocksdb_write(store->db, store->write_options, store->batch, text);
    fault_point("log.written");
    if (*text == NULL) {
        store->commits++;
        store->ends = ends;
        witness_write(&store->witness, store->commits);
    }
}

static void clear_batch(struct local_store *store)
{
    size_t size = 0;
    (void)rocksdb_writebatch_data(store->batch, &size);
    if (size > BATCH_KEPT_BYTES) {
        rocksdb_writebatch_destroy(store->batch);
        store->batch = rocksdb_writebatch_create();
    } else {
        rocksdb_writebatch_clear(store->batch);
    }
}

weir_status local_write(struct local_store *store, int64_t more, struct error *error)
{
    char *text = NULL;
    weir_status st = store->is_broken ? open_again(store, error) : WEIR_OK;
    if (st == WEIR_OK) {
        write_batch(store, more, &text);
        store->is_broken = text != NULL;
    }
    clear_batch(store);
    return text == NULL ? st : local_fault(store, "write to", text, error);
}

/* ---- the folder ---------------------------------------------------------------------------------- */

struct folder_paths {
    const char *current;
    const char *lock;
    const char *format;
    const char *committed;
};

static weir_status report_no_log(const struct local_store *store, struct error *error)
{
    weir_status st = error_set(error, WEIR_E_NOT_FOUND, WEIR_CLASS_NOT_FOUND,
                               "there is no log in '%s'", store->name);
    error_hint(error, "run a pipeline first, or name the folder with --log local:DIR");
    return st;
}

static weir_status report_no_current(const struct local_store *store, struct error *error)
{
    weir_status st =
        error_set(error, WEIR_E_IO, WEIR_CLASS_RESOURCE,
                  "the log in '%s' is damaged: file 'log/CURRENT': it is missing", store->name);
    error_hint(error, "keep a copy of the folder; bring the file back from a backup, or remove the "
                      "folder to begin anew");
    return st;
}

static weir_status prepare_reader(struct local_store *store, const struct folder_paths *paths,
                                  struct error *error)
{
    weir_status st = witness_open(&store->witness, paths->committed, false, error);
    if (st != WEIR_OK) {
        return st;
    }
    if (!file_exists(paths->current)) {
        return witness_read(&store->witness) > 0 ? report_no_current(store, error)
                                                 : report_no_log(store, error);
    }
    return format_check(store->name, paths->format, error);
}

/* A folder of another format is left as it is; a new one is marked before anything is in it. */
static weir_status prepare_writer(struct local_store *store, const char *path,
                                  const struct folder_paths *paths, struct error *error)
{
    weir_status st = WEIR_OK;
    if (file_exists(paths->current)) {
        st = format_check(store->name, paths->format, error);
    }
    if (st == WEIR_OK) {
        st = file_make_folders(path, error);
    }
    if (st == WEIR_OK) {
        st = owner_take(&store->owner, store->name, paths->lock, error);
    }
    if (st == WEIR_OK) {
        st = witness_open(&store->witness, paths->committed, true, error);
    }
    if (st != WEIR_OK || file_exists(paths->current)) {
        return st;
    }
    return witness_read(&store->witness) > 0 ? report_no_current(store, error)
                                             : format_write(paths->format, error);
}

static weir_status prepare_folder(struct local_store *store, const char *path, enum log_mode mode,
                                  struct error *error)
{
    const struct folder_paths paths = {
        .current = arena_printf(&store->names, "%s/CURRENT", store->database),
        .lock = arena_printf(&store->names, "%s/lock", path),
        .format = arena_printf(&store->names, "%s/format", path),
        .committed = arena_printf(&store->names, "%s/committed", path),
    };
    if (paths.current == NULL || paths.lock == NULL || paths.format == NULL ||
        paths.committed == NULL) {
        return error_no_memory(error);
    }
    return mode == LOG_READ ? prepare_reader(store, &paths, error)
                            : prepare_writer(store, path, &paths, error);
}

/* ---- closing ------------------------------------------------------------------------------------- */

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
    if (store->cache != NULL) {
        rocksdb_cache_destroy(store->cache);
    }
    local_close_reader(store);
    witness_close(&store->witness);
    owner_release(&store->owner);
    pthread_rwlock_destroy(&store->gate);
    arena_deinit(&store->names);
    memory_free(store);
}

static const struct store_ops local_ops = {
    .destroy = local_destroy,
    .load = local_load,
    .topic_create = local_topic_create,
    .topic_empty = local_topic_empty,
    .topic_options = local_topic_options,
    .topic_drop = local_topic_drop,
    .commit = local_commit,
    .rewrite = local_rewrite,
    .list_chunks = local_list_chunks,
    .read_chunk = local_read_chunk,
    .fact_get = local_fact_get,
    .facts = local_facts,
    .groups = local_groups,
    .reclaim = local_reclaim,
    .refresh = local_refresh,
    .cause = local_cause,
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
    store->memory = memory != NULL ? *memory : local_memory;
    owner_init(&store->owner);
    witness_init(&store->witness);
    pthread_rwlock_init(&store->gate, NULL);
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
        st = open_database(store, mode, error);
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
