/* SPDX-License-Identifier: MIT */
/*
 * A sorted list of faults in an arena. Its length is bounded, so that an insertion is too.
 */
#include "expr/fault_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { KEPT_FAULTS = 50, MESSAGE_ROOM = 1024 };

struct compile_fault {
    struct compile_fault *next;
    const char *message;
    uint32_t from;
    uint32_t to;
    bool is_warning;
};

void faults_init(struct faults *faults, struct arena *arena)
{
    *faults = (struct faults){ .arena = arena };
}

void faults_no_memory(struct faults *faults)
{
    faults->is_out_of_memory = true;
}

static void insert(struct faults *faults, struct compile_fault *fault)
{
    struct compile_fault **at = &faults->list;
    while (*at != NULL && (*at)->from <= fault->from) {
        at = &(*at)->next;
    }
    fault->next = *at;
    *at = fault;
    faults->count++;
}

static void add(struct faults *faults, bool is_warning, uint32_t from, uint32_t to,
                const char *message)
{
    faults->error_count += is_warning ? 0 : 1;
    if (faults->count >= KEPT_FAULTS) {
        return;
    }
    struct compile_fault *fault = arena_alloc(faults->arena, sizeof *fault);
    const char *copy = arena_copy(faults->arena, message, strlen(message));
    if (fault == NULL || copy == NULL) {
        faults->is_out_of_memory = true;
        return;
    }
    *fault = (struct compile_fault){ NULL, copy, from, to, is_warning };
    insert(faults, fault);
}

void faults_error(struct faults *faults, uint32_t from, uint32_t to, const char *format, ...)
{
    char message[MESSAGE_ROOM];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    add(faults, false, from, to, message);
}

void faults_warning(struct faults *faults, uint32_t from, uint32_t to, const char *format, ...)
{
    char message[MESSAGE_ROOM];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    add(faults, true, from, to, message);
}

bool faults_deliver(const struct faults *faults, const struct expr_reporter *reporter, uint32_t len)
{
    if (faults->is_out_of_memory) {
        reporter->report(reporter->self, false, 0, len, "out of memory");
        return false;
    }
    for (const struct compile_fault *fault = faults->list; fault != NULL; fault = fault->next) {
        reporter->report(reporter->self, fault->is_warning, fault->from, fault->to, fault->message);
    }
    return faults->error_count == 0;
}

const char *excerpt(const char *text, uint32_t from, uint32_t to, char room[EXCERPT_ROOM])
{
    size_t len = to - from;
    bool is_cut = len > EXCERPT_BYTES;
    if (is_cut) {
        len = EXCERPT_BYTES;
        while (len > 0 && ((unsigned char)text[from + len] & 0xC0u) == 0x80u) {
            len--;
        }
    }
    for (size_t i = 0; i < len; i++) {
        char c = text[from + i];
        room[i] = (unsigned char)c < 0x20 ? ' ' : c;
    }
    memcpy(room + len, is_cut ? "..." : "", is_cut ? 4 : 1);
    return room;
}
