/* SPDX-License-Identifier: MIT */
/*
 * A JSON text for people, indented by two spaces. Whoever calls sees to it that what is begun is
 * ended; names of members may be NULL inside a list.
 */
#ifndef CLI_JSON_WRITER_H
#define CLI_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/page.h"

struct json_writer {
    struct page page;
    int depth;
    bool is_begun; /* the innermost object or list has something in it */
};

void json_begin_object(struct json_writer *writer, const char *name);
void json_end_object(struct json_writer *writer);
void json_begin_list(struct json_writer *writer, const char *name);
void json_end_list(struct json_writer *writer);
void json_text(struct json_writer *writer, const char *name, const char *text);
void json_int(struct json_writer *writer, const char *name, int64_t number);
void json_bool(struct json_writer *writer, const char *name, bool truth);
/* A value that is JSON already. */
void json_raw(struct json_writer *writer, const char *name, const char *json);

#endif
