/* SPDX-License-Identifier: MIT */
/*
 * What a group keeps beside its positions: the state of sources, the tokens of sinks. It lies in a
 * compacted topic of one partition, positions__GROUP, as one message for each scope (a partition that is
 * read, or the group as a whole) that holds all facts of the scope.
 *
 * What makes it safe: a message's key ends in a number that is used once, and the position that is
 * committed of the partition names that number in its metadata. So facts and position become valid
 * together, with the commit of the position, in either guarantee; a process that was overtaken may write
 * as much as it likes, nothing points to it. The message before is removed after the commit.
 */
#ifndef LOG_KAFKA_PROGRESS_H
#define LOG_KAFKA_PROGRESS_H

#include <librdkafka/rdkafka.h>

#include "base/buffer.h"
#include "log/log.h"

struct kafka_log;
struct kafka_topic;

/* What stands before the number in a position's metadata. */
extern const char progress_mark[];
enum { PROGRESS_ID_ROOM = 48 };

/*
 * A scope of which this process is in charge.
 *
 * name    "TOPIC/PARTITION", or "*" for the group
 * id      that the last commit names; empty: there are no facts
 * facts   packed, as they lie in the message of that id
 * next    the same for the epoch under way
 * stale   the id of the message that the last commit has made useless; empty: none
 */
struct progress_scope {
    struct progress_scope *later;
    char *name;
    char id[PROGRESS_ID_ROOM];
    weir_buffer facts;
    char next_id[PROGRESS_ID_ROOM];
    weir_buffer next;
    char stale[PROGRESS_ID_ROOM];
};

struct progress {
    struct kafka_log *log;
    struct kafka_topic *topic;
    struct progress_scope *scopes;
    uint64_t nonce; /* of this process */
    uint64_t number;
};

/* The topic of a group's facts, in the arena. NULL: no memory. */
const char *progress_topic_name(struct arena *arena, const char *group);
/* Finds or makes the topic. */
weir_status progress_open(struct progress *progress, struct kafka_log *log, const char *group,
                          struct error *error);
void progress_close(struct progress *progress);

/* The scope of a partition, or with topic NULL that of the group, in the arena. NULL: no memory. */
const char *progress_scope_name(struct arena *arena, const char *topic, uint32_t partition);
/* The number in the metadata of a position; "": it names none. */
void progress_id_read(const rd_kafka_topic_partition_t *entry, char id[PROGRESS_ID_ROOM]);
/* The facts that an id names, for whoever is not in charge of the scope. */
weir_status progress_read(struct progress *progress, const char *name, const char *id,
                          weir_buffer *out, struct error *error);
/* Takes charge of a scope: reads what the id names. */
weir_status progress_take(struct progress *progress, const char *name, const char *id,
                          struct error *error);
void progress_give(struct progress *progress, const char *name);

/* A fact of any scope in charge; size LOG_ABSENT: there is none. The bytes live until the next commit. */
weir_slice progress_get(const struct progress *progress, const char *key);

/* Hands the facts of the epoch to the producer, as far as they have changed. */
weir_status progress_write(struct progress *progress, const struct log_epoch *epoch,
                           struct error *error);
/* The id that the commit is to name for a scope; "": there are no facts. */
const char *progress_id(const struct progress *progress, const char *name);
/* The commit is to name another id than the last one. topic NULL: of the group */
bool progress_is_new(const struct progress *progress, const char *topic, uint32_t partition);
/* The next commit names what the last one has named. */
void progress_keep(struct progress *progress);
/* The commit has succeeded. What is useless now is removed with the next epoch. */
void progress_committed(struct progress *progress);

#endif
