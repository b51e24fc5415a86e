/* SPDX-License-Identifier: MIT */
#include "engine/faults/stalls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/logger.h"

/*
 * Longer than a leader, a group or a broker that is away for a moment needs to be found anew, and shorter than
 * the minute for which producers may leave a transaction open.
 */
enum { PATIENCE_MS = 30000, LOOK_MS = 1000, LIST_ROOM = 200, MORE_ROOM = 40 };

void stalls_init(struct stalls *stalls)
{
    const char *text = getenv("WEIR_TEST_STALL_MS");
    *stalls =
        (struct stalls){ .patience_ms = text == NULL ? PATIENCE_MS : strtoll(text, NULL, 10) };
}

bool stalls_are_due(struct stalls *stalls, int64_t now_ns)
{
    if (now_ns - stalls->looked_ns < LOOK_MS * INT64_C(1000000)) {
        return false;
    }
    stalls->looked_ns = now_ns;
    return true;
}

int64_t stall_time(const struct stall *stall, int64_t now_ns)
{
    return stall->past_ns + (stall->told_ns > 0 ? now_ns - stall->since_ns : 0);
}

/* ---- what is known ---------------------------------------------------------------------------------- */

static struct stall *find(const struct stalls *stalls, enum stall_kind kind,
                          const struct log_stall *found)
{
    struct stall *stall = stalls->list;
    while (stall != NULL && (stall->kind != kind || stall->topic != found->topic ||
                             stall->partition != found->partition)) {
        stall = stall->next;
    }
    return stall;
}

/* NULL: it was never told, and goes on, or there is no memory for it. */
static struct stall *find_or_add(struct stalls *stalls, enum stall_kind kind,
                                 const struct log_stall *found, struct arena *arena)
{
    struct stall *stall = find(stalls, kind, found);
    if (stall == NULL && found->why != NULL) {
        stall = arena_zeroed(arena, sizeof *stall);
        if (stall != NULL) {
            stall->kind = kind;
            stall->topic = found->topic;
            stall->partition = found->partition;
            stall->next = stalls->list;
            stalls->list = stall;
        }
    }
    return stall;
}

static void note(struct stall *stall, const struct log_stall *found, int64_t now_ns)
{
    int64_t elapsed_ns = now_ns - found->since_ns;
    if (found->why == NULL) {
        stall->is_due = stall->told_ns > 0;
        return;
    }
    stall->is_seen = true;
    stall->offset = found->offset;
    stall->since_ns = found->since_ns;
    snprintf(stall->why, sizeof stall->why, "%s", found->why);
    stall->is_due = stall->told_ns == 0 || elapsed_ns >= stall->told_ns * 2;
    if (stall->is_due) {
        stall->told_ns = elapsed_ns > 0 ? elapsed_ns : 1;
    }
}

static void end(struct stall *stall, int64_t now_ns)
{
    stall->past_ns += now_ns - stall->since_ns;
    stall->told_ns = 0;
}

/* What is not named any more. No word of it: it went to another process, and that is told. */
static void end_unseen(struct stalls *stalls, enum stall_kind kind, int64_t now_ns)
{
    for (struct stall *stall = stalls->list; stall != NULL; stall = stall->next) {
        if (stall->kind == kind && stall->told_ns > 0 && !stall->is_seen) {
            end(stall, now_ns);
        }
        stall->is_seen &= stall->kind != kind;
    }
}

/* ---- what is told ----------------------------------------------------------------------------------- */

/*
 * What is told of several partitions at once.
 *
 * list      of them, such as "0-3, 7"
 * count     of them; last: the last one
 * since_ns  of the one that stands longest
 */
struct news {
    char list[LIST_ROOM];
    size_t used;
    uint32_t count;
    uint32_t left_out;
    uint32_t last;
    bool is_run; /* the last one is a neighbour of the one before */
    int64_t since_ns;
};

static void write_number(struct news *news, const char *before, uint32_t number)
{
    news->used += (size_t)snprintf(news->list + news->used, LIST_ROOM - news->used, "%s%" PRIu32,
                                   before, number);
}

static void end_run(struct news *news)
{
    if (news->is_run) {
        write_number(news, "-", news->last);
    }
    news->is_run = false;
}

static void add_partition(struct news *news, uint32_t number)
{
    bool is_neighbour = news->count > 0 && number == news->last + 1;
    if (news->used + MORE_ROOM > LIST_ROOM) {
        news->left_out++;
    } else if (is_neighbour) {
        news->is_run = true;
        news->last = number;
    } else {
        end_run(news);
        write_number(news, news->count > 0 ? ", " : "", number);
        news->last = number;
    }
    news->count++;
}

static void end_list(struct news *news)
{
    end_run(news);
    if (news->left_out > 0) {
        snprintf(news->list + news->used, LIST_ROOM - news->used, " and %" PRIu32 " more",
                 news->left_out);
    }
}

static bool is_alike(const struct log_stall *a, const struct log_stall *b)
{
    return a->topic == b->topic && (a->why == NULL) == (b->why == NULL) &&
           (a->why == NULL || strcmp(a->why, b->why) == 0);
}

static void write_all(const struct log_stall *found, double seconds)
{
    if (found->why == NULL) {
        logger_write(LOGGER_INFO, NULL, "goes on, after %.0f s", seconds);
        return;
    }
    logger_write(LOGGER_WARNING, NULL,
                 "reads nothing of the partitions that the group has given to it, for %.0f s: %s",
                 seconds, found->why);
}

static void write_one(const struct log_stall *found, double seconds)
{
    const char *topic = found->topic->name;
    if (found->why == NULL) {
        logger_write(LOGGER_INFO, topic, "partition %" PRIu32 " goes on, after %.0f s",
                     found->partition, seconds);
        return;
    }
    logger_write(LOGGER_WARNING, topic,
                 "partition %" PRIu32 " has stood still at offset %" PRId64 " for %.0f s: %s",
                 found->partition, found->offset, seconds, found->why);
}

static void write_several(const struct log_stall *found, const char *list, double seconds)
{
    const char *topic = found->topic->name;
    if (found->why == NULL) {
        logger_write(LOGGER_INFO, topic, "partitions %s go on, after %.0f s", list, seconds);
        return;
    }
    logger_write(LOGGER_WARNING, topic, "partitions %s have stood still for %.0f s: %s", list,
                 seconds, found->why);
}

/* Of the first one that is due, and all later ones that share its line. */
static void tell(struct stalls *stalls, enum stall_kind kind, const struct log_stall *found,
                 size_t count, int64_t now_ns)
{
    struct news news = { .since_ns = now_ns };
    for (size_t i = 0; i < count; i++) {
        struct stall *stall = is_alike(&found[0], &found[i]) ? find(stalls, kind, &found[i]) : NULL;
        if (stall == NULL || !stall->is_due) {
            continue;
        }
        stall->is_due = false;
        news.since_ns = stall->since_ns < news.since_ns ? stall->since_ns : news.since_ns;
        add_partition(&news, found[i].partition);
        if (found[i].why == NULL) {
            end(stall, now_ns);
        }
    }
    end_list(&news);
    double seconds = (double)(now_ns - news.since_ns) / 1e9;
    if (found->topic == NULL) {
        write_all(found, seconds);
    } else if (news.count == 1) {
        write_one(found, seconds);
    } else {
        write_several(found, news.list, seconds);
    }
}

void stalls_take(struct stalls *stalls, enum stall_kind kind, const struct log_stall *found,
                 size_t count, int64_t now_ns, struct arena *arena)
{
    for (size_t i = 0; i < count; i++) {
        struct stall *stall = find_or_add(stalls, kind, &found[i], arena);
        if (stall != NULL) {
            note(stall, &found[i], now_ns);
        }
    }
    for (size_t i = 0; i < count; i++) {
        const struct stall *stall = find(stalls, kind, &found[i]);
        if (stall != NULL && stall->is_due) {
            tell(stalls, kind, &found[i], count - i, now_ns);
        }
    }
    end_unseen(stalls, kind, now_ns);
}
