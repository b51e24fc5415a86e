/* SPDX-License-Identifier: MIT */
/*
 * Reporting and memory for everybody who resolves a part of the file.
 */
#include "pipeline/resolver.h"

#include <stdarg.h>

#include "pipeline/names.h"

static void report(struct resolver *resolver, enum severity severity, struct place place,
                   const char *format, va_list args) __attribute__((format(printf, 4, 0)));
static void report(struct resolver *resolver, enum severity severity, struct place place,
                   const char *format, va_list args)
{
    char *message = arena_vprintf(resolver->diagnostics->arena, format, args);
    if (message == NULL) {
        resolver->diagnostics->is_out_of_memory = true;
        return;
    }
    diagnostics_add(resolver->diagnostics, severity, place, "%s", message);
}

void resolver_fault(struct resolver *resolver, struct place place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(resolver, SEVERITY_ERROR, place, format, args);
    va_end(args);
}

void resolver_warn(struct resolver *resolver, struct place place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(resolver, SEVERITY_WARNING, place, format, args);
    va_end(args);
}

void *resolver_alloc(struct resolver *resolver, size_t count, size_t size)
{
    size_t bytes = 0;
    void *memory = NULL;
    if (!__builtin_mul_overflow(count, size, &bytes)) {
        memory = arena_zeroed(&resolver->pipeline->arena, bytes > 0 ? bytes : 1);
    }
    if (memory == NULL) {
        resolver->diagnostics->is_out_of_memory = true;
    }
    return memory;
}

char *resolver_text(struct resolver *resolver, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = arena_vprintf(&resolver->pipeline->arena, format, args);
    va_end(args);
    if (text == NULL) {
        resolver->diagnostics->is_out_of_memory = true;
    }
    return text;
}

const char *resolver_name(struct resolver *resolver, const struct node *node, const char *what)
{
    if (node->kind != NODE_SCALAR) {
        resolver_fault(resolver, node->place, "the name of %s is expected here, not a %s", what,
                       node->kind == NODE_LIST ? "list" : "map");
        return NULL;
    }
    size_t len = 0;
    const char *text = option_substitute(&resolver->scope, node, &len);
    if (text != NULL && len == 0) {
        resolver_fault(resolver, node->place, "the name of %s is missing here", what);
        return NULL;
    }
    if (len > NAME_REFERENCE_MAX_BYTES) {
        resolver_fault(resolver, node->place, "no name of %s has %zu bytes; at most %d are allowed",
                       what, len, NAME_MAX_BYTES);
        return NULL;
    }
    return text;
}
