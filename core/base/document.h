/* SPDX-License-Identifier: MIT */
/*
 * A parsed document (the pipeline file) as a tree whose every node knows its place in the file, and
 * the diagnostics that point there. What parses YAML stands in pipeline/; everybody who reads
 * options works on these nodes.
 */
#ifndef BASE_DOCUMENT_H
#define BASE_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hashmap.h"

/* A file's text; name as the user wrote it. */
struct document_file {
    const char *name;
    const char *text;
    size_t size;
};

/* A stretch of a file, in bytes. file NULL: no place (a command line). */
struct place {
    const struct document_file *file;
    uint32_t offset;
    uint32_t length;
};

enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAP };
enum node_style { STYLE_PLAIN, STYLE_SINGLE, STYLE_DOUBLE, STYLE_LITERAL, STYLE_FOLDED };

struct node;

struct node_pair {
    const struct node *key; /* a scalar */
    const struct node *value;
};

/*
 * text, text_len  scalar: its text as YAML sees it, NUL-terminated
 * is_empty        scalar: nothing was written (`path:`)
 * offsets         scalar: file offset of each byte of the text, and of its end; NULL where text
 * byte i stands at place.offset + i place           the whole node as written; quotes included. Of
 * a block list or map: its first line
 */
struct node {
    enum node_kind kind;
    enum node_style style;
    bool is_empty;
    const char *text;
    size_t text_len;
    const uint32_t *offsets;
    struct place place;
    const struct node *const *items;
    const struct node_pair *pairs;
    size_t count; /* of items or pairs */
};

/* The value under a key of a map, or NULL. */
const struct node *node_get(const struct node *map, const char *key);
bool node_is(const struct node *scalar, const char *text);
/* Place of bytes [from, to) of a scalar's text. */
struct place node_text_place(const struct node *scalar, size_t from, size_t to);

enum severity { SEVERITY_ERROR, SEVERITY_WARNING };

/* A stretch of a file that no excerpt shows. */
struct hidden_place {
    struct hidden_place *next;
    struct place place;
};

/* file_order, sequence: set by diagnostics_add, for diagnostics_sort; hidden: by diagnostics_sort. */
struct diagnostic {
    enum severity severity;
    struct place place;
    const char *message; /* what is wrong, then "; " and the cure */
    uint32_t file_order;
    uint32_t sequence;
    const struct hidden_place *hidden; /* stars in the excerpt */
};

struct diagnostics {
    struct arena *arena; /* keeps the messages */
    struct diagnostic *list;
    size_t count;
    size_t capacity;
    size_t error_count;
    size_t warning_count;
    bool is_out_of_memory;
    struct hidden_place *hidden;
    struct hashmap seen;  /* places and messages so far */
    struct hashmap files; /* addresses of files, in order of first appearance */
};

void diagnostics_init(struct diagnostics *list, struct arena *arena);
void diagnostics_deinit(struct diagnostics *list);
/* An equal message at an equal place is added once. */
void diagnostics_add(struct diagnostics *list, enum severity severity, struct place place,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));
/* What stands there, a secret, is shown by no excerpt, whatever it is about. */
void diagnostics_hide(struct diagnostics *list, struct place place);
/* Sorts by file (in order of first appearance), offset. */
void diagnostics_sort(struct diagnostics *list);

struct document_position {
    uint32_t line;   /* from 1 */
    uint32_t column; /* from 1, in code points */
};
struct document_position document_position(struct place place);

/*
 * Appends "FILE:LINE:COLUMN: error: MESSAGE", the line, and a caret line; to a weir_buffer.
 * The excerpt of a long line is cut around the caret. Tabs keep their width.
 */
struct weir_buffer;
void diagnostic_write(const struct diagnostic *diagnostic, bool has_color, struct weir_buffer *out);
/* One JSON object: {"severity","file","line","column","length","message"}; column and length in
 * code points; the four of the place are null where there is none. */
void diagnostic_write_json(const struct diagnostic *diagnostic, struct weir_buffer *out);

#endif
