/* SPDX-License-Identifier: MIT */
/*
 * The operator tag: has three inputs and appends to each record's value, a list, the number of the input
 * that it came in at. A record of the second one goes on as it is, too. tests/order/model.py knows the same.
 */
#include <weir/operator.h>
#include <weir/plugin.h>

struct config {
    weir_text right;
    weir_option_list more;
};

static const char *const inputs[] = { "left", "right", "more", NULL };

static const weir_option stream = { .type = WEIR_OPTION_STREAM };

static const weir_option options[] = {
    { .name = "right",
      .type = WEIR_OPTION_STREAM,
      .flags = WEIR_OPTION_BODY,
      .offset = offsetof(struct config, right),
      .summary = "The second input" },
    { .name = "more",
      .type = WEIR_OPTION_LIST,
      .offset = offsetof(struct config, more),
      .element = &stream,
      .summary = "The third input" },
    WEIR_OPTIONS_END,
};

static weir_status emit_tagged(weir_context *ctx, const weir_entry *entry)
{
    const weir_value *value = &entry->record->value;
    weir_value *items = weir_alloc(ctx, (value->len + 1u) * sizeof *items);
    if (items == NULL) {
        return WEIR_E_NOMEM;
    }
    for (uint32_t i = 0; i < value->len; i++) {
        items[i] = value->as.items[i];
    }
    items[value->len] = weir_int(entry->input);
    return weir_emit_value(ctx, 0, entry, weir_list_value(items, value->len + 1u));
}

static weir_status process(void *self, weir_context *ctx, const weir_batch *in)
{
    (void)self;
    WEIR_EACH(ctx, in, entry) {
        if (entry->record->value.tag != WEIR_LIST) {
            weir_fail(ctx, "the value is no list");
            continue;
        }
        weir_status st = emit_tagged(ctx, entry);
        if (st == WEIR_OK && entry->input == 1) {
            st = weir_pass(ctx, 0, entry);
        }
        if (st != WEIR_OK) {
            return st;
        }
    }
    return WEIR_OK;
}

static const weir_operator_vtable vtable = { .struct_size = sizeof vtable, .process = process };

static const weir_factory tag_factory = {
    .struct_size = sizeof tag_factory,
    .kind = WEIR_KIND_OPERATOR,
    .name = "tag",
    .summary = "Tells where records came in, for tests",
    .options = options,
    .config_size = sizeof(struct config),
    .inputs = inputs,
    .vtable = &vtable,
};

static const weir_factory *const factories[] = { &tag_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.test.tag", .name = "tag", .version = "0.1.0", .vendor = "weir",
            .license = "MIT", .url = NULL, .summary = "Tells where records came in, for tests",
            .factories = factories);
