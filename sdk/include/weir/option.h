/* SPDX-License-Identifier: MIT */
/*
 * Options: one table per factory. The host parses the file, checks every value against the table,
 * fills the plugin's config struct, redacts secrets, and writes the reference from it. A plugin
 * never parses an option.
 *
 * The table ends with an element whose name is NULL (WEIR_OPTIONS_END).
 *
 *     struct config { weir_text path; int64_t poll_ms; uint8_t follow; };
 *
 *     static const weir_option options[] = {
 *         { .name = "path", .type = WEIR_OPTION_TEXT, .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY,
 *           .offset = offsetof(struct config, path), .summary = "The file to read" },
 *         { .name = "poll", .type = WEIR_OPTION_DURATION, .default_text = "250ms",
 *           .offset = offsetof(struct config, poll_ms), .summary = "How often to look for more" },
 *         WEIR_OPTIONS_END
 *     };
 *
 * A stream as an option is a further input of an operator: `my_join: {right: customers}`. The first
 * of the factory's inputs is the stream that the step stands in; each other one is the option of its
 * name, of type stream or list of stream, at the top of the table:
 *
 *     static const char *const inputs[] = { "left", "right", NULL };
 *
 *     { .name = "right", .type = WEIR_OPTION_STREAM, .flags = WEIR_OPTION_REQUIRED,
 *       .offset = offsetof(struct config, right), .summary = "The stream to look up in" },
 *
 * The host reads the stream and tells by `input` of each entry where it came in (operator.h). To the
 * config the option is a name for messages. An input whose option is not given stays empty.
 */
#ifndef WEIR_OPTION_H
#define WEIR_OPTION_H

#include "value.h"

WEIR_BEGIN_C

/* Compiled by the host; evaluated with weir_expressions_api in host.h. */
typedef struct weir_expression weir_expression;

/* One step of a target: a name (symbol, text) or, with a NULL text, an index (may be negative). */
typedef struct weir_target_step {
    const char *name;
    uint32_t name_len;
    uint32_t symbol; /* interned: never WEIR_SYMBOL_NONE */
    int64_t index;
} weir_target_step;

/*
 * A place in the value that a step writes to: `a.b[0]`. No steps: the whole value ($value).
 *
 * text       as written, for messages
 */
typedef struct weir_target {
    uint32_t struct_size;
    uint32_t step_count;
    const weir_target_step *steps;
    weir_text text;
} weir_target;

/* What an option is, and what the host stores at its offset. */
enum {
    WEIR_OPTION_BOOL = 1,        /* uint8_t, 0 or 1 */
    WEIR_OPTION_INT = 2,         /* int64_t */
    WEIR_OPTION_FLOAT = 3,       /* double */
    WEIR_OPTION_TEXT = 4,        /* weir_text */
    WEIR_OPTION_BYTES = 5,       /* weir_text, any bytes */
    WEIR_OPTION_DURATION = 6,    /* int64_t, milliseconds */
    WEIR_OPTION_SIZE = 7,        /* int64_t, bytes */
    WEIR_OPTION_ENUM = 8,        /* int64_t, index into enum_names */
    WEIR_OPTION_TIME = 9,        /* int64_t, ms since 1970 UTC */
    WEIR_OPTION_SECRET = 10,     /* weir_text */
    WEIR_OPTION_ANY = 11,        /* weir_value */
    WEIR_OPTION_EXPRESSION = 12, /* const weir_expression *; NULL = not given */
    WEIR_OPTION_TARGET = 13,     /* const weir_target *; NULL = not given */
    WEIR_OPTION_LIST = 14,       /* weir_option_list of weir_option_value, typed by `element` */
    WEIR_OPTION_MAP = 15,    /* weir_option_map, values typed by `element`, keys by `key_type` */
    WEIR_OPTION_STRUCT = 16, /* const struct of its own, laid out by `fields`; NULL = not given */
    WEIR_OPTION_STREAM = 17  /* weir_text, the stream's name as written; empty = not given */
};

enum {
    WEIR_OPTION_REQUIRED = 1u,
    WEIR_OPTION_BODY = 2u,       /* the plugin's value is this option's value */
    WEIR_OPTION_DEPRECATED = 4u, /* works, with a warning; `summary` says what to use */
    /* map of target to expression: may also be written as a list of paths and {target: expression};
     * a path stands under its last name. Targets must differ. */
    WEIR_OPTION_PATHS = 8u,
    WEIR_OPTION_PATH = 16u, /* text: a file or folder, relative to the pipeline file's folder */
    /* one that is stored as a number or bool: the field is a const weir_option_value *, NULL = not
     * given. Where every value means something of its own, so that no default can stand for none */
    WEIR_OPTION_NULLABLE = 32u,
    /* text: where it is not given, the name of the field that the body option reads, an expression; of
     * one that is no plain field the option must be given */
    WEIR_OPTION_FIELD_NAME = 64u
};

struct weir_option;

/* One element of a list or map option, by the type of its `element`. */
typedef union weir_option_value {
    uint8_t truth;
    int64_t i64;
    double f64;
    weir_text text;
    weir_value any;
    const weir_expression *expression;
    const weir_target *target;
    const void *fields;
    struct {
        const union weir_option_value *items;
        uint64_t count;
    } list;
} weir_option_value;

typedef struct weir_option_list {
    const weir_option_value *items; /* NULL = not given */
    uint64_t count;
} weir_option_list;

typedef struct weir_option_pair {
    weir_option_value key;
    weir_option_value value;
} weir_option_pair;

typedef struct weir_option_map {
    const weir_option_pair *items; /* in the order of the file; NULL = not given */
    uint64_t count;
} weir_option_map;

/*
 * One option. The layout is frozen: tables are arrays.
 *
 * name          lower case words joined by '_'
 * type          WEIR_OPTION_*
 * flags         WEIR_OPTION_* flags
 * offset        of the field in the config struct
 * key_type      of a map: WEIR_OPTION_TEXT or WEIR_OPTION_TARGET
 * default_text  as a user would write it; NULL = none (the field stays zero)
 * min, max      INT, FLOAT, DURATION (ms), SIZE (bytes): the allowed range; both 0 = no bounds.
 *               LIST and MAP: how many elements
 * enum_names    NULL-terminated
 * element       of a list or map: type, range and enum of the elements; its offset is not used
 * fields        of a struct: its own table
 * fields_size   of a struct: sizeof it
 * since         plugin version that brought it; NULL = the first
 * summary       one line, never NULL
 * doc           more, markdown; may be NULL
 */
typedef struct weir_option {
    const char *name;
    uint32_t type;
    uint32_t flags;
    uint32_t offset;
    uint32_t key_type;
    const char *default_text;
    int64_t min;
    int64_t max;
    const char *const *enum_names;
    const struct weir_option *element;
    const struct weir_option *fields;
    uint64_t fields_size;
    const char *since;
    const char *summary;
    const char *doc;
} weir_option;

/* clang-format off */
/* An option of a scalar type, stored in the member of its name. flags_: 0 = none; default_: may be NULL. */
#define WEIR_OPTION(config_, member_, type_, flags_, default_, summary_)                           \
    {                                                                                              \
        #member_, type_, flags_, offsetof(config_, member_), 0, default_, 0, 0, NULL, NULL, NULL,  \
        0, NULL, summary_, NULL                                                                    \
    }

#define WEIR_OPTIONS_END                                                                           \
    {                                                                                              \
        NULL, 0, 0, 0, 0, NULL, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, NULL                        \
    }
/* clang-format on */

WEIR_END_C

#endif
