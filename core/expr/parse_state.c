/* SPDX-License-Identifier: MIT */
/*
 * The cursor over the words, and the making of nodes.
 */
#include "expr/parse_state.h"

/* ---- words ----------------------------------------------------------------------------------- */

void parse_advance(struct parser *parser)
{
    parser->read_to = parser->token.to;
    parser->token = parser->next;
    if (!parser->is_failed && !lexer_next(&parser->lexer, &parser->next)) {
        parser->is_failed = true;
    }
}

bool parse_accept(struct parser *parser, enum token_kind kind)
{
    if (!parse_is_at(parser, kind)) {
        return false;
    }
    parse_advance(parser);
    return true;
}

void *parse_unexpected(struct parser *parser, const char *expected)
{
    if (parser->is_failed) {
        return NULL;
    }
    parser->is_failed = true;
    const struct token *token = &parser->token;
    char room[EXCERPT_ROOM];
    excerpt(parse_source(parser), token->from, token->to, room);
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

bool parse_expect(struct parser *parser, enum token_kind kind, const char *expected)
{
    if (!parse_is_at(parser, kind)) {
        parse_unexpected(parser, expected);
        return false;
    }
    parse_advance(parser);
    return true;
}

bool parse_enter(struct parser *parser)
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

/* ---- nodes ----------------------------------------------------------------------------------- */

void *parse_no_memory(struct parser *parser)
{
    parser->is_failed = true;
    faults_no_memory(parser->faults);
    return NULL;
}

struct tree *parse_node(struct parser *parser, enum tree_kind kind, uint32_t from)
{
    struct tree *tree = tree_create(parser->arena, kind, from, parser->read_to);
    return tree != NULL ? tree : parse_no_memory(parser);
}

bool parse_append(struct parser *parser, struct tree *tree, struct tree *operand)
{
    if (operand == NULL) {
        return false;
    }
    struct tree **grown = tree_grow(parser->arena, tree->operands, tree->count, sizeof *grown);
    if (grown == NULL) {
        parse_no_memory(parser);
        return false;
    }
    grown[tree->count++] = operand;
    tree->operands = grown;
    tree->to = parser->read_to;
    return true;
}
