/* SPDX-License-Identifier: MIT */
/*
 * What a log on Kafka does not tell or do (yet).
 */
#include "log/kafka/kafka_log.h"

weir_status kafka_log_facts(struct log *face, const char *group, struct arena *arena,
                            struct log_fact **ret_facts, size_t *ret_count, struct error *error)
{
    (void)face;
    (void)group;
    (void)arena;
    (void)error;
    *ret_facts = NULL;
    *ret_count = 0;
    return WEIR_OK;
}

weir_status kafka_log_configure(struct log_topic *topic, const struct log_topic_options *options,
                                struct error *error)
{
    (void)topic;
    (void)options;
    (void)error;
    return WEIR_OK;
}

weir_status kafka_log_readers(struct log_topic *topic, struct arena *arena,
                              struct log_reader **ret_readers, size_t *ret_count,
                              struct error *error)
{
    (void)topic;
    (void)arena;
    (void)error;
    *ret_readers = NULL;
    *ret_count = 0;
    return WEIR_OK;
}
