/* SPDX-License-Identifier: MIT */
/*
 * The source `file` from within: its state, and what its files lend each other. file_follow finds the
 * file and knows when it has become another one, file_record makes records of lines, file.c is the
 * plugin.
 */
#ifndef FILE_FILE_SOURCE_H
#define FILE_FILE_SOURCE_H

#include <stdbool.h>

#include <weir/source.h>

#include "line_reader.h"
#include "support/csv.h"
#include "support/json_decode.h"

enum { CONTENT_VALUE, CONTENT_TEXT, CONTENT_RECORD };
enum { TYPES_TEXT, TYPES_INFER };
enum { REPLACED_FAIL, REPLACED_RESTART };

/* time: of a record; speed: how many times as fast as it was */
struct replay {
    const weir_expression *time;
    double speed;
};

struct config {
    weir_text path;
    int64_t format;
    weir_option_list columns;
    weir_text delimiter;
    int64_t types;
    int64_t content;
    int64_t on_replaced;
    int64_t max_line;
    int64_t poll_ms;
    const struct replay *replay; /* NULL: not wanted */
    uint8_t follow;
};

/* A column of CSV. */
struct csv_name {
    const char *text;
    uint32_t len;
    uint32_t symbol;
};

/*
 * names        of the columns of CSV; names_count of them, 0 while they are not known yet;
 *              names_kept are in the memory
 * fd           -1: the file is gone and may come again
 * records      that the file has given since its start; `given`, `rejected`: since open
 * anchor_ms    replay: the first record's event time, which was given at anchor_ns
 * due_ns       replay: when the next record is due, while is_waiting
 * is_at_end    everything has been read: before more is, the file must be looked at
 * is_renamed   another file has taken the name, or none: this one is read to its end
 * is_gone      no file has the name
 */
struct source {
    const weir_host *host;
    const struct config *config;
    const weir_values_api *values;
    const weir_clock_api *clock;
    const weir_expressions_api *expressions;
    const char *name; /* the path's last part, for the summary */
    struct json_decoder decoder;
    struct line_reader reader;
    const struct csv_name *names;
    uint32_t names_count;
    uint32_t names_kept;
    int fd;
    uint64_t records;
    uint64_t given;
    uint64_t rejected;
    int64_t anchor_ms;
    int64_t anchor_ns;
    int64_t due_ns;
    bool has_anchor;
    bool is_waiting;
    bool is_following;
    bool is_at_end;
    bool is_renamed;
    bool is_gone;
};

/* ---- file_follow.c ---- */

/* The slot `open` of the vtable. */
weir_status source_open(void *self, weir_context *ctx, weir_slice position_bytes, uint32_t flags);
void source_close_file(struct source *self);
/*
 * At the end of a followed file: waits until there may be more to read, at most timeout_ms, then
 * WEIR_AGAIN. May emit the last record of a file that was renamed away.
 */
weir_status source_wait(struct source *self, weir_context *ctx, int64_t timeout_ms);

/* ---- file_record.c ---- */

/* Emits or rejects the record of a line; a blank line has none. WEIR_AGAIN: it is not due yet. */
weir_status source_take_line(struct source *self, weir_context *ctx, const struct line *line);
/* Rejects a line that the reader skips. */
void source_take_too_long(struct source *self, weir_context *ctx, const struct line *line);

/* ---- file_replay.c ---- */

void source_replay_open(struct source *self);
/*
 * WEIR_OK: the record is due; it has its time then, if it had none. WEIR_AGAIN: the line has been put
 * back to wait. WEIR_E_DATA: it has been rejected.
 */
weir_status source_replay_hold(struct source *self, weir_context *ctx, const struct line *line,
                               weir_record *record);
/* Waits for the record that was put back; WEIR_AGAIN: not due after timeout_ms. */
weir_status source_replay_wait(struct source *self, int64_t timeout_ms);

/* ---- file_csv.c ---- */

/* For validate: NULL, or what is wrong. */
const char *source_csv_options_fault(const struct config *config);
/* Takes the names of the columns from the options. For other formats nothing. */
weir_status source_csv_open(struct source *self, weir_context *ctx);
/* Where names are missing: those of the open file's header, if the position lies behind it. */
weir_status source_csv_read_header(struct source *self, weir_context *ctx);
/* Another file has another header. */
void source_csv_forget_names(struct source *self);
/* WEIR_E_DATA: no record, since the line was the header or has been rejected. */
weir_status source_csv_take(struct source *self, weir_context *ctx, const struct line *line,
                            weir_record *record);

#endif
