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
WEIR_OPERATOR_PLUGIN("org.weir.bench.noop", "noop", "1.0.0", "weir", "MIT",
                     "Passes every record on", NULL, 0, &vtable);
