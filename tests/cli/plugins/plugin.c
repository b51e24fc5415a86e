/* SPDX-License-Identifier: MIT */
/*
 * A plugin that behaves as it is told at compile time (-DBEHAVIOUR_...): well, or in each of the ways
 * that `weir plugin list` must survive.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <weir/operator.h>
#include <weir/plugin.h>

/* ESC and, as UTF-8, CSI: terminals obey both. */
#if defined BEHAVIOUR_ESCAPE
# define DOC "A \033[31mred word"
#else
# define DOC "A \302\23331mred word"
#endif

#ifndef NAME
# define NAME "well"
#endif

__attribute__((constructor)) static void behave(void)
{
#if defined BEHAVIOUR_CRASH
    raise(SIGSEGV);
#elif defined BEHAVIOUR_ABORT
    abort();
#elif defined BEHAVIOUR_HANG
    for (;;) {
        pause();
    }
#elif defined BEHAVIOUR_EXIT
    exit(0);
#elif defined BEHAVIOUR_NOISE
    printf("noise on standard output\n");
    fprintf(stderr, "noise on standard error\n");
    fflush(stdout);
#elif defined BEHAVIOUR_CLOSE
    for (int descriptor = 0; descriptor < 1024; descriptor++) {
        close(descriptor);
    }
    for (;;) {
        pause();
    }
#endif
}

struct config {
    weir_text text;
    int64_t limit;
    int64_t wait_ms;
    int64_t style;
};

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

static const char *const styles[] = { "round", "square", NULL };

static const weir_option options[] = { { .name = "text",
                                         .type = WEIR_OPTION_TEXT,
                                         .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY,
                                         .offset = offsetof(struct config, text),
                                         .summary = "What to say | or not" },
                                       { .name = "limit",
                                         .type = WEIR_OPTION_INT,
                                         .default_text = "7",
                                         .min = 1,
                                         .max = 1000,
                                         .offset = offsetof(struct config, limit),
                                         .summary = "How often" },
                                       { .name = "wait",
                                         .type = WEIR_OPTION_DURATION,
                                         .default_text = "5s",
                                         .min = 1000,
                                         .max = INT64_MAX,
                                         .offset = offsetof(struct config, wait_ms),
                                         .summary = "How long",
                                         .doc = "A longer word about it." },
                                       { .name = "style",
                                         .type = WEIR_OPTION_ENUM,
                                         .default_text = "round",
                                         .enum_names = styles,
                                         .offset = offsetof(struct config, style),
                                         .summary = "Which shape" },
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

#ifdef BEHAVIOUR_OLD
# define ABI_OF_ANOTHER_TIME , .abi_minor = 99
#else
# define ABI_OF_ANOTHER_TIME
#endif

WEIR_PLUGIN(.id = "org.example." NAME, .name = NAME, .version = "1.2.3", .vendor = "Example",
            .license = "MIT", .url = "https://example.org", .summary = "For tests",
            .factories = factories ABI_OF_ANOTHER_TIME);
