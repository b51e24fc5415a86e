/* SPDX-License-Identifier: MIT */
/*
 * The operator scatter: emits a record several times, at several outputs and in a mixed order, as its
 * value (a list that begins with an int) asks for. tests/order/random_graph.py knows the same patterns.
 */
#include <weir/operator.h>
#include <weir/plugin.h>

static const char *const outputs[] = { "a", "b", "c", NULL };
static const char *const patterns[] = { "ba", "c", "", "bcba", "acab" };

enum { PATTERNS = sizeof patterns / sizeof patterns[0] };

static weir_status process(void *self, weir_context *ctx, const weir_batch *in)
{
    (void)self;
    const weir_values_api *values = ctx->host->get_extension(ctx->host, WEIR_VALUES);
    if (values == NULL) {
        return WEIR_E_UNSUPPORTED;
    }
    WEIR_EACH(ctx, in, entry) {
        const weir_value *value = &entry->record->value;
        weir_value first;
        if (value->tag != WEIR_LIST || value->len == 0 ||
            values->number(&value->as.items[0], &first) != WEIR_OK || first.tag != WEIR_INT) {
            weir_fail(ctx, "the value is no list that begins with an int");
            continue;
        }
        const char *pattern = patterns[(uint64_t)first.as.i64 % PATTERNS];
        for (const char *c = pattern; *c != '\0'; c++) {
            weir_status st = weir_pass(ctx, (uint32_t)(*c - 'a'), entry);
            if (st != WEIR_OK) {
                return st;
            }
        }
    }
    return WEIR_OK;
}

static const weir_operator_vtable vtable = { .struct_size = sizeof vtable, .process = process };

static const weir_factory scatter_factory = {
    .struct_size = sizeof scatter_factory,
    .kind = WEIR_KIND_OPERATOR,
    .name = "scatter",
    .summary = "Emits records at several outputs, for tests",
    .outputs = outputs,
    .vtable = &vtable,
};

static const weir_factory *const factories[] = { &scatter_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.test.scatter", .name = "scatter", .version = "0.1.0", .vendor = "weir",
            .license = "MIT", .url = NULL, .summary = "Emits records at several outputs, for tests",
            .factories = factories);
