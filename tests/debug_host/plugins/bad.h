/* SPDX-License-Identifier: MIT */
/*
 * A plugin with a factory of every kind. The option `do` names the one rule that it breaks: a row in the
 * table `deeds` of the kind's file, "well" breaks none.
 */
#ifndef BAD_H
#define BAD_H

#include <string.h>
#include <weir/plugin.h>

struct inner {
    weir_text name;
};

struct config {
    weir_text act;
    const weir_expression *expression;
    weir_option_list texts;
    weir_option_map map;
    const struct inner *inner;
    weir_value any;
    const weir_target *target;
};

extern const weir_option bad_options[];
extern const weir_factory bad_operator, bad_source, bad_sink, bad_serializer, bad_function;

static inline int is_act(const struct config *config, const char *act)
{
    return strcmp(config->act.data, act) == 0;
}

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

#endif
