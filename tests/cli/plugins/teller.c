/* SPDX-License-Identifier: MIT */
/*
 * A sink and an operator with secrets that tell them wherever a plugin can say something: as they are
 * created, open, write, say where results lie. `fails` names where one fails; then it tells them there.
 */
#include <stdio.h>
#include <string.h>
#include <weir/operator.h>
#include <weir/plugin.h>
#include <weir/sink.h>

struct config {
    weir_text secret;
    weir_option_list more;
    weir_text fails;
};

static int is_told(const struct config *config, const char *slot)
{
    return config->fails.size == strlen(slot) &&
           memcmp(config->fails.data, slot, strlen(slot)) == 0;
}

static void say(char *room, size_t size, const struct config *config, const char *slot)
{
    weir_text more = config->more.count > 0 ? config->more.items[0].text : config->secret;
    snprintf(room, size, "%s with <%.*s> and <%.*s>", slot, (int)config->secret.size,
             config->secret.data, (int)more.size, more.data);
}

static weir_status create(const weir_host *own_host, const void *config, void **ret_self)
{
    char text[400];
    const weir_log_api *log = own_host->get_extension(own_host, WEIR_LOG);
    *ret_self = (void *)config;
    say(text, sizeof text, config, "create");
    log->write(own_host, WEIR_LOG_WARNING, text);
    if (is_told(config, "create")) {
        log->write(own_host, WEIR_LOG_ERROR, text);
        return WEIR_E_INVALID;
    }
    return WEIR_OK;
}

static weir_status answer(const struct config *config, weir_context *ctx, const char *slot,
                          int64_t record)
{
    char text[400];
    if (!is_told(config, slot)) {
        return WEIR_OK;
    }
    say(text, sizeof text, config, slot);
    weir_error_info info = { .struct_size = sizeof info,
                             .status = record < 0 ? WEIR_E_IO : WEIR_E_DATA,
                             .error_class = record < 0 ? WEIR_CLASS_NETWORK : WEIR_CLASS_DATA,
                             .record_index = record,
                             .message = text,
                             .hint = text };
    ctx->api->fail(ctx, &info);
    return record < 0 ? WEIR_E_IO : WEIR_OK;
}

static weir_status sink_open(void *self, weir_context *ctx, weir_slice token)
{
    (void)token;
    return answer(self, ctx, "open", -1);
}

static weir_status sink_write(void *self, weir_context *ctx, const weir_batch *in)
{
    weir_status st = answer(self, ctx, "write", -1);
    for (uint32_t i = 0; i < in->count && st == WEIR_OK; i++) {
        st = answer(self, ctx, "record", i);
    }
    return st;
}

static weir_status sink_flush(void *self, weir_context *ctx, int64_t deadline_ns, uint32_t flags,
                              weir_buffer *token)
{
    (void)deadline_ns;
    (void)flags;
    (void)token;
    return answer(self, ctx, "flush", -1);
}

static weir_status sink_locate(void *self, weir_buffer *out)
{
    char text[400];
    say(text, sizeof text, self, "locate");
    return weir_buffer_append(out, text, strlen(text));
}

static weir_status process(void *self, weir_context *ctx, const weir_batch *in)
{
    weir_status st = answer(self, ctx, "process", -1);
    WEIR_EACH(ctx, in, entry) {
        st = st == WEIR_OK ? weir_pass(ctx, 0, entry) : st;
    }
    return st;
}

static const weir_option element = { .type = WEIR_OPTION_SECRET };
static const weir_option options[] = { { .name = "secret",
                                         .type = WEIR_OPTION_SECRET,
                                         .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY,
                                         .offset = offsetof(struct config, secret),
                                         .summary = "A secret" },
                                       { .name = "more",
                                         .type = WEIR_OPTION_LIST,
                                         .element = &element,
                                         .offset = offsetof(struct config, more),
                                         .summary = "Further secrets" },
                                       { .name = "fails",
                                         .type = WEIR_OPTION_TEXT,
                                         .offset = offsetof(struct config, fails),
                                         .summary = "Where it fails" },
                                       WEIR_OPTIONS_END };

static const weir_sink_vtable sink = { .struct_size = sizeof sink,
                                       .create = create,
                                       .open = sink_open,
                                       .write = sink_write,
                                       .flush = sink_flush,
                                       .locate = sink_locate };
static const weir_operator_vtable operator= { .struct_size = sizeof operator,
                                              .create = create,
                                              .process = process };
static const weir_factory sink_factory = { .struct_size = sizeof sink_factory,
                                           .kind = WEIR_KIND_SINK,
                                           .name = "teller",
                                           .summary = "Tells its secrets",
                                           .options = options,
                                           .config_size = sizeof(struct config),
                                           .vtable = &sink };
static const weir_factory operator_factory = { .struct_size = sizeof operator_factory,
                                               .kind = WEIR_KIND_OPERATOR,
                                               .name = "teller",
                                               .summary = "Tells its secrets",
                                               .options = options,
                                               .config_size = sizeof(struct config),
                                               .vtable = &operator};
static const weir_factory *const factories[] = { &sink_factory, &operator_factory, NULL };

WEIR_PLUGIN(.id = "org.example.teller", .name = "teller", .version = "1.2.3", .vendor = "Example",
            .license = "MIT", .url = "https://example.org", .summary = "For tests",
            .factories = factories);
