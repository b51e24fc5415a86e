/* SPDX-License-Identifier: MIT */
/*
 * librdkafka's mock cluster knows nothing of a topic's configuration, and has no controller who could be asked. The
 * linker puts these functions in the place of those that ask.
 */
#include "log/log_ops.h"

weir_status __wrap_kafka_log_topic_options(struct log_topic *topic,
                                           struct log_topic_options *ret_options,
                                           struct error *error);
weir_status __wrap_kafka_log_differences(struct log_topic *topic, struct arena *arena,
                                         const char **ret_text, struct error *error);

weir_status __wrap_kafka_log_topic_options(struct log_topic *topic,
                                           struct log_topic_options *ret_options,
                                           struct error *error)
{
    (void)topic;
    (void)error;
    *ret_options = (struct log_topic_options){ 0 };
    return WEIR_OK;
}

weir_status __wrap_kafka_log_differences(struct log_topic *topic, struct arena *arena,
                                         const char **ret_text, struct error *error)
{
    (void)topic;
    (void)arena;
    (void)error;
    *ret_text = NULL;
    return WEIR_OK;
}
