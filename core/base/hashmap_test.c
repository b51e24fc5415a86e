/* SPDX-License-Identifier: MIT */
/* The hash map and the hash of bytes. */
#include "base/hashmap.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "unit.h"

static struct hashmap map;

static void start(void)
{
    hashmap_init(&map);
}

static void finish(void)
{
    memory_fail_from(0);
    hashmap_deinit(&map);
}

static bool put_number(int number)
{
    char key[32];
    int len = snprintf(key, sizeof key, "key %d", number);
    return hashmap_put(&map, key, (size_t)len, (void *)(intptr_t)(number + 1));
}

static int get_number(int number)
{
    char key[32];
    int len = snprintf(key, sizeof key, "key %d", number);
    return (int)(intptr_t)hashmap_get(&map, key, (size_t)len) - 1;
}

START_TEST(finds_what_was_put_through_many_growths)
{
    enum { MANY = 20000 };
    for (int i = 0; i < MANY; i++) {
        ck_assert(put_number(i));
    }
    ck_assert_uint_eq(map.count, MANY);
    for (int i = 0; i < MANY; i++) {
        ck_assert_int_eq(get_number(i), i);
    }
    ck_assert_int_eq(get_number(MANY), -1);
}
END_TEST

START_TEST(an_empty_map_finds_nothing)
{
    ck_assert_ptr_null(hashmap_get(&map, "a", 1));
    ck_assert_ptr_null(hashmap_find(&map, "", 0));
}
END_TEST

START_TEST(keys_are_byte_strings_and_copied)
{
    char key[] = { 'a', '\0', 'b' };
    ck_assert(hashmap_put(&map, key, 3, &map));
    ck_assert(hashmap_put(&map, "", 0, key));
    key[0] = 'x';
    ck_assert_ptr_eq(hashmap_get(&map, "a\0b", 3), &map);
    ck_assert_ptr_null(hashmap_get(&map, "a", 1));
    ck_assert_ptr_null(hashmap_get(&map, "a\0c", 3));
    ck_assert_ptr_eq(hashmap_get(&map, NULL, 0), key);
    ck_assert_int_eq(memcmp(hashmap_find(&map, "a\0b", 3)->key, "a\0b", 4), 0);
}
END_TEST

START_TEST(putting_again_replaces_and_keeps_the_place)
{
    for (int i = 0; i < 3; i++) {
        ck_assert(put_number(i));
    }
    ck_assert(hashmap_put(&map, "key 1", 5, NULL));
    ck_assert_uint_eq(map.count, 3);
    ck_assert_ptr_null(hashmap_get(&map, "key 1", 5));
    ck_assert_ptr_eq(hashmap_find(&map, "key 1", 5), &map.entries[1]);
}
END_TEST

START_TEST(entries_stand_in_order_of_insertion)
{
    for (int i = 99; i >= 0; i--) {
        ck_assert(put_number(i));
    }
    for (int i = 0; i < 100; i++) {
        ck_assert_int_eq((int)(intptr_t)map.entries[i].value, 100 - i);
    }
}
END_TEST

START_TEST(a_failed_put_changes_nothing)
{
    /* At every size there is some k at which the put meets no memory. */
    for (int i = 0; i < 60; i++) {
        size_t k = 1;
        for (;; k++) {
            memory_fail_from(k);
            bool was_put = put_number(i);
            memory_fail_from(0);
            if (was_put) {
                break;
            }
            ck_assert_uint_eq(map.count, (size_t)i);
            ck_assert_int_eq(get_number(i), -1);
        }
        ck_assert_uint_ge(k, 2);
        for (int known = 0; known <= i; known++) {
            ck_assert_int_eq(get_number(known), known);
        }
    }
}
END_TEST

START_TEST(the_hash_depends_on_every_byte_the_length_and_the_seed)
{
    uint8_t bytes[80] = { 0 };
    for (size_t len = 1; len <= sizeof bytes; len++) {
        uint64_t hash = hash_bytes(bytes, len, 0);
        ck_assert_uint_eq(hash, hash_bytes(bytes, len, 0));
        ck_assert_uint_ne(hash, hash_bytes(bytes, len - 1, 0));
        ck_assert_uint_ne(hash, hash_bytes(bytes, len, 1));
        for (size_t i = 0; i < len; i++) {
            bytes[i] = 1;
            ck_assert_uint_ne(hash, hash_bytes(bytes, len, 0));
            bytes[i] = 0;
        }
    }
}
END_TEST

START_TEST(the_hash_spreads_small_numbers_evenly)
{
    enum { SLOTS = 256, KEYS = 64 * SLOTS };
    unsigned taken[SLOTS] = { 0 };
    for (uint64_t i = 0; i < KEYS; i++) {
        taken[hash_bytes(&i, sizeof i, 0) % SLOTS]++;
    }
    for (size_t i = 0; i < SLOTS; i++) {
        ck_assert_uint_gt(taken[i], 24);
        ck_assert_uint_lt(taken[i], 128);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("hashmap");
    TCase *tests = tcase_create("hashmap");
    tcase_add_checked_fixture(tests, start, finish);
    tcase_add_test(tests, finds_what_was_put_through_many_growths);
    tcase_add_test(tests, an_empty_map_finds_nothing);
    tcase_add_test(tests, keys_are_byte_strings_and_copied);
    tcase_add_test(tests, putting_again_replaces_and_keeps_the_place);
    tcase_add_test(tests, entries_stand_in_order_of_insertion);
    tcase_add_test(tests, a_failed_put_changes_nothing);
    tcase_add_test(tests, the_hash_depends_on_every_byte_the_length_and_the_seed);
    tcase_add_test(tests, the_hash_spreads_small_numbers_evenly);
    suite_add_tcase(suite, tests);
    return suite;
}
