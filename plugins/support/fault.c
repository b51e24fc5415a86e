/* SPDX-License-Identifier: MIT */
#include "support/fault.h"

#include <errno.h>
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

weir_status fault_errno(weir_context *ctx, const char *what, const char *path)
{
    static const struct {
        int fault;
        weir_status st;
        uint32_t error_class;
        const char *hint;
    } meanings[] = {
        { ENOENT, WEIR_E_NOT_FOUND, WEIR_CLASS_NOT_FOUND,
          "check the path; a relative one begins at the pipeline file's folder" },
        { ENOTDIR, WEIR_E_NOT_FOUND, WEIR_CLASS_NOT_FOUND,
          "check the path; a relative one begins at the pipeline file's folder" },
        { EACCES, WEIR_E_IO, WEIR_CLASS_AUTH, "let the user that runs weir use it" },
        { EPERM, WEIR_E_IO, WEIR_CLASS_AUTH, "let the user that runs weir use it" },
        { EROFS, WEIR_E_IO, WEIR_CLASS_AUTH, "choose a path on a file system that can be written" },
        { ENOSPC, WEIR_E_IO, WEIR_CLASS_RESOURCE, "make room on the file system" },
        { EDQUOT, WEIR_E_IO, WEIR_CLASS_RESOURCE, "make room within the quota" },
        { ENOMEM, WEIR_E_NOMEM, WEIR_CLASS_RESOURCE, NULL },
        { 0, WEIR_E_IO, WEIR_CLASS_RESOURCE, NULL },
    };
    int fault = errno;
    size_t i = 0;
    while (meanings[i].fault != fault && meanings[i].fault != 0) {
        i++;
    }
    return fault_call(ctx, meanings[i].st, meanings[i].error_class, meanings[i].hint,
                      "could not %s '%s': %s", what, path, strerror(fault));
}
