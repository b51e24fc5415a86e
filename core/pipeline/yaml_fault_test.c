/* SPDX-License-Identifier: MIT */
/*
 * Faults of YAML as a user sees them: the place, and words that tell what is wrong.
 */
#include "pipeline/yaml_fault.h"

#include <string.h>

#include "pipeline/yaml_fixture.h"

static const struct {
    const char *file;
    uint32_t line;
    uint32_t column;
    const char *part; /* of the message */
} faults[] = {
    /* indentation */
    { "a: 1\n\tb: 2\n", 2, 1, "a tab indents this line" },
    { "a:\n  \tb: 2\n", 2, 3, "a tab indents this line" },
    { "a: |\n\tx\n", 2, 1, "a tab indents this line" },
    { "a: [\n\t1]\n", 2, 1, "a tab indents this line" },
    { "a: 1\n b: 2\n", 2, 2, "continues the value above" },
    { "a:\n  b: 1\n c: 2\n", 3, 2, "indented unlike" },
    { "a:\n  - x\n y: 1\n", 3, 2, "indented unlike" },
    { "a: |\n  x\n y\n", 3, 2, "indented unlike" },
    { "- a\nb: c\n", 2, 1, "indented unlike" },
    { "a:\n  b:\n    c: 1\n d: 2\n", 4, 2, "this line is indented unlike" },
    /* not the line that the parser stops at, but the one that was moved */
    { "a:\n   b:\n    c: 1\n  d:\n    e: 1\n", 2, 4, "this line and line 4 belong to one map" },
    { "a:\n    b:\n    c: 1\n  d:\n    e: 1\n", 2, 5, "this line and line 4 belong to one map" },
    { "a:\n  # of b\n\n    c: 1\n    d: 1\n  e:\n    f: 1\n  g: 1\n", 4, 5,
      "this line and line 6 belong to one map" },
    { "a:\n  b: 1\n  s:\n      c: 1\n    - set:\n    - set:\n", 4, 7, "this line and line 5" },
    { "a:\n b:\n    c: 1\n  d:\n    e: 1\n", 2, 2, "this line and line 4 belong to one map" },
    { "a:\n  - b:\n      c: 1\n    - d: 1\n", 4, 5, "this line is indented unlike" },
    { "a:\n  s:\n  - b:\n        c: 1\n    - d: 1\n", 3, 3, "this line and line 5 belong to one" },
    { "  a: 1\nb: 2\nc:\n  d: 1\n", 1, 3, "this line and line 2 belong to one map" },
    { "a: [1,\n2]\n", 2, 1, "indented deeper" },
    { "a: 1\nb\nc: 3\n", 2, 1, "no 'NAME: VALUE'" },
    { "x:\n  a:b\n  c: d\n", 2, 3, "no 'NAME: VALUE'" },
    /* what is not closed, or too much */
    { "a: [1, 2\nb: 3\n", 1, 4, "'[' that opens here is never closed" },
    { "a: {x: 1\n", 1, 4, "'{' that opens here is never closed" },
    { "a: \"abc\nb: 2\n", 1, 4, "quote that opens here is not closed" },
    { "a: 'abc\nb: 2\n", 1, 4, "quote that opens here is not closed" },
    { "a: [\"abc\n", 1, 5, "quote that opens here is not closed" },
    { "a: ]\n", 1, 4, "']' closes nothing" },
    { "a: {b: 1}}\n", 1, 10, "'}' closes nothing" },
    { "a: [1, {x: 2]\n", 1, 13, "']' does not close" },
    { "a: {b: 1,, c: 2}\n", 1, 10, "an entry is missing" },
    { "a: {x: 1\nb: 2}\n", 1, 4, "not closed before the ':' of line 2" },
    { "a: {x: 1 'y': 2}\n", 1, 13, "a second ': '" },
    /* signs that YAML and expressions both claim */
    { "a: {b: x[0]}\n", 1, 9, "'[' cannot stand inside of a plain value" },
    { "a: {b: c in [1, 2]}\n", 1, 13, "'[' cannot stand inside of a plain value" },
    { "a: {url: ${URL}}\n", 1, 11, "'{' cannot stand inside of a plain value" },
    { "a: [a[0]]\n", 1, 6, "'[' cannot stand inside of a plain value" },
    { "a: \"Hello \" + name\n", 1, 13, "whole value in single quotes" },
    { "a: 'JFK' == x\n", 1, 10, "whole value in double quotes" },
    { "a: {b: \"x\" y}\n", 1, 12, "whole value in the other quotes" },
    { "a: [1, 2][0]\n", 1, 10, "the list ends at the ']' before this" },
    { "a: {b: 1}.c\n", 1, 10, "the map ends at the '}' before this" },
    { "a: format(\"a: {}\", b)\n", 1, 13, "': ' makes a map of this value" },
    { "a: a[1: 3]\n", 1, 7, "': ' makes a map of this value" },
    { "a: f({a: 1})\n", 1, 8, "': ' makes a map of this value" },
    { "log: memory:\n", 1, 12, "a ':' at the end" },
    { "a: !late\n", 1, 4, "'not late'" },
    { "a: !!int 5\n", 1, 4, "is a tag" },
    { "a: - y\n", 1, 4, "'- ' begins a list item" },
    { "a: > 5\n", 1, 4, "'>' begins a text" },
    { "a: *a\n", 1, 4, "alias '*a' has no anchor" },
    { "a: %a\n", 1, 4, "cannot begin with '%'" },
    { "a: @a\n", 1, 4, "cannot begin with '@'" },
    { "a: `a`\n", 1, 4, "cannot begin with '`'" },
    { "a: \"\\q\"\n", 1, 5, "is no escape" },
    { "a: \"\\x4\"\n", 1, 5, "lacks digits" },
    /* keys, aliases, documents, text */
    { "a: 1\nb: 2\na: 3\n", 3, 1, "key 'a' stands here a second time, after line 1" },
    { "a: 1\n\"a\": 3\n", 2, 1, "a second time" },
    { "a: {<<: {x: 1}, <<: {y: 1}}\n", 1, 17, "'<<' stands here a second time" },
    { "a: &x 3\nb:\n  <<: *x\n", 3, 3, "'<<' takes a map" },
    { "? [a]\n: b\n", 1, 3, "a key must be a text" },
    { ": b\n", 1, 1, "a key is missing" },
    { "a: &x\n  b: *x\n", 2, 6, "cannot contain itself" },
    { "a: 1\n---\nb: 2\n", 2, 1, "a second document" },
    { "%YAML 1.1\n---\na: 1\n", 1, 1, "YAML 1.2" },
    { "a: \xff\n", 1, 4, "not UTF-8 (byte 0xff)" },
    { "\xff\xfe"
      "a",
      1, 1, "not UTF-8" },
    { "a: \x01\n", 1, 4, "U+0001" },
    { "", 1, 1, "the file is empty" },
    { "# only a comment\n", 1, 1, "the file is empty" },
};

START_TEST(a_fault_has_its_place_and_words)
{
    (void)parse(faults[_i].file);
    ck_assert_msg(diagnostics.count == 1, "%zu faults in: %s", diagnostics.count, faults[_i].file);
    const struct diagnostic *fault = &diagnostics.list[0];
    ck_assert_int_eq(fault->severity, SEVERITY_ERROR);
    ck_assert_msg(strstr(fault->message, faults[_i].part) != NULL, "'%s' is not in: %s",
                  faults[_i].part, fault->message);
    struct document_position position = document_position(fault->place);
    ck_assert_uint_eq(position.line, faults[_i].line);
    ck_assert_uint_eq(position.column, faults[_i].column);
}
END_TEST

/* What the parser says and nobody has foreseen is passed on. */
START_TEST(an_unknown_fault_keeps_the_words_of_the_parser)
{
    const struct document_file file = { "t.yaml", "abc", 3 };
    struct yaml_tree tree;
    yaml_tree_init(&tree, &file, &arena, &diagnostics);
    yaml_fault_report(&tree, "something new", 1, 99);
    ck_assert(tree.is_broken);
    ck_assert_str_eq(diagnostics.list[0].message, "the YAML cannot be read: something new");
    ck_assert_uint_eq(diagnostics.list[0].place.offset, 1);
    ck_assert_uint_eq(diagnostics.list[0].place.length, 2);
    yaml_tree_deinit(&tree);
}
END_TEST

Suite *suite(void)
{
    TCase *cases = tcase_create("faults");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_loop_test(cases, a_fault_has_its_place_and_words, 0,
                        sizeof faults / sizeof faults[0]);
    tcase_add_test(cases, an_unknown_fault_keeps_the_words_of_the_parser);
    Suite *made = suite_create("yaml faults");
    suite_add_tcase(made, cases);
    return made;
}
