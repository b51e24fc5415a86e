/* SPDX-License-Identifier: MIT */
/*
 * Each kind of fault is recognised by a part of the parser's message and by the text around it.
 * What is not recognised is passed on in the parser's words, so that nothing is ever hidden.
 */
#include "pipeline/yaml_fault.h"

#include <stdarg.h>
#include <string.h>

#include "base/utf8.h"
#include "pipeline/yaml_indentation.h"

/* A fault while it is looked at. */
struct fault {
    struct yaml_tree *tree;
    const char *text; /* of the file */
    size_t size;
    const char *message;
    size_t from;
    size_t to;
};

static void report(const struct fault *fault, size_t from, size_t to, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void report(const struct fault *fault, size_t from, size_t to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *message = arena_vprintf(fault->tree->diagnostics->arena, format, args);
    va_end(args);
    size_t size = fault->size;
    from = from < size ? from : size;
    to = to < from ? from : to < size ? to : size;
    struct place place = { fault->tree->file, (uint32_t)from, (uint32_t)(to - from) };
    yaml_tree_break(fault->tree, place, message != NULL ? message : "out of memory");
}

static bool says(const struct fault *fault, const char *part)
{
    return strstr(fault->message, part) != NULL;
}

static bool is_line_break(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* '\0' at the end of the file. */
static char char_at(const struct fault *fault, size_t at)
{
    return at < fault->size ? fault->text[at] : '\0';
}

static size_t line_start(const struct fault *fault, size_t at)
{
    while (at > 0 && !is_line_break(fault->text[at - 1])) {
        at--;
    }
    return at;
}

/* First character of the line of `at` that is not blank. */
static size_t line_content(const struct fault *fault, size_t at)
{
    at = line_start(fault, at);
    while (at < fault->size && is_blank(fault->text[at])) {
        at++;
    }
    return at;
}

static size_t line_end(const struct fault *fault, size_t at)
{
    while (at < fault->size && !is_line_break(fault->text[at])) {
        at++;
    }
    return at;
}

/* The last character before `at` that is neither blank nor line break; '\0': none. */
static char char_before(const struct fault *fault, size_t at)
{
    while (at > 0 && (is_blank(fault->text[at - 1]) || is_line_break(fault->text[at - 1]))) {
        at--;
    }
    return at > 0 ? fault->text[at - 1] : '\0';
}

static bool is_at_end(const struct fault *fault)
{
    for (size_t i = fault->from; i < fault->size; i++) {
        if (!is_blank(fault->text[i]) && !is_line_break(fault->text[i])) {
            return false;
        }
    }
    return true;
}

/* ---- text --------------------------------------------------------------------------------------
 */

bool yaml_fault_check_text(struct yaml_tree *tree)
{
    const struct document_file *file = tree->file;
    struct fault fault = { .tree = tree, .text = file->text, .size = file->size };
    if (file->size > YAML_MAX_BYTES) {
        report(&fault, 0, 0, "the file is larger than 4 MiB; split the pipeline");
        return false;
    }
    size_t valid = utf8_valid_prefix(file->text, file->size);
    if (valid < file->size) {
        report(&fault, valid, valid + 1, "this is not UTF-8 (byte 0x%02x); save the file as UTF-8",
               (unsigned)(unsigned char)file->text[valid]);
        return false;
    }
    for (size_t i = 0; i < file->size; i++) {
        unsigned char c = (unsigned char)file->text[i];
        if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f) {
            report(&fault, i, i + 1,
                   "control character U+%04X; remove it, or write \\x%02x in double quotes",
                   (unsigned)c, (unsigned)c);
            return false;
        }
    }
    return true;
}

bool yaml_fault_check_tabs(struct yaml_tree *tree, size_t from, size_t to)
{
    struct fault fault = { .tree = tree, .text = tree->file->text, .size = tree->file->size };
    for (size_t at = from; at < to; at = line_end(&fault, at) + 1) {
        bool is_start = at == 0 || is_line_break(fault.text[at - 1]);
        size_t end = at;
        size_t tab = SIZE_MAX;
        while (is_start && end < to && is_blank(fault.text[end])) {
            tab = fault.text[end] == '\t' && tab == SIZE_MAX ? end : tab;
            end++;
        }
        bool has_text =
            end < fault.size && !is_line_break(fault.text[end]) && fault.text[end] != '#';
        if (tab != SIZE_MAX && has_text) {
            report(&fault, tab, end, "a tab indents this line; use spaces");
            return true;
        }
    }
    return false;
}

/* ---- the parser's faults ----------------------------------------------------------------------
 */

/* Place of the innermost `[` or `{` that is open. */
static bool report_unclosed(const struct fault *fault)
{
    const struct yaml_frame *frame = yaml_tree_frame(fault->tree);
    if (frame == NULL || !frame->is_flow) {
        return false;
    }
    size_t at = frame->made->node.place.offset;
    bool is_list = frame->made->node.kind == NODE_LIST;
    report(fault, at, at + 1, "the '%c' that opens here is never closed; add '%c'",
           is_list ? '[' : '{', is_list ? ']' : '}');
    return true;
}

static bool is_opened_in_earlier_line(const struct fault *fault)
{
    const struct yaml_frame *frame = yaml_tree_frame(fault->tree);
    return frame != NULL && frame->is_flow &&
           frame->made->node.place.offset < line_start(fault, fault->from);
}

/* The line of the fault looks like an entry of the block around what was never closed. */
static void report_unclosed_line(const struct fault *fault)
{
    const struct node *open = &yaml_tree_frame(fault->tree)->made->node;
    bool is_list = open->kind == NODE_LIST;
    struct place place = { fault->tree->file, (uint32_t)fault->from, 0 };
    report(fault, open->place.offset, open->place.offset + 1,
           "the '%c' that opens here is not closed before the ':' of line %u; add '%c' here, or a "
           "comma there",
           is_list ? '[' : '{', document_position(place).line, is_list ? ']' : '}');
}

/* In [ ] or { }, something follows a value that is over. */
static void report_missing_comma(const struct fault *fault)
{
    char sign = char_at(fault, fault->from);
    char before = char_before(fault, fault->from);
    if (is_at_end(fault) && report_unclosed(fault)) {
        return;
    }
    if (sign == '[' || sign == '{') {
        report(
            fault, fault->from, fault->from + 1,
            "'%c' cannot stand inside of a plain value in { } or [ ]; write the entries in lines "
            "of their own, or put the whole value in quotes",
            sign);
    } else if (sign == ':' && is_opened_in_earlier_line(fault)) {
        report_unclosed_line(fault);
    } else if (sign == ':') {
        report(fault, fault->from, fault->from + 1,
               "a second ': ' in one entry; add a comma, close the bracket above, or put the whole "
               "value in quotes");
    } else if (before == '"' || before == '\'') {
        report(fault, fault->from, fault->to,
               "the value ends at the quote before this; put the whole value in the other quotes");
    } else {
        report(fault, fault->from, fault->to,
               "a comma or the closing bracket is missing before this");
    }
}

/* A quoted text ended and something follows in its line. */
static void report_after_quote(const struct fault *fault)
{
    bool is_double = says(fault, "double");
    size_t end = line_end(fault, fault->from);
    while (end > fault->from && is_blank(fault->text[end - 1])) {
        end--;
    }
    report(fault, fault->from, end,
           "the value ends at the quote before this; put the whole value in %s quotes",
           is_double ? "single" : "double");
}

/* A list in [ ] or a map in { } ended and something follows. */
static bool report_after_bracket(const struct fault *fault)
{
    char before = char_before(fault, fault->from);
    if ((before != ']' && before != '}') || is_at_end(fault) ||
        fault->from == line_content(fault, fault->from)) {
        return false;
    }
    report(fault, fault->from, fault->to,
           "the %s ends at the '%c' before this; in an expression put it in parentheses first, "
           "as in ([1, 2])[0]",
           before == ']' ? "list" : "map", before);
    return true;
}

static void report_nested_map(const struct fault *fault)
{
    size_t rest = fault->from + 1;
    while (rest < fault->size && is_blank(fault->text[rest])) {
        rest++;
    }
    if (rest >= fault->size || is_line_break(fault->text[rest]) || fault->text[rest] == '#') {
        report(fault, fault->from, fault->from + 1,
               "a ':' at the end makes a key of this value; remove it, or put the value in quotes");
        return;
    }
    report(fault, fault->from, fault->from + 1,
           "': ' makes a map of this value; put the whole value in quotes, or the map in lines of "
           "its own");
}

/* A plain value that goes on in a line with a ':' of its own, or a line without any. */
static void report_key(const struct fault *fault)
{
    size_t first = line_content(fault, fault->from);
    if (first == fault->from) {
        report(fault, fault->from, line_end(fault, fault->from),
               "this line is no 'NAME: VALUE'; add ': ' behind the name, or indent the line if it "
               "belongs to the value above");
        return;
    }
    size_t last = line_content(fault, fault->to);
    report(
        fault, last, line_end(fault, last),
        "this line continues the value above it, and so cannot be a key; indent it like the keys "
        "that it belongs to");
}

/* Finds the sign of a block scalar to the left in its line. */
static void report_block_header(const struct fault *fault)
{
    size_t at = fault->from;
    size_t start = line_start(fault, at);
    while (at > start && char_at(fault, at) != '>' && char_at(fault, at) != '|') {
        at--;
    }
    report(fault, at, at + 1,
           "'%c' begins a text in the lines below, with nothing behind it; an expression cannot "
           "begin so: turn it round, or put the value in quotes",
           char_at(fault, at));
}

static void report_dash(const struct fault *fault)
{
    report(fault, fault->from, fault->from + 1,
           "'- ' begins a list item, which needs a line of its own; for a minus sign write it "
           "without the space behind");
}

static void report_sign(const struct fault *fault)
{
    char sign = char_at(fault, fault->from);
    report(fault, fault->from, fault->from + 1,
           "a plain value cannot begin with '%c'; put the whole value in quotes", sign);
}

static void report_open_quote(const struct fault *fault)
{
    size_t at = fault->from;
    char quote = says(fault, "double") ? '"' : '\'';
    if (at > 0 && char_at(fault, at) != quote && fault->text[at - 1] == quote) {
        at--;
    }
    report(fault, at, at + 1,
           "the quote that opens here is not closed; close it, or indent the lines that go on");
}

static void report_escape(const struct fault *fault)
{
    report(fault, fault->from, fault->to,
           "'%.*s' is no escape of double quotes; write '\\\\' for a backslash, or use single "
           "quotes",
           (int)(fault->to - fault->from), fault->text + fault->from);
}

static void report_hex(const struct fault *fault)
{
    report(fault, fault->from, fault->to,
           "this escape lacks digits; write \\xHH, \\uHHHH or \\UHHHHHHHH");
}

static void report_closing(const struct fault *fault)
{
    report(fault, fault->from, fault->from + 1,
           "'%c' closes nothing that is open here; remove it, or put the whole value in quotes",
           char_at(fault, fault->from));
}

static void report_mismatch(const struct fault *fault)
{
    report(fault, fault->from, fault->from + 1,
           "'%c' does not close what was opened last; check the brackets before it",
           char_at(fault, fault->from));
}

static void report_unclosed_or_unknown(const struct fault *fault)
{
    if (!report_unclosed(fault)) {
        report(fault, fault->from, fault->to, "a closing bracket is missing before this");
    }
}

static void report_pair(const struct fault *fault, size_t wrong, size_t other)
{
    size_t number = 1;
    for (size_t i = 0; i < other; i++) {
        number += fault->text[i] == '\n';
    }
    report(fault, wrong, line_end(fault, wrong),
           "this line and line %zu belong to one map or list and are indented unlike each other; "
           "move this one, or write the line that is missing above it",
           number);
}

static void report_indentation(const struct fault *fault)
{
    if (report_after_bracket(fault)) {
        return;
    }
    size_t at = line_content(fault, fault->from);
    size_t wrong;
    if (indentation_find_wrong_line(fault->text, fault->size, at, &wrong)) {
        report_pair(fault, wrong, at);
        return;
    }
    report(fault, at, line_end(fault, at),
           "this line is indented unlike the lines that it belongs to; entries of one map or list "
           "stand in one column");
}

static void report_flow_indentation(const struct fault *fault)
{
    report(fault, fault->from, fault->to > fault->from ? fault->to : fault->from + 1,
           "lines inside of [ ] or { } are indented deeper than the key in front; indent this one");
}

static void report_no_entry(const struct fault *fault)
{
    report(fault, fault->from, fault->to, "an entry is missing before this; remove one comma");
}

static void report_after_value(const struct fault *fault)
{
    if (!report_after_bracket(fault)) {
        report_indentation(fault);
    }
}

static const struct {
    const char *part; /* of the parser's message */
    void (*report)(const struct fault *fault);
} kinds[] = {
    { "missing comma", report_missing_comma },
    { "invalid trailing content after", report_after_quote },
    { "without a closing", report_unclosed_or_unknown },
    { "without closing quote", report_open_quote },
    { "wrongly indented double-quoted", report_open_quote },
    { "wrongly indented single-quoted", report_open_quote },
    { "invalid nested block mapping", report_nested_map },
    { "invalid multiline plain key", report_key },
    { "could not find expected ':'", report_key },
    { "block sequence on the same line", report_dash },
    { "no linebreak found", report_block_header },
    { "plain scalar cannot start", report_sign },
    { "invalid escape", report_escape },
    { "invalid hex escape", report_hex },
    { "extra closing", report_closing },
    { "mismatched flow", report_mismatch },
    { "invalid indentation", report_indentation },
    { "wrongly indented flow", report_flow_indentation },
    { "in flow mode", report_flow_indentation },
    { "wrongly indented", report_indentation },
    { "invalid value after mapping", report_after_value },
    { "did not find expected key", report_after_value },
    { "did not find expected '-'", report_indentation },
    { "Did not find expected stream end", report_indentation },
    { "at the end of block sequence", report_indentation },
    { "wrong indendation", report_indentation }, /* the parser's spelling */
    { "invalid mapping in plain multiline", report_indentation },
    { "did not find expected node content", report_no_entry },
};

void yaml_fault_report(struct yaml_tree *tree, const char *message, size_t from, size_t to)
{
    const struct document_file *file = tree->file;
    struct fault fault = { .tree = tree, .text = file->text, .size = file->size };
    fault.message = message;
    fault.from = from < file->size ? from : file->size;
    fault.to = to < file->size ? to : file->size;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (says(&fault, kinds[i].part)) {
            kinds[i].report(&fault);
            return;
        }
    }
    report(&fault, fault.from, fault.to, "the YAML cannot be read: %s", message);
}
