/* SPDX-License-Identifier: MIT */
/*
 * Source `generator`: records made up by expressions, as many and as fast as wanted.
 *
 * A record depends on seed, start and its number alone, so that a run that goes on at its position
 * gives what one without a break would have given. `made` counts the numbers that were used up, those
 * of failed records too.
 */
#include "generator.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include <weir/plugin.h>
#include <weir/source.h>

#include "support/fault.h"
#include "support/heap_buffer.h"

enum { POSITION_VERSION = 1, POSITION_WORDS = 2, POSITION_BYTES = 1 + POSITION_WORDS * 8 };
enum { LONGEST_SLEEP_MS = 20 };

static weir_status validate(const void *config_data, weir_error_info *fault)
{
    const struct config *config = config_data;
    if (config->value == NULL || config->fields.items == NULL) {
        return WEIR_OK;
    }
    fault->message = "'fields' and 'value' both say what the record is; remove one of them";
    return WEIR_E_INVALID;
}

/* ---- making ------------------------------------------------------------------------------------ */

static weir_status fill(struct generator *self, const weir_host *host)
{
    const weir_memory_api *memory = host->get_extension(host, WEIR_MEMORY);
    const weir_symbols_api *symbols = host->get_extension(host, WEIR_SYMBOLS);
    const weir_option_map *fields = &self->config->fields;
    self->column_count = self->config->value != NULL ? 1 : (uint32_t)fields->count;
    self->places = memory->alloc(host, (fields->count + 1) * sizeof *self->places);
    if (self->places == NULL) {
        return WEIR_E_NOMEM;
    }
    for (uint32_t i = 0; i < fields->count; i++) {
        if (!edit_place_init(&self->places[i], host, fields->items[i].key.target)) {
            return WEIR_E_NOMEM;
        }
    }
    for (uint32_t i = 0; i < MEMBER_COUNT; i++) {
        const char *name = generator_member_names[i];
        self->symbols[i] = symbols->intern(host, name, (uint32_t)strlen(name));
        if (self->symbols[i] == WEIR_SYMBOL_NONE) {
            return WEIR_E_NOMEM;
        }
    }
    return WEIR_OK;
}

static weir_status create(const weir_host *host, const void *config, void **ret_self)
{
    const weir_memory_api *memory = host->get_extension(host, WEIR_MEMORY);
    const weir_clock_api *clock = host->get_extension(host, WEIR_CLOCK);
    const weir_expressions_api *expressions = host->get_extension(host, WEIR_EXPRESSIONS);
    const weir_symbols_api *symbols = host->get_extension(host, WEIR_SYMBOLS);
    const weir_values_api *values = host->get_extension(host, WEIR_VALUES);
    if (memory == NULL || clock == NULL || expressions == NULL || symbols == NULL ||
        values == NULL) {
        return WEIR_E_UNSUPPORTED;
    }
    struct generator *self = memory->alloc(host, sizeof *self);
    if (self == NULL) {
        return WEIR_E_NOMEM;
    }
    self->host = host;
    self->config = config;
    self->clock = clock;
    self->expressions = expressions;
    self->values = values;
    heap_buffer_init(&self->input, UINT32_MAX);
    *ret_self = self;
    return fill(self, host);
}

static void destroy(void *data)
{
    struct generator *self = data;
    heap_buffer_deinit(&self->input);
}

/* ---- position ---------------------------------------------------------------------------------- */

static weir_status position(void *data, weir_context *ctx, weir_buffer *out)
{
    const struct generator *self = data;
    (void)ctx;
    const uint64_t words[POSITION_WORDS] = { self->made, (uint64_t)self->start_ms };
    uint8_t bytes[POSITION_BYTES] = { POSITION_VERSION };
    for (size_t i = 0; i < POSITION_BYTES - 1; i++) {
        bytes[1 + i] = (uint8_t)(words[i / 8] >> (i % 8 * 8));
    }
    return weir_buffer_append(out, bytes, sizeof bytes);
}

static bool read_position(struct generator *self, weir_slice bytes)
{
    uint64_t words[POSITION_WORDS] = { 0 };
    if (bytes.size != POSITION_BYTES || bytes.data[0] != POSITION_VERSION) {
        return false;
    }
    for (size_t i = 0; i < POSITION_BYTES - 1; i++) {
        words[i / 8] |= (uint64_t)bytes.data[1 + i] << (i % 8 * 8);
    }
    self->made = words[0];
    self->start_ms = (int64_t)words[1];
    return true;
}

static weir_status check_config(const struct generator *self, weir_context *ctx, uint32_t flags)
{
    if (self->config->count == 0 && (flags & WEIR_SOURCE_UNTIL_END) != 0) {
        return fault_call(ctx, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
                          "give it a 'count', or run without --until-end",
                          "the source 'generator' has no end to run until");
    }
    return WEIR_OK;
}

static weir_status open_source(void *data, weir_context *ctx, weir_slice bytes, uint32_t flags)
{
    struct generator *self = data;
    weir_status st = check_config(self, ctx, flags);
    if (st != WEIR_OK) {
        return st;
    }
    self->made = 0;
    self->start_ms = self->clock->now_ms(self->host);
    if (bytes.size > 0 && !read_position(self, bytes)) {
        return fault_call(ctx, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
                          "start with --fresh, or with the version of weir that stored it",
                          "cannot read the stored position of the source 'generator'");
    }
    if (self->config->start_ms != NULL) {
        self->start_ms = self->config->start_ms->i64;
    }
    self->first = self->made;
    self->given = 0;
    self->opened_ns = self->clock->monotonic_ns(self->host);
    return WEIR_OK;
}

/* ---- time -------------------------------------------------------------------------------------- */

/* Records that may be made now; where it is none, *ret_wait_ms until the next may be. */
static uint64_t count_due(const struct generator *self, uint32_t wanted, int64_t *ret_wait_ms)
{
    uint64_t due = wanted;
    *ret_wait_ms = 0;
    if (self->config->rate > 0) {
        int64_t passed_ns = self->clock->monotonic_ns(self->host) - self->opened_ns;
        double planned = (double)passed_ns / 1e9 * self->config->rate + 1;
        double left = planned - (double)(self->made - self->first);
        due = left < 1 ? 0 : left < wanted ? (uint64_t)left : wanted;
        double wait_ms = (1 - left) * 1000 / self->config->rate;
        *ret_wait_ms = wait_ms < LONGEST_SLEEP_MS ? (int64_t)wait_ms + 1 : LONGEST_SLEEP_MS;
    }
    if (self->config->count > 0) {
        uint64_t count = (uint64_t)self->config->count;
        uint64_t left = self->made < count ? count - self->made : 0;
        due = due < left ? due : left;
    }
    return due;
}

/* Waits, in short steps since the clock may be another than the machine's, for the next record. */
static uint64_t wait_for_due(const struct generator *self, uint32_t wanted, int64_t timeout_ms)
{
    int64_t wait_ms;
    uint64_t due = count_due(self, wanted, &wait_ms);
    while (due == 0 && timeout_ms > 0) {
        int64_t step_ms = wait_ms < timeout_ms ? wait_ms : timeout_ms;
        struct timespec step = { .tv_nsec = (long)step_ms * 1000000 };
        nanosleep(&step, NULL);
        timeout_ms -= step_ms;
        due = count_due(self, wanted, &wait_ms);
    }
    return due;
}

/* ---- polling ------------------------------------------------------------------------------------ */

static weir_status poll_source(void *data, weir_context *ctx, uint32_t max_records,
                               int64_t timeout_ms)
{
    struct generator *self = data;
    if (self->config->count > 0 && self->made >= (uint64_t)self->config->count) {
        return WEIR_END;
    }
    uint64_t due = wait_for_due(self, max_records, timeout_ms);
    return due == 0 ? WEIR_AGAIN : generator_emit(self, ctx, (uint32_t)due);
}

static weir_status describe(void *data, weir_context *ctx, weir_buffer *out)
{
    const struct generator *self = data;
    (void)ctx;
    char text[128];
    if (self->given == 0) {
        snprintf(text, sizeof text, "nothing new (%llu made before)",
                 (unsigned long long)self->made);
    } else {
        snprintf(text, sizeof text, "%llu record%s made", (unsigned long long)self->given,
                 self->given == 1 ? "" : "s");
    }
    return weir_buffer_append(out, text, strlen(text));
}

/* ---- the table --------------------------------------------------------------------------------- */

static const weir_option expression_element = {
    .name = "expression",
    .type = WEIR_OPTION_EXPRESSION,
    .summary = "What the field holds",
};

static const weir_option options[] = {
    { .name = "fields",
      .type = WEIR_OPTION_MAP,
      .flags = WEIR_OPTION_PATHS,
      .offset = offsetof(struct config, fields),
      .key_type = WEIR_OPTION_TARGET,
      .element = &expression_element,
      .summary = "The fields of a record, each with its expression",
      .doc = "The expressions see `n`, the record's number from 0; `r`, a random number from 0 to "
             "1 (1 left out); `r2`, `r3`, `r4`, further ones; `t`, the time that the record is "
             "planned for, in milliseconds since 1970. They do not see one another. Without "
             "`fields` and `value` these six are the record." },
    { .name = "value",
      .type = WEIR_OPTION_EXPRESSION,
      .offset = offsetof(struct config, value),
      .summary = "The whole value, instead of `fields`" },
    { .name = "count",
      .type = WEIR_OPTION_INT,
      .offset = offsetof(struct config, count),
      .default_text = "0",
      .max = INT64_MAX,
      .summary = "Records to make, all runs together; 0 is without end",
      .doc = "Numbers whose record failed count too." },
    { .name = "rate",
      .type = WEIR_OPTION_FLOAT,
      .offset = offsetof(struct config, rate),
      .default_text = "0",
      .max = 1000000000,
      .summary = "Records a second; 0 is as fast as possible",
      .doc = "What could not be made in time is made up for at once." },
    { .name = "seed",
      .type = WEIR_OPTION_INT,
      .offset = offsetof(struct config, seed),
      .default_text = "1",
      .summary = "Another seed gives other random numbers" },
    { .name = "start",
      .type = WEIR_OPTION_TIME,
      .flags = WEIR_OPTION_NULLABLE,
      .offset = offsetof(struct config, start_ms),
      .summary = "The time that record 0 is planned for",
      .doc = "Without it, the moment of the first start. Later records are planned `1 / rate` "
             "seconds apart, without a rate one millisecond. A record's timestamp is its planned "
             "time." },
    WEIR_OPTIONS_END
};

static const weir_source_vtable vtable = {
    .struct_size = sizeof vtable,
    .create = create,
    .destroy = destroy,
    .open = open_source,
    .poll = poll_source,
    .position = position,
    .describe = describe,
};

static const weir_factory generator_factory = {
    .struct_size = sizeof generator_factory,
    .kind = WEIR_KIND_SOURCE,
    .name = "generator",
    .summary = "Makes up records",
    .doc = "```yaml\nfrom:\n  generator:\n    count: 100000\n    rate: 500\n    fields:\n"
           "      sensor: format(\"s{}\", n % 10)\n"
           "      temperature: round(15 + 20 * r, 1)\n      ts: t\n```\n\n"
           "For trying out and for measuring. A record depends on `seed`, `start` and its number "
           "alone: the same options make the same records, and the next run goes on with the next "
           "number. A record whose expression fails is an error of that record.",
    .options = options,
    .config_size = sizeof(struct config),
    .vtable = &vtable,
    .validate = validate,
};

static const weir_factory *const factories[] = { &generator_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.source.generator", .name = "generator", .version = "0.1.0",
            .vendor = "weir", .license = "MIT", .url = NULL, .summary = "Makes up records",
            .factories = factories);
