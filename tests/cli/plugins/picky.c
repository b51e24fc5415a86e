/* SPDX-License-Identifier: MIT */
/*
 * A sink for the tests of dead letters: appends values as JSON to a file, a line each, but rejects those
 * whose JSON is longer than `limit` or contains `no`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/plugin.h>
#include <weir/sink.h>

struct config {
    weir_text path;
    weir_text no;
    int64_t limit;
};

struct self {
    const struct config *config;
    const weir_values_api *values;
};

static const weir_option options[] = { { .name = "path",
                                         .type = WEIR_OPTION_TEXT,
                                         .flags = WEIR_OPTION_BODY,
                                         .default_text = "picky.jsonl",
                                         .offset = offsetof(struct config, path),
                                         .summary = "The file" },
                                       { .name = "no",
                                         .type = WEIR_OPTION_TEXT,
                                         .default_text = "\x01",
                                         .offset = offsetof(struct config, no),
                                         .summary = "What it does not take" },
                                       { .name = "limit",
                                         .type = WEIR_OPTION_INT,
                                         .default_text = "1000000",
                                         .max = INT64_MAX,
                                         .offset = offsetof(struct config, limit),
                                         .summary = "The longest line" },
                                       WEIR_OPTIONS_END };

static weir_status create(const weir_host *host, const void *config, void **ret_self)
{
    const weir_memory_api *memory = host->get_extension(host, WEIR_MEMORY);
    struct self *self = memory->alloc(host, sizeof *self);
    if (self == NULL) {
        return WEIR_E_NOMEM;
    }
    self->config = config;
    self->values = host->get_extension(host, WEIR_VALUES);
    *ret_self = self;
    return WEIR_OK;
}

static weir_status grow(weir_buffer *buffer, uint64_t more)
{
    uint64_t capacity = (buffer->size + more) * 2;
    uint8_t *data = realloc(buffer->data, capacity);
    if (data == NULL) {
        return WEIR_E_NOMEM;
    }
    buffer->data = data;
    buffer->capacity = capacity;
    return WEIR_OK;
}

static weir_status write_records(void *instance, weir_context *ctx, const weir_batch *in)
{
    struct self *self = instance;
    weir_buffer text = { .limit = UINT64_MAX, .grow = grow };
    FILE *file = fopen(self->config->path.data, "a");
    if (file == NULL) {
        return WEIR_E_IO;
    }
    WEIR_EACH(ctx, in, entry) {
        text.size = 0;
        if (self->values->write_json(&entry->record->value, 0, 0, &text, NULL) != WEIR_OK) {
            weir_fail(ctx, "no JSON");
        } else if (text.size > (uint64_t)self->config->limit) {
            weir_fail(ctx, "longer than the limit");
        } else if (memmem(text.data, text.size, self->config->no.data, self->config->no.size)) {
            weir_fail(ctx, "it does not like this");
        } else {
            fprintf(file, "%.*s\n", (int)text.size, (const char *)text.data);
        }
    }
    free(text.data);
    return fclose(file) == 0 ? WEIR_OK : WEIR_E_IO;
}

static weir_status open_file(void *instance, weir_context *ctx, weir_slice token)
{
    (void)instance;
    (void)ctx;
    (void)token;
    return WEIR_OK;
}

static weir_status flush(void *instance, weir_context *ctx, int64_t deadline_ns, uint32_t flags,
                         weir_buffer *ret_token)
{
    (void)instance;
    (void)ctx;
    (void)deadline_ns;
    (void)flags;
    (void)ret_token;
    return WEIR_OK;
}

static const weir_sink_vtable vtable = { .struct_size = sizeof vtable,
                                         .create = create,
                                         .open = open_file,
                                         .flush = flush,
                                         .write = write_records };
static const weir_factory picky = { .struct_size = sizeof picky,
                                    .kind = WEIR_KIND_SINK,
                                    .name = "picky",
                                    .summary = "Takes what it likes",
                                    .options = options,
                                    .config_size = sizeof(struct config),
                                    .vtable = &vtable };
static const weir_factory *const factories[] = { &picky, NULL };

WEIR_PLUGIN(.id = "org.example.picky", .name = "picky", .version = "1.0.0", .vendor = "Example",
            .license = "MIT", .summary = "Takes what it likes", .factories = factories);
