/* SPDX-License-Identifier: MIT */
/* The hash against values that the Java client gives. */
#include <string.h>

#include "log/log.h"
#include "unit.h"

static const struct vector {
    const char *key;
    int32_t java;
} vectors[] = {
    { "21", -973932308 },
    { "foobar", -790332482 },
    { "a-little-bit-long-string", -985981536 },
    { "a-little-bit-longer-string", -1486304829 },
    { "lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971 },
    { "abc", 479470107 },
};

START_TEST(gives_the_java_clients_hash)
{
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        uint32_t expected = (uint32_t)vectors[i].java & 0x7fffffffu;
        uint32_t hash = log_murmur2(vectors[i].key, strlen(vectors[i].key));
        ck_assert_msg(hash == expected, "'%s': %u, not %u", vectors[i].key, hash, expected);
    }
}
END_TEST

/* Every length of the tail, and a key that is not aligned. */
START_TEST(depends_on_bytes_not_on_place)
{
    const char bytes[] = "0123456789abcdef";
    char moved[32];
    for (size_t size = 0; size <= 16; size++) {
        memcpy(moved + 1, bytes, size);
        ck_assert_uint_eq(log_murmur2(bytes, size), log_murmur2(moved + 1, size));
        if (size > 0) {
            moved[size] ^= 1;
            ck_assert_uint_ne(log_murmur2(bytes, size), log_murmur2(moved + 1, size));
        }
    }
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("murmur2");
    TCase *tc = tcase_create("murmur2");
    tcase_add_test(tc, gives_the_java_clients_hash);
    tcase_add_test(tc, depends_on_bytes_not_on_place);
    suite_add_tcase(s, tc);
    return s;
}
