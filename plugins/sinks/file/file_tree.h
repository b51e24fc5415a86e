/* SPDX-License-Identifier: MIT */
/*
 * The folder of a file sink: ROOT/<topic>/<partition>/<first offset, 19 digits>.jsonl or .csv, with
 * `.part` behind it until it is published. Nothing else in the folder is ever touched.
 */
#ifndef FILE_FILE_TREE_H
#define FILE_FILE_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include <weir/host.h>

enum { TREE_PATH_ROOM = 4096 };

/* ending: of the files' names, with its dot */
struct tree {
    const char *root;
    const char *ending;
};

/* False: a topic of this name cannot be a folder. */
bool tree_is_topic(const char *topic, uint32_t topic_len);

/* The folder of a partition, or with first_offset >= 0 a file in it. False: the path is too long. */
bool tree_path(char room[TREE_PATH_ROOM], const struct tree *tree, const char *topic,
               uint32_t topic_len, int32_t partition, int64_t first_offset, bool is_part);

/* Makes a folder and those above it, each durable in its parent. Fails the call. */
weir_status tree_make_folder(weir_context *ctx, const char *path);
/* Makes durable which files are in a folder. Fails the call. */
weir_status tree_sync_folder(weir_context *ctx, const char *path);
/* Renames, but never onto a file that exists: then errno is EEXIST. 0 or -1. */
int tree_rename(const char *from, const char *to);

/* A file of the naming pattern that a walk has come to. */
struct tree_file {
    const char *topic;
    uint32_t topic_len;
    int32_t partition;
    int64_t first_offset;
    bool is_part;
};

/* The partition that is looked at; topic NULL: all of them. */
struct tree_scope {
    const char *topic;
    uint32_t topic_len;
    int32_t partition;
};

/*
 * Removes every file of the pattern in the scope for which `is_unwanted` holds, and the folders that are empty
 * then; those of topics only where the scope is all of them, since another process may be making a partition's
 * in them. A root that does not exist has none. Fails the call.
 */
weir_status tree_remove(weir_context *ctx, const struct tree *tree, const struct tree_scope *scope,
                        bool (*is_unwanted)(const void *self, const struct tree_file *file),
                        const void *self);

#endif
