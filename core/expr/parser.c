/* SPDX-License-Identifier: MIT */
/*
 * One function per rule of the grammar, loosest first. The first fault that leaves unclear what the
 * rest means ends the parse; a fault whose meaning is clear (`a < b < c`) is reported and read over.
 */
#include "expr/parser.h"

#include "expr/parse_state.h"

static struct tree *parse_sign(struct parser *parser);
static struct tree *parse_fallback(struct parser *parser);

/* ---- operators ------------------------------------------------------------------------------- */

/* `-x`, which for the digits of 2^63 is a literal of its own. */
static struct tree *negate(struct parser *parser, uint32_t from, struct tree *operand)
{
    if (operand == NULL) {
        return NULL;
    }
    if (operand->kind == TREE_LITERAL && operand->is_least_int && !operand->is_enclosed) {
        operand->is_least_int = false;
        operand->from = from;
        return operand;
    }
    struct tree *tree = parse_node(parser, TREE_UNARY, from);
    if (tree == NULL || !parse_append(parser, tree, operand)) {
        return NULL;
    }
    tree->op = OP_NEGATE;
    return tree;
}

/* Behind `??`: a minus takes the whole rest. */
static struct tree *parse_negative_fallback(struct parser *parser)
{
    uint32_t from = parser->token.from;
    if (!parse_enter(parser)) {
        return NULL;
    }
    parse_advance(parser);
    struct tree *tree = negate(parser, from, parse_fallback(parser));
    parse_leave(parser);
    return tree;
}

static struct tree *parse_fallback(struct parser *parser)
{
    struct tree *first = parse_postfix(parser);
    if (first == NULL || !parse_is_at(parser, TOKEN_FALLBACK)) {
        return first;
    }
    struct tree *tree = parse_node(parser, TREE_FALLBACK, first->from);
    if (tree == NULL || !parse_append(parser, tree, first)) {
        return NULL;
    }
    while (parse_accept(parser, TOKEN_FALLBACK)) {
        bool is_negative = parse_is_at(parser, TOKEN_MINUS);
        if (!parse_append(parser, tree,
                          is_negative ? parse_negative_fallback(parser) : parse_postfix(parser))) {
            return NULL;
        }
    }
    return tree;
}

/* A node with these operands; NULL where one of them is. */
static struct tree *node_of(struct parser *parser, enum tree_kind kind, enum operation op,
                            struct tree *left, struct tree *right)
{
    if (parser->is_failed || left == NULL) {
        return NULL;
    }
    struct tree *tree = parse_node(parser, kind, left->from);
    if (tree == NULL || !parse_append(parser, tree, left) || !parse_append(parser, tree, right)) {
        return NULL;
    }
    tree->op = op;
    return tree;
}

static struct tree *parse_power(struct parser *parser)
{
    struct tree *base = parse_fallback(parser);
    if (base == NULL || !parse_is_at(parser, TOKEN_POWER)) {
        return base;
    }
    if (!parse_enter(parser)) {
        return NULL;
    }
    parse_advance(parser);
    struct tree *tree = node_of(parser, TREE_POWER, OP_POWER, base, parse_sign(parser));
    parse_leave(parser);
    return tree;
}

static struct tree *parse_sign(struct parser *parser)
{
    bool is_minus = parse_is_at(parser, TOKEN_MINUS);
    if (!is_minus && !parse_is_at(parser, TOKEN_PLUS)) {
        return parse_power(parser);
    }
    uint32_t from = parser->token.from;
    if (!parse_enter(parser)) {
        return NULL;
    }
    parse_advance(parser);
    struct tree *operand = parse_sign(parser);
    parse_leave(parser);
    if (is_minus) {
        return negate(parser, from, operand);
    }
    struct tree *tree = operand == NULL ? NULL : parse_node(parser, TREE_UNARY, from);
    if (tree == NULL || !parse_append(parser, tree, operand)) {
        return NULL;
    }
    tree->op = OP_PLUS;
    return tree;
}

static bool product_operation(enum token_kind kind, enum operation *ret)
{
    *ret = kind == TOKEN_STAR    ? OP_MULTIPLY
           : kind == TOKEN_SLASH ? OP_DIVIDE
           : kind == TOKEN_FLOOR ? OP_FLOOR
                                 : OP_MODULO;
    return *ret != OP_MODULO || kind == TOKEN_PERCENT;
}

static bool sum_operation(enum token_kind kind, enum operation *ret)
{
    *ret = kind == TOKEN_PLUS ? OP_ADD : OP_SUBTRACT;
    return kind == TOKEN_PLUS || kind == TOKEN_MINUS;
}

static struct tree *parse_chain(struct parser *parser, struct tree *(*operand)(struct parser *),
                                bool (*find)(enum token_kind, enum operation *))
{
    struct tree *first = operand(parser);
    enum operation op = OP_ADD;
    if (first == NULL || parser->is_failed || !find(parser->token.kind, &op)) {
        return first;
    }
    struct tree *tree = parse_node(parser, TREE_CHAIN, first->from);
    if (tree == NULL || !parse_append(parser, tree, first)) {
        return NULL;
    }
    while (!parser->is_failed && find(parser->token.kind, &op)) {
        uint32_t at = tree->count - 1;
        enum operation *grown = tree_grow(parser->arena, tree->ops, at, sizeof *grown);
        if (grown == NULL) {
            return parse_no_memory(parser);
        }
        grown[at] = op;
        tree->ops = grown;
        parse_advance(parser);
        if (!parse_append(parser, tree, operand(parser))) {
            return NULL;
        }
    }
    return tree;
}

static struct tree *parse_product(struct parser *parser)
{
    return parse_chain(parser, parse_sign, product_operation);
}

static struct tree *parse_sum(struct parser *parser)
{
    return parse_chain(parser, parse_product, sum_operation);
}

/* Reads the words of a relation; false where none stands here. */
static bool accept_relation(struct parser *parser, enum operation *ret)
{
    if (parser->is_failed) {
        return false;
    }
    enum token_kind kind = parser->token.kind;
    if (kind >= TOKEN_EQUAL && kind <= TOKEN_GREATER_EQUAL) {
        *ret = (enum operation)(OP_EQUAL + (int)(kind - TOKEN_EQUAL));
    } else if (kind == TOKEN_IN) {
        *ret = OP_IN;
    } else if (kind == TOKEN_NOT && parser->next.kind == TOKEN_IN) {
        parse_advance(parser);
        *ret = OP_NOT_IN;
    } else if (kind == TOKEN_IS) {
        bool is_not = parser->next.kind == TOKEN_NOT;
        if (is_not) {
            parse_advance(parser);
        }
        *ret = is_not ? OP_IS_NOT : OP_IS;
    } else {
        return false;
    }
    parse_advance(parser);
    return true;
}

/* `a < b < c`, of which the first relation is read: `a < b and b < c` was meant. */
static struct tree *parse_relation_chain(struct parser *parser, struct tree *tree)
{
    char room[EXCERPT_ROOM];
    enum operation op = OP_EQUAL;
    const char *proposal = arena_printf(parser->arena, "%s",
                                        excerpt(parse_source(parser), tree->from, tree->to, room));
    uint32_t middle = tree->operands[1]->from;
    while (proposal != NULL && accept_relation(parser, &op)) {
        const struct tree *right = parse_sum(parser);
        if (right == NULL) {
            return NULL;
        }
        proposal = arena_printf(parser->arena, "%.400s and %s", proposal,
                                excerpt(parse_source(parser), middle, right->to, room));
        middle = right->from;
        tree->to = right->to;
    }
    if (proposal == NULL) {
        return parse_no_memory(parser);
    }
    faults_error(parser->faults, tree->from, tree->to, "comparisons do not chain; write %s",
                 proposal);
    tree->is_bad = true;
    return tree;
}

static bool is_at_relation(const struct parser *parser)
{
    enum token_kind kind = parser->token.kind;
    return !parser->is_failed &&
           ((kind >= TOKEN_EQUAL && kind <= TOKEN_GREATER_EQUAL) || kind == TOKEN_IN ||
            kind == TOKEN_IS || (kind == TOKEN_NOT && parser->next.kind == TOKEN_IN));
}

static struct tree *parse_comparison(struct parser *parser)
{
    struct tree *left = parse_sum(parser);
    enum operation op = OP_EQUAL;
    if (left == NULL || !accept_relation(parser, &op)) {
        return left;
    }
    struct tree *tree = node_of(parser, TREE_RELATION, op, left, parse_sum(parser));
    return tree != NULL && is_at_relation(parser) ? parse_relation_chain(parser, tree) : tree;
}

struct tree *parse_not(struct parser *parser)
{
    if (!parse_is_at(parser, TOKEN_NOT)) {
        return parse_comparison(parser);
    }
    uint32_t from = parser->token.from;
    if (!parse_enter(parser)) {
        return NULL;
    }
    parse_advance(parser);
    struct tree *operand = parse_not(parser);
    parse_leave(parser);
    struct tree *tree = operand == NULL ? NULL : parse_node(parser, TREE_UNARY, from);
    if (tree == NULL || !parse_append(parser, tree, operand)) {
        return NULL;
    }
    tree->op = OP_NOT;
    return tree;
}

/* `a and b and c` and `a or b or c`. */
static struct tree *parse_logic(struct parser *parser, enum tree_kind kind, enum token_kind word,
                                struct tree *(*operand)(struct parser *))
{
    struct tree *first = operand(parser);
    if (first == NULL || !parse_is_at(parser, word)) {
        return first;
    }
    struct tree *tree = parse_node(parser, kind, first->from);
    if (tree == NULL || !parse_append(parser, tree, first)) {
        return NULL;
    }
    while (parse_accept(parser, word)) {
        if (!parse_append(parser, tree, operand(parser))) {
            return NULL;
        }
    }
    return tree;
}

static struct tree *parse_and(struct parser *parser)
{
    return parse_logic(parser, TREE_AND, TOKEN_AND, parse_not);
}

static struct tree *parse_if(struct parser *parser)
{
    struct tree *tree = parse_node(parser, TREE_IF, parser->token.from);
    if (tree == NULL || !parse_enter(parser)) {
        return NULL;
    }
    parse_advance(parser);
    bool is_whole = parse_append(parser, tree, parse_any(parser)) &&
                    parse_expect(parser, TOKEN_THEN, "'then' (if c then a else b)") &&
                    parse_append(parser, tree, parse_any(parser)) &&
                    parse_expect(parser, TOKEN_ELSE, "'else' (if c then a else b)") &&
                    parse_append(parser, tree, parse_any(parser));
    parse_leave(parser);
    return is_whole ? tree : NULL;
}

/* The rule `expression`. */
struct tree *parse_any(struct parser *parser)
{
    return parse_is_at(parser, TOKEN_IF) ? parse_if(parser)
                                         : parse_logic(parser, TREE_OR, TOKEN_OR, parse_and);
}

struct tree *parse_expression(struct arena *trees, struct arena *literals, struct faults *faults,
                              const char *text, uint32_t len)
{
    struct parser parser = { .arena = trees, .faults = faults };
    parser.lexer = (struct lexer){ text, len, 0, literals, faults };
    parser.is_failed =
        !lexer_next(&parser.lexer, &parser.token) || !lexer_next(&parser.lexer, &parser.next);
    if (parse_is_at(&parser, TOKEN_END)) {
        faults_error(faults, 0, len, "the expression is empty; write null for no value");
        return NULL;
    }
    struct tree *tree = parse_any(&parser);
    if (tree != NULL && !parse_is_at(&parser, TOKEN_END)) {
        return parse_unexpected(&parser, "an operator or the end");
    }
    return parser.is_failed ? NULL : tree;
}
