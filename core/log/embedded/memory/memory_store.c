/* SPDX-License-Identifier: MIT */
/*
 * The store that keeps nothing: messages stay in the log's own chunks, only the facts of groups live
 * here, in a list ordered by group and key. A fact keeps its room when its value changes, so that a
 * running pipeline's commits allocate nothing.
 */
#include <string.h>

#include "base/memory.h"
#include "log/embedded/store.h"

struct fact {
    char *group;
    char *key;
    uint8_t *value;
    uint64_t size; /* LOG_ABSENT: removed, or about to be set */
    uint64_t capacity;
};

struct memory_store {
    struct store base;
    pthread_mutex_t lock;
    struct fact *facts;
    size_t count;
    size_t capacity;
};

static struct memory_store *memory_of(struct store *store)
{
    return (struct memory_store *)(void *)store;
}

/* ---- the list of facts ---------------------------------------------------------------------------- */

static int compare_fact(const struct fact *fact, const char *group, const char *key)
{
    int order = strcmp(fact->group, group);
    return order != 0 ? order : strcmp(fact->key, key);
}

/* Position of the first fact that is not before. */
static size_t position_of(const struct memory_store *store, const char *group, const char *key)
{
    size_t low = 0;
    size_t high = store->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_fact(&store->facts[middle], group, key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static struct fact *find_fact(struct memory_store *store, const char *group, const char *key)
{
    size_t at = position_of(store, group, key);
    bool is_found = at < store->count && compare_fact(&store->facts[at], group, key) == 0;
    return is_found ? &store->facts[at] : NULL;
}

static bool reserve_fact(struct memory_store *store)
{
    if (store->count < store->capacity) {
        return true;
    }
    size_t grown = store->capacity == 0 ? 16 : store->capacity * 2;
    struct fact *memory = memory_resize(store->facts, grown * sizeof *memory);
    if (memory == NULL) {
        return false;
    }
    store->facts = memory;
    store->capacity = grown;
    return true;
}

/* Inserts an absent fact. NULL: no memory. */
static struct fact *add_fact(struct memory_store *store, const char *group, const char *key)
{
    size_t group_size = strlen(group) + 1;
    size_t key_size = strlen(key) + 1;
    if (!reserve_fact(store)) {
        return NULL;
    }
    char *names = memory_alloc(group_size + key_size);
    if (names == NULL) {
        return NULL;
    }
    memcpy(names, group, group_size);
    memcpy(names + group_size, key, key_size);
    size_t at = position_of(store, group, key);
    memmove(store->facts + at + 1, store->facts + at, (store->count - at) * sizeof *store->facts);
    store->facts[at] =
        (struct fact){ .group = names, .key = names + group_size, .size = LOG_ABSENT };
    store->count++;
    return &store->facts[at];
}

/* Makes room for a value and changes nothing yet. */
static bool prepare_fact(struct memory_store *store, const char *group, const struct log_fact *fact)
{
    struct fact *kept = find_fact(store, group, fact->key);
    if (fact->value.size == LOG_ABSENT) {
        return true;
    }
    if (kept == NULL) {
        kept = add_fact(store, group, fact->key);
    }
    if (kept == NULL || fact->value.size <= kept->capacity) {
        return kept != NULL;
    }
    uint8_t *memory = memory_resize(kept->value, (size_t)fact->value.size);
    if (memory == NULL) {
        return false;
    }
    kept->value = memory;
    kept->capacity = fact->value.size;
    return true;
}

static void set_fact(struct memory_store *store, const char *group, const struct log_fact *fact)
{
    struct fact *kept = find_fact(store, group, fact->key);
    if (kept == NULL) {
        return;
    }
    kept->size = fact->value.size;
    if (fact->value.size != LOG_ABSENT && fact->value.size > 0) {
        memcpy(kept->value, fact->value.data, (size_t)fact->value.size);
    }
}

static weir_status set_facts(struct memory_store *store, const char *group,
                             const struct log_fact *facts, size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (!prepare_fact(store, group, &facts[i])) {
            return error_no_memory(error);
        }
    }
    for (size_t i = 0; i < count; i++) {
        set_fact(store, group, &facts[i]);
    }
    return WEIR_OK;
}

/* ---- the operations --------------------------------------------------------------------------------- */

static void memory_store_destroy(struct store *base)
{
    struct memory_store *store = memory_of(base);
    for (size_t i = 0; i < store->count; i++) {
        memory_free(store->facts[i].group);
        memory_free(store->facts[i].value);
    }
    memory_free(store->facts);
    pthread_mutex_destroy(&store->lock);
    memory_free(store);
}

static weir_status load_nothing(struct store *store, struct embedded_log *log, struct error *error)
{
    (void)store;
    (void)log;
    (void)error;
    return WEIR_OK;
}

static weir_status change_topic(struct store *store, const struct topic *topic, struct error *error)
{
    (void)store;
    (void)topic;
    (void)error;
    return WEIR_OK;
}

static weir_status commit(struct store *base, const struct commit *changes, const char *group,
                          const struct log_fact *facts, size_t count, struct error *error)
{
    struct memory_store *store = memory_of(base);
    (void)changes;
    pthread_mutex_lock(&store->lock);
    weir_status st = set_facts(store, group, facts, count, error);
    pthread_mutex_unlock(&store->lock);
    return st;
}

/* False: no memory. */
static bool copy_value(struct arena *arena, const struct fact *fact, weir_slice *ret)
{
    ret->data = NULL;
    ret->size = fact == NULL ? LOG_ABSENT : fact->size;
    if (ret->size == LOG_ABSENT) {
        return true;
    }
    const void *bytes = fact->size == 0 ? "" : (const char *)fact->value;
    ret->data = (const uint8_t *)arena_copy(arena, bytes, (size_t)fact->size);
    return ret->data != NULL;
}

static weir_status fact_get(struct store *base, const char *group, const char *key,
                            struct arena *arena, weir_slice *ret_value, struct error *error)
{
    struct memory_store *store = memory_of(base);
    weir_slice value = { NULL, LOG_ABSENT };
    pthread_mutex_lock(&store->lock);
    bool is_done = copy_value(arena, find_fact(store, group, key), &value);
    pthread_mutex_unlock(&store->lock);
    if (!is_done) {
        return error_no_memory(error);
    }
    *ret_value = value;
    return WEIR_OK;
}

static bool copy_facts(struct memory_store *store, const char *group, struct arena *arena,
                       struct log_fact **ret_facts, size_t *ret_count)
{
    size_t first = position_of(store, group, "");
    size_t end = first;
    while (end < store->count && strcmp(store->facts[end].group, group) == 0) {
        end++;
    }
    struct log_fact *facts = arena_alloc(arena, (end - first + 1) * sizeof *facts);
    size_t count = 0;
    for (size_t i = first; facts != NULL && i < end; i++) {
        const struct fact *kept = &store->facts[i];
        if (kept->size == LOG_ABSENT) {
            continue;
        }
        facts[count].key = arena_copy(arena, kept->key, strlen(kept->key));
        if (facts[count].key == NULL || !copy_value(arena, kept, &facts[count].value)) {
            return false;
        }
        count++;
    }
    *ret_facts = facts;
    *ret_count = count;
    return facts != NULL;
}

static weir_status list_facts(struct store *base, const char *group, struct arena *arena,
                              struct log_fact **ret_facts, size_t *ret_count, struct error *error)
{
    struct memory_store *store = memory_of(base);
    pthread_mutex_lock(&store->lock);
    bool is_done = copy_facts(store, group, arena, ret_facts, ret_count);
    pthread_mutex_unlock(&store->lock);
    return is_done ? WEIR_OK : error_no_memory(error);
}

static weir_status change_options(struct store *store, const struct topic *topic,
                                  const struct log_topic_options *options, struct error *error)
{
    (void)options;
    return change_topic(store, topic, error);
}

static weir_status set_group_facts(struct memory_store *store, const struct group_fact *facts,
                                   size_t count, struct error *error)
{
    weir_status st = WEIR_OK;
    pthread_mutex_lock(&store->lock);
    for (size_t i = 0; i < count && st == WEIR_OK; i++) {
        if (!prepare_fact(store, facts[i].group, &facts[i].fact)) {
            st = error_no_memory(error);
        }
    }
    for (size_t i = 0; i < count && st == WEIR_OK; i++) {
        set_fact(store, facts[i].group, &facts[i].fact);
    }
    pthread_mutex_unlock(&store->lock);
    return st;
}

static weir_status remove_messages(struct store *base, const struct topic *topic,
                                   const struct group_fact *facts, size_t count,
                                   struct error *error)
{
    (void)topic;
    return set_group_facts(memory_of(base), facts, count, error);
}

static weir_status rewrite_chunks(struct store *base, const struct rewrite *rewrite,
                                  struct error *error)
{
    return set_group_facts(memory_of(base), rewrite->facts, rewrite->fact_count, error);
}

/* Facts stand in the order of groups. */
static weir_status list_groups(struct store *base, struct arena *arena, const char ***ret_groups,
                               size_t *ret_count, struct error *error)
{
    struct memory_store *store = memory_of(base);
    size_t count = 0;
    pthread_mutex_lock(&store->lock);
    const char **groups = arena_alloc(arena, (store->count + 1) * sizeof *groups);
    bool is_done = groups != NULL;
    for (size_t i = 0; is_done && i < store->count; i++) {
        const struct fact *fact = &store->facts[i];
        if (count == 0 || strcmp(groups[count - 1], fact->group) != 0) {
            groups[count] = arena_copy(arena, fact->group, strlen(fact->group));
            is_done = groups[count++] != NULL;
        }
    }
    pthread_mutex_unlock(&store->lock);
    *ret_groups = groups;
    *ret_count = count;
    return is_done ? WEIR_OK : error_no_memory(error);
}

static const struct store_ops memory_ops = {
    .keeps_chunks = true,
    .destroy = memory_store_destroy,
    .load = load_nothing,
    .topic_create = change_topic,
    .topic_empty = remove_messages,
    .topic_options = change_options,
    .topic_drop = remove_messages,
    .commit = commit,
    .rewrite = rewrite_chunks,
    .fact_get = fact_get,
    .facts = list_facts,
    .groups = list_groups,
};

weir_status memory_store_create(enum log_mode mode, struct store **ret_store, struct error *error)
{
    if (mode == LOG_READ) {
        return error_set(
            error, WEIR_E_NOT_FOUND, WEIR_CLASS_NOT_FOUND,
            "the log 'memory' ends with the process that made it; there is none to read");
    }
    struct memory_store *store = memory_zeroed(1, sizeof *store);
    if (store == NULL) {
        return error_no_memory(error);
    }
    store->base.ops = &memory_ops;
    pthread_mutex_init(&store->lock, NULL);
    *ret_store = &store->base;
    return WEIR_OK;
}
