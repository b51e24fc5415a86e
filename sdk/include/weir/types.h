/* SPDX-License-Identifier: MIT */
/*
 * What is known of records before any is there: a type a value. An operator that says what it makes of
 * the type of its input lets `weir check` judge the steps behind it.
 *
 *     static const weir_type *types(const void *config_data, const weir_types *types,
 *                                   const weir_type *in)
 *     {
 *         const struct config *config = config_data;
 *         return types->with(types, in, config->as, types->named(types, "text?"));
 *     }
 *
 * Types are immutable and belong to the host. No call fails and none gives NULL: what cannot be told is
 * any. Everything here is [control], during weir_factory.types.
 */
#ifndef WEIR_TYPES_H
#define WEIR_TYPES_H

#include "option.h"

WEIR_BEGIN_C

typedef struct weir_type weir_type;
typedef struct weir_types weir_types;

/*
 * named  a type as pipeline files write it: "int", "[text]", "{lat: float, note: text?}"; "{}" is a
 *        map without fields
 * of     the result of an expression of the config for records whose value is of this type; what
 *        cannot fit is reported where the expression stands
 * want   the same as of where the result must be of one of these kinds, which are written as those of a
 *        parameter in a function's signature: "list", "time|text", "text|bytes?"
 * where  the same as of, but gives the type of those values for which the expression is truthy
 * with   the value after the target in it was written with something of type `type`
 * items  of an item of a list
 * input  of the values that come in at this input of the operator: 0 gives `in`; any where no stream is
 *        given
 */
struct weir_types {
    uint32_t struct_size;
    uint32_t reserved;
    const weir_type *(*named)(const weir_types *types, const char *text);
    const weir_type *(*of)(const weir_types *types, const weir_type *value,
                           const weir_expression *expression);
    const weir_type *(*where)(const weir_types *types, const weir_type *value,
                              const weir_expression *expression);
    const weir_type *(*with)(const weir_types *types, const weir_type *value,
                             const weir_target *target, const weir_type *type);
    const weir_type *(*items)(const weir_types *types, const weir_type *list);
    const weir_type *(*input)(const weir_types *types, uint32_t input);
    const weir_type *(*want)(const weir_types *types, const weir_type *value,
                             const weir_expression *expression, const char *kinds);
};

WEIR_END_C

#endif
