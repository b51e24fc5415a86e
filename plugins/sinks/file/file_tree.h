/* SPDX-License-Identifier: MIT */
/*
 * The folder of a file sink: ROOT/<topic>/<partition>/<first offset, 19 digits>.jsonl or .csv, with
 * `.part` behind it until it is published, and before that the generation of the writer, in 16 hexadecimal
 * digits, where several write to one folder. Nothing else in the folder is ever touched.
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

/*
 * Which file. Two writers never have the same generation, so none of them comes upon a `.part` of another
 * one; 0: there is one writer only, and its files bear no generation.
 */
struct tree_file {
    const char *topic;
    uint32_t topic_len;
    int32_t partition;
    int64_t first_offset;
    uint64_t generation;
};

bool tree_is_same(const struct tree_file *one, const struct tree_file *other);

/* False: a topic of this name cannot be a folder. */
bool tree_is_topic(const char *topic, uint32_t topic_len);

enum tree_name { TREE_FOLDER, TREE_PART, TREE_PUBLISHED };

/* The path of a file while it is written to or once it is published, or of its partition's folder. False:
 * it is too long. */
bool tree_path(char room[TREE_PATH_ROOM], const struct tree *tree, const struct tree_file *file,
               enum tree_name name);
/* The same; fails the call where the path is too long. */
weir_status tree_find(weir_context *ctx, char room[TREE_PATH_ROOM], const struct tree *tree,
                      const struct tree_file *file, enum tree_name name);

/* Makes a folder and those above it, each durable in its parent. Fails the call. */
weir_status tree_make_folder(weir_context *ctx, const char *path);
/*
 * Tells the root from every other folder, on this machine or another one that does not share it: made of its
 * inode and of the time when that was made. 0: the file system does not tell, or there is no such folder.
 */
uint64_t tree_identity(const struct tree *tree);
/* Makes durable which files are in a folder. Fails the call. */
weir_status tree_sync_folder(weir_context *ctx, const char *path);
/* Renames, but never onto a file that exists: then errno is EEXIST. 0 or -1. */
int tree_rename(const char *from, const char *to);

/* The partition that is looked at; topic NULL: all of them. */
struct tree_scope {
    const char *topic;
    uint32_t topic_len;
    int32_t partition;
};

typedef bool tree_filter(const void *self, const struct tree_file *file, bool is_part);
typedef weir_status tree_visit(void *self, const struct tree_file *file);

/*
 * Removes every file of the pattern in the scope for which `is_wanted` holds. The folders that are empty then
 * go too where the scope is all of them; elsewhere another process may be about to make a file in them. A
 * root that does not exist has none. Fails the call.
 */
weir_status tree_remove(weir_context *ctx, const struct tree *tree, const struct tree_scope *scope,
                        tree_filter *is_wanted, const void *self);
/* Calls `visit` for each of them instead. */
weir_status tree_list(weir_context *ctx, const struct tree *tree, const struct tree_scope *scope,
                      tree_filter *is_wanted, tree_visit *visit, void *self);

#endif
