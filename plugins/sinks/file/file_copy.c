/* SPDX-License-Identifier: MIT */
/*
 * A part that has a file on loan goes on in a copy of what the token knows of it. What its writer may still
 * append, or write once more behind that, is in another file then.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "file_part.h"

enum { COPY_SIZE = 64 << 10 };

/* Between files for which the system can do nothing better. 0 or -1 with errno. */
static int copy_by_hand(int from, int to, off_t at, off_t end)
{
    char room[COPY_SIZE];
    while (at < end) {
        size_t wanted = end - at < COPY_SIZE ? (size_t)(end - at) : COPY_SIZE;
        ssize_t got = pread(from, room, wanted, at);
        ssize_t done = got > 0 ? pwrite(to, room, (size_t)got, at) : got;
        if (done == 0) {
            errno = ENODATA;
        }
        if (done == 0 || (done < 0 && errno != EINTR)) {
            return -1;
        }
        at += done > 0 ? done : 0;
    }
    return 0;
}

/* The first `length` bytes. 0 or -1 with errno; ENODATA: there are not so many. */
static int copy_bytes(int from, int to, uint64_t length)
{
    off_t end = (off_t)length;
    off_t at = 0;
    off_t at_to = 0;
    while (at < end) {
        ssize_t done = copy_file_range(from, &at, to, &at_to, (size_t)(end - at), 0);
        bool is_full = done < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EIO);
        if (is_full) {
            return -1;
        }
        if (done <= 0 && !(done < 0 && errno == EINTR)) {
            return copy_by_hand(from, to, at, end);
        }
    }
    return 0;
}

/* Nothing stays of a copy that fails. */
static weir_status copy_from(struct file_part *part, weir_context *ctx, int from, const char *path)
{
    int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (to < 0) {
        return part_fault(part, ctx, "create", path);
    }
    if (copy_bytes(from, to, part->fact.length) == 0) {
        part->fd = to;
        return WEIR_OK;
    }
    weir_status st = part_fault(part, ctx, "write to", path);
    close(to);
    (void)unlink(path);
    return st;
}

bool part_is_on_loan(const struct file_part *part)
{
    return part->is_open && part->generation != 0 && part->fact.file.generation != part->generation;
}

weir_status part_own(struct file_part *part, weir_context *ctx, const struct tree *tree)
{
    char source[TREE_PATH_ROOM];
    char path[TREE_PATH_ROOM];
    struct tree_file own = part->fact.file;
    if (!part_is_on_loan(part)) {
        return WEIR_OK;
    }
    own.generation = part->generation;
    weir_status st = tree_find(ctx, source, tree, &part->fact.file, TREE_PART);
    if (st == WEIR_OK) {
        st = tree_find(ctx, path, tree, &own, TREE_PART);
    }
    if (st != WEIR_OK) {
        return st;
    }
    int from = open(source, O_RDONLY | O_CLOEXEC);
    if (from < 0) {
        return part_fault(part, ctx, "open", source);
    }
    st = copy_from(part, ctx, from, path);
    close(from);
    if (st == WEIR_OK) {
        part->fact.file = own;
        part->is_dirty = true;
        part->is_new = true;
    }
    return st;
}
