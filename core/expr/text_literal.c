/* SPDX-License-Identifier: MIT */
/*
 * Texts in quotes, and what a backslash makes of them. A wrong escape is reported and read over, so that the
 * rest of the expression is judged too.
 */
#include <string.h>

#include "base/utf8.h"
#include "expr/lexer.h"

struct text_reader {
    struct lexer *lexer;
    struct token *token;
    char *out;
    uint32_t len;
    bool is_plain;
};

static void text_fault(struct text_reader *reader, uint32_t from, uint32_t to, const char *fault)
{
    reader->token->is_bad = true;
    faults_error(reader->lexer->faults, from, to, "%s", fault);
}

static void put_point(struct text_reader *reader, uint32_t point)
{
    reader->is_plain &= point >= 0x20 && point != '"' && point != '\\';
    reader->len += (uint32_t)utf8_write(point, reader->out + reader->len);
}

static int hex_digit(char c)
{
    if (lexer_is_digit(c)) {
        return c - '0';
    }
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Reads up to `most` hex digits at `at`; returns how many there are. */
static uint32_t read_hex(const struct lexer *lexer, uint32_t at, uint32_t most, uint32_t *ret)
{
    uint32_t count = 0;
    *ret = 0;
    while (count < most && hex_digit(lexer_char_at(lexer, at + count)) >= 0) {
        *ret = *ret * 16 + (uint32_t)hex_digit(lexer_char_at(lexer, at + count));
        count++;
    }
    return count;
}

static bool is_surrogate(uint32_t point)
{
    return point >= 0xD800 && point <= 0xDFFF;
}

/* `\u{X..X}`, with `at` on the brace; returns the offset behind. */
static uint32_t read_braced_point(struct text_reader *reader, uint32_t at)
{
    uint32_t point = 0;
    uint32_t count = read_hex(reader->lexer, at + 1, 6, &point);
    uint32_t end = at + 1 + count;
    if (count == 0 || lexer_char_at(reader->lexer, end) != '}') {
        text_fault(reader, at - 2, end, "an escape \\u{...} holds 1 to 6 hex digits");
        return end;
    }
    if (point > 0x10FFFF || is_surrogate(point)) {
        text_fault(reader, at - 2, end + 1, "this code point does not exist in Unicode text");
        return end + 1;
    }
    put_point(reader, point);
    return end + 1;
}

/* `\uXXXX`, a pair of them for a point beyond U+FFFF, with `at` on the first digit. */
static uint32_t read_point(struct text_reader *reader, uint32_t at)
{
    struct lexer *lexer = reader->lexer;
    uint32_t point = 0;
    uint32_t count = read_hex(lexer, at, 4, &point);
    if (count < 4) {
        text_fault(reader, at - 2, at + count, "an escape \\u needs four hex digits");
        return at + count;
    }
    uint32_t end = at + 4;
    uint32_t low = 0;
    bool has_pair = point >= 0xD800 && point <= 0xDBFF && lexer_char_at(lexer, end) == '\\' &&
                    lexer_char_at(lexer, end + 1) == 'u' &&
                    read_hex(lexer, end + 2, 4, &low) == 4 && low >= 0xDC00 && low <= 0xDFFF;
    if (has_pair) {
        point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
        end += 6;
    } else if (is_surrogate(point)) {
        text_fault(reader, at - 2, end,
                   "half of a surrogate pair; write both halves, or \\u{...} with the code point");
        return end;
    }
    put_point(reader, point);
    return end;
}

/* The escape whose backslash stands at `at`; returns the offset behind it. */
static uint32_t read_escape(struct text_reader *reader, uint32_t at)
{
    static const char letters[] = "\"'\\/bfnrt";
    static const char meanings[] = "\"'\\/\b\f\n\r\t";
    char c = lexer_char_at(reader->lexer, at + 1);
    const char *known = c == '\0' ? NULL : strchr(letters, c);
    if (known != NULL) {
        put_point(reader, (uint32_t)(unsigned char)meanings[known - letters]);
        return at + 2;
    }
    if (c == 'u') {
        bool is_braced = lexer_char_at(reader->lexer, at + 2) == '{';
        return is_braced ? read_braced_point(reader, at + 2) : read_point(reader, at + 2);
    }
    uint32_t point = 0;
    uint32_t rest = reader->lexer->len - at - 1;
    uint32_t size = (uint32_t)utf8_read(reader->lexer->text + at + 1, rest, &point);
    text_fault(reader, at, at + 1 + size,
               "unknown escape; known are \\\" \\' \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX \\u{X}");
    return at + 1 + size;
}

static bool is_line_break(char c)
{
    return c == '\n' || c == '\r';
}

/* Offset of the quote that ends a text, of the line break before it, or of the end. */
static uint32_t text_end(const struct lexer *lexer, uint32_t at, char quote)
{
    while (at < lexer->len && !is_line_break(lexer->text[at]) && lexer->text[at] != quote) {
        bool is_escape =
            lexer->text[at] == '\\' && at + 1 < lexer->len && !is_line_break(lexer->text[at + 1]);
        at += is_escape ? 2 : 1;
    }
    return at;
}

bool lexer_read_text(struct lexer *lexer, struct token *token)
{
    char quote = lexer->text[lexer->at];
    uint32_t at = lexer->at + 1;
    uint32_t end = text_end(lexer, at, quote);
    if (end >= lexer->len || lexer->text[end] != quote) {
        faults_error(lexer->faults, token->from, end, "the text has no closing %c%s", quote,
                     end < lexer->len ? " on its line; a line break is written \\n" : "");
        return false;
    }
    struct text_reader reader = { lexer, token, NULL, 0, true };
    /* No escape is shorter than what it stands for. */
    reader.out = arena_alloc(lexer->arena, end - at + 1);
    if (reader.out == NULL) {
        faults_no_memory(lexer->faults);
        return false;
    }
    while (at < end) {
        if (lexer->text[at] == '\\') {
            at = read_escape(&reader, at);
            continue;
        }
        uint32_t point = 0;
        at += (uint32_t)utf8_read(lexer->text + at, end - at, &point);
        put_point(&reader, point);
    }
    token->kind = TOKEN_TEXT;
    lexer->at = token->to = end + 1;
    token->value = weir_text_value(reader.out, reader.len);
    token->value.flags = reader.is_plain ? WEIR_VALUE_PLAIN : 0;
    return true;
}
