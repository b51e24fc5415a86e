/* SPDX-License-Identifier: MIT */
#include "cli/topic_place.h"

#include <string.h>

#include "base/units.h"

static bool is_number(const char *text)
{
    return text[0] != '\0' && strspn(text, "0123456789") == strlen(text);
}

bool topic_place_read(const struct args *args, const char *flag, struct topic_place *ret)
{
    const char *text = args_text(args, flag);
    const char *fault = NULL;
    *ret = (struct topic_place){ .kind = PLACE_BEGINNING };
    if (text == NULL || strcmp(text, "beginning") == 0) {
        return true;
    }
    if (strcmp(text, "end") == 0) {
        ret->kind = PLACE_END;
        return true;
    }
    if (is_number(text)) {
        ret->kind = PLACE_OFFSET;
        if (!units_int(text, strlen(text), &ret->number, &fault)) {
            args_fault(args, NULL, "'--%s %s' is no offset: %s", flag, text, fault);
            return false;
        }
        return true;
    }
    ret->kind = PLACE_TIME;
    if (!units_time_ms(text, strlen(text), &ret->number, &fault)) {
        args_fault(args, NULL, "'--%s' takes beginning, end, an offset or a time, not '%s'", flag,
                   text);
        return false;
    }
    return true;
}

weir_status topic_place_find(const struct topic_place *place, struct log_topic *topic,
                             uint32_t partition, int64_t *ret_offset, struct error *error)
{
    struct log_partition_info info;
    weir_status st = log_partition_info(topic, partition, &info, error);
    if (st != WEIR_OK) {
        return st;
    }
    switch (place->kind) {
    case PLACE_BEGINNING:
        *ret_offset = info.begin;
        return WEIR_OK;
    case PLACE_END:
        *ret_offset = info.committed_end;
        return WEIR_OK;
    case PLACE_OFFSET:
        *ret_offset = place->number;
        return WEIR_OK;
    case PLACE_TIME:
    default:
        return log_offset_at(topic, partition, place->number, ret_offset, error);
    }
}
