/* SPDX-License-Identifier: MIT */
/*
 * An operator's inputs and its options of type stream are two lists of one thing: whatever stands in
 * one of them alone would never be fed, or read by nobody.
 */
#include "plugin/plugin_ports.h"

#include <string.h>

#include <weir/operator.h>

#include "plugin/refusal.h"

static uint32_t count_names(const char *const *names)
{
    uint32_t count = 0;
    while (names != NULL && names[count] != NULL) {
        count++;
    }
    return count;
}

uint32_t plugin_input_count(const weir_factory *factory)
{
    uint32_t count = count_names(factory->inputs);
    return count > 0 ? count : 1;
}

static bool is_stream(const weir_option *option)
{
    return option->type == WEIR_OPTION_STREAM ||
           (option->type == WEIR_OPTION_LIST && option->element->type == WEIR_OPTION_STREAM);
}

static weir_status check_input(const weir_factory *factory, const char *input, struct error *error)
{
    const weir_option *option = factory->options;
    while (option != NULL && option->name != NULL && strcmp(option->name, input) != 0) {
        option++;
    }
    if (option == NULL || option->name == NULL) {
        refuse(error, "no option feeds its input '%s'", input);
        error_hint(error, "add one of that name, of type stream");
        return WEIR_E_INVALID;
    }
    if (!is_stream(option)) {
        refuse(error, "its option '%s' feeds the input of that name, but is not of type stream",
               input);
        return WEIR_E_INVALID;
    }
    return WEIR_OK;
}

static weir_status check_option(const weir_factory *factory, const weir_option *option,
                                struct error *error)
{
    for (uint32_t i = 0; i < count_names(factory->inputs); i++) {
        if (strcmp(factory->inputs[i], option->name) == 0 && i > 0) {
            return WEIR_OK;
        }
        if (strcmp(factory->inputs[i], option->name) == 0) {
            refuse(error,
                   "its option '%s' is of type stream and named as its first input, which is the "
                   "stream that a step stands in",
                   option->name);
            return WEIR_E_INVALID;
        }
    }
    refuse(error, "its option '%s' is of type stream, but it has no input of that name",
           option->name);
    error_hint(error, "name the inputs, that of the step's own stream first");
    return WEIR_E_INVALID;
}

static weir_status check_other_kind(const weir_factory *factory, struct error *error)
{
    if (count_names(factory->inputs) > 0) {
        return refuse(error, "it names inputs, which only operators have");
    }
    if (count_names(factory->outputs) > 0) {
        return refuse(error, "it names outputs, which only operators have");
    }
    for (const weir_option *option = factory->options; option != NULL && option->name != NULL;
         option++) {
        if (is_stream(option)) {
            return refuse(error, "its option '%s' is of type stream, which only operators have",
                          option->name);
        }
    }
    return WEIR_OK;
}

weir_status plugin_check_ports(const weir_factory *factory, struct error *error)
{
    weir_status st = WEIR_OK;
    if (strcmp(factory->kind, WEIR_KIND_OPERATOR) != 0) {
        return check_other_kind(factory, error);
    }
    for (uint32_t i = 1; i < count_names(factory->inputs) && st == WEIR_OK; i++) {
        st = check_input(factory, factory->inputs[i], error);
    }
    const weir_option *option = factory->options;
    for (; option != NULL && option->name != NULL && st == WEIR_OK; option++) {
        st = is_stream(option) ? check_option(factory, option, error) : WEIR_OK;
    }
    return st;
}
