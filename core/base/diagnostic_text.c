/* SPDX-License-Identifier: MIT */
/*
 * How a diagnostic is shown (document.h): one line of message, the line of the file, a caret line.
 * All widths count code points. Statuses of the buffer are not looked at: a message that is cut at
 * the buffer's limit is still worth having.
 */
#include <string.h>

#include "base/buffer.h"
#include "base/document.h"
#include "base/json_escape.h"
#include "base/utf8.h"

enum { WIDTH = 100, BEFORE_CARET = 40, ELLIPSIS = 3 };

static void put(weir_buffer *out, const char *text, size_t len)
{
    (void)weir_buffer_append(out, text, len);
}

static void put_text(weir_buffer *out, const char *text)
{
    put(out, text, strlen(text));
}

static const char *severity_name(enum severity severity)
{
    return severity == SEVERITY_ERROR ? "error" : "warning";
}

/* A stretch of one line: its text, and in code points where the caret stands and how wide it is. */
struct excerpt {
    const char *text;
    size_t len;
    size_t caret;
    size_t width;
    bool is_cut_before;
    bool is_cut_after;
};

static struct excerpt whole_line(struct place place)
{
    const char *text = place.file->text;
    size_t size = place.file->size;
    size_t at = place.offset < size ? place.offset : size;
    size_t start = at;
    while (start > 0 && text[start - 1] != '\n') {
        start--;
    }
    const char *line_break = memchr(text + at, '\n', size - at);
    size_t end = line_break == NULL ? size : (size_t)(line_break - text);
    if (end > at && text[end - 1] == '\r') {
        end--;
    }
    size_t marked = place.length < end - at ? place.length : end - at;
    return (struct excerpt){ .text = text + start,
                             .len = end - start,
                             .caret = utf8_length(text + start, at - start),
                             .width = utf8_length(text + at, marked) };
}

/* Cuts a long line to WIDTH code points around the caret; the dots take the place of three. */
static void cut(struct excerpt *excerpt)
{
    size_t points = utf8_length(excerpt->text, excerpt->len);
    if (points <= WIDTH) {
        return;
    }
    size_t first = excerpt->caret > BEFORE_CARET ? excerpt->caret - BEFORE_CARET : 0;
    if (first + WIDTH > points) {
        first = points - WIDTH;
    }
    if (first <= ELLIPSIS) {
        first = 0;
    }
    excerpt->is_cut_before = first > 0;
    excerpt->is_cut_after = first + WIDTH < points;
    size_t from = first + (excerpt->is_cut_before ? ELLIPSIS : 0);
    size_t to = first + WIDTH - (excerpt->is_cut_after ? ELLIPSIS : 0);
    size_t start = utf8_offset(excerpt->text, excerpt->len, from);
    size_t end = utf8_offset(excerpt->text, excerpt->len, to);
    size_t most = first + WIDTH > excerpt->caret ? first + WIDTH - excerpt->caret : 1;
    excerpt->text += start;
    excerpt->len = end - start;
    excerpt->width = excerpt->width < most ? excerpt->width : most;
    excerpt->caret -= from;
}

/* Control characters would act on the terminal. */
static void put_printable(weir_buffer *out, const char *text, size_t len)
{
    uint32_t point = 0;
    for (size_t taken, at = 0; at < len; at += taken) {
        char room[4];
        taken = utf8_read(text + at, len - at, &point);
        bool is_control = (point < 0x20 && point != '\t') || (point >= 0x7f && point < 0xa0);
        put(out, room, utf8_write(is_control ? 0xFFFD : point, room));
    }
}

static bool is_hidden(const struct diagnostic *diagnostic, const char *text)
{
    const struct document_file *file = diagnostic->place.file;
    size_t at = (size_t)(text - file->text);
    for (const struct hidden_place *hidden = diagnostic->hidden; hidden != NULL;
         hidden = hidden->next) {
        const struct place *place = &hidden->place;
        if (place->file == file && at >= place->offset && at - place->offset < place->length) {
            return true;
        }
    }
    return false;
}

/* A star for each code point that is hidden. */
static void put_shown(weir_buffer *out, const struct diagnostic *diagnostic,
                      const struct excerpt *excerpt)
{
    uint32_t point = 0;
    for (size_t taken, at = 0; at < excerpt->len; at += taken) {
        const char *text = excerpt->text + at;
        taken = utf8_read(text, excerpt->len - at, &point);
        if (is_hidden(diagnostic, text)) {
            put_text(out, "*");
        } else {
            put_printable(out, text, taken);
        }
    }
}

static void put_caret_line(weir_buffer *out, const struct excerpt *excerpt, bool has_color)
{
    put_text(out, "      | ");
    put_text(out, excerpt->is_cut_before ? "   " : "");
    size_t before = utf8_offset(excerpt->text, excerpt->len, excerpt->caret);
    for (size_t at = 0; at < before; at++) {
        if (((uint8_t)excerpt->text[at] & 0xC0) != 0x80) {
            put(out, excerpt->text[at] == '\t' ? "\t" : " ", 1);
        }
    }
    put_text(out, has_color ? "\033[32;1m^" : "^");
    for (size_t i = 1; i < excerpt->width; i++) {
        put(out, "~", 1);
    }
    put_text(out, has_color ? "\033[0m\n" : "\n");
}

static void put_excerpt(weir_buffer *out, const struct diagnostic *diagnostic, uint32_t line,
                        bool has_color)
{
    struct excerpt excerpt = whole_line(diagnostic->place);
    cut(&excerpt);
    (void)buffer_printf(out, "%5u | ", line);
    put_text(out, excerpt.is_cut_before ? "..." : "");
    put_shown(out, diagnostic, &excerpt);
    put_text(out, excerpt.is_cut_after ? "...\n" : "\n");
    put_caret_line(out, &excerpt, has_color);
}

static void put_severity(weir_buffer *out, enum severity severity, bool has_color)
{
    const char *color = severity == SEVERITY_ERROR ? "\033[31;1m" : "\033[35;1m";
    put_text(out, has_color ? color : "");
    put_text(out, severity_name(severity));
    put_text(out, has_color ? ":\033[0m " : ": ");
}

void diagnostic_write(const struct diagnostic *diagnostic, bool has_color, struct weir_buffer *out)
{
    struct place place = diagnostic->place;
    struct document_position position = document_position(place);
    if (place.file != NULL) {
        put_text(out, has_color ? "\033[1m" : "");
        put_text(out, place.file->name);
        (void)buffer_printf(out, ":%u:%u:", position.line, position.column);
        put_text(out, has_color ? "\033[0m " : " ");
    }
    put_severity(out, diagnostic->severity, has_color);
    put_text(out, has_color ? "\033[1m" : "");
    put_printable(out, diagnostic->message, strlen(diagnostic->message));
    put_text(out, has_color ? "\033[0m\n" : "\n");
    if (place.file != NULL) {
        put_excerpt(out, diagnostic, position.line, has_color);
    }
}

static void put_json(weir_buffer *out, const char *text)
{
    size_t len = strlen(text);
    size_t size = json_escape_size(text, len);
    if (weir_buffer_reserve(out, size + 2) != WEIR_OK) {
        return;
    }
    char *at = (char *)out->data + out->size;
    at[0] = '"';
    json_escape(text, len, at + 1);
    at[size + 1] = '"';
    out->size += size + 2;
}

void diagnostic_write_json(const struct diagnostic *diagnostic, struct weir_buffer *out)
{
    struct place place = diagnostic->place;
    put_text(out, "{\"severity\":\"");
    put_text(out, severity_name(diagnostic->severity));
    put_text(out, "\",\"file\":");
    if (place.file == NULL) {
        put_text(out, "null,\"line\":null,\"column\":null,\"length\":null");
    } else {
        struct document_position position = document_position(place);
        size_t size = place.file->size;
        size_t at = place.offset < size ? place.offset : size;
        size_t length = place.length < size - at ? place.length : size - at;
        put_json(out, place.file->name);
        (void)buffer_printf(out, ",\"line\":%u,\"column\":%u,\"length\":%zu", position.line,
                            position.column, utf8_length(place.file->text + at, length));
    }
    put_text(out, ",\"message\":");
    put_json(out, diagnostic->message);
    put_text(out, "}");
}
