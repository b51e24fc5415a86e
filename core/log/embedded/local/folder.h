/* SPDX-License-Identifier: MIT */
/*
 * What lies in the folder beside RocksDB's files: the number of the format (FOLDER/format), so that a
 * folder of another version is refused before anything in it is touched, and a witness of what was
 * committed (FOLDER/committed).
 *
 * The witness: every change of the store counts up a number in it, and the same number is then written
 * into a file of its own. The store's number is synced first, so it is never the smaller one, unless
 * RocksDB has lost the end of a file without seeing that: a damaged length looks like a write that a
 * crash has cut off.
 */
#ifndef LOG_LOCAL_FOLDER_H
#define LOG_LOCAL_FOLDER_H

#include <stdint.h>

#include "base/error.h"
#include "log/embedded/local/damage.h"

/* name: of the log's folder, as the user wrote it; path: of the file */
weir_status format_check(const char *name, const char *path, struct error *error);
weir_status format_write(const char *path, struct error *error);

struct witness {
    int fd; /* -1: there is none */
};

void witness_init(struct witness *witness);
/* is_writer: makes the file where it is missing. Says (in the process's log) where it is damaged. */
weir_status witness_open(struct witness *witness, const char *path, bool is_writer,
                         struct error *error);
/* The number; 0: it tells nothing. */
uint64_t witness_read(const struct witness *witness);
/* A witness that cannot be written tells less; that is no fault. */
void witness_write(const struct witness *witness, uint64_t commits);
/* WEIR_E_IO where the store has fewer than were committed; newest: the cut that may be why. */
weir_status witness_check(const char *name, const struct damage_cut *newest, uint64_t committed,
                          uint64_t found, struct error *error);
void witness_close(struct witness *witness);

#endif
