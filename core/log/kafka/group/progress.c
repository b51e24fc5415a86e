/* SPDX-License-Identifier: MIT */
#include "log/kafka/group/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hashmap.h"
#include "base/memory.h"
#include "log/kafka/consume/newest.h"
#include "log/kafka/group/facts.h"
#include "log/kafka/group/member.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/produce/produce.h"
#include "log/kafka/topics/admin.h"
#include "log/kafka/topics/topics.h"

const char progress_mark[] = "weir1 ";

#define FACTS_LIMIT (UINT64_C(512) << 20)

/* ---- scopes -------------------------------------------------------------------------------------- */

const char *progress_scope_name(struct arena *arena, const char *topic, uint32_t partition)
{
    return topic == NULL ? "*" : arena_printf(arena, "%s/%" PRIu32, topic, partition);
}

static struct progress_scope *find_scope(const struct progress *progress, const char *name)
{
    struct progress_scope *scope = progress->scopes;
    while (scope != NULL && strcmp(scope->name, name) != 0) {
        scope = scope->later;
    }
    return scope;
}

static struct progress_scope *add_scope(struct progress *progress, const char *name, const char *id)
{
    size_t size = strlen(name) + 1;
    struct progress_scope *scope = memory_zeroed(1, sizeof *scope + size);
    if (scope != NULL) {
        scope->name = memcpy(scope + 1, name, size);
        snprintf(scope->id, sizeof scope->id, "%s", id);
        buffer_init(&scope->facts, FACTS_LIMIT);
        buffer_init(&scope->next, FACTS_LIMIT);
        scope->later = progress->scopes;
        progress->scopes = scope;
    }
    return scope;
}

static void destroy_scope(struct progress_scope *scope)
{
    buffer_deinit(&scope->facts);
    buffer_deinit(&scope->next);
    memory_free(scope);
}

void progress_give(struct progress *progress, const char *name)
{
    struct progress_scope **place = &progress->scopes;
    while (*place != NULL && strcmp((*place)->name, name) != 0) {
        place = &(*place)->later;
    }
    if (*place != NULL) {
        struct progress_scope *scope = *place;
        *place = scope->later;
        destroy_scope(scope);
    }
}

/* ---- opening ------------------------------------------------------------------------------------- */

const char *progress_topic_name(struct arena *arena, const char *group)
{
    return arena_printf(arena, "positions__%s", group);
}

weir_status progress_open(struct progress *progress, struct kafka_log *log, const char *group,
                          struct error *error)
{
    static const struct kafka_topic_config config[] = { { "cleanup.policy", "compact" } };
    static const struct kafka_topic_plan plan = { .config = config, .config_count = 1 };
    struct arena arena;
    arena_init(&arena, 0);
    *progress = (struct progress){ .log = log };
    uint64_t seed[] = { (uint64_t)getpid(), (uint64_t)clock_wall_ms(),
                        (uint64_t)clock_monotonic_ns() };
    progress->nonce = hash_bytes(seed, sizeof seed, 0);
    const char *name = progress_topic_name(&arena, group);
    weir_status st = name == NULL ? error_no_memory(error) : WEIR_OK;
    if (st == WEIR_OK) {
        progress->topic = kafka_topic_find(log, name);
    }
    if (st == WEIR_OK && progress->topic == NULL) {
        st = kafka_topic_make(log, name, 1, &plan, &progress->topic, error);
    }
    arena_deinit(&arena);
    return st;
}

void progress_close(struct progress *progress)
{
    while (progress->scopes != NULL) {
        struct progress_scope *scope = progress->scopes;
        progress->scopes = scope->later;
        destroy_scope(scope);
    }
}

/* ---- reading ------------------------------------------------------------------------------------- */

static const char *key_of(struct arena *arena, const char *name, const char *id)
{
    return arena_printf(arena, "%s@%s", name, id);
}

weir_status progress_read(struct progress *progress, const char *name, const char *id,
                          weir_buffer *out, struct error *error)
{
    struct arena arena;
    arena_init(&arena, 0);
    const char *key = key_of(&arena, name, id);
    weir_status st = key == NULL ? error_no_memory(error)
                                 : kafka_newest(progress->log, progress->topic, key, out, error);
    arena_deinit(&arena);
    if (st == WEIR_E_NOT_FOUND) {
        error_set(error, st, WEIR_CLASS_DATA,
                  "the progress of this pipeline in '%s' is not in topic '%s' any more", name,
                  progress->topic->face.name);
        error_hint(error,
                   "nobody but weir must write to that topic; 'weir run --fresh' begins anew");
    }
    return st;
}

weir_status progress_take(struct progress *progress, const char *name, const char *id,
                          struct error *error)
{
    progress_give(progress, name); /* an attempt before this one may have left it */
    struct progress_scope *scope = add_scope(progress, name, id);
    if (scope == NULL) {
        return error_no_memory(error);
    }
    return id[0] == '\0' ? WEIR_OK : progress_read(progress, name, id, &scope->facts, error);
}

void progress_id_read(const rd_kafka_topic_partition_t *entry, char id[PROGRESS_ID_ROOM])
{
    const char *text = entry->metadata;
    size_t prefix = strlen(progress_mark);
    id[0] = '\0';
    if (text != NULL && entry->metadata_size > prefix && memcmp(text, progress_mark, prefix) == 0) {
        snprintf(id, PROGRESS_ID_ROOM, "%.*s", (int)(entry->metadata_size - prefix), text + prefix);
    }
}

/* ---- writing ------------------------------------------------------------------------------------- */

static weir_status put(struct progress *progress, const char *name, const char *id,
                       weir_slice value, struct error *error)
{
    struct arena arena;
    arena_init(&arena, 0);
    const char *key = key_of(&arena, name, id);
    weir_status st = WEIR_E_NOMEM;
    if (key == NULL) {
        error_no_memory(error);
    } else {
        struct log_message message = { .timestamp = clock_wall_ms(),
                                       .key = { (const uint8_t *)key, strlen(key) },
                                       .value = value };
        st = kafka_log_append(&progress->topic->face, 0, &message, 1, error);
    }
    arena_deinit(&arena);
    return st;
}

/* Facts of partitions that are another's, and those of the group where this process does not lead, are
 * not this process's to write. */
static weir_status pack_all(struct progress *progress, const struct log_epoch *epoch,
                            struct arena *arena, struct error *error)
{
    for (struct progress_scope *scope = progress->scopes; scope != NULL; scope = scope->later) {
        buffer_clear(&scope->next);
    }
    for (size_t i = 0; i < epoch->fact_count; i++) {
        const struct log_fact *fact = &epoch->facts[i];
        const char *name = progress_scope_name(
            arena, fact->topic == NULL ? NULL : fact->topic->name, fact->partition);
        struct progress_scope *scope = name == NULL ? NULL : find_scope(progress, name);
        if (scope == NULL || fact->value.size == LOG_ABSENT) {
            continue;
        }
        if (!facts_pack(&scope->next, fact)) {
            return error_no_memory(error);
        }
    }
    /* A name that something had is told once and holds for good. Of a partition all is told each time. */
    struct progress_scope *group = find_scope(progress, progress_scope_name(arena, NULL, 0));
    return group == NULL || facts_keep(&group->next, &group->facts, epoch->facts, epoch->fact_count)
               ? WEIR_OK
               : error_no_memory(error);
}

static weir_status write_scope(struct progress *progress, struct progress_scope *scope,
                               struct error *error)
{
    weir_status st = WEIR_OK;
    if (scope->stale[0] != '\0') {
        st = put(progress, scope->name, scope->stale, (weir_slice){ NULL, LOG_ABSENT }, error);
        scope->stale[0] = '\0';
    }
    bool is_same = scope->next.size == scope->facts.size &&
                   (scope->next.size == 0 ||
                    memcmp(scope->next.data, scope->facts.data, (size_t)scope->next.size) == 0);
    if (is_same) {
        memcpy(scope->next_id, scope->id, sizeof scope->next_id);
        return st;
    }
    scope->next_id[0] = '\0';
    if (st == WEIR_OK && scope->next.size > 0) {
        snprintf(scope->next_id, sizeof scope->next_id, "%016" PRIx64 "-%" PRIu64, progress->nonce,
                 ++progress->number);
        st = put(progress, scope->name, scope->next_id,
                 (weir_slice){ scope->next.data, scope->next.size }, error);
    }
    return st;
}

weir_status progress_write(struct progress *progress, const struct log_epoch *epoch,
                           struct error *error)
{
    struct arena arena;
    arena_init(&arena, 0);
    weir_status st = pack_all(progress, epoch, &arena, error);
    for (struct progress_scope *scope = progress->scopes; st == WEIR_OK && scope != NULL;
         scope = scope->later) {
        st = write_scope(progress, scope, error);
    }
    arena_deinit(&arena);
    return st;
}

const char *progress_id(const struct progress *progress, const char *name)
{
    const struct progress_scope *scope = find_scope(progress, name);
    return scope == NULL ? "" : scope->next_id;
}

bool progress_is_new(const struct progress *progress, const char *topic, uint32_t partition)
{
    struct arena arena;
    arena_init(&arena, 0);
    const char *name = progress_scope_name(&arena, topic, partition);
    const struct progress_scope *scope = name == NULL ? NULL : find_scope(progress, name);
    bool is_new = scope != NULL && strcmp(scope->id, scope->next_id) != 0;
    arena_deinit(&arena);
    return is_new;
}

void progress_keep(struct progress *progress)
{
    for (struct progress_scope *scope = progress->scopes; scope != NULL; scope = scope->later) {
        memcpy(scope->next_id, scope->id, sizeof scope->next_id);
    }
}

void progress_committed(struct progress *progress)
{
    for (struct progress_scope *scope = progress->scopes; scope != NULL; scope = scope->later) {
        if (strcmp(scope->id, scope->next_id) == 0) {
            continue;
        }
        memcpy(scope->stale, scope->id, sizeof scope->stale);
        memcpy(scope->id, scope->next_id, sizeof scope->id);
        weir_buffer facts = scope->facts;
        scope->facts = scope->next;
        scope->next = facts;
    }
}

/* ---- what is kept -------------------------------------------------------------------------------- */

weir_slice progress_get(const struct progress *progress, const char *key)
{
    for (const struct progress_scope *scope = progress->scopes; scope != NULL;
         scope = scope->later) {
        weir_slice value = facts_find(&scope->facts, key);
        if (value.size != LOG_ABSENT) {
            return value;
        }
    }
    return (weir_slice){ NULL, LOG_ABSENT };
}
