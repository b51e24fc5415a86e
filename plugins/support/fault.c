/* SPDX-License-Identifier: MIT */
#include "support/fault.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

weir_status fault_call(weir_context *ctx, weir_status st, uint32_t error_class, const char *hint,
                       const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    weir_fail_class(ctx, -1, st, error_class, message, hint);
    return st;
}

weir_status fault_call_for_now(weir_context *ctx, weir_status st, uint32_t error_class,
                               const char *hint, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    weir_fail_for_now(ctx, -1, st, error_class, 0, message, hint);
    return st;
}

/*
 * What an errno means.
 *
 * may_pass  the same call may succeed later although nobody has changed the pipeline
 */
struct meaning {
    int fault;
    weir_status st;
    uint32_t error_class;
    bool may_pass;
    const char *hint;
};

static struct meaning meaning_of(int fault)
{
    static const struct meaning meanings[] = {
        { ENOENT, WEIR_E_NOT_FOUND, WEIR_CLASS_NOT_FOUND, false,
          "check the path; a relative one begins at the pipeline file's folder" },
        { ENOTDIR, WEIR_E_NOT_FOUND, WEIR_CLASS_NOT_FOUND, false,
          "check the path; a relative one begins at the pipeline file's folder" },
        { EACCES, WEIR_E_IO, WEIR_CLASS_AUTH, false, "let the user that runs weir use it" },
        { EPERM, WEIR_E_IO, WEIR_CLASS_AUTH, false, "let the user that runs weir use it" },
        { EROFS, WEIR_E_IO, WEIR_CLASS_AUTH, false,
          "choose a path on a file system that can be written" },
        { ENOSPC, WEIR_E_IO, WEIR_CLASS_RESOURCE, true, "make room on the file system" },
        { EDQUOT, WEIR_E_IO, WEIR_CLASS_RESOURCE, true, "make room within the quota" },
        { EMFILE, WEIR_E_IO, WEIR_CLASS_RESOURCE, true,
          "let the process open more files (ulimit -n)" },
        { ENFILE, WEIR_E_IO, WEIR_CLASS_RESOURCE, true, "let the system open more files" },
        { ENOMEM, WEIR_E_NOMEM, WEIR_CLASS_RESOURCE, true, NULL },
        { EIO, WEIR_E_IO, WEIR_CLASS_RESOURCE, true, NULL },
        { EINTR, WEIR_E_IO, WEIR_CLASS_RESOURCE, true, NULL },
        { EAGAIN, WEIR_E_IO, WEIR_CLASS_RESOURCE, true, NULL },
        { EBUSY, WEIR_E_IO, WEIR_CLASS_RESOURCE, true, NULL },
        { ETIMEDOUT, WEIR_E_TIMEOUT, WEIR_CLASS_NETWORK, true, NULL },
    };
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++) {
        if (meanings[i].fault == fault) {
            return meanings[i];
        }
    }
    return (struct meaning){ fault, WEIR_E_IO, WEIR_CLASS_RESOURCE, false, NULL };
}

weir_status fault_errno(weir_context *ctx, const char *what, const char *path)
{
    struct meaning meaning = meaning_of(errno);
    return fault_call(ctx, meaning.st, meaning.error_class, meaning.hint, "could not %s '%s': %s",
                      what, path, strerror(meaning.fault));
}

weir_status fault_errno_for_now(weir_context *ctx, const char *what, const char *path)
{
    struct meaning meaning = meaning_of(errno);
    if (!meaning.may_pass) {
        return fault_errno(ctx, what, path);
    }
    return fault_call_for_now(ctx, meaning.st, meaning.error_class, meaning.hint,
                              "could not %s '%s': %s", what, path, strerror(meaning.fault));
}
