/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the parser share: the words under the cursor, nodes, limits.
 */
#ifndef EXPR_PARSE_STATE_H
#define EXPR_PARSE_STATE_H

#include "expr/lexer.h"
#include "expr/parser.h"

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

static inline bool parse_is_at(const struct parser *parser, enum token_kind kind)
{
    return !parser->is_failed && parser->token.kind == kind;
}

static inline const char *parse_source(const struct parser *parser)
{
    return parser->lexer.text;
}

/* Reads over the word. */
void parse_advance(struct parser *parser);
/* Reads over the word if it is of this kind. */
bool parse_accept(struct parser *parser, enum token_kind kind);
/* The same, and otherwise ends the parse with a report. */
bool parse_expect(struct parser *parser, enum token_kind kind, const char *expected);
/* Ends the parse at the word to be read; returns NULL. */
void *parse_unexpected(struct parser *parser, const char *expected);
/* Every construct that stands inside another one of its kind passes here. False: too deep. */
bool parse_enter(struct parser *parser);
static inline void parse_leave(struct parser *parser)
{
    parser->depth--;
}

/* Ends the parse; returns NULL. */
void *parse_no_memory(struct parser *parser);
/* A node from `from` to what is read so far. */
struct tree *parse_node(struct parser *parser, enum tree_kind kind, uint32_t from);
/* Appends an operand and widens the node over it. False where the operand is NULL. */
bool parse_append(struct parser *parser, struct tree *tree, struct tree *operand);

/* ---- rules that refer to each other --------------------------------------------------------------- */

/* `expression`, `not`. */
struct tree *parse_any(struct parser *parser);
struct tree *parse_not(struct parser *parser);
struct tree *parse_postfix(struct parser *parser);
struct tree *parse_primary(struct parser *parser);

/* ---- parse_primary.c, for what stands behind a value ----------------------------------------------- */

/* `[...]` of items or `(...)` of arguments, with the opening sign read. NULL after a report. */
struct tree *parse_items(struct parser *parser, struct tree *tree, enum token_kind close,
                         const char *expected);
/* The bytes of a name, where they outlive the tree. False: no memory. */
bool parse_keep_name(struct parser *parser, const struct token *token, const char **ret_name,
                     uint32_t *ret_len);
/* One step more; the path reaches up to its end. False: no memory. */
bool parse_append_step(struct parser *parser, struct tree *path, const struct tree_step *step);

#endif
