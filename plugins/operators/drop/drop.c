/* SPDX-License-Identifier: MIT */
/*
 * Operator `drop`: takes fields away that have to be there.
 */
#include <weir/operator.h>
#include <weir/plugin.h>

#include "support/removal.h"

enum { ERRORS_RAISE, ERRORS_IGNORE };

struct config {
    weir_option_list fields;
    int64_t errors;
};

static weir_status validate(const void *config, weir_error_info *fault)
{
    return removal_validate(&((const struct config *)config)->fields, fault);
}

static weir_status create(const weir_host *host, const void *config_data, void **ret_self)
{
    const struct config *config = config_data;
    return removal_create(host, &config->fields, config->errors == ERRORS_RAISE, ret_self);
}

static const char *const error_names[] = { "raise", "ignore", NULL };

static const weir_option field_element = {
    .name = "field",
    .type = WEIR_OPTION_TARGET,
    .summary = "A field or an item of a list",
};

static const weir_option options[] = {
    { .name = "fields",
      .type = WEIR_OPTION_LIST,
      .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY,
      .offset = offsetof(struct config, fields),
      .min = 1,
      .max = 10000,
      .element = &field_element,
      .summary = "The fields to take away, in this order" },
    { .name = "errors",
      .type = WEIR_OPTION_ENUM,
      .default_text = "raise",
      .offset = offsetof(struct config, errors),
      .enum_names = error_names,
      .summary = "What a missing field is",
      .doc = "`raise`: an error of the record. `ignore`: nothing, as in `unset`." },
    WEIR_OPTIONS_END
};

static const weir_operator_vtable vtable = {
    .struct_size = sizeof vtable,
    .create = create,
    .process = removal_process,
};

static const weir_factory drop_factory = {
    .struct_size = sizeof drop_factory,
    .kind = WEIR_KIND_OPERATOR,
    .name = "drop",
    .summary = "Takes fields away that have to be there",
    .doc = "```yaml\n- drop: [raw, checksum]\n- drop: {fields: [raw], errors: ignore}\n```\n\n"
           "A field that is missing is an error of the record, unless `errors` says otherwise. To "
           "drop whole records, use `filter`.",
    .options = options,
    .config_size = sizeof(struct config),
    .vtable = &vtable,
    .validate = validate,
};

static const weir_factory *const factories[] = { &drop_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.operator.drop", .name = "drop", .version = "0.1.0", .vendor = "weir",
            .license = "MIT", .url = NULL, .summary = "Takes fields away that have to be there",
            .factories = factories);
