/* SPDX-License-Identifier: MIT */
#include "log/kafka/client/place.h"

#include "unit.h"

START_TEST(an_offset_is_a_number_and_nothing_else_is)
{
    int64_t offset = 77;
    const struct kafka_place others[] = { KAFKA_BEGINNING, KAFKA_END, { .kind = KAFKA_NOWHERE } };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        ck_assert(!kafka_place_offset(others[i], &offset));
        ck_assert_int_eq(offset, 77);
    }
    ck_assert(kafka_place_offset(kafka_place(0), &offset));
    ck_assert_int_eq(offset, 0);
}
END_TEST

static const struct {
    int64_t written;
    enum kafka_place_kind kind;
} forms[] = { { 0, KAFKA_AT_OFFSET },
              { INT64_MAX, KAFKA_AT_OFFSET },
              { RD_KAFKA_OFFSET_BEGINNING, KAFKA_AT_BEGINNING },
              { RD_KAFKA_OFFSET_END, KAFKA_AT_END },
              { RD_KAFKA_OFFSET_INVALID, KAFKA_NOWHERE } };

START_TEST(it_comes_back_from_the_library_as_it_went)
{
    struct kafka_place place = kafka_place_read(forms[_i].written);
    ck_assert_int_eq(place.kind, forms[_i].kind);
    ck_assert_int_eq(kafka_place_write(place), forms[_i].written);
}
END_TEST

START_TEST(what_the_library_does_not_know_is_nowhere)
{
    ck_assert_int_eq(kafka_place_read(RD_KAFKA_OFFSET_STORED).kind, KAFKA_NOWHERE);
    ck_assert_int_eq(kafka_place_read(RD_KAFKA_OFFSET_TAIL(10)).kind, KAFKA_NOWHERE);
    ck_assert_int_eq(kafka_place_read(INT64_MIN).kind, KAFKA_NOWHERE);
}
END_TEST

Suite *suite(void)
{
    TCase *tests = tcase_create("place");
    tcase_add_test(tests, an_offset_is_a_number_and_nothing_else_is);
    tcase_add_loop_test(tests, it_comes_back_from_the_library_as_it_went, 0,
                        sizeof forms / sizeof forms[0]);
    tcase_add_test(tests, what_the_library_does_not_know_is_nowhere);
    Suite *made = suite_create("kafka place");
    suite_add_tcase(made, tests);
    return made;
}
