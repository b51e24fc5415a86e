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

/* A write-ahead log whose last write is not whole. file: its name; "": there is none. */
struct damage_cut {
    char file[32];
    int64_t place;
};
/*
 * missing  the next log begins with later changes than would follow. Says no more than that: a log that is
 *          no longer needed may look so too
 * newest   no log follows. A crash leaves that too; damage it is where more was committed than is there
 */
struct damage_cuts {
    struct damage_cut missing;
    struct damage_cut newest;
};
void damage_find_cuts(const char *database, struct damage_cuts *ret);
enum { CUT_TEXT_BYTES = 160 };
/* "file 'log/FILE' at offset PLACE: what was written there is not whole; ", or nothing. */
void damage_cut_text(const struct damage_cut *cut, char *text, size_t size);

/* Does CURRENT name a MANIFEST that is there? RocksDB's secondary would look for it for ever. */
bool damage_is_current_right(const char *database);

#endif
