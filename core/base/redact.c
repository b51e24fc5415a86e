/* SPDX-License-Identifier: MIT */
#include "base/redact.h"

#include <stdbool.h>
#include <string.h>

size_t redact_match(const char *text, size_t len, const char *secret, size_t size)
{
    if (size < SECRET_MIN) {
        return 0;
    }
    size = size < len ? size : len;
    return size >= SECRET_MIN && memcmp(text, secret, size) == 0 ? size : 0;
}

const char *redact(redact_find *find, const void *self, const char *message, char room[REDACT_ROOM])
{
    static const char stars[] = "***";
    size_t len = strlen(message);
    size_t size = 0;
    bool is_changed = false;
    for (size_t at = 0; at < len && size + sizeof stars < REDACT_ROOM;) {
        size_t secret = find(self, message + at, len - at);
        if (secret == 0) {
            room[size++] = message[at++];
            continue;
        }
        memcpy(room + size, stars, sizeof stars - 1);
        size += sizeof stars - 1;
        at += secret;
        is_changed = true;
    }
    room[size] = '\0';
    /* A long message without a secret at its beginning may have one where the room has ended. */
    return is_changed || len >= REDACT_ROOM - sizeof stars ? room : message;
}
