/* SPDX-License-Identifier: MIT */
#include "log/kafka/client/rights.h"

#include <stdio.h>
#include <string.h>

/* words: for people; option: of kafka-acls, which gives rights; code: of the brokers where one is missing */
static const struct {
    const char *words;
    const char *option;
    rd_kafka_resp_err_t code;
    bool has_name;
} resources[] = {
    [KAFKA_TOPIC] = { "topic", "topic", RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, true },
    [KAFKA_GROUP] = { "group", "group", RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, true },
    [KAFKA_TRANSACTIONAL_ID] = { "transactional id", "transactional-id",
                                 RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED, true },
    [KAFKA_CLUSTER] = { "the cluster", "cluster", RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED,
                        false },
};

static const char *value_of(const struct kafka_settings *settings, const char *name)
{
    const struct kafka_property *property = kafka_property_get(settings, name);
    return property == NULL ? NULL : property->value;
}

/* The user as the brokers call him; NULL: only they know. */
static const char *principal(const struct kafka_settings *settings)
{
    const char *name = value_of(settings, "sasl.username");
    return name != NULL ? name : value_of(settings, "sasl.kerberos.principal");
}

const char *kafka_user(const struct kafka_settings *settings, char room[KAFKA_USER_ROOM])
{
    const char *name = principal(settings);
    const char *certificate = value_of(settings, "ssl.certificate.location");
    if (name != NULL) {
        snprintf(room, KAFKA_USER_ROOM, "user '%s'", name);
    } else if (certificate != NULL) {
        snprintf(room, KAFKA_USER_ROOM, "the user of the certificate '%s'", certificate);
    } else {
        snprintf(room, KAFKA_USER_ROOM, "the user of this client");
    }
    return room;
}

bool kafka_is_denied(rd_kafka_resp_err_t code, enum kafka_resource resource)
{
    return code == resources[resource].code;
}

weir_status kafka_lack(const struct kafka_settings *settings, const char *right,
                       enum kafka_resource resource, const char *name, struct error *error)
{
    char room[KAFKA_USER_ROOM];
    const char *who = principal(settings);
    bool has_name = resources[resource].has_name;
    char what[300];
    snprintf(what, sizeof what, "%s%s%s%s", resources[resource].words, has_name ? " '" : "",
             has_name ? name : "", has_name ? "'" : "");
    error_set(error, WEIR_E_IO, WEIR_CLASS_AUTH, "%s lacks the right %s on %s",
              kafka_user(settings, room), right, what);
    error_hint(error,
               "an administrator gives it: kafka-acls --add --allow-principal User:%s "
               "--operation %s --%s %s",
               who != NULL ? who : "NAME", right, resources[resource].option, has_name ? name : "");
    return WEIR_E_IO;
}

void kafka_lack_transactions(const struct kafka_settings *settings, const char *group,
                             const char *id, struct error *error)
{
    const char *who = principal(settings);
    (void)kafka_lack(settings, "Write", KAFKA_TRANSACTIONAL_ID, id, error);
    error_hint(error,
               "an administrator gives it: kafka-acls --add --allow-principal User:%s "
               "--operation Write --transactional-id %s. --resource-pattern-type prefixed",
               who != NULL ? who : "NAME", group);
}

void kafka_lack_if(const struct kafka_settings *settings, rd_kafka_resp_err_t code,
                   const char *right, enum kafka_resource resource, const char *name,
                   struct error *error)
{
    if (error != NULL && kafka_is_denied(code, resource)) {
        (void)kafka_lack(settings, right, resource, name, error);
    }
}
