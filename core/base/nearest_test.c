/* SPDX-License-Identifier: MIT */
/* Suggestions: what is near enough and what is nearest. */
#include "base/nearest.h"

#include <string.h>

#include "unit.h"

static const char *find(const char *wanted, const char *const *names)
{
    struct nearest search;
    nearest_start(&search, wanted, strlen(wanted));
    for (; *names != NULL; names++) {
        nearest_offer(&search, *names);
    }
    return nearest_found(&search);
}

static const struct {
    const char *wanted;
    const char *name;
    int is_near;
} pairs[] = {
    { "temprature", "temperature", 1 }, /* one letter is missing */
    { "fitler", "filter", 1 },          /* a swap is one edit */
    { "filtre", "filter", 1 },
    { "sett", "set", 1 },
    { "st", "set", 1 },
    { "abcd", "abcx", 1 },
    { "abcd", "abxy", 0 },     /* two edits of four letters */
    { "abcdef", "abcdxy", 1 }, /* two of six */
    { "abcdef", "abcxyz", 0 }, /* three of six */
    { "abcdefghi", "abcdefxyz", 1 },
    { "abcdefghijklmnop", "abcdefghijklwxyz", 0 }, /* never more than three */
    { "AND", "and", 1 },                           /* case alone costs nothing */
    { "Temperature", "temperature", 1 },
    { "filter", "map", 0 },
};

START_TEST(edits_are_counted_against_the_length)
{
    const char *names[] = { pairs[_i].name, NULL };
    const char *found = find(pairs[_i].wanted, names);
    ck_assert_msg((found != NULL) == (pairs[_i].is_near != 0), "%s / %s", pairs[_i].wanted,
                  pairs[_i].name);
}
END_TEST

START_TEST(the_nearest_wins_and_of_equals_the_first)
{
    const char *names[] = { "temporal", "temperatures", "temperature", "temperaturf", NULL };
    ck_assert_str_eq(find("temperatur", names), "temperature");
    const char *equals[] = { "seta", "setb", NULL };
    ck_assert_str_eq(find("setx", equals), "seta");
}
END_TEST

START_TEST(nothing_offered_nothing_found)
{
    const char *names[] = { NULL };
    ck_assert_ptr_null(find("x", names));
}
END_TEST

START_TEST(very_long_names_are_left_out)
{
    char wanted[300];
    char name[302];
    memset(wanted, 'a', sizeof wanted - 1);
    wanted[sizeof wanted - 1] = '\0';
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    const char *names[] = { name, "a", NULL };
    ck_assert_ptr_null(find(wanted, names));
    ck_assert_str_eq(find("b", names), "a");
}
END_TEST

START_TEST(the_wanted_text_needs_no_end)
{
    struct nearest search;
    nearest_start(&search, "setting", 3);
    nearest_offer(&search, "set");
    ck_assert_str_eq(nearest_found(&search), "set");
    ck_assert_uint_eq(search.best_distance, 0);
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("nearest");
    TCase *tests = tcase_create("nearest");
    tcase_add_loop_test(tests, edits_are_counted_against_the_length, 0,
                        sizeof pairs / sizeof pairs[0]);
    tcase_add_test(tests, the_nearest_wins_and_of_equals_the_first);
    tcase_add_test(tests, nothing_offered_nothing_found);
    tcase_add_test(tests, very_long_names_are_left_out);
    tcase_add_test(tests, the_wanted_text_needs_no_end);
    suite_add_tcase(suite, tests);
    return suite;
}
