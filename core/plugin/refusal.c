/* SPDX-License-Identifier: MIT */
/* Refusals of plugins, of their entries and option tables: one wording for all that judge them. */
#include "plugin/refusal.h"

#include <stdarg.h>
#include <stdio.h>

weir_status refuse(struct error *error, const char *format, ...)
{
    char message[sizeof error->message]; /* of a type only: error may be NULL */
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return error_set(error, WEIR_E_INVALID, WEIR_CLASS_CONFIG, "%s", message);
}

weir_status refuse_file(struct error *error, const char *path, const char *reason, const char *hint)
{
    refuse(error, "could not load plugin '%s': %s", path, reason);
    if (hint != NULL) {
        error_hint(error, "%s", hint);
    }
    return WEIR_E_INVALID;
}
