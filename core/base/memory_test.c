/* SPDX-License-Identifier: MIT */
/* The door to the heap: sizes at the rim, failing on purpose, counting. */
#include "base/memory.h"

#include <stdint.h>
#include <string.h>

#include "unit.h"

START_TEST(size_zero_gives_a_block_that_may_be_freed)
{
    void *none = memory_alloc(0);
    void *zeroed = memory_zeroed(0, 8);
    ck_assert_ptr_nonnull(none);
    ck_assert_ptr_nonnull(zeroed);
    zeroed = memory_resize(zeroed, 0);
    ck_assert_ptr_nonnull(zeroed);
    memory_free(none);
    memory_free(zeroed);
    memory_free(NULL);
}
END_TEST

START_TEST(zeroed_memory_is_zero_and_overflow_is_refused)
{
    static const uint8_t zeros[300];
    uint8_t *block = memory_zeroed(100, 3);
    ck_assert_ptr_nonnull(block);
    ck_assert_int_eq(memcmp(block, zeros, sizeof zeros), 0);
    memory_free(block);
    ck_assert_ptr_null(memory_zeroed(SIZE_MAX / 2, 3));
}
END_TEST

START_TEST(failing_starts_at_the_chosen_request_and_goes_on)
{
    memory_fail_from(3);
    void *first = memory_alloc(1);
    void *second = memory_zeroed(1, 1);
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_nonnull(second);
    ck_assert_ptr_null(memory_alloc(1));
    ck_assert_ptr_null(memory_zeroed(1, 1));
    ck_assert_ptr_null(memory_resize(first, 100));
    ck_assert_ptr_null(memory_map(4096));
    memory_fail_from(0);
    void *third = memory_alloc(1);
    ck_assert_ptr_nonnull(third);
    memory_free(first);
    memory_free(second);
    memory_free(third);
}
END_TEST

START_TEST(a_failed_resize_leaves_the_block)
{
    char *block = memory_alloc(8);
    memcpy(block, "content", 8);
    memory_fail_from(1);
    ck_assert_ptr_null(memory_resize(block, 1000));
    memory_fail_from(0);
    ck_assert_str_eq(block, "content");
    memory_free(block);
}
END_TEST

START_TEST(only_allocations_that_succeed_are_counted)
{
    size_t before = memory_count();
    void *block = memory_alloc(10);
    void *pages = memory_map(8192);
    ck_assert_uint_eq(memory_count(), before + 2);
    block = memory_resize(block, 20);
    ck_assert_uint_eq(memory_count(), before + 3);
    memory_fail_from(1);
    ck_assert_ptr_null(memory_alloc(1));
    memory_fail_from(0);
    memory_free(block);
    memory_unmap(pages, 8192);
    memory_unmap(NULL, 8192);
    ck_assert_uint_eq(memory_count(), before + 3);
}
END_TEST

START_TEST(mapped_pages_are_zero_and_writable)
{
    enum { SIZE = 1 << 20 };
    uint8_t *pages = memory_map(SIZE);
    ck_assert_ptr_nonnull(pages);
    ck_assert_uint_eq(pages[0] | pages[SIZE - 1], 0);
    pages[SIZE - 1] = 7;
    memory_unmap(pages, SIZE);
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("memory");
    TCase *tests = tcase_create("memory");
    tcase_add_test(tests, size_zero_gives_a_block_that_may_be_freed);
    tcase_add_test(tests, zeroed_memory_is_zero_and_overflow_is_refused);
    tcase_add_test(tests, failing_starts_at_the_chosen_request_and_goes_on);
    tcase_add_test(tests, a_failed_resize_leaves_the_block);
    tcase_add_test(tests, only_allocations_that_succeed_are_counted);
    tcase_add_test(tests, mapped_pages_are_zero_and_writable);
    suite_add_tcase(suite, tests);
    return suite;
}
