/* SPDX-License-Identifier: MIT */
#include "engine/topics/unread.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/logger.h"

/* How many records are counted one by one, and for how long they are waited for. */
enum { MOST_COUNTED = 10000, READ_MESSAGES = 1000, READ_BYTES = 1 << 20, WAIT_MS = 10000 };

/* ---- of one topic -------------------------------------------------------------------------------- */

/* From a position to the end. In a log that is shared some offsets are no records. */
static bool count_records(struct log_topic *topic, uint32_t partition, int64_t position,
                          int64_t end, struct unread *unread, struct error *error)
{
    int64_t end_ns = clock_monotonic_ns() + WAIT_MS * INT64_C(1000000);
    struct log_batch batch = { .next = position };
    struct arena arena;
    weir_status st = WEIR_OK;
    arena_init(&arena, 0);
    while (st == WEIR_OK && batch.next < end && !batch.is_at_end && clock_monotonic_ns() < end_ns) {
        arena_reset(&arena);
        st = log_read(topic, partition, batch.next, READ_MESSAGES, READ_BYTES, &arena, &batch,
                      error);
        unread->count += st == WEIR_OK ? batch.count : 0;
        log_lease_end(&batch.lease);
    }
    arena_deinit(&arena);
    if (batch.next < end && !batch.is_at_end) {
        unread->count += (uint64_t)(end - batch.next);
        unread->is_counted = false;
    }
    return st == WEIR_OK;
}

/* A partition without a position is unread from its beginning. */
static int64_t position_in(const struct log_reader *readers, size_t count, uint32_t partition,
                           int64_t begin)
{
    for (size_t i = 0; i < count; i++) {
        if (readers[i].partition == partition && readers[i].position > begin) {
            return readers[i].position;
        }
    }
    return begin;
}

bool unread_find(struct engine *engine, struct log_topic *topic, struct unread *ret_unread,
                 struct error *error)
{
    struct log_reader *readers = NULL;
    size_t count = 0;
    struct unread unread = { .is_counted = true };
    if (log_readers(topic, engine->pipeline->name, &engine->arena, &readers, &count, error) !=
        WEIR_OK) {
        return false;
    }
    unread.is_known = count > 0;
    for (uint32_t p = 0; unread.is_known && p < topic->partitions; p++) {
        struct log_partition_info info;
        if (log_partition_info(topic, p, &info, error) != WEIR_OK) {
            return false;
        }
        int64_t from = position_in(readers, count, p, info.begin);
        int64_t left = info.committed_end > from ? info.committed_end - from : 0;
        unread.is_counted &= unread.count + (uint64_t)left <= MOST_COUNTED;
        if (!unread.is_counted) {
            unread.count += (uint64_t)left;
        } else if (left > 0 && !count_records(topic, p, from, info.committed_end, &unread, error)) {
            return false;
        }
    }
    *ret_unread = unread;
    return true;
}

/* ---- of those that nobody reads any more --------------------------------------------------------- */

/* What follows; NULL: it does not begin so, or `text` is NULL. */
static const char *behind(const char *text, const char *beginning)
{
    size_t length = strlen(beginning);
    return text != NULL && strncmp(text, beginning, length) == 0 ? text + length : NULL;
}

/* What a topic between parts of the pipeline is of, such as a stream; NULL: it is none of that kind. */
static const char *part_of(const struct engine *engine, const char *kind, const char *name)
{
    return behind(behind(behind(name, kind), engine->pipeline->name), "--");
}

/* By its name. Another pipeline's may begin alike; that has positions of another group. */
static bool is_own(const struct engine *engine, const char *name)
{
    return part_of(engine, "source__", name) != NULL ||
           part_of(engine, "repartition__", name) != NULL;
}

static bool is_in_use(const struct engine *engine, const struct log_topic *topic)
{
    for (size_t i = 0; i < engine->pipeline->topic_count; i++) {
        if (engine->log_topics[i] == topic) {
            return true;
        }
    }
    return false;
}

/* The topic that is to go on with it; NULL: none is. */
static const struct topic *find_heir(const struct engine *engine, const char *name)
{
    for (size_t i = 0; i < engine->pipeline->topic_count; i++) {
        const struct topic *topic = engine->pipeline->topics[i];
        if (topic->was != NULL && strcmp(topic->was, name) == 0) {
            return topic;
        }
    }
    return NULL;
}

static const char *cure_of(struct engine *engine, const char *name)
{
    const struct topic *heir = find_heir(engine, name);
    const char *stream = part_of(engine, "source__", name);
    if (heir != NULL) {
        return arena_printf(&engine->arena,
                            "'was' names it, and a start goes on with it once what is in topic "
                            "'%s' is read, as 'weir run --until-end' does",
                            heir->log_name);
    }
    if (stream != NULL) {
        return arena_printf(&engine->arena,
                            "'was: %s' at the source that takes its place goes on with them",
                            stream);
    }
    return arena_printf(&engine->arena,
                        "'was: %s' at the step that takes its place goes on with them", name);
}

static void tell(struct engine *engine, const char *name, const struct unread *unread)
{
    const char *cure = cure_of(engine, name);
    logger_write(
        LOGGER_WARNING, NULL,
        "topic '%s' holds %s%" PRIu64
        " record%s that pipeline '%s' has not read, and nothing in it reads that topic any "
        "more; %s, 'weir topic delete %s --internal' drops them",
        name, unread->is_counted ? "" : "about ", unread->count, unread->count == 1 ? "" : "s",
        engine->pipeline->name, cure != NULL ? cure : "", name);
}

/* That it cannot be told is no reason not to run. */
static void look_at(struct engine *engine, struct log_topic *topic)
{
    struct unread unread;
    struct error error = { .status = WEIR_OK };
    if (!unread_find(engine, topic, &unread, &error)) {
        logger_write(LOGGER_WARNING, NULL,
                     "could not find out whether topic '%s', which pipeline '%s' has had before, "
                     "holds something unread: %s",
                     topic->name, engine->pipeline->name, error.message);
    } else if (unread.count > 0) {
        tell(engine, topic->name, &unread);
    }
}

bool unread_tell(struct engine *engine, struct error *error)
{
    struct log_topic **topics = NULL;
    size_t count = 0;
    if (engine->options->is_fresh) {
        return true;
    }
    if (log_topics(engine->log, &engine->arena, &topics, &count, error) != WEIR_OK) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (is_own(engine, topics[i]->name) && !is_in_use(engine, topics[i])) {
            look_at(engine, topics[i]);
        }
    }
    return true;
}
