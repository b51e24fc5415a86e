/* SPDX-License-Identifier: MIT */
/*
 * Reads a signature. Optional parameters come last; a repeated one is the last of all.
 */
#include "expr/signature.h"

#include <string.h>

#include "value/value.h"

struct reader {
    const char *at;
    const char *fault;
};

static void skip_blanks(struct reader *reader)
{
    while (*reader->at == ' ') {
        reader->at++;
    }
}

static bool accept(struct reader *reader, const char *sign)
{
    skip_blanks(reader);
    size_t len = strlen(sign);
    if (strncmp(reader->at, sign, len) != 0) {
        return false;
    }
    reader->at += len;
    return true;
}

static bool fail(struct reader *reader, const char *fault)
{
    if (reader->fault == NULL) {
        reader->fault = fault;
    }
    return false;
}

static bool read_kind(struct reader *reader, uint32_t *kinds)
{
    static const struct {
        const char *name;
        uint32_t kinds;
    } known[] = {
        { "any", KIND_ANY },   { "null", KIND_NULL }, { "bool", KIND_BOOL },
        { "int", KIND_INT },   { "num", KIND_NUM },   { "float", KIND_FLOAT },
        { "text", KIND_TEXT }, { "list", KIND_LIST }, { "bytes", KIND_BYTES },
        { "map", KIND_MAP },   { "time", KIND_TIME }, { "timestamp", KIND_TIMESTAMP },
    };
    skip_blanks(reader);
    size_t len = strspn(reader->at, "abcdefghijklmnopqrstuvwxyz");
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strlen(known[i].name) == len && strncmp(reader->at, known[i].name, len) == 0) {
            *kinds |= known[i].kinds;
            reader->at += len;
            return true;
        }
    }
    return fail(reader, "an unknown kind");
}

/* `a|b?` */
static bool read_kinds(struct reader *reader, uint32_t *ret)
{
    *ret = 0;
    do {
        if (!read_kind(reader, ret)) {
            return false;
        }
    } while (accept(reader, "|"));
    if (accept(reader, "?")) {
        *ret |= KIND_NULL;
    }
    return true;
}

static bool read_param(struct reader *reader, struct signature *signature, bool is_optional)
{
    if (signature->repeats) {
        return fail(reader, "a parameter behind a repeated one");
    }
    if (signature->count == SIGNATURE_MAX_PARAMS) {
        return fail(reader, "too many parameters");
    }
    if (!read_kinds(reader, &signature->kinds[signature->count])) {
        return false;
    }
    signature->count++;
    signature->repeats = accept(reader, "...");
    if (!signature->repeats && !is_optional) {
        signature->required++;
    }
    return true;
}

/* `[, k]`, `[, k[, k]]`, one behind the other. */
static bool read_optional(struct reader *reader, struct signature *signature)
{
    uint32_t open = 0;
    while (accept(reader, "[")) {
        open++;
        bool has_comma = accept(reader, ",");
        if (has_comma != (signature->count > 0)) {
            return fail(reader, "a comma is missing or too much");
        }
        if (!read_param(reader, signature, true)) {
            return false;
        }
        while (open > 0 && accept(reader, "]")) {
            open--;
        }
    }
    return open == 0 || fail(reader, "']' is missing");
}

static bool read_params(struct reader *reader, struct signature *signature)
{
    skip_blanks(reader);
    if (*reader->at == '[' || *reader->at == ')') {
        return read_optional(reader, signature);
    }
    do {
        if (!read_param(reader, signature, false)) {
            return false;
        }
    } while (accept(reader, ","));
    return read_optional(reader, signature);
}

bool signature_parse(const char *text, struct signature *ret, const char **ret_fault)
{
    struct reader reader = { text, NULL };
    memset(ret, 0, sizeof *ret);
    bool is_right = (accept(&reader, "(") || fail(&reader, "'(' is missing")) &&
                    read_params(&reader, ret) &&
                    (accept(&reader, ")") || fail(&reader, "')' is missing")) &&
                    read_kinds(&reader, &ret->result);
    skip_blanks(&reader);
    if (is_right && *reader.at != '\0') {
        is_right = fail(&reader, "something stands behind the kind of the result");
    }
    if (ret_fault != NULL) {
        *ret_fault = reader.fault;
    }
    return is_right;
}

bool signature_read_kinds(const char *text, uint32_t *ret)
{
    struct reader reader = { text, NULL };
    bool is_right = read_kinds(&reader, ret);
    skip_blanks(&reader);
    return is_right && *reader.at == '\0';
}
