/* SPDX-License-Identifier: MIT */
/*
 * Places inside scalars, as they come out of yaml_parse: for every style the text, and where chosen
 * bytes of it stand in the file.
 */
#include "pipeline/scalar_text.h"

#include <string.h>

#include "pipeline/yaml_fixture.h"

/* The value of the key 'k' of a file. */
static const struct node *value_of(const char *file_text)
{
    const struct node *root = parse(file_text);
    ck_assert_msg(root != NULL, "not parsed: %s", file_text);
    const struct node *value = node_get(root, "k");
    ck_assert_ptr_nonnull(value);
    return value;
}

/*
 * file    the file
 * text    of the value under 'k'
 * marks   each letter here is looked up in the text, and its place in the file must hold the same
 *         letter: their order in the file is that of `marks`
 */
static const struct {
    const char *file;
    const char *text;
    const char *marks;
    enum node_style style;
} scalars[] = {
    { "k: abc\n", "abc", "abc", STYLE_PLAIN },
    { "k: a b\n   c\n\n   d\n", "a b c\nd", "abcd", STYLE_PLAIN },
    { "k:   a   # comment\n", "a", "a", STYLE_PLAIN },
    { "k: a\r\n   b\r\n", "a b", "ab", STYLE_PLAIN },
    { "k: 'a'\n", "a", "a", STYLE_SINGLE },
    { "k: 'a''b'\n", "a'b", "ab", STYLE_SINGLE },
    { "k: ' a\n  b\n\n  c '\n", " a b\nc ", "abc", STYLE_SINGLE },
    { "k: \"a\"\n", "a", "a", STYLE_DOUBLE },
    { "k: \"a\\tb\\u00e9c\\x41d\"\n",
      "a\tb\xc3\xa9"
      "cAd",
      "abcd", STYLE_DOUBLE },
    { "k: \"a\\\n   b\\\n\n   c\"\n", "ab\nc", "abc", STYLE_DOUBLE },
    { "k: \"a  \n  b\"\n", "a b", "ab", STYLE_DOUBLE },
    { "k: \"a\\ud83d\\ude00b\"\n",
      "a\xf0\x9f\x98\x80"
      "b",
      "ab", STYLE_DOUBLE },
    { "k: |\n  a\n   b\n\n  c\n", "a\n b\n\nc\n", "abc", STYLE_LITERAL },
    { "k: |-\n  a\n  b\n", "a\nb", "ab", STYLE_LITERAL },
    { "k: |+\n  a\n\n\n", "a\n\n\n", "a", STYLE_LITERAL },
    { "k: |2\n   a\n  b\n", " a\nb\n", "ab", STYLE_LITERAL },
    { "k: |\n\n\n  a\n", "\n\na\n", "a", STYLE_LITERAL },
    { "k: |  # | comment\n  a\n", "a\n", "a", STYLE_LITERAL },
    { "k: |\r\n  a\r\n  b\r\n", "a\nb\n", "ab", STYLE_LITERAL },
    { "k: >\n  a\n  b\n\n  c\n", "a b\nc\n", "abc", STYLE_FOLDED },
    { "k: >\n  a\n    b\n  c\n", "a\n  b\nc\n", "abc", STYLE_FOLDED },
    { "k: >-\n\n  a\n\n\n  b\n", "\na\n\nb", "ab", STYLE_FOLDED },
    { "k: >\n  a\n\n    b\n\n  c\n  d\n", "a\n\n  b\n\nc d\n", "abcd", STYLE_FOLDED },
    /* What the library's own text has wrong. */
    { "k: 'a == '''' or b'\n", "a == '' or b", "ab", STYLE_SINGLE },
    { "k: '''''''a'\n", "'''a", "a", STYLE_SINGLE },
    { "k: \"a\\ \n  b\"\n", "a  b", "ab", STYLE_DOUBLE },
    { "k: \"a\\t \n  b\"\n", "a\t b", "ab", STYLE_DOUBLE },
    { "k: \"a\\\\ \n  b\"\n", "a\\ b", "ab", STYLE_DOUBLE },
    { "k: \"a\\\\\\\n  b\"\n", "a\\b", "ab", STYLE_DOUBLE },
    { "k: \"a\\\n\n\n  b\"\n", "a\n\nb", "ab", STYLE_DOUBLE },
    { "k: \"\\L\\P\\L\\P\"\n", "\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xa8\xe2\x80\xa9", "",
      STYLE_DOUBLE },
    { "k: >\n  a\n\n    b\n", "a\n\n  b\n", "ab", STYLE_FOLDED },
    { "k: >-\n  a\n  \n  \tb\n", "a\n\n\tb", "ab", STYLE_FOLDED },
    { "k: |\n\n  \ta\n", "\n\ta\n", "a", STYLE_LITERAL },
    { "k: |2\n\n   \n\n", "\n \n", "", STYLE_LITERAL },
    { "k: |2-\n   a\n\n", " a", "a", STYLE_LITERAL },
    { "k: |+\n\n\n", "\n\n", "", STYLE_LITERAL },
    { "k: |\n\n\n", "", "", STYLE_LITERAL },
    { "k: |\n  a", "a", "a", STYLE_LITERAL },
};

START_TEST(text_bytes_stand_where_they_were_written)
{
    const struct node *node = value_of(scalars[_i].file);
    ck_assert_uint_eq(node->style, scalars[_i].style);
    ck_assert_uint_eq(node->text_len, strlen(scalars[_i].text));
    ck_assert_mem_eq(node->text, scalars[_i].text, node->text_len);
    uint32_t before = 0;
    for (const char *mark = scalars[_i].marks; *mark != '\0'; mark++) {
        size_t at = (size_t)(strchr(node->text, *mark) - node->text);
        struct place place = node_text_place(node, at, at + 1);
        ck_assert_int_eq(scalars[_i].file[place.offset], *mark);
        ck_assert_uint_ge(place.offset, before);
        before = place.offset;
    }
}
END_TEST

/* Every byte: its own in the file, a line break for a folded one, or the escape it came from. */
START_TEST(every_byte_has_a_place_that_explains_it)
{
    const struct node *node = value_of(scalars[_i].file);
    for (size_t i = 0; node->offsets != NULL && i < node->text_len; i++) {
        char in_file = scalars[_i].file[node->offsets[i]];
        char in_text = node->text[i];
        bool is_break = in_file == '\n' || in_file == '\r';
        bool is_folded = (in_text == ' ' || in_text == '\n') && is_break;
        ck_assert_msg(in_file == in_text || is_folded || in_file == '\\', "byte %zu of '%s'", i,
                      node->text);
        ck_assert_uint_le(node->offsets[i], node->offsets[i + 1]);
    }
}
END_TEST

START_TEST(a_caret_in_the_midst_of_a_folded_expression_points_into_its_line)
{
    static const char file[] = "k: >-\n"
                               "  delay > 15 and\n"
                               "  (origin == 'X')\n";
    const struct node *node = value_of(file);
    size_t at = (size_t)(strstr(node->text, "origin") - node->text);
    struct place place = node_text_place(node, at, at + 6);
    struct document_position position = document_position(place);
    ck_assert_uint_eq(position.line, 3);
    ck_assert_uint_eq(position.column, 4);
    ck_assert_uint_eq(place.length, 6);
}
END_TEST

/* The number in a header counts from the list or map that the text is in. */
START_TEST(an_indentation_that_is_given_counts_from_the_parent)
{
    static const struct {
        const char *file;
        const char *text;
    } cases[] = {
        { "k:\n- |2\n    a\n", "  a\n" },
        { "k:\n  - |2\n      a\n", "  a\n" },
        { "k:\n- - |1\n     a\n", "  a\n" },
    };
    const struct node *value = value_of(cases[_i].file);
    while (value->kind == NODE_LIST) {
        value = value->items[0];
    }
    ck_assert_str_eq(value->text, cases[_i].text);
}
END_TEST

/* Where an expression lacks something at its end, the caret stands behind its last word. */
START_TEST(the_end_of_a_block_scalar_is_that_of_its_last_line)
{
    static const char *const files[] = { "k: |\n  a +\nz: 1\n", "k: >\n  a +\nz: 1\n",
                                         "k: |-\n  a +\nz: 1\n" };
    const struct node *node = value_of(files[_i]);
    struct place place = node_text_place(node, node->text_len, node->text_len);
    ck_assert_uint_eq(document_position(place).line, 2);
    ck_assert_uint_eq(document_position(place).column, 6);
}
END_TEST

START_TEST(quotes_and_block_headers_belong_to_the_node)
{
    static const char quoted[] = "k: 'ab'\n";
    const struct node *node = value_of(quoted);
    ck_assert_uint_eq(node->place.offset, 3);
    ck_assert_uint_eq(node->place.length, 4);
    static const char block[] = "k: |-  # c\n  ab\n";
    node = value_of(block);
    ck_assert_uint_eq(node->place.offset, 3);
}
END_TEST

Suite *suite(void)
{
    enum { SCALARS = sizeof scalars / sizeof scalars[0] };
    TCase *cases = tcase_create("text");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_loop_test(cases, text_bytes_stand_where_they_were_written, 0, SCALARS);
    tcase_add_loop_test(cases, every_byte_has_a_place_that_explains_it, 0, SCALARS);
    tcase_add_test(cases, a_caret_in_the_midst_of_a_folded_expression_points_into_its_line);
    tcase_add_loop_test(cases, an_indentation_that_is_given_counts_from_the_parent, 0, 3);
    tcase_add_loop_test(cases, the_end_of_a_block_scalar_is_that_of_its_last_line, 0, 3);
    tcase_add_test(cases, quotes_and_block_headers_belong_to_the_node);
    Suite *made = suite_create("scalar text");
    suite_add_tcase(made, cases);
    return made;
}
