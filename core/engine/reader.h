/* SPDX-License-Identifier: MIT */
/*
 * Messages of one partition to records: both serializers, headers, event time.
 */
#ifndef ENGINE_READER_H
#define ENGINE_READER_H

#include "engine/order.h"
#include "engine/root.h"
#include "engine/run_faults.h"
#include "log/log.h"

struct reader {
    const struct topic *topic;
    struct log_topic *log_topic;
    uint32_t partition;
    int64_t position;             /* offset of the next message */
    int64_t committed;            /* that of the last commit */
    bool is_active;               /* the partition is this process's own */
    bool has_position;            /* an earlier run has left it */
    bool is_at_end;               /* the last read has found nothing behind its messages */
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

bool reader_init(struct reader *reader, const struct services *services, const struct topic *topic,
                 struct log_topic *log_topic, uint32_t partition, struct meter *meter,
                 struct run_faults *faults, struct letter_box *letters, struct error *error);
void reader_deinit(struct reader *reader);
/* read: from the log; decode: calls of the serializers and the event time. Either may be NULL. */
void reader_measure(struct reader *reader, struct stopwatch *read, struct stopwatch *decode);

/*
 * Reads at most max_count messages into a root batch. ret_run: the records, numbered from 0; those
 * that on_error drops are not among them. *ret_messages: messages taken; 0 at the end of the
 * partition. False after a fatal fault.
 */
bool reader_read(struct reader *reader, struct root *root, uint32_t max_count, uint64_t max_bytes,
                 uint32_t *ret_messages, struct run *ret_run);

#endif
