/* SPDX-License-Identifier: MIT */
/* Options of every type but expressions (option_expression_test.c), from nodes into a struct. */
#include "plugin/options.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/memory.h"
#include "plugin/option_fixture.h"

struct retry {
    int64_t count;
    int64_t pause_ms;
};

struct config {
    weir_text path;
    int64_t poll_ms;
    int64_t format;
    int64_t limit;
    int64_t max_line;
    int64_t since_ms;
    double ratio;
    double count;
    uint8_t follow;
    weir_text magic;
    weir_text token;
    weir_value extra;
    weir_option_list columns;
    weir_option_list bounds;
    weir_option_map labels;
    const struct retry *retry;
    weir_text old;
    const weir_option_value *start_ms;
    const weir_option_value *is_loud;
};

#define AT(name) .offset = offsetof(struct config, name), .summary = "About it"

static const char *const formats[] = { "table", "json", NULL };
static const weir_option text_element = { .type = WEIR_OPTION_TEXT };
static const weir_option int_element = { .type = WEIR_OPTION_INT, .min = 0, .max = 9 };
static const weir_option retry_fields[] = {
    { .name = "count",
      .type = WEIR_OPTION_INT,
      .flags = WEIR_OPTION_REQUIRED,
      .offset = offsetof(struct retry, count),
      .summary = "How often" },
    { .name = "pause",
      .type = WEIR_OPTION_DURATION,
      .default_text = "1s",
      .offset = offsetof(struct retry, pause_ms),
      .summary = "How long" },
    WEIR_OPTIONS_END,
};

static const weir_option table[] = {
    { .name = "path",
      .type = WEIR_OPTION_TEXT,
      .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY | WEIR_OPTION_PATH,
      AT(path) },
    { .name = "poll",
      .type = WEIR_OPTION_DURATION,
      .default_text = "250ms",
      .min = 1,
      .max = 3600000,
      AT(poll_ms) },
    { .name = "format",
      .type = WEIR_OPTION_ENUM,
      .default_text = "json",
      .enum_names = formats,
      AT(format) },
    { .name = "limit", .type = WEIR_OPTION_INT, .min = 1, .max = INT64_MAX, AT(limit) },
    { .name = "max_line",
      .type = WEIR_OPTION_SIZE,
      .default_text = "${NO_SUCH:-16MiB}",
      .min = 1024,
      .max = 1 << 30,
      AT(max_line) },
    { .name = "since", .type = WEIR_OPTION_TIME, AT(since_ms) },
    { .name = "ratio", .type = WEIR_OPTION_FLOAT, .min = 0, .max = 1, AT(ratio) },
    { .name = "count", .type = WEIR_OPTION_FLOAT, AT(count) },
    { .name = "follow", .type = WEIR_OPTION_BOOL, AT(follow) },
    { .name = "magic", .type = WEIR_OPTION_BYTES, AT(magic) },
    { .name = "token", .type = WEIR_OPTION_SECRET, AT(token) },
    { .name = "extra", .type = WEIR_OPTION_ANY, AT(extra) },
    { .name = "columns", .type = WEIR_OPTION_LIST, .element = &text_element, AT(columns) },
    { .name = "bounds",
      .type = WEIR_OPTION_LIST,
      .element = &int_element,
      .min = 1,
      .max = 2,
      AT(bounds) },
    { .name = "labels",
      .type = WEIR_OPTION_MAP,
      .key_type = WEIR_OPTION_TEXT,
      .element = &text_element,
      AT(labels) },
    { .name = "retry",
      .type = WEIR_OPTION_STRUCT,
      .fields = retry_fields,
      .fields_size = sizeof(struct retry),
      AT(retry) },
    { .name = "old", .type = WEIR_OPTION_TEXT, .flags = WEIR_OPTION_DEPRECATED, AT(old) },
    { .name = "start", .type = WEIR_OPTION_TIME, .flags = WEIR_OPTION_NULLABLE, AT(start_ms) },
    { .name = "loud", .type = WEIR_OPTION_BOOL, .flags = WEIR_OPTION_NULLABLE, AT(is_loud) },
    WEIR_OPTIONS_END,
};

static struct config config;

static bool fill(const struct node *body)
{
    memset(&config, 0, sizeof config);
    struct place place = { &source, 0, 6 };
    return options_fill(&scope, "source 'file'", place, table, body, &config);
}

/* Fills from `path: x` and one further option. */
static bool fill_one(const char *name, const struct node *value)
{
    return fill(map_of(2, "path", plain("x"), name, value));
}

START_TEST(has_a_right_table)
{
    struct error error = { 0 };
    weir_status st = option_table_check(table, sizeof config, &error);
    ck_assert_msg(st == WEIR_OK, "%s", error.message);
}
END_TEST

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

START_TEST(fills_defaults_and_leaves_the_rest_zero)
{
    ck_assert(fill(plain("x")));
    expect_silence();
    ck_assert_str_eq(config.path.data, "/pipes/x");
    ck_assert_int_eq(config.poll_ms, 250);
    ck_assert_int_eq(config.format, 1);
    ck_assert_int_eq(config.max_line, 16 << 20);
    ck_assert_ptr_null(config.token.data);
    ck_assert_ptr_null(config.columns.items);
    ck_assert_ptr_null(config.labels.items);
    ck_assert_ptr_null(config.retry);
    ck_assert_int_eq(config.limit, 0);
    ck_assert_ptr_null(config.start_ms);
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
    { "path", "${BAD}", "option 'path' holds bytes that are not UTF-8" },
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

START_TEST(refuses_a_map_where_a_list_stands)
{
    ck_assert(!fill_one("columns", map_of(1, "a", plain("x"))));
    expect_only("option 'columns' expects a list, found a map");
}
END_TEST

START_TEST(refuses_an_option_without_a_value)
{
    ck_assert(!fill_one("poll", blank()));
    expect_only("option 'poll' has no value; give a value or remove the line");
}
END_TEST

START_TEST(reports_every_fault_at_its_place)
{
    set_source("file: {pol: 1, follow: maybe, limit: 0}");
    ck_assert(!fill(map_of(3, "pol", plain("1"), "follow", plain("maybe"), "limit", plain("0"))));
    ck_assert_uint_eq(diagnostics.count, 4);
    ck_assert_str_eq(message_at(0), "source 'file' has no option 'pol'; did you mean 'poll'?");
    ck_assert_uint_eq(diagnostics.list[0].place.offset, 7);
    ck_assert_uint_eq(diagnostics.list[0].place.length, 3);
    ck_assert_uint_eq(diagnostics.list[1].place.offset, 23);
    ck_assert_uint_eq(diagnostics.list[1].place.length, 5);
    ck_assert_str_eq(message_at(2), "option 'limit' must be at least 1, found '0'");
    ck_assert_str_eq(message_at(3), "source 'file' needs the option 'path' (text): About it");
    ck_assert_uint_eq(diagnostics.list[3].place.length, 6);
}
END_TEST

START_TEST(lists_the_options_where_none_is_near)
{
    static const weir_option few[] = {
        { .name = "low", .type = WEIR_OPTION_INT, .summary = "x" },
        { .name = "high", .type = WEIR_OPTION_INT, .offset = 8, .summary = "x" },
        WEIR_OPTIONS_END,
    };
    int64_t fields[2];
    const struct node *body = map_of(1, "elephant", plain("1"));
    struct place place = { 0 };
    ck_assert(!options_fill(&scope, "operator 'clamp'", place, few, body, fields));
    expect_only("operator 'clamp' has no option 'elephant'; it has 'low', 'high'");
}
END_TEST

START_TEST(takes_nothing_without_a_table)
{
    struct place place = { 0 };
    ck_assert(options_fill(&scope, "operator 'noop'", place, NULL, NULL, NULL));
    ck_assert(options_fill(&scope, "operator 'noop'", place, NULL, map_of(0), NULL));
    expect_silence();
    ck_assert(
        !options_fill(&scope, "operator 'noop'", place, NULL, map_of(1, "a", plain("1")), NULL));
    ck_assert_str_eq(message_at(0), "operator 'noop' has no option 'a'; it has none");
    ck_assert(!options_fill(&scope, "operator 'noop'", place, NULL, plain("1"), NULL));
    ck_assert_str_eq(message_at(1),
                     "operator 'noop' takes no options, found a value; write its name alone");
}
END_TEST

START_TEST(asks_for_what_is_required_where_only_the_name_stands)
{
    ck_assert(!fill(NULL));
    expect_only("source 'file' needs the option 'path' (text): About it");
}
END_TEST

START_TEST(refuses_a_name_with_nothing_behind_it)
{
    ck_assert(!fill(blank()));
    expect_only("source 'file' has nothing behind its ':'; give a value");
}
END_TEST

START_TEST(warns_of_a_deprecated_option)
{
    ck_assert(fill_one("old", plain("x")));
    expect_only("option 'old' is deprecated: About it");
    ck_assert_int_eq(diagnostics.list[0].severity, SEVERITY_WARNING);
    ck_assert_str_eq(config.old.data, "x");
}
END_TEST

/* ---- ${} -------------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    const char *result; /* NULL: message */
    const char *message;
} variables[] = {
    { "plain", "plain", NULL },
    { "", "", NULL },
    { "$ $$ {}", "$ $$ {}", NULL },
    { "${HOST}", "db", NULL },
    { "tcp://${HOST}:${TEN}/x", "tcp://db:10/x", NULL },
    { "${NO_SUCH:-a b}", "a b", NULL },
    { "${NO_SUCH:-}", "", NULL },
    { "${EMPTY}", "", NULL },
    { "${EMPTY:-x}", "x", NULL },
    { "${HOST:-x}", "db", NULL },
    { "${NESTED}", "${HOST}", NULL },
    { "$${HOST}", "${HOST}", NULL },
    { "$$${HOST}", "$${HOST}", NULL },
    { "a$${b}${HOST}", "a${b}db", NULL },
    { "${NO_SUCH}", NULL,
      "the environment variable 'NO_SUCH' is not set; set it, or write ${NO_SUCH:-default}" },
#define BAD_NAME                                                                                   \
 "this names no environment variable; write ${NAME} or ${NAME:-default}, and $${ for the two "     \
 "characters themselves"
    { "${}", NULL, BAD_NAME },
    { "${1A}", NULL, BAD_NAME },
    { "${HOST", NULL, BAD_NAME },
    { "${HOST-x}", NULL, BAD_NAME },
    { "${HOST:x}", NULL, BAD_NAME },
};

START_TEST(replaces_variables)
{
    size_t len = 999;
    const char *text = option_substitute(&scope, plain(variables[_i].text), &len);
    if (variables[_i].result == NULL) {
        ck_assert_ptr_null(text);
        expect_only(variables[_i].message);
        return;
    }
    expect_silence();
    ck_assert_str_eq(text, variables[_i].result);
    ck_assert_uint_eq(len, strlen(variables[_i].result));
}
END_TEST

START_TEST(reports_every_variable_at_its_place)
{
    size_t len;
    set_source("url: a${X}b${Y}c");
    ck_assert_ptr_null(option_substitute(&scope, plain("a${X}b${Y}c"), &len));
    ck_assert_uint_eq(diagnostics.count, 2);
    ck_assert_uint_eq(diagnostics.list[0].place.offset, 6);
    ck_assert_uint_eq(diagnostics.list[0].place.length, 4);
    ck_assert_uint_eq(diagnostics.list[1].place.offset, 11);
}
END_TEST

START_TEST(reads_what_a_variable_holds_by_the_type)
{
    ck_assert(fill_one("limit", plain("${TEN}")));
    ck_assert_int_eq(config.limit, 10);
    ck_assert(!fill_one("limit", plain("${HOST}")));
    ck_assert_ptr_nonnull(strstr(message_at(0), "found 'db'"));
}
END_TEST

/* ---- paths and secrets ------------------------------------------------------------------------ */

START_TEST(hangs_relative_paths_on_the_folder)
{
    ck_assert(fill(plain("/abs/x")));
    ck_assert_str_eq(config.path.data, "/abs/x");
    ck_assert(fill(plain("././x")));
    ck_assert_str_eq(config.path.data, "/pipes/x");
    ck_assert(fill(plain("./")));
    ck_assert_str_eq(config.path.data, "/pipes/./");
    ck_assert(fill(plain("${HOST}/x")));
    ck_assert_str_eq(config.path.data, "/pipes/db/x");
    expect_silence();
}
END_TEST

START_TEST(warns_of_a_secret_in_the_file)
{
    ck_assert(fill_one("token", plain("hunter2")));
    ck_assert_str_eq(config.token.data, "hunter2");
    ck_assert_uint_eq(diagnostics.count, 1);
    ck_assert_int_eq(diagnostics.list[0].severity, SEVERITY_WARNING);
    ck_assert_ptr_nonnull(strstr(message_at(0), "write ${VARIABLE} or {file: PATH}"));
    ck_assert_ptr_null(strstr(message_at(0), "hunter2"));
}
END_TEST

static const struct {
    const char *content;
    const char *secret;
} secret_files[] = {
    { "hunter2\n", "hunter2" },
    { "hunter2\r\n", "hunter2" },
    { "hunter2", "hunter2" },
    { "two\nlines\n\n", "two\nlines\n" },
    { "\n", "" },
    { "", "" },
};

START_TEST(reads_a_secret_from_a_file)
{
    char path[] = "/tmp/weir-secret-XXXXXX";
    int fd = mkstemp(path);
    size_t len = strlen(secret_files[_i].content);
    ck_assert_int_eq(write(fd, secret_files[_i].content, len), (ssize_t)len);
    close(fd);
    bool is_right = fill_one("token", map_of(1, "file", plain(path)));
    unlink(path);
    ck_assert(is_right);
    expect_silence();
    ck_assert_str_eq(config.token.data, secret_files[_i].secret);
    ck_assert_uint_eq(config.token.size, strlen(secret_files[_i].secret));
}
END_TEST

START_TEST(says_that_a_secret_file_is_missing)
{
    ck_assert(!fill_one("token", map_of(1, "file", plain("nowhere"))));
    ck_assert_ptr_nonnull(strstr(message_at(0), "option 'token' cannot be read from its file: "));
    ck_assert_ptr_nonnull(strstr(message_at(0), "/pipes/nowhere"));
    ck_assert(!fill_one("token", map_of(1, "file", blank())));
    ck_assert_str_eq(message_at(1), "option 'token' needs a path after 'file:'");
    ck_assert(!fill_one("token", map_of(1, "fil", plain("x"))));
    ck_assert_str_eq(message_at(2), "option 'token' expects a text, ${VARIABLE} or {file: PATH}, "
                                    "found a map");
}
END_TEST

/* ---- lists, maps, structs --------------------------------------------------------------------- */

START_TEST(takes_a_scalar_as_a_list_of_one)
{
    ck_assert(fill_one("columns", plain("a")));
    ck_assert_uint_eq(config.columns.count, 1);
    ck_assert_str_eq(config.columns.items[0].text.data, "a");
}
END_TEST

START_TEST(tells_an_empty_list_from_none)
{
    ck_assert(fill_one("columns", list_of(0)));
    ck_assert_uint_eq(config.columns.count, 0);
    ck_assert_ptr_nonnull(config.columns.items);
    ck_assert(fill_one("labels", map_of(0)));
    ck_assert_uint_eq(config.labels.count, 0);
    ck_assert_ptr_nonnull(config.labels.items);
}
END_TEST

START_TEST(judges_each_item_and_their_number)
{
    ck_assert(!fill_one("bounds", list_of(3, plain("10"), plain("1"), list_of(0))));
    ck_assert_uint_eq(diagnostics.count, 2);
    ck_assert_str_eq(message_at(0),
                     "each item of option 'bounds' must be between 0 and 9, found '10'");
    ck_assert_str_eq(message_at(1),
                     "each item of option 'bounds' expects a whole number, found a list");
    ck_assert(!fill_one("bounds", list_of(0)));
    ck_assert_str_eq(message_at(2), "option 'bounds' takes 1 to 2 items, found 0");
    ck_assert(!fill_one("bounds", list_of(3, plain("1"), plain("1"), plain("1"))));
    ck_assert_str_eq(message_at(3), "option 'bounds' takes 1 to 2 items, found 3");
}
END_TEST

START_TEST(judges_each_value_of_a_map)
{
    ck_assert(!fill_one("labels", map_of(2, "a", list_of(0), "b", blank())));
    ck_assert_uint_eq(diagnostics.count, 2);
    ck_assert_str_eq(message_at(0), "each value of option 'labels' expects a text, found a list");
    ck_assert_str_eq(message_at(1),
                     "option 'labels' has an entry without a value; give it one or remove it");
}
END_TEST

START_TEST(judges_the_options_of_a_struct)
{
    ck_assert(!fill_one("retry", map_of(1, "pause", plain("never"))));
    ck_assert_uint_eq(diagnostics.count, 2);
    ck_assert_ptr_nonnull(strstr(message_at(0), "option 'pause' expects a duration"));
    ck_assert_str_eq(message_at(1), "option 'retry' needs the option 'count' (int): How often");
    ck_assert(!fill_one("retry", map_of(2, "count", plain("1"), "pauze", plain("1s"))));
    ck_assert_str_eq(message_at(2), "option 'retry' has no option 'pauze'; did you mean 'pause'?");
}
END_TEST

/* ---- bodies ----------------------------------------------------------------------------------- */

static const weir_option map_table[] = {
    { .name = "fields",
      .type = WEIR_OPTION_MAP,
      .flags = WEIR_OPTION_BODY | WEIR_OPTION_REQUIRED,
      .key_type = WEIR_OPTION_TEXT,
      .element = &text_element,
      .summary = "x" },
    WEIR_OPTIONS_END,
};

static const weir_option list_table[] = {
    { .name = "columns",
      .type = WEIR_OPTION_LIST,
      .flags = WEIR_OPTION_BODY,
      .element = &text_element,
      .summary = "x" },
    WEIR_OPTIONS_END,
};

static const weir_option any_table[] = {
    { .name = "value", .type = WEIR_OPTION_ANY, .flags = WEIR_OPTION_BODY, .summary = "x" },
    WEIR_OPTIONS_END,
};

START_TEST(takes_a_map_as_the_body_that_is_one)
{
    weir_option_map fields = { 0 };
    struct place place = { 0 };
    const struct node *body = map_of(1, "fields", plain("v"));
    ck_assert(options_fill(&scope, "x", place, map_table, body, &fields));
    ck_assert_uint_eq(fields.count, 1);
    ck_assert_str_eq(fields.items[0].key.text.data, "fields");
}
END_TEST

START_TEST(takes_a_list_as_the_body_and_a_map_as_the_long_form)
{
    weir_option_list columns = { 0 };
    struct place place = { 0 };
    ck_assert(
        options_fill(&scope, "x", place, list_table, list_of(2, plain("a"), plain("b")), &columns));
    ck_assert_uint_eq(columns.count, 2);
    const struct node *body = map_of(1, "columns", plain("c"));
    ck_assert(options_fill(&scope, "x", place, list_table, body, &columns));
    ck_assert_uint_eq(columns.count, 1);
    ck_assert_str_eq(columns.items[0].text.data, "c");
}
END_TEST

/* ---- any -------------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    uint8_t tag;
    int64_t i64;
    double f64;
} scalars[] = {
    { "", WEIR_NULL, 0, 0 },
    { "~", WEIR_NULL, 0, 0 },
    { "null", WEIR_NULL, 0, 0 },
    { "NULL", WEIR_NULL, 0, 0 },
    { "nUll", WEIR_TEXT, 0, 0 },
    { "true", WEIR_BOOL, 1, 0 },
    { "False", WEIR_BOOL, 0, 0 },
    { "yes", WEIR_TEXT, 0, 0 },
    { "42", WEIR_INT, 42, 0 },
    { "-7", WEIR_INT, -7, 0 },
    { "+12", WEIR_INT, 12, 0 },
    { "0o17", WEIR_INT, 15, 0 },
    { "0xfF", WEIR_INT, 255, 0 },
    { "0x", WEIR_TEXT, 0, 0 },
    { "1.5", WEIR_FLOAT, 0, 1.5 },
    { ".5", WEIR_FLOAT, 0, 0.5 },
    { "1.", WEIR_FLOAT, 0, 1.0 },
    { "1e3x", WEIR_TEXT, 0, 0 },
    { "+1.5e2", WEIR_FLOAT, 0, 150 },
    { "1e", WEIR_TEXT, 0, 0 },
    { ".", WEIR_TEXT, 0, 0 },
    { "-", WEIR_TEXT, 0, 0 },
    { "e5", WEIR_TEXT, 0, 0 },
    { "1.10", WEIR_NUMBER, 0, 0 },
    { "-.inf", WEIR_FLOAT, 0, -(double)INFINITY },
    { "+.INF", WEIR_FLOAT, 0, (double)INFINITY },
    { "123456789012345678901", WEIR_NUMBER, 0, 0 },
    { "${TEN}", WEIR_INT, 10, 0 },
};

START_TEST(reads_plain_scalars_by_the_core_schema)
{
    weir_value value = { 0 };
    struct place place = { 0 };
    ck_assert(options_fill(&scope, "x", place, any_table, plain(scalars[_i].text), &value));
    ck_assert_uint_eq(value.tag, scalars[_i].tag);
    if (value.tag == WEIR_INT || value.tag == WEIR_BOOL) {
        ck_assert_int_eq(value.as.i64, scalars[_i].i64);
    } else if (value.tag == WEIR_FLOAT) {
        ck_assert(value.as.f64 == scalars[_i].f64);
    } else if (value.tag != WEIR_NULL) {
        ck_assert_uint_eq(value.len, strlen(scalars[_i].text));
        ck_assert_mem_eq(value.as.text, scalars[_i].text, value.len);
    }
}
END_TEST

START_TEST(reads_quoted_scalars_as_text)
{
    weir_value value = { 0 };
    struct place place = { 0 };
    ck_assert(options_fill(&scope, "x", place, any_table, quoted("42"), &value));
    ck_assert_uint_eq(value.tag, WEIR_TEXT);
    ck_assert(options_fill(&scope, "x", place, any_table, quoted(""), &value));
    ck_assert_uint_eq(value.tag, WEIR_TEXT);
    ck_assert(options_fill(&scope, "x", place, any_table, blank(), &value));
    ck_assert_uint_eq(value.tag, WEIR_NULL);
}
END_TEST

START_TEST(reads_nested_values)
{
    ck_assert(fill_one("extra", map_of(2, "a", list_of(2, plain("1"), plain("x")), "b", blank())));
    ck_assert_uint_eq(config.extra.tag, WEIR_MAP);
    ck_assert_uint_eq(config.extra.len, 2);
    const weir_member *a = &config.extra.as.members[0];
    ck_assert_mem_eq(a->key, "a", 1);
    ck_assert_uint_eq(a->symbol, symbols_lookup(&symbols, "a", 1));
    ck_assert_uint_ge(a->symbol, WEIR_SYMBOL_FIRST);
    ck_assert_uint_eq(a->value.tag, WEIR_LIST);
    ck_assert_int_eq(a->value.as.items[0].as.i64, 1);
    ck_assert_uint_eq(config.extra.as.members[1].value.tag, WEIR_NULL);
}
END_TEST

START_TEST(bounds_the_depth_of_nested_values)
{
    const struct node *node = plain("1");
    for (int i = 0; i < 300; i++) {
        node = list_of(1, node);
    }
    ck_assert(!fill_one("extra", node));
    expect_only("option 'extra' is nested deeper than 200 levels");
}
END_TEST

/* ---- memory ----------------------------------------------------------------------------------- */

START_TEST(survives_every_failing_allocation)
{
    const struct node *body =
        map_of(8, "path", plain("${HOST}/${TEN}"), "magic", plain("hex:0011"), "token",
               plain("abc"), "columns", list_of(2, plain("a"), plain("b")), "labels",
               map_of(1, "k", plain("v")), "retry", map_of(1, "count", plain("4")), "extra",
               map_of(1, "k", plain("v")), "nope", plain("1"));
    size_t failed = 0;
    for (size_t k = 1; k < 500; k++) {
        struct arena own;
        struct diagnostics list;
        arena_init(&own, 64);
        diagnostics_init(&list, &own);
        struct options_scope poor = { &own, &list, &env, "/pipes", NULL };
        memset(&config, 0, sizeof config);
        memory_fail_from(k);
        bool is_right = options_fill(&poor, "x", (struct place){ 0 }, table, body, &config);
        memory_fail_from(0);
        ck_assert(!is_right); /* there is an unknown option */
        failed += list.is_out_of_memory;
        diagnostics_deinit(&list);
        arena_deinit(&own);
    }
    ck_assert_uint_gt(failed, 5);
}
END_TEST

#define COUNT(table) ((int)(sizeof table / sizeof table[0]))

static void add_values(TCase *tc)
{
    tcase_add_test(tc, has_a_right_table);
    tcase_add_test(tc, fills_a_field_of_every_type);
    tcase_add_test(tc, fills_defaults_and_leaves_the_rest_zero);
    tcase_add_test(tc, tells_zero_from_what_was_not_given);
    tcase_add_loop_test(tc, says_what_is_wrong_with_a_value, 0, COUNT(faults));
    tcase_add_loop_test(tc, passes_on_what_the_unit_readers_say, 0, COUNT(unit_faults));
    tcase_add_test(tc, shows_long_values_cut_at_a_code_point);
    tcase_add_loop_test(tc, refuses_a_list_where_a_scalar_stands, 0, COUNT(scalar_options));
    tcase_add_test(tc, refuses_a_list_where_a_word_stands);
    tcase_add_test(tc, refuses_a_map_where_a_list_stands);
    tcase_add_test(tc, refuses_an_option_without_a_value);
    tcase_add_test(tc, reports_every_fault_at_its_place);
    tcase_add_test(tc, lists_the_options_where_none_is_near);
    tcase_add_test(tc, takes_nothing_without_a_table);
    tcase_add_test(tc, asks_for_what_is_required_where_only_the_name_stands);
    tcase_add_test(tc, refuses_a_name_with_nothing_behind_it);
    tcase_add_test(tc, warns_of_a_deprecated_option);
}

static void add_texts(TCase *tc)
{
    tcase_add_loop_test(tc, replaces_variables, 0, COUNT(variables));
    tcase_add_test(tc, reports_every_variable_at_its_place);
    tcase_add_test(tc, reads_what_a_variable_holds_by_the_type);
    tcase_add_test(tc, hangs_relative_paths_on_the_folder);
    tcase_add_test(tc, warns_of_a_secret_in_the_file);
    tcase_add_loop_test(tc, reads_a_secret_from_a_file, 0, COUNT(secret_files));
    tcase_add_test(tc, says_that_a_secret_file_is_missing);
}

static void add_containers(TCase *tc)
{
    tcase_add_test(tc, takes_a_scalar_as_a_list_of_one);
    tcase_add_test(tc, tells_an_empty_list_from_none);
    tcase_add_test(tc, judges_each_item_and_their_number);
    tcase_add_test(tc, judges_each_value_of_a_map);
    tcase_add_test(tc, judges_the_options_of_a_struct);
    tcase_add_test(tc, takes_a_map_as_the_body_that_is_one);
    tcase_add_test(tc, takes_a_list_as_the_body_and_a_map_as_the_long_form);
    tcase_add_loop_test(tc, reads_plain_scalars_by_the_core_schema, 0, COUNT(scalars));
    tcase_add_test(tc, reads_quoted_scalars_as_text);
    tcase_add_test(tc, reads_nested_values);
    tcase_add_test(tc, bounds_the_depth_of_nested_values);
    tcase_add_test(tc, survives_every_failing_allocation);
}

Suite *suite(void)
{
    Suite *s = suite_create("options");
    TCase *tc = tcase_create("options");
    tcase_add_checked_fixture(tc, setup, teardown);
    add_values(tc);
    add_texts(tc);
    add_containers(tc);
    suite_add_tcase(s, tc);
    return s;
}
