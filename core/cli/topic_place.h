/* SPDX-License-Identifier: MIT */
/*
 * A place in a topic's partitions as the command line names it: beginning, end, an offset or a time.
 */
#ifndef CLI_TOPIC_PLACE_H
#define CLI_TOPIC_PLACE_H

#include "cli/args.h"
#include "log/log.h"

enum place_kind { PLACE_BEGINNING, PLACE_END, PLACE_OFFSET, PLACE_TIME };

struct topic_place {
    enum place_kind kind;
    int64_t number; /* offset or ms since 1970 */
};

/* Reads the flag's value; not given: the beginning. False: said, a fault of use. */
bool topic_place_read(const struct args *args, const char *flag, struct topic_place *ret);
/* The offset in a partition, as things are now; a given one may lie anywhere. */
weir_status topic_place_find(const struct topic_place *place, struct log_topic *topic,
                             uint32_t partition, int64_t *ret_offset, struct error *error);

#endif
