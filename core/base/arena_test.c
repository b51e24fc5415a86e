/* SPDX-License-Identifier: MIT */
/* Arenas: alignment, chunks, what a reset keeps, poison under ASan. */
#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "unit.h"

#if defined(__SANITIZE_ADDRESS__)
# include <sanitizer/asan_interface.h>
#endif

enum { CHUNK = 4096 };

static struct arena arena;

static void start(void)
{
    arena_init(&arena, CHUNK);
}

static void finish(void)
{
    memory_fail_from(0);
    arena_deinit(&arena);
}

START_TEST(init_takes_nothing_and_deinit_gives_all_back)
{
    size_t before = memory_count();
    struct arena unused;
    arena_init(&unused, 0);
    ck_assert_uint_eq(memory_count(), before);
    ck_assert_uint_eq(arena_footprint(&unused), 0);
    arena_deinit(&unused);
    ck_assert_ptr_nonnull(arena_alloc(&arena, 10));
    ck_assert_uint_gt(arena_footprint(&arena), 0);
    arena_deinit(&arena);
    ck_assert_uint_eq(arena_footprint(&arena), 0);
}
END_TEST

START_TEST(every_size_is_aligned_and_its_own)
{
    uint8_t *blocks[200];
    for (size_t size = 0; size < 200; size++) {
        blocks[size] = arena_alloc(&arena, size);
        ck_assert_ptr_nonnull(blocks[size]);
        ck_assert_uint_eq((uintptr_t)blocks[size] % 16, 0);
        memset(blocks[size], (int)size, size);
    }
    for (size_t size = 0; size < 200; size++) {
        for (size_t i = 0; i < size; i++) {
            ck_assert_uint_eq(blocks[size][i], size);
        }
    }
}
END_TEST

START_TEST(large_blocks_stand_aside_and_leave_the_chunk_open)
{
    uint8_t *small = arena_alloc(&arena, 16);
    uint8_t *next = arena.next;
    uint8_t *large = arena_alloc(&arena, 3 * CHUNK);
    ck_assert_ptr_nonnull(large);
    ck_assert_uint_eq((uintptr_t)large % 16, 0);
    ck_assert_ptr_eq(arena.next, next);
    memset(large, 1, 3 * CHUNK);
    ck_assert_ptr_eq(arena_alloc(&arena, 16), next);
    ck_assert_ptr_nonnull(small);
}
END_TEST

START_TEST(a_large_block_may_come_first)
{
    ck_assert_ptr_nonnull(arena_alloc(&arena, 2 * CHUNK));
    ck_assert_ptr_nonnull(arena_alloc(&arena, 8));
    arena_reset(&arena);
    ck_assert_ptr_nonnull(arena_alloc(&arena, 8));
}
END_TEST

/* What a batch may ask for: many small blocks, some that fill a chunk, some beyond it. */
static void one_round(void)
{
    for (size_t i = 0; i < 500; i++) {
        ck_assert_ptr_nonnull(arena_alloc(&arena, 64));
    }
    ck_assert_ptr_nonnull(arena_alloc(&arena, CHUNK - 100));
    ck_assert_ptr_nonnull(arena_alloc(&arena, 5 * CHUNK));
    ck_assert_ptr_nonnull(arena_alloc(&arena, 2 << 20));
}

START_TEST(a_steady_load_never_goes_to_the_heap)
{
    one_round();
    arena_reset(&arena);
    size_t count = memory_count();
    size_t footprint = arena_footprint(&arena);
    for (int round = 0; round < 20; round++) {
        one_round();
        arena_reset(&arena);
    }
    ck_assert_uint_eq(memory_count(), count);
    ck_assert_uint_eq(arena_footprint(&arena), footprint);
}
END_TEST

START_TEST(an_oversized_chunk_that_idles_for_a_round_is_given_back)
{
    one_round();
    arena_reset(&arena);
    size_t with_large = arena_footprint(&arena);
    ck_assert_ptr_nonnull(arena_alloc(&arena, 8));
    arena_reset(&arena);
    ck_assert_uint_lt(arena_footprint(&arena), with_large - (2 << 20));
    ck_assert_uint_ge(arena_footprint(&arena), 8 * CHUNK);
}
END_TEST

START_TEST(ordinary_requests_do_not_take_oversized_chunks)
{
    ck_assert_ptr_nonnull(arena_alloc(&arena, 100 * CHUNK));
    arena_reset(&arena);
    size_t count = memory_count();
    ck_assert_ptr_nonnull(arena_alloc(&arena, 8));
    ck_assert_uint_eq(memory_count(), count + 1);
    ck_assert_ptr_nonnull(arena_alloc(&arena, 99 * CHUNK));
    ck_assert_uint_eq(memory_count(), count + 1);
}
END_TEST

START_TEST(mapped_chunks_are_kept_by_a_reset)
{
    struct arena mapped;
    arena_init(&mapped, 1 << 20);
    for (int round = 0; round < 3; round++) {
        uint8_t *block = arena_alloc(&mapped, 1000);
        ck_assert_ptr_nonnull(block);
        memset(block, 1, 1000);
        ck_assert_uint_eq(arena_footprint(&mapped), 1 << 20);
        arena_reset(&mapped);
    }
    arena_deinit(&mapped);
}
END_TEST

START_TEST(no_memory_is_null_and_the_arena_stays_usable)
{
    ck_assert_ptr_nonnull(arena_alloc(&arena, 16));
    memory_fail_from(1);
    ck_assert_ptr_null(arena_alloc(&arena, CHUNK / 2 * 3));
    ck_assert_ptr_nonnull(arena_alloc(&arena, 16));
    while (arena_alloc(&arena, 64) != NULL) {
    }
    ck_assert_ptr_null(arena_zeroed(&arena, 64));
    ck_assert_ptr_null(arena_copy(&arena, "x", CHUNK));
    memory_fail_from(0);
    ck_assert_ptr_nonnull(arena_alloc(&arena, 64));
}
END_TEST

START_TEST(sizes_that_overflow_are_refused)
{
    ck_assert_ptr_null(arena_alloc(&arena, SIZE_MAX));
    ck_assert_ptr_null(arena_alloc(&arena, SIZE_MAX - 15));
    ck_assert_ptr_null(arena_alloc(&arena, SIZE_MAX / 2 + 1));
    ck_assert_ptr_null(arena_copy(&arena, "", SIZE_MAX));
}
END_TEST

START_TEST(copies_end_with_nul)
{
    char *copy = arena_copy(&arena, "a\0b", 3);
    ck_assert_int_eq(memcmp(copy, "a\0b", 4), 0);
    ck_assert_str_eq(arena_copy(&arena, NULL, 0), "");
    uint8_t *zeroed = arena_zeroed(&arena, 100);
    for (size_t i = 0; i < 100; i++) {
        ck_assert_uint_eq(zeroed[i], 0);
    }
}
END_TEST

START_TEST(printf_makes_texts_of_any_length)
{
    ck_assert_str_eq(arena_printf(&arena, "%s=%d", "x", 5), "x=5");
    char *wide = arena_printf(&arena, "%*d", 2 * CHUNK, 1);
    ck_assert_uint_eq(strlen(wide), 2 * CHUNK);
    ck_assert_int_eq(wide[2 * CHUNK - 1], '1');
}
END_TEST

START_TEST(under_asan_free_and_reset_memory_is_poisoned)
{
#if defined(__SANITIZE_ADDRESS__)
    uint8_t *block = arena_alloc(&arena, 20);
    ck_assert_int_eq(__asan_address_is_poisoned(block + 19), 0);
    ck_assert_int_eq(__asan_address_is_poisoned(block + 20), 1);
    uint8_t *next = arena_alloc(&arena, 16);
    ck_assert(next >= block + 20 + 16);
    ck_assert_int_eq(__asan_address_is_poisoned(next - 1), 1);
    arena_reset(&arena);
    ck_assert_int_eq(__asan_address_is_poisoned(block), 1);
#endif
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("arena");
    TCase *tests = tcase_create("arena");
    tcase_add_checked_fixture(tests, start, finish);
    tcase_add_test(tests, init_takes_nothing_and_deinit_gives_all_back);
    tcase_add_test(tests, every_size_is_aligned_and_its_own);
    tcase_add_test(tests, large_blocks_stand_aside_and_leave_the_chunk_open);
    tcase_add_test(tests, a_large_block_may_come_first);
    tcase_add_test(tests, a_steady_load_never_goes_to_the_heap);
    tcase_add_test(tests, an_oversized_chunk_that_idles_for_a_round_is_given_back);
    tcase_add_test(tests, ordinary_requests_do_not_take_oversized_chunks);
    tcase_add_test(tests, mapped_chunks_are_kept_by_a_reset);
    tcase_add_test(tests, no_memory_is_null_and_the_arena_stays_usable);
    tcase_add_test(tests, sizes_that_overflow_are_refused);
    tcase_add_test(tests, copies_end_with_nul);
    tcase_add_test(tests, printf_makes_texts_of_any_length);
    tcase_add_test(tests, under_asan_free_and_reset_memory_is_poisoned);
    suite_add_tcase(suite, tests);
    return suite;
}
