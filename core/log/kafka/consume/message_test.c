/* SPDX-License-Identifier: MIT */
/* Messages as they come back from a broker. */
#include "log/kafka/consume/message.h"

#include "log/kafka/mock_fixture.h"

static struct log_batch batch;
static struct arena arena;

static void start(void)
{
    mock_start();
    arena_init(&arena, 0);
}

static void finish(void)
{
    log_lease_end(&batch.lease);
    arena_deinit(&arena);
    mock_finish();
}

/* Puts messages into `out` and reads them outside of a group. */
static const struct log_message *round_trip(const struct log_message *messages, uint32_t count)
{
    static const struct log_epoch nothing;
    struct log_topic *topic = log_topic_find(mock_log, "out");
    ck_assert_int_eq(log_append(topic, 1, messages, count, &error), WEIR_OK);
    ck_assert_msg(commit_epoch(&nothing) == WEIR_OK, "%s", error.message);
    for (int i = 0; i < WAIT_MS && batch.count == 0; i++) {
        ck_assert_int_eq(log_read(topic, 1, 0, 100, 1 << 20, &arena, &batch, &error), WEIR_OK);
    }
    ck_assert_uint_eq(batch.count, count);
    return batch.messages;
}

static const struct {
    const char *key;
    const char *value; /* NULL: a tombstone */
    int64_t timestamp;
    int64_t wanted; /* timestamp */
} cases[] = {
    { "k", "v", 1700000000123, 1700000000123 },
    { NULL, "v", 1, 1 },
    { "", "", 7, 7 },
    { "k", NULL, 7, 7 },
    { NULL, NULL, 7, 7 },
    { "k", "v", -1, -1 },
    { "k", "v", -5000, -5000 },
    { "k", "v", 0, 1 }, /* the library has no 0 */
};
enum { CASES = sizeof cases / sizeof cases[0] };

START_TEST(keys_values_and_times_come_back)
{
    struct log_message messages[CASES];
    for (uint32_t i = 0; i < CASES; i++) {
        messages[i] = (struct log_message){ .timestamp = cases[i].timestamp,
                                            .key = text_slice(cases[i].key),
                                            .value = text_slice(cases[i].value) };
    }
    const struct log_message *found = round_trip(messages, CASES);
    for (uint32_t i = 0; i < CASES; i++) {
        require(is_slice(found[i].key, cases[i].key), "key of %u", i);
        require(is_slice(found[i].value, cases[i].value), "value of %u", i);
        ck_assert_int_eq(found[i].timestamp, cases[i].wanted);
        ck_assert_int_eq(found[i].offset, i);
        ck_assert_uint_eq(found[i].header_count, 0);
    }
}
END_TEST

START_TEST(headers_come_back_in_their_order_with_null_apart_from_empty)
{
    const struct log_header headers[] = {
        { .name = "n", .name_len = 1, .value = text_slice("1") },
        { .name = "n", .name_len = 1, .value = text_slice(NULL) },
        { .name = "longer", .name_len = 6, .value = text_slice("") },
        { .name = "n", .name_len = 1, .value = { (const uint8_t *)"a\0b", 3 } },
    };
    struct log_message message = {
        .timestamp = 5, .value = text_slice("v"), .headers = headers, .header_count = 4
    };
    const struct log_message *found = round_trip(&message, 1);
    ck_assert_uint_eq(found->header_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const struct log_header *header = &found->headers[i];
        ck_assert_uint_eq(header->name_len, headers[i].name_len);
        ck_assert_str_eq(header->name, headers[i].name);
        ck_assert_uint_eq(header->value.size, headers[i].value.size);
    }
    ck_assert(is_slice(found->headers[0].value, "1"));
    ck_assert_mem_eq(found->headers[3].value.data, "a\0b", 3);
}
END_TEST

Suite *suite(void)
{
    TCase *tests = tcase_create("message");
    tcase_add_checked_fixture(tests, start, finish);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, keys_values_and_times_come_back);
    tcase_add_test(tests, headers_come_back_in_their_order_with_null_apart_from_empty);
    Suite *made = suite_create("kafka message");
    suite_add_tcase(made, tests);
    return made;
}
