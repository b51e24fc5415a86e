/* SPDX-License-Identifier: MIT */
/*
 * The tree: shape, anchors, merge keys, empty values, limits.
 */
#include <string.h>

#include "base/buffer.h"
#include "pipeline/yaml_fixture.h"
#include "pipeline/yaml_tree.h"

static weir_buffer shown;

static void set_up_shown(void)
{
    set_up();
    buffer_init(&shown, 16 * 1024 * 1024);
}

static void tear_down_shown(void)
{
    buffer_deinit(&shown);
    tear_down();
}

/* The tree as JSON-like text: `{a: [b, c], d: ~}`, `~` for nothing written. */
static void show(const struct node *node)
{
    if (node->kind == NODE_SCALAR) {
        ck_assert_int_eq(buffer_text(&shown, node->is_empty ? "~" : node->text), WEIR_OK);
        return;
    }
    bool is_map = node->kind == NODE_MAP;
    (void)buffer_text(&shown, is_map ? "{" : "[");
    for (size_t i = 0; i < node->count; i++) {
        (void)buffer_text(&shown, i > 0 ? ", " : "");
        if (is_map) {
            show(node->pairs[i].key);
            (void)buffer_text(&shown, ": ");
            show(node->pairs[i].value);
        } else {
            show(node->items[i]);
        }
    }
    (void)buffer_text(&shown, is_map ? "}" : "]");
}

static const struct {
    const char *file;
    const char *tree;
} trees[] = {
    { "a: 1\nb: [x, y]\n", "{a: 1, b: [x, y]}" },
    { "a:\n- x\n- y: 1\n  z: 2\n", "{a: [x, {y: 1, z: 2}]}" },
    { "- - a\n  - b\n- c\n", "[[a, b], c]" },
    { "\xef\xbb\xbf"
      "a: 1\n",
      "{a: 1}" },
    { "a:\nb: ''\nc: ~\n", "{a: ~, b: , c: ~}" },
    { "- \n- a\n-\n", "[~, a, ~]" },
    { "{a: , b: 1}\n", "{a: ~, b: 1}" },
    { "{}\n", "{}" },
    { "a: []\n", "{a: []}" },
    { "a: &x [1, 2]\nb: *x\n", "{a: [1, 2], b: [1, 2]}" },
    { "a: &x 1\nb: &x 2\nc: *x\n", "{a: 1, b: 2, c: 2}" },
    { "&k a: 1\nb: *k\n", "{a: 1, b: a}" },
    { "d: &d {x: 1, y: 2}\ne:\n  <<: *d\n  y: 3\n", "{d: {x: 1, y: 2}, e: {y: 3, x: 1}}" },
    { "e:\n  y: 3\n  <<: {x: 1, y: 2}\n", "{e: {y: 3, x: 1}}" },
    { "e: {<<: [{x: 1}, {x: 2, z: 3}]}\n", "{e: {x: 1, z: 3}}" },
    { "e: {'<<': {x: 1}}\n", "{e: {<<: {x: 1}}}" },
    { "%YAML 1.2\n---\na: 1\n...\n", "{a: 1}" },
    { "a: |\n  x\n\ty\n", NULL },
    { "a: |\n  x\n  \ty\nb: 1\n", "{a: x\n\ty\n, b: 1}" },
    { "a: b\n\t# a comment\nc: d\n", "{a: b, c: d}" },
    { "---\n", "~" },
    { "a: >\n", "{a: }" },
    { "a: |\n", "{a: }" },
    { "a: >-\nb: >\n", "{a: , b: }" },
};

START_TEST(a_file_becomes_this_tree)
{
    const struct node *root = parse(trees[_i].file);
    if (trees[_i].tree == NULL) {
        ck_assert_ptr_null(root);
        return;
    }
    ck_assert_msg(root != NULL, "not parsed: %s", trees[_i].file);
    show(root);
    ck_assert_str_eq(buffer_c_string(&shown), trees[_i].tree);
    ck_assert_uint_eq(diagnostics.count, 0);
}
END_TEST

START_TEST(what_is_empty_stands_behind_its_sign)
{
    const struct node *root = parse("ab:\nlist:\n  -\n");
    const struct node *value = node_get(root, "ab");
    ck_assert(value->is_empty);
    ck_assert_uint_eq(value->place.offset, 3);
    const struct node *item = node_get(root, "list")->items[0];
    ck_assert(item->is_empty);
    ck_assert_uint_eq(item->place.offset, 13);
}
END_TEST

START_TEST(collections_stand_where_they_begin)
{
    const struct node *root = parse("a: {x: [1,\n  2]}\nb:\n  - y: 1\n    z: 2\n");
    const struct node *flow = node_get(root, "a");
    ck_assert_uint_eq(flow->place.offset, 3);
    ck_assert_uint_eq(flow->place.length, 13);
    const struct node *list = node_get(root, "b");
    ck_assert_uint_eq(list->place.offset, 22);
    ck_assert_uint_eq(list->place.length, 6);
    ck_assert_uint_eq(list->items[0]->place.offset, 24);
    ck_assert_uint_eq(list->items[0]->place.length, 4);
}
END_TEST

START_TEST(lesser_faults_leave_a_tree)
{
    const struct node *root = parse("a: 1\na: 2\nb: !x y\nc: {<<: 3, d: 4}\n");
    ck_assert_ptr_nonnull(root);
    show(root);
    ck_assert_str_eq(buffer_c_string(&shown), "{a: 1, b: y, c: {d: 4}}");
    ck_assert_uint_eq(diagnostics.error_count, 3);
}
END_TEST

/* ---- limits ---------------------------------------------------------------------------------- */

static void expect_fault(const char *part)
{
    ck_assert_uint_eq(diagnostics.error_count, 1);
    ck_assert_msg(strstr(diagnostics.list[0].message, part) != NULL, "'%s' is not in '%s'", part,
                  diagnostics.list[0].message);
}

/* `count` levels of flow lists. */
static const char *nested(size_t count)
{
    char *text = arena_alloc(&arena, count * 2 + 8);
    memset(text, '[', count);
    memset(text + count, ']', count);
    text[count * 2] = '\0';
    return text;
}

START_TEST(a_hundred_levels_are_enough)
{
    ck_assert_ptr_nonnull(parse(nested(YAML_MAX_DEPTH)));
    ck_assert_ptr_null(parse(nested(YAML_MAX_DEPTH + 1)));
    expect_fault("100 levels");
}
END_TEST

START_TEST(an_alias_brings_its_levels_along)
{
    char *text = arena_printf(&arena, "a: &a %s\nb: %.*s*a%.*s\n", nested(60), 50, nested(50), 50,
                              nested(50) + 50);
    ck_assert_ptr_null(parse(text));
    expect_fault("100 levels");
}
END_TEST

START_TEST(aliases_cannot_multiply_beyond_the_limit)
{
    ck_assert_ptr_null(parse("a: &a [x,x,x,x,x,x,x,x,x,x]\n"
                             "b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
                             "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
                             "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
                             "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n"
                             "f: [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"));
    expect_fault("100,000");
}
END_TEST

static const char *items(size_t count)
{
    char *text = arena_alloc(&arena, count * 4 + 1);
    for (size_t i = 0; i < count; i++) {
        memcpy(text + i * 4, "- x\n", 4);
    }
    text[count * 4] = '\0';
    return text;
}

START_TEST(a_hundred_thousand_nodes_are_read_and_one_more_is_not)
{
    ck_assert_ptr_nonnull(parse(items(YAML_MAX_NODES - 1)));
    ck_assert_ptr_null(parse(items(YAML_MAX_NODES)));
    expect_fault("100,000");
}
END_TEST

START_TEST(four_mebibytes_are_read_and_one_byte_more_is_not)
{
    char *text = arena_alloc(&arena, YAML_MAX_BYTES + 2);
    memset(text, ' ', YAML_MAX_BYTES + 1);
    memcpy(text, "a: 1\n#", 6);
    ck_assert_ptr_nonnull(parse_bytes(text, YAML_MAX_BYTES));
    ck_assert_ptr_null(parse_bytes(text, YAML_MAX_BYTES + 1));
    expect_fault("4 MiB");
}
END_TEST

START_TEST(a_map_with_many_keys_is_read_in_time)
{
    enum { KEYS = 40000 };
    for (size_t i = 0; i < KEYS; i++) {
        ck_assert_int_eq(buffer_printf(&shown, "k%zu: v\n", i), WEIR_OK);
    }
    ck_assert_int_eq(buffer_text(&shown, "k7: w\n"), WEIR_OK);
    const struct node *root = parse_bytes((const char *)shown.data, shown.size);
    ck_assert_ptr_nonnull(root);
    ck_assert_uint_eq(root->count, KEYS);
    expect_fault("key 'k7' stands here a second time, after line 8");
}
END_TEST

Suite *suite(void)
{
    TCase *cases = tcase_create("yaml");
    tcase_add_checked_fixture(cases, set_up_shown, tear_down_shown);
    tcase_add_loop_test(cases, a_file_becomes_this_tree, 0, sizeof trees / sizeof trees[0]);
    tcase_add_test(cases, what_is_empty_stands_behind_its_sign);
    tcase_add_test(cases, collections_stand_where_they_begin);
    tcase_add_test(cases, lesser_faults_leave_a_tree);
    tcase_add_test(cases, a_hundred_levels_are_enough);
    tcase_add_test(cases, an_alias_brings_its_levels_along);
    tcase_add_test(cases, aliases_cannot_multiply_beyond_the_limit);
    tcase_add_test(cases, a_hundred_thousand_nodes_are_read_and_one_more_is_not);
    tcase_add_test(cases, four_mebibytes_are_read_and_one_byte_more_is_not);
    tcase_add_test(cases, a_map_with_many_keys_is_read_in_time);
    Suite *made = suite_create("yaml");
    suite_add_tcase(made, cases);
    return made;
}
