/* SPDX-License-Identifier: MIT */
/*
 * The operator every_option: one option of each type, for the files every-*.yaml, which give them wrong
 * values. It passes records on.
 */
#include <weir/operator.h>
#include <weir/plugin.h>

struct retry {
    int64_t count;
    int64_t pause_ms;
};

struct config {
    uint8_t flag;
    int64_t count;
    int64_t whole;
    double ratio;
    double number;
    weir_text title;
    weir_text path;
    weir_text magic;
    int64_t wait_ms;
    int64_t room_bytes;
    int64_t format;
    int64_t since_ms;
    weir_text token;
    weir_value extra;
    const weir_expression *where;
    const weir_target *into;
    weir_option_list names;
    weir_option_list pair;
    weir_option_list retries;
    weir_option_map fields;
    weir_option_map labels;
    const struct retry *retry;
    weir_text right;
    weir_option_list others;
};

static const char *const inputs[] = { "left", "right", "others", NULL };

static const char *const formats[] = { "table", "json", "json_lines", NULL };

static const weir_option text_element = { .type = WEIR_OPTION_TEXT };
static const weir_option expression_element = { .type = WEIR_OPTION_EXPRESSION };
static const weir_option int_element = { .type = WEIR_OPTION_INT, .min = 1, .max = 9 };

static const weir_option retry_fields[] = {
    { .name = "count",
      .type = WEIR_OPTION_INT,
      .flags = WEIR_OPTION_REQUIRED,
      .offset = offsetof(struct retry, count),
      .summary = "How often" },
    { .name = "pause",
      .type = WEIR_OPTION_DURATION,
      .offset = offsetof(struct retry, pause_ms),
      .summary = "How long" },
    WEIR_OPTIONS_END,
};

static const weir_option stream_element = { .type = WEIR_OPTION_STREAM };
static const weir_option retry_element = { .type = WEIR_OPTION_STRUCT,
                                           .fields = retry_fields,
                                           .fields_size = sizeof(struct retry) };

#define AT(field) .offset = offsetof(struct config, field), .summary = "One of each type"

static const weir_option options[] = {
    { .name = "flag", .type = WEIR_OPTION_BOOL, AT(flag) },
    { .name = "count", .type = WEIR_OPTION_INT, .min = 1, .max = 10, AT(count) },
    { .name = "whole", .type = WEIR_OPTION_INT, AT(whole) },
    { .name = "ratio", .type = WEIR_OPTION_FLOAT, .min = 0, .max = 1, AT(ratio) },
    { .name = "number", .type = WEIR_OPTION_FLOAT, AT(number) },
    { .name = "title", .type = WEIR_OPTION_TEXT, AT(title) },
    { .name = "path", .type = WEIR_OPTION_TEXT, .flags = WEIR_OPTION_PATH, AT(path) },
    { .name = "magic", .type = WEIR_OPTION_BYTES, AT(magic) },
    { .name = "wait", .type = WEIR_OPTION_DURATION, .min = 1000, .max = INT64_MAX, AT(wait_ms) },
    { .name = "room", .type = WEIR_OPTION_SIZE, .min = 1024, .max = 1 << 30, AT(room_bytes) },
    { .name = "format", .type = WEIR_OPTION_ENUM, .enum_names = formats, AT(format) },
    { .name = "since", .type = WEIR_OPTION_TIME, AT(since_ms) },
    { .name = "token", .type = WEIR_OPTION_SECRET, AT(token) },
    { .name = "extra", .type = WEIR_OPTION_ANY, AT(extra) },
    { .name = "where", .type = WEIR_OPTION_EXPRESSION, AT(where) },
    { .name = "into", .type = WEIR_OPTION_TARGET, AT(into) },
    { .name = "names", .type = WEIR_OPTION_LIST, .element = &text_element, AT(names) },
    { .name = "pair",
      .type = WEIR_OPTION_LIST,
      .element = &int_element,
      .min = 2,
      .max = 2,
      AT(pair) },
    { .name = "retries",
      .type = WEIR_OPTION_LIST,
      .element = &retry_element,
      .min = 1,
      .max = INT64_MAX,
      AT(retries) },
    { .name = "fields",
      .type = WEIR_OPTION_MAP,
      .flags = WEIR_OPTION_PATHS,
      .key_type = WEIR_OPTION_TARGET,
      .element = &expression_element,
      AT(fields) },
    { .name = "labels",
      .type = WEIR_OPTION_MAP,
      .key_type = WEIR_OPTION_TEXT,
      .element = &text_element,
      .min = 1,
      .max = 2,
      AT(labels) },
    { .name = "retry",
      .type = WEIR_OPTION_STRUCT,
      .fields = retry_fields,
      .fields_size = sizeof(struct retry),
      AT(retry) },
    { .name = "right", .type = WEIR_OPTION_STREAM, AT(right) },
    { .name = "others", .type = WEIR_OPTION_LIST, .element = &stream_element, AT(others) },
    WEIR_OPTIONS_END,
};

static weir_status process(void *self, weir_context *ctx, const weir_batch *in)
{
    (void)self;
    WEIR_EACH(ctx, in, entry) {
        weir_status st = weir_pass(ctx, 0, entry);
        if (st != WEIR_OK) {
            return st;
        }
    }
    return WEIR_OK;
}

static const weir_operator_vtable vtable = { .struct_size = sizeof vtable, .process = process };
static const weir_factory factory = { .struct_size = sizeof factory,
                                      .kind = WEIR_KIND_OPERATOR,
                                      .name = "every_option",
                                      .summary = "Passes records on",
                                      .options = options,
                                      .config_size = sizeof(struct config),
                                      .inputs = inputs,
                                      .vtable = &vtable };
static const weir_factory *const factories[] = { &factory, NULL };

WEIR_PLUGIN(.id = "org.example.every-option", .name = "every_option", .version = "1.0.0",
            .vendor = "Example", .license = "MIT", .url = "https://example.org",
            .summary = "Has an option of each type", .factories = factories);
