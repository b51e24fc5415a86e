/* SPDX-License-Identifier: MIT */
/*
 * A value alone is judged by setting it, all together by making clients: only then the library compares
 * properties with each other and reads certificates. A client without brokers connects to nobody; what
 * would ask others beside brokers (Kerberos' kinit, a token's endpoint) is switched off.
 */
#include "kafka/judge.h"

#include <stdio.h>
#include <string.h>

#include "kafka/conf.h"

enum { TEXT_ROOM = 512, LEVEL_WARNING = 4 };

/* What the library logs while a client is made says more than its error. */
struct trial {
    const struct kafka_settings *settings;
    char text[TEXT_ROOM];   /* the error */
    char detail[TEXT_ROOM]; /* the last line of the log */
    bool has_password_detail;
};

/* ---- words --------------------------------------------------------------------------------------- */

/* Takes "error:0A080009:SSL routines::" of OpenSSL away: what stands behind it is for people. */
static void drop_codes(char *text)
{
    char *from = strstr(text, "error:");
    while (from != NULL) {
        char *to = strstr(from, "::");
        if (to == NULL) {
            return;
        }
        memmove(from, to + 2, strlen(to + 2) + 1);
        from = strstr(from, "error:");
    }
}

static void drop_end(char *text)
{
    size_t len = strlen(text);
    while (len > 0 && strchr(" .\r\n", text[len - 1]) != NULL) {
        text[--len] = '\0';
    }
}

/* ---- one value ----------------------------------------------------------------------------------- */

static weir_status set_error(const struct kafka_property_info *info, const char *value, char *text,
                             struct error *error)
{
    const struct kafka_property property = { .value = value, .is_secret = info->is_secret };
    const struct kafka_settings settings = { .properties = &property, .property_count = 1 };
    char room[REDACT_ROOM];
    drop_end(text);
    error_set(error, WEIR_E_INVALID, WEIR_CLASS_CONFIG, "%s", kafka_hide(&settings, text, room));
    if (info->range[0] != '\0') {
        error_hint(error, "it takes %s", info->range);
    }
    return WEIR_E_INVALID;
}

/* The library reads "5s" as 5, whatever the property's unit is. Words (`acks: all`) are its own. */
static bool has_rubbish(const struct kafka_property_info *info, const char *value)
{
    bool is_number = info->type == KAFKA_INTEGER || info->type == KAFKA_FLOAT;
    const char *digits = value + strspn(value, "+-");
    size_t len = strspn(digits, info->type == KAFKA_FLOAT ? "0123456789." : "0123456789");
    return is_number && len > 0 && digits[len] != '\0';
}

weir_status kafka_property_judge(const struct kafka_property_info *info, const char *value,
                                 struct error *error)
{
    char text[TEXT_ROOM] = "it is no number";
    if (has_rubbish(info, value)) {
        return set_error(info, value, text, error);
    }
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    if (conf == NULL) {
        return error_no_memory(error);
    }
    rd_kafka_conf_res_t result = rd_kafka_conf_set(conf, info->name, value, text, sizeof text);
    rd_kafka_conf_destroy(conf);
    return result == RD_KAFKA_CONF_OK ? WEIR_OK : set_error(info, value, text, error);
}

/* ---- all together -------------------------------------------------------------------------------- */

/* That a key needs a password is said first, and then what follows from it. */
static void take_log(const rd_kafka_t *client, int level, const char *facility, const char *text)
{
    struct trial *trial = rd_kafka_opaque(client);
    if (level > LEVEL_WARNING || trial == NULL || trial->has_password_detail) {
        return;
    }
    const char *thread = strncmp(text, "[thrd:", 6) == 0 ? strstr(text, "]: ") : NULL;
    snprintf(trial->detail, sizeof trial->detail, "%s", thread != NULL ? thread + 3 : text);
    trial->has_password_detail = strcmp(facility, "SSLPASSWD") == 0;
}

static void set_quietly(rd_kafka_conf_t *conf, const char *name, const char *value)
{
    char text[TEXT_ROOM]; /* of a library that was built without what the property is for */
    (void)rd_kafka_conf_set(conf, name, value, text, sizeof text);
}

static void keep_offline(rd_kafka_conf_t *conf, const struct kafka_settings *settings)
{
    set_quietly(conf, "sasl.kerberos.min.time.before.relogin", "0");
    if (kafka_property_get(settings, "sasl.oauthbearer.method") != NULL) {
        set_quietly(conf, "sasl.oauthbearer.method", "default");
    }
}

/* False: the library has refused, and why stands in the trial. */
static bool make_client(struct trial *trial, enum kafka_role role, rd_kafka_conf_t *conf)
{
    bool is_consumer = role == KAFKA_CONSUMER;
    keep_offline(conf, trial->settings);
    rd_kafka_conf_set_opaque(conf, trial);
    rd_kafka_conf_set_log_cb(conf, take_log);
    rd_kafka_t *client = rd_kafka_new(is_consumer ? RD_KAFKA_CONSUMER : RD_KAFKA_PRODUCER, conf,
                                      trial->text, sizeof trial->text);
    if (client == NULL) {
        rd_kafka_conf_destroy(conf);
        return false;
    }
    rd_kafka_destroy(client);
    return true;
}

/* The mechanisms that are left to choose from are in none of the library's tables. */
static void hint_mechanism(const struct kafka_property *culprit, struct error *error)
{
    if (culprit != NULL && strncmp(culprit->name, "sasl.mechanism", 14) == 0) {
        error_hint(error, "it takes GSSAPI, PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER");
    }
}

/* Some texts repeat the value and not the name: "Unsupported SASL mechanism: PLAN". */
static bool repeats_value(const char *text, const struct kafka_property *property)
{
    const char *at = property->is_secret ? NULL : strstr(text, property->value);
    size_t len = strlen(property->value);
    return at != NULL && len > 0 && at - text >= 2 && strncmp(at - 2, ": ", 2) == 0 &&
           (at[len] == '\0' || at[len] == ' ');
}

static const struct kafka_property *find_by_value(const struct trial *trial)
{
    for (size_t i = 0; i < trial->settings->property_count; i++) {
        if (repeats_value(trial->text, &trial->settings->properties[i])) {
            return &trial->settings->properties[i];
        }
    }
    return NULL;
}

static const struct kafka_property *find_culprit(const struct trial *trial)
{
    const struct kafka_property *found = NULL;
    for (size_t i = 0; i < trial->settings->property_count; i++) {
        const struct kafka_property *property = &trial->settings->properties[i];
        if (strstr(trial->text, property->name) != NULL &&
            (found == NULL || strlen(property->name) > strlen(found->name))) {
            found = property;
        }
    }
    return found != NULL ? found : find_by_value(trial);
}

static weir_status trial_error(struct trial *trial, const struct kafka_property **ret_culprit,
                               struct error *error)
{
    char room[REDACT_ROOM];
    char detail_room[REDACT_ROOM];
    *ret_culprit = find_culprit(trial);
    drop_codes(trial->text);
    drop_codes(trial->detail);
    drop_end(trial->text);
    drop_end(trial->detail);
    bool has_detail = trial->detail[0] != '\0';
    error_set(error, WEIR_E_INVALID, WEIR_CLASS_CONFIG, "%s%s%s%s",
              kafka_hide(trial->settings, trial->text, room), has_detail ? " (" : "",
              kafka_hide(trial->settings, trial->detail, detail_room), has_detail ? ")" : "");
    hint_mechanism(*ret_culprit, error);
    return WEIR_E_INVALID;
}

static weir_status try_role(const struct kafka_settings *settings, enum kafka_role role,
                            const struct kafka_default *defaults,
                            const struct kafka_property **ret_culprit, struct error *error)
{
    struct trial trial = { .settings = settings };
    rd_kafka_conf_t *conf = NULL;
    weir_status st = kafka_conf_make(settings, NULL, role, defaults, &conf, error);
    if (st != WEIR_OK || make_client(&trial, role, conf)) {
        return st;
    }
    return trial_error(&trial, ret_culprit, error);
}

weir_status kafka_settings_judge(const struct kafka_settings *settings, bool is_transactional,
                                 const struct kafka_property **ret_culprit, struct error *error)
{
    static const struct kafka_default group[] = { { "group.id", "weir" }, { NULL, NULL } };
    static const struct kafka_default transaction[] = { { "transactional.id", "weir" },
                                                        { NULL, NULL } };
    *ret_culprit = NULL;
    weir_status st = try_role(settings, KAFKA_CONSUMER, group, ret_culprit, error);
    if (st != WEIR_OK) {
        return st;
    }
    return try_role(settings, KAFKA_PRODUCER, is_transactional ? transaction : NULL, ret_culprit,
                    error);
}
