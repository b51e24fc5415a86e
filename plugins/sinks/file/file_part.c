/* SPDX-License-Identifier: MIT */
#include "file_part.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/fault.h"
#include "support/heap_buffer.h"

enum { WRITE_SIZE = 64 << 10 };

static const char lost_hint[] =
    "restore it from a copy, or give up what was not published and start with --fresh";

struct file_part *part_create(const char *topic, uint32_t topic_len, int32_t partition)
{
    struct file_part *part = calloc(1, sizeof *part + topic_len);
    if (part == NULL) {
        return NULL;
    }
    char *name = (char *)(part + 1);
    memcpy(name, topic, topic_len);
    part->fact.topic = name;
    part->fact.topic_len = topic_len;
    part->fact.partition = partition;
    part->fd = -1;
    heap_buffer_init(&part->pending, UINT32_MAX);
    return part;
}

void part_forget(struct file_part *part)
{
    if (part->fd >= 0) {
        close(part->fd);
        part->fd = -1;
    }
    heap_buffer_deinit(&part->pending);
    part->is_open = false;
    part->is_dirty = false;
    part->is_new = false;
}

void part_destroy(struct file_part *part)
{
    if (part != NULL) {
        part_forget(part);
        free(part);
    }
}

static weir_status part_path(const struct file_part *part, weir_context *ctx,
                             const struct tree *tree, bool is_part, char room[TREE_PATH_ROOM])
{
    const struct file_fact *fact = &part->fact;
    if (tree_path(room, tree, fact->topic, fact->topic_len, fact->partition, fact->first_offset,
                  is_part)) {
        return WEIR_OK;
    }
    errno = ENAMETOOLONG;
    return fault_errno(ctx, "use a path below", tree->root);
}

static weir_status part_folder(const struct file_part *part, weir_context *ctx,
                               const struct tree *tree, char room[TREE_PATH_ROOM])
{
    const struct file_fact *fact = &part->fact;
    if (tree_path(room, tree, fact->topic, fact->topic_len, fact->partition, -1, false)) {
        return WEIR_OK;
    }
    errno = ENAMETOOLONG;
    return fault_errno(ctx, "use a path below", tree->root);
}

/* ---- beginning --------------------------------------------------------------------------------- */

static weir_status fail_taken(weir_context *ctx, const char *path)
{
    return fault_call(ctx, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
                      "move it away, give the sink another path, or start with --fresh",
                      "file '%s' exists already and no checkpoint of this pipeline knows it", path);
}

static weir_status check_free(weir_context *ctx, const char *path)
{
    struct stat info;
    if (lstat(path, &info) == 0) {
        return fail_taken(ctx, path);
    }
    return errno == ENOENT ? WEIR_OK : fault_errno_for_now(ctx, "look at", path);
}

static weir_status create_file(struct file_part *part, weir_context *ctx, const char *path)
{
    part->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (part->fd >= 0) {
        return WEIR_OK;
    }
    return errno == EEXIST ? fail_taken(ctx, path) : fault_errno_for_now(ctx, "create", path);
}

weir_status part_start(struct file_part *part, weir_context *ctx, const struct tree *tree,
                       int64_t first_offset, int64_t now_ms)
{
    char path[TREE_PATH_ROOM];
    weir_status st = part_folder(part, ctx, tree, path);
    if (st == WEIR_OK) {
        st = tree_make_folder(ctx, path);
    }
    part->fact.first_offset = first_offset;
    part->fact.last_offset = first_offset;
    part->fact.first_ms = now_ms;
    part->fact.length = 0;
    part->written = 0;
    if (st == WEIR_OK) {
        st = part_path(part, ctx, tree, false, path);
    }
    if (st == WEIR_OK) {
        st = check_free(ctx, path);
    }
    if (st == WEIR_OK) {
        st = part_path(part, ctx, tree, true, path);
    }
    if (st == WEIR_OK) {
        st = create_file(part, ctx, path);
    }
    part->is_open = st == WEIR_OK;
    part->is_new = part->is_open;
    part->is_dirty = part->is_open;
    return st;
}

static weir_status cut(weir_context *ctx, const char *path, uint64_t length)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        return errno == ENOENT
                   ? fault_call(ctx, WEIR_E_NOT_FOUND, WEIR_CLASS_NOT_FOUND, lost_hint,
                                "file '%s' is gone, of which the checkpoint knows %llu bytes", path,
                                (unsigned long long)length)
                   : fault_errno(ctx, "look at", path);
    }
    if ((uint64_t)info.st_size < length) {
        return fault_call(ctx, WEIR_E_IO, WEIR_CLASS_RESOURCE, lost_hint,
                          "file '%s' has %lld bytes, but the checkpoint knows %llu; nothing has "
                          "been changed",
                          path, (long long)info.st_size, (unsigned long long)length);
    }
    bool is_cut = (uint64_t)info.st_size == length || truncate(path, (off_t)length) == 0;
    return is_cut ? WEIR_OK : fault_errno(ctx, "cut", path);
}

weir_status part_resume(struct file_part *part, weir_context *ctx, const struct tree *tree,
                        const struct file_fact *fact)
{
    char path[TREE_PATH_ROOM];
    part->fact.first_offset = fact->first_offset;
    part->fact.last_offset = fact->last_offset;
    part->fact.first_ms = fact->first_ms;
    part->fact.length = fact->length;
    part->written = fact->length;
    weir_status st = part_path(part, ctx, tree, true, path);
    if (st == WEIR_OK) {
        st = cut(ctx, path, fact->length);
    }
    part->is_open = st == WEIR_OK;
    return st;
}

/* ---- writing ----------------------------------------------------------------------------------- */

/* Writes all of it at an offset; 0 or -1 with errno. */
static int write_at(int fd, const uint8_t *bytes, uint64_t size, uint64_t offset)
{
    while (size > 0) {
        ssize_t done = pwrite(fd, bytes, size, (off_t)offset);
        if (done < 0 && errno != EINTR) {
            return -1;
        }
        if (done > 0) {
            bytes += done;
            size -= (uint64_t)done;
            offset += (uint64_t)done;
        }
    }
    return 0;
}

static weir_status open_again(struct file_part *part, weir_context *ctx, const struct tree *tree)
{
    char path[TREE_PATH_ROOM];
    weir_status st = part_path(part, ctx, tree, true, path);
    if (st != WEIR_OK) {
        return st;
    }
    part->fd = open(path, O_WRONLY | O_CLOEXEC);
    return part->fd >= 0 ? WEIR_OK : fault_errno_for_now(ctx, "open", path);
}

/* A failure leaves all of it pending; what has come to the file is written over by the next attempt. */
static weir_status write_pending(struct file_part *part, weir_context *ctx, const struct tree *tree)
{
    char path[TREE_PATH_ROOM];
    if (part->pending.size == 0) {
        return WEIR_OK;
    }
    if (write_at(part->fd, part->pending.data, part->pending.size, part->written) != 0) {
        int fault = errno;
        weir_status st = part_path(part, ctx, tree, true, path);
        errno = fault;
        return st == WEIR_OK ? fault_errno_for_now(ctx, "write to", path) : st;
    }
    part->written += part->pending.size;
    part->pending.size = 0;
    part->is_dirty = true;
    return WEIR_OK;
}

weir_status part_append(struct file_part *part, weir_context *ctx, const struct tree *tree,
                        weir_slice bytes)
{
    weir_status st = part->fd >= 0 ? WEIR_OK : open_again(part, ctx, tree);
    if (st == WEIR_OK && part->pending.size >= WRITE_SIZE) {
        st = write_pending(part, ctx, tree);
    }
    if (st == WEIR_OK) {
        st = weir_buffer_append(&part->pending, bytes.data, bytes.size);
    }
    if (st == WEIR_OK) {
        part->fact.length += bytes.size;
    }
    return st;
}

/*
 * A failure is final, also on a full disk: the system may have dropped the bytes that it could not store
 * and call the next attempt a success. The next start writes them again.
 */
static weir_status sync_bytes(struct file_part *part, weir_context *ctx, const struct tree *tree)
{
    char path[TREE_PATH_ROOM];
    if (fdatasync(part->fd) != 0) {
        int fault = errno;
        weir_status st = part_path(part, ctx, tree, true, path);
        errno = fault;
        return st == WEIR_OK ? fault_errno(ctx, "make durable", path) : st;
    }
    part->is_dirty = false;
    return WEIR_OK;
}

weir_status part_sync(struct file_part *part, weir_context *ctx, const struct tree *tree)
{
    char path[TREE_PATH_ROOM];
    weir_status st = write_pending(part, ctx, tree);
    if (st == WEIR_OK && part->is_dirty) {
        st = sync_bytes(part, ctx, tree);
    }
    if (st == WEIR_OK && part->is_new) {
        st = part_folder(part, ctx, tree, path);
        if (st == WEIR_OK) {
            st = tree_sync_folder(ctx, path);
        }
        part->is_new = st != WEIR_OK;
    }
    return st;
}

weir_status part_release(struct file_part *part, weir_context *ctx, const struct tree *tree)
{
    weir_status st = part_sync(part, ctx, tree);
    if (st != WEIR_OK) {
        return st;
    }
    if (part->fd >= 0) {
        (void)close(part->fd); /* nothing that it could complain of is left to do */
        part->fd = -1;
    }
    heap_buffer_deinit(&part->pending);
    return WEIR_OK;
}
