/* SPDX-License-Identifier: MIT */
/*
 * Committed chunks, wherever a store has them: listed, taken, replaced. For what removes and compacts.
 * Thread: all of it but committed_hole holds log->writing.
 */
#ifndef LOG_COMMITTED_H
#define LOG_COMMITTED_H

#include "log/embedded/store.h"

/* The chunk that holds `from` and those behind it, up to `max`; none that has uncommitted messages. */
weir_status committed_list(const struct topic *topic, uint32_t partition, int64_t from,
                           struct chunk_about *ret_chunks, size_t max, size_t *ret_count,
                           struct error *error);
/* The base of the newest chunk, which may have uncommitted messages too. There are messages. */
weir_status committed_last(const struct topic *topic, uint32_t partition, int64_t *ret_base,
                           struct error *error);
/* The chunk that begins there, for reading; it goes back to committed_give. */
weir_status committed_take(const struct topic *topic, uint32_t partition, int64_t base,
                           struct chunk **ret_chunk, struct error *error);
/* There should be messages at the offset, and there are none. */
weir_status committed_hole(const struct topic *topic, uint32_t partition, int64_t offset,
                           struct error *error);
void committed_give(struct embedded_log *log, struct chunk *chunk);
/* Replaces chunks; the added ones are no longer the caller's, whatever happens. */
weir_status committed_rewrite(struct topic *topic, const struct rewrite *rewrite,
                              struct error *error);
/* How many messages of a chunk stand before an offset. */
weir_status committed_count_before(const struct topic *topic, uint32_t partition,
                                   const struct chunk_about *about, int64_t offset,
                                   int64_t *ret_count, struct error *error);

/* ---- remove.c ---------------------------------------------------------------------------------- */

/* Removes up to some chunks of messages before an offset (one piece of work) with one write; facts go
 * with it. Where more are left, the partition's first offset lies before `begin` still. */
weir_status partition_cut(struct topic *topic, uint32_t partition, int64_t begin,
                          const struct group_fact *facts, size_t fact_count, struct error *error);

#endif
