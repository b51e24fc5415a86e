/* SPDX-License-Identifier: MIT */
/*
 * Which partition of a topic a message goes to. The functions of the key are those of librdkafka, bit
 * for bit, so that a topic that another program fills too has each key in one partition.
 */
#ifndef VALUE_PARTITIONER_H
#define VALUE_PARTITIONER_H

#include <stdbool.h>

#include <weir/abi.h>

/* Bears librdkafka's names, from RANDOM on in their order. */
enum partitioner {
    PARTITIONER_NONE, /* murmur2 of the key; without one the message's turn */
    PARTITIONER_RANDOM,
    PARTITIONER_CONSISTENT,
    PARTITIONER_CONSISTENT_RANDOM,
    PARTITIONER_MURMUR2,
    PARTITIONER_MURMUR2_RANDOM,
    PARTITIONER_FNV1A,
    PARTITIONER_FNV1A_RANDOM
};

/* Names by number less PARTITIONER_RANDOM, ended by NULL. */
extern const char *const partitioner_names[];

/*
 * What a message is known by besides its key. Both are the same when the work is done again after a
 * crash, so the message then goes where it went before.
 *
 * key       encoded; size WEIR_ABSENT: none
 * turn      counts: neighbours go to neighbouring partitions
 * identity  which message it is: stands for the chance of the random ones
 */
struct partitioner_message {
    weir_slice key;
    uint64_t turn;
    uint64_t identity;
};

/* Less than `count`, which is at least 1. */
uint32_t partitioner_choose(enum partitioner partitioner, const struct partitioner_message *message,
                            uint32_t count);
/* Both put equal keys into equal partitions, where there are equally many of them. */
bool partitioner_agrees(enum partitioner one, enum partitioner other);
/* The identity of the nth message that one record of an input brings forth. */
uint64_t partitioner_identity(int32_t partition, int64_t offset, uint64_t nth);

#endif
