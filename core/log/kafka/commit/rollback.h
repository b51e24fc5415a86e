/* SPDX-License-Identifier: MIT */
/* Back to the last commit: what was produced since is dropped, what was read since is read again. */
#ifndef LOG_KAFKA_ROLLBACK_H
#define LOG_KAFKA_ROLLBACK_H

#include "log/log.h"

struct kafka_log;

/* Nothing of the epoch may reach the broker any more, or be held against the next one. */
weir_status kafka_rollback_produced(struct kafka_log *log, struct error *error);
/* As in log.h. By the thread that supervises. */
weir_status kafka_log_rollback(struct log *log, struct error *error);

#endif
