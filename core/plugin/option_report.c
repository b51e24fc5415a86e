/* SPDX-License-Identifier: MIT */
/*
 * What is wrong with an option, in the same words for all types: what was expected, what was found, what
 * would be right.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "plugin/option_reader.h"

enum { SHOWN_BYTES = (OPTION_FOUND_ROOM - 32) / 2 };

const char *option_role_text(enum option_role role)
{
    static const char *const texts[] = { [ROLE_OPTION] = "option",
                                         [ROLE_ITEM] = "each item of option",
                                         [ROLE_KEY] = "each key of option",
                                         [ROLE_VALUE] = "each value of option",
                                         [ROLE_DEFAULT] = "the default of option" };
    return texts[role];
}

static const char *expected_text(const weir_option *option)
{
    static const char *const texts[] = {
        [WEIR_OPTION_BOOL] = "true or false",
        [WEIR_OPTION_INT] = "a whole number",
        [WEIR_OPTION_FLOAT] = "a number",
        [WEIR_OPTION_TEXT] = "a text",
        [WEIR_OPTION_BYTES] = "bytes",
        [WEIR_OPTION_DURATION] = "a duration",
        [WEIR_OPTION_SIZE] = "a size",
        [WEIR_OPTION_TIME] = "a time",
        [WEIR_OPTION_SECRET] = "a text, ${VARIABLE} or {file: PATH}",
        [WEIR_OPTION_ANY] = "a value",
        [WEIR_OPTION_EXPRESSION] = "an expression",
        [WEIR_OPTION_TARGET] = "the name of a field, such as a.b[0]",
        [WEIR_OPTION_LIST] = "a list",
        [WEIR_OPTION_MAP] = "a map",
        [WEIR_OPTION_STRUCT] = "a map of options",
        [WEIR_OPTION_STREAM] = "the name of a stream",
    };
    return texts[option->type];
}

/* Length of the beginning that a message shows, cut at a whole code point. */
static int shown_len(const char *text)
{
    size_t len = strlen(text);
    if (len <= SHOWN_BYTES) {
        return (int)len;
    }
    return (int)utf8_valid_prefix(text, SHOWN_BYTES);
}

bool option_out_of_memory(const struct options_scope *scope, struct place place)
{
    scope->diagnostics->is_out_of_memory = true;
    diagnostics_add(scope->diagnostics, SEVERITY_ERROR, place, "out of memory");
    return false;
}

static int write_text(const char *text, char *room, size_t size)
{
    if (text[0] == '\0') {
        return snprintf(room, size, "an empty text");
    }
    bool is_cut = strlen(text) > SHOWN_BYTES;
    return snprintf(room, size, "'%.*s%s'", shown_len(text), text, is_cut ? "..." : "");
}

void option_write_found(const struct node *node, const char *text, char room[OPTION_FOUND_ROOM])
{
    size_t size = OPTION_FOUND_ROOM;
    if (node->kind != NODE_SCALAR) {
        snprintf(room, size, "%s", node->kind == NODE_LIST ? "a list" : "a map");
        return;
    }
    size_t len = (size_t)write_text(text != NULL ? text : node->text, room, size);
    if (text != NULL && text != node->text) { /* a variable has been replaced */
        len += (size_t)snprintf(room + len, size - len, " from ");
        write_text(node->text, room + len, size - len);
    }
}

bool option_mismatch(const struct option_reader *reader, const weir_option *option,
                     const struct node *node, const char *text, const char *cure)
{
    char found[OPTION_FOUND_ROOM];
    option_write_found(node, text, found);
    diagnostics_add(reader->scope->diagnostics, SEVERITY_ERROR, node->place,
                    "%s '%s' expects %s, found %s%s%s", option_role_text(reader->role),
                    reader->name, expected_text(option), found, cure != NULL ? "; " : "",
                    cure != NULL ? cure : "");
    return false;
}

bool option_fault(const struct option_reader *reader, struct place place, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    diagnostics_add(reader->scope->diagnostics, SEVERITY_ERROR, place, "%s '%s' %s",
                    option_role_text(reader->role), reader->name, message);
    return false;
}
