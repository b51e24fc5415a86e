/* SPDX-License-Identifier: MIT */
/*
 * Error details: texts are cut at a whole code point and hold no control characters, so that one
 * error is one line wherever it is shown.
 */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Drops a code point that was cut in two at the end of the room. */
static void drop_half_code_point(char *text, size_t length)
{
    size_t start = length;
    while (start > 0 && ((uint8_t)text[start - 1] & 0xC0) == 0x80) {
        start--;
    }
    if (start == 0 || (uint8_t)text[start - 1] < 0xC0) {
        return;
    }
    uint8_t first = (uint8_t)text[start - 1];
    size_t wanted = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (length - (start - 1) < wanted) {
        text[start - 1] = '\0';
    }
}

__attribute__((format(printf, 3, 0))) static void fill(char *text, size_t room, const char *format,
                                                       va_list args)
{
    if (vsnprintf(text, room, format, args) < 0) {
        text[0] = '\0';
    }
    size_t length = strlen(text);
    if (length == room - 1) {
        drop_half_code_point(text, length);
    }
    for (char *at = text; *at != '\0'; at++) {
        if ((uint8_t)*at < 0x20 || *at == 0x7f) {
            *at = ' ';
        }
    }
}

weir_status error_set(struct error *error, weir_status status, uint32_t error_class,
                      const char *format, ...)
{
    if (error == NULL) {
        return status;
    }
    /* The text may be made from the error's own: build it aside. */
    char message[sizeof error->message];
    va_list args;
    va_start(args, format);
    fill(message, sizeof message, format, args);
    va_end(args);
    memcpy(error->message, message, sizeof message);
    error->status = status;
    error->error_class = error_class;
    error->is_retriable = false;
    error->hint[0] = '\0';
    return status;
}

void error_hint(struct error *error, const char *format, ...)
{
    if (error == NULL) {
        return;
    }
    char hint[sizeof error->hint];
    va_list args;
    va_start(args, format);
    fill(hint, sizeof hint, format, args);
    va_end(args);
    memcpy(error->hint, hint, sizeof hint);
}

weir_status error_no_memory(struct error *error)
{
    return error_set(error, WEIR_E_NOMEM, WEIR_CLASS_RESOURCE, "out of memory");
}

struct errno_kind {
    int code;
    weir_status status;
    uint32_t error_class;
    bool is_retriable;
};

static const struct errno_kind errno_kinds[] = {
    { ENOENT, WEIR_E_NOT_FOUND, WEIR_CLASS_NOT_FOUND, false },
    { ENOTDIR, WEIR_E_NOT_FOUND, WEIR_CLASS_NOT_FOUND, false },
    { ENXIO, WEIR_E_NOT_FOUND, WEIR_CLASS_NOT_FOUND, false },
    { EACCES, WEIR_E_IO, WEIR_CLASS_AUTH, false },
    { EPERM, WEIR_E_IO, WEIR_CLASS_AUTH, false },
    { EISDIR, WEIR_E_INVALID, WEIR_CLASS_CONFIG, false },
    { ENAMETOOLONG, WEIR_E_INVALID, WEIR_CLASS_CONFIG, false },
    { ELOOP, WEIR_E_INVALID, WEIR_CLASS_CONFIG, false },
    { EINVAL, WEIR_E_INVALID, WEIR_CLASS_CONFIG, false },
    { ENOMEM, WEIR_E_NOMEM, WEIR_CLASS_RESOURCE, false },
    { EAGAIN, WEIR_E_IO, WEIR_CLASS_RESOURCE, true },
    { EINTR, WEIR_E_IO, WEIR_CLASS_RESOURCE, true },
    { EBUSY, WEIR_E_IO, WEIR_CLASS_RESOURCE, true },
    { ETIMEDOUT, WEIR_E_TIMEOUT, WEIR_CLASS_NETWORK, true },
    { ECONNREFUSED, WEIR_E_IO, WEIR_CLASS_NETWORK, true },
    { ECONNRESET, WEIR_E_IO, WEIR_CLASS_NETWORK, true },
    { ECONNABORTED, WEIR_E_IO, WEIR_CLASS_NETWORK, true },
    { EHOSTUNREACH, WEIR_E_IO, WEIR_CLASS_NETWORK, true },
    { ENETUNREACH, WEIR_E_IO, WEIR_CLASS_NETWORK, true },
    { ENETDOWN, WEIR_E_IO, WEIR_CLASS_NETWORK, true },
    { EPIPE, WEIR_E_IO, WEIR_CLASS_NETWORK, false },
};

static struct errno_kind classify(int code)
{
    for (size_t i = 0; i < sizeof errno_kinds / sizeof errno_kinds[0]; i++) {
        if (errno_kinds[i].code == code) {
            return errno_kinds[i];
        }
    }
    /* Full and failing devices, quotas, limits of the process. */
    return (struct errno_kind){ code, WEIR_E_IO, WEIR_CLASS_RESOURCE, false };
}

weir_status error_from_errno(struct error *error, const char *what, const char *subject)
{
    struct errno_kind kind = classify(errno);
    char room[128];
    const char *reason = strerror_r(kind.code, room, sizeof room);
    error_set(error, kind.status, kind.error_class, "could not %s '%s': %s", what, subject, reason);
    if (error != NULL) {
        error->is_retriable = kind.is_retriable;
    }
    return kind.status;
}

const char *error_class_name(uint32_t error_class)
{
    static const char *const names[] = {
        [WEIR_CLASS_NONE] = "none",         [WEIR_CLASS_CONFIG] = "config",
        [WEIR_CLASS_AUTH] = "auth",         [WEIR_CLASS_NOT_FOUND] = "not_found",
        [WEIR_CLASS_NETWORK] = "network",   [WEIR_CLASS_DATA] = "data",
        [WEIR_CLASS_RESOURCE] = "resource", [WEIR_CLASS_BUG] = "bug",
    };
    return error_class < sizeof names / sizeof names[0] ? names[error_class] : "unknown";
}
