/* SPDX-License-Identifier: MIT */
/* Numbers of a fixed width, and what every serializer does where there is no payload or value. */
#include "support/payload.h"

#include "support/testing/payload_fixture.h"

#include "unit.h"

static const struct {
    const char *plugin;
    const char *bytes;
    uint64_t size;
    const char *message;
} lengths[] = {
    { "serializer_integer", "abc", 3, "the payload is no integer: it has 3 bytes instead of 4" },
    { "serializer_integer", "", 0, "the payload is no integer: it has 0 bytes instead of 4" },
    { "serializer_integer", "abcde", 5, "the payload is no integer: it has 5 bytes instead of 4" },
    { "serializer_double", "abc", 3, "the payload is no double: it has 3 bytes instead of 8" },
    { "serializer_double", "", 0, "the payload is no double: it has 0 bytes instead of 8" },
    { "serializer_double", "123456789", 9,
      "the payload is no double: it has 9 bytes instead of 8" },
};

START_TEST(refuses_every_other_length)
{
    struct fixture f;
    weir_value value;
    char expected[128];
    ck_assert(fixture_init(&f, lengths[_i].plugin, NULL));
    snprintf(expected, sizeof expected, "! 0: %s\n", lengths[_i].message);
    ck_assert_str_eq(fixture_decode_one(&f, lengths[_i].bytes, lengths[_i].size, &value), expected);
    fixture_deinit(&f);
}
END_TEST

static const char *const plugins[] = { "serializer_bytes", "serializer_double",
                                       "serializer_integer", "serializer_json", "serializer_text" };

START_TEST(takes_no_payload_for_null)
{
    struct fixture f;
    weir_value value = weir_int(1);
    ck_assert(fixture_init(&f, plugins[_i], NULL));
    ck_assert_str_eq(fixture_decode_one(&f, NULL, WEIR_ABSENT, &value), "");
    ck_assert_uint_eq(value.tag, WEIR_NULL);
    ck_assert_str_eq(fixture_encode(&f, &value, 1), "none");
    fixture_deinit(&f);
}
END_TEST

START_TEST(goes_on_behind_a_payload_that_it_cannot_read)
{
    struct fixture f;
    weir_value out[3];
    const weir_slice payloads[] = { { (const uint8_t *)"\0\0\0\1", 4 },
                                    { (const uint8_t *)"a", 1 },
                                    { (const uint8_t *)"\0\0\0\3", 4 } };
    ck_assert(fixture_init(&f, "serializer_integer", NULL));
    ck_assert_str_eq(fixture_decode(&f, payloads, 3, out),
                     "! 1: the payload is no integer: it has 1 bytes instead of 4\n");
    ck_assert_int_eq(out[0].as.i64, 1);
    ck_assert_int_eq(out[2].as.i64, 3);
    fixture_deinit(&f);
}
END_TEST

#define COUNT(table) ((int)(sizeof table / sizeof table[0]))

Suite *suite(void)
{
    Suite *made = suite_create("payload");
    TCase *tests = tcase_create("payload");
    tcase_add_loop_test(tests, refuses_every_other_length, 0, COUNT(lengths));
    tcase_add_loop_test(tests, takes_no_payload_for_null, 0, COUNT(plugins));
    tcase_add_test(tests, goes_on_behind_a_payload_that_it_cannot_read);
    suite_add_tcase(made, tests);
    return made;
}
