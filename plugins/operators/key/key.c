/* SPDX-License-Identifier: MIT */
/*
 * Operator `key`: gives records another key.
 */
#include <weir/operator.h>
#include <weir/plugin.h>

#include "support/rekey.h"

struct config {
    const weir_expression *key;
};

static weir_status create(const weir_host *host, const void *config, void **ret_self)
{
    return rekey_create(host, ((const struct config *)config)->key, ret_self);
}

static const weir_type *types_of(const void *config, const weir_types *types, const weir_type *in)
{
    (void)types->of(types, in, ((const struct config *)config)->key);
    return in;
}

static const weir_option options[] = {
    { .name = "key",
      .type = WEIR_OPTION_EXPRESSION,
      .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY,
      .offset = offsetof(struct config, key),
      .summary = "The new key",
      .doc =
          "Of a kind that the key serializer of the topic takes to which the record goes; `null` "
          "takes the key away." },
    WEIR_OPTIONS_END
};

static const weir_operator_vtable vtable = {
    .struct_size = sizeof vtable,
    .create = create,
    .process = rekey_process,
};

static const weir_factory key_factory = {
    .struct_size = sizeof key_factory,
    .kind = WEIR_KIND_OPERATOR,
    .name = "key",
    .summary = "Gives records another key",
    .doc =
        "```yaml\n- key: sensor.id\n- key: text(customer)\n```\n\n"
        "The record stays in the partition that it is processed in; a topic that it is written to "
        "places it by the new key. `group_by` brings equal new keys together before the next step. "
        "To give only what is written another key, write `key` at the "
        "end: `to: {topic: hot, key: sensor.id}`.",
    .options = options,
    .config_size = sizeof(struct config),
    .vtable = &vtable,
    .types = types_of,
};

static const weir_factory *const factories[] = { &key_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.operator.key", .name = "key", .version = "0.1.0", .vendor = "weir",
            .license = "MIT", .url = NULL, .summary = "Gives records another key",
            .factories = factories);
