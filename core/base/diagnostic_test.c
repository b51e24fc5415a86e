/* SPDX-License-Identifier: MIT */
/* Diagnostics: collecting, order, and what is shown of them. */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/document.h"
#include "base/memory.h"
#include "unit.h"

static struct arena arena;
static struct diagnostics list;
static weir_buffer out;

static void start(void)
{
    arena_init(&arena, 0);
    diagnostics_init(&list, &arena);
    buffer_init(&out, 1 << 20);
}

static void finish(void)
{
    memory_fail_from(0);
    diagnostics_deinit(&list);
    arena_deinit(&arena);
    buffer_deinit(&out);
}

static struct document_file file_of(const char *name, const char *text)
{
    return (struct document_file){ name, text, strlen(text) };
}

static struct place place_of(const struct document_file *file, const char *marked)
{
    const char *found = strstr(file->text, marked);
    ck_assert_ptr_nonnull(found);
    return (struct place){ file, (uint32_t)(found - file->text), (uint32_t)strlen(marked) };
}

/* ---- collecting -------------------------------------------------------------------------------- */

START_TEST(equal_ones_are_kept_once)
{
    struct document_file file = file_of("a", "x y");
    struct place x = { &file, 0, 1 };
    diagnostics_add(&list, SEVERITY_ERROR, x, "field '%s'", "x");
    diagnostics_add(&list, SEVERITY_ERROR, x, "field '%s'", "x");
    diagnostics_add(&list, SEVERITY_WARNING, x, "field '%s'", "x");
    diagnostics_add(&list, SEVERITY_ERROR, x, "field '%s'", "y");
    diagnostics_add(&list, SEVERITY_ERROR, (struct place){ &file, 2, 1 }, "field '%s'", "x");
    diagnostics_add(&list, SEVERITY_ERROR, (struct place){ &file, 0, 2 }, "field '%s'", "x");
    ck_assert_uint_eq(list.count, 5);
    ck_assert_uint_eq(list.error_count, 4);
    ck_assert_uint_eq(list.warning_count, 1);
    ck_assert(!list.is_out_of_memory);
}
END_TEST

START_TEST(they_are_sorted_by_file_and_place_and_else_stay_in_order)
{
    struct document_file first = file_of("z", "0123456789");
    struct document_file second = file_of("a", "0123456789");
    diagnostics_add(&list, SEVERITY_ERROR, (struct place){ &first, 7, 1 }, "2");
    diagnostics_add(&list, SEVERITY_ERROR, (struct place){ &second, 1, 1 }, "4");
    diagnostics_add(&list, SEVERITY_ERROR, (struct place){ &first, 7, 2 }, "3");
    diagnostics_add(&list, SEVERITY_WARNING, (struct place){ &first, 2, 1 }, "1");
    diagnostics_add(&list, SEVERITY_ERROR, (struct place){ 0 }, "5");
    diagnostics_add(&list, SEVERITY_ERROR, (struct place){ 0 }, "6");
    diagnostics_sort(&list);
    for (size_t i = 0; i < list.count; i++) {
        ck_assert_int_eq(list.list[i].message[0], (int)('1' + i));
    }
}
END_TEST

START_TEST(thousands_are_added_and_sorted_quickly)
{
    enum { MANY = 20000 };
    struct document_file file = file_of("a", "");
    for (uint32_t i = 0; i < MANY; i++) {
        diagnostics_add(&list, SEVERITY_ERROR, (struct place){ &file, MANY - i, 1 }, "m");
        diagnostics_add(&list, SEVERITY_ERROR, (struct place){ &file, MANY - i, 1 }, "m");
    }
    diagnostics_sort(&list);
    ck_assert_uint_eq(list.count, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        ck_assert_uint_eq(list.list[i].place.offset, i + 1);
    }
}
END_TEST

START_TEST(no_memory_is_noted_and_what_is_there_stays)
{
    struct document_file file = file_of("a", "x");
    struct place x = { &file, 0, 1 };
    for (size_t k = 1;; k++) {
        struct diagnostics tried;
        struct arena small;
        arena_init(&small, 0);
        diagnostics_init(&tried, &small);
        memory_fail_from(k);
        diagnostics_add(&tried, SEVERITY_ERROR, x, "m");
        memory_fail_from(0);
        ck_assert_uint_eq(tried.count, tried.is_out_of_memory ? 0 : 1);
        ck_assert_uint_eq(tried.error_count, tried.count);
        bool is_done = !tried.is_out_of_memory;
        diagnostics_deinit(&tried);
        arena_deinit(&small);
        if (is_done) {
            ck_assert_uint_ge(k, 5);
            break;
        }
    }
}
END_TEST

/* ---- showing ----------------------------------------------------------------------------------- */

static const char *show(struct place place, const char *message)
{
    struct diagnostic diagnostic = { .severity = SEVERITY_ERROR,
                                     .place = place,
                                     .message = message };
    buffer_clear(&out);
    diagnostic_write(&diagnostic, false, &out);
    return buffer_c_string(&out);
}

START_TEST(the_caret_stands_under_the_place)
{
    struct document_file file =
        file_of("pipeline.yaml", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\n"
                                 "      - filter: temprature > 90 and site in [\"A\", \"B\"]\nn\n");
    ck_assert_str_eq(
        show(place_of(&file, "temprature"), "field 'temprature' is not declared; did you mean?"),
        "pipeline.yaml:14:17: error: field 'temprature' is not declared; did you mean?\n"
        "   14 |       - filter: temprature > 90 and site in [\"A\", \"B\"]\n"
        "      |                 ^~~~~~~~~~\n");
}
END_TEST

START_TEST(without_a_file_there_is_only_the_message)
{
    ck_assert_str_eq(show((struct place){ 0 }, "no such option"), "error: no such option\n");
}
END_TEST

START_TEST(tabs_stay_tabs_and_code_points_count_once)
{
    struct document_file file = file_of("f", "\tt\xc3\xa9mp:\t\xe2\x82\xacx y\r\nz");
    ck_assert_str_eq(show(place_of(&file, "\xe2\x82\xacx"), "m"),
                     "f:1:8: error: m\n"
                     "    1 | \tt\xc3\xa9mp:\t\xe2\x82\xacx y\n"
                     "      | \t     \t^~\n");
}
END_TEST

static const struct {
    const char *text;
    uint32_t offset;
    uint32_t length;
    const char *shown;
} rims[] = {
    { "", 0, 0, "f:1:1: error: m\n    1 | \n      | ^\n" },
    { "abc", 3, 0, "f:1:4: error: m\n    1 | abc\n      |    ^\n" },
    { "abc", 99, 5, "f:1:4: error: m\n    1 | abc\n      |    ^\n" },
    { "abc", 1, 0, "f:1:2: error: m\n    1 | abc\n      |  ^\n" },
    { "abc", 1, 99, "f:1:2: error: m\n    1 | abc\n      |  ^~\n" },
    { "abc\ndef\n", 1, 5, "f:1:2: error: m\n    1 | abc\n      |  ^~\n" },
    { "abc\ndef\n", 3, 1, "f:1:4: error: m\n    1 | abc\n      |    ^\n" },
    { "abc\n", 4, 0, "f:2:1: error: m\n    2 | \n      | ^\n" },
    { "a\x1b[2J", 0, 1, "f:1:1: error: m\n    1 | a\xef\xbf\xbd[2J\n      | ^\n" },
};

START_TEST(places_at_the_rim_are_shown)
{
    struct document_file file = file_of("f", rims[_i].text);
    ck_assert_str_eq(show((struct place){ &file, rims[_i].offset, rims[_i].length }, "m"),
                     rims[_i].shown);
}
END_TEST

/* The excerpt's line and caret line of a place in a line of 300 numbered columns. */
static void excerpt_of(uint32_t offset, uint32_t length, char *line, char *caret)
{
    static char text[301];
    for (size_t i = 0; i < 300; i++) {
        text[i] = (char)('a' + i % 26);
    }
    struct document_file file = file_of("f", text);
    const char *shown = strchr(show((struct place){ &file, offset, length }, "m"), '\n') + 1;
    const char *end = strchr(shown, '\n');
    snprintf(line, 200, "%.*s", (int)(end - shown - 8), shown + 8);
    snprintf(caret, 200, "%.*s", (int)strcspn(end + 1, "\n") - 8, end + 9);
}

START_TEST(long_lines_are_cut_around_the_caret)
{
    char line[200];
    char caret[200];
    for (uint32_t offset = 0; offset < 300; offset++) {
        excerpt_of(offset, 5, line, caret);
        size_t at = strcspn(caret, "^");
        ck_assert_uint_eq(strlen(line), 100);
        ck_assert_int_eq(line[at], (int)('a' + offset % 26));
        ck_assert_uint_le(strlen(caret), 100);
        ck_assert(offset <= 43 || strncmp(line, "...", 3) == 0);
        ck_assert(offset > 200 || strcmp(line + 97, "...") == 0);
        ck_assert(offset < 4 || line[at - 1] == (char)('a' + (offset - 1) % 26));
    }
}
END_TEST

START_TEST(a_long_place_is_marked_to_the_end_of_the_excerpt)
{
    char line[200];
    char caret[200];
    excerpt_of(100, 150, line, caret);
    ck_assert_uint_eq(strlen(caret), 100);
    ck_assert_uint_eq(strcspn(caret, "^"), 40);
}
END_TEST

START_TEST(colour_is_put_around_and_changes_no_text)
{
    struct document_file file = file_of("f", "abc");
    struct diagnostic diagnostic = { SEVERITY_WARNING, { &file, 1, 1 }, "m", 0, 0, NULL };
    diagnostic_write(&diagnostic, true, &out);
    ck_assert_str_eq(buffer_c_string(&out),
                     "\033[1mf:1:2:\033[0m \033[35;1mwarning:\033[0m \033[1mm\033[0m\n"
                     "    1 | abc\n"
                     "      |  \033[32;1m^\033[0m\n");
}
END_TEST

START_TEST(json_has_the_place_or_nulls)
{
    struct document_file file = file_of("a \"b\"", "x\nh\xc3\xa9llo");
    struct diagnostic diagnostic = {
        SEVERITY_WARNING, place_of(&file, "\xc3\xa9l"), "say \"no\"", 0, 0, NULL
    };
    diagnostic_write_json(&diagnostic, &out);
    ck_assert_str_eq(buffer_c_string(&out),
                     "{\"severity\":\"warning\",\"file\":\"a \\\"b\\\"\",\"line\":2,\"column\":2,"
                     "\"length\":2,\"message\":\"say \\\"no\\\"\"}");
    buffer_clear(&out);
    diagnostic = (struct diagnostic){ SEVERITY_ERROR, { 0 }, "m", 0, 0, NULL };
    diagnostic_write_json(&diagnostic, &out);
    ck_assert_str_eq(buffer_c_string(&out), "{\"severity\":\"error\",\"file\":null,\"line\":null,"
                                            "\"column\":null,\"length\":null,\"message\":\"m\"}");
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("diagnostic");
    TCase *tests = tcase_create("diagnostic");
    tcase_add_checked_fixture(tests, start, finish);
    tcase_add_test(tests, equal_ones_are_kept_once);
    tcase_add_test(tests, they_are_sorted_by_file_and_place_and_else_stay_in_order);
    tcase_add_test(tests, thousands_are_added_and_sorted_quickly);
    tcase_add_test(tests, no_memory_is_noted_and_what_is_there_stays);
    tcase_add_test(tests, the_caret_stands_under_the_place);
    tcase_add_test(tests, without_a_file_there_is_only_the_message);
    tcase_add_test(tests, tabs_stay_tabs_and_code_points_count_once);
    tcase_add_loop_test(tests, places_at_the_rim_are_shown, 0, sizeof rims / sizeof rims[0]);
    tcase_add_test(tests, long_lines_are_cut_around_the_caret);
    tcase_add_test(tests, a_long_place_is_marked_to_the_end_of_the_excerpt);
    tcase_add_test(tests, colour_is_put_around_and_changes_no_text);
    tcase_add_test(tests, json_has_the_place_or_nulls);
    suite_add_tcase(suite, tests);
    return suite;
}
