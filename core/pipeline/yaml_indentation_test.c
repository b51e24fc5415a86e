/* SPDX-License-Identifier: MIT */
/* Which line is to blame where the one marked with ! does not fit; the answer is marked with ?. */
#include "pipeline/yaml_indentation.h"

#include "unit.h"

static const char *const blamed[] = {
    /* the first entry, moved */
    "a:\n   ?b:\n    c: 1\n  !d:\n    e: 1\n",
    "a:\n    ?b:\n    c: 1\n  !d:\n    e: 1\n",
    "  ?a: 1\n!b: 2\n",
    /* the line above it, dropped */
    "a:\n  b: 1\n  c:\n      ?d: 1\n    !- e\n    - f\n",
    /* the line that entries hang on, moved to the left */
    "a:\n ?b:\n    c: 1\n  !d:\n    e: 1\n",
    "a:\n  s:\n  ?- b:\n        c: 1\n    !- d: 1\n",
    /* comments and empty lines are none */
    "a:\n# x\n\n    # y\n    ?b: 1\n    c: 1\n  # z\n  !d:\n    e: 1\n  f:\n    g: 1\n",
};

/* Nobody else than the line itself. */
static const char *const own_fault[] = {
    "a:\n  b: 1\n !c: 2\n",
    "a:\n  - b:\n      c: 1\n    !- d: 1\n",
    "a:\n  b:\n    c: 1\n   !d: 1\n",
    "!a: 1\n",
    "\n\n!a: 1\n",
    " # only a comment\n!a: 1\n",
};

/* The text without its marks; where they stood. */
static size_t unmarked(const char *marked, char *text, size_t *at, size_t *wrong)
{
    size_t size = 0;
    *wrong = SIZE_MAX;
    for (; *marked != '\0'; marked++) {
        if (*marked == '!') {
            *at = size;
        } else if (*marked == '?') {
            *wrong = size;
        } else {
            text[size++] = *marked;
        }
    }
    return size;
}

START_TEST(an_earlier_line_is_blamed_for_a_later_one)
{
    char text[256];
    size_t at = 0;
    size_t expected = 0;
    size_t found = 0;
    size_t size = unmarked(blamed[_i], text, &at, &expected);
    ck_assert_msg(indentation_find_wrong_line(text, size, at, &found), "%s", blamed[_i]);
    ck_assert_msg(found == expected, "%s: %zu, not %zu", blamed[_i], found, expected);
}
END_TEST

START_TEST(a_line_that_fits_to_nothing_is_wrong_itself)
{
    char text[256];
    size_t at = 0;
    size_t expected = 0;
    size_t found = 0;
    size_t size = unmarked(own_fault[_i], text, &at, &expected);
    ck_assert_msg(!indentation_find_wrong_line(text, size, at, &found), "%s: %zu", own_fault[_i],
                  found);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("yaml indentation");
    TCase *tcase = tcase_create("all");
    tcase_add_loop_test(tcase, an_earlier_line_is_blamed_for_a_later_one, 0,
                        sizeof blamed / sizeof blamed[0]);
    tcase_add_loop_test(tcase, a_line_that_fits_to_nothing_is_wrong_itself, 0,
                        sizeof own_fault / sizeof own_fault[0]);
    suite_add_tcase(made, tcase);
    return made;
}
