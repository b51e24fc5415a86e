/* SPDX-License-Identifier: MIT */
/* The smallest operator that works record by record: what a plugin costs at the least. */
#include <weir/operator.h>
#include <weir/plugin.h>

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
static const weir_factory noop = { .struct_size = sizeof noop,
                                   .kind = WEIR_KIND_OPERATOR,
                                   .name = "noop",
                                   .summary = "Passes every record on",
                                   .vtable = &vtable };
static const weir_factory *const factories[] = { &noop, NULL };
WEIR_PLUGIN(.id = "org.weir.bench.noop", .name = "noop", .version = "1.0.0", .vendor = "weir",
            .license = "MIT", .summary = "Does nothing", .factories = factories);
