/* SPDX-License-Identifier: MIT */
/*
 * Takes secrets out of messages: where one stands there is "***".
 */
#ifndef BASE_REDACT_H
#define BASE_REDACT_H

#include <stddef.h>

enum {
    SECRET_MIN = 4, /* bytes; shorter ones would tear words apart and tell of themselves by that */
    REDACT_ROOM = 4096 /* a message with a secret is cut there */
};

/* Bytes of the longest secret that stands at the beginning of the text (redact_match); 0: none. */
typedef size_t redact_find(const void *self, const char *text, size_t len);

/* Bytes at the beginning of the text that this secret takes up; its beginning counts too where the
 * text ends within it. */
size_t redact_match(const char *text, size_t len, const char *secret, size_t size);

/* The message, or its copy in `room` without secrets. */
const char *redact(redact_find *find, const void *self, const char *message,
                   char room[REDACT_ROOM]);

#endif
