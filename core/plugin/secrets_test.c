/* SPDX-License-Identifier: MIT */
#include "plugin/secrets.h"

#include <string.h>

#include "unit.h"

struct inner {
    weir_text word;
};

struct config {
    weir_text user;
    weir_text password;
    const struct inner *inner;
    weir_option_list keys;
    weir_option_map headers;
};

static const weir_option inner_options[] = {
    { .name = "word", .type = WEIR_OPTION_SECRET, .offset = offsetof(struct inner, word) },
    WEIR_OPTIONS_END
};
static const weir_option secret_element = { .type = WEIR_OPTION_SECRET };
static const weir_option options[] = {
    { .name = "user", .type = WEIR_OPTION_TEXT, .offset = offsetof(struct config, user) },
    { .name = "password", .type = WEIR_OPTION_SECRET, .offset = offsetof(struct config, password) },
    { .name = "inner",
      .type = WEIR_OPTION_STRUCT,
      .fields = inner_options,
      .offset = offsetof(struct config, inner) },
    { .name = "keys",
      .type = WEIR_OPTION_LIST,
      .element = &secret_element,
      .offset = offsetof(struct config, keys) },
    { .name = "headers",
      .type = WEIR_OPTION_MAP,
      .element = &secret_element,
      .offset = offsetof(struct config, headers) },
    WEIR_OPTIONS_END
};

static weir_text text(const char *text)
{
    return (weir_text){ text, strlen(text) };
}

static void check(const struct config *config, const char *message, const char *wanted)
{
    char room[SECRETS_ROOM];
    ck_assert_str_eq(secrets_hide(options, config, message, room), wanted);
}

START_TEST(secrets_are_found_wherever_they_stand)
{
    const struct inner inner = { text("innermost") };
    const weir_option_value items[] = { { .text = text("first key") }, { .text = text("second") } };
    const weir_option_pair pair = { { .text = text("Token") }, { .text = text("header!") } };
    const struct config config = { .user = text("someone"),
                                   .password = text("hunter22"),
                                   .inner = &inner,
                                   .keys = { items, 2 },
                                   .headers = { &pair, 1 } };
    ck_assert(secrets_stand_in(options, &config));
    check(&config, "someone: hunter22", "someone: ***");
    check(&config, "hunter22hunter22 innermost", "****** ***");
    check(&config, "first key, second; Token: header!", "***, ***; Token: ***");
    check(&config, "nothing to be hidden", "nothing to be hidden");
    check(&config, "cut in the hunt", "cut in the ***");
    check(&config, "cut in the hun", "cut in the hun");
}
END_TEST

START_TEST(the_longest_of_two_is_hidden_whole)
{
    const weir_option_value items[] = { { .text = text("pass") }, { .text = text("password") } };
    const struct config config = { .keys = { items, 2 } };
    check(&config, "password", "***");
    check(&config, "pass!word", "***!word");
}
END_TEST

START_TEST(short_ones_stay)
{
    const struct config config = { .password = text("abc") };
    ck_assert(!secrets_stand_in(options, &config));
    ck_assert(!secrets_stand_in(options, NULL));
    check(&config, "abcabc", "abcabc");
}
END_TEST

START_TEST(a_long_message_is_cut_and_has_none_at_its_end)
{
    static char message[3 * SECRETS_ROOM];
    const struct config config = { .password = text("hunter22") };
    char room[SECRETS_ROOM];
    memset(message, 'x', sizeof message - 1);
    memcpy(message + SECRETS_ROOM + 10, "hunter22", 8);
    const char *hidden = secrets_hide(options, &config, message, room);
    ck_assert_ptr_null(strstr(hidden, "hunt"));
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("secrets");
    TCase *tc = tcase_create("secrets");
    tcase_add_test(tc, secrets_are_found_wherever_they_stand);
    tcase_add_test(tc, the_longest_of_two_is_hidden_whole);
    tcase_add_test(tc, short_ones_stay);
    tcase_add_test(tc, a_long_message_is_cut_and_has_none_at_its_end);
    suite_add_tcase(s, tc);
    return s;
}
