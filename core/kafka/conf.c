/* SPDX-License-Identifier: MIT */
#include "kafka/conf.h"

#include <string.h>

#include "kafka/properties.h"

/* A configuration under construction; the first fault stays. */
struct making {
    const struct kafka_settings *settings;
    rd_kafka_conf_t *conf;
    weir_status status;
    struct error *error;
};

static size_t find_secret(const void *self, const char *text, size_t len)
{
    const struct kafka_settings *settings = self;
    size_t longest = 0;
    for (size_t i = 0; i < settings->property_count; i++) {
        const struct kafka_property *property = &settings->properties[i];
        if (property->is_secret) {
            size_t size = redact_match(text, len, property->value, strlen(property->value));
            longest = size > longest ? size : longest;
        }
    }
    return longest;
}

const char *kafka_hide(const struct kafka_settings *settings, const char *text,
                       char room[REDACT_ROOM])
{
    return redact(find_secret, settings, text, room);
}

static void set(struct making *making, const char *name, const char *value)
{
    char text[512];
    char room[REDACT_ROOM];
    if (making->status != WEIR_OK || value == NULL ||
        rd_kafka_conf_set(making->conf, name, value, text, sizeof text) == RD_KAFKA_CONF_OK) {
        return;
    }
    making->status = error_set(making->error, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
                               "librdkafka does not take the property '%s': %s", name,
                               kafka_hide(making->settings, text, room));
}

static uint8_t clients_of(enum kafka_role role)
{
    static const uint8_t clients[] = { [KAFKA_CONSUMER] = KAFKA_FOR_CONSUMER,
                                       [KAFKA_PRODUCER] = KAFKA_FOR_PRODUCER,
                                       [KAFKA_ADMIN] = KAFKA_FOR_CONSUMER | KAFKA_FOR_PRODUCER };
    return clients[role];
}

/* A property of one client only would draw a warning from the other. */
static bool is_for(const struct kafka_property *property, enum kafka_role role)
{
    uint8_t clients = clients_of(role);
    return role == KAFKA_ADMIN ? property->clients == clients : (property->clients & clients) != 0;
}

static void set_owned(struct making *making, enum kafka_role role)
{
    for (const struct kafka_owned *owned = kafka_owned_properties; owned->name != NULL; owned++) {
        if (role == KAFKA_CONSUMER) {
            set(making, owned->name, owned->consumer);
        } else if (role == KAFKA_PRODUCER) {
            set(making, owned->name, owned->producer);
        }
    }
}

weir_status kafka_conf_make(const struct kafka_settings *settings, const char *brokers,
                            enum kafka_role role, const struct kafka_default *defaults,
                            rd_kafka_conf_t **ret_conf, struct error *error)
{
    struct making making = { settings, rd_kafka_conf_new(), WEIR_OK, error };
    if (making.conf == NULL) {
        return error_no_memory(error);
    }
    set(&making, "client.id", "weir");
    set(&making, "reconnect.backoff.max.ms", "2000"); /* a broker that is back is used soon */
    for (; defaults != NULL && defaults->name != NULL; defaults++) {
        set(&making, defaults->name, defaults->value);
    }
    for (size_t i = 0; i < settings->property_count; i++) {
        const struct kafka_property *property = &settings->properties[i];
        if (is_for(property, role)) {
            set(&making, property->name, property->value);
        }
    }
    set_owned(&making, role);
    set(&making, "bootstrap.servers", brokers);
    if (making.status != WEIR_OK) {
        rd_kafka_conf_destroy(making.conf);
        return making.status;
    }
    *ret_conf = making.conf;
    return WEIR_OK;
}
