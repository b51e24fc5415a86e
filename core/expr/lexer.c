/* SPDX-License-Identifier: MIT */
/*
 * Splits an expression into words. Knows what people write by habit of other languages, and says
 * what to write here.
 */
#include "expr/lexer.h"

#include <string.h>
#include <strings.h>

#include "base/utf8.h"

static const char *const keywords[] = { "and",  "or",   "not",  "in",   "is",   "if",
                                        "then", "else", "null", "true", "false" };
enum { KEYWORD_COUNT = sizeof keywords / sizeof keywords[0] };

static int keyword_index(const char *name, size_t len)
{
    for (int i = 0; i < KEYWORD_COUNT; i++) {
        if (strlen(keywords[i]) == len && memcmp(keywords[i], name, len) == 0) {
            return i;
        }
    }
    return -1;
}

bool expr_is_keyword(const char *name, size_t len)
{
    return keyword_index(name, len) >= 0;
}

const char *lexer_keyword_in_lower_case(const char *name, size_t len)
{
    for (int i = 0; i < KEYWORD_COUNT; i++) {
        if (strlen(keywords[i]) == len && strncasecmp(keywords[i], name, len) == 0) {
            return keywords[i];
        }
    }
    return NULL;
}

bool lexer_accepts(const char *text, size_t len, struct faults *faults)
{
    if (len > EXPRESSION_MAX_BYTES) {
        faults_error(faults, EXPRESSION_MAX_BYTES, (uint32_t)(len < UINT32_MAX ? len : UINT32_MAX),
                     "the expression has %zu bytes; at most %d are allowed", len,
                     EXPRESSION_MAX_BYTES);
        return false;
    }
    size_t valid = utf8_valid_prefix(text, len);
    if (valid < len) {
        faults_error(faults, (uint32_t)valid, (uint32_t)valid + 1,
                     "the byte 0x%02X is not UTF-8; save the file as UTF-8",
                     (unsigned)(unsigned char)text[valid]);
        return false;
    }
    return true;
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_curly_quote(uint32_t point)
{
    return (point >= 0x2018 && point <= 0x201F);
}

static bool is_name_point(uint32_t point, bool is_first)
{
    if (point < 0x80) {
        bool is_letter = (point >= 'a' && point <= 'z') || (point >= 'A' && point <= 'Z');
        return is_letter || point == '_' || (!is_first && point >= '0' && point <= '9');
    }
    return !utf8_is_space(point) && point != 0xFEFF && !is_curly_quote(point);
}

size_t lexer_name_length(const char *text, size_t len)
{
    size_t at = 0;
    while (at < len) {
        uint32_t point = 0;
        size_t size = utf8_read(text + at, len - at, &point);
        if (size == 0 || !is_name_point(point, at == 0)) {
            break;
        }
        at += size;
    }
    return at;
}

bool lexer_is_word(const char *text, size_t len)
{
    return len > 0 && lexer_name_length(text, len) == len;
}

static bool read_name(struct lexer *lexer, struct token *token)
{
    size_t len = lexer_name_length(lexer->text + lexer->at, lexer->len - lexer->at);
    int keyword = keyword_index(lexer->text + lexer->at, len);
    token->kind = keyword >= 0 ? (enum token_kind)(TOKEN_AND + keyword) : TOKEN_NAME;
    lexer->at += (uint32_t)len;
    token->to = lexer->at;
    return true;
}

/* `${VAR}` or `${VAR:-default}`: the file's other options know it, expressions have env(). */
static void report_substitution(struct lexer *lexer, uint32_t from)
{
    const char *name = lexer->text + from + 2;
    size_t rest = lexer->len - from - 2;
    const char *close = memchr(name, '}', rest);
    size_t len = close == NULL ? rest : (size_t)(close - name);
    const char *fallback = memmem(name, len, ":-", 2);
    size_t name_len = fallback == NULL ? len : (size_t)(fallback - name);
    uint32_t to = from + 2 + (uint32_t)len + (close == NULL ? 0 : 1);
    char name_room[EXCERPT_ROOM];
    char rest_room[EXCERPT_ROOM];
    uint32_t start = from + 2;
    excerpt(lexer->text, start, start + (uint32_t)name_len, name_room);
    if (fallback == NULL) {
        faults_error(lexer->faults, from, to,
                     "${} is not replaced inside an expression; write env(\"%s\")", name_room);
        return;
    }
    excerpt(lexer->text, start + (uint32_t)name_len + 2, start + (uint32_t)len, rest_room);
    faults_error(lexer->faults, from, to,
                 "${} is not replaced inside an expression; write env(\"%s\", \"%s\")", name_room,
                 rest_room);
}

static bool read_record_name(struct lexer *lexer, struct token *token)
{
    uint32_t from = lexer->at;
    size_t len = lexer_name_length(lexer->text + from + 1, lexer->len - from - 1);
    if (len > 0) {
        lexer->at += (uint32_t)len + 1;
        token->kind = TOKEN_RECORD_NAME;
        token->to = lexer->at;
        return true;
    }
    if (from + 1 < lexer->len && lexer->text[from + 1] == '{') {
        report_substitution(lexer, from);
        return false;
    }
    faults_error(lexer->faults, from, from + 1, "a name must follow '$', as in $value or $key");
    return false;
}

/* ---- signs ----------------------------------------------------------------------------------- */

struct sign {
    const char *text;
    enum token_kind kind; /* TOKEN_END: no sign of this language */
    const char *cure;
};

/* Longer signs stand before their beginnings. */
static const struct sign signs[] = {
    { "===", TOKEN_END, "write '=='" },
    { "==", TOKEN_EQUAL, NULL },
    { "=", TOKEN_END, "write '==' to compare" },
    { "!==", TOKEN_END, "write '!='" },
    { "!=", TOKEN_UNEQUAL, NULL },
    { "!", TOKEN_END, "write 'not'" },
    { "<>", TOKEN_END, "write '!='" },
    { "<=", TOKEN_LESS_EQUAL, NULL },
    { "<", TOKEN_LESS, NULL },
    { ">=", TOKEN_GREATER_EQUAL, NULL },
    { ">", TOKEN_GREATER, NULL },
    { "**", TOKEN_POWER, NULL },
    { "*", TOKEN_STAR, NULL },
    { "//", TOKEN_FLOOR, NULL },
    { "/", TOKEN_SLASH, NULL },
    { "??", TOKEN_FALLBACK, NULL },
    { "?.", TOKEN_END, "write 'a.b ?? x' for a path that may be missing" },
    { "?", TOKEN_END, "write 'if c then a else b'" },
    { "&&", TOKEN_END, "write 'and'" },
    { "&", TOKEN_END, "write 'and'" },
    { "||", TOKEN_END, "write 'or'" },
    { "|", TOKEN_END, "write 'or'" },
    { "~", TOKEN_END, "write 'not', or null where there is no value" },
    { "^", TOKEN_END, "write '**' for a power" },
    { "#", TOKEN_END, "there are no comments in an expression" },
    { ";", TOKEN_END, "there is one expression and no statements" },
    { "`", TOKEN_END, "write $value[\"...\"] for a field whose name is no word" },
    { "\\", TOKEN_END, "an escape stands inside a text only" },
    { "+", TOKEN_PLUS, NULL },
    { "-", TOKEN_MINUS, NULL },
    { "%", TOKEN_PERCENT, NULL },
    { ".", TOKEN_DOT, NULL },
    { ",", TOKEN_COMMA, NULL },
    { ":", TOKEN_COLON, NULL },
    { "(", TOKEN_OPEN, NULL },
    { ")", TOKEN_CLOSE, NULL },
    { "[", TOKEN_OPEN_LIST, NULL },
    { "]", TOKEN_CLOSE_LIST, NULL },
    { "{", TOKEN_OPEN_MAP, NULL },
    { "}", TOKEN_CLOSE_MAP, NULL },
};

static void report_strange(struct lexer *lexer)
{
    uint32_t from = lexer->at;
    uint32_t point = 0;
    uint32_t to = from + (uint32_t)utf8_read(lexer->text + from, lexer->len - from, &point);
    if (is_curly_quote(point)) {
        bool is_single = point <= 0x201B;
        faults_error(lexer->faults, from, to, "U+%04X is a curly quote; write %s", (unsigned)point,
                     is_single ? "' or \"" : "\" or '");
    } else if (point == 0xFEFF) {
        faults_error(lexer->faults, from, to, "U+FEFF is an invisible byte order mark; remove it");
    } else if (point >= 0x80) {
        faults_error(lexer->faults, from, to,
                     "U+%04X is a white space that separates no words; write a plain blank",
                     (unsigned)point);
    } else if (point < 0x20 || point == 0x7F) {
        faults_error(lexer->faults, from, to, "unexpected control character U+%04X",
                     (unsigned)point);
    } else {
        faults_error(lexer->faults, from, to, "'%c' has no meaning in an expression", (int)point);
    }
}

static bool read_sign(struct lexer *lexer, struct token *token)
{
    const char *text = lexer->text + lexer->at;
    size_t rest = lexer->len - lexer->at;
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        const struct sign *sign = &signs[i];
        size_t len = strlen(sign->text);
        if (len > rest || memcmp(sign->text, text, len) != 0) {
            continue;
        }
        token->kind = sign->kind;
        token->to = lexer->at + (uint32_t)len;
        if (sign->kind == TOKEN_END) {
            faults_error(lexer->faults, token->from, token->to, "'%s' is no operator here; %s",
                         sign->text, sign->cure);
            return false;
        }
        lexer->at = token->to;
        return true;
    }
    report_strange(lexer);
    return false;
}

bool lexer_next(struct lexer *lexer, struct token *ret_token)
{
    while (lexer->at < lexer->len && strchr(" \t\n\r", lexer->text[lexer->at]) != NULL &&
           lexer->text[lexer->at] != '\0') {
        lexer->at++;
    }
    *ret_token = (struct token){ .kind = TOKEN_END, .from = lexer->at, .to = lexer->at };
    if (lexer->at == lexer->len) {
        return true;
    }
    char c = lexer->text[lexer->at];
    if (c >= '0' && c <= '9') {
        return lexer_read_number(lexer, ret_token);
    }
    if (c == '"' || c == '\'') {
        return lexer_read_text(lexer, ret_token);
    }
    if (c == '$') {
        return read_record_name(lexer, ret_token);
    }
    uint32_t point = 0;
    utf8_read(lexer->text + lexer->at, lexer->len - lexer->at, &point);
    return is_name_point(point, true) ? read_name(lexer, ret_token) : read_sign(lexer, ret_token);
}
