/* SPDX-License-Identifier: MIT */
/*
 * What binds tightest: literals, names, lists, maps and parentheses.
 */
#include <string.h>

#include "expr/parse_state.h"

static struct tree *parse_literal(struct parser *parser)
{
    struct token token = parser->token;
    parse_advance(parser);
    struct tree *tree = parse_node(parser, TREE_LITERAL, token.from);
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
    parse_advance(parser);
    struct tree *tree = parse_node(parser, TREE_LITERAL, from);
    if (tree != NULL) {
        tree->value = value;
    }
    return tree;
}

struct tree *parse_items(struct parser *parser, struct tree *tree, enum token_kind close,
                         const char *expected)
{
    if (!parse_enter(parser)) {
        return NULL;
    }
    while (!parse_is_at(parser, close)) {
        if (!parse_append(parser, tree, parse_any(parser))) {
            return NULL;
        }
        if (!parse_accept(parser, TOKEN_COMMA)) {
            break;
        }
    }
    parse_leave(parser);
    tree->args_to = parser->token.from;
    if (!parse_expect(parser, close, expected)) {
        return NULL;
    }
    tree->to = parser->read_to;
    return tree;
}

static struct tree *parse_list(struct parser *parser)
{
    uint32_t from = parser->token.from;
    parse_advance(parser);
    struct tree *tree = parse_node(parser, TREE_LIST, from);
    return tree == NULL ? NULL : parse_items(parser, tree, TOKEN_CLOSE_LIST, "',' or ']'");
}

bool parse_keep_name(struct parser *parser, const struct token *token, const char **ret_name,
                     uint32_t *ret_len)
{
    if (token->kind == TOKEN_TEXT) {
        *ret_name = token->value.as.text;
        *ret_len = token->value.len;
        return true;
    }
    *ret_len = token->to - token->from;
    *ret_name = arena_copy(parser->lexer.arena, parse_source(parser) + token->from, *ret_len);
    if (*ret_name == NULL) {
        parse_no_memory(parser);
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
                     excerpt(parse_source(parser), token.from, token.to, room));
        return false;
    }
    if (!is_word && token.kind != TOKEN_TEXT) {
        parse_unexpected(parser, "a key (a name or a text)");
        return false;
    }
    struct tree_key *grown = tree_grow(parser->arena, map->keys, map->count, sizeof *grown);
    if (grown == NULL) {
        parse_no_memory(parser);
        return false;
    }
    map->keys = grown;
    struct tree_key *key = &grown[map->count];
    key->from = token.from;
    key->to = token.to;
    map->is_bad |= token.is_bad;
    if (!parse_keep_name(parser, &token, &key->name, &key->len)) {
        return false;
    }
    parse_advance(parser);
    return parse_expect(parser, TOKEN_COLON, "':'");
}

static struct tree *parse_map(struct parser *parser)
{
    uint32_t from = parser->token.from;
    parse_advance(parser);
    struct tree *tree = parse_node(parser, TREE_MAP, from);
    if (tree == NULL || !parse_enter(parser)) {
        return NULL;
    }
    while (!parse_is_at(parser, TOKEN_CLOSE_MAP)) {
        if (!parse_key(parser, tree) || !parse_append(parser, tree, parse_any(parser))) {
            return NULL;
        }
        if (!parse_accept(parser, TOKEN_COMMA)) {
            break;
        }
    }
    parse_leave(parser);
    if (!parse_expect(parser, TOKEN_CLOSE_MAP, "',' or '}'")) {
        return NULL;
    }
    tree->to = parser->read_to;
    return tree;
}

static struct tree *parse_enclosed(struct parser *parser)
{
    uint32_t from = parser->token.from;
    if (!parse_enter(parser)) {
        return NULL;
    }
    parse_advance(parser);
    struct tree *tree = parse_any(parser);
    parse_leave(parser);
    if (tree == NULL || !parse_expect(parser, TOKEN_CLOSE, "')'")) {
        return NULL;
    }
    tree->from = from;
    tree->to = parser->read_to;
    tree->is_enclosed = true;
    return tree;
}

bool parse_append_step(struct parser *parser, struct tree *path, const struct tree_step *step)
{
    struct tree_step *grown = tree_grow(parser->arena, path->steps, path->step_count, sizeof *step);
    if (grown == NULL) {
        parse_no_memory(parser);
        return false;
    }
    grown[path->step_count++] = *step;
    path->steps = grown;
    path->to = step->to;
    return true;
}

/* A field: the first step from the record's value. */
static struct tree *parse_field(struct parser *parser)
{
    struct token token = parser->token;
    struct tree_step step = { .kind = STEP_MEMBER, .is_dotted = true };
    step.from = token.from;
    step.to = token.to;
    if (!parse_keep_name(parser, &token, &step.name, &step.name_len)) {
        return NULL;
    }
    parse_advance(parser);
    struct tree *path = parse_node(parser, TREE_PATH, token.from);
    return path != NULL && parse_append_step(parser, path, &step) ? path : NULL;
}

static struct tree *parse_record_name(struct parser *parser)
{
    struct token token = parser->token;
    parse_advance(parser);
    struct tree *tree = parse_node(parser, TREE_RECORD_NAME, token.from);
    if (tree == NULL) {
        return NULL;
    }
    tree->name = parse_source(parser) + token.from;
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
    if (!parse_enter(parser)) {
        return NULL;
    }
    struct tree *tree = parse_is_at(parser, TOKEN_IF) ? parse_any(parser) : parse_not(parser);
    parse_leave(parser);
    if (tree != NULL) {
        char room[EXCERPT_ROOM];
        faults_error(parser->faults, from, tree->to,
                     "an operand needs parentheses here; write (%s)",
                     excerpt(parse_source(parser), from, tree->to, room));
        tree->is_bad = true;
    }
    return tree;
}

struct tree *parse_primary(struct parser *parser)
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
        return parse_unexpected(parser, "a value");
    }
}
