/* SPDX-License-Identifier: MIT */
/*
 * The file that a sink writes for one partition of one topic. Between two files the part is closed:
 * `is_open` is false.
 *
 * What is appended waits in `pending` until there is enough of it, or until the part is synced. The
 * descriptor may be given back in between (part_release), with nothing pending, and is opened again
 * by the next part_append.
 *
 * A part that goes on in the file of a token writes to that file only where it is its own. Where several
 * instances write to one folder, the one that the token is of may have been taken for dead and go on
 * writing; so the part has the file *on loan*, until part_own makes a copy of what the token knows.
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
 * generation  of the files that it begins; 0: nobody else writes to the folder
 * written     bytes that have gone to the file
 * fd          -1: given back, or nothing has been written yet
 * last_use    for choosing which descriptor to give back
 * is_dirty    bytes have been written since the last sync
 * is_new      the file's name is not durable in its folder yet
 */
struct file_part {
    struct file_fact fact;
    uint64_t generation;
    weir_buffer pending;
    uint64_t written;
    uint64_t last_use;
    int fd;
    bool is_open;
    bool is_dirty;
    bool is_new;
};

/* topic: copied. NULL: no memory. */
struct file_part *part_create(const char *topic, uint32_t topic_len, int32_t partition,
                              uint64_t generation);
void part_destroy(struct file_part *part);

/* Begins a new file. One of that name that exists already is an error, whatever is in it. */
weir_status part_start(struct file_part *part, weir_context *ctx, const struct tree *tree,
                       int64_t first_offset, int64_t now_ms);
/* Goes on in the file of a token. Its own one loses what was written after the token, another one is not touched. */
weir_status part_resume(struct file_part *part, weir_context *ctx, const struct tree *tree,
                        const struct file_fact *fact);
bool part_is_on_loan(const struct file_part *part);
/* Goes on in a copy, which is its own, where the file is on loan. */
weir_status part_own(struct file_part *part, weir_context *ctx, const struct tree *tree);
/* Appends the bytes of a record; the file is its own. */
weir_status part_append(struct file_part *part, weir_context *ctx, const struct tree *tree,
                        weir_slice bytes);
/* Everything appended is durable, the file's name too. */
weir_status part_sync(struct file_part *part, weir_context *ctx, const struct tree *tree);
/* Gives the descriptor and the buffer back; everything appended is durable then. Keeps both where it fails. */
weir_status part_release(struct file_part *part, weir_context *ctx, const struct tree *tree);
/* Forgets the file; it stays as it is. */
void part_forget(struct file_part *part);
/*
 * Fails the call by errno. What is gone or there already although it should not be is for now where others
 * write to the folder: then another instance may have the partition, which the host will tell.
 */
weir_status part_fault(const struct file_part *part, weir_context *ctx, const char *what,
                       const char *path);

#endif
