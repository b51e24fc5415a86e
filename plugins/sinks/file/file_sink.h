/* SPDX-License-Identifier: MIT */
/*
 * The sink `file` from within: its state, and what its files lend each other. file_write puts records
 * into parts, file_publish keeps folder and token in step, file_strays knows what others have left there,
 * file.c is the plugin.
 */
#ifndef FILE_FILE_SINK_H
#define FILE_FILE_SINK_H

#include <stdbool.h>

#include <weir/sink.h>

#include "file_part.h"
#include "support/csv.h"

enum { CONTENT_VALUE, CONTENT_RECORD };

struct config {
    weir_text path;
    int64_t format;
    weir_option_list columns;
    weir_text delimiter;
    int64_t content;
    int64_t roll_size;
    int64_t roll_age_ms;
};

/* A growing array: parts, by address since their names are borrowed, or facts. */
struct parts {
    struct file_part **list;
    uint32_t count;
    uint32_t capacity;
};

struct facts {
    struct file_fact *list;
    uint32_t count;
    uint32_t capacity;
};

/* Files that are gone for good once a token is committed; their topics are the parts' or the origin's memory. */
struct strays {
    struct tree_file *list;
    uint32_t count;
    uint32_t capacity;
    bool have_looked;
};

/*
 * parts      one per partition that was ever met
 * finished   files that wait to be published; their topics are the parts' memory
 * published  the last token that was published, or that the sink was opened with
 * flushed    the last token that it gave itself, which may be committed or not; empty where it is alone
 * strays     nobody needs them once `flushed` is committed
 * home       the folder's identity since it was opened; 0: the file system does not tell
 * generation its files bear it; 0: it is alone with the folder
 * line       the record that is being written
 * header     CSV: what each file begins with
 * cell       CSV: a field as JSON
 * slots      CSV: where the steps of each column were found last time
 * assigned   the partition whose records it gets, and whose files are its own; NULL: all of them
 */
struct sink {
    const weir_host *host;
    const weir_clock_api *clock;
    const weir_log_api *log; /* NULL: the host has none */
    const weir_values_api *values;
    const struct config *config;
    struct tree tree;
    struct parts parts;
    struct facts finished;
    weir_buffer published;
    weir_buffer flushed;
    struct strays strays;
    uint64_t home;
    uint64_t generation;
    weir_buffer line;
    weir_buffer header;
    weir_buffer cell;
    uint32_t **slots;
    uint64_t uses;
    const weir_origin *assigned;
};

static inline const char *root_of(const struct sink *self)
{
    return self->config->path.data;
}

static inline weir_slice token_slice(const weir_buffer *token)
{
    return (weir_slice){ token->data, token->size };
}

/* ---- file_write.c ---- */

/* Room for one more element; NULL: no memory. */
void *sink_grow_list(void *list, uint32_t count, uint32_t *capacity, size_t size);

/* The part of a partition; NULL: it was never met. */
struct file_part *sink_find_part(const struct sink *self, const char *topic, uint32_t topic_len,
                                 int32_t partition);
/* The same, made if need be. */
weir_status sink_get_part(struct sink *self, weir_context *ctx, const char *topic,
                          uint32_t topic_len, int32_t partition, struct file_part **ret_part);
/* Adds a file to those that wait to be published. Its topic is the memory of a part. */
weir_status sink_add_finished(struct sink *self, const struct file_fact *fact);
/* Is the part's file large or old enough? */
bool sink_is_full(const struct sink *self, const struct file_part *part, int64_t now_ms);
/* Ends the part's file, all of it durable. */
weir_status sink_finish(struct sink *self, weir_context *ctx, struct file_part *part);
/* The slot `write` of the vtable. */
weir_status sink_write(void *self, weir_context *ctx, const weir_batch *in);

/* ---- file_csv.c ---- */

/* Slots for the columns. False: no memory. */
bool sink_csv_init(struct sink *self, const weir_host *host);
/* For validate: NULL, or what is wrong. */
const char *sink_csv_options_fault(const struct config *config);
/* Makes the header. For other formats nothing. */
weir_status sink_csv_open(struct sink *self);
/* Does the file that a token names, still .part, begin with this header? */
weir_status sink_csv_compare(const struct sink *self, weir_context *ctx,
                             const struct file_fact *fact, bool *ret_is_same);
/* Appends the value to self->line, without a line break. WEIR_E_DATA: *ret_fault tells why. */
weir_status sink_csv_write(struct sink *self, const weir_value *value, char *fault_room,
                           size_t fault_size);

/* ---- file_strays.c ---- */

/* The partition whose files are this instance's to look at. */
struct tree_scope sink_scope(const struct sink *self);
/* Is a file, still .part, none that a token of this instance would name? */
bool sink_is_stray(const struct sink *self, const struct tree_file *file);
/* The part goes on in a file of its own; the one that it had on loan becomes a stray. */
weir_status sink_own(struct sink *self, weir_context *ctx, struct file_part *part);
/* In a flush: looks for strays of others, once after open and with the last flush. */
weir_status sink_find_strays(struct sink *self, weir_context *ctx, bool is_final);
/* After the commit of a token that this instance gave. */
weir_status sink_remove_strays(struct sink *self, weir_context *ctx);
/* Removes its own files that no token names; it writes no more. */
void sink_abandon(struct sink *self);

/* ---- file_publish.c: slots of the vtable ---- */

weir_status sink_open(void *self, weir_context *ctx, weir_slice token);
weir_status sink_publish(void *self, weir_context *ctx, weir_slice token);
weir_status sink_discard(void *self, weir_context *ctx);
weir_status sink_reset(void *self, weir_context *ctx);

#endif
