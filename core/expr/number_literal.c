/* SPDX-License-Identifier: MIT */
/*
 * Literals that begin with a digit: numbers, durations, and times that want quotes. One whose extent is
 * clear but whose value is wrong is reported and read over, so that the rest of the expression is judged too.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "expr/lexer.h"

/* The parts of a number; each end is an offset into the text. */
struct number {
    uint32_t from;
    uint32_t whole_end;
    uint32_t end;
    bool is_float;
};

/* Digits with single '_' between them; stops before what does not belong. */
static uint32_t digits_end(const struct lexer *lexer, uint32_t at)
{
    while (lexer_is_digit(lexer_char_at(lexer, at)) ||
           (lexer_char_at(lexer, at) == '_' && lexer_is_digit(lexer_char_at(lexer, at + 1)))) {
        at++;
    }
    return at;
}

static struct number scan_number(const struct lexer *lexer)
{
    struct number number = { .from = lexer->at };
    number.whole_end = digits_end(lexer, lexer->at);
    number.end = number.whole_end;
    if (lexer_char_at(lexer, number.end) == '.' &&
        lexer_is_digit(lexer_char_at(lexer, number.end + 1))) {
        number.end = digits_end(lexer, number.end + 1);
        number.is_float = true;
    }
    char e = lexer_char_at(lexer, number.end);
    if (e == 'e' || e == 'E') {
        char sign = lexer_char_at(lexer, number.end + 1);
        uint32_t digits = number.end + (sign == '-' || sign == '+' ? 2 : 1);
        if (lexer_is_digit(lexer_char_at(lexer, digits))) {
            number.end = digits_end(lexer, digits);
            number.is_float = true;
        }
    }
    return number;
}

/* Bytes of name characters at `at`: what would stick to a number. */
static uint32_t tail_length(const struct lexer *lexer, uint32_t at)
{
    uint32_t start = at;
    while (at < lexer->len) {
        if (lexer_is_digit(lexer->text[at])) {
            at++;
            continue;
        }
        size_t len = lexer_name_length(lexer->text + at, lexer->len - at);
        if (len == 0) {
            break;
        }
        at += (uint32_t)len;
    }
    return at - start;
}

static bool bad_literal(struct token *token)
{
    token->is_bad = true;
    token->value = weir_null();
    return true;
}

static bool read_duration(struct lexer *lexer, struct token *token, const struct number *number)
{
    const char *text = lexer->text + number->from;
    size_t len = units_duration_prefix(text, lexer->len - number->from);
    uint32_t end = number->from + (uint32_t)len;
    char room[EXCERPT_ROOM];
    if (end < number->end || tail_length(lexer, end) > 0) {
        uint32_t known = end > number->end ? end : number->end;
        lexer->at = token->to = known + tail_length(lexer, known);
        faults_error(lexer->faults, token->from, token->to,
                     "'%s' is neither a number nor a name; a name begins with a letter, a duration "
                     "is written 5s or 1h30m",
                     excerpt(lexer->text, token->from, token->to, room));
        return bad_literal(token);
    }
    lexer->at = token->to = end;
    int64_t ms = 0;
    const char *cure = NULL;
    if (!units_duration_ms(text, len, &ms, &cure)) {
        faults_error(lexer->faults, token->from, token->to, "'%s' is no duration; %s",
                     excerpt(lexer->text, token->from, token->to, room), cure);
        return bad_literal(token);
    }
    token->value = weir_int(ms);
    return true;
}

static bool read_int(struct lexer *lexer, struct token *token, const struct number *number)
{
    uint64_t magnitude = 0;
    bool is_too_large = false;
    for (uint32_t i = number->from; i < number->whole_end; i++) {
        if (lexer->text[i] != '_') {
            uint64_t digit = (uint64_t)(lexer->text[i] - '0');
            is_too_large |= __builtin_mul_overflow(magnitude, UINT64_C(10), &magnitude);
            is_too_large |= __builtin_add_overflow(magnitude, digit, &magnitude);
        }
    }
    if (!is_too_large && magnitude == (uint64_t)INT64_MAX + 1) {
        token->is_least_int = true;
        token->value = weir_int(INT64_MIN);
        return true;
    }
    if (is_too_large || magnitude > INT64_MAX) {
        faults_error(lexer->faults, token->from, token->to,
                     "the number does not fit in 64 bits; the largest int is %" PRId64, INT64_MAX);
        return bad_literal(token);
    }
    token->value = weir_int((int64_t)magnitude);
    return true;
}

static bool read_float(struct lexer *lexer, struct token *token, const struct number *number)
{
    char *digits = arena_alloc(lexer->arena, number->end - number->from + 1);
    if (digits == NULL) {
        faults_no_memory(lexer->faults);
        return false;
    }
    size_t len = 0;
    for (uint32_t i = number->from; i < number->end; i++) {
        if (lexer->text[i] != '_') {
            digits[len++] = lexer->text[i];
        }
    }
    digits[len] = '\0';
    double f = 0;
    if (!units_float(digits, len, &f, NULL) || isinf(f)) {
        faults_error(lexer->faults, token->from, token->to,
                     "the number is beyond the range of a float");
        return bad_literal(token);
    }
    token->value = weir_float(f);
    return true;
}

/* What is wrong with the form of a number, or NULL; *ret_end is where the wrong word ends. */
static const char *form_fault(const struct lexer *lexer, const struct number *number,
                              uint32_t *ret_end)
{
    *ret_end = number->end;
    if (lexer->text[number->from] == '0' && number->whole_end > number->from + 1) {
        return "a number has no leading zero; a date is text: '2026-01-01'";
    }
    if (lexer_char_at(lexer, number->end) == '_') {
        *ret_end += tail_length(lexer, number->end);
        return "'_' stands between two digits only";
    }
    uint32_t behind = number->end + 1;
    if (lexer_char_at(lexer, number->end) == '.' &&
        lexer_name_length(lexer->text + behind, lexer->len - behind) == 0) {
        *ret_end = behind;
        return "a digit must stand on both sides of the point, as in 1.0";
    }
    return NULL;
}

/* Length of `count` digits at `at`; 0: there are fewer, or more. */
static uint32_t exact_digits(const struct lexer *lexer, uint32_t at, uint32_t count)
{
    uint32_t len = 0;
    while (lexer_is_digit(lexer_char_at(lexer, at + len))) {
        len++;
    }
    return len == count ? len : 0;
}

/* Length of `2026-01-01` at `at`; 0: none. */
static uint32_t date_length(const struct lexer *lexer, uint32_t at)
{
    bool is_date = exact_digits(lexer, at, 4) > 0 && lexer_char_at(lexer, at + 4) == '-' &&
                   exact_digits(lexer, at + 5, 2) > 0 && lexer_char_at(lexer, at + 7) == '-' &&
                   exact_digits(lexer, at + 8, 2) > 0;
    return is_date ? 10 : 0;
}

/* Length of what follows a date as its time of day: `T06:00:00.5+02:00`, also after a blank. */
static uint32_t clock_length(const struct lexer *lexer, uint32_t at)
{
    char c = lexer_char_at(lexer, at);
    if ((c != 'T' && c != 't' && c != ' ') || exact_digits(lexer, at + 1, 2) == 0 ||
        lexer_char_at(lexer, at + 3) != ':') {
        return 0;
    }
    uint32_t end = at + 1;
    while (lexer_is_digit(lexer_char_at(lexer, end)) || lexer_char_at(lexer, end) == ':' ||
           lexer_char_at(lexer, end) == '.') {
        end++;
    }
    char zone = lexer_char_at(lexer, end);
    if (zone == 'Z' || zone == 'z') {
        end++;
    } else if ((zone == '+' || zone == '-') && exact_digits(lexer, end + 1, 2) > 0 &&
               lexer_char_at(lexer, end + 3) == ':' && exact_digits(lexer, end + 4, 2) > 0) {
        end += 6;
    }
    return end - at;
}

/*
 * A date without quotes. True after a report: it is no difference of ints, having a number with a zero
 * in front or a time of day. One that is such a difference gets a warning.
 */
static bool is_bare_date(const struct lexer *lexer, struct token *token)
{
    char room[EXCERPT_ROOM];
    uint32_t from = token->from;
    uint32_t date = date_length(lexer, from);
    if (date == 0) {
        return false;
    }
    uint32_t clock = clock_length(lexer, from + date);
    uint32_t to = from + date + clock;
    excerpt(lexer->text, from, to, room);
    if (clock > 0 || lexer->text[from + 5] == '0' || lexer->text[from + 8] == '0') {
        faults_error(lexer->faults, from, to, "a date is text; write '%s'", room);
        token->to = to;
        return true;
    }
    faults_warning(lexer->faults, from, to,
                   "'%s' subtracts two numbers from another; a date is text: write it in quotes",
                   room);
    return false;
}

bool lexer_read_number(struct lexer *lexer, struct token *token)
{
    struct number number = scan_number(lexer);
    token->kind = TOKEN_LITERAL;
    if (is_bare_date(lexer, token)) {
        lexer->at = token->to;
        return bad_literal(token);
    }
    if (lexer_char_at(lexer, number.end) != '_' && tail_length(lexer, number.end) > 0) {
        return read_duration(lexer, token, &number);
    }
    const char *fault = form_fault(lexer, &number, &token->to);
    lexer->at = token->to;
    if (fault != NULL) {
        faults_error(lexer->faults, token->from, token->to, "%s", fault);
        return bad_literal(token);
    }
    return number.is_float ? read_float(lexer, token, &number) : read_int(lexer, token, &number);
}
