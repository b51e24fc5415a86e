/* SPDX-License-Identifier: MIT */
/* Growing buffers: limits, failing growth, text. */
#include "base/buffer.h"

#include "base/memory.h"
#include "unit.h"

START_TEST(bytes_arrive_whole_through_many_growths)
{
    weir_buffer buffer;
    buffer_init(&buffer, 1 << 20);
    for (unsigned i = 0; i < 5000; i++) {
        uint8_t bytes[3] = { (uint8_t)i, (uint8_t)(i >> 8), 0xee };
        ck_assert_int_eq(weir_buffer_append(&buffer, bytes, sizeof bytes), WEIR_OK);
    }
    ck_assert_uint_eq(buffer.size, 15000);
    for (unsigned i = 0; i < 5000; i++) {
        ck_assert_uint_eq(buffer.data[3 * i] + 256u * buffer.data[3 * i + 1], i);
    }
    buffer_deinit(&buffer);
    buffer_deinit(&buffer);
}
END_TEST

START_TEST(growth_doubles)
{
    weir_buffer buffer;
    buffer_init(&buffer, UINT64_MAX);
    size_t before = memory_count();
    for (unsigned i = 0; i < 100000; i++) {
        ck_assert_int_eq(weir_buffer_append(&buffer, "x", 1), WEIR_OK);
    }
    ck_assert_uint_le(memory_count() - before, 12);
    buffer_deinit(&buffer);
}
END_TEST

START_TEST(the_limit_is_exact_and_nothing_is_appended_beyond_it)
{
    weir_buffer buffer;
    buffer_init(&buffer, 10);
    ck_assert_int_eq(weir_buffer_append(&buffer, "0123456789", 10), WEIR_OK);
    ck_assert_int_eq(weir_buffer_append(&buffer, "x", 1), WEIR_E_LIMIT);
    ck_assert_int_eq(weir_buffer_reserve(&buffer, UINT64_MAX), WEIR_E_LIMIT);
    ck_assert_str_eq(buffer_c_string(&buffer), "0123456789");
    buffer_clear(&buffer);
    ck_assert_int_eq(buffer_printf(&buffer, "%s", "9876543210"), WEIR_OK);
    ck_assert_int_eq(buffer_printf(&buffer, "%d", 1), WEIR_E_LIMIT);
    ck_assert_str_eq(buffer_c_string(&buffer), "9876543210");
    buffer_deinit(&buffer);
}
END_TEST

START_TEST(no_memory_leaves_the_buffer_as_it_was)
{
    weir_buffer buffer;
    buffer_init(&buffer, 1000);
    ck_assert_int_eq(buffer_text(&buffer, "abc"), WEIR_OK);
    memory_fail_from(1);
    ck_assert_int_eq(weir_buffer_append(&buffer, (const char[500]){ 0 }, 500), WEIR_E_NOMEM);
    ck_assert_str_eq(buffer_c_string(&buffer), "abc");
    memory_fail_from(0);
    buffer_deinit(&buffer);
    memory_fail_from(1);
    ck_assert_ptr_null(buffer_c_string(&buffer));
    memory_fail_from(0);
}
END_TEST

START_TEST(text_is_formatted_behind_what_is_there)
{
    weir_buffer buffer;
    buffer_init(&buffer, 1000);
    ck_assert_str_eq(buffer_c_string(&buffer), "");
    ck_assert_int_eq(buffer_printf(&buffer, "%s", ""), WEIR_OK);
    ck_assert_int_eq(buffer_printf(&buffer, "%d,%s;", 5, "x"), WEIR_OK);
    ck_assert_int_eq(buffer_text(&buffer, "end"), WEIR_OK);
    ck_assert_str_eq(buffer_c_string(&buffer), "5,x;end");
    ck_assert_uint_eq(buffer.size, 7);
    buffer_deinit(&buffer);
}
END_TEST

/* A buffer whose maker holds no byte beyond the capacity. */
static weir_status refuse(weir_buffer *buffer, uint64_t more)
{
    (void)buffer;
    (void)more;
    return WEIR_E_LIMIT;
}

START_TEST(printf_never_writes_beyond_a_foreign_buffer)
{
    uint8_t room[5] = "....!";
    weir_buffer buffer = { room, 0, 4, 4, refuse };
    ck_assert_int_eq(buffer_printf(&buffer, "%s", "abcd"), WEIR_E_LIMIT);
    ck_assert_int_eq(buffer_printf(&buffer, "%s", "abc"), WEIR_OK);
    ck_assert_uint_eq(buffer.size, 3);
    ck_assert_int_eq(room[4], '!');
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("buffer");
    TCase *tests = tcase_create("buffer");
    tcase_add_test(tests, bytes_arrive_whole_through_many_growths);
    tcase_add_test(tests, growth_doubles);
    tcase_add_test(tests, the_limit_is_exact_and_nothing_is_appended_beyond_it);
    tcase_add_test(tests, no_memory_leaves_the_buffer_as_it_was);
    tcase_add_test(tests, text_is_formatted_behind_what_is_there);
    tcase_add_test(tests, printf_never_writes_beyond_a_foreign_buffer);
    suite_add_tcase(suite, tests);
    return suite;
}
