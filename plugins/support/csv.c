/* SPDX-License-Identifier: MIT */
#include "support/csv.h"

#include <string.h>

#include <weir/value.h>

size_t csv_scan(const char *text, size_t size, char delimiter, enum csv_state *state)
{
    enum csv_state at = *state;
    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        if (at == CSV_QUOTED) {
            const char *quote = memchr(text + i, '"', size - i);
            if (quote == NULL) {
                break;
            }
            i = (size_t)(quote - text);
            at = CSV_CLOSING;
        } else if (c == '\n') {
            *state = CSV_START;
            return i;
        } else if (c == delimiter) {
            at = CSV_START;
        } else if (c == '"' && at != CSV_PLAIN) {
            at = CSV_QUOTED;
        } else {
            at = CSV_PLAIN;
        }
    }
    *state = at;
    return size;
}

/* ---- splitting --------------------------------------------------------------------------------- */

/* What is left of a record that is being split. */
struct split {
    char *text;
    size_t size;
    size_t at;
    char delimiter;
};

static bool fail(struct csv_fault *fault, size_t byte, const char *message)
{
    fault->byte = byte;
    fault->message = message;
    return false;
}

/* A field from behind its first quote up to behind its last. */
static bool split_quoted(struct split *split, struct csv_field *field, struct csv_fault *fault)
{
    size_t begin = split->at;
    size_t to = begin + 1;
    size_t from = begin + 1;
    char *text = split->text;
    for (;;) {
        const char *quote = memchr(text + from, '"', split->size - from);
        if (quote == NULL) {
            return fail(fault, begin, "the quote that begins here is never closed");
        }
        size_t size = (size_t)(quote - (text + from));
        memmove(text + to, text + from, size);
        to += size;
        from += size + 1;
        if (from == split->size || text[from] != '"') {
            break;
        }
        text[to++] = '"';
        from++;
    }
    if (from < split->size && text[from] != split->delimiter) {
        return fail(fault, from, "expected the delimiter behind a closing quote");
    }
    *field = (struct csv_field){ text + begin + 1, (uint32_t)(to - begin - 1), true };
    split->at = from;
    return true;
}

static bool split_plain(struct split *split, struct csv_field *field, struct csv_fault *fault)
{
    const char *begin = split->text + split->at;
    size_t left = split->size - split->at;
    const char *end = memchr(begin, split->delimiter, left);
    size_t size = end == NULL ? left : (size_t)(end - begin);
    const char *quote = memchr(begin, '"', size);
    if (quote != NULL) {
        return fail(fault, (size_t)(quote - split->text),
                    "a quote in a field without quotes; put the field in quotes and double it");
    }
    *field = (struct csv_field){ begin, (uint32_t)size, false };
    split->at += size;
    return true;
}

bool csv_split(char *text, size_t size, char delimiter, struct csv_field *fields, uint32_t limit,
               uint32_t *ret_count, struct csv_fault *ret_fault)
{
    if (size > 0 && text[size - 1] == '\r') {
        size--;
    }
    if (size > UINT32_MAX) {
        return fail(ret_fault, 0, "the record is larger than 4 GiB");
    }
    struct split split = { text, size, 0, delimiter };
    *ret_count = 0;
    for (;;) {
        struct csv_field field;
        bool is_quoted = split.at < size && text[split.at] == '"';
        if (is_quoted ? !split_quoted(&split, &field, ret_fault)
                      : !split_plain(&split, &field, ret_fault)) {
            return false;
        }
        if (*ret_count < limit) {
            fields[*ret_count] = field;
        }
        (*ret_count)++;
        if (split.at == size) {
            return true;
        }
        split.at++;
    }
}

/* ---- writing ----------------------------------------------------------------------------------- */

static bool needs_quotes(const char *text, uint32_t size, char delimiter)
{
    for (uint32_t i = 0; i < size; i++) {
        if (text[i] == '"' || text[i] == delimiter || text[i] == '\n' || text[i] == '\r') {
            return true;
        }
    }
    return size > 0 &&
           (text[0] == ' ' || text[0] == '\t' || text[size - 1] == ' ' || text[size - 1] == '\t');
}

weir_status csv_append(weir_buffer *out, const char *text, uint32_t size, char delimiter,
                       bool is_quoted)
{
    if (!is_quoted && !needs_quotes(text, size, delimiter)) {
        return weir_buffer_append(out, text, size);
    }
    weir_status st = weir_buffer_append(out, "\"", 1);
    for (uint32_t from = 0; st == WEIR_OK && from < size;) {
        const char *quote = memchr(text + from, '"', size - from);
        uint32_t part = quote == NULL ? size - from : (uint32_t)(quote - (text + from)) + 1;
        st = weir_buffer_append(out, text + from, part);
        if (st == WEIR_OK && quote != NULL) {
            st = weir_buffer_append(out, "\"", 1);
        }
        from += part;
    }
    return st == WEIR_OK ? weir_buffer_append(out, "\"", 1) : st;
}

/* ---- kinds ------------------------------------------------------------------------------------- */

static uint32_t skip_digits(const char *text, uint32_t size, uint32_t at)
{
    while (at < size && text[at] >= '0' && text[at] <= '9') {
        at++;
    }
    return at;
}

/* In the form that JSON gives to numbers. */
static bool is_number(const char *text, uint32_t size)
{
    uint32_t first = size > 0 && text[0] == '-' ? 1 : 0;
    uint32_t at = skip_digits(text, size, first);
    if (at == first || (text[first] == '0' && at > first + 1)) {
        return false;
    }
    if (at < size && text[at] == '.') {
        uint32_t fraction = at + 1;
        at = skip_digits(text, size, fraction);
        if (at == fraction) {
            return false;
        }
    }
    if (at < size && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        at += at < size && (text[at] == '+' || text[at] == '-');
        uint32_t exponent = at;
        at = skip_digits(text, size, exponent);
        if (at == exponent) {
            return false;
        }
    }
    return at == size;
}

enum csv_kind csv_kind(const char *text, uint32_t size)
{
    return size == 0                                 ? CSV_NOTHING
           : weir_same_bytes(text, size, "true", 4)  ? CSV_TRUE
           : weir_same_bytes(text, size, "false", 5) ? CSV_FALSE
           : is_number(text, size)                   ? CSV_NUMBER
                                                     : CSV_TEXT;
}

const char *const csv_format_names[] = { "jsonl", "csv", NULL };

bool csv_is_delimiter(const char *text, uint64_t size)
{
    if (size != 1) {
        return false;
    }
    char c = text[0];
    bool is_alphanumeric =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return !is_alphanumeric && c > 0 && c < 0x7F && strchr("\"\r\n-+._", c) == NULL;
}

const char *csv_options_fault(bool is_csv, bool has_content, bool has_columns, weir_text delimiter)
{
    if (!is_csv && has_columns) {
        return "'columns' is for CSV; add 'format: csv'";
    }
    if (!is_csv) {
        return weir_same_bytes(delimiter.data, (uint32_t)delimiter.size, ",", 1)
                   ? NULL
                   : "'delimiter' is for CSV; add 'format: csv'";
    }
    if (has_content) {
        return "'content' says what a line of JSON holds, 'format: csv' has none; remove one of "
               "them";
    }
    return csv_is_delimiter(delimiter.data, delimiter.size)
               ? NULL
               : "'delimiter' must be one ASCII sign, and no letter, digit, quote or sign of a "
                 "number; give one such as ',', ';', '|' or \"\\t\"";
}
