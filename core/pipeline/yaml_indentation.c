/* SPDX-License-Identifier: MIT */
/*
 * Which line is indented wrongly, where a YAML parser has stopped at a later one: the usual step of the
 * file tells what fits to what. Only looks at blanks, dashes and comments.
 */
#include "pipeline/yaml_indentation.h"

#include <stdint.h>

#define AT_TOP SIZE_MAX

struct text {
    const char *bytes;
    size_t size;
};

static bool is_line_break(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* '\0' at the end of the file. */
static char char_at(const struct text *text, size_t at)
{
    return at < text->size ? text->bytes[at] : '\0';
}

static size_t line_start(const struct text *text, size_t at)
{
    while (at > 0 && !is_line_break(text->bytes[at - 1])) {
        at--;
    }
    return at;
}

/* First character of the line of `at` that is not blank. */
static size_t line_content(const struct text *text, size_t at)
{
    at = line_start(text, at);
    while (is_blank(char_at(text, at))) {
        at++;
    }
    return at;
}

/* The line before that of `at` which holds more than a comment; false: none. */
static bool line_before(const struct text *text, size_t at, size_t *ret_content)
{
    for (at = line_start(text, at); at > 0; at = line_start(text, at)) {
        size_t content = line_content(text, --at);
        char first = char_at(text, content);
        if (content < at && first != '#' && !is_line_break(first)) {
            *ret_content = content;
            return true;
        }
    }
    return false;
}

static size_t indentation(const struct text *text, size_t content)
{
    return content - line_start(text, content);
}

/* By how much most lines of the file are indented deeper than the line before. */
static size_t usual_step(const struct text *text)
{
    enum { MOST = 8 };
    size_t counts[MOST + 1] = { 0 };
    size_t at = text->size;
    size_t below = 0;
    while (line_before(text, at, &at)) {
        size_t step = below - indentation(text, at);
        counts[step <= MOST ? step : 0]++;
        below = indentation(text, at);
    }
    size_t usual = 2;
    for (size_t step = 1; step <= MOST; step++) {
        usual = counts[step] > counts[usual] ? step : usual;
    }
    return usual;
}

static bool is_dash(const struct text *text, size_t at)
{
    return char_at(text, at) == '-' && is_blank(char_at(text, at + 1));
}

/* Where entries of what stands on this line begin: behind the dashes of list items. */
static size_t own_column(const struct text *text, size_t content)
{
    size_t at = content;
    while (is_dash(text, at)) {
        for (at++; is_blank(char_at(text, at)); at++) {
        }
    }
    return at - line_start(text, content);
}

/*
 * The nearest line above that is less indented; false: none, and *ret_content is one as deep, or AT_TOP.
 * *ret_first: the line under it.
 */
static bool line_around(const struct text *text, size_t at, size_t *ret_content, size_t *ret_first)
{
    size_t own = indentation(text, at);
    *ret_first = at;
    *ret_content = AT_TOP;
    while (line_before(text, at, &at)) {
        if (indentation(text, at) <= own) {
            *ret_content = at;
            return indentation(text, at) < own;
        }
        *ret_first = at;
    }
    return false;
}

/* YAML lets the items of a key stand right under it. */
static bool is_item_of(const struct text *text, size_t item, size_t key)
{
    return key != AT_TOP && is_dash(text, item) && !is_dash(text, key);
}

/*
 * Where the line at `at` is deeper than what it hangs on by the usual step, and the entries above it are
 * not, the first of those is in the wrong place, or the line above that one is missing.
 */
static bool find(const struct text *text, size_t at, size_t *ret_wrong)
{
    size_t own = indentation(text, at);
    size_t step = usual_step(text);
    size_t parent;
    size_t first;
    if (!line_around(text, at, &parent, &first)) {
        /* Entries of the file itself begin at the left. */
        bool is_first_line = !line_before(text, first, &parent);
        if (own > 0 || first == at || !is_first_line) {
            return false;
        }
        *ret_wrong = first;
        return true;
    }
    size_t wanted = own_column(text, parent) + step;
    if (first != at && own == wanted && indentation(text, first) != wanted) {
        *ret_wrong = first;
        return true;
    }
    /* The line above may be the one that was moved: then this one fits to what is around that. */
    size_t around;
    size_t ignored;
    if (line_around(text, parent, &around, &ignored) || is_item_of(text, parent, around)) {
        wanted = own_column(text, around) + step;
        if (own == wanted && indentation(text, parent) != wanted) {
            *ret_wrong = parent;
            return true;
        }
    }
    return false;
}

bool indentation_find_wrong_line(const char *bytes, size_t size, size_t at, size_t *ret_wrong)
{
    const struct text text = { bytes, size };
    return find(&text, at, ret_wrong);
}
