/* SPDX-License-Identifier: MIT */
/*
 * Options that hold others: lists, maps, and the two ways to write the fields of a projection. An
 * empty list or map that was written has items that are not NULL, to tell it from one that was not.
 */
#include <string.h>

#include "plugin/option_reader.h"

/* Grows nothing: the count is known before. One more, so that an empty one has an address. */
static void *make_items(const struct option_reader *reader, const struct node *node, size_t count,
                        size_t size)
{
    void *items = arena_zeroed(reader->scope->arena, (count + 1) * size);
    if (items == NULL) {
        option_out_of_memory(reader->scope, node->place);
    }
    return items;
}

static bool check_count(const struct option_reader *reader, const weir_option *option,
                        const struct node *node, uint64_t count)
{
    bool has_bounds = option->min != 0 || option->max != 0;
    if (!has_bounds || (count >= (uint64_t)option->min && count <= (uint64_t)option->max)) {
        return true;
    }
    long long min = (long long)option->min;
    long long max = (long long)option->max;
    unsigned long long found = (unsigned long long)count;
    const char *noun = option->type == WEIR_OPTION_LIST ? "item" : "entry";
    const char *nouns = option->type == WEIR_OPTION_LIST ? "items" : "entries";
    if (min == max) {
        return option_fault(reader, node->place, "takes %lld %s, found %llu", min,
                            min == 1 ? noun : nouns, found);
    }
    if (option->max == INT64_MAX) {
        return option_fault(reader, node->place, "takes at least %lld %s, found %llu", min,
                            min == 1 ? noun : nouns, found);
    }
    return option_fault(reader, node->place, "takes %lld to %lld %s, found %llu", min, max, nouns,
                        found);
}

/* A node where the list is written as its only item. */
static bool is_single(const struct node *node)
{
    return node->kind != NODE_LIST;
}

static bool may_be_map(const weir_option *element)
{
    switch (element->type) {
    case WEIR_OPTION_STRUCT:
    case WEIR_OPTION_MAP:
    case WEIR_OPTION_ANY:
    case WEIR_OPTION_EXPRESSION:
    case WEIR_OPTION_SECRET:
        return true;
    default:
        return false;
    }
}

bool option_read_list(const struct option_reader *reader, const weir_option *option,
                      const struct node *node, weir_option_list *ret)
{
    struct option_reader item_reader = *reader;
    if (node->kind == NODE_MAP && !may_be_map(option->element)) {
        return option_mismatch(reader, option, node, NULL, NULL);
    }
    size_t count = is_single(node) ? 1 : node->count;
    weir_option_value *items = make_items(reader, node, count, sizeof *items);
    if (items == NULL) {
        return false;
    }
    if (!is_single(node)) {
        item_reader.role = ROLE_ITEM;
    }
    bool is_right = true;
    for (size_t i = 0; i < count; i++) {
        const struct node *item = is_single(node) ? node : node->items[i];
        is_right &= option_read_as(&item_reader, option->element, item, &items[i]);
    }
    *ret = (weir_option_list){ items, count };
    return is_right && check_count(reader, option, node, count);
}

/* ---- maps ------------------------------------------------------------------------------------- */

static bool read_key(const struct option_reader *reader, const weir_option *option,
                     const struct node *key, weir_option_value *ret)
{
    static const weir_option target = { .type = WEIR_OPTION_TARGET };
    struct option_reader key_reader = *reader;
    key_reader.role = ROLE_KEY;
    if (option->key_type == WEIR_OPTION_TARGET) {
        return option_read_target(&key_reader, &target, key, &ret->target);
    }
    const char *copy = arena_copy(reader->scope->arena, key->text, key->text_len);
    if (copy == NULL) {
        return option_out_of_memory(reader->scope, key->place);
    }
    ret->text = (weir_text){ copy, key->text_len };
    return true;
}

/* Keys and values of one map into pairs. A value that YAML cut takes the entries of its rest along. */
static bool read_pairs(const struct option_reader *reader, const weir_option *option,
                       const struct node *map, weir_option_pair *pairs)
{
    struct option_reader value_reader = *reader;
    bool is_right = true;
    bool is_cut = false;
    value_reader.role = ROLE_VALUE;
    for (size_t i = 0; i < map->count; i++) {
        const struct node *value = map->pairs[i].value;
        if (is_cut) {
            is_cut = !option_is_rest_of_cut(map->pairs[i].key);
            continue;
        }
        is_right &= read_key(reader, option, map->pairs[i].key, &pairs[i].key);
        enum option_cut cut = option->element->type == WEIR_OPTION_EXPRESSION
                                  ? option_report_cut(reader->scope, value)
                                  : CUT_NONE;
        is_cut = cut == CUT_IN_FLOW;
        is_right &= cut == CUT_NONE &&
                    option_read_as(&value_reader, option->element, value, &pairs[i].value);
    }
    return is_right;
}

static const char *map_cure(const weir_option *option)
{
    bool has_expressions = option->element->type == WEIR_OPTION_EXPRESSION;
    return has_expressions ? "write each field as NAME: EXPRESSION"
                           : "write each entry as NAME: VALUE";
}

bool option_read_map(const struct option_reader *reader, const weir_option *option,
                     const struct node *node, weir_option_map *ret)
{
    if (node->kind != NODE_MAP) {
        return option_mismatch(reader, option, node, NULL, map_cure(option));
    }
    weir_option_pair *pairs = make_items(reader, node, node->count, sizeof *pairs);
    const struct node **keys = make_items(reader, node, node->count, sizeof *keys);
    if (pairs == NULL || keys == NULL || !read_pairs(reader, option, node, pairs)) {
        return false;
    }
    for (size_t i = 0; i < node->count; i++) {
        keys[i] = node->pairs[i].key;
    }
    *ret = (weir_option_map){ pairs, node->count };
    bool must_differ = (option->flags & WEIR_OPTION_PATHS) != 0;
    return check_count(reader, option, node, node->count) &&
           (!must_differ || option_check_targets(reader->scope, ret, keys));
}

/* ---- paths ------------------------------------------------------------------------------------ */

/* One path of the list form: its own last name is the target. */
static bool read_path(const struct option_reader *reader, const struct node *node,
                      weir_option_pair *ret)
{
    const struct options_scope *scope = reader->scope;
    const weir_expression *expression = option_read_expression(scope, node);
    if (expression == NULL) {
        return false;
    }
    ret->value.expression = expression;
    ret->key.target = expr_last_name(scope->env, expression);
    if (ret->key.target == NULL) {
        diagnostics_add(scope->diagnostics, SEVERITY_ERROR, node->place,
                        "only a path has a name of its own; write {name: %s}",
                        node->kind == NODE_SCALAR && node->text_len <= 60 ? node->text
                                                                          : "expression");
        return false;
    }
    return true;
}

static size_t count_paths(const struct node *node)
{
    size_t count = 0;
    for (size_t i = 0; i < node->count; i++) {
        count += node->items[i]->kind == NODE_MAP ? node->items[i]->count : 1;
    }
    return count;
}

/* The node that each target was read from, beside the pairs. */
struct path_list {
    weir_option_pair *pairs;
    const struct node **nodes;
    size_t count;
};

static bool add_item(const struct option_reader *reader, const weir_option *option,
                     const struct node *item, struct path_list *list)
{
    size_t first = list->count;
    if (item->kind != NODE_MAP) {
        list->nodes[first] = item;
        list->count++;
        return read_path(reader, item, &list->pairs[first]);
    }
    for (size_t i = 0; i < item->count; i++) {
        list->nodes[first + i] = item->pairs[i].key;
    }
    list->count += item->count;
    return read_pairs(reader, option, item, &list->pairs[first]);
}

bool option_read_paths(const struct option_reader *reader, const weir_option *option,
                       const struct node *node, weir_option_map *ret)
{
    size_t room = is_single(node) ? 1 : count_paths(node);
    struct path_list list = { .pairs = make_items(reader, node, room, sizeof *list.pairs),
                              .nodes = make_items(reader, node, room, sizeof *list.nodes) };
    if (list.pairs == NULL || list.nodes == NULL) {
        return false;
    }
    bool is_right = true;
    bool is_cut = false;
    size_t count = is_single(node) ? 1 : node->count;
    for (size_t i = 0; i < count; i++) {
        const struct node *item = is_single(node) ? node : node->items[i];
        if (is_cut) {
            is_cut = !(item->kind == NODE_SCALAR && option_is_rest_of_cut(item));
            continue;
        }
        enum option_cut cut = option_report_cut(reader->scope, item);
        is_cut = cut == CUT_IN_FLOW;
        is_right &= cut == CUT_NONE && add_item(reader, option, item, &list);
    }
    *ret = (weir_option_map){ list.pairs, list.count };
    return is_right && check_count(reader, option, node, list.count) &&
           option_check_targets(reader->scope, ret, list.nodes);
}
