/* SPDX-License-Identifier: MIT */
/*
 * Opens and closes a log that is embedded in the process, over the store that its URL names.
 */
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "log/embedded/embedded_log.h"
#include "log/embedded/store.h"

static void close_log(struct log *face)
{
    struct embedded_log *log = embedded_of(face);
    /* First the chunks: some are memory of the store's. */
    compact_end(log);
    topics_deinit(log);
    log->store->ops->destroy(log->store);
    chunk_pool_deinit(&log->pool);
    group_deinit(&log->group);
    memory_free(log->commit.parts);
    memory_free(log->commit.chunks);
    pthread_mutex_destroy(&log->waking);
    pthread_mutex_destroy(&log->lock);
    pthread_mutex_destroy(&log->writing);
    memory_free(log);
}

static const struct log_ops ops = {
    .close = close_log,
    .topic_find = embedded_topic_find,
    .topic_create = embedded_topic_create,
    .topic_empty = embedded_topic_empty,
    .topic_drop = embedded_topic_drop,
    .topic_options = embedded_topic_options,
    .topic_configure = embedded_topic_configure,
    .topics = embedded_topics,
    .partition_info = embedded_partition_info,
    .topic_terms = embedded_topic_terms,
    .append = embedded_append,
    .read = embedded_read,
    .offset_at = embedded_offset_at,
    .pending_bytes = embedded_pending_bytes,
    .commit = embedded_commit,
    .rollback = embedded_rollback,
    .fact_get = embedded_fact_get,
    .facts = embedded_facts,
    .readers = embedded_readers,
    .join = embedded_join,
    .next_change = embedded_next_change,
    .is_urged = embedded_is_urged,
    .change_done = embedded_change_done,
    .confirm = embedded_confirm,
    .leave = embedded_leave,
    .tidy = embedded_tidy,
    .trim = embedded_trim,
    .refresh = embedded_refresh,
    .on_append = embedded_on_append,
};

/* ---- opening ------------------------------------------------------------------------------------- */

static const char local_scheme[] = "local:";

static weir_status create_store(const char *url, const struct log_open_options *options,
                                struct store **ret_store, struct error *error)
{
    if (strncmp(url, local_scheme, strlen(local_scheme)) != 0) {
        return memory_store_create(options->mode, ret_store, error);
    }
    const char *name = url + strlen(local_scheme);
    struct arena arena;
    arena_init(&arena, 0);
    weir_status st = WEIR_E_NOMEM;
    const char *path = file_join(&arena, options->folder == NULL ? "." : options->folder, name);
    if (path == NULL) {
        (void)error_no_memory(error);
    } else {
        st = local_store_create(name, path, options->mode, options->memory, ret_store, error);
    }
    arena_deinit(&arena);
    return st;
}

static struct embedded_log *create_log(struct store *store, enum log_mode mode)
{
    struct embedded_log *log = memory_zeroed(1, sizeof *log);
    if (log == NULL) {
        return NULL;
    }
    log->face.ops = &ops;
    log->store = store;
    log->mode = mode;
    log->next_topic_id = 1;
    pthread_mutex_init(&log->writing, NULL);
    pthread_mutex_init(&log->lock, NULL);
    pthread_mutex_init(&log->waking, NULL);
    chunk_pool_init(&log->pool, store->ops->keeps_chunks);
    return log;
}

weir_status embedded_open(const char *url, const struct log_open_options *options,
                          struct log **ret_log, struct error *error)
{
    const struct log_memory *memory = options->memory;
    struct store *store = NULL;
    weir_status st = create_store(url, options, &store, error);
    if (st != WEIR_OK) {
        return st;
    }
    struct embedded_log *log = create_log(store, options->mode);
    if (log == NULL) {
        store->ops->destroy(store);
        return error_no_memory(error);
    }
    log->cached_limit = memory != NULL ? memory->chunks : UINT64_MAX;
    log->lent_limit = log->cached_limit;
    if (memory != NULL) {
        log->pool.warm_bytes = memory->chunks;
    }
    st = topics_reload(log, error);
    if (st != WEIR_OK) {
        close_log(&log->face);
        return st;
    }
    *ret_log = &log->face;
    return WEIR_OK;
}

/* ---- for all ---------------------------------------------------------------------------------------- */

weir_status embedded_check_writable(const struct embedded_log *log, struct error *error)
{
    if (log->mode == LOG_WRITE) {
        return WEIR_OK;
    }
    return error_set(error, WEIR_E_INVALID, WEIR_CLASS_BUG,
                     "cannot change a log that is open for reading only");
}

weir_status embedded_refresh(struct log *face, struct error *error)
{
    struct embedded_log *log = embedded_of(face);
    if (log->mode == LOG_WRITE || log->store->ops->refresh == NULL) {
        return WEIR_OK;
    }
    pthread_mutex_lock(&log->writing);
    weir_status st = log->store->ops->refresh(log->store, error);
    if (st == WEIR_OK) {
        st = topics_reload(log, error);
    }
    pthread_mutex_unlock(&log->writing);
    return st;
}
