/* SPDX-License-Identifier: MIT */
/*
 * One function per rule of the grammar, loosest first. The first fault that leaves unclear what the
 * rest means ends the parse; a fault whose meaning is clear (`a < b < c`) is reported and read over.
 */
#include "expr/parser.h"

#include <string.h>

#include "expr/lexer.h"

/*
 * token, next  the word to be read and the one behind it
 * read_to      end of the last word that was read
 * is_failed    a fault ended the parse
 */
struct parser {
    struct arena *arena;
    struct faults *faults;
    struct lexer lexer;
    struct token token;
    struct token next;
    uint32_t read_to;
    uint32_t depth;
    bool is_failed;
};

static struct tree *parse_any(struct parser *parser);
static struct tree *parse_not(struct parser *parser);
static struct tree *parse_sign(struct parser *parser);
static struct tree *parse_fallback(struct parser *parser);

/* ---- words ----------------------------------------------------------------------------------- */

static void advance(struct parser *parser)
{
    parser->read_to = parser->token.to;
    parser->token = parser->next;
    if (!parser->is_failed && !lexer_next(&parser->lexer, &parser->next)) {
        parser->is_failed = true;
    }
}

static bool is_at(const struct parser *parser, enum token_kind kind)
{
    return !parser->is_failed && parser->token.kind == kind;
}

static bool accept(struct parser *parser, enum token_kind kind)
{
    if (!is_at(parser, kind)) {
        return false;
    }
    advance(parser);
    return true;
}

static const char *source(const struct parser *parser)
{
    return parser->lexer.text;
}

/* Ends the parse at the word to be read. */
static void *unexpected(struct parser *parser, const char *expected)
{
    if (parser->is_failed) {
        return NULL;
    }
    parser->is_failed = true;
    const struct token *token = &parser->token;
    char room[EXCERPT_ROOM];
    excerpt(source(parser), token->from, token->to, room);
    if (token->kind == TOKEN_END) {
        faults_error(parser->faults, token->from, token->to, "%s is expected at the end", expected);
        return NULL;
    }
    const char *keyword = token->kind == TOKEN_NAME
                              ? lexer_keyword_in_lower_case(room, token->to - token->from)
                              : NULL;
    if (keyword != NULL) {
        faults_error(parser->faults, token->from, token->to,
                     "'%s' is a name here, since keywords are lower case; write '%s'", room,
                     keyword);
    } else {
        faults_error(parser->faults, token->from, token->to, "%s is expected, not '%s'", expected,
                     room);
    }
    return NULL;
}

static bool expect(struct parser *parser, enum token_kind kind, const char *expected)
{
    if (!is_at(parser, kind)) {
        unexpected(parser, expected);
        return false;
    }
    advance(parser);
    return true;
}

/* Every construct that stands inside another one of its kind passes here. */
static bool enter(struct parser *parser)
{
    if (parser->is_failed) {
        return false;
    }
    if (parser->depth == EXPRESSION_MAX_DEPTH) {
        parser->is_failed = true;
        faults_error(parser->faults, parser->token.from, parser->token.to,
                     "more than %d levels of nesting; compute a part of it in a step before",
                     EXPRESSION_MAX_DEPTH);
        return false;
    }
    parser->depth++;
    return true;
}

static void leave(struct parser *parser)
{
    parser->depth--;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static void *no_memory(struct parser *parser)
{
    parser->is_failed = true;
    faults_no_memory(parser->faults);
    return NULL;
}

static struct tree *node(struct parser *parser, enum tree_kind kind, uint32_t from)
{
    struct tree *tree = tree_create(parser->arena, kind, from, parser->read_to);
    return tree != NULL ? tree : no_memory(parser);
}

/* Appends an operand and widens the node over it. */
static bool append(struct parser *parser, struct tree *tree, struct tree *operand)
{
    if (operand == NULL) {
        return false;
    }
    struct tree **grown = tree_grow(parser->arena, tree->operands, tree->count, sizeof *grown);
    if (grown == NULL) {
        no_memory(parser);
        return false;
    }
    grown[tree->count++] = operand;
    tree->operands = grown;
    tree->to = parser->read_to;
    return true;
}

static bool append_step(struct parser *parser, struct tree *path, const struct tree_step *step)
{
    struct tree_step *grown = tree_grow(parser->arena, path->steps, path->step_count, sizeof *step);
    if (grown == NULL) {
        no_memory(parser);
        return false;
    }
    grown[path->step_count++] = *step;
    path->steps = grown;
    path->to = step->to;
    return true;
}

/* A node with these operands; NULL where one of them is. */
static struct tree *node_of(struct parser *parser, enum tree_kind kind, enum operation op,
                            struct tree *left, struct tree *right)
{
    if (parser->is_failed || left == NULL) {
        return NULL;
    }
    struct tree *tree = node(parser, kind, left->from);
    if (tree == NULL || !append(parser, tree, left) || !append(parser, tree, right)) {
        return NULL;
    }
    tree->op = op;
    return tree;
}

/* ---- primary --------------------------------------------------------------------------------- */

static struct tree *parse_literal(struct parser *parser)
{
    struct token token = parser->token;
    advance(parser);
    struct tree *tree = node(parser, TREE_LITERAL, token.from);
    if (tree != NULL) {
        tree->value = token.value;
        tree->is_bad = token.is_bad;
        tree->is_least_int = token.is_least_int;
    }
    return tree;
}

static struct tree *parse_constant(struct parser *parser, weir_value value)
{
    uint32_t from = parser->token.from;
    advance(parser);
    struct tree *tree = node(parser, TREE_LITERAL, from);
    if (tree != NULL) {
        tree->value = value;
    }
    return tree;
}

/* `[...]` of items or `(...)` of arguments, with the opening sign read. */
static struct tree *parse_items(struct parser *parser, struct tree *tree, enum token_kind close,
                                const char *expected)
{
    if (!enter(parser)) {
        return NULL;
    }
    while (!is_at(parser, close)) {
        if (!append(parser, tree, parse_any(parser))) {
            return NULL;
        }
        if (!accept(parser, TOKEN_COMMA)) {
            break;
        }
    }
    leave(parser);
    tree->args_to = parser->token.from;
    if (!expect(parser, close, expected)) {
        return NULL;
    }
    tree->to = parser->read_to;
    return tree;
}

static struct tree *parse_list(struct parser *parser)
{
    uint32_t from = parser->token.from;
    advance(parser);
    struct tree *tree = node(parser, TREE_LIST, from);
    return tree == NULL ? NULL : parse_items(parser, tree, TOKEN_CLOSE_LIST, "',' or ']'");
}

/* The bytes of a name, where they outlive the tree. */
static bool keep_name(struct parser *parser, const struct token *token, const char **ret_name,
                      uint32_t *ret_len)
{
    if (token->kind == TOKEN_TEXT) {
        *ret_name = token->value.as.text;
        *ret_len = token->value.len;
        return true;
    }
    *ret_len = token->to - token->from;
    *ret_name = arena_copy(parser->lexer.arena, source(parser) + token->from, *ret_len);
    if (*ret_name == NULL) {
        no_memory(parser);
    }
    return *ret_name != NULL;
}

static bool parse_key(struct parser *parser, struct tree *map)
{
    struct token token = parser->token;
    bool is_word = token.kind == TOKEN_NAME || token_is_keyword(&token);
    if (token.kind == TOKEN_LITERAL && !token.is_bad) {
        char room[EXCERPT_ROOM];
        parser->is_failed = true;
        faults_error(parser->faults, token.from, token.to, "keys of a map are text; write \"%s\"",
                     excerpt(source(parser), token.from, token.to, room));
        return false;
    }
    if (!is_word && token.kind != TOKEN_TEXT) {
        unexpected(parser, "a key (a name or a text)");
        return false;
    }
    struct tree_key *grown = tree_grow(parser->arena, map->keys, map->count, sizeof *grown);
    if (grown == NULL) {
        no_memory(parser);
        return false;
    }
    map->keys = grown;
    struct tree_key *key = &grown[map->count];
    key->from = token.from;
    key->to = token.to;
    map->is_bad |= token.is_bad;
    if (!keep_name(parser, &token, &key->name, &key->len)) {
        return false;
    }
    advance(parser);
    return expect(parser, TOKEN_COLON, "':'");
}

static struct tree *parse_map(struct parser *parser)
{
    uint32_t from = parser->token.from;
    advance(parser);
    struct tree *tree = node(parser, TREE_MAP, from);
    if (tree == NULL || !enter(parser)) {
        return NULL;
    }
    while (!is_at(parser, TOKEN_CLOSE_MAP)) {
        if (!parse_key(parser, tree) || !append(parser, tree, parse_any(parser))) {
            return NULL;
        }
        if (!accept(parser, TOKEN_COMMA)) {
            break;
        }
    }
    leave(parser);
    if (!expect(parser, TOKEN_CLOSE_MAP, "',' or '}'")) {
        return NULL;
    }
    tree->to = parser->read_to;
    return tree;
}

static struct tree *parse_enclosed(struct parser *parser)
{
    uint32_t from = parser->token.from;
    if (!enter(parser)) {
        return NULL;
    }
    advance(parser);
    struct tree *tree = parse_any(parser);
    leave(parser);
    if (tree == NULL || !expect(parser, TOKEN_CLOSE, "')'")) {
        return NULL;
    }
    tree->from = from;
    tree->to = parser->read_to;
    tree->is_enclosed = true;
    return tree;
}

/* A field: the first step from the record's value. */
static struct tree *parse_field(struct parser *parser)
{
    struct token token = parser->token;
    struct tree_step step = { .kind = STEP_MEMBER, .is_dotted = true };
    step.from = token.from;
    step.to = token.to;
    if (!keep_name(parser, &token, &step.name, &step.name_len)) {
        return NULL;
    }
    advance(parser);
    struct tree *path = node(parser, TREE_PATH, token.from);
    return path != NULL && append_step(parser, path, &step) ? path : NULL;
}

static struct tree *parse_record_name(struct parser *parser)
{
    struct token token = parser->token;
    advance(parser);
    struct tree *tree = node(parser, TREE_RECORD_NAME, token.from);
    if (tree == NULL) {
        return NULL;
    }
    tree->name = source(parser) + token.from;
    tree->name_len = token.to - token.from;
    tree->record_name = RECORD_NAME_COUNT;
    for (int i = 0; i < RECORD_NAME_COUNT; i++) {
        const char *name = record_name_text((enum record_name)i);
        if (strlen(name) == tree->name_len && memcmp(name, tree->name, tree->name_len) == 0) {
            tree->record_name = (enum record_name)i;
        }
    }
    return tree;
}

/* `not x` or `if ...` where an operand stands: its extent is clear, and so is the cure. */
static struct tree *parse_loose_operand(struct parser *parser)
{
    uint32_t from = parser->token.from;
    if (!enter(parser)) {
        return NULL;
    }
    struct tree *tree = is_at(parser, TOKEN_IF) ? parse_any(parser) : parse_not(parser);
    leave(parser);
    if (tree != NULL) {
        char room[EXCERPT_ROOM];
        faults_error(parser->faults, from, tree->to,
                     "an operand needs parentheses here; write (%s)",
                     excerpt(source(parser), from, tree->to, room));
        tree->is_bad = true;
    }
    return tree;
}

static struct tree *parse_primary(struct parser *parser)
{
    if (parser->is_failed) {
        return NULL;
    }
    switch (parser->token.kind) {
    case TOKEN_LITERAL:
    case TOKEN_TEXT:
        return parse_literal(parser);
    case TOKEN_NULL:
        return parse_constant(parser, weir_null());
    case TOKEN_TRUE:
        return parse_constant(parser, weir_bool(true));
    case TOKEN_FALSE:
        return parse_constant(parser, weir_bool(false));
    case TOKEN_NAME:
        return parse_field(parser);
    case TOKEN_RECORD_NAME:
        return parse_record_name(parser);
    case TOKEN_OPEN_LIST:
        return parse_list(parser);
    case TOKEN_OPEN_MAP:
        return parse_map(parser);
    case TOKEN_OPEN:
        return parse_enclosed(parser);
    case TOKEN_NOT:
    case TOKEN_IF:
        return parse_loose_operand(parser);
    default:
        return unexpected(parser, "a value");
    }
}

/* ---- postfix --------------------------------------------------------------------------------- */

/* The node as a path that can take another step; `$value` and no base are the same. */
static struct tree *as_path(struct parser *parser, struct tree *base)
{
    if (base->kind == TREE_PATH) {
        return base;
    }
    struct tree *path = node(parser, TREE_PATH, base->from);
    if (path != NULL) {
        bool is_value = base->kind == TREE_RECORD_NAME && base->record_name == RECORD_VALUE;
        path->base = is_value ? NULL : base;
        path->to = base->to;
    }
    return path;
}

static struct tree *parse_member(struct parser *parser, struct tree *base)
{
    struct tree *path = as_path(parser, base);
    advance(parser);
    struct token token = parser->token;
    if (path == NULL || parser->is_failed) {
        return NULL;
    }
    if (token.kind == TOKEN_LITERAL) {
        return unexpected(parser, "a name behind '.' ([...] for an index)");
    }
    if (token.kind != TOKEN_NAME && !token_is_keyword(&token)) {
        return unexpected(parser, "a name behind '.'");
    }
    struct tree_step step = { .kind = STEP_MEMBER, .is_dotted = true };
    step.from = token.from;
    step.to = token.to;
    if (!keep_name(parser, &token, &step.name, &step.name_len)) {
        return NULL;
    }
    advance(parser);
    path->is_enclosed = false;
    return append_step(parser, path, &step) ? path : NULL;
}

/* Between the brackets of an index or slice. */
static bool parse_bounds(struct parser *parser, struct tree_step *step)
{
    if (!is_at(parser, TOKEN_COLON)) {
        step->low = parse_any(parser);
        if (step->low == NULL) {
            return false;
        }
    }
    if (!accept(parser, TOKEN_COLON)) {
        return true;
    }
    step->kind = STEP_SLICE;
    if (!is_at(parser, TOKEN_CLOSE_LIST)) {
        step->high = parse_any(parser);
        return step->high != NULL;
    }
    return true;
}

static struct tree *parse_index(struct parser *parser, struct tree *base)
{
    struct tree *path = as_path(parser, base);
    struct tree_step step = { .kind = STEP_INDEX, .from = parser->token.from };
    if (path == NULL || !enter(parser)) {
        return NULL;
    }
    advance(parser);
    if (!parse_bounds(parser, &step)) {
        return NULL;
    }
    leave(parser);
    if (!expect(parser, TOKEN_CLOSE_LIST, "']'")) {
        return NULL;
    }
    step.to = parser->read_to;
    const struct tree *low = step.low;
    if (step.kind == STEP_INDEX && low->kind == TREE_LITERAL && low->value.tag == WEIR_TEXT) {
        step.kind = STEP_MEMBER;
        step.name = low->value.as.text;
        step.name_len = low->value.len;
        path->is_bad |= low->is_bad;
    }
    path->is_enclosed = false;
    return append_step(parser, path, &step) ? path : NULL;
}

/* True for `name`, `a.b.name`: what may stand before the parenthesis of a call. */
static bool is_function_name(const struct tree *tree)
{
    if (tree->kind != TREE_PATH || tree->base != NULL || tree->is_enclosed ||
        tree->steps[0].from != tree->from) {
        return false;
    }
    for (uint32_t i = 0; i < tree->step_count; i++) {
        if (!tree->steps[i].is_dotted) {
            return false;
        }
    }
    return true;
}

/* The words of the path, joined by dots. */
static bool name_call(struct parser *parser, struct tree *call, const struct tree *path)
{
    size_t len = path->step_count - 1;
    for (uint32_t i = 0; i < path->step_count; i++) {
        len += path->steps[i].name_len;
    }
    char *name = arena_alloc(parser->arena, len + 1);
    if (name == NULL) {
        no_memory(parser);
        return false;
    }
    call->name = name;
    call->name_len = (uint32_t)len;
    for (uint32_t i = 0; i < path->step_count; i++) {
        memcpy(name, path->steps[i].name, path->steps[i].name_len);
        name += path->steps[i].name_len;
        *name++ = i + 1 < path->step_count ? '.' : '\0';
    }
    return true;
}

/* End of what stands before the dot that leads to `at`. */
static uint32_t before_dot(const struct parser *parser, uint32_t at)
{
    const char *text = source(parser);
    while (at > 0 && text[at - 1] != '.') {
        at--;
    }
    while (at > 1 && strchr(" \t\r\n.", text[at - 1]) != NULL) {
        at--;
    }
    return at;
}

static struct tree *parse_call(struct parser *parser, struct tree *callee)
{
    bool is_name = is_function_name(callee);
    bool is_method = !is_name && callee->kind == TREE_PATH && !callee->is_enclosed &&
                     callee->steps[callee->step_count - 1].is_dotted;
    if (!is_name && !is_method) {
        parser->is_failed = true;
        faults_error(parser->faults, parser->token.from, parser->token.to,
                     "only a function's name can stand before '('");
        return NULL;
    }
    struct tree *call = node(parser, TREE_CALL, callee->from);
    if (call == NULL || (is_name && !name_call(parser, call, callee))) {
        return NULL;
    }
    advance(parser);
    call->args_from = parser->read_to;
    if (parse_items(parser, call, TOKEN_CLOSE, "',' or ')'") == NULL) {
        return NULL;
    }
    if (is_method || callee->step_count > 1) {
        const struct tree_step *last = &callee->steps[callee->step_count - 1];
        call->is_method = is_method;
        call->receiver_to = before_dot(parser, last->from);
        call->method_from = last->from;
        call->method_to = last->to;
    }
    return call;
}

static struct tree *parse_postfix(struct parser *parser)
{
    struct tree *tree = parse_primary(parser);
    while (tree != NULL && !parser->is_failed) {
        switch (parser->token.kind) {
        case TOKEN_DOT:
            tree = parse_member(parser, tree);
            break;
        case TOKEN_OPEN_LIST:
            tree = parse_index(parser, tree);
            break;
        case TOKEN_OPEN:
            tree = parse_call(parser, tree);
            break;
        default:
            return tree;
        }
    }
    return NULL;
}

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
    struct tree *tree = node(parser, TREE_UNARY, from);
    if (tree == NULL || !append(parser, tree, operand)) {
        return NULL;
    }
    tree->op = OP_NEGATE;
    return tree;
}

/* Behind `??`: a minus takes the whole rest. */
static struct tree *parse_negative_fallback(struct parser *parser)
{
    uint32_t from = parser->token.from;
    if (!enter(parser)) {
        return NULL;
    }
    advance(parser);
    struct tree *tree = negate(parser, from, parse_fallback(parser));
    leave(parser);
    return tree;
}

static struct tree *parse_fallback(struct parser *parser)
{
    struct tree *first = parse_postfix(parser);
    if (first == NULL || !is_at(parser, TOKEN_FALLBACK)) {
        return first;
    }
    struct tree *tree = node(parser, TREE_FALLBACK, first->from);
    if (tree == NULL || !append(parser, tree, first)) {
        return NULL;
    }
    while (accept(parser, TOKEN_FALLBACK)) {
        bool is_negative = is_at(parser, TOKEN_MINUS);
        if (!append(parser, tree,
                    is_negative ? parse_negative_fallback(parser) : parse_postfix(parser))) {
            return NULL;
        }
    }
    return tree;
}

static struct tree *parse_power(struct parser *parser)
{
    struct tree *base = parse_fallback(parser);
    if (base == NULL || !is_at(parser, TOKEN_POWER)) {
        return base;
    }
    if (!enter(parser)) {
        return NULL;
    }
    advance(parser);
    struct tree *tree = node_of(parser, TREE_POWER, OP_POWER, base, parse_sign(parser));
    leave(parser);
    return tree;
}

static struct tree *parse_sign(struct parser *parser)
{
    bool is_minus = is_at(parser, TOKEN_MINUS);
    if (!is_minus && !is_at(parser, TOKEN_PLUS)) {
        return parse_power(parser);
    }
    uint32_t from = parser->token.from;
    if (!enter(parser)) {
        return NULL;
    }
    advance(parser);
    struct tree *operand = parse_sign(parser);
    leave(parser);
    if (is_minus) {
        return negate(parser, from, operand);
    }
    struct tree *tree = operand == NULL ? NULL : node(parser, TREE_UNARY, from);
    if (tree == NULL || !append(parser, tree, operand)) {
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
    struct tree *tree = node(parser, TREE_CHAIN, first->from);
    if (tree == NULL || !append(parser, tree, first)) {
        return NULL;
    }
    while (!parser->is_failed && find(parser->token.kind, &op)) {
        uint32_t at = tree->count - 1;
        enum operation *grown = tree_grow(parser->arena, tree->ops, at, sizeof *grown);
        if (grown == NULL) {
            return no_memory(parser);
        }
        grown[at] = op;
        tree->ops = grown;
        advance(parser);
        if (!append(parser, tree, operand(parser))) {
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
        advance(parser);
        *ret = OP_NOT_IN;
    } else if (kind == TOKEN_IS) {
        bool is_not = parser->next.kind == TOKEN_NOT;
        if (is_not) {
            advance(parser);
        }
        *ret = is_not ? OP_IS_NOT : OP_IS;
    } else {
        return false;
    }
    advance(parser);
    return true;
}

/* `a < b < c`, of which the first relation is read: `a < b and b < c` was meant. */
static struct tree *parse_relation_chain(struct parser *parser, struct tree *tree)
{
    char room[EXCERPT_ROOM];
    enum operation op = OP_EQUAL;
    const char *proposal =
        arena_printf(parser->arena, "%s", excerpt(source(parser), tree->from, tree->to, room));
    uint32_t middle = tree->operands[1]->from;
    while (proposal != NULL && accept_relation(parser, &op)) {
        const struct tree *right = parse_sum(parser);
        if (right == NULL) {
            return NULL;
        }
        proposal = arena_printf(parser->arena, "%.400s and %s", proposal,
                                excerpt(source(parser), middle, right->to, room));
        middle = right->from;
        tree->to = right->to;
    }
    if (proposal == NULL) {
        return no_memory(parser);
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

static struct tree *parse_not(struct parser *parser)
{
    if (!is_at(parser, TOKEN_NOT)) {
        return parse_comparison(parser);
    }
    uint32_t from = parser->token.from;
    if (!enter(parser)) {
        return NULL;
    }
    advance(parser);
    struct tree *operand = parse_not(parser);
    leave(parser);
    struct tree *tree = operand == NULL ? NULL : node(parser, TREE_UNARY, from);
    if (tree == NULL || !append(parser, tree, operand)) {
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
    if (first == NULL || !is_at(parser, word)) {
        return first;
    }
    struct tree *tree = node(parser, kind, first->from);
    if (tree == NULL || !append(parser, tree, first)) {
        return NULL;
    }
    while (accept(parser, word)) {
        if (!append(parser, tree, operand(parser))) {
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
    struct tree *tree = node(parser, TREE_IF, parser->token.from);
    if (tree == NULL || !enter(parser)) {
        return NULL;
    }
    advance(parser);
    bool is_whole = append(parser, tree, parse_any(parser)) &&
                    expect(parser, TOKEN_THEN, "'then' (if c then a else b)") &&
                    append(parser, tree, parse_any(parser)) &&
                    expect(parser, TOKEN_ELSE, "'else' (if c then a else b)") &&
                    append(parser, tree, parse_any(parser));
    leave(parser);
    return is_whole ? tree : NULL;
}

/* The rule `expression`. */
static struct tree *parse_any(struct parser *parser)
{
    return is_at(parser, TOKEN_IF) ? parse_if(parser)
                                   : parse_logic(parser, TREE_OR, TOKEN_OR, parse_and);
}

struct tree *parse_expression(struct arena *trees, struct arena *literals, struct faults *faults,
                              const char *text, uint32_t len)
{
    struct parser parser = { .arena = trees, .faults = faults };
    parser.lexer = (struct lexer){ text, len, 0, literals, faults };
    parser.is_failed =
        !lexer_next(&parser.lexer, &parser.token) || !lexer_next(&parser.lexer, &parser.next);
    if (is_at(&parser, TOKEN_END)) {
        faults_error(faults, 0, len, "the expression is empty; write null for no value");
        return NULL;
    }
    struct tree *tree = parse_any(&parser);
    if (tree != NULL && !is_at(&parser, TOKEN_END)) {
        return unexpected(&parser, "an operator or the end");
    }
    return parser.is_failed ? NULL : tree;
}
