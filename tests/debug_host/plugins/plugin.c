/* SPDX-License-Identifier: MIT */
#include "bad.h"

static const weir_option text_element = { .type = WEIR_OPTION_TEXT };
static const weir_option inner_fields[] = { { .name = "name",
                                              .type = WEIR_OPTION_TEXT,
                                              .default_text = "x",
                                              .offset = offsetof(struct inner, name),
                                              .summary = "A name" },
                                            WEIR_OPTIONS_END };

#define AT(field) .offset = offsetof(struct config, field), .summary = "A part of the config"

const weir_option bad_options[] = {
    { .name = "do",
      .type = WEIR_OPTION_TEXT,
      .default_text = "well",
      .offset = offsetof(struct config, act),
      .summary = "What to do" },
    { .name = "expression",
      .type = WEIR_OPTION_EXPRESSION,
      .offset = offsetof(struct config, expression),
      .summary = "Something to evaluate" },
    { .name = "texts", .type = WEIR_OPTION_LIST, .element = &text_element, AT(texts) },
    { .name = "map",
      .type = WEIR_OPTION_MAP,
      .key_type = WEIR_OPTION_TEXT,
      .element = &text_element,
      AT(map) },
    { .name = "inner",
      .type = WEIR_OPTION_STRUCT,
      .fields = inner_fields,
      .fields_size = sizeof(struct inner),
      AT(inner) },
    { .name = "any", .type = WEIR_OPTION_ANY, AT(any) },
    { .name = "target", .type = WEIR_OPTION_TARGET, AT(target) },
    WEIR_OPTIONS_END,
};

static const weir_factory *const factories[] = { &bad_operator,   &bad_source,   &bad_sink,
                                                 &bad_serializer, &bad_function, NULL };

WEIR_PLUGIN(.id = "org.example.bad", .name = "bad", .version = "1.0.0", .vendor = "Example",
            .license = "MIT", .url = NULL, .summary = "Breaks one rule at a time",
            .factories = factories);
