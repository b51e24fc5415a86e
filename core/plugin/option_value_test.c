/* SPDX-License-Identifier: MIT */
/* Options of one value: what each type reads and what is said of a value that is wrong. */
#include "plugin/option_sample.h"

START_TEST(fills_a_field_of_every_type)
{
    ck_assert(fill(map_of(
        14, "path", plain("a/b.jsonl"), "poll", plain("1m"), "format", plain("table"), "limit",
        quoted("3"), "max_line", plain("64KiB"), "since", plain("2026-01-01"), "ratio",
        plain("0.25"), "follow", plain("true"), "magic", plain("hex:00fF"), "token",
        plain("${HOST}"), "columns", list_of(2, plain("a"), plain("b")), "bounds",
        list_of(2, plain("1"), plain("2")), "labels", map_of(2, "k", plain("v"), "l", quoted("")),
        "retry", map_of(1, "count", plain("4")))));
    expect_silence();
    ck_assert_str_eq(config.path.data, "/pipes/a/b.jsonl");
    ck_assert_uint_eq(config.path.size, strlen("/pipes/a/b.jsonl"));
    ck_assert_int_eq(config.poll_ms, 60000);
    ck_assert_int_eq(config.format, 0);
    ck_assert_int_eq(config.limit, 3);
    ck_assert_int_eq(config.max_line, 65536);
    ck_assert_int_eq(config.since_ms, 1767225600000);
    ck_assert_double_eq(config.ratio, 0.25);
    ck_assert_int_eq(config.follow, 1);
    ck_assert_uint_eq(config.magic.size, 2);
    ck_assert_mem_eq(config.magic.data, "\x00\xff", 2);
    ck_assert_str_eq(config.token.data, "db");
    ck_assert_uint_eq(config.columns.count, 2);
    ck_assert_str_eq(config.columns.items[1].text.data, "b");
    ck_assert_int_eq(config.bounds.items[1].i64, 2);
    ck_assert_uint_eq(config.labels.count, 2);
    ck_assert_str_eq(config.labels.items[0].key.text.data, "k");
    ck_assert_str_eq(config.labels.items[0].value.text.data, "v");
    ck_assert_uint_eq(config.labels.items[1].value.text.size, 0);
    ck_assert_int_eq(config.retry->count, 4);
    ck_assert_int_eq(config.retry->pause_ms, 1000);
}
END_TEST

START_TEST(tells_zero_from_what_was_not_given)
{
    ck_assert(
        fill(map_of(3, "path", plain("x"), "start", plain("1970-01-01"), "loud", plain("false"))));
    expect_silence();
    ck_assert_ptr_nonnull(config.start_ms);
    ck_assert_int_eq(config.start_ms->i64, 0);
    ck_assert_ptr_nonnull(config.is_loud);
    ck_assert_int_eq(config.is_loud->truth, 0);
}
END_TEST

/* One option, one plain scalar, one sentence. */
static const struct {
    const char *option;
    const char *text;
    const char *message;
} faults[] = {
    { "poll", "2h", "option 'poll' must be between 1ms and 1h, found '2h'" },
    { "poll", "0", "option 'poll' must be between 1ms and 1h, found '0'" },
    { "limit", "0", "option 'limit' must be at least 1, found '0'" },
    { "limit", "-99999999999999999999",
      "option 'limit' must be at least 1, found '-99999999999999999999'" },
    { "poll", "99999999999w", "option 'poll' must be between 1ms and 1h, found '99999999999w'" },
    { "limit", "99999999999999999999",
      "option 'limit' expects a whole number, found '99999999999999999999'; it does not fit in 64 "
      "bits" },
    { "poll", "",
      "option 'poll' expects a duration, found an empty text; write it like 5s, 250ms "
      "or 1h30m (units: w d h m s ms us ns)" },
    { "count", "1e400",
      "option 'count' expects a number, found '1e400'; it does not fit in 64 "
      "bits" },
    { "ratio", "1e400", "option 'ratio' must be between 0 and 1, found '1e400'" },
    { "format", "", "option 'format' must be one of 'table', 'json', found an empty text" },
    { "max_line", "10B", "option 'max_line' must be between 1KiB and 1GiB, found '10B'" },
    { "ratio", "1.5", "option 'ratio' must be between 0 and 1, found '1.5'" },
    { "follow", "yes", "option 'follow' expects true or false, found 'yes'; write true" },
    { "follow", "maybe", "option 'follow' expects true or false, found 'maybe'" },
    { "format", "jsn",
      "option 'format' must be one of 'table', 'json', found 'jsn'; did you mean 'json'?" },
    { "format", "xml", "option 'format' must be one of 'table', 'json', found 'xml'" },
    { "format", "~", "option 'format' has no value; give a value or remove the line" },
    { "labels", "x", "option 'labels' expects a map, found 'x'; write each entry as NAME: VALUE" },
    { "retry", "x",
      "option 'retry' takes options by name, found a value; it has 'count', 'pause'" },
    { "magic", "hex:0",
      "option 'magic' expects bytes, found 'hex:0'; after 'hex:' come pairs of "
      "hex digits, as in hex:00ff" },
    { "magic", "hex:0g",
      "option 'magic' expects bytes, found 'hex:0g'; after 'hex:' come pairs of "
      "hex digits, as in hex:00ff" },
    { "magic", "base64:AA",
      "option 'magic' expects bytes, found 'base64:AA'; after 'base64:' "
      "comes base64 with its padding, as in base64:AA==" },
    { "magic", "base64:AB==",
      "option 'magic' expects bytes, found 'base64:AB=='; after 'base64:' "
      "comes base64 with its padding, as in base64:AA==" },
    { "bounds", "10", "option 'bounds' must be between 0 and 9, found '10'" },
    { "pth", "y", "source 'file' has no option 'pth'; did you mean 'path'?" },
    { "path", "", "option 'path' needs a path; use '.' for the pipeline's folder" },
    { "path", "${NO_SUCH}",
      "the environment variable 'NO_SUCH' is not set; set it, or write "
      "${NO_SUCH:-default}" },
    { "path", "${BAD}", "the environment variable 'BAD' holds bytes that are not UTF-8" },
};

START_TEST(says_what_is_wrong_with_a_value)
{
    bool is_path = strcmp(faults[_i].option, "path") == 0;
    const struct node *value = plain(faults[_i].text);
    ck_assert(!(is_path ? fill(map_of(1, "path", value)) : fill_one(faults[_i].option, value)));
    expect_only(faults[_i].message);
    ck_assert_int_eq(diagnostics.list[0].severity, SEVERITY_ERROR);
}
END_TEST

/* With the cures of the unit readers, where they have one. */
static const struct {
    const char *option;
    const char *text;
    const char *message;
} unit_faults[] = {
    { "poll", "5",
      "option 'poll' expects a duration, found '5'; write its unit too, as in 5s or 5ms" },
    { "limit", "many", "option 'limit' expects a whole number, found 'many'" },
    { "limit", "1.5", "option 'limit' expects a whole number, found '1.5'" },
    { "max_line", "5MX",
      "option 'max_line' expects a size, found '5MX'; its unit is one of B, KiB, MiB, GiB, TiB, "
      "kB, MB, GB, TB" },
    { "since", "yesterday",
      "option 'since' expects a time, found 'yesterday'; write it like 2026-01-01 or "
      "2026-01-01T06:00:00+02:00" },
    { "ratio", "half", "option 'ratio' expects a number, found 'half'" },
};

START_TEST(passes_on_what_the_unit_readers_say)
{
    ck_assert(!fill_one(unit_faults[_i].option, plain(unit_faults[_i].text)));
    expect_only(unit_faults[_i].message);
}
END_TEST

START_TEST(shows_long_values_cut_at_a_code_point)
{
    static const char pair[] = "\xc3\xa9\xe2\x82\xac";
    char text[200] = "x";
    for (size_t i = 0; i < 30; i++) {
        memcpy(text + 1 + i * 5, pair, sizeof pair);
    }
    ck_assert(!fill_one("follow", plain(text)));
    ck_assert_uint_lt(strlen(message_at(0)), 130);
    ck_assert_ptr_nonnull(strstr(message_at(0), "\xe2\x82\xac\xc3\xa9...'"));
}
END_TEST

static const char *const scalar_options[] = { "path",  "poll",   "limit", "max_line", "since",
                                              "ratio", "follow", "magic", "token" };

START_TEST(refuses_a_list_where_a_scalar_stands)
{
    char beginning[128];
    const char *name = scalar_options[_i];
    ck_assert(!fill(map_of(1, name, list_of(1, plain("x")))));
    snprintf(beginning, sizeof beginning, "option '%s' expects ", name);
    ck_assert_int_eq(strncmp(message_at(0), beginning, strlen(beginning)), 0);
    ck_assert_ptr_nonnull(strstr(message_at(0), ", found a list"));
}
END_TEST

START_TEST(refuses_a_list_where_a_word_stands)
{
    ck_assert(!fill_one("format", list_of(1, plain("x"))));
    expect_only("option 'format' must be one of 'table', 'json', found a list");
}
END_TEST

#define COUNT(table) ((int)(sizeof table / sizeof table[0]))

Suite *suite(void)
{
    Suite *s = suite_create("option_value");
    TCase *tc = tcase_create("option_value");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, fills_a_field_of_every_type);
    tcase_add_test(tc, tells_zero_from_what_was_not_given);
    tcase_add_loop_test(tc, says_what_is_wrong_with_a_value, 0, COUNT(faults));
    tcase_add_loop_test(tc, passes_on_what_the_unit_readers_say, 0, COUNT(unit_faults));
    tcase_add_test(tc, shows_long_values_cut_at_a_code_point);
    tcase_add_loop_test(tc, refuses_a_list_where_a_scalar_stands, 0, COUNT(scalar_options));
    tcase_add_test(tc, refuses_a_list_where_a_word_stands);
    suite_add_tcase(s, tc);
    return s;
}
