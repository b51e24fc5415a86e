/* SPDX-License-Identifier: MIT */
/*
 * Messages of one partition to records: both serializers, headers, event time.
 *
 * A batch is read and decoded whole, and taken in one piece or in several: what is taken is counted, what
 * has failed in it meets its on_error, and the position moves behind it. So what waits is as if it had not
 * been read.
 */
#ifndef ENGINE_READER_H
#define ENGINE_READER_H

#include "engine/faults/run_faults.h"
#include "engine/tasks/order.h"
#include "engine/tasks/pauses.h"
#include "engine/tasks/root.h"
#include "log/log.h"

struct reader_failure;

/*
 * What is read and not yet taken.
 *
 * root      NULL: nothing
 * records   of the whole batch
 * failed    by message; NULL: none has failed
 * message, record
 *           the first of each that is not taken
 * end       the position behind the last message
 */
struct reader_ahead {
    struct root *root;
    weir_entry *entries;
    uint32_t record_count;
    struct reader_failure **failed;
    uint32_t message;
    uint32_t record;
    int64_t end;
};

struct reader {
    const struct topic *topic;
    struct log_topic *log_topic;
    uint32_t partition;
    struct reader_ahead ahead;
    int64_t position;     /* offset of the next message to be taken */
    int64_t committed;    /* that of the last commit */
    int64_t lost;         /* offsets passed over since then: the log has no messages there */
    int64_t lost_before;  /* as many until then */
    struct pauses pauses; /* why it is not read */
    bool has_position;    /* an earlier run has left it */
    bool is_at_end;       /* the last read has found nothing behind its messages */
    struct plugin_use event_time; /* the value's on_error under a label of its own */
    char event_time_label[256];
    struct instance *key;
    struct instance *value;
    struct call key_call;
    struct call value_call;
    struct stopwatch *read_watch; /* of reading from the log; NULL: nobody measures */
    struct meter *meter;
    struct run_faults *faults;
    struct letter_box *letters;
};

/* False: it is another process's, or its topic has fewer partitions. */
static inline bool reader_is_own(const struct reader *reader)
{
    return reader->topic != NULL && !pauses_has(&reader->pauses, PAUSE_ABSENT);
}

bool reader_init(struct reader *reader, const struct services *services, const struct topic *topic,
                 struct log_topic *log_topic, uint32_t partition, struct meter *meter,
                 struct run_faults *faults, struct letter_box *letters, struct error *error);
void reader_deinit(struct reader *reader);
/* read: from the log; decode: calls of the serializers and the event time. Either may be NULL. */
void reader_measure(struct reader *reader, struct stopwatch *read, struct stopwatch *decode);

/*
 * Where nothing waits: reads and decodes at most max_count messages. The reader holds the root that they
 * lie in; it stays empty-handed where there is nothing to read. False after a fatal fault.
 */
bool reader_fill(struct reader *reader, struct root_pool *roots, uint32_t max_count,
                 uint64_t max_bytes);
/* True where something waits. *ret_timestamp: of the first record; *ret_is_timed false: there is none. */
bool reader_head(const struct reader *reader, bool *ret_is_timed, int64_t *ret_timestamp);
/*
 * Takes at most max_count messages, up to the first record that is newer than `until`. ret_run: the
 * records, numbered from 0; those that on_error drops are not among them. *ret_messages: messages taken.
 * *ret_root: that they lie in, to be released by the caller. False after a fatal fault.
 */
bool reader_take(struct reader *reader, uint32_t max_count, int64_t until, uint32_t *ret_messages,
                 struct run *ret_run, struct root **ret_root);
/* What waits is read again. */
void reader_forget(struct reader *reader);
/* Behind what waits reading goes on at another position; so many offsets are passed over. */
void reader_move(struct reader *reader, int64_t position, int64_t lost);

#endif
