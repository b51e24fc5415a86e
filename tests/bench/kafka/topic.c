/* SPDX-License-Identifier: MIT */
/*
 * What the benchmarks do with topics beside the work that is measured.
 *
 *     bench_kafka_topic BROKERS fill TOPIC COUNT
 *     bench_kafka_topic BROKERS sums TOPIC bytes|json|computed
 */
#include "topic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void topic_fail(const char *what, const char *why)
{
    fprintf(stderr, "bench_kafka_topic: could not %s: %s\n", what, why);
    exit(1);
}

void topic_set(rd_kafka_conf_t *conf, const char *name, const char *value)
{
    char why[256];
    if (rd_kafka_conf_set(conf, name, value, why, sizeof why) != RD_KAFKA_CONF_OK) {
        topic_fail("set a property", why);
    }
}

static enum form form_of(const char *name)
{
    static const char *const names[] = { "bytes", "json", "computed" };
    for (int form = FORM_BYTES; form <= FORM_COMPUTED; form++) {
        if (strcmp(name, names[form]) == 0) {
            return (enum form)form;
        }
    }
    topic_fail("sum a topic", "the form must be bytes, json or computed");
}

int main(int argc, char **argv)
{
    if (argc == 5) {
        rd_kafka_conf_t *conf = rd_kafka_conf_new();
        topic_set(conf, "bootstrap.servers", argv[1]);
        if (strcmp(argv[2], "fill") == 0) {
            topic_fill(conf, argv[3], strtoul(argv[4], NULL, 10));
            return 0;
        }
        if (strcmp(argv[2], "sums") == 0) {
            topic_sums(conf, argv[3], form_of(argv[4]));
            return 0;
        }
    }
    fprintf(stderr, "usage: bench_kafka_topic BROKERS fill TOPIC COUNT\n"
                    "       bench_kafka_topic BROKERS sums TOPIC bytes|json|computed\n");
    return 2;
}
