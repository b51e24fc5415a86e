/* SPDX-License-Identifier: MIT */
#include "value/letter.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "unit.h"
#include "value/json.h"
#include "value/sample.h"

static struct arena arena;
static weir_buffer out;
static struct error error;
static struct letter_message message;
static struct record_line record;
static struct letter letter;
static weir_member headers[2];
static weir_value message_value;

static void start(void)
{
    arena_init(&arena, 0);
    buffer_init(&out, 1 << 24);
    error = (struct error){ 0 };
    headers[0] = sample_member("h", sample_bytes("text"));
    headers[1] = sample_member("none", weir_null());
    message = (struct letter_message){ .topic = "flights",
                                       .topic_len = 7,
                                       .partition = 2,
                                       .offset = 17,
                                       .timestamp = 1000,
                                       .key = sample_bytes("UA"),
                                       .value = sample_bytes("{\"a\": 1}"),
                                       .headers = headers,
                                       .header_count = 2 };
    record = (struct record_line){ .topic = "flights",
                                   .topic_len = 7,
                                   .partition = 2,
                                   .record = { .timestamp = 1000,
                                               .offset = 17,
                                               .key = sample_text("UA"),
                                               .value = sample_bytes("\xff\x01") } };
    letter = (struct letter){ .time_ms = 0,
                              .error_class = "data",
                              .error = "field 'delay' is missing",
                              .hint = "write it",
                              .place = "streams.late.steps[0] (filter)",
                              .stream = "late",
                              .step = "filter",
                              .message = &message_value,
                              .record = &record };
}

static void finish(void)
{
    memory_fail_from(0);
    arena_deinit(&arena);
    buffer_deinit(&out);
}

static weir_value made(void)
{
    weir_value value;
    ck_assert(letter_make_message(&arena, &message, &message_value));
    ck_assert(letter_make(&arena, &letter, &value));
    return value;
}

static const char *json(const weir_value *value)
{
    const char *fault = NULL;
    buffer_clear(&out);
    ck_assert_msg(json_write(value, 0, 0, &out, &fault) == WEIR_OK, "%s", fault);
    return buffer_c_string(&out);
}

START_TEST(everything_stands_in_order)
{
    weir_value value = made();
    ck_assert_str_eq(
        json(&value),
        "{\"time\":\"1970-01-01T00:00:00.000Z\",\"error\":{\"class\":\"data\",\"message\":"
        "\"field 'delay' is missing\",\"hint\":\"write it\"},\"place\":"
        "\"streams.late.steps[0] (filter)\",\"stream\":\"late\",\"step\":\"filter\",\"message\":"
        "{\"topic\":\"flights\",\"partition\":2,\"offset\":17,\"timestamp\":1000,\"key\":\"UA\","
        "\"value\":\"{\\\"a\\\": 1}\",\"headers\":[[\"h\",\"text\"],[\"none\",null]]},\"record\":"
        "{\"topic\":\"flights\",\"partition\":2,\"offset\":17,\"timestamp\":1000,\"key\":\"UA\","
        "\"value\":{\"$bytes\":\"/wE=\"}},\"cut\":null}");
}
END_TEST

START_TEST(what_is_not_known_is_null)
{
    letter = (struct letter){ .error_class = "data", .error = "bad", .place = "p", .step = "s" };
    weir_value value = made();
    ck_assert_str_eq(json(&value),
                     "{\"time\":\"1970-01-01T00:00:00.000Z\",\"error\":{\"class\":\"data\","
                     "\"message\":\"bad\",\"hint\":null},\"place\":\"p\",\"stream\":null,\"step\":"
                     "\"s\",\"message\":null,\"record\":null,\"cut\":null}");
}
END_TEST

START_TEST(a_line_of_a_source_has_no_place_in_the_log)
{
    message = (struct letter_message){ .value = sample_bytes("{\"bad") };
    letter.record = NULL;
    weir_value value = made();
    ck_assert_ptr_nonnull(strstr(json(&value), "\"message\":{\"topic\":null,\"partition\":null,"
                                               "\"offset\":null,\"timestamp\":null,\"key\":null,"
                                               "\"value\":\"{\\\"bad\",\"headers\":[]}"));
    struct letter_message got;
    ck_assert_int_eq(letter_message_read(&value, &arena, &got, &error), WEIR_E_DATA);
    ck_assert_ptr_nonnull(strstr(error.message, "of a source"));
}
END_TEST

static void check_same(const struct letter_message *got)
{
    ck_assert_uint_eq(got->topic_len, message.topic_len);
    ck_assert_mem_eq(got->topic, message.topic, message.topic_len);
    ck_assert_int_eq(got->partition, message.partition);
    ck_assert_int_eq(got->offset, message.offset);
    ck_assert_int_eq(got->timestamp, message.timestamp);
    ck_assert_uint_eq(got->key.tag, message.key.tag);
    ck_assert_uint_eq(got->key.len, message.key.len);
    ck_assert_uint_eq(got->value.tag, message.value.tag);
    ck_assert_uint_eq(got->value.len, message.value.len);
    if (message.value.len > 0) {
        ck_assert_mem_eq(got->value.as.text, message.value.as.text, message.value.len);
    }
    ck_assert_uint_eq(got->header_count, message.header_count);
    for (uint32_t i = 0; i < got->header_count; i++) {
        ck_assert_uint_eq(got->headers[i].value.tag, headers[i].value.tag);
        ck_assert_uint_eq(got->headers[i].value.len, headers[i].value.len);
    }
}

START_TEST(of_a_line_that_is_too_long_the_size_is_kept)
{
    message = (struct letter_message){ .value = sample_bytes("the beg") };
    letter.record = NULL;
    letter.whole_value = 5000;
    weir_value value = made();
    weir_value less;
    for (enum letter_form form = LETTER_WHOLE; form < LETTER_FORMS; form++) {
        ck_assert(letter_reduce(&arena, &value, form, &less));
        ck_assert_ptr_nonnull(strstr(json(&less), "\"value\":\"the beg\""));
        ck_assert_ptr_nonnull(strstr(json(&less), ",\"cut\":{\"value\":5000}}"));
    }
    letter.whole_value = UINT64_MAX;
    value = made();
    ck_assert_ptr_nonnull(strstr(json(&value), ",\"cut\":{\"value\":true}}"));
}
END_TEST

START_TEST(the_message_comes_back_byte_for_byte)
{
    char bytes[256];
    for (int i = 0; i < 256; i++) {
        bytes[i] = (char)i;
    }
    const weir_value values[] = { sample_bytes("{\"a\": 1}"), sample_bytes(""), weir_null(),
                                  weir_bytes_value(bytes, 256), weir_bytes_value("a\0b", 3) };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct letter_message got;
        message.value = values[i];
        message.key = i == 2 ? weir_null() : values[3];
        weir_value value = made();
        ck_assert_msg(letter_message_read(&value, &arena, &got, &error) == WEIR_OK, "%s",
                      error.message);
        check_same(&got);
    }
}
END_TEST

START_TEST(first_the_record_is_left_out)
{
    weir_value whole = made();
    weir_value less;
    ck_assert(letter_reduce(&arena, &whole, LETTER_WITHOUT_RECORD, &less));
    ck_assert_ptr_nonnull(strstr(json(&less), ",\"record\":null,\"cut\":{\"record\":true}}"));
    struct letter_message got;
    ck_assert_int_eq(letter_message_read(&less, &arena, &got, &error), WEIR_OK);
    check_same(&got);
    ck_assert_ptr_nonnull(strstr(json(&whole), "\"cut\":null"));
    weir_value least;
    ck_assert(letter_reduce(&arena, &less, LETTER_CUT, &least));
    ck_assert_ptr_nonnull(strstr(json(&least), ",\"record\":null,\"cut\":{\"record\":true}}"));
}
END_TEST

START_TEST(then_the_bytes_are_cut_and_their_sizes_kept)
{
    char *large = malloc(100000);
    memset(large, 'x', 100000);
    memset(large + 1023, 0xc3, 1); /* a code point that would be cut in half */
    memset(large + 1024, 0xa9, 1);
    message.value = weir_bytes_value(large, 100000);
    message.key = weir_bytes_value(large + 1024, 5000); /* no UTF-8 */
    headers[0].value = weir_bytes_value(large, 1020);
    weir_value whole = made();
    weir_value less;
    ck_assert(letter_reduce(&arena, &whole, LETTER_CUT, &less));
    const char *text = json(&less);
    ck_assert_ptr_nonnull(
        strstr(text, "\"cut\":{\"record\":true,\"key\":5000,\"value\":100000,\"headers\":1025}}"));
    ck_assert_uint_lt(out.size, 4096);
    struct letter_message got;
    ck_assert_int_eq(letter_message_read(&less, &arena, &got, &error), WEIR_E_DATA);
    ck_assert_ptr_nonnull(strstr(error.message, "its value was cut"));
    ck_assert_ptr_nonnull(strstr(error.message, "100000 bytes"));
    /* What was cut stays so in every form: it would pass for a whole message. */
    weir_value again;
    for (enum letter_form form = LETTER_WHOLE; form < LETTER_FORMS; form++) {
        ck_assert(letter_reduce(&arena, &less, form, &again));
        ck_assert_ptr_nonnull(strstr(json(&again), "\"value\":100000,"));
    }
    free(large);
}
END_TEST

START_TEST(a_record_that_would_be_too_much_is_left_out_from_the_beginning)
{
    letter.record = NULL;
    letter.is_without_record = true;
    weir_value value = made();
    ck_assert_ptr_nonnull(strstr(json(&value), ",\"record\":null,\"cut\":{\"record\":true}}"));
    struct letter_message got;
    ck_assert_int_eq(letter_message_read(&value, &arena, &got, &error), WEIR_OK);
    check_same(&got);
}
END_TEST

START_TEST(a_small_letter_is_not_cut)
{
    weir_value whole = made();
    weir_value less;
    ck_assert(letter_reduce(&arena, &whole, LETTER_CUT, &less));
    ck_assert_ptr_nonnull(strstr(json(&less), "\"cut\":{\"record\":true}}"));
    letter.record = NULL;
    whole = made();
    ck_assert(letter_reduce(&arena, &whole, LETTER_CUT, &less));
    ck_assert_ptr_nonnull(strstr(json(&less), "\"cut\":null}"));
}
END_TEST

START_TEST(other_values_are_no_letters)
{
    struct letter_message got;
    const weir_value values[] = {
        weir_null(),
        weir_int(1),
        MAP(sample_member("message", weir_null())),
        MAP(sample_member("message", MAP(sample_member("topic", weir_int(1)))),
            sample_member("error", weir_null()), sample_member("cut", weir_null())),
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        ck_assert_int_eq(letter_message_read(&values[i], &arena, &got, &error), WEIR_E_DATA);
        ck_assert_ptr_nonnull(strstr(error.message, "no dead letter"));
    }
}
END_TEST

START_TEST(out_of_memory_is_told)
{
    weir_value value = made();
    weir_value again;
    arena_deinit(&arena);
    for (unsigned i = 1; i < 3; i++) {
        arena_init(&arena, 64);
        memory_fail_from(i);
        ck_assert(!letter_make_message(&arena, &message, &again) ||
                  !letter_make(&arena, &letter, &value));
        memory_fail_from(0);
        arena_deinit(&arena);
    }
    arena_init(&arena, 0);
}
END_TEST

Suite *suite(void)
{
    TCase *tcase = tcase_create("letter");
    tcase_add_checked_fixture(tcase, start, finish);
    tcase_add_test(tcase, everything_stands_in_order);
    tcase_add_test(tcase, what_is_not_known_is_null);
    tcase_add_test(tcase, a_line_of_a_source_has_no_place_in_the_log);
    tcase_add_test(tcase, of_a_line_that_is_too_long_the_size_is_kept);
    tcase_add_test(tcase, the_message_comes_back_byte_for_byte);
    tcase_add_test(tcase, first_the_record_is_left_out);
    tcase_add_test(tcase, then_the_bytes_are_cut_and_their_sizes_kept);
    tcase_add_test(tcase, a_record_that_would_be_too_much_is_left_out_from_the_beginning);
    tcase_add_test(tcase, a_small_letter_is_not_cut);
    tcase_add_test(tcase, other_values_are_no_letters);
    tcase_add_test(tcase, out_of_memory_is_told);
    Suite *s = suite_create("letter");
    suite_add_tcase(s, tcase);
    return s;
}
