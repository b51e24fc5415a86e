/* SPDX-License-Identifier: MIT */
#include "cli/topic_line.h"

#include <inttypes.h>

#include "base/buffer.h"
#include "base/units.h"
#include "value/json.h"
#include "value/value.h"

enum { DEPTH = 1000, TIME_ROOM = 64 };

static weir_status end_line(weir_status st, weir_buffer *out, struct error *error)
{
    st = st == WEIR_OK ? buffer_text(out, "\n") : st;
    return st == WEIR_OK ? WEIR_OK : error_no_memory(error);
}

weir_status topic_line_raw(const struct log_message *message, weir_buffer *out, struct error *error)
{
    uint64_t size = message->value.size == LOG_ABSENT ? 0 : message->value.size;
    return end_line(weir_buffer_append(out, message->value.data, size), out, error);
}

weir_status topic_line_record(const struct record_line *line, weir_buffer *out, struct error *error)
{
    weir_status st = record_line_write(line, out, error);
    return st == WEIR_OK ? end_line(st, out, error) : st;
}

/* ---- for people ------------------------------------------------------------------------------------ */

/* A text that a terminal shows as it is, without a blank that would look like the next column. */
static bool is_word(const weir_value *v)
{
    if (v->tag != WEIR_TEXT || v->len == 0 || v->as.text[0] == '-' || v->as.text[0] == '"') {
        return false;
    }
    for (uint32_t i = 0; i < v->len; i++) {
        unsigned char byte = (unsigned char)v->as.text[i];
        if (byte <= 0x20 || byte == 0x7f) {
            return false;
        }
    }
    return true;
}

static weir_status write_value(weir_buffer *out, const weir_value *v)
{
    const char *fault = NULL;
    weir_status st = json_write(v, WEIR_JSON_BYTES_TAGGED, DEPTH, out, &fault);
    return st == WEIR_E_DATA ? buffer_printf(out, "<%s>", fault) : st;
}

static weir_status write_key(weir_buffer *out, const weir_value *key)
{
    if (key->tag == WEIR_NULL) {
        return buffer_text(out, "-");
    }
    return is_word(key) ? weir_buffer_append(out, key->as.text, key->len) : write_value(out, key);
}

static weir_status write_headers(weir_buffer *out, const weir_record *record)
{
    const char *fault = NULL;
    if (record->header_count == 0) {
        return WEIR_OK;
    }
    weir_status st = buffer_text(out, "  ");
    st = st == WEIR_OK ? record_line_headers(record, out, &fault) : st;
    return st == WEIR_E_DATA ? buffer_printf(out, "<%s>", fault) : st;
}

weir_status topic_line_human(const struct record_line *line, weir_buffer *out, struct error *error)
{
    const weir_record *record = &line->record;
    char time[TIME_ROOM];
    size_t time_len = units_format_time(record->timestamp, 3, time);
    weir_status st = buffer_printf(out, "%" PRId32 "@%" PRId64 "  %.*s  ", line->partition,
                                   record->offset, (int)time_len, time);
    st = st == WEIR_OK ? write_key(out, &record->key) : st;
    st = st == WEIR_OK ? buffer_text(out, "  ") : st;
    st = st == WEIR_OK ? write_value(out, &record->value) : st;
    st = st == WEIR_OK ? write_headers(out, record) : st;
    return end_line(st, out, error);
}
