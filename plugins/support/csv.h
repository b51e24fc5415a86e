/* SPDX-License-Identifier: MIT */
/*
 * CSV as RFC 4180 has it: fields between delimiters, a field in quotes may hold delimiters, line
 * breaks and doubled quotes. Both kinds of line break end a record; a quote inside a field that does
 * not begin with one is a fault.
 */
#ifndef SUPPORT_CSV_H
#define SUPPORT_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/abi.h>

/* Where in a record a scan stands. */
enum csv_state {
    CSV_START,  /* at the beginning of a field */
    CSV_PLAIN,  /* in a field without quotes */
    CSV_QUOTED, /* between quotes: line breaks belong to the field */
    CSV_CLOSING /* behind a quote that ends the field, or is the first of two */
};

/*
 * Looks for the line break that ends a record. Returns its place, with *state back at CSV_START, or
 * `size` where there is none yet; *state then says how to go on behind these bytes.
 */
size_t csv_scan(const char *text, size_t size, char delimiter, enum csv_state *state);

struct csv_field {
    const char *text;
    uint32_t size;
    bool was_quoted;
};

struct csv_fault {
    size_t byte; /* of the record as it was */
    const char *message;
};

/*
 * Splits a record without its line break (a CR at the end is dropped) into fields, in place: doubled
 * quotes become one, and the fields point into `text`.
 *
 * limit    room in `fields`; what is beyond is counted only
 * Returns  false with *ret_fault set
 */
bool csv_split(char *text, size_t size, char delimiter, struct csv_field *fields, uint32_t limit,
               uint32_t *ret_count, struct csv_fault *ret_fault);

/* Appends a field, in quotes where it needs them or `is_quoted` asks for them. */
weir_status csv_append(weir_buffer *out, const char *text, uint32_t size, char delimiter,
                       bool is_quoted);

/* What a field without quotes looks like, where kinds are wanted. */
enum csv_kind { CSV_TEXT, CSV_NOTHING, CSV_TRUE, CSV_FALSE, CSV_NUMBER };
enum csv_kind csv_kind(const char *text, uint32_t size);

/* ---- options of who reads or writes files in one of several formats ---- */

enum { FORMAT_JSONL, FORMAT_CSV };
extern const char *const csv_format_names[];

/* The option `delimiter`. at: its offset in the plugin's config. */
#define CSV_DELIMITER_OPTION(at)                                                                   \
 {                                                                                                 \
  .name = "delimiter", .type = WEIR_OPTION_TEXT, .offset = (at), .default_text = ",",              \
  .summary = "CSV: the sign between two fields",                                                   \
  .doc = "One ASCII sign, such as `;`, `|` or `\"\\t\"`; no letter, digit, quote or sign of a "    \
         "number."                                                                                 \
 }

/* A delimiter is one ASCII character that is no quote, line break, letter or digit. */
bool csv_is_delimiter(const char *text, uint64_t size);

/*
 * For validate: what is wrong with options that depend on the format, with its cure; NULL: nothing.
 *
 * has_content  `content` says something of a line of JSON
 * has_columns  `columns` are given
 */
const char *csv_options_fault(bool is_csv, bool has_content, bool has_columns, weir_text delimiter);

#endif
