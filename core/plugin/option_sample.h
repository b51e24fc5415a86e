/* SPDX-License-Identifier: MIT */
/* For tests of options: a table with an option of every type but expressions, and its struct. */
#ifndef PLUGIN_OPTION_SAMPLE_H
#define PLUGIN_OPTION_SAMPLE_H

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

static inline bool fill(const struct node *body)
{
    memset(&config, 0, sizeof config);
    struct place place = { &source, 0, 6 };
    return options_fill(&scope, "source 'file'", place, table, body, &config);
}

/* Fills from `path: x` and one further option. */
static inline bool fill_one(const char *name, const struct node *value)
{
    return fill(map_of(2, "path", plain("x"), name, value));
}

#endif
