/* SPDX-License-Identifier: MIT */
/*
 * What the group gives to this process and takes from it, told to the run as changes.
 */
#ifndef LOG_KAFKA_GROUP_H
#define LOG_KAFKA_GROUP_H

#include "log/log.h"

/* As in log.h. By the thread that supervises. */
weir_status kafka_log_join(struct log *log, const struct log_membership *membership,
                           struct error *error);
weir_status kafka_log_next_change(struct log *log, struct arena *arena,
                                  struct log_change *ret_change, struct error *error);
weir_status kafka_log_change_put_off(struct log *log, const struct error *why);
bool kafka_log_is_urged(struct log *log);
void kafka_log_leave(struct log *log, int64_t timeout_ms);

#endif
