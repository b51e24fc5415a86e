/* SPDX-License-Identifier: MIT */
/*
 * The address of a Kafka cluster: kafka://HOST[:PORT][,HOST[:PORT]...], judged without a look at the
 * network.
 */
#ifndef KAFKA_ADDRESS_H
#define KAFKA_ADDRESS_H

#include <stdbool.h>

#include "base/arena.h"

/* Called for each fault: "what is wrong; the cure". */
typedef void kafka_address_fault(void *self, const char *message);

bool kafka_address_is_meant(const char *url); /* begins with "kafka:" */

/*
 * "host:port,host:port" with the default port 9092 filled in, in the arena; NULL: a fault, each of
 * which was told, or no memory (nothing was told). fault NULL: nobody wants to hear them. No message
 * shows what stands in front of an '@'.
 */
const char *kafka_brokers(const char *url, struct arena *arena, kafka_address_fault *fault,
                          void *self);

#endif
