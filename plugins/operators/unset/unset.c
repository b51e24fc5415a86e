/* SPDX-License-Identifier: MIT */
/*
 * Operator `unset`: takes fields away, where they are.
 */
#include <weir/operator.h>
#include <weir/plugin.h>

#include "support/removal.h"

struct config {
    weir_option_list fields;
};

static weir_status validate(const void *config, weir_error_info *fault)
{
    return removal_validate(&((const struct config *)config)->fields, fault);
}

static weir_status create(const weir_host *host, const void *config, void **ret_self)
{
    return removal_create(host, &((const struct config *)config)->fields, false, ret_self);
}

static const weir_option field_element = {
    .name = "field",
    .type = WEIR_OPTION_TARGET,
    .summary = "A field or an item of a list",
};

static const weir_option options[] = { { .name = "fields",
                                         .type = WEIR_OPTION_LIST,
                                         .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY,
                                         .offset = offsetof(struct config, fields),
                                         .min = 1,
                                         .max = 10000,
                                         .element = &field_element,
                                         .summary = "The fields to take away, in this order" },
                                       WEIR_OPTIONS_END };

static const weir_operator_vtable vtable = {
    .struct_size = sizeof vtable,
    .create = create,
    .process = removal_process,
};

static const weir_factory unset_factory = {
    .struct_size = sizeof unset_factory,
    .kind = WEIR_KIND_OPERATOR,
    .name = "unset",
    .summary = "Takes fields away, where they are",
    .doc =
        "```yaml\n- unset: [password, user.address]\n- unset: temporary\n```\n\n"
        "What is missing is passed over; `drop` makes it an error. A path through a value that is "
        "neither a map nor null is an error of the record. `path[0]` takes an item out of a list.",
    .options = options,
    .config_size = sizeof(struct config),
    .vtable = &vtable,
    .validate = validate,
};

static const weir_factory *const factories[] = { &unset_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.operator.unset", .name = "unset", .version = "0.1.0", .vendor = "weir",
            .license = "MIT", .url = NULL, .summary = "Takes fields away, where they are",
            .factories = factories);
