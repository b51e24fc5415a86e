/* SPDX-License-Identifier: MIT */
#include "engine/topics/share_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ITEM_ROOM = 300, MORE_ROOM = 32 }; /* a name of Kafka has at most 249 bytes */

/* How many shares from `at` on are neighbours of one topic, one after the other. */
static size_t run_length(const struct log_change *change, size_t at)
{
    const struct log_share *first = &change->shares[at];
    size_t count = 1;
    while (at + count < change->share_count && first[count].topic == first->topic &&
           first[count].partition == first->partition + count) {
        count++;
    }
    return count;
}

static int write_run(const struct log_share *first, size_t count, char item[ITEM_ROOM])
{
    if (count == 1) {
        return snprintf(item, ITEM_ROOM, "%s %" PRIu32, first->topic->name, first->partition);
    }
    return snprintf(item, ITEM_ROOM, "%s %" PRIu32 "-%" PRIu32, first->topic->name,
                    first->partition, first[count - 1].partition);
}

const char *share_list(const struct log_change *change, char room[SHARE_LIST_ROOM])
{
    size_t used = 0;
    room[0] = '\0';
    for (size_t at = 0; at < change->share_count;) {
        char item[ITEM_ROOM];
        size_t count = run_length(change, at);
        int size = write_run(&change->shares[at], count, item);
        if (size < 0 || used + (size_t)size + MORE_ROOM > SHARE_LIST_ROOM) {
            snprintf(room + used, SHARE_LIST_ROOM - used, " and %zu more",
                     change->share_count - at);
            break;
        }
        used += (size_t)snprintf(room + used, SHARE_LIST_ROOM - used, "%s%s", used > 0 ? ", " : "",
                                 item);
        at += count;
    }
    return room;
}
