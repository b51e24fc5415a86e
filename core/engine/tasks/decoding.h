/* SPDX-License-Identifier: MIT */
/*
 * Messages to records: both serializers, headers, event time. What cannot be made a record is kept with its
 * fault until its message is taken.
 */
#ifndef ENGINE_DECODING_H
#define ENGINE_DECODING_H

#include "engine/tasks/reader.h"

/* A message that could not be made a record. record: NULL where it was not decoded. */
struct reader_failure {
    const struct plugin_use *use;
    const weir_record *record;
    struct call_failure failure;
};

/*
 * One batch on its way from messages to entries; everything is made in the arena.
 *
 * failed   by message; NULL: it has not
 * entries  of the records that were made, one after the other
 */
struct decoding {
    struct reader *reader;
    struct arena *arena;
    const struct log_message *messages;
    uint32_t count;
    weir_slice *payloads;
    weir_value *keys;
    weir_value *values;
    struct reader_failure **failed;
    bool has_failed;
    weir_record *records;
    weir_entry *entries;
};

/* From reader, arena, messages and count. False after a fatal fault. */
bool decoding_run(struct decoding *d, struct root *root, struct run *ret_run);

#endif
