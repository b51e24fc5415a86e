/* SPDX-License-Identifier: MIT */
/*
 * The producer: made when something is first produced, and made anew where the library has given it up.
 */
#ifndef LOG_KAFKA_PRODUCER_H
#define LOG_KAFKA_PRODUCER_H

#include "base/error.h"

struct kafka_log;

/* transactions: their name, which must live as long as the log; NULL: it makes none. */
weir_status kafka_producer_open(struct kafka_log *log, const char *transactions,
                                struct error *error);
void kafka_producer_close(struct kafka_log *log);
/* Another one in place of one that the library has given up. Nobody produces. */
weir_status kafka_producer_renew(struct kafka_log *log, struct error *error);

#endif
