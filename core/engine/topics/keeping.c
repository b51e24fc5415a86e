/* SPDX-License-Identifier: MIT */
#include "engine/topics/keeping.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/logger.h"
#include "base/units.h"

enum {
    PAUSE_MS = 1000, /* between two looks where there is nothing to remove */
    PIECE_MS = 20,
    FINISH_MS = 1000,
    DAY_MS = 24 * 60 * 60 * 1000
};

/*
 * The records of a source in its own topic are of no use once they are processed; some stay for those
 * who look for what a source has given.
 */
#define SOURCE_BYTES (INT64_C(64) << 20)

/* ---- options --------------------------------------------------------------------------------------- */

static int64_t given_or(int64_t given, int64_t kept)
{
    return given >= 0 ? given : kept;
}

static struct log_topic_options wanted_options(const struct topic *topic,
                                               const struct log_topic_options *kept)
{
    const struct topic_keeping *keeping = &topic->keeping;
    if (topic->is_internal) {
        return (struct log_topic_options){ .retention_bytes = SOURCE_BYTES };
    }
    struct log_topic_options wanted = {
        .retention_ms = given_or(keeping->retention_ms, kept->retention_ms),
        .retention_bytes = given_or(keeping->retention_bytes, kept->retention_bytes),
        .tombstone_ms = given_or(keeping->tombstone_ms, kept->tombstone_ms),
        .is_compacted =
            keeping->is_compacted == KEEPING_OPEN ? kept->is_compacted : keeping->is_compacted != 0,
    };
    if (wanted.is_compacted && !kept->is_compacted && keeping->tombstone_ms < 0) {
        wanted.tombstone_ms = DAY_MS;
    }
    return wanted;
}

static bool are_equal(const struct log_topic_options *a, const struct log_topic_options *b)
{
    return a->retention_ms == b->retention_ms && a->retention_bytes == b->retention_bytes &&
           a->tombstone_ms == b->tombstone_ms && a->is_compacted == b->is_compacted;
}

static void describe(const struct log_topic_options *options, char *text, size_t room)
{
    char time[UNITS_ROOM];
    char size[UNITS_ROOM];
    char tombstones[UNITS_ROOM];
    units_format_duration(options->retention_ms, time);
    units_format_size(options->retention_bytes, size);
    units_format_duration(options->tombstone_ms, tombstones);
    int used = snprintf(text, room, "retention %s, retention_size %s, compact %s", time, size,
                        options->is_compacted ? "true" : "false");
    if (options->is_compacted && used > 0 && (size_t)used < room) {
        snprintf(text + used, room - (size_t)used, ", tombstone_retention %s", tombstones);
    }
}

static void tell_change(const struct topic *topic, const struct log_topic_options *kept,
                        const struct log_topic_options *wanted)
{
    char before[160];
    char now[160];
    if (topic->is_internal) {
        return;
    }
    describe(kept, before, sizeof before);
    describe(wanted, now, sizeof now);
    logger_write(LOGGER_INFO, NULL, "topic '%s' has now %s; before: %s", topic->name, now, before);
}

/* Another file, or this one before, has given options that this one does not name. */
static void tell_silent(const struct topic *topic, const struct log_topic_options *kept)
{
    const struct topic_keeping *keeping = &topic->keeping;
    bool is_silent = (keeping->retention_ms < 0 && kept->retention_ms > 0) ||
                     (keeping->retention_bytes < 0 && kept->retention_bytes > 0) ||
                     (keeping->is_compacted == KEEPING_OPEN && kept->is_compacted);
    char text[160];
    if (is_silent && !topic->is_internal) {
        describe(kept, text, sizeof text);
        logger_write(LOGGER_INFO, NULL,
                     "topic '%s' keeps what it was given before: %s; what the file does not name "
                     "stays, 'retention: 0' and the like end it",
                     topic->name, text);
    }
}

/* Others use the topic too: it stays as it is, and whoever relies on the file should know. */
static bool compare(struct engine *engine, const struct topic *topic, struct log_topic *log_topic,
                    struct error *error)
{
    const char *text = NULL;
    struct log_topic_options kept; /* not used, but from here on the log knows them */
    if (log_topic_options(log_topic, &kept, error) != WEIR_OK ||
        log_topic_differences(log_topic, &engine->arena, &text, error) != WEIR_OK) {
        return false;
    }
    if (text != NULL) {
        logger_write(LOGGER_WARNING, NULL,
                     "topic '%s' is not as the file says, and stays as it is: %s", topic->name,
                     text);
    }
    return true;
}

static bool apply(const struct topic *topic, struct log_topic *log_topic, struct error *error)
{
    struct log_topic_options kept;
    if (log_topic_options(log_topic, &kept, error) != WEIR_OK) {
        return false;
    }
    struct log_topic_options wanted = wanted_options(topic, &kept);
    tell_silent(topic, &kept);
    if (are_equal(&kept, &wanted)) {
        return true;
    }
    tell_change(topic, &kept, &wanted);
    return log_topic_configure(log_topic, &wanted, error) == WEIR_OK;
}

bool keeping_apply(struct engine *engine, struct error *error)
{
    for (size_t i = 0; i < engine->pipeline->topic_count; i++) {
        const struct topic *topic = engine->pipeline->topics[i];
        struct log_topic *log_topic = engine->log_topics[i];
        bool is_right = log_topic == NULL            ? true
                        : log_is_shared(engine->log) ? compare(engine, topic, log_topic, error)
                                                     : apply(topic, log_topic, error);
        if (!is_right) {
            return false;
        }
    }
    return true;
}

/* ---- removing -------------------------------------------------------------------------------------- */

/* Where there is no room for removing either, the next commit waits for some. */
static bool tidy(struct engine *engine, int64_t budget_ms, bool *ret_is_done, struct error *error)
{
    struct error local = { .status = WEIR_OK };
    if (log_tidy(engine->log, clock_wall_ms(), budget_ms, ret_is_done, &local) == WEIR_OK) {
        return true;
    }
    *ret_is_done = true;
    if (!local.is_retriable) {
        *error = local;
    }
    return local.is_retriable;
}

bool keeping_go_on(struct engine *engine, struct error *error)
{
    bool is_done = false;
    if (engine->lacks_positions || clock_monotonic_ns() < engine->tidy_ns) {
        return true;
    }
    bool is_right = tidy(engine, PIECE_MS, &is_done, error);
    engine->tidy_ns = clock_monotonic_ns() + (is_done ? PAUSE_MS * INT64_C(1000000) : 0);
    return is_right;
}

bool keeping_finish(struct engine *engine, struct error *error)
{
    bool is_done = false;
    return tidy(engine, FINISH_MS, &is_done, error);
}
