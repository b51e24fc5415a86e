/* SPDX-License-Identifier: MIT */
/*
 * The expression language (docs/expressions.md): text to a checked, compiled expression; evaluation
 * of a batch at a time. Knows no function by name: they come through `struct expr_env`.
 */
#ifndef EXPR_EXPR_H
#define EXPR_EXPR_H

#include <stdbool.h>

#include <weir/function.h>
#include <weir/types.h>

#include "base/arena.h"
#include "base/error.h"
#include "value/symbols.h"

/*
 * A function as the compiler sees it.
 *
 * host      for prepare
 * evaluate  called in the place of the vtable's own; NULL: the vtable's own
 */
struct expr_function {
    const char *name;
    const weir_function_vtable *vtable;
    const weir_host *host;
    weir_status (*evaluate)(const struct expr_function *function, weir_call *call);
};

/*
 * What an expression may refer to.
 *
 * find_function   by name ("upper") or qualified name ("com.acme.geo.distance"); NULL: none
 * offer_functions calls nearest_offer for every name (for "did you mean")
 * get_env         the environment variable, or NULL
 * why_not         why there is no such function although there could be, with a cure; NULL: it is simply
 *                 unknown. The member may be NULL
 * prepared        where states of functions are remembered until expr_release; NULL: they are never
 *                 released
 *
 * A qualified name comes as it is written: a '-' of the plugin's id as '_'.
 */
struct nearest;

/* A state that a function's prepare has made. */
struct expr_prepared {
    struct expr_prepared *next;
    void (*release)(void *state);
    void *state;
};

struct expr_env {
    struct symbols *symbols;
    struct arena *arena; /* of the compiled expressions; lives as long as they */
    const struct expr_function *(*find_function)(void *self, const char *name, size_t len);
    void (*offer_functions)(void *self, struct nearest *search);
    const char *(*get_env)(void *self, const char *name);
    void *self;
    struct expr_prepared **prepared;
    const char *(*why_not)(void *self, const char *name, size_t len);
};

/* Releases what functions have prepared; when no expression of the arena is used any more. */
void expr_release(struct expr_prepared **prepared);

/* Receives each fault: bytes [from, to) of the expression's text. */
struct expr_reporter {
    void (*report)(void *self, bool is_warning, size_t from, size_t to, const char *message);
    void *self;
};

/*
 * Parses, checks, folds constants, compiles. All faults go to the reporter; NULL when there was an
 * error. The text is copied. The result is immutable: any thread may evaluate it.
 */
weir_expression *expr_compile(const struct expr_env *env, const char *text, size_t len,
                              const struct expr_reporter *reporter);

/*
 * From parts: a YAML map or list where an expression is expected. keys[i] NULL throughout: a list.
 * Never fails but for memory (NULL).
 */
weir_expression *expr_compile_map(const struct expr_env *env, const char *const *keys,
                                  const size_t *key_lens, weir_expression *const *values,
                                  size_t count);
weir_expression *expr_compile_list(const struct expr_env *env, weir_expression *const *values,
                                   size_t count);

/* A target (`a.b[0]`, `$value`): grammar in docs/expressions.md. NULL after a reported error. */
weir_target *target_compile(const struct expr_env *env, const char *text, size_t len,
                            const struct expr_reporter *reporter);

/*
 * For `select` lists: where the expression is a plain path, the target of its last name, else NULL
 * (`a.b` gives `b`).
 */
weir_target *expr_last_name(const struct expr_env *env, const weir_expression *expression);

/* Remembers what an expression was read from, for expr_judge. */
void expr_set_origin(weir_expression *expression, const void *origin);

/*
 * Judges a compiled expression for records whose value is of a known type. What is found goes to the
 * judge with the origin of the expression, or of the part of it, that it stands in.
 *
 * ret_where  the type of the values for which it is truthy; may be NULL
 * Returns the type of its result: any where something was found.
 */
struct type_room;
struct expr_judge {
    const struct expr_env *env;
    struct type_room *room;
    void (*report)(void *self, const void *origin, bool is_warning, size_t from, size_t to,
                   const char *message);
    void *self;
    uint32_t wanted;   /* kinds that the result must be one of: set of enum value_kind; 0 = all */
    const char *taker; /* who wants that, for the message: "operator 'flat_map'" */
};
const weir_type *expr_judge(const struct expr_judge *judge, const weir_expression *expression,
                            const weir_type *value, const weir_type **ret_where);

/* The value of an expression without any input, or NULL. */
const weir_value *expr_constant(const weir_expression *expression);
weir_text expr_text(const weir_expression *expression);

/*
 * Evaluates for `count` entries, out[0 .. count). Memory through ctx (weir_alloc); origins of
 * ctx->batch for $topic and $partition. Failed lanes have tag WEIR_TAG_ERROR and as.bits pointing to
 * a struct expr_fault in the batch's memory. Returns the number of failed lanes or a status < 0.
 */
int64_t expr_evaluate(weir_context *ctx, const weir_expression *expression,
                      const weir_entry *entries, uint32_t count, weir_value *out);

/* Why a lane failed: NUL-terminated, in the batch's memory. from, to: bytes of the expression. */
struct expr_fault {
    const char *message;
    const char *hint; /* may be NULL */
    uint32_t from;
    uint32_t to;
};
static inline const struct expr_fault *expr_fault(const weir_value *failed)
{
    return (const struct expr_fault *)(uintptr_t)failed->as.bits;
}

/* True where `name` is a keyword of the language. */
bool expr_is_keyword(const char *name, size_t len);

#endif
