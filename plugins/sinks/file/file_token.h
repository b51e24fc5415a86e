/* SPDX-License-Identifier: MIT */
/*
 * What a checkpoint knows of the files of this sink: those that are still written to, and those that
 * are finished and wait to be published. Topic names may hold any bytes.
 */
#ifndef FILE_FILE_TOKEN_H
#define FILE_FILE_TOKEN_H

#include <stdbool.h>
#include <stdint.h>

#include <weir/abi.h>

#include "file_tree.h"

enum file_state { FILE_OPEN = 0, FILE_FINISHED = 1 };

/*
 * file         which one; its first offset is that of the input record that it begins with
 * last_offset  of the last one in it
 * length       bytes of the file that belong to the checkpoint
 * first_ms     when its first record was written, by the host's clock
 */
struct file_fact {
    struct tree_file file;
    enum file_state state;
    int64_t last_offset;
    uint64_t length;
    int64_t first_ms;
};

/* Begins a token; the buffer is the host's. home: the folder's identity, see tree_identity. */
weir_status file_token_begin(weir_buffer *out, uint64_t home);
weir_status file_token_add(weir_buffer *out, const struct file_fact *fact);

/* A token that is read fact by fact; `left` is what has not been read. */
struct file_token_reader {
    weir_slice left;
    uint8_t version;
    uint64_t home; /* 0: not known */
    bool is_bad;   /* these bytes are no token that this version knows */
};

void file_token_open(struct file_token_reader *reader, weir_slice token);
/* False: the end, or is_bad. The topic points into the token. */
bool file_token_next(struct file_token_reader *reader, struct file_fact *ret_fact);

/* Is the file one of the token's? */
bool file_token_names(weir_slice token, const struct tree_file *file);

#endif
