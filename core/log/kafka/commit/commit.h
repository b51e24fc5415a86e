/* SPDX-License-Identifier: MIT */
/*
 * Commits of epochs. At least once: everything that was produced is delivered first, then the positions
 * are committed; so what is between the two when a process dies comes twice. Exactly once: both are one
 * transaction.
 */
#ifndef LOG_KAFKA_COMMIT_H
#define LOG_KAFKA_COMMIT_H

#include "log/log.h"

/* As in log.h. By the thread that supervises. */
weir_status kafka_log_commit(struct log *log, const char *group, const struct log_epoch *epoch,
                             struct error *error);

#endif
