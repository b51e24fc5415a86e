/* SPDX-License-Identifier: MIT */
/*
 * The inside of asking for rights (lacks.h): what is asked for, and what was found to be missing.
 */
#ifndef LOG_KAFKA_ASKING_H
#define LOG_KAFKA_ASKING_H

#include "log/log.h"

struct kafka_log;

/*
 * uses      those of the run, and behind them that of the topic with the group's facts
 * use_count of all of them
 * hidden    by use
 */
struct asking {
    struct kafka_log *log;
    const char *group;
    struct log_use *uses;
    size_t use_count;
    bool *hidden;
    struct log_lack *lacks;
    size_t count;
};

/* A right that is missing; index: that of the use, or LOG_OF_GROUP. Its fault is to be filled. */
struct error *asking_add(struct asking *asking, size_t index);
/* ... of a topic, with all that is said of it. */
void asking_add_topic(struct asking *asking, size_t use, const char *right);
/* The topic is seen, and there. */
bool asking_is_there(const struct asking *asking, size_t use);

/* The rights to the group, and to read topics. */
weir_status asking_reads(struct asking *asking, struct error *error);
/* The rights to write to topics. */
weir_status asking_writes(struct asking *asking, struct error *error);

#endif
