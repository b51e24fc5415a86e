/* SPDX-License-Identifier: MIT */
/* Option tables as plugins may get them wrong, each with the sentence that refuses it. */
#include <string.h>

#include "plugin/options.h"
#include "unit.h"

struct config {
    weir_text path;
    int64_t poll_ms;
    int64_t format;
    double ratio;
    uint8_t follow;
    uint8_t other;
    weir_option_list columns;
    weir_option_map fields;
    const void *retry;
    const weir_expression *where;
    weir_value extra;
    const weir_option_value *since;
};

struct retry {
    int64_t count;
};

#define SIZE     sizeof(struct config)
#define AT(name) .offset = offsetof(struct config, name), .summary = "x"

static const char *const names[] = { "table", "json", NULL };
static const char *const twice[] = { "table", "json", "table", NULL };
static const char *const nothing[] = { NULL };
static const weir_option text = { .type = WEIR_OPTION_TEXT };
static const weir_option expression = { .type = WEIR_OPTION_EXPRESSION };
static const weir_option map = { .type = WEIR_OPTION_MAP, .key_type = 1, .element = &text };
static const weir_option unknown = { .type = 77 };
static const weir_option flagged = { .type = WEIR_OPTION_INT, .flags = WEIR_OPTION_REQUIRED };
static const weir_option stream = { .type = WEIR_OPTION_STREAM };
static const weir_option list_of_streams = { .type = WEIR_OPTION_LIST, .element = &stream };
static const weir_option stream_fields[] = {
    { .name = "right", .type = WEIR_OPTION_STREAM, .summary = "x" }, WEIR_OPTIONS_END
};
static const weir_option endless = { .type = WEIR_OPTION_LIST, .element = &endless };
static const weir_option retry_fields[] = { { .name = "count",
                                              .type = WEIR_OPTION_INT,
                                              .offset = offsetof(struct retry, count),
                                              .summary = "x" },
                                            WEIR_OPTIONS_END };
static const weir_option bad_fields[] = {
    { .name = "count", .type = WEIR_OPTION_INT, .offset = 4, .summary = "x" }, WEIR_OPTIONS_END
};

static const weir_option good[] = {
    { .name = "path",
      .type = WEIR_OPTION_TEXT,
      .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY | WEIR_OPTION_PATH,
      AT(path) },
    { .name = "poll",
      .type = WEIR_OPTION_DURATION,
      .default_text = "250ms",
      .min = 1,
      .max = 60000,
      AT(poll_ms) },
    { .name = "format",
      .type = WEIR_OPTION_ENUM,
      .default_text = "json",
      .enum_names = names,
      AT(format) },
    { .name = "ratio", .type = WEIR_OPTION_FLOAT, .min = -1, .max = 1, AT(ratio) },
    { .name = "follow", .type = WEIR_OPTION_BOOL, .default_text = "false", AT(follow) },
    { .name = "columns",
      .type = WEIR_OPTION_LIST,
      .element = &text,
      .default_text = "all",
      AT(columns) },
    { .name = "fields",
      .type = WEIR_OPTION_MAP,
      .key_type = WEIR_OPTION_TEXT,
      .element = &expression,
      AT(fields) },
    { .name = "retry",
      .type = WEIR_OPTION_STRUCT,
      .fields = retry_fields,
      .fields_size = sizeof(struct retry),
      AT(retry) },
    { .name = "where", .type = WEIR_OPTION_EXPRESSION, .default_text = "true", AT(where) },
    { .name = "extra", .type = WEIR_OPTION_ANY, .default_text = "${EXTRA:-1}", AT(extra) },
    { .name = "since", .type = WEIR_OPTION_TIME, .flags = WEIR_OPTION_NULLABLE, AT(since) },
    WEIR_OPTIONS_END,
};

START_TEST(accepts_every_type)
{
    struct error error = { 0 };
    weir_status st = option_table_check(good, SIZE, &error);
    ck_assert_msg(st == WEIR_OK, "%s", error.message);
    ck_assert_int_eq(option_table_check(NULL, 0, &error), WEIR_OK);
    static const weir_option none[] = { WEIR_OPTIONS_END };
    ck_assert_int_eq(option_table_check(none, 0, &error), WEIR_OK);
}
END_TEST

/* One option that is wrong. */
static const struct {
    weir_option option;
    const char *message;
} single[] = {
    { { .name = "Path", .type = WEIR_OPTION_TEXT, AT(path) },
      "the name of option 0 is not made of a-z, 0-9 and '_'" },
    { { .name = "path", .type = 0, AT(path) }, "option 'path' has the unknown type 0" },
    { { .name = "path", .type = 18, AT(path) }, "option 'path' has the unknown type 18" },
    { { .name = "path", .type = WEIR_OPTION_TEXT, .offset = offsetof(struct config, path) },
      "option 'path' has no summary" },
    { { .name = "path", .type = WEIR_OPTION_TEXT, .offset = 4, .summary = "x" },
      "option 'path' at offset 4 does not fit into a struct of 120 bytes" },
    { { .name = "path", .type = WEIR_OPTION_TEXT, .offset = SIZE - 8, .summary = "x" },
      "option 'path' at offset 112 does not fit into a struct of 120 bytes" },
    { { .name = "path", .type = WEIR_OPTION_TEXT, .offset = 4000000000u, .summary = "x" },
      "option 'path' at offset 4000000000 does not fit into a struct of 120 bytes" },
    { { .name = "path", .type = WEIR_OPTION_TEXT, .flags = 128, AT(path) },
      "option 'path' has flags 0x80, which mean nothing for the type text" },
    { { .name = "poll", .type = WEIR_OPTION_DURATION, .flags = WEIR_OPTION_PATH, AT(poll_ms) },
      "option 'poll' has flags 0x10, which mean nothing for the type duration" },
    { { .name = "path", .type = WEIR_OPTION_TEXT, .flags = WEIR_OPTION_PATHS, AT(path) },
      "option 'path' has flags 0x8, which mean nothing for the type text" },
    { { .name = "path",
        .type = WEIR_OPTION_TEXT,
        .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_DEPRECATED,
        AT(path) },
      "option 'path' is required and deprecated" },
    { { .name = "path",
        .type = WEIR_OPTION_TEXT,
        .flags = WEIR_OPTION_REQUIRED,
        .default_text = "x",
        AT(path) },
      "option 'path' is required and has a default" },
    { { .name = "path", .type = WEIR_OPTION_TEXT, .flags = WEIR_OPTION_NULLABLE, AT(path) },
      "option 'path' has flags 0x20, which mean nothing for the type text" },
    { { .name = "since",
        .type = WEIR_OPTION_TIME,
        .flags = WEIR_OPTION_NULLABLE | WEIR_OPTION_REQUIRED,
        AT(since) },
      "option 'since' is nullable and required" },
    { { .name = "since",
        .type = WEIR_OPTION_TIME,
        .flags = WEIR_OPTION_NULLABLE,
        .default_text = "2026-01-01",
        AT(since) },
      "option 'since' is nullable and has a default" },
    { { .name = "other", .type = WEIR_OPTION_BOOL, .flags = WEIR_OPTION_NULLABLE, AT(other) },
      "option 'other' at offset 41 does not fit into a struct of 120 bytes" },
    { { .name = "path",
        .type = WEIR_OPTION_TEXT,
        .flags = WEIR_OPTION_FIELD_NAME | WEIR_OPTION_REQUIRED,
        AT(path) },
      "option 'path' bears a field's name and is required" },
    { { .name = "path", .type = WEIR_OPTION_TEXT, .flags = WEIR_OPTION_FIELD_NAME, AT(path) },
      "option 'path' bears a field's name, but the body is no expression" },
    { { .name = "path", .type = WEIR_OPTION_TEXT, .min = 1, .max = 2, AT(path) },
      "option 'path' has min and max, which mean nothing for the type text" },
    { { .name = "poll", .type = WEIR_OPTION_INT, .min = 3, .max = 2, AT(poll_ms) },
      "option 'poll' has min above max" },
    { { .name = "poll", .type = WEIR_OPTION_DURATION, .min = -3, .max = 2, AT(poll_ms) },
      "option 'poll' has a min below 0" },
    { { .name = "poll", .type = WEIR_OPTION_INT, .enum_names = names, AT(poll_ms) },
      "option 'poll' has enum_names, but is no enum" },
    { { .name = "format", .type = WEIR_OPTION_ENUM, AT(format) },
      "option 'format' is an enum without enum_names" },
    { { .name = "format", .type = WEIR_OPTION_ENUM, .enum_names = nothing, AT(format) },
      "option 'format' is an enum without enum_names" },
    { { .name = "format", .type = WEIR_OPTION_ENUM, .enum_names = twice, AT(format) },
      "option 'format' has the enum name 'table' twice" },
    { { .name = "path", .type = WEIR_OPTION_TEXT, .element = &text, AT(path) },
      "option 'path' has an element, but is no list or map" },
    { { .name = "columns", .type = WEIR_OPTION_LIST, AT(columns) },
      "option 'columns' has no element that types its values" },
    { { .name = "columns", .type = WEIR_OPTION_LIST, .element = &map, AT(columns) },
      "option 'columns' has maps as elements; describe them as a struct" },
    { { .name = "columns", .type = WEIR_OPTION_LIST, .element = &unknown, AT(columns) },
      "option 'columns' has the unknown type 77" },
    { { .name = "columns", .type = WEIR_OPTION_LIST, .element = &flagged, AT(columns) },
      "option 'columns' has an element with a default or flags of an option" },
    { { .name = "columns", .type = WEIR_OPTION_LIST, .element = &endless, AT(columns) },
      "option 'columns' is nested too deep" },
    { { .name = "path", .type = WEIR_OPTION_STREAM, .default_text = "others", AT(path) },
      "option 'path' has a default, which the type stream cannot have" },
    { { .name = "columns",
        .type = WEIR_OPTION_LIST,
        .element = &stream,
        .default_text = "others",
        AT(columns) },
      "option 'columns' has a default, which the type list cannot have" },
    { { .name = "columns", .type = WEIR_OPTION_LIST, .element = &list_of_streams, AT(columns) },
      "option 'columns' holds streams inside, which stand at the top of the table alone or in a "
      "list" },
    { { .name = "fields",
        .type = WEIR_OPTION_MAP,
        .key_type = WEIR_OPTION_TEXT,
        .element = &stream,
        AT(fields) },
      "option 'fields' holds streams inside, which stand at the top of the table alone or in a "
      "list" },
    { { .name = "retry",
        .type = WEIR_OPTION_STRUCT,
        .fields = stream_fields,
        .fields_size = 16,
        AT(retry) },
      "in option 'retry': option 'right' holds streams inside, which stand at the top of the table "
      "alone or in a list" },
    { { .name = "fields", .type = WEIR_OPTION_MAP, .element = &text, AT(fields) },
      "option 'fields' is a map whose key_type is neither text nor target" },
    { { .name = "columns",
        .type = WEIR_OPTION_LIST,
        .key_type = WEIR_OPTION_TEXT,
        .element = &text,
        AT(columns) },
      "option 'columns' has a key_type, but is no map" },
    { { .name = "fields",
        .type = WEIR_OPTION_MAP,
        .flags = WEIR_OPTION_PATHS,
        .key_type = WEIR_OPTION_TARGET,
        .element = &text,
        AT(fields) },
      "option 'fields' is flagged PATHS, but is no map of target to expression" },
    { { .name = "fields",
        .type = WEIR_OPTION_MAP,
        .key_type = WEIR_OPTION_TEXT,
        .element = &text,
        .default_text = "a",
        AT(fields) },
      "option 'fields' has a default, which the type map cannot have" },
    { { .name = "retry", .type = WEIR_OPTION_STRUCT, .fields = retry_fields, AT(retry) },
      "option 'retry' is a struct without fields or a size" },
    { { .name = "retry", .type = WEIR_OPTION_STRUCT, .fields_size = 8, AT(retry) },
      "option 'retry' is a struct without fields or a size" },
    { { .name = "path", .type = WEIR_OPTION_TEXT, .fields = retry_fields, AT(path) },
      "option 'path' has fields, but is no struct" },
    { { .name = "retry",
        .type = WEIR_OPTION_STRUCT,
        .fields = bad_fields,
        .fields_size = 16,
        AT(retry) },
      "in option 'retry': option 'count' at offset 4 does not fit into a struct of 16 bytes" },
    { { .name = "poll", .type = WEIR_OPTION_DURATION, .default_text = "fast", AT(poll_ms) },
      "the default of option 'poll' expects a duration, found 'fast'" },
    { { .name = "poll",
        .type = WEIR_OPTION_INT,
        .default_text = "7",
        .min = 1,
        .max = 5,
        AT(poll_ms) },
      "the default of option 'poll' must be between 1 and 5, found '7'" },
    { { .name = "format",
        .type = WEIR_OPTION_ENUM,
        .enum_names = names,
        .default_text = "tabel",
        AT(format) },
      "the default of option 'format' must be one of 'table', 'json', found 'tabel'; did you mean "
      "'table'?" },
};

START_TEST(refuses_each_defect_with_its_own_sentence)
{
    struct error error = { 0 };
    const weir_option table[] = { single[_i].option, WEIR_OPTIONS_END };
    ck_assert_int_eq(option_table_check(table, SIZE, &error), WEIR_E_INVALID);
    ck_assert_ptr_eq(strstr(error.message, single[_i].message), error.message);
}
END_TEST

/* Two options that do not go together. */
static const struct {
    weir_option options[2];
    const char *message;
} pairs[] = {
    { { { .name = "path", .type = WEIR_OPTION_TEXT, AT(path) },
        { .name = "path", .type = WEIR_OPTION_INT, AT(poll_ms) } },
      "option 'path' stands twice in its table" },
    { { { .name = "path", .type = WEIR_OPTION_TEXT, AT(path) },
        { .name = "poll", .type = WEIR_OPTION_INT, .offset = 8, .summary = "x" } },
      "options 'poll' and 'path' share bytes of the struct" },
    { { { .name = "path", .type = WEIR_OPTION_TEXT, .flags = WEIR_OPTION_BODY, AT(path) },
        { .name = "poll", .type = WEIR_OPTION_INT, .flags = WEIR_OPTION_BODY, AT(poll_ms) } },
      "options 'poll' and 'path' are both flagged as the body" },
    { { { .name = "fields",
          .type = WEIR_OPTION_MAP,
          .flags = WEIR_OPTION_BODY,
          .key_type = WEIR_OPTION_TEXT,
          .element = &text,
          AT(fields) },
        { .name = "poll", .type = WEIR_OPTION_INT, AT(poll_ms) } },
      "option 'fields' is a body of type map and must be the only option" },
};

START_TEST(refuses_options_that_do_not_go_together)
{
    struct error error = { 0 };
    const weir_option table[] = { pairs[_i].options[0], pairs[_i].options[1], WEIR_OPTIONS_END };
    ck_assert_int_eq(option_table_check(table, SIZE, &error), WEIR_E_INVALID);
    ck_assert_str_eq(error.message, pairs[_i].message);
}
END_TEST

START_TEST(accepts_neighbours_in_a_struct)
{
    struct error error = { 0 };
    const weir_option table[] = { { .name = "a", .type = WEIR_OPTION_BOOL, AT(follow) },
                                  { .name = "b", .type = WEIR_OPTION_BOOL, AT(other) },
                                  WEIR_OPTIONS_END };
    ck_assert_int_eq(option_table_check(table, SIZE, &error), WEIR_OK);
}
END_TEST

START_TEST(refuses_a_table_without_end)
{
    static weir_option many[400];
    static char many_names[400][8];
    struct error error = { 0 };
    for (uint32_t i = 0; i < 399; i++) {
        snprintf(many_names[i], sizeof many_names[i], "o%u", i);
        many[i] = (weir_option){
            .name = many_names[i], .type = WEIR_OPTION_BOOL, .offset = i, .summary = "x"
        };
    }
    ck_assert_int_eq(option_table_check(many, 400, &error), WEIR_E_INVALID);
    ck_assert_str_eq(error.message, "the option table is not ended by WEIR_OPTIONS_END");
}
END_TEST

START_TEST(names_types)
{
    struct arena arena;
    arena_init(&arena, 0);
    static const char *const expected[] = { "text",
                                            "duration",
                                            "enum",
                                            "float",
                                            "bool",
                                            "list of text",
                                            "map of text to expression",
                                            "struct",
                                            "expression",
                                            "any value",
                                            "time" };
    for (size_t i = 0; good[i].name != NULL; i++) {
        ck_assert_str_eq(option_type_text(&good[i], &arena), expected[i]);
    }
    const weir_option paths = { .type = WEIR_OPTION_MAP,
                                .flags = WEIR_OPTION_PATHS,
                                .key_type = WEIR_OPTION_TARGET,
                                .element = &expression };
    ck_assert_str_eq(option_type_text(&paths, &arena),
                     "map of target to expression, or list of paths");
    arena_deinit(&arena);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("option_table");
    TCase *tc = tcase_create("table");
    tcase_add_test(tc, accepts_every_type);
    tcase_add_loop_test(tc, refuses_each_defect_with_its_own_sentence, 0,
                        (int)(sizeof single / sizeof single[0]));
    tcase_add_loop_test(tc, refuses_options_that_do_not_go_together, 0,
                        (int)(sizeof pairs / sizeof pairs[0]));
    tcase_add_test(tc, accepts_neighbours_in_a_struct);
    tcase_add_test(tc, refuses_a_table_without_end);
    tcase_add_test(tc, names_types);
    suite_add_tcase(s, tc);
    return s;
}
