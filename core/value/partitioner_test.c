/* SPDX-License-Identifier: MIT */
/*
 * Partitions of keys against those that librdkafka gives (its functions rd_kafka_msg_partitioner_*,
 * of release 2.0.2, with as many partitions as there can be), and for murmur2 the Java client.
 */
#include <stdio.h>
#include <string.h>

#include <weir/serializer.h>

#include "unit.h"
#include "value/partitioner.h"

#define MOST INT32_MAX

static const struct vector {
    const char *key;
    uint32_t consistent;
    uint32_t murmur2;
    uint32_t fnv1a;
} vectors[] = {
    { "", 0, 275646681, 2128831035 },
    { "key", 177253290, 1067546281, 1746258028 },
    { "key0", 1532712134, 452605474, 910846164 },
    { "key1", 744252496, 28543940, 927623783 },
    { "abc", 891568578, 479470107, 440920331 },
    { "21", 2104968885, 1173551340, 1930258452 },
    { "foobar", 519446422, 1357151166, 1080231576 },
    { "a-little-bit-long-string", 1852951907, 1161502112, 576518104 },
    { "a-little-bit-longer-string", 130003243, 661178819, 780662313 },
    { "lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", 1621866786, 2088585677, 389149966 },
    { "\xff\x80\xc3\xa9", 1370054060, 1550173129, 393973210 },
};

static weir_slice slice(const char *key)
{
    return (weir_slice){ (const uint8_t *)key, strlen(key) };
}

static const weir_slice no_key = { NULL, WEIR_ABSENT };

static uint32_t choose(enum partitioner partitioner, weir_slice key, uint64_t number)
{
    struct partitioner_message message = { key, number, number };
    return partitioner_choose(partitioner, &message, MOST);
}

static void check(enum partitioner partitioner, const char *key, uint32_t expected)
{
    uint32_t partition = choose(partitioner, slice(key), 7);
    ck_assert_msg(partition == expected, "%d of '%s': %u, not %u", partitioner, key, partition,
                  expected);
}

START_TEST(places_keys_as_librdkafka_does)
{
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        const struct vector *v = &vectors[i];
        check(PARTITIONER_NONE, v->key, v->murmur2);
        check(PARTITIONER_CONSISTENT, v->key, v->consistent);
        check(PARTITIONER_MURMUR2, v->key, v->murmur2);
        check(PARTITIONER_MURMUR2_RANDOM, v->key, v->murmur2);
        check(PARTITIONER_FNV1A, v->key, v->fnv1a);
        check(PARTITIONER_FNV1A_RANDOM, v->key, v->fnv1a);
        if (v->key[0] != '\0') {
            check(PARTITIONER_CONSISTENT_RANDOM, v->key, v->consistent);
        }
    }
}
END_TEST

/* With few partitions: as librdkafka gives it for 12. */
START_TEST(stays_below_the_count)
{
    static const struct {
        enum partitioner partitioner;
        const char *key;
        uint32_t expected;
    } cases[] = {
        { PARTITIONER_CONSISTENT, "abc", 6 },
        { PARTITIONER_MURMUR2, "key0", 10 },
        { PARTITIONER_FNV1A, "key1", 11 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct partitioner_message message = { .key = slice(cases[i].key) };
        ck_assert_uint_eq(partitioner_choose(cases[i].partitioner, &message, 12),
                          cases[i].expected);
        ck_assert_uint_eq(partitioner_choose(cases[i].partitioner, &message, 1), 0);
    }
}
END_TEST

START_TEST(places_what_has_no_key)
{
    ck_assert_uint_eq(choose(PARTITIONER_NONE, no_key, 41), 41);
    ck_assert_uint_eq(choose(PARTITIONER_CONSISTENT, no_key, 41), 0);
    ck_assert_uint_eq(choose(PARTITIONER_MURMUR2, no_key, 41), 275646681);
    ck_assert_uint_eq(choose(PARTITIONER_FNV1A, no_key, 41), 2128831035);
}
END_TEST

/* What is random depends on which message it is and on nothing else. */
START_TEST(random_is_the_same_again)
{
    static const enum partitioner all[] = { PARTITIONER_RANDOM, PARTITIONER_CONSISTENT_RANDOM,
                                            PARTITIONER_MURMUR2_RANDOM, PARTITIONER_FNV1A_RANDOM };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        ck_assert_uint_eq(choose(all[i], no_key, 41), choose(PARTITIONER_RANDOM, no_key, 41));
        ck_assert_uint_ne(choose(all[i], no_key, 41), choose(all[i], no_key, 42));
    }
    ck_assert_uint_eq(choose(PARTITIONER_RANDOM, slice("a"), 41),
                      choose(PARTITIONER_RANDOM, slice("b"), 41));
    ck_assert_uint_eq(choose(PARTITIONER_CONSISTENT_RANDOM, slice(""), 41),
                      choose(PARTITIONER_RANDOM, no_key, 41));
}
END_TEST

/* 64,000 messages over 16 partitions: each has 4,000 give or take 5 standard deviations. */
START_TEST(random_spreads_evenly)
{
    uint32_t counts[16] = { 0 };
    for (int32_t partition = 0; partition < 4; partition++) {
        for (int64_t offset = 0; offset < 4000; offset++) {
            for (uint64_t nth = 0; nth < 4; nth++) {
                struct partitioner_message message = {
                    no_key, 0, partitioner_identity(partition, offset, nth)
                };
                counts[partitioner_choose(PARTITIONER_RANDOM, &message, 16)]++;
            }
        }
    }
    for (int i = 0; i < 16; i++) {
        ck_assert_msg(counts[i] > 3690 && counts[i] < 4310, "partition %d has %u", i, counts[i]);
    }
}
END_TEST

/* Every length of the tail, and a key that is not aligned. */
START_TEST(depends_on_bytes_not_on_place)
{
    const char bytes[] = "0123456789abcdef";
    char moved[32];
    for (size_t size = 0; size <= 16; size++) {
        weir_slice key = { (const uint8_t *)bytes, size };
        weir_slice same = { (const uint8_t *)moved + 1, size };
        memcpy(moved + 1, bytes, size);
        ck_assert_uint_eq(choose(PARTITIONER_MURMUR2, key, 0),
                          choose(PARTITIONER_MURMUR2, same, 0));
        if (size > 0) {
            moved[size] ^= 1;
            ck_assert_uint_ne(choose(PARTITIONER_MURMUR2, key, 0),
                              choose(PARTITIONER_MURMUR2, same, 0));
        }
    }
}
END_TEST

/* Whether any of some hundred keys comes to another partition; a random one is never where a key is. */
static bool part(enum partitioner one, enum partitioner other)
{
    char key[16];
    bool differ = one == PARTITIONER_RANDOM || other == PARTITIONER_RANDOM;
    for (int i = 0; i < 300; i++) {
        weir_slice text = { (const uint8_t *)key,
                            (uint64_t)snprintf(key, sizeof key, "key %d", i) };
        differ |= choose(one, text, 0) != choose(other, text, 0);
    }
    return differ;
}

START_TEST(those_that_agree_place_equal_keys_alike)
{
    for (enum partitioner one = PARTITIONER_NONE; one <= PARTITIONER_FNV1A_RANDOM; one++) {
        for (enum partitioner other = one; other <= PARTITIONER_FNV1A_RANDOM; other++) {
            ck_assert_msg(partitioner_agrees(one, other) == !part(one, other), "%d and %d", one,
                          other);
            ck_assert(partitioner_agrees(one, other) == partitioner_agrees(other, one));
        }
    }
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("partitioner");
    TCase *tc = tcase_create("partitioner");
    tcase_add_test(tc, places_keys_as_librdkafka_does);
    tcase_add_test(tc, stays_below_the_count);
    tcase_add_test(tc, places_what_has_no_key);
    tcase_add_test(tc, random_is_the_same_again);
    tcase_add_test(tc, random_spreads_evenly);
    tcase_add_test(tc, depends_on_bytes_not_on_place);
    tcase_add_test(tc, those_that_agree_place_equal_keys_alike);
    suite_add_tcase(s, tc);
    return s;
}
