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
static const char others_hint[] = "all replicas must see one folder; where another one has this "
                                  "partition by now, this one will hear of it";

struct file_part *part_create(const char *topic, uint32_t topic_len, int32_t partition,
                              uint64_t generation)
{
    struct file_part *part = calloc(1, sizeof *part + topic_len);
    if (part == NULL) {
        return NULL;
    }
    char *name = (char *)(part + 1);
    memcpy(name, topic, topic_len);
    part->fact.file = (struct tree_file){ name, topic_len, partition, 0, generation };
    part->generation = generation;
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

weir_status part_fault(const struct file_part *part, weir_context *ctx, const char *what,
                       const char *path)
{
    bool may_be_others = errno == ENOENT || errno == EEXIST || errno == ESTALE;
    if (part->generation == 0 || !may_be_others) {
        return fault_errno_for_now(ctx, what, path);
    }
    return fault_call_for_now(ctx, WEIR_E_IO, WEIR_CLASS_RESOURCE, others_hint,
                              "could not %s '%s': %s", what, path, strerror(errno));
}

static weir_status part_path(const struct file_part *part, weir_context *ctx,
                             const struct tree *tree, enum tree_name name,
                             char room[TREE_PATH_ROOM])
{
    return tree_find(ctx, room, tree, &part->fact.file, name);
}

/* ---- beginning --------------------------------------------------------------------------------- */

/* Where others write to the folder, it may be one of theirs, who have this partition by now. */
static weir_status fail_taken(const struct file_part *part, weir_context *ctx, const char *path)
{
    static const char hint[] = "move it away, give the sink another path, or start with --fresh";
    static const char text[] =
        "file '%s' exists already and no checkpoint of this pipeline knows it";
    return part->generation == 0
               ? fault_call(ctx, WEIR_E_INVALID, WEIR_CLASS_CONFIG, hint, text, path)
               : fault_call_for_now(ctx, WEIR_E_INVALID, WEIR_CLASS_CONFIG, hint, text, path);
}

static weir_status check_free(const struct file_part *part, weir_context *ctx, const char *path)
{
    struct stat info;
    if (lstat(path, &info) == 0) {
        return fail_taken(part, ctx, path);
    }
    return errno == ENOENT ? WEIR_OK : fault_errno_for_now(ctx, "look at", path);
}

static weir_status create_file(struct file_part *part, weir_context *ctx, const char *path)
{
    part->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (part->fd >= 0) {
        return WEIR_OK;
    }
    return errno == EEXIST ? fail_taken(part, ctx, path) : part_fault(part, ctx, "create", path);
}

weir_status part_start(struct file_part *part, weir_context *ctx, const struct tree *tree,
                       int64_t first_offset, int64_t now_ms)
{
    char path[TREE_PATH_ROOM];
    part->fact.file.first_offset = first_offset;
    part->fact.file.generation = part->generation;
    part->fact.last_offset = first_offset;
    part->fact.first_ms = now_ms;
    part->fact.length = 0;
    part->written = 0;
    weir_status st = part_path(part, ctx, tree, TREE_FOLDER, path);
    if (st == WEIR_OK) {
        st = tree_make_folder(ctx, path);
    }
    if (st == WEIR_OK) {
        st = part_path(part, ctx, tree, TREE_PUBLISHED, path);
    }
    if (st == WEIR_OK) {
        st = check_free(part, ctx, path);
    }
    if (st == WEIR_OK) {
        st = part_path(part, ctx, tree, TREE_PART, path);
    }
    if (st == WEIR_OK) {
        st = create_file(part, ctx, path);
    }
    part->is_open = st == WEIR_OK;
    part->is_new = part->is_open;
    part->is_dirty = part->is_open;
    return st;
}

static weir_status check_length(weir_context *ctx, const char *path, uint64_t length)
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
    return WEIR_OK;
}

weir_status part_resume(struct file_part *part, weir_context *ctx, const struct tree *tree,
                        const struct file_fact *fact)
{
    char path[TREE_PATH_ROOM];
    const char *topic = part->fact.file.topic;
    part->fact = *fact;
    part->fact.file.topic = topic;
    part->written = fact->length;
    weir_status st = part_path(part, ctx, tree, TREE_PART, path);
    if (st == WEIR_OK) {
        st = check_length(ctx, path, fact->length);
    }
    if (st == WEIR_OK && part->generation == 0 && truncate(path, (off_t)fact->length) != 0) {
        st = fault_errno(ctx, "cut", path);
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
    weir_status st = part_path(part, ctx, tree, TREE_PART, path);
    if (st != WEIR_OK) {
        return st;
    }
    part->fd = open(path, O_WRONLY | O_CLOEXEC);
    return part->fd >= 0 ? WEIR_OK : part_fault(part, ctx, "open", path);
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
        weir_status st = part_path(part, ctx, tree, TREE_PART, path);
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
        weir_status st = part_path(part, ctx, tree, TREE_PART, path);
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
        st = part_path(part, ctx, tree, TREE_FOLDER, path);
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
