/* SPDX-License-Identifier: MIT */
/*
 * Work outside of a group that is remembered: what is appended and facts under a name that this process has
 * claimed, in one transaction. The name is that of its transactions too, so whoever claims it next ends what
 * this process has left open, or has under way.
 */
#ifndef LOG_KAFKA_CLAIM_H
#define LOG_KAFKA_CLAIM_H

#include "log/log.h"

struct kafka_log;
struct kafka_topic;

/*
 * name        NULL: none is claimed
 * topic       of the facts; NULL: it is not there
 * is_written  the facts of the epoch under way are
 */
struct kafka_claim {
    const char *name;
    struct kafka_topic *topic;
    bool is_written;
};

/* As in log.h. */
weir_status kafka_log_claim(struct log *log, const char *name, struct error *error);
/* What is not committed is dropped now, so that readers of the topics do not wait for it. */
void kafka_claim_end(struct kafka_log *log);
/* As log_fact_get and log_commit, where a name is claimed. */
weir_status kafka_claim_fact(struct kafka_log *log, const char *key, struct arena *arena,
                             weir_slice *ret_value, struct error *error);
weir_status kafka_claim_commit(struct kafka_log *log, const struct log_epoch *epoch,
                               struct error *error);

#endif
