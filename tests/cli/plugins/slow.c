/* SPDX-License-Identifier: MIT */
/* An operator that takes its time: 100 us for each record. */
#include <time.h>
#include <weir/operator.h>
#include <weir/plugin.h>

static weir_status process(void *self, weir_context *ctx, const weir_batch *in)
{
    (void)self;
    WEIR_EACH(ctx, in, entry) {
        struct timespec time = { 0, 100000 };
        nanosleep(&time, NULL);
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
                                      .name = "slow",
                                      .summary = "Passes records on, slowly",
                                      .vtable = &vtable };
static const weir_factory *const factories[] = { &factory, NULL };

WEIR_PLUGIN(.id = "org.example.slow", .name = "slow", .version = "1.2.3", .vendor = "Example",
            .license = "MIT", .url = "https://example.org", .summary = "For tests",
            .factories = factories);
