/* SPDX-License-Identifier: MIT */
/*
 * Whether this process still has its partitions. What is committed is committed once more: the broker takes it
 * from a member of the present generation only, and as long as it does nobody else has them.
 */
#ifndef LOG_KAFKA_CONFIRM_H
#define LOG_KAFKA_CONFIRM_H

#include "log/log.h"

/* As in log.h. By the thread that supervises. */
weir_status kafka_log_confirm(struct log *log, struct error *error);

#endif
