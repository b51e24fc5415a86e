/* SPDX-License-Identifier: MIT */
/*
 * Facts packed into the value of one message: for each the sizes of key and value, eight bytes each with the
 * lowest first, then both.
 */
#ifndef LOG_KAFKA_FACTS_H
#define LOG_KAFKA_FACTS_H

#include "base/buffer.h"
#include "log/log.h"

/* Appends a fact. False: no memory. */
bool facts_pack(weir_buffer *out, const struct log_fact *fact);
/* Appends those of before that are not among the changed ones of the group. False: no memory. */
bool facts_keep(weir_buffer *out, const weir_buffer *before, const struct log_fact *changed,
                size_t count);
/* The value of a key, within the buffer; size LOG_ABSENT: there is none. What is cut off is passed over. */
weir_slice facts_find(const weir_buffer *facts, const char *key);

#endif
