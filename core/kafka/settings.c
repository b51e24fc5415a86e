/* SPDX-License-Identifier: MIT */
#include "kafka/settings.h"

#include <string.h>

#include "base/units.h"

static const char *const reset_names[] = { "earliest", "latest", "error", NULL };
static const char *const lost_names[] = { "fail", "earliest", "latest", NULL };

#define FIELD(member_) offsetof(struct kafka_settings, member_)

const weir_option kafka_options[] = {
    { .name = "auto_offset_reset",
      .type = WEIR_OPTION_ENUM,
      .enum_names = reset_names,
      .default_text = "earliest",
      .offset = FIELD(auto_offset_reset),
      .summary = "Where a partition is begun that the pipeline has not read before",
      .doc = "`earliest` is what the embedded log does, so that a file gives the same records on "
             "Kafka. `error` ends the run instead." },
    { .name = "lost_offsets",
      .type = WEIR_OPTION_ENUM,
      .enum_names = lost_names,
      .default_text = "fail",
      .offset = FIELD(lost_offsets),
      .summary =
          "What happens where the broker has removed messages that the pipeline has not read",
      .doc =
          "At the start and while a run goes on. `fail` ends the run with an error that tells both "
          "offsets; what was read before is committed. The others go on from there, with a warning "
          "that tells how many offsets are lost; the summary counts them." },
    { .name = "broker_availability_timeout",
      .type = WEIR_OPTION_DURATION,
      .default_text = "120s",
      .offset = FIELD(broker_availability_timeout_ms),
      .max = INT64_MAX,
      .summary = "How long all brokers may be away before the run ends; 0: for ever" },
    { .name = "create_topics",
      .type = WEIR_OPTION_BOOL,
      .default_text = "true",
      .offset = FIELD(create_topics),
      .summary = "Whether topics that are missing are created; if not they end the start" },
    { .name = "request_timeout",
      .type = WEIR_OPTION_DURATION,
      .default_text = "30s",
      .min = 1000,
      .max = 900000,
      .offset = FIELD(request_timeout_ms),
      .summary = "How long an answer of the brokers is waited for" },
    { .name = "topic_create_timeout",
      .type = WEIR_OPTION_DURATION,
      .default_text = "60s",
      .min = 1000,
      .max = 3600000,
      .offset = FIELD(topic_create_timeout_ms),
      .summary = "How long a topic may take to be there after it was created" },
    WEIR_OPTIONS_END,
};

static int64_t name_index(const char *const *names, const char *name)
{
    int64_t index = 0;
    while (names[index] != NULL && strcmp(names[index], name) != 0) {
        index++;
    }
    return index;
}

/* The table's texts are right, which its test sees to. */
static void take_default(const weir_option *option, void *field)
{
    const char *text = option->default_text;
    bool truth = false;
    switch (option->type) {
    case WEIR_OPTION_ENUM:
        *(int64_t *)field = name_index(option->enum_names, text);
        break;
    case WEIR_OPTION_DURATION:
        (void)units_duration_ms(text, strlen(text), field, NULL);
        break;
    default:
        (void)units_bool(text, strlen(text), &truth, NULL);
        *(uint8_t *)field = truth;
        break;
    }
}

void kafka_settings_init(struct kafka_settings *settings)
{
    *settings = (struct kafka_settings){ 0 };
    for (const weir_option *option = kafka_options; option->name != NULL; option++) {
        take_default(option, (char *)settings + option->offset);
    }
}

const struct kafka_property *kafka_property_get(const struct kafka_settings *settings,
                                                const char *name)
{
    for (size_t i = 0; i < settings->property_count; i++) {
        if (strcmp(settings->properties[i].name, name) == 0) {
            return &settings->properties[i];
        }
    }
    return NULL;
}

const struct kafka_topic_plan *kafka_topic_plan_find(const struct kafka_settings *settings,
                                                     const char *name)
{
    for (size_t i = 0; i < settings->topic_count; i++) {
        if (strcmp(settings->topics[i].name, name) == 0) {
            return &settings->topics[i];
        }
    }
    return NULL;
}
