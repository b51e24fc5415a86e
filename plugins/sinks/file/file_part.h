/* SPDX-License-Identifier: MIT */
/*
 * The file that a sink writes for one partition of one topic. Between two files the part is closed:
 * `is_open` is false.
 *
 * What is appended waits in `pending` until there is enough of it, or until the part is synced. The
 * descriptor may be given back in between (part_release), with nothing pending, and is opened again
 * by the next part_append.
 *
 * A call that fails for now has taken nothing and lost nothing: the same call may be made again.
 */
#ifndef FILE_FILE_PART_H
#define FILE_FILE_PART_H

#include "file_token.h"
#include "file_tree.h"

/*
 * fact        of the file that is open; its length counts what is pending. The topic's name is the
 *             part's own memory
 * written     bytes that have gone to the file
 * fd          -1: given back, or nothing has been written yet
 * last_use    for choosing which descriptor to give back
 * is_dirty    bytes have been written since the last sync
 * is_new      the file's name is not durable in its folder yet
 */
struct file_part {
    struct file_fact fact;
    weir_buffer pending;
    uint64_t written;
    uint64_t last_use;
    int fd;
    bool is_open;
    bool is_dirty;
    bool is_new;
};

/* topic: copied. NULL: no memory. */
struct file_part *part_create(const char *topic, uint32_t topic_len, int32_t partition);
void part_destroy(struct file_part *part);

/* Begins a new file. One of that name that exists already is an error, whatever is in it. */
weir_status part_start(struct file_part *part, weir_context *ctx, const struct tree *tree,
                       int64_t first_offset, int64_t now_ms);
/* Goes on in the file of a token, which loses what was written after it. */
weir_status part_resume(struct file_part *part, weir_context *ctx, const struct tree *tree,
                        const struct file_fact *fact);
/* Appends the bytes of a record. */
weir_status part_append(struct file_part *part, weir_context *ctx, const struct tree *tree,
                        weir_slice bytes);
/* Everything appended is durable, the file's name too. */
weir_status part_sync(struct file_part *part, weir_context *ctx, const struct tree *tree);
/* Gives the descriptor and the buffer back; everything appended is durable then. Keeps both where it fails. */
weir_status part_release(struct file_part *part, weir_context *ctx, const struct tree *tree);
/* Forgets the file; it stays as it is. */
void part_forget(struct file_part *part);

#endif
