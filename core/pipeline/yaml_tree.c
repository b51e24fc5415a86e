/* SPDX-License-Identifier: MIT */
/*
 * The tree under construction. Children of all open lists and maps lie on one stack; the end of a
 * list or map moves its own into the arena. Aliases share nodes, so a limit on what the tree would
 * hold without sharing is what bounds everybody who walks it.
 */
#include "pipeline/yaml_tree.h"

#include <string.h>

#include "base/memory.h"

void yaml_tree_init(struct yaml_tree *tree, const struct document_file *file, struct arena *arena,
                    struct diagnostics *diagnostics)
{
    *tree = (struct yaml_tree){ .file = file, .arena = arena, .diagnostics = diagnostics };
    hashmap_init(&tree->anchors);
}

void yaml_tree_deinit(struct yaml_tree *tree)
{
    hashmap_deinit(&tree->anchors);
    memory_free(tree->children);
}

const struct yaml_frame *yaml_tree_frame(const struct yaml_tree *tree)
{
    return tree->depth > 0 ? &tree->frames[tree->depth - 1] : NULL;
}

void yaml_tree_break(struct yaml_tree *tree, struct place place, const char *message)
{
    tree->is_broken = true;
    diagnostics_add(tree->diagnostics, SEVERITY_ERROR, place, "%s", message);
}

static void out_of_memory(struct yaml_tree *tree)
{
    tree->is_broken = true;
    tree->diagnostics->is_out_of_memory = true;
}

/* ---- attaching ------------------------------------------------------------------------------- */

static bool push_child(struct yaml_tree *tree, const struct yaml_node *key,
                       const struct yaml_node *value)
{
    if (tree->child_count == tree->child_capacity) {
        size_t capacity = tree->child_capacity > 0 ? tree->child_capacity * 2 : 64;
        struct yaml_child *grown = memory_resize(tree->children, capacity * sizeof *grown);
        if (grown == NULL) {
            out_of_memory(tree);
            return false;
        }
        tree->children = grown;
        tree->child_capacity = capacity;
    }
    tree->children[tree->child_count++] = (struct yaml_child){ key, value };
    return true;
}

static bool check_key(struct yaml_tree *tree, const struct yaml_node *key)
{
    const struct node *node = &key->node;
    if (node->kind != NODE_SCALAR) {
        yaml_tree_break(tree, node->place,
                        "a key must be a text, not a list or map; if this is a "
                        "value, put it in quotes");
        return false;
    }
    if (node->is_empty) {
        yaml_tree_break(tree, node->place,
                        "a key is missing before ':'; write one, or put the "
                        "whole value in quotes");
        return false;
    }
    return true;
}

/* Counts `added` nodes; false where they are too many. */
static bool count_nodes(struct yaml_tree *tree, uint32_t added, struct place place)
{
    if (added > YAML_MAX_NODES - tree->size) {
        yaml_tree_break(tree, place,
                        "the file holds more than 100,000 values (each alias counts "
                        "with everything it stands for); split it");
        return false;
    }
    tree->size += added;
    return true;
}

/* Puts a finished node where it belongs: root, item, key or value. */
static void attach(struct yaml_tree *tree, const struct yaml_node *made)
{
    if (tree->depth == 0) {
        tree->root = &made->node;
        return;
    }
    struct yaml_frame *frame = &tree->frames[tree->depth - 1];
    if (frame->made->height < made->height + 1) {
        frame->made->height = made->height + 1;
    }
    if (frame->made->node.kind == NODE_LIST) {
        push_child(tree, NULL, made);
    } else if (frame->key != NULL) {
        push_child(tree, frame->key, made);
        frame->key = NULL;
    } else if (check_key(tree, made)) {
        frame->key = made;
    }
}

static void set_anchor(struct yaml_tree *tree, const char *name, size_t len, struct yaml_node *made)
{
    if (name != NULL && !hashmap_put(&tree->anchors, name, len, made)) {
        out_of_memory(tree);
    }
}

void yaml_tree_scalar(struct yaml_tree *tree, const struct node *scalar, const char *anchor,
                      size_t anchor_len)
{
    struct yaml_node *made = arena_zeroed(tree->arena, sizeof *made);
    if (made == NULL) {
        out_of_memory(tree);
        return;
    }
    made->node = *scalar;
    made->size = 1;
    if (count_nodes(tree, 1, scalar->place)) {
        set_anchor(tree, anchor, anchor_len, made);
        attach(tree, made);
    }
}

void yaml_tree_alias(struct yaml_tree *tree, struct place place, const char *name, size_t len)
{
    const struct hashmap_entry *entry = hashmap_find(&tree->anchors, name, len);
    if (entry == NULL) {
        tree->is_broken = true;
        diagnostics_add(tree->diagnostics, SEVERITY_ERROR, place,
                        "alias '*%.*s' has no anchor '&%.*s' above it; if it is no alias, put the "
                        "whole value in quotes",
                        (int)len, name, (int)len, name);
        return;
    }
    const struct yaml_node *meant = entry->value;
    if (meant == NULL) {
        yaml_tree_break(tree, place,
                        "this alias stands inside of what it names; a value cannot "
                        "contain itself");
        return;
    }
    if (tree->depth + meant->height > YAML_MAX_DEPTH) {
        yaml_tree_break(tree, place, "lists and maps are nested more than 100 levels deep here");
        return;
    }
    if (count_nodes(tree, meant->size, place)) {
        attach(tree, meant);
    }
}

void yaml_tree_begin(struct yaml_tree *tree, enum node_kind kind, struct place place, bool is_flow,
                     const char *anchor, size_t anchor_len)
{
    if (tree->depth == YAML_MAX_DEPTH) {
        yaml_tree_break(tree, place, "lists and maps are nested more than 100 levels deep here");
        return;
    }
    if (!count_nodes(tree, 1, place)) {
        return;
    }
    struct yaml_node *made = arena_zeroed(tree->arena, sizeof *made);
    char *name = anchor != NULL ? arena_copy(tree->arena, anchor, anchor_len) : NULL;
    if (made == NULL || (anchor != NULL && name == NULL)) {
        out_of_memory(tree);
        return;
    }
    made->node = (struct node){ .kind = kind, .place = place };
    made->size = 1;
    tree->frames[tree->depth++] = (struct yaml_frame){
        .made = made, .first_child = tree->child_count, .anchor = name, .is_flow = is_flow
    };
    set_anchor(tree, anchor, anchor_len, NULL);
}

/* ---- maps: merging, duplicates ----------------------------------------------------------------
 */

static bool is_merge_key(const struct node *key)
{
    return key->style == STYLE_PLAIN && node_is(key, "<<");
}

/* The pairs of one map while it is put together. */
struct gathering {
    struct node_pair *pairs;
    size_t count;
    struct hashmap seen; /* key to its pair */
};

static void gather(struct yaml_tree *tree, struct gathering *gathering, const struct node *key,
                   const struct node *value)
{
    struct node_pair *pair = &gathering->pairs[gathering->count];
    if (!hashmap_put(&gathering->seen, key->text, key->text_len, pair)) {
        out_of_memory(tree);
        return;
    }
    *pair = (struct node_pair){ key, value };
    gathering->count++;
}

static void gather_own(struct yaml_tree *tree, struct gathering *gathering,
                       const struct yaml_child *child)
{
    const struct node *key = &child->key->node;
    const struct node_pair *first = hashmap_get(&gathering->seen, key->text, key->text_len);
    if (first == NULL) {
        gather(tree, gathering, key, &child->value->node);
        return;
    }
    diagnostics_add(tree->diagnostics, SEVERITY_ERROR, key->place,
                    "key '%s' stands here a second time, after line %u; remove one of the two",
                    key->text, document_position(first->key->place).line);
}

/* Pairs of a map behind `<<`, as far as the map has them not itself. */
static void gather_merged(struct yaml_tree *tree, struct gathering *gathering,
                          const struct node *map)
{
    for (size_t i = 0; i < map->count && !tree->is_broken; i++) {
        const struct node *key = map->pairs[i].key;
        if (hashmap_get(&gathering->seen, key->text, key->text_len) == NULL) {
            gather(tree, gathering, key, map->pairs[i].value);
        }
    }
}

/* Calls gather_merged for each map behind `<<`; with gathering NULL checks and counts them. */
static size_t merge_sources(struct yaml_tree *tree, struct gathering *gathering,
                            const struct yaml_child *child)
{
    size_t count = 0;
    const struct node *value = &child->value->node;
    const struct node *const *maps = value->kind == NODE_LIST ? value->items : &value;
    size_t map_count = value->kind == NODE_LIST ? value->count : 1;
    for (size_t i = 0; i < map_count; i++) {
        if (maps[i]->kind != NODE_MAP) {
            if (gathering == NULL) {
                diagnostics_add(tree->diagnostics, SEVERITY_ERROR, child->key->node.place,
                                "'<<' takes a map or a list of maps; write <<: *NAME");
            }
            continue;
        }
        count += maps[i]->count;
        if (gathering != NULL) {
            gather_merged(tree, gathering, maps[i]);
        }
    }
    return count;
}

/* True where a second `<<` stands among the children. */
static bool check_merge_keys(struct yaml_tree *tree, const struct yaml_child *children,
                             size_t count)
{
    const struct node *first = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct node *key = &children[i].key->node;
        if (!is_merge_key(key)) {
            continue;
        }
        if (first != NULL) {
            diagnostics_add(tree->diagnostics, SEVERITY_ERROR, key->place,
                            "'<<' stands here a second time; write one with a list: <<: [*A, *B]");
        }
        first = key;
    }
    return first != NULL;
}

static void close_map(struct yaml_tree *tree, struct node *map, const struct yaml_child *children,
                      size_t count)
{
    struct gathering gathering = { 0 };
    bool has_merge = check_merge_keys(tree, children, count);
    size_t room = count;
    for (size_t i = 0; has_merge && i < count; i++) {
        if (is_merge_key(&children[i].key->node)) {
            room += merge_sources(tree, NULL, &children[i]);
        }
    }
    hashmap_init(&gathering.seen);
    gathering.pairs = arena_alloc(tree->arena, room * sizeof *gathering.pairs);
    if (gathering.pairs == NULL) {
        out_of_memory(tree);
    }
    for (size_t i = 0; i < count && !tree->is_broken; i++) {
        if (!is_merge_key(&children[i].key->node)) {
            gather_own(tree, &gathering, &children[i]);
        }
    }
    for (size_t i = 0; has_merge && i < count && !tree->is_broken; i++) {
        if (is_merge_key(&children[i].key->node)) {
            merge_sources(tree, &gathering, &children[i]);
        }
    }
    hashmap_deinit(&gathering.seen);
    map->pairs = gathering.pairs;
    map->count = gathering.count;
}

static void close_list(struct yaml_tree *tree, struct node *list, const struct yaml_child *children,
                       size_t count)
{
    const struct node **items = arena_alloc(tree->arena, count * sizeof *items);
    if (items == NULL) {
        out_of_memory(tree);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        items[i] = &children[i].value->node;
    }
    list->items = items;
    list->count = count;
}

void yaml_tree_end(struct yaml_tree *tree, size_t end)
{
    struct yaml_frame frame = tree->frames[--tree->depth];
    struct yaml_node *made = frame.made;
    size_t count = tree->child_count - frame.first_child;
    const struct yaml_child *children = count > 0 ? tree->children + frame.first_child : NULL;
    tree->child_count = frame.first_child;
    for (size_t i = 0; i < count; i++) {
        made->size += children[i].value->size + (children[i].key != NULL ? 1 : 0);
    }
    if (frame.is_flow) {
        made->node.place.length = (uint32_t)(end - made->node.place.offset);
    }
    if (made->node.kind == NODE_MAP) {
        close_map(tree, &made->node, children, count);
    } else {
        close_list(tree, &made->node, children, count);
    }
    if (!tree->is_broken) {
        set_anchor(tree, frame.anchor, frame.anchor != NULL ? strlen(frame.anchor) : 0, made);
        attach(tree, made);
    }
}
