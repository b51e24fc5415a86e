/* SPDX-License-Identifier: MIT */
/*
 * The operator match: a second input that is required, an expression for each of the two, and the type of
 * what comes in at the second put under a field of the first. It passes records on.
 */
#include <weir/operator.h>
#include <weir/plugin.h>

struct config {
    weir_text right;
    const weir_expression *on;
    const weir_expression *right_on;
    const weir_target *as;
};

static const char *const inputs[] = { "left", "right", NULL };

static const weir_option options[] = {
    { .name = "right",
      .type = WEIR_OPTION_STREAM,
      .flags = WEIR_OPTION_REQUIRED,
      .offset = offsetof(struct config, right),
      .summary = "The stream to look up in" },
    { .name = "on",
      .type = WEIR_OPTION_EXPRESSION,
      .offset = offsetof(struct config, on),
      .summary = "What to look for, of a record of the first input" },
    { .name = "right_on",
      .type = WEIR_OPTION_EXPRESSION,
      .offset = offsetof(struct config, right_on),
      .summary = "Where to look for it, of a record of 'right'" },
    { .name = "as",
      .type = WEIR_OPTION_TARGET,
      .offset = offsetof(struct config, as),
      .summary = "Where what is found goes" },
    WEIR_OPTIONS_END,
};

static const weir_type *types(const void *config_data, const weir_types *types, const weir_type *in)
{
    const struct config *config = config_data;
    const weir_type *right = types->input(types, 1);
    types->of(types, types->input(types, 0), config->on);
    types->of(types, right, config->right_on);
    return types->with(types, in, config->as, right);
}

static weir_status process(void *self, weir_context *ctx, const weir_batch *in)
{
    (void)self;
    WEIR_EACH(ctx, in, entry) {
        weir_status st = weir_pass(ctx, 0, entry);
        if (st != WEIR_OK) {
            return st;
        }
    }
    return WEIR_OK;
}

static const weir_operator_vtable vtable = { .struct_size = sizeof vtable, .process = process };
static const weir_factory factory = { .struct_size = sizeof factory,
                                      .kind = WEIR_KIND_OPERATOR,
                                      .name = "match",
                                      .summary = "Passes the records of two streams on",
                                      .options = options,
                                      .config_size = sizeof(struct config),
                                      .inputs = inputs,
                                      .vtable = &vtable,
                                      .types = types };
static const weir_factory *const factories[] = { &factory, NULL };

WEIR_PLUGIN(.id = "org.example.match", .name = "match", .version = "1.0.0", .vendor = "Example",
            .license = "MIT", .url = "https://example.org", .summary = "Has two inputs",
            .factories = factories);
