/* SPDX-License-Identifier: MIT */
#ifndef BENCH_KAFKA_TOPIC_H
#define BENCH_KAFKA_TOPIC_H

#include <librdkafka/rdkafka.h>
#include <stddef.h>

enum { PARTITIONS = 64 };

enum form {
    FORM_BYTES,    /* keys and values as they are */
    FORM_JSON,     /* records that json.yaml has made: equal where numbers and texts are equal */
    FORM_COMPUTED, /* what json.yaml has to make of these records, computed here */
};

/* Both end the program where the broker or a record is not as it should be. */

/* Writes count flat records of ../records.h; the key is the device, and decides the partition as everywhere. */
void topic_fill(rd_kafka_conf_t *conf, const char *topic, size_t count);

/* Prints for each partition that has records: partition, count, checksum of all in their order. */
void topic_sums(rd_kafka_conf_t *conf, const char *topic, enum form form);

_Noreturn void topic_fail(const char *what, const char *why);
void topic_set(rd_kafka_conf_t *conf, const char *name, const char *value);

#endif
