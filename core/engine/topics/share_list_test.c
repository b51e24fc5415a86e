/* SPDX-License-Identifier: MIT */
#include "engine/topics/share_list.h"

#include <string.h>

#include "log/log_ops.h"
#include "unit.h"

static struct log_topic feed = { .name = "feed" };
static struct log_topic left = { .name = "left" };
static char room[SHARE_LIST_ROOM];

START_TEST(puts_neighbours_together)
{
    struct log_share shares[] = { { .topic = &feed, .partition = 0 },
                                  { .topic = &feed, .partition = 1 },
                                  { .topic = &feed, .partition = 2 },
                                  { .topic = &left, .partition = 3 },
                                  { .topic = &left, .partition = 0 } };
    struct log_change change = { .shares = shares, .share_count = 5 };
    ck_assert_str_eq(share_list(&change, room), "feed 0-2, left 3, left 0");
    change.share_count = 0;
    ck_assert_str_eq(share_list(&change, room), "");
}
END_TEST

START_TEST(counts_what_does_not_fit)
{
    struct log_share shares[100];
    for (uint32_t i = 0; i < 100; i++) {
        shares[i] = (struct log_share){ .topic = &feed, .partition = i * 2 };
    }
    struct log_change change = { .shares = shares, .share_count = 100 };
    const char *text = share_list(&change, room);
    ck_assert_uint_lt(strlen(text), SHARE_LIST_ROOM);
    ck_assert_ptr_nonnull(strstr(text, "feed 0, feed 2, "));
    ck_assert_ptr_nonnull(strstr(text, " more"));
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("share_list");
    TCase *tests = tcase_create("share_list");
    tcase_add_test(tests, puts_neighbours_together);
    tcase_add_test(tests, counts_what_does_not_fit);
    suite_add_tcase(made, tests);
    return made;
}
