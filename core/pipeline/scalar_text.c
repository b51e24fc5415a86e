/* SPDX-License-Identifier: MIT */
/*
 * The parser's library finds where a scalar begins and ends; its text is made here, because the
 * library's own is wrong where two quotes follow each other (`'x == '''''`), where an escape stands
 * at the end of a line, and in folded texts whose lines are indented unlike each other (0.7.12).
 */
#include "pipeline/scalar_text.h"

#include <string.h>

#include "base/utf8.h"

/* Text and offsets have room for what any escape can make: three bytes of two (`\L`), and an end. */
struct reading {
    const struct scalar_source *source;
    size_t at; /* in the file */
    char *text;
    uint32_t *offsets;
    size_t count;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Bytes of the line break at `at`; 0: none is there. */
static size_t break_at(const struct scalar_source *source, size_t at)
{
    if (at >= source->to) {
        return 0;
    }
    if (source->file[at] == '\r') {
        return at + 1 < source->to && source->file[at + 1] == '\n' ? 2 : 1;
    }
    return source->file[at] == '\n' ? 1 : 0;
}

static size_t skip_blanks(const struct scalar_source *source, size_t at)
{
    while (at < source->to && is_blank(source->file[at])) {
        at++;
    }
    return at;
}

static void emit(struct reading *reading, char byte, size_t offset)
{
    reading->text[reading->count] = byte;
    reading->offsets[reading->count++] = (uint32_t)offset;
}

/*
 * Line breaks that begin at the one at `at`, with the blank lines behind it. The first one is
 * dropped where lines fold (is_folded); a single one becomes a blank then, unless `is_joined`.
 * Returns where the next line's contents begin.
 */
static size_t emit_breaks(struct reading *reading, size_t at, bool is_folded, bool is_joined)
{
    size_t count = 0;
    size_t first = at;
    for (size_t size = break_at(reading->source, at); size > 0;
         size = break_at(reading->source, at)) {
        if (count > 0 || !is_folded) {
            emit(reading, '\n', at);
        }
        count++;
        at = skip_blanks(reading->source, at + size);
    }
    if (count == 1 && is_folded && !is_joined) {
        emit(reading, ' ', first);
    }
    return at;
}

/* ---- plain and quoted ------------------------------------------------------------------------ */

static uint32_t hex_value(const char *digits, size_t count)
{
    uint32_t value = 0;
    for (size_t i = 0; i < count; i++) {
        char c = digits[i];
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10
                                                : 0;
        value = value << 4 | digit;
    }
    return value;
}

/* Code point of the one-letter escapes; UINT32_MAX: none. */
static uint32_t short_escape(char letter)
{
    static const struct {
        char letter;
        uint32_t point;
    } escapes[] = {
        { '0', 0 },    { 'a', 7 },      { 'b', 8 },      { 't', '\t' },  { '\t', '\t' },
        { 'n', '\n' }, { 'v', 11 },     { 'f', 12 },     { 'r', '\r' },  { 'e', 27 },
        { ' ', ' ' },  { '"', '"' },    { '/', '/' },    { '\\', '\\' }, { 'N', 0x85 },
        { '_', 0xa0 }, { 'L', 0x2028 }, { 'P', 0x2029 },
    };
    for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++) {
        if (escapes[i].letter == letter) {
            return escapes[i].point;
        }
    }
    return UINT32_MAX;
}

/* Hex digits behind `\x`, `\u`, `\U`; 0: another escape. */
static size_t escape_digits(char letter)
{
    return letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
}

/* The escape at reading->at, which is a backslash; moves behind it. */
static void read_escape(struct reading *reading)
{
    const struct scalar_source *source = reading->source;
    size_t start = reading->at;
    char letter = start + 1 < source->to ? source->file[start + 1] : '\0';
    size_t digits = escape_digits(letter);
    size_t end = start + 2 + digits;
    uint32_t point =
        digits > 0 ? hex_value(source->file + start + 2, digits) : short_escape(letter);
    bool is_high = point >= 0xd800 && point < 0xdc00;
    if (is_high && end + 6 <= source->to && memcmp(source->file + end, "\\u", 2) == 0) {
        uint32_t low = hex_value(source->file + end + 2, 4);
        point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
        end += 6;
    }
    char bytes[4];
    size_t size = utf8_write(point, bytes);
    for (size_t i = 0; i < size; i++) {
        emit(reading, bytes[i], start);
    }
    reading->at = end;
}

/* Blanks at reading->at: dropped before a line break, else kept. */
static void read_blanks(struct reading *reading)
{
    const struct scalar_source *source = reading->source;
    size_t end = skip_blanks(source, reading->at);
    if (break_at(source, end) > 0) {
        reading->at = emit_breaks(reading, end, true, false);
        return;
    }
    while (reading->at < end) {
        emit(reading, source->file[reading->at], reading->at);
        reading->at++;
    }
}

static void read_flow(struct reading *reading)
{
    const struct scalar_source *source = reading->source;
    while (reading->at < source->to) {
        char c = source->file[reading->at];
        if (is_blank(c) || break_at(source, reading->at) > 0) {
            read_blanks(reading);
        } else if (c == '\\' && source->style == STYLE_DOUBLE) {
            if (break_at(source, reading->at + 1) > 0) {
                reading->at = emit_breaks(reading, reading->at + 1, true, true);
            } else {
                read_escape(reading);
            }
        } else {
            emit(reading, c, reading->at);
            reading->at += c == '\'' && source->style == STYLE_SINGLE ? 2 : 1;
        }
    }
}

/* ---- block scalars --------------------------------------------------------------------------- */

static size_t count_spaces(const char *text, size_t from, size_t to)
{
    size_t count = 0;
    while (from + count < to && text[from + count] == ' ') {
        count++;
    }
    return count;
}

/* A digit ('1' to '9'), or a '-' or '+', of a header as `|2-`; '\0': it has none. */
static char header_sign(const struct scalar_source *source, const char *signs)
{
    size_t end = source->header + 3;
    end = end < source->from ? end : source->from;
    for (size_t at = source->header + 1; at < end; at++) {
        char c = source->file[at];
        if (c == '\0' || strchr("-+123456789", c) == NULL) {
            break;
        }
        if (strchr(signs, c) != NULL) {
            return c;
        }
    }
    return '\0';
}

/*
 * Columns that belong to the indentation: the header's number counts from the parent; without one they
 * are those of the first line that is not blank, and of the longest where all are.
 */
static size_t block_indent(const struct scalar_source *source)
{
    char digit = header_sign(source, "123456789");
    if (digit != '\0') {
        return source->parent + (size_t)(digit - '0');
    }
    size_t longest = 0;
    for (size_t at = source->from; at < source->to;) {
        size_t spaces = count_spaces(source->file, at, source->to);
        size_t size = break_at(source, at + spaces);
        if (size == 0 && at + spaces < source->to) {
            return spaces;
        }
        longest = spaces > longest ? spaces : longest;
        at += spaces + size;
    }
    return longest;
}

/* Moves over the indentation of a line. */
static size_t skip_indent(const struct scalar_source *source, size_t at, size_t indent)
{
    size_t spaces = count_spaces(source->file, at, source->to);
    return at + (spaces < indent ? spaces : indent);
}

static size_t emit_line(struct reading *reading, size_t at)
{
    while (at < reading->source->to && break_at(reading->source, at) == 0) {
        emit(reading, reading->source->file[at], at);
        at++;
    }
    return at;
}

static void read_literal(struct reading *reading, size_t indent)
{
    const struct scalar_source *source = reading->source;
    while (reading->at < source->to) {
        reading->at = emit_line(reading, skip_indent(source, reading->at, indent));
        size_t size = break_at(source, reading->at);
        if (size > 0) {
            emit(reading, '\n', reading->at);
        }
        reading->at += size;
    }
}

/* Emits breaks one by one, from the one at `at` up to the line at `to`. */
static void emit_block_breaks(struct reading *reading, size_t at, size_t to, size_t indent)
{
    while (at < to) {
        size_t size = break_at(reading->source, at);
        if (size > 0) {
            emit(reading, '\n', at);
        }
        at = skip_indent(reading->source, at + size, indent);
    }
}

/*
 * Lines that begin with a blank keep the breaks around them; between two others a single break
 * becomes a blank and of several the first is dropped.
 */
static void read_folded(struct reading *reading, size_t indent)
{
    const struct scalar_source *source = reading->source;
    bool is_first = true;
    bool was_spaced = false;
    size_t breaks = skip_indent(source, source->from, indent); /* where those before a line begin */
    size_t at = breaks;
    while (at < source->to) {
        size_t size = break_at(source, at);
        if (size > 0) {
            at = skip_indent(source, at + size, indent);
            continue;
        }
        bool is_spaced = is_blank(source->file[at]);
        bool is_kept = is_first || was_spaced || is_spaced;
        size_t next = skip_indent(source, breaks + break_at(source, breaks), indent);
        if (is_kept) {
            emit_block_breaks(reading, breaks, at, indent);
        } else if (next >= at) {
            emit(reading, ' ', breaks);
        } else {
            emit_block_breaks(reading, next, at, indent);
        }
        at = emit_line(reading, at);
        breaks = at;
        was_spaced = is_spaced;
        is_first = false;
    }
    emit_block_breaks(reading, breaks, source->to, indent);
}

/* Line breaks at the end: `-` drops all, `+` keeps all; without either one stays, behind a line. */
static void chomp(struct reading *reading)
{
    char sign = header_sign(reading->source, "-+");
    size_t count = reading->count;
    while (count > 0 && reading->text[count - 1] == '\n') {
        count--;
    }
    if (sign != '+') {
        bool stays = sign == '\0' && count > 0 && count < reading->count;
        reading->count = count + (stays ? 1 : 0);
    }
}

static void read_block(struct reading *reading)
{
    size_t indent = block_indent(reading->source);
    if (reading->source->style == STYLE_LITERAL) {
        read_literal(reading, indent);
    } else {
        read_folded(reading, indent);
    }
    chomp(reading);
}

/* Where the text ends: of a block scalar behind its last line, not at the beginning of the next. */
static size_t end_of(const struct reading *reading, bool is_block)
{
    const struct scalar_source *source = reading->source;
    if (!is_block || reading->count == 0) {
        return source->to;
    }
    size_t last = reading->offsets[reading->count - 1];
    return reading->text[reading->count - 1] == '\n' || last == source->to ? last : last + 1;
}

static bool is_one_line(const struct scalar_source *source)
{
    size_t at = source->from;
    while (at < source->to && break_at(source, at) == 0) {
        at++;
    }
    return at == source->to;
}

bool scalar_text_read(struct arena *arena, const struct scalar_source *source, struct node *node)
{
    if (source->style == STYLE_PLAIN && is_one_line(source)) {
        node->text_len = source->to - source->from;
        node->text = arena_copy(arena, source->file + source->from, node->text_len);
        return node->text != NULL;
    }
    struct reading reading = { .source = source, .at = source->from };
    size_t room = (source->to - source->from) / 2 * 3 + 2;
    reading.text = arena_alloc(arena, room);
    reading.offsets = arena_alloc(arena, room * sizeof *reading.offsets);
    if (reading.text == NULL || reading.offsets == NULL) {
        return false;
    }
    bool is_block = source->style == STYLE_LITERAL || source->style == STYLE_FOLDED;
    if (is_block) {
        read_block(&reading);
    } else {
        read_flow(&reading);
    }
    reading.text[reading.count] = '\0';
    reading.offsets[reading.count] = (uint32_t)end_of(&reading, is_block);
    node->text = reading.text;
    node->text_len = reading.count;
    node->offsets = reading.offsets;
    return true;
}
