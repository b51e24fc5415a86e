/* SPDX-License-Identifier: MIT */
/*
 * What the `topic` commands share: which log, which topic in it, and how its messages are decoded.
 */
#ifndef CLI_TOPIC_USE_H
#define CLI_TOPIC_USE_H

#include "cli/args.h"
#include "log/log.h"
#include "pipeline/pipeline.h"

/*
 * pipeline   the file's; NULL: none is used
 * defaults   a pipeline whose first topic has what a file gives when it says nothing; made on demand
 * topic      how the messages are decoded; its names are not those to use unless is_declared
 * log_name   of the topic in the log
 */
struct topic_use {
    const struct args *args;
    struct arena arena;
    struct diagnostics diagnostics;
    struct registry registry;
    struct pipeline *pipeline;
    struct pipeline *defaults;
    const char *log_url;
    const char *log_folder;
    const char *name; /* as given */
    const char *log_name;
    const struct topic *topic;
    bool is_declared;
    struct log *log;
    struct log_topic *log_topic;
};

/* Each returns false after it has said on standard error what is wrong; the exit status is then
 * EXIT_FAULT unless told otherwise. */

/* Finds the log and, if one is to be used, reads the pipeline file. */
bool topic_use_init(struct topic_use *use, const struct args *args, int *ret_status);
void topic_use_deinit(struct topic_use *use);
/* Gives the topic's name its meaning, by the file or as it is. */
void topic_use_name(struct topic_use *use, const char *name);
/* Makes sure that `topic` and `defaults` are there. */
bool topic_use_serializers(struct topic_use *use);
bool topic_use_open(struct topic_use *use, enum log_mode mode);
/* The same without a word about what is wrong. */
weir_status topic_use_try(struct topic_use *use, enum log_mode mode, struct error *error);
/* Commits, and waits where a broker needs its time. */
weir_status topic_use_commit(struct topic_use *use, const char *group,
                             const struct log_epoch *epoch, struct error *error);
/* Finds the topic in the open log; says which is near if it is not there. */
bool topic_use_find(struct topic_use *use);

/* A command that changes leaves no trace of a log that is not there: is the topic there? */
bool topic_use_there(struct topic_use *use);
/* The partitions that --partition means: [first, end). */
bool topic_use_partitions(const struct topic_use *use, uint32_t *ret_first, uint32_t *ret_end);

/* Writes the page and gives its buffer back. Returns the exit status. */
struct page;
int topic_use_write(const struct topic_use *use, struct page *page);
/* "weir COMMAND: MESSAGE", and the hint. Returns EXIT_FAULT. */
int topic_use_fault(const struct topic_use *use, const struct error *error);

enum { TOPIC_BYTES_ROOM = 24 };
/* A number of bytes; where the log does not know it, what stands for that. */
const char *topic_bytes(uint64_t bytes, const char *unknown, char room[TOPIC_BYTES_ROOM]);
/* The topics that pipelines, or Kafka, have made for themselves. */
bool topic_is_internal(const char *name);

int topic_create(struct topic_use *use);
int topic_list(struct topic_use *use);
int topic_cat(struct topic_use *use);
int topic_put(struct topic_use *use);
int topic_replay(struct topic_use *use);
int topic_describe(struct topic_use *use);
int topic_trim(struct topic_use *use);
int topic_delete(struct topic_use *use);

#endif
