/* SPDX-License-Identifier: MIT */
/* Nodes, places and positions of a document. */
#include "base/document.h"

#include <string.h>

#include "unit.h"

static struct document_file file_of(const char *text)
{
    return (struct document_file){ "pipeline.yaml", text, strlen(text) };
}

static struct node scalar_of(const struct document_file *file, uint32_t offset, const char *text)
{
    size_t len = strlen(text);
    return (struct node){
        .kind = NODE_SCALAR, .text = text, .text_len = len, .place = { file, offset, (uint32_t)len }
    };
}

START_TEST(members_are_found_by_key)
{
    struct node key = scalar_of(NULL, 0, "size");
    struct node other = scalar_of(NULL, 0, "siz");
    struct node value = scalar_of(NULL, 0, "5s");
    struct node_pair pairs[] = { { &other, &key }, { &key, &value } };
    struct node map = { .kind = NODE_MAP, .pairs = pairs, .count = 2 };
    ck_assert_ptr_eq(node_get(&map, "size"), &value);
    ck_assert_ptr_eq(node_get(&map, "siz"), &key);
    ck_assert_ptr_null(node_get(&map, "sizes"));
    ck_assert_ptr_null(node_get(&value, "size"));
    ck_assert_ptr_null(node_get(NULL, "size"));
    ck_assert(node_is(&value, "5s"));
    ck_assert(!node_is(&value, "5"));
    ck_assert(!node_is(&map, ""));
    ck_assert(!node_is(NULL, ""));
}
END_TEST

START_TEST(places_inside_a_plain_scalar_are_counted_from_its_own)
{
    struct document_file file = file_of("a: b + c\n");
    struct node scalar = scalar_of(&file, 3, "b + c");
    struct place place = node_text_place(&scalar, 4, 5);
    ck_assert_ptr_eq(place.file, &file);
    ck_assert_uint_eq(place.offset, 7);
    ck_assert_uint_eq(place.length, 1);
    place = node_text_place(&scalar, 4, 99);
    ck_assert_uint_eq(place.offset, 7);
    ck_assert_uint_eq(place.length, 1);
    place = node_text_place(&scalar, 99, 3);
    ck_assert_uint_eq(place.length, 0);
}
END_TEST

START_TEST(places_inside_an_escaped_scalar_follow_the_offsets)
{
    struct document_file file = file_of("a: \"b\\n+ c\"\n");
    static const uint32_t offsets[] = { 4, 5, 7, 8, 9, 10 };
    struct node scalar = scalar_of(&file, 3, "b\n+ c");
    scalar.offsets = offsets;
    scalar.place.length = 8;
    struct place place = node_text_place(&scalar, 1, 2);
    ck_assert_uint_eq(place.offset, 5);
    ck_assert_uint_eq(place.length, 2);
    place = node_text_place(&scalar, 4, 5);
    ck_assert_uint_eq(place.offset, 9);
    ck_assert_uint_eq(place.length, 1);
    place = node_text_place(&scalar, 5, 5);
    ck_assert_uint_eq(place.offset, 10);
    ck_assert_uint_eq(place.length, 0);
}
END_TEST

START_TEST(a_node_without_a_file_has_no_place_inside)
{
    struct node scalar = scalar_of(NULL, 0, "abc");
    ck_assert_ptr_null(node_text_place(&scalar, 1, 2).file);
}
END_TEST

static const struct {
    const char *text;
    uint32_t offset;
    uint32_t line;
    uint32_t column;
} positions[] = {
    { "", 0, 1, 1 },
    { "abc", 0, 1, 1 },
    { "abc", 2, 1, 3 },
    { "a\nbc", 1, 1, 2 },
    { "a\nbc", 2, 2, 1 },
    { "a\n\n\nbc", 5, 4, 2 },
    { "h\xc3\xa9llo x", 7, 1, 7 },
    { "a\r\nbc", 4, 2, 2 },
    { "abc", 99, 1, 4 },
    { "a\n", 2, 2, 1 },
    { "\tx", 1, 1, 2 },
};

START_TEST(positions_count_lines_and_code_points)
{
    struct document_file file = file_of(positions[_i].text);
    struct document_position position =
        document_position((struct place){ &file, positions[_i].offset, 1 });
    ck_assert_uint_eq(position.line, positions[_i].line);
    ck_assert_uint_eq(position.column, positions[_i].column);
}
END_TEST

START_TEST(no_file_no_position)
{
    struct document_position position = document_position((struct place){ 0 });
    ck_assert_uint_eq(position.line, 0);
    ck_assert_uint_eq(position.column, 0);
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("document");
    TCase *tests = tcase_create("document");
    tcase_add_test(tests, members_are_found_by_key);
    tcase_add_test(tests, places_inside_a_plain_scalar_are_counted_from_its_own);
    tcase_add_test(tests, places_inside_an_escaped_scalar_follow_the_offsets);
    tcase_add_test(tests, a_node_without_a_file_has_no_place_inside);
    tcase_add_loop_test(tests, positions_count_lines_and_code_points, 0,
                        sizeof positions / sizeof positions[0]);
    tcase_add_test(tests, no_file_no_position);
    suite_add_tcase(suite, tests);
    return suite;
}
