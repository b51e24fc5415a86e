/* SPDX-License-Identifier: MIT */
#include "cli/json_writer.h"

#include <inttypes.h>

static void put_line(struct json_writer *writer)
{
    page_printf(&writer->page, "\n%*s", 2 * writer->depth, "");
}

/* What stands before a value. */
static void put_head(struct json_writer *writer, const char *name)
{
    page_text(&writer->page, writer->is_begun ? "," : "");
    if (writer->depth > 0) {
        put_line(writer);
    }
    if (name != NULL) {
        page_json(&writer->page, name);
        page_text(&writer->page, ": ");
    }
    writer->is_begun = true;
}

static void begin(struct json_writer *writer, const char *name, const char *bracket)
{
    put_head(writer, name);
    page_text(&writer->page, bracket);
    writer->depth++;
    writer->is_begun = false;
}

static void end(struct json_writer *writer, const char *bracket)
{
    writer->depth--;
    if (writer->is_begun) {
        put_line(writer);
    }
    page_text(&writer->page, bracket);
    writer->is_begun = true;
}

void json_begin_object(struct json_writer *writer, const char *name)
{
    begin(writer, name, "{");
}

void json_end_object(struct json_writer *writer)
{
    end(writer, "}");
}

void json_begin_list(struct json_writer *writer, const char *name)
{
    begin(writer, name, "[");
}

void json_end_list(struct json_writer *writer)
{
    end(writer, "]");
}

void json_text(struct json_writer *writer, const char *name, const char *text)
{
    put_head(writer, name);
    page_json(&writer->page, text);
}

void json_int(struct json_writer *writer, const char *name, int64_t number)
{
    put_head(writer, name);
    page_printf(&writer->page, "%" PRId64, number);
}

void json_bool(struct json_writer *writer, const char *name, bool truth)
{
    json_raw(writer, name, truth ? "true" : "false");
}

void json_raw(struct json_writer *writer, const char *name, const char *json)
{
    put_head(writer, name);
    page_text(&writer->page, json);
}
