/* SPDX-License-Identifier: MIT */
/*
 * A pipeline as its file describes it: every name resolved, every option checked and filled.
 */
#ifndef PIPELINE_PIPELINE_H
#define PIPELINE_PIPELINE_H

#include <stdbool.h>

#include "base/document.h"
#include "expr/expr.h"
#include "kafka/settings.h"
#include "plugin/instance.h"
#include "plugin/registry.h"
#include "value/partitioner.h"

enum on_error { ON_ERROR_FAIL, ON_ERROR_SKIP, ON_ERROR_DEAD_LETTER };

struct topic;

enum { RETRY_FOREVER = -1 };

/* A plugin in its place: factory, options, siblings. */
struct plugin_use {
    const struct factory *factory;
    const void *config; /* NULL where the factory has none */
    const char *id;    /* given, or the plugin's name; numbered where it stands twice in a stream */
    const char *label; /* "streams.late.steps[0] (filter)", for messages */
    const char *stream; /* NULL: it stands in none */
    enum on_error on_error;
    bool has_on_error; /* its own; else it is the file's */
    const char
        *was; /* source: its stream, sink: STREAM.ID, under whose progress it goes on; or NULL */
    struct place was_place;
    bool retries_start; /* a source or sink that cannot be opened is tried again */
    int64_t
        retry_ms; /* how long a call of a sink is tried again; RETRY_FOREVER; 0: none is given */
    struct place place;
    bool is_right;              /* found, and its options are filled */
    const char *const *outputs; /* names of an operator's outputs; NULL: one without a name */
    uint32_t output_count;      /* of names */
    const char *output_name;    /* of an operator that names its only output; or NULL */
    struct topic
        *repartition; /* of a step that gives records another place: through this; or NULL */
};

/* What becomes of a topic's messages. Numbers: 0 off, < 0 the file does not say. */
struct topic_keeping {
    int64_t retention_ms;
    int64_t retention_bytes;
    int64_t tombstone_ms;
    uint8_t is_compacted; /* KEEPING_OPEN: the file does not say */
};
enum { KEEPING_OPEN = 2 };

struct topic {
    const char *name;     /* in the file */
    const char *log_name; /* in the log */
    struct plugin_use key;
    struct plugin_use value;
    const weir_expression *event_time; /* NULL: the message's timestamp */
    uint32_t partitions;               /* 0: not given */
    enum partitioner partitioner;
    struct topic_keeping keeping;
    const weir_type *type; /* of the values, as declared; NULL: not */
    struct place place;
    bool is_internal; /* the pipeline's own: of a source, or behind a step */
    bool is_read;     /* some stream reads it */
    bool is_written;  /* some end or source writes it */
    /* Behind a step that gives records another place: the topics that come to it, which stand before
     * this one in the pipeline. NULL: it is another one. */
    struct topic **fed_by;
    size_t fed_by_count;
    const char *was; /* behind such a step: its name in the log before; or NULL */
};

/* Where a stream's source puts its records, and how. */
struct source_use {
    struct plugin_use plugin;
    const weir_expression *key;        /* NULL: the source's own */
    const weir_expression *event_time; /* NULL: the source gives the time */
    struct topic *topic;               /* filled by it: internal, or the stream's only end */
    struct plugin_use writing;         /* whose on_error holds for what cannot be encoded */
};

enum end_kind { END_TOPIC, END_SINK };

/*
 * topics  END_TOPIC: those that it may write to
 * choice  END_TOPIC: gives the name of the one for a record; NULL: there is one
 * key     END_TOPIC: of the message; NULL: the record's own
 */
struct end {
    enum end_kind kind;
    struct plugin_use plugin; /* END_TOPIC: label, id, place only; on_error of both */
    struct topic **topics;
    uint32_t topic_count;
    const weir_expression *choice;
    struct place choice_place;
    const weir_expression *key;
};

struct stream;

/*
 * Where a stream takes the records of another: under its `from`, or at one of its steps, by an option
 * of type stream.
 */
struct stream_input {
    struct stream *stream;
    uint32_t output;  /* of its last step; 0 where that has one */
    uint32_t port;    /* 0: `from`; else the input of the step */
    size_t step;      /* index of the step; 0 for `from` */
    const char *name; /* as written: STREAM or STREAM.OUTPUT */
    struct place place;
};

/*
 * Exactly one of: source not NULL, topic not NULL, from_count > 0. A stream with a source that
 * fills its only end (no steps, one topic end) has is_direct set, no ends, and is no part of the
 * graph.
 */
struct stream {
    const char *name;
    struct place place;
    struct source_use *source;
    struct topic *topic;         /* read; for a source: source->topic */
    struct stream_input *inputs; /* `from` first, then by step and port */
    size_t input_count;
    size_t from_count;
    struct plugin_use *steps;
    size_t step_count;
    struct end *ends;
    size_t end_count;
    bool is_direct;
    bool is_read; /* by a stream */
};

/* The name of the input of its step that it feeds; NULL: `from`. */
const char *stream_input_port(const struct stream *stream, const struct stream_input *input);

struct pipeline {
    const char *file;   /* as given */
    const char *folder; /* of the file; relative paths hang on it */
    const char *name;
    const char *log_url;
    struct kafka_settings kafka; /* for a log on Kafka, whether the file names one or not */
    bool is_exactly_once;        /* `guarantee`; the embedded log is so anyway */
    int64_t checkpoint_interval_ms;
    int64_t checkpoint_records;
    int64_t threads;      /* 0: the cores */
    int64_t memory_bytes; /* 0: none */
    int64_t shutdown_timeout_ms;
    struct topic **topics;
    size_t topic_count;
    struct stream **streams; /* in the order of the file */
    size_t stream_count;
    struct end *dead_letters; /* NULL: there is no end for them */

    struct arena arena; /* of all of it */
    struct symbols symbols;
    struct services services;
    struct instance function_host;
    struct expr_env env;
    struct expr_prepared *prepared; /* what functions have prepared for the expressions */
    struct registry *registry;
};

/*
 * Reads and checks a file. Everything wrong goes to `diagnostics` (whose arena must outlive it);
 * NULL when there was an error. Opens nothing but the file and the plugins; creates nothing.
 */
struct pipeline *pipeline_load(const char *path, struct registry *registry,
                               struct diagnostics *diagnostics);
/* The same from a text that is in memory, whose name stands for its path. It must outlive the
 * diagnostics. */
struct pipeline *pipeline_read(const struct document_file *file, struct registry *registry,
                               struct diagnostics *diagnostics);
/* Loads the plugins that a file lists into the registry, whatever else is wrong with the file. False:
 * the file or a plugin cannot be read, which is in the diagnostics. */
bool pipeline_load_plugins(const char *path, struct registry *registry,
                           struct diagnostics *diagnostics);
/* NULL is allowed. */
void pipeline_destroy(struct pipeline *pipeline);
/* Whether so much time between checkpoints goes with the log's transactions; the file's own is judged with it. */
bool pipeline_interval_fits(const struct pipeline *pipeline, const char *log_url,
                            int64_t interval_ms, struct error *error);

/*
 * YAML text to a tree; see document.h. NULL after a fault that leaves none. Lesser ones (a
 * duplicate key, a tag) are reported and the tree stands without them.
 */
const struct node *yaml_parse(const struct document_file *file, struct arena *arena,
                              struct diagnostics *diagnostics);

#endif
