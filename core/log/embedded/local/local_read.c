/* SPDX-License-Identifier: MIT */
/*
 * Reading in the database, whoever writes: the gate keeps it from being replaced meanwhile, and what a reader
 * beside a writer does not find any more is looked for again.
 */
#include "log/embedded/local/local_store.h"

#include <string.h>

static weir_status enter(struct local_store *store, struct error *error)
{
    pthread_rwlock_rdlock(&store->gate);
    if (store->db != NULL) {
        return WEIR_OK;
    }
    pthread_rwlock_unlock(&store->gate);
    weir_status st = error_set(error, WEIR_E_IO, WEIR_CLASS_RESOURCE,
                               "the log in '%s' cannot be read: it could not be opened again after "
                               "a write that failed",
                               store->name);
    error_hint(error, "make room on the disk; nothing committed is lost");
    return st;
}

weir_status local_read(struct store *base, local_look *look, void *wanted, struct error *error)
{
    struct local_store *store = local_of(base);
    char *text = NULL;
    unsigned attempt = 0;
    weir_status st = enter(store, error);
    if (st != WEIR_OK) {
        return st;
    }
    do {
        st = look(store, wanted, &text, error);
    } while ((text != NULL || st == WEIR_AGAIN) && local_retries(store, ++attempt, &text));
    pthread_rwlock_unlock(&store->gate);
    if (text != NULL) {
        return local_fault(store, "read", text, error);
    }
    return st == WEIR_AGAIN ? error->status : st;
}

bool local_is_at(const rocksdb_iterator_t *cursor, const char *prefix, size_t prefix_size)
{
    if (!rocksdb_iter_valid(cursor)) {
        return false;
    }
    size_t size = 0;
    const char *key = rocksdb_iter_key(cursor, &size);
    return size >= prefix_size && memcmp(key, prefix, prefix_size) == 0;
}
