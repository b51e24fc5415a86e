/* SPDX-License-Identifier: MIT */
#include "engine/topics/share_news.h"

#include "base/clock.h"
#include "base/logger.h"
#include "engine/topics/share_list.h"

enum { TELL_MS = 5000 };

void shares_tell(const struct engine *engine, const char *doing, const struct log_change *change)
{
    char room[SHARE_LIST_ROOM];
    if (change->share_count > 0 && log_is_shared(engine->log)) {
        logger_write(LOGGER_INFO, NULL, "%s: %s", doing, share_list(change, room));
    }
}

void shares_tell_sources(const struct engine *engine, bool runs)
{
    if (engine->source_count > 0 && log_is_shared(engine->log)) {
        logger_write(LOGGER_INFO, NULL,
                     runs ? "runs the sources from now on" : "runs the sources no more");
    }
}

/* In silence it would look like one that hangs: who was killed holds its place until its session is over. */
static void tell_waiting(struct engine *engine)
{
    bool is_long = clock_monotonic_ns() - engine->started_ns > TELL_MS * INT64_C(1000000);
    if (engine->changed_ns == 0 && is_long && !engine->has_told_waiting) {
        engine->has_told_waiting = true;
        logger_write(
            LOGGER_INFO, NULL,
            "waits for the group '%s' to give it partitions; other members may have to leave first",
            engine->pipeline->name);
    }
}

/* Who leads runs the sources, where there are any. */
static bool has_something(const struct engine *engine)
{
    for (uint32_t t = 0; t < engine->pool.task_count; t++) {
        for (uint32_t r = 0; r < engine->plan->route_count; r++) {
            if (reader_is_own(&engine->pool.tasks[t].readers[r])) {
                return true;
            }
        }
    }
    return engine->leads && engine->source_count > 0;
}

/* No fault: there are more replicas than partitions, and it takes over where one of the others ends. */
static void tell_standby(struct engine *engine)
{
    bool is_long = engine->changed_ns != 0 &&
                   clock_monotonic_ns() - engine->changed_ns > TELL_MS * INT64_C(1000000);
    if (is_long && !engine->has_told_standby && !has_something(engine)) {
        engine->has_told_standby = true;
        logger_write(LOGGER_INFO, NULL,
                     "stands by: other members of the group '%s' have all partitions",
                     engine->pipeline->name);
    }
}

void shares_tell_idle(struct engine *engine)
{
    tell_waiting(engine);
    tell_standby(engine);
}
