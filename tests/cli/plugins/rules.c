/* SPDX-License-Identifier: MIT */
/*
 * A plugin that keeps every rule, or breaks one as it is told at compile time.
 */
#include <signal.h>
#include <unistd.h>
#include <weir/operator.h>
#include <weir/plugin.h>

#ifndef NAME
# define NAME "right"
#endif
#ifndef VERSION
# define VERSION "1.2.3-rc.1"
#endif
#ifndef LICENCE
# define LICENCE "MIT OR Apache-2.0"
#endif
#ifndef DOC
# define DOC "Passes every record on."
#endif
#ifndef SUMMARY
# define SUMMARY "A number"
#endif

struct config {
    int64_t limit;
};

/* Seen by others where the linker is not told what to export. */
int also_exported(void);
int also_exported(void)
{
    return 1;
}

#if defined BEHAVIOUR_CRASH || defined BEHAVIOUR_HANG
__attribute__((constructor)) static void behave(void)
{
# if defined BEHAVIOUR_CRASH
    raise(SIGSEGV);
# else
    for (;;) {
        pause();
    }
# endif
}
#endif

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

static const weir_option options[] = { { .name = "limit",
                                         .type = WEIR_OPTION_INT,
                                         .offset = offsetof(struct config, limit),
                                         .summary = SUMMARY },
                                       WEIR_OPTIONS_END };
static const weir_operator_vtable vtable = { .struct_size = sizeof vtable, .process = process };
static const weir_factory factory = { .struct_size = sizeof factory,
                                      .kind = WEIR_KIND_OPERATOR,
                                      .name = NAME,
                                      .summary = "Passes records on",
                                      .doc = DOC,
                                      .options = options,
                                      .config_size = sizeof(struct config),
                                      .vtable = &vtable };
static const weir_factory *const factories[] = { &factory, NULL };

WEIR_PLUGIN(.id = "org.example.rules", .name = NAME, .version = VERSION, .vendor = "Example",
            .license = LICENCE, .summary = "A plugin for rules", .factories = factories);
