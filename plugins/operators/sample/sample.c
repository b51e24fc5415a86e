/* SPDX-License-Identifier: MIT */
/*
 * Operator `sample`: passes a part of the records. The choice depends on nothing but the record: its
 * place in the topic or its key, so records that are processed again are chosen again.
 */
#include <weir/operator.h>
#include <weir/plugin.h>

#include "support/lane.h"
#include "support/step.h"

enum { BY_RECORD, BY_KEY };

struct config {
    int64_t every;
    double rate;
    int64_t by;
};

struct sample {
    struct step step;
    const struct config *config;
    const weir_values_api *values;
};

static weir_status validate(const void *config_data, weir_error_info *fault)
{
    const struct config *config = config_data;
    bool has_every = config->every > 0;
    bool has_rate = config->rate > 0;
    if (has_every != has_rate) {
        return WEIR_OK;
    }
    fault->message = has_every ? "'every' and 'rate' both say how many; remove one of them"
                               : "nothing says how many; add 'every: N' or 'rate: R'";
    return WEIR_E_INVALID;
}

static weir_status create(const weir_host *host, const void *config, void **ret_self)
{
    void *memory = NULL;
    weir_status st = step_create(host, sizeof(struct sample), &memory);
    if (st != WEIR_OK) {
        return st;
    }
    struct sample *self = memory;
    self->config = config;
    self->values = host->get_extension(host, WEIR_VALUES);
    *ret_self = self;
    return self->values != NULL ? WEIR_OK : WEIR_E_UNSUPPORTED;
}

/* FNV-1a with a last mix, so that neighbouring offsets lie far apart. */
static uint64_t hash_bytes(uint64_t hash, const void *data, uint64_t size)
{
    const unsigned char *bytes = data;
    for (uint64_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001B3);
    }
    return hash;
}

static uint64_t mix(uint64_t hash)
{
    hash = (hash ^ (hash >> 33)) * UINT64_C(0xFF51AFD7ED558CCD);
    hash = (hash ^ (hash >> 33)) * UINT64_C(0xC4CEB9FE1A85EC53);
    return hash ^ (hash >> 33);
}

#define HASH_START UINT64_C(0xCBF29CE484222325)

static uint64_t hash_place(const weir_batch *in, const weir_entry *entry)
{
    const weir_origin *origin = &in->origins[entry->origin];
    uint64_t hash = hash_bytes(HASH_START, origin->topic, origin->topic_len);
    hash = hash_bytes(hash, &origin->partition, sizeof origin->partition);
    return mix(hash_bytes(hash, &entry->record->offset, sizeof entry->record->offset));
}

/* WEIR_E_DATA: the record under the cursor has failed and that has been reported. */
static weir_status hash_key(const struct sample *self, weir_context *ctx, const weir_value *key,
                            uint64_t *ret)
{
    struct lane_buffer buffer;
    const char *fault = "";
    lane_buffer_init(&buffer, ctx);
    if (key->tag == WEIR_TEXT || key->tag == WEIR_BYTES) {
        *ret = mix(hash_bytes(HASH_START, key->as.text, key->len));
        return WEIR_OK;
    }
    weir_status st = self->values->write_json(key, WEIR_JSON_BYTES_TAGGED | WEIR_JSON_ANEW, 0,
                                              &buffer.base, &fault);
    if (st == WEIR_E_DATA) {
        weir_fail(ctx, "cannot choose by this key: %s", fault);
    }
    if (st == WEIR_OK) {
        *ret = mix(hash_bytes(HASH_START, buffer.base.data, buffer.base.size));
    }
    return st;
}

/* Uniform in [0, 1). */
static double fraction(uint64_t hash)
{
    return (double)(hash >> 11) * 0x1p-53;
}

/* By `every` and record, the offsets themselves are evenly spaced. */
static weir_status choose(const struct sample *self, weir_context *ctx, const weir_batch *in,
                          const weir_entry *entry, bool *ret_is_chosen)
{
    const struct config *config = self->config;
    uint64_t number = 0;
    if (config->by == BY_KEY) {
        weir_status st = hash_key(self, ctx, &entry->record->key, &number);
        if (st != WEIR_OK) {
            return st;
        }
    } else {
        number = config->every > 0 ? (uint64_t)entry->record->offset : hash_place(in, entry);
    }
    *ret_is_chosen =
        config->every > 0 ? number % (uint64_t)config->every == 0 : fraction(number) < config->rate;
    return WEIR_OK;
}

static weir_status process(void *data, weir_context *ctx, const weir_batch *in)
{
    const struct sample *self = data;
    WEIR_EACH(ctx, in, entry) {
        bool is_chosen = false;
        weir_status st = choose(self, ctx, in, entry, &is_chosen);
        if (st == WEIR_OK && is_chosen) {
            st = weir_pass(ctx, 0, entry);
        }
        if (st != WEIR_OK && st != WEIR_E_DATA) {
            return st;
        }
    }
    return WEIR_OK;
}

static const char *const by_names[] = { "record", "key", NULL };

static const weir_type *types_of(const void *config, const weir_types *types, const weir_type *in)
{
    (void)config, (void)types;
    return in;
}

static const weir_option options[] = {
    { .name = "every",
      .type = WEIR_OPTION_INT,
      .min = 1,
      .max = INT64_MAX,
      .offset = offsetof(struct config, every),
      .summary = "Pass one of so many",
      .doc = "By record: those whose offset in the input topic can be divided by it." },
    { .name = "rate",
      .type = WEIR_OPTION_FLOAT,
      .min = 0,
      .max = 1,
      .offset = offsetof(struct config, rate),
      .summary = "Pass this part of them: above 0, at most 1" },
    { .name = "by",
      .type = WEIR_OPTION_ENUM,
      .default_text = "record",
      .offset = offsetof(struct config, by),
      .enum_names = by_names,
      .summary = "What the choice depends on",
      .doc =
          "`record`: the place of the input message; items of one message go together. `key`: all "
          "records of a key go together." },
    WEIR_OPTIONS_END
};

static const weir_operator_vtable vtable = {
    .struct_size = sizeof vtable,
    .create = create,
    .process = process,
};

static const weir_factory sample_factory = {
    .struct_size = sizeof sample_factory,
    .kind = WEIR_KIND_OPERATOR,
    .name = "sample",
    .summary = "Passes a part of the records",
    .doc = "```yaml\n- sample: {every: 100}\n- sample: {rate: 0.05, by: key}\n```\n\n"
           "The choice depends on nothing but the record, so records that are processed again are "
           "chosen again. `every` spaces the chosen evenly, `rate` scatters them.",
    .options = options,
    .config_size = sizeof(struct config),
    .vtable = &vtable,
    .validate = validate,
    .types = types_of,
};

static const weir_factory *const factories[] = { &sample_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.operator.sample", .name = "sample", .version = "0.1.0",
            .vendor = "weir", .license = "MIT", .url = NULL,
            .summary = "Passes a part of the records", .factories = factories);
