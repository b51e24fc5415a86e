/* SPDX-License-Identifier: MIT */
/*
 * Operator `log`: writes a line to the log for records, and passes them on.
 */
#include <string.h>

#include <weir/operator.h>
#include <weir/plugin.h>

#include "support/kind.h"
#include "support/lane.h"
#include "support/step.h"

enum { MESSAGE_LIMIT = 8 * 1024 }; /* more than the log shows: it says itself where it cuts */

struct config {
    const weir_expression *message;
    int64_t level;
    int64_t every;
};

/* seen: records of this instance so far, since it began */
struct log {
    struct step step;
    const struct config *config;
    const weir_log_api *log;
    const weir_values_api *values;
    uint64_t seen;
};

static weir_status create(const weir_host *host, const void *config, void **ret_self)
{
    void *memory = NULL;
    weir_status st = step_create(host, sizeof(struct log), &memory);
    if (st != WEIR_OK) {
        return st;
    }
    struct log *self = memory;
    self->config = config;
    self->log = host->get_extension(host, WEIR_LOG);
    self->values = host->get_extension(host, WEIR_VALUES);
    *ret_self = self;
    return self->log != NULL && self->values != NULL ? WEIR_OK : WEIR_E_UNSUPPORTED;
}

/* Cut to what may be shown: the log takes a text that ends with NUL, and shows control characters as blanks. */
static weir_status write_text(const struct log *self, weir_context *ctx, const char *text,
                              uint64_t len)
{
    uint64_t kept = (uint64_t)kind_excerpt(text, len, MESSAGE_LIMIT);
    char *line = weir_alloc(ctx, kept + 1);
    if (line == NULL) {
        return WEIR_E_NOMEM;
    }
    for (uint64_t i = 0; i < kept; i++) {
        line[i] = text[i] == '\0' ? ' ' : text[i];
    }
    line[kept] = '\0';
    self->log->write(self->step.host, (uint32_t)self->config->level + WEIR_LOG_ERROR, line);
    return WEIR_OK;
}

/* Text as it is, all else as JSON. */
static weir_status write_line(const struct log *self, weir_context *ctx, const weir_value *message)
{
    static const char too_large[] = "(a value of more than 16 MiB)";
    struct lane_buffer buffer;
    lane_buffer_init(&buffer, ctx);
    const char *text = message->as.text;
    uint64_t len = message->len;
    if (message->tag != WEIR_TEXT) {
        const char *fault = "";
        weir_status st =
            self->values->write_json(message, WEIR_JSON_BYTES_TAGGED, 0, &buffer.base, &fault);
        if (st == WEIR_E_LIMIT) {
            return write_text(self, ctx, too_large, sizeof too_large - 1);
        }
        if (st == WEIR_E_DATA) {
            weir_fail(ctx, "cannot log this value: %s", fault);
        }
        if (st != WEIR_OK) {
            return st;
        }
        text = (const char *)buffer.base.data;
        len = buffer.base.size;
    }
    return write_text(self, ctx, text, len);
}

/* WEIR_E_DATA: the record under the cursor has failed and that has been reported. */
static weir_status tell(const struct log *self, weir_context *ctx, const weir_value *message)
{
    if (message->tag == WEIR_TAG_ERROR) {
        ctx->api->fail_value(ctx, ctx->cursor, message);
        return WEIR_E_DATA;
    }
    return write_line(self, ctx, message);
}

/* Entries of the records that are told of; *ret_count of them. NULL: no memory. */
static weir_entry *choose(const struct log *self, weir_context *ctx, const weir_batch *in,
                          uint32_t *ret_count)
{
    weir_entry *chosen = weir_alloc(ctx, (uint64_t)in->count * sizeof *chosen);
    uint32_t count = 0;
    for (uint32_t i = 0; i < in->count && chosen != NULL; i++) {
        if ((self->seen + i) % (uint64_t)self->config->every == 0) {
            chosen[count++] = in->entries[i];
        }
    }
    *ret_count = count;
    return chosen;
}

static weir_status process(void *data, weir_context *ctx, const weir_batch *in)
{
    struct log *self = data;
    uint32_t count = 0;
    weir_value *messages = NULL;
    const weir_entry *chosen = choose(self, ctx, in, &count);
    if (chosen == NULL) {
        return WEIR_E_NOMEM;
    }
    weir_status st = step_column(&self->step, ctx, self->config->message, chosen, count, &messages);
    if (st != WEIR_OK) {
        return st;
    }
    uint32_t next = 0;
    WEIR_EACH(ctx, in, entry) {
        bool is_chosen = (self->seen + ctx->cursor) % (uint64_t)self->config->every == 0;
        st = is_chosen ? tell(self, ctx, &messages[next++]) : WEIR_OK;
        if (st == WEIR_OK) {
            st = weir_pass(ctx, 0, entry);
        }
        if (st != WEIR_OK && st != WEIR_E_DATA) {
            return st;
        }
    }
    self->seen += in->count;
    return WEIR_OK;
}

static const weir_type *types_of(const void *config, const weir_types *types, const weir_type *in)
{
    (void)types->of(types, in, ((const struct config *)config)->message);
    return in;
}

static const char *const level_names[] = { "error", "warning", "info", "debug", NULL };

static const weir_option options[] = {
    { .name = "message",
      .type = WEIR_OPTION_EXPRESSION,
      .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY,
      .offset = offsetof(struct config, message),
      .summary = "What the line says",
      .doc =
          "Text is written as it is, everything else as JSON. A control character becomes a blank, "
          "and a message of more than 4 KiB is cut and ends with an ellipsis. Computed only for "
          "the records that are told of." },
    { .name = "level",
      .type = WEIR_OPTION_ENUM,
      .default_text = "info",
      .offset = offsetof(struct config, level),
      .enum_names = level_names,
      .summary = "How important the line is" },
    { .name = "every",
      .type = WEIR_OPTION_INT,
      .default_text = "1",
      .min = 1,
      .max = INT64_MAX,
      .offset = offsetof(struct config, every),
      .summary = "Tell of the first of so many records, in each partition" },
    WEIR_OPTIONS_END
};

static const weir_operator_vtable vtable = {
    .struct_size = sizeof vtable,
    .create = create,
    .process = process,
};

static const weir_factory log_factory = {
    .struct_size = sizeof log_factory,
    .kind = WEIR_KIND_OPERATOR,
    .name = "log",
    .summary = "Writes a line to the log and passes the record on",
    .doc = "```yaml\n- log: $value\n- log: {message: 'format(\"late by {}\", delay)', level: "
           "warning, every: 100}\n```\n\n"
           "The line names the step. Records that are processed again are told of again.",
    .options = options,
    .config_size = sizeof(struct config),
    .vtable = &vtable,
    .types = types_of,
};

static const weir_factory *const factories[] = { &log_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.operator.log", .name = "log", .version = "0.1.0", .vendor = "weir",
            .license = "MIT", .url = NULL,
            .summary = "Writes a line to the log and passes the record on", .factories = factories);
