/* SPDX-License-Identifier: MIT */
/*
 * Who is at work in a group, seen from outside.
 */
#ifndef LOG_KAFKA_LOOK_H
#define LOG_KAFKA_LOOK_H

#include "log/log.h"

/* As in log.h. */
weir_status kafka_log_group_look(struct log *log, const char *group, struct arena *arena,
                                 struct log_group *ret_group, struct error *error);

#endif
