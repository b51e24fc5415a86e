/* SPDX-License-Identifier: MIT */
/*
 * The work on one file: the pipeline being filled, and what is needed only until it stands. Nothing
 * stops at the first fault: whoever finds one reports it, leaves its part out and goes on.
 */
#ifndef PIPELINE_RESOLVER_H
#define PIPELINE_RESOLVER_H

#include "pipeline/pipeline.h"
#include "plugin/options.h"

enum { MAX_PARTITIONS = 100000 };

/* What is needed of a stream until all are known. */
struct draft {
    const struct node *node;   /* what stands behind its name */
    struct place from;         /* of what it reads */
    const struct node *source; /* the map that names its source; NULL: none */
    int64_t partitions;        /* of the source's own topic; 0: not given */
    size_t input_capacity;     /* of the stream's inputs */
    bool is_faulty;            /* something in it is: others may seem to be unused */
};

struct resolver {
    struct pipeline *pipeline;
    struct diagnostics *diagnostics;
    struct options_scope scope;
    struct option_streams option_streams; /* of the step that is being read */
    struct place top;                     /* where the file begins: for what is missing */
    enum on_error on_error;               /* where nothing else is written */
    struct place dead_letter;             /* where dead_letter is written first */
    bool has_dead_letter;
    bool is_dead_letters_faulty; /* the topic that it means would seem to be unused */
    struct hashmap topics;       /* name in the file to struct topic */
    struct hashmap streams;      /* name to struct stream */
    struct topic *topic_array;
    struct stream *stream_array;           /* pipeline->streams point into it */
    struct draft *drafts;                  /* by the same index */
    struct kafka_topic_plan *kafka_topics; /* room for all of `topics:` */
};

void resolver_fault(struct resolver *resolver, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void resolver_warn(struct resolver *resolver, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Memory and texts of the pipeline. NULL: none, which is noted in the diagnostics. */
void *resolver_alloc(struct resolver *resolver, size_t count, size_t size);
char *resolver_text(struct resolver *resolver, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * The text of a scalar that names something, with ${VAR} replaced. NULL after a report: no scalar,
 * empty, or a variable that is not set. what: "a stream"
 */
const char *resolver_name(struct resolver *resolver, const struct node *node, const char *what);

#endif
