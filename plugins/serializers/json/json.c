/* SPDX-License-Identifier: MIT */
/*
 * Serializer `json`: messages are JSON texts.
 *
 * Reading is support/json_decode; writing is the host's, so that JSON looks the same wherever weir
 * writes it. The instance owns the decoder and what it has learned of the records' shapes.
 */
#include <stdio.h>

#include <weir/plugin.h>
#include <weir/serializer.h>

#include "support/json_decode.h"

enum { NULL_TOMBSTONE, NULL_TEXT };
enum { NAN_NULL, NAN_ERROR };

struct config {
    int64_t max_depth;
    int64_t null_as;
    int64_t nan_as;
};

struct json {
    struct json_decoder decoder;
    const weir_values_api *values;
    uint32_t max_depth;
    uint32_t write_flags;
    bool has_tombstones;
};

static weir_status create(const weir_host *host, const void *config_data, void **ret_self)
{
    const struct config *config = config_data;
    const weir_memory_api *memory = host->get_extension(host, WEIR_MEMORY);
    const weir_values_api *values = host->get_extension(host, WEIR_VALUES);
    if (memory == NULL || values == NULL) {
        return WEIR_E_UNSUPPORTED;
    }
    struct json *self = memory->alloc(host, sizeof *self);
    if (self == NULL) {
        return WEIR_E_NOMEM;
    }
    self->values = values;
    self->max_depth = (uint32_t)config->max_depth;
    self->write_flags = config->nan_as == NAN_ERROR ? WEIR_JSON_NAN_ERROR : 0;
    self->has_tombstones = config->null_as == NULL_TOMBSTONE;
    *ret_self = self;
    return json_decoder_init(&self->decoder, host, self->max_depth);
}

static void destroy(void *data)
{
    struct json *self = data;
    json_decoder_deinit(&self->decoder);
}

static void report_unreadable(weir_context *ctx, uint32_t index, const struct json_fault *fault)
{
    char message[256];
    snprintf(message, sizeof message, "cannot read the payload as JSON: byte %llu: %s",
             (unsigned long long)fault->byte, fault->message);
    weir_fail_class(ctx, index, WEIR_E_DATA, WEIR_CLASS_DATA, message, NULL);
}

static weir_status decode(void *data, weir_context *ctx, const weir_slice *payloads, uint32_t count,
                          weir_value *out)
{
    struct json *self = data;
    for (uint32_t i = 0; i < count; i++) {
        if (payloads[i].size == WEIR_ABSENT) {
            out[i] = weir_null();
            continue;
        }
        struct json_fault fault;
        weir_status st = json_decode(&self->decoder, ctx, payloads[i], &out[i], &fault);
        if (st == WEIR_E_DATA) {
            report_unreadable(ctx, i, &fault);
        } else if (st != WEIR_OK) {
            return st;
        }
    }
    return WEIR_OK;
}

static void report_unwritable(weir_context *ctx, uint32_t index, const char *fault)
{
    char message[256];
    snprintf(message, sizeof message, "cannot write the value as JSON: %s", fault);
    weir_fail_class(ctx, index, WEIR_E_DATA, WEIR_CLASS_DATA, message, NULL);
}

static weir_status encode(void *data, weir_context *ctx, const weir_value *const *values,
                          uint32_t count, weir_buffer *out, uint64_t *ends)
{
    struct json *self = data;
    for (uint32_t i = 0; i < count; i++) {
        if (values[i]->tag == WEIR_NULL && self->has_tombstones) {
            ends[i] = WEIR_ABSENT;
            continue;
        }
        uint64_t begin = out->size;
        const char *fault = "it has no form in JSON";
        weir_status st =
            self->values->write_json(values[i], self->write_flags, self->max_depth, out, &fault);
        if (st == WEIR_E_DATA) {
            out->size = begin;
            ends[i] = WEIR_ABSENT;
            report_unwritable(ctx, i, fault);
        } else if (st != WEIR_OK) {
            return st;
        } else {
            ends[i] = out->size;
        }
    }
    return WEIR_OK;
}

static const char *const null_names[] = { "tombstone", "text", NULL };
static const char *const nan_names[] = { "null", "error", NULL };

static const weir_option options[] = {
    { .name = "max_depth",
      .type = WEIR_OPTION_INT,
      .offset = offsetof(struct config, max_depth),
      .default_text = "254",
      .min = 1,
      .max = 1000,
      .summary = "Levels of lists and maps that a message may have",
      .doc = "A message that is nested deeper is an error, whether it is read or written." },
    { .name = "null",
      .type = WEIR_OPTION_ENUM,
      .offset = offsetof(struct config, null_as),
      .default_text = "tombstone",
      .enum_names = null_names,
      .summary = "How a null value is written",
      .doc = "`tombstone`: a message without payload, which a compacted topic takes as \"remove "
             "this key\". `text`: the four letters `null`. Either is read as null." },
    { .name = "nan",
      .type = WEIR_OPTION_ENUM,
      .offset = offsetof(struct config, nan_as),
      .default_text = "null",
      .enum_names = nan_names,
      .summary = "How NaN and infinities, which JSON does not have, are written",
      .doc = "`null`: as null. `error`: the record fails, and the `on_error` of its end decides "
             "what becomes of it." },
    WEIR_OPTIONS_END
};

static const weir_serializer_vtable vtable = {
    .struct_size = sizeof vtable,
    .create = create,
    .destroy = destroy,
    .decode = decode,
    .encode = encode,
};

static const weir_factory json_factory = {
    .struct_size = sizeof json_factory,
    .kind = WEIR_KIND_SERIALIZER,
    .name = "json",
    .summary = "JSON, any value",
    .doc = "Reads RFC 8259 JSON in UTF-8 and nothing looser: no comments, no trailing commas, no "
           "`NaN`, no lone surrogates. An error names the byte. A byte order mark at the start is "
           "an error too. Of two members with the same key the last value stands at the first's "
           "place.\n\n"
           "What no step has changed goes out as it came in, byte for byte: numbers keep their "
           "digits (`1.10`, `12345678901234567890123`), untouched lists, maps and texts their "
           "blanks and escapes. Whatever is new is written compactly, members in order, floats "
           "with as few digits as read back the same.",
    .options = options,
    .config_size = sizeof(struct config),
    .vtable = &vtable,
};

static const weir_factory *const factories[] = { &json_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.serializer.json", .name = "json", .version = "0.1.0", .vendor = "weir",
            .license = "MIT", .url = NULL, .summary = "Messages as JSON", .factories = factories);
