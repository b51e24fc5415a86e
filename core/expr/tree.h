/* SPDX-License-Identifier: MIT */
/*
 * An expression as a tree, between parser and compiler. Chains of one precedence (`a + b - c`,
 * `a and b and c`, `a.b[0]`) are one node, so that the depth is bounded by the nesting and not by the
 * length.
 */
#ifndef EXPR_TREE_H
#define EXPR_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include <weir/types.h>
#include <weir/value.h>

#include "base/arena.h"

enum tree_kind {
    TREE_LITERAL,
    TREE_RECORD_NAME, /* $name */
    TREE_PATH,        /* steps from a base; no base: from the record's value */
    TREE_LIST,
    TREE_MAP,
    TREE_CALL, /* a function or a form */
    TREE_UNARY,
    TREE_CHAIN, /* + - or * / // %: operands and the operators between them */
    TREE_POWER,
    TREE_RELATION,
    TREE_AND,
    TREE_OR,
    TREE_FALLBACK,
    TREE_IF
};

enum operation {
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_FLOOR,
    OP_MODULO,
    OP_POWER,
    OP_NEGATE,
    OP_PLUS,
    OP_NOT,
    OP_EQUAL,
    OP_UNEQUAL,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_IN,
    OP_NOT_IN,
    OP_IS,
    OP_IS_NOT
};

enum record_name {
    RECORD_VALUE,
    RECORD_KEY,
    RECORD_TIMESTAMP,
    RECORD_HEADERS,
    RECORD_TOPIC,
    RECORD_PARTITION,
    RECORD_OFFSET,
    RECORD_ITEM,  /* $it */
    RECORD_INDEX, /* $index */
    RECORD_NAME_COUNT
};

/* The forms: calls that the language itself understands. */
enum form { FORM_NONE, FORM_HAS, FORM_ENV, FORM_TRY, FORM_MAP, FORM_FILTER, FORM_ANY, FORM_ALL };

enum step_kind { STEP_MEMBER, STEP_INDEX, STEP_SLICE };

struct expr_function;
struct signature;
struct tree;

/*
 * name, name_len  member: `.name` or `["name"]`
 * is_dotted       member: written with a dot (or it is the field at the beginning)
 * low, high       index: low; slice: either may be NULL
 */
struct tree_step {
    enum step_kind kind;
    bool is_dotted;
    uint32_t from;
    uint32_t to;
    const char *name;
    uint32_t name_len;
    struct tree *low;
    struct tree *high;
};

/* Key of a map literal. */
struct tree_key {
    const char *name;
    uint32_t len;
    uint32_t from;
    uint32_t to;
};

/*
 * from, to    bytes of the expression
 * is_bad      a fault was reported here: neither judged further nor compiled
 * is_enclosed stands in parentheses
 * kinds       set of enum value_kind that it can have; what checker.c knows
 * type        more of it, where more than the kinds is known; NULL: nothing
 * can_miss    path: may be missing where it is read
 * op          unary, power, relation; ops: of a chain, one less than operands
 * operands    list, map, call, unary, chain, power, relation, and, or, fallback, if
 * name        call: the function's name, without blanks; args_from, args_to: between its parentheses
 * form        call: set by checker.c, as are function and signature where it is none
 * is_method   call on what is no name: `a[0].upper()`
 * receiver_to, method_from, method_to
 *             call of `x.y(...)`: x is [from, receiver_to), y is [method_from, method_to)
 * base        path: NULL = the value of the record
 */
struct tree {
    enum tree_kind kind;
    uint32_t from;
    uint32_t to;
    bool is_bad;
    bool is_enclosed;
    bool is_least_int;
    enum operation op;
    enum record_name record_name;
    enum form form;
    const struct expr_function *function;
    const struct signature *signature;
    uint32_t kinds;
    const weir_type *type;
    bool can_miss;
    uint32_t count;
    struct tree **operands;
    enum operation *ops;
    struct tree_key *keys;
    weir_value value;
    const char *name;
    uint32_t name_len;
    uint32_t args_from;
    uint32_t args_to;
    bool is_method;
    uint32_t receiver_to;
    uint32_t method_from;
    uint32_t method_to;
    struct tree *base;
    struct tree_step *steps;
    uint32_t step_count;
};

/* NULL: no memory. */
struct tree *tree_create(struct arena *arena, enum tree_kind kind, uint32_t from, uint32_t to);

/*
 * Room for one more element behind `count` of them: arrays grow in the arena by doubling. Returns the
 * array, or NULL: no memory.
 */
void *tree_grow(struct arena *arena, void *array, uint32_t count, size_t element_size);

/* True where the grammar's `postfix` stands here: what `??`, `is null` and has() forgive. */
static inline bool tree_is_postfix(const struct tree *tree)
{
    return tree->kind == TREE_PATH || tree->kind == TREE_RECORD_NAME;
}

/* `+`, `not in`, ... */
const char *operator_text(enum operation op);
const char *record_name_text(enum record_name name);
/* FORM_NONE: no form of this name. */
enum form form_by_name(const char *name, size_t len);
const char *form_name(enum form form);

#endif
