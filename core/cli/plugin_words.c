/* SPDX-License-Identifier: MIT */
#include "cli/plugin_words.h"

#include <string.h>

enum { MAX_NESTING = 32 };

#define DIGITS  "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* ---- versions --------------------------------------------------------------------------------- */

/* A number without zeros in front. */
static bool take_number(const char **at)
{
    size_t len = strspn(*at, DIGITS);
    bool is_right = len == 1 || (len > 1 && (*at)[0] != '0');
    *at += len;
    return is_right;
}

/* Identifiers between dots; numbers among them begin with no zero where has_order. */
static bool take_identifiers(const char **at, bool has_order)
{
    for (;;) {
        size_t len = strspn(*at, DIGITS LETTERS "-");
        bool is_number = strspn(*at, DIGITS) >= len;
        if (len == 0 || (has_order && is_number && len > 1 && (*at)[0] == '0')) {
            return false;
        }
        *at += len;
        if (**at != '.') {
            return true;
        }
        (*at)++;
    }
}

bool word_is_version(const char *text)
{
    const char *at = text;
    for (int part = 0; part < 3; part++) {
        if (part > 0 && *at++ != '.') {
            return false;
        }
        if (!take_number(&at)) {
            return false;
        }
    }
    if (*at == '-') {
        at++;
        if (!take_identifiers(&at, true)) {
            return false;
        }
    }
    if (*at == '+') {
        at++;
        if (!take_identifiers(&at, false)) {
            return false;
        }
    }
    return *at == '\0';
}

/* ---- licences --------------------------------------------------------------------------------- */

struct reader {
    const char *at;
    int depth;
};

static void skip_blanks(struct reader *reader)
{
    reader->at += strspn(reader->at, " ");
}

static bool take_operator(struct reader *reader, const char *word)
{
    size_t len = strlen(word);
    if (strncmp(reader->at, word, len) != 0 || (reader->at[len] != ' ' && reader->at[len] != '(')) {
        return false;
    }
    reader->at += len;
    skip_blanks(reader);
    return true;
}

/* `MIT`, `GPL-2.0+`, `DocumentRef-x:LicenseRef-y`; no word of the expression itself. */
static bool take_licence(struct reader *reader)
{
    static const char *const words[] = { "AND", "OR", "WITH" };
    size_t len = strspn(reader->at, DIGITS LETTERS "-.:");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (len == strlen(words[i]) && strncmp(reader->at, words[i], len) == 0) {
            return false;
        }
    }
    reader->at += len;
    reader->at += len > 0 && *reader->at == '+';
    skip_blanks(reader);
    return len > 0;
}

static bool take_expression(struct reader *reader);

static bool take_term(struct reader *reader)
{
    if (*reader->at != '(') {
        return take_licence(reader) && (!take_operator(reader, "WITH") || take_licence(reader));
    }
    reader->at++;
    skip_blanks(reader);
    if (++reader->depth > MAX_NESTING || !take_expression(reader) || *reader->at != ')') {
        return false;
    }
    reader->depth--;
    reader->at++;
    skip_blanks(reader);
    return true;
}

static bool take_expression(struct reader *reader)
{
    if (!take_term(reader)) {
        return false;
    }
    while (take_operator(reader, "AND") || take_operator(reader, "OR")) {
        if (!take_term(reader)) {
            return false;
        }
    }
    return true;
}

bool word_is_spdx(const char *text)
{
    struct reader reader = { .at = text };
    return take_expression(&reader) && *reader.at == '\0';
}
