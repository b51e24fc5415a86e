/* SPDX-License-Identifier: MIT */
/*
 * Builds the tree of document.h from what a YAML parser reports in order: scalars, beginnings and
 * ends of lists and maps, aliases. Owns anchors, merge keys, duplicate keys and the limits, all of
 * them reported with their place.
 */
#ifndef PIPELINE_YAML_TREE_H
#define PIPELINE_YAML_TREE_H

#include "base/document.h"
#include "base/hashmap.h"

enum {
    YAML_MAX_BYTES = 4 * 1024 * 1024,
    YAML_MAX_NODES = 100000, /* aliases counted with everything below them */
    YAML_MAX_DEPTH = 100     /* bounds every recursion over the tree */
};

/* A node together with what an alias of it costs. */
struct yaml_node {
    struct node node; /* first: a node of the tree is found by its address */
    uint32_t size;    /* nodes, itself included */
    uint32_t height;  /* levels below it */
};

/* A pair of a map, or with a NULL key an item of a list, that waits for its end. */
struct yaml_child {
    const struct yaml_node *key;
    const struct yaml_node *value;
};

/* A list or map that has begun. */
struct yaml_frame {
    struct yaml_node *made;
    const struct yaml_node *key; /* of a map: waits for its value */
    size_t first_child;
    char *anchor; /* NULL: none */
    bool is_flow; /* written in [ ] or { } */
};

struct yaml_tree {
    const struct document_file *file;
    struct arena *arena;
    struct diagnostics *diagnostics;
    struct yaml_frame frames[YAML_MAX_DEPTH];
    size_t depth;
    struct yaml_child *children; /* of all open frames */
    size_t child_count;
    size_t child_capacity;
    struct hashmap anchors; /* name to struct yaml_node; NULL while it is being read */
    const struct node *root;
    uint32_t size;
    bool is_broken; /* a fault that leaves no tree */
};

void yaml_tree_init(struct yaml_tree *tree, const struct document_file *file, struct arena *arena,
                    struct diagnostics *diagnostics);
void yaml_tree_deinit(struct yaml_tree *tree);

/* Each reports what is wrong; after a fault that leaves no tree is_broken is set. anchor: its name
 * with anchor_len bytes; NULL: none. */

/* scalar: its style, text, offsets and place; copied. */
void yaml_tree_scalar(struct yaml_tree *tree, const struct node *scalar, const char *anchor,
                      size_t anchor_len);
void yaml_tree_alias(struct yaml_tree *tree, struct place place, const char *name, size_t len);
void yaml_tree_begin(struct yaml_tree *tree, enum node_kind kind, struct place place, bool is_flow,
                     const char *anchor, size_t anchor_len);
/* end: file offset behind it. */
void yaml_tree_end(struct yaml_tree *tree, size_t end);

/* The list or map being read, or NULL. */
const struct yaml_frame *yaml_tree_frame(const struct yaml_tree *tree);
/* Reports a fault that leaves no tree. */
void yaml_tree_break(struct yaml_tree *tree, struct place place, const char *message);

#endif
