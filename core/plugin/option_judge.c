/* SPDX-License-Identifier: MIT */
/*
 * Expressions of options, judged once more when it is known what they will see.
 */
#include "expr/type.h"
#include "plugin/options.h"

static void report(void *self, const void *origin, bool is_warning, size_t from, size_t to,
                   const char *message)
{
    const struct options_scope *scope = self;
    const struct node *scalar = origin;
    if (scalar != NULL) {
        diagnostics_add(scope->diagnostics, is_warning ? SEVERITY_WARNING : SEVERITY_ERROR,
                        node_text_place(scalar, from, to), "%s", message);
    }
}

const weir_type *option_judge(const struct options_scope *scope, struct type_room *room,
                              const weir_expression *expression, const weir_type *value,
                              const weir_type **ret_where)
{
    struct options_scope self = *scope;
    const struct expr_judge judge = {
        .env = scope->env, .room = room, .report = report, .self = &self
    };
    return expr_judge(&judge, expression, value, ret_where);
}

const weir_type *option_judge_wanted(const struct options_scope *scope, struct type_room *room,
                                     const weir_expression *expression, const weir_type *value,
                                     uint32_t wanted, const char *taker)
{
    struct options_scope self = *scope;
    const struct expr_judge judge = { .env = scope->env,
                                      .room = room,
                                      .report = report,
                                      .self = &self,
                                      .wanted = wanted,
                                      .taker = taker };
    return expr_judge(&judge, expression, value, NULL);
}

/* ---- all of a config --------------------------------------------------------------------------- */

struct judging {
    const struct options_scope *scope;
    struct type_room *room;
    const weir_type *value;
};

static void judge_element(const struct judging *judging, const weir_option *element,
                          const weir_option_value *value)
{
    if (element->type == WEIR_OPTION_EXPRESSION && value->expression != NULL) {
        option_judge(judging->scope, judging->room, value->expression, judging->value, NULL);
    } else if (element->type == WEIR_OPTION_STRUCT && value->fields != NULL) {
        options_judge(judging->scope, judging->room, element->fields, value->fields,
                      judging->value);
    } else if (element->type == WEIR_OPTION_LIST) {
        for (uint64_t i = 0; i < value->list.count; i++) {
            judge_element(judging, element->element, &value->list.items[i]);
        }
    }
}

static void judge_option(const struct judging *judging, const weir_option *option,
                         const void *field)
{
    if (option->type == WEIR_OPTION_EXPRESSION) {
        const weir_option_value value = { .expression = *(const weir_expression *const *)field };
        judge_element(judging, option, &value);
    } else if (option->type == WEIR_OPTION_STRUCT) {
        const weir_option_value value = { .fields = *(const void *const *)field };
        judge_element(judging, option, &value);
    } else if (option->type == WEIR_OPTION_LIST) {
        const weir_option_list *list = field;
        for (uint64_t i = 0; i < list->count; i++) {
            judge_element(judging, option->element, &list->items[i]);
        }
    } else if (option->type == WEIR_OPTION_MAP) {
        const weir_option_map *map = field;
        for (uint64_t i = 0; i < map->count; i++) {
            judge_element(judging, option->element, &map->items[i].value);
        }
    }
}

void options_judge(const struct options_scope *scope, struct type_room *room,
                   const weir_option *table, const void *config, const weir_type *value)
{
    const struct judging judging = { scope, room, value };
    for (const weir_option *option = table; option != NULL && option->name != NULL; option++) {
        judge_option(&judging, option, (const char *)config + option->offset);
    }
}
