/* SPDX-License-Identifier: MIT */
/*
 * Dead letters of one thread, from the failures of a batch, a write or a poll until it is done: only
 * then can they be put in order. A task keeps them in the order of their input messages, so they come
 * out the same whatever the size of batches.
 */
#ifndef ENGINE_LETTER_BOX_H
#define ENGINE_LETTER_BOX_H

#include "engine/tasks/root.h"
#include "log/log.h"
#include "plugin/call.h"

struct dead_letters;
struct failed_record;

/*
 * value      what letter_make has made
 * key        the input message's, as it lay in the log; size LOG_ABSENT: none
 * timestamp  the input message's
 * offset     of the input message, -1 for a source's: the order
 * number     running; once sorted, among those of one message
 */
struct kept_letter {
    weir_value value;
    weir_slice key;
    int64_t timestamp;
    int64_t offset;
    int32_t partition;
    uint32_t number;
};

/*
 * Letters that one place makes of one message, one after the other, as it does where a message holds a list
 * and each of its items fails. They share what they hold of the message, and have a limit together, which
 * does not depend on the size of batches.
 *
 * use      the place; NULL: none is under way
 * message  as it was read
 * value    what letters hold of it
 * key      its key's copy
 * letters  so far
 * bytes    of the message in them
 */
struct letter_run {
    const struct plugin_use *use;
    const struct log_message *message;
    weir_value value;
    weir_slice key;
    uint32_t letters;
    uint64_t bytes;
};

/*
 * Zeroed: empty.
 *
 * origin  of all of its letters: what is done before it is sent is of one partition; topic NULL: they are
 *         a source's
 */
struct letter_box {
    struct dead_letters *letters;
    weir_origin origin;
    struct root *root; /* whose arena the letters lie in; NULL: there are none */
    struct kept_letter *kept;
    uint32_t count;
    uint32_t capacity;
    struct letter_run run;
};

void letter_box_init(struct letter_box *box, struct dead_letters *letters);
/* What was not sent is gone. */
void letter_box_deinit(struct letter_box *box);
/* Makes a letter. False: no memory. */
bool letter_box_add(struct letter_box *box, const struct failed_record *failed,
                    const struct call_failure *failure);
/* Puts the letters in order. */
void letter_box_sort(struct letter_box *box);
/* Forgets the letters; whoever holds the root still has them. */
void letter_box_empty(struct letter_box *box);

#endif
