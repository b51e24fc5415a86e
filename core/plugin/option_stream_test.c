/* SPDX-License-Identifier: MIT */
#include "plugin/option_fixture.h"

struct config {
    weir_text right;
    weir_option_list others;
};

static const weir_option element = { .type = WEIR_OPTION_STREAM };
static const weir_option table[] = {
    { .name = "right",
      .type = WEIR_OPTION_STREAM,
      .offset = offsetof(struct config, right),
      .summary = "One" },
    { .name = "others",
      .type = WEIR_OPTION_LIST,
      .offset = offsetof(struct config, others),
      .element = &element,
      .summary = "Several" },
    WEIR_OPTIONS_END,
};

/* Fills a config whose streams go to `streams`. */
static bool fill(struct option_streams *streams, const struct node *body, struct config *config)
{
    struct options_scope own = scope;
    *config = (struct config){ .right = { NULL, 0 } };
    *streams = (struct option_streams){ .count = 0 };
    own.streams = streams;
    return options_fill(&own, "operator 'o'", (struct place){ &source, 0, 0 }, table, body, config);
}

/* Whether there are such streams is not for options to say. */
START_TEST(names_are_gathered_with_their_options_and_places)
{
    struct option_streams streams;
    struct config config;
    set_source("others: [a, b.x, c, d, ${HOST}], right: e");
    const struct node *others =
        list_of(5, plain("a"), plain("b.x"), plain("c"), plain("d"), plain("${HOST}"));
    ck_assert(fill(&streams, map_of(2, "others", others, "right", plain("e")), &config));
    expect_silence();
    static const char *const names[] = { "a", "b.x", "c", "d", "db", "e" };
    ck_assert_uint_eq(streams.count, 6);
    for (size_t i = 0; i < 6; i++) {
        ck_assert_str_eq(streams.items[i].stream, names[i]);
        ck_assert_str_eq(streams.items[i].option, i < 5 ? "others" : "right");
    }
    ck_assert_uint_eq(streams.items[1].place.offset, 12);
    ck_assert_str_eq(config.right.data, "e");
    ck_assert_uint_eq(config.others.count, 5);
    ck_assert_str_eq(config.others.items[4].text.data, "db");
}
END_TEST

START_TEST(what_is_not_given_stays_empty)
{
    struct option_streams streams;
    struct config config;
    ck_assert(fill(&streams, NULL, &config));
    expect_silence();
    ck_assert_uint_eq(streams.count, 0);
    ck_assert_ptr_null(config.right.data);
    ck_assert_ptr_null(config.others.items);
}
END_TEST

START_TEST(what_names_no_stream_is_refused)
{
    struct option_streams streams;
    struct config config;
    ck_assert(!fill(&streams, map_of(1, "right", map_of(1, "topic", plain("t"))), &config));
    expect_only(
        "option 'right' expects the name of a stream, found a map; give a topic or source a "
        "stream of its own and name that");
    ck_assert_uint_eq(streams.count, 0);
}
END_TEST

START_TEST(one_name_is_asked_for_one_stream)
{
    struct option_streams streams;
    struct config config;
    ck_assert(!fill(&streams, map_of(1, "right", list_of(1, plain("a"))), &config));
    expect_only("option 'right' expects the name of a stream, found a list; write one name");
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("option_stream");
    TCase *cases = tcase_create("streams");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, names_are_gathered_with_their_options_and_places);
    tcase_add_test(cases, what_is_not_given_stays_empty);
    tcase_add_test(cases, what_names_no_stream_is_refused);
    tcase_add_test(cases, one_name_is_asked_for_one_stream);
    suite_add_tcase(made, cases);
    return made;
}
