/* SPDX-License-Identifier: MIT */
#include "bad.h"

const weir_option bad_options[] = { { .name = "do",
                                      .type = WEIR_OPTION_TEXT,
                                      .default_text = "well",
                                      .offset = offsetof(struct config, act),
                                      .summary = "What to do" },
                                    { .name = "expression",
                                      .type = WEIR_OPTION_EXPRESSION,
                                      .offset = offsetof(struct config, expression),
                                      .summary = "Something to evaluate" },
                                    WEIR_OPTIONS_END };

static const weir_factory *const factories[] = { &bad_operator,   &bad_source,   &bad_sink,
                                                 &bad_serializer, &bad_function, NULL };

WEIR_PLUGIN(.id = "org.example.bad", .name = "bad", .version = "1.0.0", .vendor = "Example",
            .license = "MIT", .url = NULL, .summary = "Breaks one rule at a time",
            .factories = factories);
