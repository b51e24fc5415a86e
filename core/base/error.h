/* SPDX-License-Identifier: MIT */
/*
 * Details of a failed call inside the core. The caller owns the storage; NULL is allowed
 * everywhere.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

#include <weir/abi.h>

struct error {
    weir_status status; /* WEIR_OK: nothing has failed */
    uint32_t error_class;
    bool is_retriable;
    bool
        asks_restart; /* the process should be started again: what is wrong may have passed by then */
    char message[512]; /* what is wrong; no full stop, no line break */
    char hint[256];    /* what to do; may be empty */
};

/* Fills `error` and returns `status`, so that a function can end with `return error_set(...)`. */
weir_status error_set(struct error *error, weir_status status, uint32_t error_class,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Adds or replaces the hint. */
void error_hint(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Class resource, WEIR_E_NOMEM, "out of memory". */
weir_status error_no_memory(struct error *error);
/* From errno: "could not WHAT 'SUBJECT': REASON"; class by errno. Returns WEIR_E_IO or a nearer
 * one. */
weir_status error_from_errno(struct error *error, const char *what, const char *subject);

const char *error_class_name(uint32_t error_class); /* "data", "config", ... */

#endif
