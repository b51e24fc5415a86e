/* SPDX-License-Identifier: MIT */
/*
 * Words of an expression (docs/expressions.md): names, literals, signs, each with its place.
 */
#ifndef EXPR_LEXER_H
#define EXPR_LEXER_H

#include <weir/value.h>

#include "base/arena.h"
#include "expr/fault_list.h"

enum { EXPRESSION_MAX_BYTES = 64 * 1024 };

enum token_kind {
    TOKEN_END,
    TOKEN_NAME,
    TOKEN_RECORD_NAME, /* `$name`; the place includes the `$` */
    TOKEN_LITERAL,     /* int, float, duration */
    TOKEN_TEXT,
    /* keywords: in the order of the table in lexer.c */
    TOKEN_AND,
    TOKEN_OR,
    TOKEN_NOT,
    TOKEN_IN,
    TOKEN_IS,
    TOKEN_IF,
    TOKEN_THEN,
    TOKEN_ELSE,
    TOKEN_NULL,
    TOKEN_TRUE,
    TOKEN_FALSE,
    /* signs */
    TOKEN_PLUS,
    TOKEN_MINUS,
    TOKEN_STAR,
    TOKEN_POWER,
    TOKEN_SLASH,
    TOKEN_FLOOR,
    TOKEN_PERCENT,
    TOKEN_EQUAL,
    TOKEN_UNEQUAL,
    TOKEN_LESS,
    TOKEN_LESS_EQUAL,
    TOKEN_GREATER,
    TOKEN_GREATER_EQUAL,
    TOKEN_FALLBACK, /* ?? */
    TOKEN_DOT,
    TOKEN_COMMA,
    TOKEN_COLON,
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_OPEN_LIST,
    TOKEN_CLOSE_LIST,
    TOKEN_OPEN_MAP,
    TOKEN_CLOSE_MAP
};

/*
 * value           of a literal or text
 * is_bad          a fault of this word was reported; the rest can still be read
 * is_least_int    the digits of 2^63, which are right only behind a minus
 */
struct token {
    enum token_kind kind;
    uint32_t from;
    uint32_t to;
    bool is_bad;
    bool is_least_int;
    weir_value value;
};

/*
 * text    valid UTF-8 (lexer_accepts)
 * arena   of the literals' bytes: that of the compiled expression
 */
struct lexer {
    const char *text;
    uint32_t len;
    uint32_t at;
    struct arena *arena;
    struct faults *faults;
};

/* False after a report: too long, or not UTF-8. */
bool lexer_accepts(const char *text, size_t len, struct faults *faults);
/* The next word. False after a report: nothing behind it can be read. */
bool lexer_next(struct lexer *lexer, struct token *ret_token);

static inline bool token_is_keyword(const struct token *token)
{
    return token->kind >= TOKEN_AND && token->kind <= TOKEN_FALSE;
}

/* The keyword that a name is but for its case (`AND`), or NULL. */
const char *lexer_keyword_in_lower_case(const char *name, size_t len);
/* True where all of the text is one name (or keyword). */
bool lexer_is_word(const char *text, size_t len);
/* Length of the name at the beginning of the text; 0: none. */
size_t lexer_name_length(const char *text, size_t len);

/* '\0' behind the text. */
static inline char lexer_char_at(const struct lexer *lexer, uint32_t at)
{
    return at < lexer->len ? lexer->text[at] : '\0';
}

static inline bool lexer_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* number_literal.c: the word at lexer->at, which begins with a digit. False: nothing behind it can be read. */
bool lexer_read_number(struct lexer *lexer, struct token *token);
/* text_literal.c: with a quote. */
bool lexer_read_text(struct lexer *lexer, struct token *token);

#endif
