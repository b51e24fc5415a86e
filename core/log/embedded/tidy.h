/* SPDX-License-Identifier: MIT */
/*
 * Steps of keeping house. Thread: log->writing is held; the topic is there.
 */
#ifndef LOG_TIDY_H
#define LOG_TIDY_H

#include "log/embedded/committed.h"

/* Removes some chunks that the topic's options let go. *ret_did: there may be more. */
weir_status retention_step(struct topic *topic, uint32_t partition, int64_t now_ms, bool *ret_did,
                           struct error *error);
/* How far everybody has read who reads the partition; INT64_MAX: nobody does. *ret_group: the last
 * one; may be NULL. */
weir_status retention_limit(struct topic *topic, uint32_t partition, struct arena *arena,
                            int64_t *ret_limit, const char **ret_group, struct error *error);

/*
 * Compacts a piece, of one partition after the other: begins where it pays, goes on where it is.
 * *ret_did: there is more to do.
 */
weir_status compact_step(struct topic *topic, uint32_t partition, int64_t now_ms, bool *ret_did,
                         struct error *error);

#endif
