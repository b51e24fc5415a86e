/* SPDX-License-Identifier: MIT */
/*
 * What the library says of the group and of what it reads beside partitions and messages. What does not go
 * away ends the run; anything else is told, since nothing may come as long as it lasts.
 */
#ifndef LOG_KAFKA_STANDING_H
#define LOG_KAFKA_STANDING_H

#include <pthread.h>
#include <stdint.h>

#include <librdkafka/rdkafka.h>

#include "base/error.h"

struct kafka_member;

/*
 * fault    the first that does not go away; status WEIR_OK: none
 * told     the last that was told, and when; the poller's own
 */
struct kafka_standing {
    pthread_mutex_t lock; /* of the fault */
    struct error fault;
    rd_kafka_resp_err_t told;
    int64_t told_ns;
};

void kafka_standing_init(struct kafka_standing *standing);
void kafka_standing_deinit(struct kafka_standing *standing);
/* By the member's poller: an event that is no message. */
void kafka_standing_note(struct kafka_member *member, rd_kafka_resp_err_t code, const char *text);
/* The fault that ends the run. Any thread. */
weir_status kafka_standing_check(struct kafka_member *member, struct error *error);

#endif
