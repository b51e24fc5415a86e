/* SPDX-License-Identifier: MIT */
/*
 * Faults of a call as a whole, in the same words everywhere.
 */
#ifndef SUPPORT_FAULT_H
#define SUPPORT_FAULT_H

#include <weir/host.h>

/* Fails the call with a message in the manner of printf; returns `st`. hint: may be NULL. */
weir_status fault_call(weir_context *ctx, weir_status st, uint32_t error_class, const char *hint,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));
/* The same in a sink that can be called again: for now. */
weir_status fault_call_for_now(weir_context *ctx, weir_status st, uint32_t error_class,
                               const char *hint, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Fails the call by errno: "could not WHAT 'PATH': reason". */
weir_status fault_errno(weir_context *ctx, const char *what, const char *path);
/*
 * The same in a sink that can be called again: for now where the reason may pass by itself or by somebody
 * who makes room, such as a full disk or too many open files.
 */
weir_status fault_errno_for_now(weir_context *ctx, const char *what, const char *path);

#endif
