/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the value of a plugin: the first one chooses an option type, or a table with one option
 * of each; the rest is YAML. What it checks beyond not crashing: a refusal has a message whose place
 * lies in the file, and what is accepted keeps the promises that sdk/include/weir/option.h gives to
 * plugins.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "pipeline/pipeline.h"
#include "plugin/options.h"
#include "value/value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* See fuzz_yaml.c. */
const char *__lsan_default_suppressions(void)
{
    return "leak:libfyaml.so\n";
}

static void require(bool is_right)
{
    if (!is_right) {
        abort();
    }
}

/* ---- the tables -------------------------------------------------------------------------------- */

enum { LEAST = -5, MOST = 1000, ENUM_COUNT = 3 };

struct inner {
    int64_t number;
    weir_text text;
};

/* A field of each type; every option of one type alone fills the same struct. */
struct config {
    uint8_t flag;
    int64_t number;
    double real;
    weir_text text;
    weir_text bytes;
    int64_t duration_ms;
    int64_t size;
    int64_t choice;
    int64_t time_ms;
    weir_text secret;
    weir_value any;
    const weir_expression *expression;
    const weir_target *target;
    weir_option_list list;
    weir_option_map map;
    weir_option_map fields;
    const struct inner *inner;
    weir_text stream;
    weir_option_list streams;
};

static const char *const choices[] = { "low", "middle", "high", NULL };
static const weir_option text_element = { .name = "text",
                                          .type = WEIR_OPTION_TEXT,
                                          .summary = "s" };
static const weir_option int_element = {
    .name = "int", .type = WEIR_OPTION_INT, .min = LEAST, .max = MOST, .summary = "s"
};
static const weir_option expression_element = { .name = "expression",
                                                .type = WEIR_OPTION_EXPRESSION,
                                                .summary = "s" };
static const weir_option stream_element = { .name = "stream",
                                            .type = WEIR_OPTION_STREAM,
                                            .summary = "s" };
static const weir_option inner_fields[] = { { .name = "number",
                                              .type = WEIR_OPTION_INT,
                                              .flags = WEIR_OPTION_REQUIRED,
                                              .offset = offsetof(struct inner, number),
                                              .summary = "s" },
                                            { .name = "text",
                                              .type = WEIR_OPTION_TEXT,
                                              .default_text = "none",
                                              .offset = offsetof(struct inner, text),
                                              .summary = "s" },
                                            WEIR_OPTIONS_END };

#define FIELD(option_name, option_type, member)                                                    \
 .name = option_name, .type = option_type, .offset = offsetof(struct config, member), .summary = "s"

static const weir_option all_options[] = {
    { FIELD("flag", WEIR_OPTION_BOOL, flag) },
    { FIELD("number", WEIR_OPTION_INT, number), .min = LEAST, .max = MOST },
    { FIELD("real", WEIR_OPTION_FLOAT, real), .min = LEAST, .max = MOST },
    { FIELD("text", WEIR_OPTION_TEXT, text) },
    { FIELD("bytes", WEIR_OPTION_BYTES, bytes) },
    { FIELD("duration", WEIR_OPTION_DURATION, duration_ms), .default_text = "5s" },
    { FIELD("size", WEIR_OPTION_SIZE, size) },
    { FIELD("choice", WEIR_OPTION_ENUM, choice), .enum_names = choices, .default_text = "low" },
    { FIELD("time", WEIR_OPTION_TIME, time_ms) },
    { FIELD("secret", WEIR_OPTION_SECRET, secret) },
    { FIELD("any", WEIR_OPTION_ANY, any) },
    { FIELD("expression", WEIR_OPTION_EXPRESSION, expression) },
    { FIELD("target", WEIR_OPTION_TARGET, target) },
    { FIELD("list", WEIR_OPTION_LIST, list), .element = &int_element, .max = 4 },
    { FIELD("map", WEIR_OPTION_MAP, map), .element = &text_element, .key_type = WEIR_OPTION_TEXT },
    { FIELD("fields", WEIR_OPTION_MAP, fields), .element = &expression_element,
      .key_type = WEIR_OPTION_TARGET, .flags = WEIR_OPTION_PATHS },
    { FIELD("inner", WEIR_OPTION_STRUCT, inner), .fields = inner_fields,
      .fields_size = sizeof(struct inner) },
    { FIELD("stream", WEIR_OPTION_STREAM, stream) },
    { FIELD("streams", WEIR_OPTION_LIST, streams), .element = &stream_element },
    WEIR_OPTIONS_END
};
enum { TYPE_COUNT = sizeof all_options / sizeof all_options[0] - 1 };

/* ---- what a plugin may rely on ----------------------------------------------------------------- */

static void check_text(weir_text text)
{
    require(text.size == 0 ||
            (text.data != NULL && utf8_valid_prefix(text.data, text.size) == text.size));
}

static void check_target(const weir_target *target)
{
    check_text(target->text);
    for (uint32_t i = 0; i < target->step_count; i++) {
        require(target->steps[i].name == NULL || target->steps[i].symbol != WEIR_SYMBOL_NONE);
    }
}

static void check_fields(const weir_option_map *fields)
{
    for (uint64_t i = 0; i < fields->count; i++) {
        require(fields->items[i].key.target != NULL && fields->items[i].value.expression != NULL);
        check_target(fields->items[i].key.target);
    }
}

static void check_config(const struct config *config)
{
    require(config->flag <= 1);
    require(config->number >= LEAST && config->number <= MOST);
    require(config->real >= LEAST && config->real <= MOST);
    require(config->choice >= 0 && config->choice < ENUM_COUNT);
    check_text(config->text);
    check_text(config->secret);
    require(config->bytes.size == 0 || config->bytes.data != NULL);
    require(config->list.count <= 4);
    for (uint64_t i = 0; i < config->list.count; i++) {
        require(config->list.items[i].i64 >= LEAST && config->list.items[i].i64 <= MOST);
    }
    for (uint64_t i = 0; i < config->map.count; i++) {
        check_text(config->map.items[i].key.text);
        check_text(config->map.items[i].value.text);
    }
    check_fields(&config->fields);
    if (config->target != NULL) {
        check_target(config->target);
    }
    if (config->inner != NULL) {
        check_text(config->inner->text);
    }
}

/* Every stream that an option names is told, by its option, and ended. */
static void check_streams(const struct config *config, const struct option_streams *streams)
{
    require(streams->count == config->streams.count + (config->stream.size > 0));
    for (size_t i = 0; i < streams->count; i++) {
        require(strcmp(streams->items[i].option, "stream") == 0 ||
                strcmp(streams->items[i].option, "streams") == 0);
        require(streams->items[i].stream[0] != '\0');
    }
    for (uint64_t i = 0; i < config->streams.count; i++) {
        weir_text name = config->streams.items[i].text;
        require(name.size > 0 && strlen(name.data) == name.size);
    }
}

static void check_diagnostics(struct diagnostics *diagnostics)
{
    weir_buffer out;
    buffer_init(&out, 1024 * 1024);
    for (size_t i = 0; i < diagnostics->count; i++) {
        const struct diagnostic *one = &diagnostics->list[i];
        require(one->message[0] != '\0' && one->place.file != NULL);
        require(one->place.offset <= one->place.file->size);
        require(one->place.length <= one->place.file->size - one->place.offset);
        buffer_clear(&out);
        diagnostic_write(one, false, &out);
    }
    buffer_deinit(&out);
}

/* ---- the target -------------------------------------------------------------------------------- */

static const char *get_env(void *self, const char *name)
{
    (void)self;
    return strcmp(name, "HOST") == 0 ? "db: \"x\" # ${HOST}" : NULL;
}

static void fill(const struct document_file *file, uint8_t choice, struct arena *arena,
                 struct diagnostics *diagnostics)
{
    const struct node *body = yaml_parse(file, arena, diagnostics);
    if (body == NULL || diagnostics->error_count > 0) {
        return;
    }
    struct symbols symbols;
    symbols_init(&symbols);
    struct expr_env env = { .symbols = &symbols, .arena = arena, .get_env = get_env };
    struct option_streams streams = { .count = 0 };
    struct options_scope scope = { .arena = arena,
                                   .diagnostics = diagnostics,
                                   .env = &env,
                                   .folder = "/pipes",
                                   .streams = &streams };
    weir_option one[2] = { all_options[choice % TYPE_COUNT], WEIR_OPTIONS_END };
    one[0].flags |= WEIR_OPTION_BODY;
    const weir_option *table = choice % (TYPE_COUNT + 1) == TYPE_COUNT ? all_options : one;
    struct config config = { .flag = 0 };
    bool is_filled = options_fill(&scope, "plugin 'fuzz'", body->place, table, body, &config);
    require(is_filled == (diagnostics->error_count == 0));
    if (is_filled) {
        check_config(&config);
        check_streams(&config, &streams);
    }
    symbols_deinit(&symbols);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    struct document_file file = { "fuzz.yaml", (const char *)data + 1, size - 1 };
    struct arena arena;
    struct diagnostics diagnostics;
    arena_init(&arena, 0);
    diagnostics_init(&diagnostics, &arena);
    fill(&file, data[0], &arena, &diagnostics);
    check_diagnostics(&diagnostics);
    diagnostics_deinit(&diagnostics);
    arena_deinit(&arena);
    return 0;
}
