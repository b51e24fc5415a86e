/* SPDX-License-Identifier: MIT */
/*
 * Operator `group_by`: gives records another key and sends them to the partition of that key.
 *
 * The key is set here; the way to the partition is the host's, which the factory asks for it by a flag.
 */
#include <weir/operator.h>
#include <weir/plugin.h>

#include "support/rekey.h"

struct config {
    const weir_expression *key;
    weir_text name;
};

static weir_status create(const weir_host *host, const void *config, void **ret_self)
{
    return rekey_create(host, ((const struct config *)config)->key, ret_self);
}

static weir_status output_name(const void *config, uint32_t index, weir_text *ret_name)
{
    *ret_name = ((const struct config *)config)->name;
    return index == 0 ? WEIR_OK : WEIR_END;
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
      .doc = "A list of expressions makes a key of several values. `null` takes the key away; such "
             "records keep the number of the partition that they come from." },
    { .name = "name",
      .type = WEIR_OPTION_TEXT,
      .flags = WEIR_OPTION_FIELD_NAME,
      .offset = offsetof(struct config, name),
      .summary = "Tells this step's topic from others; the name of the field where `key` is one",
      .doc = "What is not processed yet lies in the topic, so a step that gets another name says "
             "under `was` which one it had." },
    WEIR_OPTIONS_END
};

static const weir_operator_vtable vtable = {
    .struct_size = sizeof vtable,
    .create = create,
    .process = rekey_process,
};

static const weir_factory group_by_factory = {
    .struct_size = sizeof group_by_factory,
    .flags = WEIR_OPERATOR_REPARTITION,
    .kind = WEIR_KIND_OPERATOR,
    .name = "group_by",
    .summary = "Gives records another key and brings equal keys together",
    .doc =
        "```yaml\n- group_by: customer\n- group_by: {key: [site, device], name: "
        "place}\n- group_by: {key: lower(city), name: city}\n```\n\n"
        "A topic is processed partition by partition, side by side, and equal keys lie in one "
        "partition. After `group_by` this holds for the new key: the records go through a topic of "
        "the pipeline's own, `repartition__PIPELINE--TOPICS--NAME`, with as many partitions as the "
        "largest topic that comes in, as JSON; value, time and headers stay. Records of one "
        "partition keep their order, between those of several there is none. Where all topics that "
        "come in have one partition there is no such topic: the key is replaced at once.\n\n"
        "Behind it `$topic`, `$partition` and `$offset` are those of that topic, and what JSON "
        "does "
        "not have comes out as its text: a timestamp becomes text.",
    .options = options,
    .config_size = sizeof(struct config),
    .vtable = &vtable,
    .output_name = output_name,
    .types = types_of,
};

static const weir_factory *const factories[] = { &group_by_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.operator.group-by", .name = "group_by", .version = "0.1.0",
            .vendor = "weir", .license = "MIT", .url = NULL,
            .summary = "Gives records another key and brings equal keys together",
            .factories = factories);
