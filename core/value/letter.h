/* SPDX-License-Identifier: MIT */
/*
 * A dead letter as a value: what failed, where and why, with the bytes of the input message, so that
 * it can be put back once the mistake is mended. A map that JSON can write, of members that are always
 * there (docs/dead-letters.md); what a letter does not have is null.
 */
#ifndef VALUE_LETTER_H
#define VALUE_LETTER_H

#include "value/record_line.h"

/*
 * A message as it lay in the log; where a source could not read a record, what it read (then there is
 * no topic, partition, offset, timestamp, key).
 *
 * topic       in the log; NULL: none
 * key, value  WEIR_BYTES or null
 * headers     as a record has them
 */
struct letter_message {
    const char *topic;
    uint32_t topic_len;
    int32_t partition;
    int64_t offset;
    int64_t timestamp;
    weir_value key;
    weir_value value;
    const weir_member *headers;
    uint32_t header_count;
};

/*
 * place    the label: "streams.late.steps[0] (filter)"
 * stream   NULL: a serializer that decodes is in none
 * step     the id of step, source or end; the name of a serializer
 * message  what letter_make_message has made; letters about one message may share it. NULL: none is known
 * record   as it came to the place; NULL: it could not be decoded, or
 * is_without_record  it is left out, since it would be too much: `cut` says so
 * whole_value  bytes that the message's value has, where the message holds only its beginning; UINT64_MAX:
 *          nobody knows; 0: it is whole
 */
struct letter {
    int64_t time_ms;
    const char *error_class;
    const char *error;
    const char *hint; /* may be NULL */
    const char *place;
    const char *stream;
    const char *step;
    const weir_value *message;
    const struct record_line *record;
    bool is_without_record;
    uint64_t whole_value;
};

/* What is left of a letter that is too large for its end, or that the end does not take. */
enum letter_form {
    LETTER_WHOLE,
    LETTER_WITHOUT_RECORD,
    LETTER_CUT, /* nor more than LETTER_KEPT bytes of any part of the message */
    LETTER_FORMS
};
enum { LETTER_KEPT = 1024 };

/* Makes the part of a letter that is its message; its memory is the arena's alone. False: no memory. */
bool letter_make_message(struct arena *arena, const struct letter_message *message,
                         weir_value *ret);
/* Makes the letter; its memory is the arena's, and the message's. False: no memory. */
bool letter_make(struct arena *arena, const struct letter *letter, weir_value *ret);
/* A smaller form of a letter, which it shares memory with; what was cut stays as it is. False: no memory. */
bool letter_reduce(struct arena *arena, const weir_value *letter, enum letter_form form,
                   weir_value *ret);

/*
 * Takes the input message out of a letter. Memory: the letter's and the arena's. WEIR_E_DATA: it is no
 * letter, has no message of the log, or was cut; `error` says which.
 */
weir_status letter_message_read(const weir_value *letter, struct arena *arena,
                                struct letter_message *ret, struct error *error);

#endif
