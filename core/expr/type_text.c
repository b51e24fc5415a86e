/* SPDX-License-Identifier: MIT */
/*
 * The text of a type, as pipeline files and plugins write it.
 */
#include <stdio.h>
#include <string.h>

#include "expr/lexer.h"
#include "expr/tree.h"
#include "expr/type.h"
#include "value/value.h"

struct type_reader {
    struct type_room *room;
    const char *text;
    size_t len;
    size_t at;
    uint32_t depth;
    const char *origin;
    const char *closed_by;
    struct type_fault *fault;
};

static const weir_type *read_type(struct type_reader *reader);

static void skip_blanks(struct type_reader *reader)
{
    while (reader->at < reader->len && strchr(" \t\r\n", reader->text[reader->at]) != NULL &&
           reader->text[reader->at] != '\0') {
        reader->at++;
    }
}

static bool accept(struct type_reader *reader, char sign)
{
    skip_blanks(reader);
    if (reader->at == reader->len || reader->text[reader->at] != sign) {
        return false;
    }
    reader->at++;
    return true;
}

static const weir_type *fail(struct type_reader *reader, size_t from, const char *message)
{
    struct type_fault *fault = reader->fault;
    fault->from = from;
    fault->to = from < reader->len ? from + 1 : from;
    snprintf(fault->message, sizeof fault->message, "%s", message);
    return NULL;
}

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (c & 0x80) != 0;
}

/* ---- names of types ---------------------------------------------------------------------------- */

static const struct {
    const char *name;
    uint32_t kinds;
} known[] = {
    { "any", KIND_ANY },
    { "bool", KIND_BOOL },
    { "int", KIND_INT },
    { "float", KIND_FLOAT },
    { "number", (uint32_t)KIND_INT | (uint32_t)KIND_FLOAT },
    { "text", KIND_TEXT },
    { "bytes", KIND_BYTES },
    { "list", KIND_LIST },
    { "map", KIND_MAP },
    { "timestamp", KIND_TIMESTAMP },
};

const char *type_name(uint32_t number)
{
    return number < sizeof known / sizeof known[0] ? known[number].name : NULL;
}

static const weir_type *fail_name(struct type_reader *reader, size_t from)
{
    struct nearest search;
    char word[EXCERPT_ROOM];
    excerpt(reader->text, (uint32_t)from, (uint32_t)reader->at, word);
    nearest_start(&search, reader->text + from, reader->at - from);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        nearest_offer(&search, known[i].name);
    }
    const char *near = nearest_found(&search);
    fail(reader, from, "");
    struct type_fault *fault = reader->fault;
    fault->to = reader->at;
    if (near != NULL) {
        snprintf(fault->message, sizeof fault->message, "unknown type '%s'; did you mean '%s'?",
                 word, near);
    } else {
        snprintf(fault->message, sizeof fault->message,
                 "unknown type '%s'; the types are any bool int float number text bytes list map "
                 "timestamp, [TYPE] and {name: TYPE}",
                 word);
    }
    return NULL;
}

static const weir_type *read_name(struct type_reader *reader)
{
    size_t from = reader->at;
    while (reader->at < reader->len && is_name_byte(reader->text[reader->at])) {
        reader->at++;
    }
    size_t len = reader->at - from;
    if (len == 0) {
        return fail(reader, from,
                    "a type is expected here, such as int, text?, [float] or "
                    "{name: TYPE}");
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strlen(known[i].name) == len && memcmp(known[i].name, reader->text + from, len) == 0) {
            return type_from(reader->room, type_of_kinds(reader->room, known[i].kinds),
                             reader->origin);
        }
    }
    return fail_name(reader, from);
}

/* ---- lists and maps ---------------------------------------------------------------------------- */

static const weir_type *read_list(struct type_reader *reader)
{
    const weir_type *items = read_type(reader);
    if (items == NULL) {
        return NULL;
    }
    if (!accept(reader, ']')) {
        return fail(reader, reader->at, "']' is expected; a list has one type for all its items");
    }
    return type_from(reader->room, type_list(reader->room, items), reader->origin);
}

/* A word or a text between quotes. */
static bool read_key(struct type_reader *reader, struct type_member *member)
{
    skip_blanks(reader);
    char quote = accept(reader, '"') ? '"' : accept(reader, '\'') ? '\'' : '\0';
    size_t from = reader->at;
    while (reader->at < reader->len && (quote != '\0' ? reader->text[reader->at] != quote
                                                      : is_name_byte(reader->text[reader->at]))) {
        reader->at++;
    }
    size_t len = reader->at - from;
    if ((quote == '\0' && len == 0) || (quote != '\0' && !accept(reader, quote))) {
        fail(reader, reader->at, "the name of a field is expected here");
        return false;
    }
    member->name = arena_copy(reader->room->arena, reader->text + from, len);
    member->len = (uint32_t)len;
    if (member->name == NULL) {
        fail(reader, from, "out of memory");
    }
    return member->name != NULL;
}

static const weir_type *read_map(struct type_reader *reader)
{
    struct type_member *members = NULL;
    uint32_t count = 0;
    while (!accept(reader, '}')) {
        if (count > 0 && !accept(reader, ',')) {
            return fail(reader, reader->at, "',' or '}' is expected");
        }
        members = tree_grow(reader->room->arena, members, count, sizeof *members);
        if (members == NULL) {
            return fail(reader, reader->at, "out of memory");
        }
        if (!read_key(reader, &members[count])) {
            return NULL;
        }
        if (!accept(reader, ':')) {
            return fail(reader, reader->at, "':' and a type are expected behind a field's name");
        }
        members[count].type = read_type(reader);
        if (members[count++].type == NULL) {
            return NULL;
        }
    }
    return type_map(reader->room, members, count, reader->origin, reader->closed_by);
}

static const weir_type *read_type(struct type_reader *reader)
{
    if (reader->depth == TYPE_MAX_DEPTH) {
        return fail(reader, reader->at, "this type is nested too deep");
    }
    reader->depth++;
    skip_blanks(reader);
    const weir_type *type = accept(reader, '[')   ? read_list(reader)
                            : accept(reader, '{') ? read_map(reader)
                                                  : read_name(reader);
    reader->depth--;
    return type != NULL && accept(reader, '?') ? type_optional(reader->room, type) : type;
}

const weir_type *type_parse(struct type_room *room, const char *text, size_t len,
                            const char *origin, const char *closed_by, struct type_fault *fault)
{
    struct type_reader reader = { .room = room,
                                  .text = text,
                                  .len = len,
                                  .origin = origin,
                                  .closed_by = closed_by,
                                  .fault = fault };
    const weir_type *type = read_type(&reader);
    skip_blanks(&reader);
    if (type != NULL && reader.at < len) {
        return fail(&reader, reader.at, "nothing is expected behind the type");
    }
    return type;
}
