/* SPDX-License-Identifier: MIT */
/*
 * The group of an embedded log has one member: everything comes to it at once, at the positions that the
 * group has committed.
 */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "log/embedded/embedded_log.h"
#include "log/embedded/positions.h"
#include "log/embedded/store.h"

void group_deinit(struct group *group)
{
    memory_free(group->name);
    memory_free(group->topics);
    *group = (struct group){ .name = NULL };
}

weir_status embedded_join(struct log *face, const struct log_membership *membership,
                          struct error *error)
{
    struct group *group = &embedded_of(face)->group;
    size_t name_size = strlen(membership->group) + 1;
    group_deinit(group);
    group->name = memory_resize(NULL, name_size);
    group->topics = memory_zeroed(membership->topic_count + 1, sizeof(struct log_topic *));
    if (group->name == NULL || group->topics == NULL) {
        group_deinit(group);
        return error_no_memory(error);
    }
    memcpy(group->name, membership->group, name_size);
    group->topic_count = membership->topic_count;
    for (size_t i = 0; i < group->topic_count; i++) {
        group->topics[i] = membership->topics[i];
    }
    group->is_waiting = true;
    return WEIR_OK;
}

/* What a position lies before has been removed and will never be read: that is said, not passed over. */
static weir_status check_share(const struct log_share *share, struct error *error)
{
    struct log_partition_info info;
    weir_status st = embedded_partition_info(share->topic, share->partition, &info, error);
    if (st != WEIR_OK || share->position >= info.begin || !share->has_position) {
        return st;
    }
    error_set(error, WEIR_E_DATA, WEIR_CLASS_DATA,
              "topic '%s' partition %" PRIu32 ": this pipeline has read up to offset %" PRId64
              ", but the log begins at offset %" PRId64 " by now; %" PRId64 " offsets are gone",
              share->topic->name, share->partition, share->position, info.begin,
              info.begin - share->position);
    error_hint(error,
               "'weir topic trim %s --partition %" PRIu32 " --before %" PRId64
               " --unread' lets it go on behind them, 'weir run --fresh' begin anew",
               share->topic->name, share->partition, info.begin);
    return WEIR_E_DATA;
}

static weir_status load_share(struct log *face, const struct group *group, struct arena *arena,
                              struct log_share *share, struct error *error)
{
    weir_slice value;
    const char *key = position_key(arena, share->topic->name, share->partition);
    if (key == NULL) {
        return error_no_memory(error);
    }
    weir_status st = embedded_fact_get(face, group->name, key, arena, &value, error);
    if (st == WEIR_OK) {
        share->has_position = value.size != LOG_ABSENT;
        share->position = share->has_position ? position_decode(value) : 0;
    }
    return st;
}

weir_status embedded_next_change(struct log *face, struct arena *arena,
                                 struct log_change *ret_change, struct error *error)
{
    const struct group *group = &embedded_of(face)->group;
    size_t count = 0;
    *ret_change = (struct log_change){ .kind = LOG_NO_CHANGE, .leads = true };
    if (!group->is_waiting) {
        return WEIR_OK;
    }
    for (size_t i = 0; i < group->topic_count; i++) {
        count += group->topics[i]->partitions;
    }
    ret_change->kind = LOG_CAME;
    ret_change->shares = arena_zeroed(arena, (count + 1) * sizeof *ret_change->shares);
    if (ret_change->shares == NULL) {
        return error_no_memory(error);
    }
    for (size_t i = 0; i < group->topic_count; i++) {
        for (uint32_t p = 0; p < group->topics[i]->partitions; p++) {
            struct log_share *share = &ret_change->shares[ret_change->share_count++];
            *share = (struct log_share){ .topic = group->topics[i], .partition = p };
            weir_status st = load_share(face, group, arena, share, error);
            if (st == WEIR_OK) {
                st = check_share(share, error);
            }
            if (st != WEIR_OK) {
                return st;
            }
        }
    }
    return WEIR_OK;
}

bool embedded_is_urged(struct log *face)
{
    (void)face;
    return false;
}

weir_status embedded_change_done(struct log *face, const struct log_change *change,
                                 struct error *error)
{
    (void)change;
    (void)error;
    embedded_of(face)->group.is_waiting = false;
    return WEIR_OK;
}

/* Nobody else can have it while this process lives. */
weir_status embedded_confirm(struct log *face, struct error *error)
{
    (void)face;
    (void)error;
    return WEIR_OK;
}

void embedded_leave(struct log *face, int64_t timeout_ms)
{
    (void)timeout_ms;
    group_deinit(&embedded_of(face)->group);
}
