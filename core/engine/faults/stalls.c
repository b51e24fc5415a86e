/* SPDX-License-Identifier: MIT */
#include "engine/faults/stalls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/logger.h"

/*
 * Longer than a leader, a group or a broker that is away for a moment needs to be found anew, and shorter than
 * the minute for which producers may leave a transaction open.
 */
enum { PATIENCE_MS = 30000, LOOK_MS = 1000 };

void stalls_init(struct stalls *stalls)
{
    const char *text = getenv("WEIR_TEST_STALL_MS");
    *stalls =
        (struct stalls){ .patience_ms = text == NULL ? PATIENCE_MS : strtoll(text, NULL, 10) };
}

/* NULL: it was never told, and there is no memory for it. */
static struct stall *find(struct stalls *stalls, const struct log_stall *found, struct arena *arena)
{
    struct stall *stall = stalls->list;
    while (stall != NULL &&
           (stall->topic != found->topic || stall->partition != found->partition)) {
        stall = stall->next;
    }
    if (stall == NULL && found->why != NULL) {
        stall = arena_zeroed(arena, sizeof *stall);
        if (stall != NULL) {
            stall->topic = found->topic;
            stall->partition = found->partition;
            stall->next = stalls->list;
            stalls->list = stall;
        }
    }
    return stall;
}

/* No word of it where it went to another process: that is told. */
static void end(struct stall *stall, int64_t now_ns)
{
    stall->past_ns += now_ns - stall->since_ns;
    stall->told_ns = 0;
}

static void tell_end(struct stall *stall, int64_t now_ns)
{
    double seconds = (double)(now_ns - stall->since_ns) / 1e9;
    if (stall->told_ns == 0) {
        return;
    }
    if (stall->topic == NULL) {
        logger_write(LOGGER_INFO, NULL, "goes on, after %.0f s", seconds);
    } else {
        logger_write(LOGGER_INFO, stall->topic->name, "partition %" PRIu32 " goes on, after %.0f s",
                     stall->partition, seconds);
    }
    end(stall, now_ns);
}

static void write_stall(const struct stall *stall, double seconds)
{
    if (stall->topic == NULL) {
        logger_write(
            LOGGER_WARNING, NULL,
            "reads nothing of the partitions that the group has given to it, for %.0f s: %s",
            seconds, stall->why);
    } else {
        logger_write(LOGGER_WARNING, stall->topic->name,
                     "partition %" PRIu32 " has stood still at offset %" PRId64 " for %.0f s: %s",
                     stall->partition, stall->offset, seconds, stall->why);
    }
}

static void tell_stall(struct stall *stall, const struct log_stall *found, int64_t now_ns)
{
    int64_t elapsed_ns = now_ns - found->since_ns;
    stall->is_seen = true;
    stall->offset = found->offset;
    stall->since_ns = found->since_ns;
    snprintf(stall->why, sizeof stall->why, "%s", found->why);
    if (stall->told_ns == 0 || elapsed_ns >= stall->told_ns * 2) {
        stall->told_ns = elapsed_ns > 0 ? elapsed_ns : 1;
        write_stall(stall, (double)elapsed_ns / 1e9);
    }
}

static void take(struct stalls *stalls, const struct log_stall *found, int64_t now_ns,
                 struct arena *arena)
{
    struct stall *stall = find(stalls, found, arena);
    if (stall != NULL && found->why != NULL) {
        tell_stall(stall, found, now_ns);
    } else if (stall != NULL) {
        tell_end(stall, now_ns);
    }
}

/* What the log does not name any more. */
static void end_unseen(struct stalls *stalls, int64_t now_ns)
{
    for (struct stall *stall = stalls->list; stall != NULL; stall = stall->next) {
        if (stall->told_ns > 0 && !stall->is_seen) {
            end(stall, now_ns);
        }
        stall->is_seen = false;
    }
}

void stalls_look(struct stalls *stalls, struct log *log, int64_t now_ns, int64_t epoch_ms,
                 struct arena *arena)
{
    struct log_look look = { now_ns, stalls->patience_ms, epoch_ms };
    struct error error = { .status = WEIR_OK };
    struct arena passing;
    struct log_stall *found = NULL;
    size_t count = 0;
    if (now_ns - stalls->looked_ns < LOOK_MS * INT64_C(1000000)) {
        return;
    }
    stalls->looked_ns = now_ns;
    arena_init(&passing, 0);
    if (log_stalls(log, &look, &passing, &found, &count, &error) == WEIR_OK) {
        for (size_t i = 0; i < count; i++) {
            take(stalls, &found[i], now_ns, arena);
        }
        end_unseen(stalls, now_ns);
    }
    arena_deinit(&passing);
}

int64_t stall_time(const struct stall *stall, int64_t now_ns)
{
    return stall->past_ns + (stall->told_ns > 0 ? now_ns - stall->since_ns : 0);
}
