/* SPDX-License-Identifier: MIT */
#include "log/embedded/local/folder.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/logger.h"

/* ---- the format ---------------------------------------------------------------------------------- */

enum { FOLDER_FORMAT = 2, FORMAT_BYTES = 64, WITNESS_BYTES = 16 };

static const char format_head[] = "weir-log ";

static weir_status refuse_format(const char *name, long found, struct error *error)
{
    weir_status st =
        error_set(error, WEIR_E_UNSUPPORTED, WEIR_CLASS_CONFIG,
                  "the log in '%s' has format %ld, this version of weir knows format %d", name,
                  found, FOLDER_FORMAT);
    error_hint(error, "use the version of weir that wrote it, or give another folder with "
                      "--log local:DIR; nothing was changed");
    return st;
}

static weir_status refuse_text(const char *name, struct error *error)
{
    weir_status st = error_set(error, WEIR_E_IO, WEIR_CLASS_RESOURCE,
                               "the log in '%s' is damaged: its file 'format' does not say '%s%d'",
                               name, format_head, FOLDER_FORMAT);
    error_hint(error,
               "nothing was changed; where the folder was written by this version, write "
               "'%s%d' into the file",
               format_head, FOLDER_FORMAT);
    return st;
}

weir_status format_check(const char *name, const char *path, struct error *error)
{
    char text[FORMAT_BYTES] = "";
    FILE *file = fopen(path, "re");
    if (file == NULL) { /* the first version wrote no such file */
        return errno == ENOENT ? refuse_format(name, 1, error)
                               : error_from_errno(error, "open the file", path);
    }
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    size_t head = strlen(format_head);
    char *end = NULL;
    long found = strncmp(text, format_head, head) == 0 ? strtol(text + head, &end, 10) : 0;
    if (found <= 0 || end == text + head || strcmp(end, "\n") != 0) {
        return refuse_text(name, error);
    }
    return found == FOLDER_FORMAT ? WEIR_OK : refuse_format(name, found, error);
}

weir_status format_write(const char *path, struct error *error)
{
    char text[FORMAT_BYTES];
    int size = snprintf(text, sizeof text, "%s%d\n", format_head, FOLDER_FORMAT);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0) {
        return error_from_errno(error, "create the file", path);
    }
    weir_status st = WEIR_OK;
    if (write(fd, text, (size_t)size) != size || fsync(fd) != 0) {
        st = error_from_errno(error, "write the file", path);
    }
    close(fd);
    return st;
}

/* ---- the witness --------------------------------------------------------------------------------- */

/* The number and its checksum. */
static void witness_encode(uint64_t commits, uint64_t words[2])
{
    words[0] = htole64(commits);
    words[1] = htole64(XXH3_64bits(words, sizeof words[0]));
}

void witness_init(struct witness *witness)
{
    witness->fd = -1;
}

static bool is_empty(const struct witness *witness)
{
    return lseek(witness->fd, 0, SEEK_END) == 0;
}

weir_status witness_open(struct witness *witness, const char *path, bool is_writer,
                         struct error *error)
{
    int flags = is_writer ? O_RDWR | O_CREAT : O_RDONLY;
    witness->fd = open(path, flags | O_CLOEXEC, 0644);
    if (witness->fd < 0) {
        return is_writer ? error_from_errno(error, "open the file", path) : WEIR_OK;
    }
    if (is_writer && witness_read(witness) == 0 && !is_empty(witness)) {
        logger_write(LOGGER_WARNING, NULL,
                     "the file '%s' is damaged; it is written anew, but whether something that was "
                     "committed before is missing cannot be told",
                     path);
    }
    return WEIR_OK;
}

uint64_t witness_read(const struct witness *witness)
{
    uint64_t words[2];
    uint64_t right[2];
    if (witness->fd < 0 || pread(witness->fd, words, WITNESS_BYTES, 0) != WITNESS_BYTES) {
        return 0;
    }
    witness_encode(le64toh(words[0]), right);
    return words[1] == right[1] ? le64toh(words[0]) : 0;
}

void witness_write(const struct witness *witness, uint64_t commits)
{
    uint64_t words[2];
    witness_encode(commits, words);
    if (witness->fd < 0 || pwrite(witness->fd, words, WITNESS_BYTES, 0) != WITNESS_BYTES) {
        return;
    }
}

weir_status witness_check(const char *name, const struct damage_cut *newest, uint64_t committed,
                          uint64_t found, struct error *error)
{
    char cause[CUT_TEXT_BYTES];
    if (found >= committed) {
        return WEIR_OK;
    }
    damage_cut_text(newest, cause, sizeof cause);
    weir_status st =
        error_set(error, WEIR_E_IO, WEIR_CLASS_RESOURCE,
                  "the log in '%s' is damaged: %sits file 'committed' tells of %" PRIu64
                  " changes, its files in 'log' hold %" PRIu64,
                  name, cause, committed, found);
    error_hint(error,
               "keep a copy of the folder; to go on without the last %" PRIu64
               " changes remove its file 'committed'",
               committed - found);
    return st;
}

void witness_close(struct witness *witness)
{
    if (witness->fd >= 0) {
        close(witness->fd);
    }
    witness->fd = -1;
}
