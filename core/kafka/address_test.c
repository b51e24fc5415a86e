/* SPDX-License-Identifier: MIT */
#include "kafka/address.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

struct told {
    char text[1024];
};

static void tell(void *self, const char *message)
{
    struct told *told = self;
    size_t len = strlen(told->text);
    snprintf(told->text + len, sizeof told->text - len, "%s\n", message);
}

static struct arena arena;

static void start(void)
{
    arena_init(&arena, 0);
}

static void finish(void)
{
    arena_deinit(&arena);
}

static const char *const right[][2] = {
    { "kafka://a", "a:9092" },
    { "kafka://a:1", "a:1" },
    { "kafka://a,b:65535,c.d-e_f", "a:9092,b:65535,c.d-e_f:9092" },
    { "kafka://127.0.0.1:1", "127.0.0.1:1" },
    { "kafka://[::1],[2001:db8::1]:2", "[::1]:9092,[2001:db8::1]:2" },
    { "kafka://ab:1,b:1", "ab:1,b:1" },
};

START_TEST(a_right_address_is_a_list_of_brokers_with_ports)
{
    struct told told = { "" };
    const char *brokers = kafka_brokers(right[_i][0], &arena, tell, &told);
    ck_assert_str_eq(told.text, "");
    ck_assert_str_eq(brokers, right[_i][1]);
}
END_TEST

/* What is told, all faults in the order of the address. */
static const char *const wrong[][2] = {
    { "kafka:", "two slashes" },
    { "kafka:/a", "two slashes" },
    { "kafka://", "brokers are missing" },
    { "kafka://,a", "no host" },
    { "kafka://a,", "no host" },
    { "kafka://:1", "no host" },
    { "kafka://a:", "port of 'a' is missing" },
    { "kafka://a:0", "'0' is no port" },
    { "kafka://a:65536", "'65536' is no port" },
    { "kafka://a:-1", "'-1' is no port" },
    { "kafka://a:1b", "'1b' is no port" },
    { "kafka://a:99999999999999999999", "is no port" },
    { "kafka://a:1,A:1", "'A:1' stands twice" },
    { "kafka://a,a:9092", "'a:9092' stands twice" },
    { "kafka://a b", "blanks" },
    { "kafka://a/", "path" },
    { "kafka://a/t", "path" },
    { "kafka://a?x=y", "options" },
    { "kafka://u:p@a", "names a user" },
    { "kafka://a,kafka://b", "more than once" },
    { "kafka://::1", "several colons" },
    { "kafka://[::1", "'[::1' is no broker" },
    { "kafka://[::1]x", "'[::1]x' is no broker" },
    { "kafka://[]", "no address of IPv6" },
    { "kafka://[::1%eth0]:1", "no address of IPv6" },
    { "kafka://a$b", "'a$b' is no host" },
    { "kafka://a:x,b:y", "'x' is no port; write a number from 1 to 65535\n'y' is no port" },
};

START_TEST(a_wrong_address_is_told_with_a_cure)
{
    struct told told = { "" };
    ck_assert_ptr_null(kafka_brokers(wrong[_i][0], &arena, tell, &told));
    ck_assert_msg(strstr(told.text, wrong[_i][1]) != NULL, "'%s': %s", wrong[_i][0], told.text);
    ck_assert_msg(strstr(told.text, "; ") != NULL, "no cure: %s", told.text);
    ck_assert_ptr_null(kafka_brokers(wrong[_i][0], &arena, NULL, NULL));
}
END_TEST

START_TEST(what_is_too_long_is_a_fault_and_a_user_is_never_shown)
{
    static char url[20000] = "kafka://u:hunter22@";
    struct told told = { "" };
    ck_assert_ptr_null(kafka_brokers(url, &arena, tell, &told));
    ck_assert_ptr_null(strstr(told.text, "hunter22"));
    memset(url + 8, 'a', 300);
    url[308] = '\0';
    told.text[0] = '\0';
    ck_assert_ptr_null(kafka_brokers(url, &arena, tell, &told));
    ck_assert_msg(strstr(told.text, "too long") != NULL, "%s", told.text);
    size_t len = strlen("kafka://");
    for (int i = 0; len + 16 < sizeof url; i++) {
        len += (size_t)snprintf(url + len, sizeof url - len, "%sh%d:%d", i > 0 ? "," : "", i, 1);
    }
    ck_assert_ptr_null(kafka_brokers(url, &arena, tell, &told));
    ck_assert_msg(strstr(told.text, "too many brokers") != NULL, "%s", told.text);
}
END_TEST

START_TEST(the_scheme_tells_who_is_meant)
{
    ck_assert(kafka_address_is_meant("kafka://a"));
    ck_assert(kafka_address_is_meant("kafka:a"));
    ck_assert(!kafka_address_is_meant("local:kafka"));
    ck_assert(!kafka_address_is_meant("kafka"));
}
END_TEST

Suite *suite(void)
{
    TCase *tests = tcase_create("address");
    tcase_add_checked_fixture(tests, start, finish);
    tcase_add_loop_test(tests, a_right_address_is_a_list_of_brokers_with_ports, 0,
                        sizeof right / sizeof right[0]);
    tcase_add_loop_test(tests, a_wrong_address_is_told_with_a_cure, 0,
                        sizeof wrong / sizeof wrong[0]);
    tcase_add_test(tests, what_is_too_long_is_a_fault_and_a_user_is_never_shown);
    tcase_add_test(tests, the_scheme_tells_who_is_meant);
    Suite *made = suite_create("kafka address");
    suite_add_tcase(made, tests);
    return made;
}
