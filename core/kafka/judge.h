/* SPDX-License-Identifier: MIT */
/*
 * librdkafka's own judgement on properties, without a look at the network.
 */
#ifndef KAFKA_JUDGE_H
#define KAFKA_JUDGE_H

#include "base/error.h"
#include "kafka/properties.h"

/* One value. The message is what the library says, without the values that it could tell of. */
weir_status kafka_property_judge(const struct kafka_property_info *info, const char *value,
                                 struct error *error);

/*
 * All together: makes a consumer and a producer as a run would, but with no brokers, and ends them again.
 * Reads the certificates and keys that the properties name.
 *
 * ret_culprit  the property that the library complains of; NULL: it names none of these
 */
weir_status kafka_settings_judge(const struct kafka_settings *settings, bool is_transactional,
                                 const struct kafka_property **ret_culprit, struct error *error);

#endif
