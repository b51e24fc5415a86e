/* SPDX-License-Identifier: MIT */
/*
 * Reading beside a writer: RocksDB's secondary, whose scratch files go to the folder for temporary
 * files. It creates nothing beside the writer's files, which may be replaced under its eyes.
 */
#include "log/embedded/local/local_store.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hashmap.h"
#include "log/embedded/local/damage.h"

enum { ATTEMPTS = 20, PAUSE_MS = 5 };

bool local_retries(struct local_store *store, unsigned attempt, char **text)
{
    if (store->scratch == NULL || attempt >= ATTEMPTS) {
        return false;
    }
    rocksdb_free(*text);
    *text = NULL;
    clock_rest(PAUSE_MS);
    if (store->db != NULL) {
        char *ignored = NULL; /* the next try tells */
        rocksdb_try_catch_up_with_primary(store->db, &ignored);
        rocksdb_free(ignored);
    }
    return true;
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
 * Opens or catches up, to what was committed before at the least. A secondary first reads which files
 * there are and then the write-ahead logs; one that the writer has turned into a table and removed
 * between the two is missing from its view without an error. Where the logs are the same before and
 * after, that has not happened.
 */
static weir_status catch_up(struct local_store *store, const rocksdb_options_t *options,
                            struct error *error)
{
    char *text = NULL;
    unsigned attempt = 0;
    uint64_t before = 0;
    uint64_t committed = 0;
    bool is_current_right = false;
    do {
        before = wal_names(store->database);
        committed = witness_read(&store->witness);
        is_current_right = damage_is_current_right(store->database);
        if (is_current_right) {
            open_secondary(store, options, &text);
        }
        if (is_current_right && text == NULL) {
            local_read_commits(store, &text);
        }
    } while ((!is_current_right || text != NULL || wal_names(store->database) != before ||
              store->commits < committed) &&
             local_retries(store, ++attempt, &text));
    if (!is_current_right) {
        (void)damage_tell(store->name, store->database, "Corruption: CURRENT", error);
        rocksdb_free(text);
        return WEIR_E_IO;
    }
    if (text != NULL) {
        return local_fault(store, "read", text, error);
    }
    struct damage_cuts cuts = { .newest = { .place = -1 } };
    if (store->commits < committed) {
        damage_find_cuts(store->database, &cuts);
    }
    return witness_check(store->name, &cuts.newest, committed, store->commits, error);
}

weir_status local_open_reader(struct local_store *store, struct error *error)
{
    weir_status st = make_scratch(store, error);
    if (st == WEIR_OK) {
        rocksdb_options_t *options = local_options(store, true);
        st = catch_up(store, options, error);
        rocksdb_options_destroy(options);
    }
    return st;
}

weir_status local_refresh(struct store *base, struct error *error)
{
    return catch_up(local_of(base), NULL, error);
}

/* RocksDB leaves only plain files there. */
void local_close_reader(struct local_store *store)
{
    const char *path = store->scratch;
    if (path == NULL) {
        return;
    }
    DIR *folder = opendir(path);
    if (folder != NULL) {
        for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
            (void)unlinkat(dirfd(folder), entry->d_name, 0); /* "." and ".." refuse */
        }
        closedir(folder);
    }
    (void)rmdir(path);
}
