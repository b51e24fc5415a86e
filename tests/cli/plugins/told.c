/* SPDX-License-Identifier: MIT */
/*
 * An operator with an option of each type. As it is created it writes those that were given, byte for byte
 * in hex, to the file that $TOLD names: `STEP NAME HEX` each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <weir/operator.h>
#include <weir/plugin.h>

enum { NONE = -7777 };

struct inner {
    int64_t count;
    weir_text name;
};

struct config {
    int64_t step;
    weir_text before;
    uint8_t flag;
    int64_t whole;
    double number;
    weir_text text;
    weir_text path;
    weir_text bytes;
    int64_t wait;
    int64_t room;
    int64_t format;
    int64_t since;
    weir_text secret;
    weir_value any;
    const weir_target *into;
    const weir_expression *where;
    weir_option_list texts;
    weir_option_list numbers;
    weir_option_map map;
    const struct inner *inner;
    weir_option_list inners;
    const weir_option_value *nullable;
    weir_text right;
    weir_text after;
};

static const char *const inputs[] = { "left", "right", NULL };
static const char *const formats[] = { "a # b", "json", NULL };
static const weir_option text_element = { .type = WEIR_OPTION_TEXT };
static const weir_option int_element = { .type = WEIR_OPTION_INT };

#define OF(part, field) .offset = offsetof(struct part, field), .summary = "One of each type"

static const weir_option inner_fields[] = {
    { .name = "count", .type = WEIR_OPTION_INT, .default_text = "-7777", OF(inner, count) },
    { .name = "name", .type = WEIR_OPTION_TEXT, OF(inner, name) },
    WEIR_OPTIONS_END,
};
static const weir_option inner_element = { .type = WEIR_OPTION_STRUCT,
                                           .fields = inner_fields,
                                           .fields_size = sizeof(struct inner) };

static const weir_option options[] = {
    { .name = "step", .type = WEIR_OPTION_INT, OF(config, step) },
    { .name = "before", .type = WEIR_OPTION_TEXT, OF(config, before) },
    { .name = "flag", .type = WEIR_OPTION_BOOL, OF(config, flag) },
    { .name = "whole", .type = WEIR_OPTION_INT, .default_text = "-7777", OF(config, whole) },
    { .name = "number", .type = WEIR_OPTION_FLOAT, .default_text = "-7777", OF(config, number) },
    { .name = "text", .type = WEIR_OPTION_TEXT, OF(config, text) },
    { .name = "path", .type = WEIR_OPTION_TEXT, .flags = WEIR_OPTION_PATH, OF(config, path) },
    { .name = "bytes", .type = WEIR_OPTION_BYTES, OF(config, bytes) },
    { .name = "wait", .type = WEIR_OPTION_DURATION, OF(config, wait) },
    { .name = "room", .type = WEIR_OPTION_SIZE, OF(config, room) },
    { .name = "format", .type = WEIR_OPTION_ENUM, .enum_names = formats, OF(config, format) },
    { .name = "since", .type = WEIR_OPTION_TIME, OF(config, since) },
    { .name = "secret", .type = WEIR_OPTION_SECRET, OF(config, secret) },
    { .name = "any", .type = WEIR_OPTION_ANY, OF(config, any) },
    { .name = "into", .type = WEIR_OPTION_TARGET, OF(config, into) },
    { .name = "where", .type = WEIR_OPTION_EXPRESSION, OF(config, where) },
    { .name = "texts", .type = WEIR_OPTION_LIST, .element = &text_element, OF(config, texts) },
    { .name = "numbers", .type = WEIR_OPTION_LIST, .element = &int_element, OF(config, numbers) },
    { .name = "map",
      .type = WEIR_OPTION_MAP,
      .key_type = WEIR_OPTION_TEXT,
      .element = &text_element,
      OF(config, map) },
    { .name = "inner",
      .type = WEIR_OPTION_STRUCT,
      .fields = inner_fields,
      .fields_size = sizeof(struct inner),
      OF(config, inner) },
    { .name = "inners", .type = WEIR_OPTION_LIST, .element = &inner_element, OF(config, inners) },
    { .name = "nullable",
      .type = WEIR_OPTION_INT,
      .flags = WEIR_OPTION_NULLABLE,
      OF(config, nullable) },
    { .name = "right", .type = WEIR_OPTION_STREAM, OF(config, right) },
    { .name = "after", .type = WEIR_OPTION_TEXT, OF(config, after) },
    WEIR_OPTIONS_END,
};

static void tell(FILE *file, int64_t step, const char *name, const void *bytes, size_t size)
{
    fprintf(file, "%lld %s ", (long long)step, name);
    for (size_t i = 0; i < size; i++) {
        fprintf(file, "%02x", ((const unsigned char *)bytes)[i]);
    }
    fprintf(file, "\n");
}

static void tell_text(FILE *file, int64_t step, const char *name, weir_text text)
{
    if (text.data != NULL) {
        tell(file, step, name, text.data, text.size);
    }
}

static void tell_int(FILE *file, int64_t step, const char *name, int64_t number)
{
    char text[32];
    if (number != 0 && number != NONE) {
        tell(file, step, name, text,
             (size_t)snprintf(text, sizeof text, "%lld", (long long)number));
    }
}

static void tell_any(FILE *file, int64_t step, const char *name, const weir_value *value)
{
    char text[64];
    switch (value->tag) {
    case WEIR_TEXT:
    case WEIR_NUMBER:
        tell(file, step, name, value->as.text, value->len);
        return;
    case WEIR_INT:
        tell_int(file, step, name, value->as.i64);
        return;
    case WEIR_FLOAT:
        tell(file, step, name, text, (size_t)snprintf(text, sizeof text, "%.17g", value->as.f64));
        return;
    case WEIR_BOOL:
        tell_text(file, step, name,
                  value->as.i64 != 0 ? (weir_text){ "true", 4 } : (weir_text){ "false", 5 });
        return;
    case WEIR_LIST:
        for (uint32_t i = 0; i < value->len; i++) {
            tell_any(file, step, "any.item", &value->as.items[i]);
        }
        return;
    case WEIR_MAP:
        for (uint32_t i = 0; i < value->len; i++) {
            tell_any(file, step, "any.member", &value->as.members[i].value);
        }
        return;
    default:
        return;
    }
}

static void tell_inner(FILE *file, int64_t step, const struct inner *inner)
{
    tell_int(file, step, "inner.count", inner->count);
    tell_text(file, step, "inner.name", inner->name);
}

static void tell_lists(FILE *file, int64_t step, const struct config *c)
{
    for (size_t i = 0; i < c->texts.count; i++) {
        tell_text(file, step, "texts", c->texts.items[i].text);
    }
    for (size_t i = 0; i < c->numbers.count; i++) {
        tell_int(file, step, "numbers", c->numbers.items[i].i64);
    }
    for (size_t i = 0; i < c->map.count; i++) {
        tell_text(file, step, "map.key", c->map.items[i].key.text);
        tell_text(file, step, "map", c->map.items[i].value.text);
    }
    for (size_t i = 0; i < c->inners.count; i++) {
        tell_inner(file, step, c->inners.items[i].fields);
    }
    if (c->inner != NULL) {
        tell_inner(file, step, c->inner);
    }
    if (c->nullable != NULL) {
        tell_int(file, step, "nullable", c->nullable->i64);
    }
}

static weir_status create(const weir_host *host, const void *config, void **ret_self)
{
    (void)host;
    const struct config *c = config;
    char number[64];
    const char *path = getenv("TOLD");
    FILE *file = path == NULL ? NULL : fopen(path, "a");
    if (file == NULL) {
        return WEIR_E_IO;
    }
    tell_text(file, c->step, "before", c->before);
    tell_int(file, c->step, "flag", c->flag);
    tell_int(file, c->step, "whole", c->whole);
    if (c->number > NONE || c->number < NONE) {
        size_t size = (size_t)snprintf(number, sizeof number, "%.17g", c->number);
        tell(file, c->step, "number", number, size);
    }
    tell_text(file, c->step, "text", c->text);
    tell_text(file, c->step, "path", c->path);
    tell_text(file, c->step, "bytes", c->bytes);
    tell_int(file, c->step, "wait", c->wait);
    tell_int(file, c->step, "room", c->room);
    tell_int(file, c->step, "format", c->format);
    tell_int(file, c->step, "since", c->since);
    tell_text(file, c->step, "secret", c->secret);
    tell_any(file, c->step, "any", &c->any);
    tell_text(file, c->step, "right", c->right);
    tell_lists(file, c->step, c);
    tell_text(file, c->step, "after", c->after);
    *ret_self = (void *)(uintptr_t)config;
    return fclose(file) == 0 ? WEIR_OK : WEIR_E_IO;
}

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

static const weir_operator_vtable vtable = { .struct_size = sizeof vtable,
                                             .create = create,
                                             .process = process };
static const weir_factory factory = { .struct_size = sizeof factory,
                                      .kind = WEIR_KIND_OPERATOR,
                                      .name = "told",
                                      .summary = "Tells its options",
                                      .options = options,
                                      .config_size = sizeof(struct config),
                                      .inputs = inputs,
                                      .vtable = &vtable };
static const weir_factory *const factories[] = { &factory, NULL };

WEIR_PLUGIN(.id = "org.example.told", .name = "told", .version = "1.0.0", .vendor = "Example",
            .license = "MIT", .url = "https://example.org", .summary = "Tells its options",
            .factories = factories);
