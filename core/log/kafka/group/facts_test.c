/* SPDX-License-Identifier: MIT */
#include "log/kafka/group/facts.h"

#include <string.h>

#include "unit.h"

static weir_buffer facts;

static void start(void)
{
    buffer_init(&facts, 1 << 20);
}

static void finish(void)
{
    buffer_deinit(&facts);
}

static void pack(const char *key, const char *value)
{
    struct log_fact fact = { .key = key, .value = { (const uint8_t *)value, strlen(value) } };
    ck_assert(facts_pack(&facts, &fact));
}

static bool has(const char *key, const char *value)
{
    weir_slice found = facts_find(&facts, key);
    return value == NULL
               ? found.size == LOG_ABSENT
               : found.size == strlen(value) && memcmp(found.data, value, found.size) == 0;
}

START_TEST(what_is_packed_is_found)
{
    pack("source/a", "12");
    pack("sink/b", "");
    pack("sink/bc", "a longer token");
    ck_assert(has("source/a", "12"));
    ck_assert(has("sink/b", ""));
    ck_assert(has("sink/bc", "a longer token"));
}
END_TEST

START_TEST(what_is_not_packed_is_not_found)
{
    ck_assert(has("a", NULL));
    pack("ab", "1");
    ck_assert(has("a", NULL));
    ck_assert(has("abc", NULL));
    ck_assert(has("", NULL));
    ck_assert(has("1", NULL));
}
END_TEST

START_TEST(bytes_of_any_kind_come_back)
{
    static const uint8_t bytes[] = { 0, 255, 0, 10 };
    struct log_fact fact = { .key = "k", .value = { bytes, sizeof bytes } };
    ck_assert(facts_pack(&facts, &fact));
    weir_slice found = facts_find(&facts, "k");
    ck_assert_mem_eq(found.data, bytes, sizeof bytes);
    ck_assert_uint_eq(found.size, sizeof bytes);
}
END_TEST

START_TEST(a_message_cut_off_anywhere_gives_whole_facts_only)
{
    pack("first", "1");
    uint64_t first_size = facts.size;
    pack("second", "22");
    uint64_t whole = facts.size;
    for (facts.size = 0; facts.size < whole; facts.size++) {
        require(has("first", facts.size < first_size ? NULL : "1"), "cut at %d", (int)facts.size);
        require(has("second", NULL), "cut at %d", (int)facts.size);
    }
    ck_assert(has("second", "22"));
}
END_TEST

/* Sums of such sizes overflow. */
START_TEST(sizes_beyond_the_message_are_not_believed)
{
    static const uint8_t sizes[] = { 0, 1, 4, 255 };
    pack("k", "v");
    for (uint64_t i = 0; i < 16; i++) {
        uint8_t before = facts.data[i];
        for (size_t s = 0; s < sizeof sizes; s++) {
            facts.data[i] = sizes[s];
            weir_slice found = facts_find(&facts, "k");
            require(found.size == LOG_ABSENT || found.size <= 1, "byte %d", (int)i);
        }
        facts.data[i] = before;
    }
    memset(facts.data, 255, 16);
    ck_assert(has("k", NULL));
}
END_TEST

Suite *suite(void)
{
    TCase *tests = tcase_create("facts");
    tcase_add_checked_fixture(tests, start, finish);
    tcase_add_test(tests, what_is_packed_is_found);
    tcase_add_test(tests, what_is_not_packed_is_not_found);
    tcase_add_test(tests, bytes_of_any_kind_come_back);
    tcase_add_test(tests, a_message_cut_off_anywhere_gives_whole_facts_only);
    tcase_add_test(tests, sizes_beyond_the_message_are_not_believed);
    Suite *made = suite_create("kafka facts");
    suite_add_tcase(made, tests);
    return made;
}
