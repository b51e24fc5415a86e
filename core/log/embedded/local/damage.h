/* SPDX-License-Identifier: MIT */
/*
 * What RocksDB says of files that it cannot read, made a sentence that names the file and the place.
 */
#ifndef LOG_LOCAL_DAMAGE_H
#define LOG_LOCAL_DAMAGE_H

#include "base/error.h"

/*
 * name  the log's folder as the user wrote it; database: RocksDB's folder
 * text  RocksDB's words: one line
 * False: they are not about damage.
 */
bool damage_tell(const char *name, const char *database, const char *text, struct error *error);

/* Does CURRENT name a MANIFEST that is there? RocksDB's secondary would look for it for ever. */
bool damage_is_current_right(const char *database);

#endif
