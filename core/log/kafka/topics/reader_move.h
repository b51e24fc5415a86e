/* SPDX-License-Identifier: MIT */
/*
 * Moving groups over what is removed of a partition. A position's metadata goes along: it names the facts
 * of the group (progress.h).
 */
#ifndef LOG_KAFKA_READER_MOVE_H
#define LOG_KAFKA_READER_MOVE_H

#include "log/log.h"

/* Groups that are before the offset go on at it. Refused where one of them has members. */
weir_status kafka_readers_move(struct log_topic *topic, uint32_t partition, int64_t offset,
                               struct error *error);

#endif
