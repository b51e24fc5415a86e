/* SPDX-License-Identifier: MIT */
/* Chunks come back, and lists of them stay in order. */
#include "log/embedded/chunk_pool.h"

#include <string.h>

#include "unit.h"

static struct chunk_pool pool;

static void setup(void)
{
    chunk_pool_init(&pool, false);
}

static void teardown(void)
{
    chunk_pool_deinit(&pool);
}

START_TEST(gives_a_returned_chunk_again)
{
    struct chunk *first = chunk_pool_take(&pool, 100);
    chunk_pool_give(&pool, first);
    ck_assert_ptr_eq(chunk_pool_take(&pool, 200), first);
    ck_assert_ptr_ne(chunk_pool_take(&pool, 100), first);
    chunk_pool_give(&pool, NULL);
}
END_TEST

START_TEST(a_full_chunk_fits_into_any_other)
{
    struct chunk *chunks[9];
    for (size_t i = 0; i < 9; i++) {
        chunks[i] = chunk_pool_take(&pool, 1);
        ck_assert_uint_eq(chunks[i]->capacity, chunks[0]->capacity);
        ck_assert_uint_eq(chunks[i]->mapped, 0);
        memset(chunks[i]->image, (int)i, chunks[i]->capacity); /* they do not overlap */
    }
    for (size_t i = 0; i < 9; i++) {
        ck_assert_uint_eq(chunks[i]->image[0], i);
        ck_assert_uint_eq(chunks[i]->image[chunks[i]->capacity - 1], i);
    }
}
END_TEST

START_TEST(holds_a_message_of_any_size)
{
    struct chunk *chunk = chunk_pool_take(&pool, 3 << 20);
    ck_assert_uint_ge(chunk->capacity, 3 << 20);
    memset(chunk->image, 1, chunk->capacity);
    chunk_pool_give(&pool, chunk);
}
END_TEST

/* More free slices than keep their pages: what is taken again must still be whole. */
START_TEST(free_slices_without_pages_can_be_used)
{
    enum { MANY = 200 };
    struct chunk *chunks[MANY];
    for (size_t i = 0; i < MANY; i++) {
        chunks[i] = chunk_pool_take(&pool, 1);
        memset(chunks[i]->image, 1, chunks[i]->capacity);
    }
    for (size_t i = 0; i < MANY; i++) {
        chunk_pool_give(&pool, chunks[i]);
    }
    ck_assert_uint_eq(pool.free_count, MANY);
    for (size_t i = 0; i < MANY; i++) {
        struct chunk *chunk = chunk_pool_take(&pool, 1);
        ck_assert_uint_eq(chunk->capacity, chunks[0]->capacity);
        memset(chunk->image, 2, chunk->capacity);
    }
    ck_assert_uint_eq(pool.free_count, 0);
}
END_TEST

START_TEST(goes_back_with_its_last_holder)
{
    struct chunk *chunk = chunk_pool_take(&pool, 1);
    ck_assert(!chunk_is_shared(chunk));
    chunk_hold(chunk);
    ck_assert(chunk_is_shared(chunk));
    chunk_pool_give(&pool, chunk);
    ck_assert_ptr_ne(chunk_pool_take(&pool, 1), chunk);
    chunk_pool_give(&pool, chunk);
    ck_assert_ptr_eq(chunk_pool_take(&pool, 1), chunk);
}
END_TEST

static void count_up(void *count)
{
    ++*(int *)count;
}

START_TEST(gives_a_loan_back_once)
{
    enum { MANY = 200 };
    static const uint8_t bytes[] = "an image of somebody else's";
    struct chunk *chunks[MANY];
    int given[MANY] = { 0 };
    for (size_t i = 0; i < MANY; i++) {
        chunks[i] =
            chunk_pool_wrap(&pool, bytes + i % 20, 5, (struct chunk_loan){ count_up, &given[i] });
        chunk_hold(chunks[i]);
    }
    for (size_t i = 0; i < MANY; i++) {
        ck_assert_ptr_eq(chunks[i]->image, bytes + i % 20);
        chunk_pool_give(&pool, chunks[i]);
        ck_assert_int_eq(given[i], 0);
        chunk_pool_give(&pool, chunks[i]);
        ck_assert_int_eq(given[i], 1);
    }
    struct chunk *again = chunk_pool_wrap(&pool, bytes, 5, (struct chunk_loan){ count_up, given });
    ck_assert_ptr_eq(again, chunks[MANY - 1]);
    ck_assert_ptr_ne(chunk_pool_take(&pool, 1), again); /* which could hold nothing */
    chunk_pool_give(&pool, again);
    ck_assert_int_eq(given[0], 2);
}
END_TEST

START_TEST(list_finds_and_drops)
{
    enum { MANY = 2000 };
    struct chunk_list list = { 0 };
    ck_assert_ptr_null(chunk_list_last(&list));
    for (int64_t i = 0; i < MANY; i++) {
        struct chunk *chunk = chunk_pool_take(&pool, 1);
        chunk_clear(chunk, i * 10, 0);
        ck_assert(chunk_list_push(&list, chunk));
    }
    chunk_list_drop_first(&list, 0, &pool);
    chunk_list_drop_first(&list, 3, &pool);
    chunk_list_drop_last(&list, 1, &pool);
    ck_assert_uint_eq(list.count, MANY - 4);
    ck_assert_int_eq(list.items[0]->base, 30);
    ck_assert_int_eq(chunk_list_last(&list)->base, (MANY - 2) * 10);
    for (int64_t offset = 30; offset < (MANY - 1) * 10; offset++) {
        size_t at = chunk_list_find(&list, offset);
        ck_assert_int_eq(list.items[at]->base, offset - offset % 10);
    }
    chunk_list_deinit(&list, &pool);
    ck_assert_uint_eq(list.count, 0);
    ck_assert_uint_ge(pool.free_count, MANY);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("chunk_pool");
    TCase *tc = tcase_create("chunk_pool");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, gives_a_returned_chunk_again);
    tcase_add_test(tc, a_full_chunk_fits_into_any_other);
    tcase_add_test(tc, holds_a_message_of_any_size);
    tcase_add_test(tc, free_slices_without_pages_can_be_used);
    tcase_add_test(tc, goes_back_with_its_last_holder);
    tcase_add_test(tc, gives_a_loan_back_once);
    tcase_add_test(tc, list_finds_and_drops);
    suite_add_tcase(s, tc);
    return s;
}
