/* SPDX-License-Identifier: MIT */
/*
 * Removes what is processed from the topics between parts of a pipeline. They keep everything, since
 * their messages may be as old as a source's records; nobody but this group reads them.
 */
#ifndef LOG_KAFKA_PURGE_H
#define LOG_KAFKA_PURGE_H

#include <stdbool.h>
#include <stdint.h>

struct kafka_log;

/* It is a topic between parts of a pipeline, by its name. */
bool kafka_is_between(const char *topic);
/* Asks for it from time to time. By the thread that supervises; now_ms: by the wall clock. */
void kafka_purge(struct kafka_log *log, int64_t now_ms);

#endif
