/* SPDX-License-Identifier: MIT */
/* Record lines, written and read; values are written in the test, so no JSON reader takes part. */
#include "value/record_line.h"

#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "unit.h"
#include "value/sample.h"

#define COUNT(array) (int)(sizeof(array) / sizeof(array)[0])

static struct arena arena;
static weir_buffer out;
static struct error error;
static struct record_line line;

static void start(void)
{
    arena_init(&arena, 0);
    buffer_init(&out, 1 << 20);
    error = (struct error){ 0 };
    line = (struct record_line){ .partition = -1,
                                 .record = { .timestamp = WEIR_NO_TIMESTAMP, .offset = -1 } };
}

static void finish(void)
{
    memory_fail_from(0);
    arena_deinit(&arena);
    buffer_deinit(&out);
}

static const char *written(void)
{
    buffer_clear(&out);
    ck_assert_int_eq(record_line_write(&line, &out, &error), WEIR_OK);
    return buffer_c_string(&out);
}

START_TEST(absent_members_are_left_out_but_key_and_value)
{
    ck_assert_str_eq(written(), "{\"key\":null,\"value\":null}");
    line.partition = 0;
    ck_assert_str_eq(written(), "{\"partition\":0,\"key\":null,\"value\":null}");
    line.record.offset = 0;
    line.record.timestamp = 0;
    ck_assert_str_eq(written(),
                     "{\"partition\":0,\"offset\":0,\"timestamp\":0,\"key\":null,\"value\":null}");
}
END_TEST

START_TEST(members_stand_in_order)
{
    weir_member headers[] = { sample_member("h\"1", sample_bytes("text")),
                              sample_member("h2", sample_bytes("\xff")),
                              sample_member("h2", weir_null()) };
    line.topic = "readings";
    line.topic_len = 8;
    line.partition = 3;
    line.record.offset = 1048;
    line.record.timestamp = -5;
    line.record.key = sample_bytes("k");
    line.record.value = MAP(sample_member("a", sample_bytes("\xfe")));
    line.record.headers = headers;
    line.record.header_count = 3;
    ck_assert_str_eq(written(), "{\"topic\":\"readings\",\"partition\":3,\"offset\":1048,"
                                "\"timestamp\":-5,\"key\":{\"$bytes\":\"aw==\"},"
                                "\"value\":{\"a\":{\"$bytes\":\"/g==\"}},"
                                "\"headers\":[[\"h\\\"1\",\"text\"],[\"h2\",{\"$bytes\":\"/w==\"}],"
                                "[\"h2\",null]]}");
}
END_TEST

START_TEST(a_line_that_fails_leaves_the_buffer)
{
    ck_assert_int_eq(buffer_text(&out, "x"), WEIR_OK);
    line.record.value = (weir_value){ .tag = 77 };
    ck_assert_int_eq(record_line_write(&line, &out, &error), WEIR_E_DATA);
    ck_assert_uint_eq(out.size, 1);
    ck_assert_uint_eq(error.error_class, WEIR_CLASS_DATA);
    ck_assert_ptr_nonnull(strstr(error.message, "cannot write the record as a line"));
    weir_buffer small;
    buffer_init(&small, 20);
    line.record.value = weir_null();
    ck_assert_int_eq(record_line_write(&line, &small, &error), WEIR_E_LIMIT);
    ck_assert_uint_eq(small.size, 0);
    buffer_deinit(&small);
    memory_fail_from(1);
    ck_assert_int_eq(record_line_write(&line, &small, &error), WEIR_E_NOMEM);
    ck_assert_int_eq(error.status, WEIR_E_NOMEM);
}
END_TEST

static weir_status read_line(weir_value object)
{
    return record_line_read(&object, &arena, &line, &error);
}

START_TEST(everything_is_taken_apart)
{
    weir_value object =
        MAP(sample_member(
                "headers",
                LIST(LIST(sample_text("a"), sample_text("b")), LIST(sample_text("c"), weir_null()),
                     LIST(sample_text("d"), MAP(sample_member("$bytes", sample_text("/w==")))))),
            sample_member("value", MAP(sample_member("x", weir_int(1)))),
            sample_member("key", sample_text("k")), sample_member("timestamp", sample_number("12")),
            sample_member("offset", weir_int(7)), sample_member("partition", weir_int(2)),
            sample_member("topic", sample_text("t")));
    ck_assert_int_eq(read_line(object), WEIR_OK);
    ck_assert_int_eq(memcmp(line.topic, "t", line.topic_len), 0);
    ck_assert_int_eq(line.partition, 2);
    ck_assert_int_eq(line.record.offset, 7);
    ck_assert_int_eq(line.record.timestamp, 12);
    ck_assert_uint_eq(line.record.key.tag, WEIR_TEXT);
    ck_assert_ptr_eq(line.record.value.as.members, object.as.members[1].value.as.members);
    ck_assert_uint_eq(line.record.header_count, 3);
    ck_assert_uint_eq(line.record.headers[0].value.tag, WEIR_BYTES);
    ck_assert_int_eq(memcmp(line.record.headers[0].value.as.text, "b", 1), 0);
    ck_assert_uint_eq(line.record.headers[1].value.tag, WEIR_NULL);
    ck_assert_uint_eq(line.record.headers[2].value.len, 1);
    ck_assert_int_eq(line.record.headers[2].value.as.text[0], '\xff');
}
END_TEST

START_TEST(only_the_value_is_required)
{
    ck_assert_int_eq(read_line(MAP(sample_member("value", weir_null()))), WEIR_OK);
    ck_assert_uint_eq(line.topic_len, 0);
    ck_assert_int_eq(line.partition, -1);
    ck_assert_int_eq(line.record.offset, WEIR_NO_OFFSET);
    ck_assert_int_eq(line.record.timestamp, WEIR_NO_TIMESTAMP);
    ck_assert_uint_eq(line.record.key.tag, WEIR_NULL);
    ck_assert_uint_eq(line.record.header_count, 0);
    ck_assert_int_eq(read_line(MAP(sample_member("key", weir_null()))), WEIR_E_DATA);
    ck_assert_str_eq(error.message, "the record line has no member 'value'");
    ck_assert_ptr_nonnull(strstr(error.hint, "null"));
}
END_TEST

START_TEST(wrong_members_are_named)
{
    const struct {
        weir_value object;
        const char *message;
    } cases[] = {
        { LIST(weir_int(1)), "must be a JSON object, not list" },
        { MAP(sample_member("topic", weir_int(1))), "'topic' of the record line must be a name" },
        { MAP(sample_member("topic", sample_text(""))), "'topic'" },
        { MAP(sample_member("partition", sample_text("1"))), "must be an int, not text" },
        { MAP(sample_member("partition", weir_int(-1))), "'partition' of the record line is out" },
        { MAP(sample_member("partition", weir_int(1LL << 31))), "out of range: 2147483648" },
        { MAP(sample_member("offset", weir_float(1))), "must be an int, not float" },
        { MAP(sample_member("offset", weir_bool(1))), "must be an int, not bool" },
        { MAP(sample_member("offset", weir_int(-1))), "'offset' of the record line is out" },
        { MAP(sample_member("timestamp", sample_number("99999999999999999999"))), "an int" },
        { MAP(sample_member("timestamp", weir_int(INT64_MIN))), "out of range" },
        { MAP(sample_member("headers", weir_int(1))),
          "'headers' of the record line must be a list" },
        { MAP(sample_member("headers", LIST(weir_int(1)))), "a list of [name, text]" },
        { MAP(sample_member("headers", LIST(LIST(sample_text("a"))))), "a list of [name, text]" },
        { MAP(sample_member("headers", LIST(LIST(weir_int(1), sample_text("a"))))), "[name" },
        { MAP(sample_member("headers", LIST(LIST(sample_text("a"), weir_int(1))))), "not int" },
        { MAP(sample_member("value", MAP(sample_member("$bytes", sample_text("x"))))),
          "not base64" },
        { MAP(sample_member("vlaue", weir_int(1))), "has no member 'vlaue'" },
    };
    for (int i = 0; i < COUNT(cases); i++) {
        error = (struct error){ 0 };
        ck_assert_int_eq(read_line(cases[i].object), WEIR_E_DATA);
        ck_assert_msg(strstr(error.message, cases[i].message) != NULL, "%s", error.message);
        ck_assert_uint_eq(error.error_class, WEIR_CLASS_DATA);
        ck_assert_int_eq(record_line_read(&cases[i].object, &arena, &line, NULL), WEIR_E_DATA);
    }
    ck_assert_str_eq(error.hint, "did you mean 'value'?");
}
END_TEST

static const struct {
    const char *text;
    bool is_valid;
    const char *bytes;
    uint32_t len;
} base64[] = {
    { "", true, "", 0 },
    { "Zg==", true, "f", 1 },
    { "Zm8=", true, "fo", 2 },
    { "Zm9v", true, "foo", 3 },
    { "//79AA==", true, "\xff\xfe\xfd\0", 4 },
    { "++++", true, "\xfb\xef\xbe", 3 },
    { "Zg", false, "", 0 },
    { "Zg=", false, "", 0 },
    { "Z", false, "", 0 },
    { "====", false, "", 0 },
    { "Zh==", false, "", 0 }, /* bits left over */
    { "Zm9=", false, "", 0 },
    { "Zm9v=", false, "", 0 },
    { "Zm 9", false, "", 0 },
    { "Zm-_", false, "", 0 },
    { "Zg==Zg==", false, "", 0 },
    { "Z===", false, "", 0 },
};

START_TEST(base64_is_read_strictly)
{
    weir_value tagged = MAP(sample_member("$bytes", sample_text(base64[_i].text)));
    weir_status st = read_line(MAP(sample_member("value", tagged)));
    ck_assert_int_eq(st, base64[_i].is_valid ? WEIR_OK : WEIR_E_DATA);
    if (st == WEIR_OK) {
        ck_assert_uint_eq(line.record.value.tag, WEIR_BYTES);
        ck_assert_uint_eq(line.record.value.len, base64[_i].len);
        ck_assert_int_eq(memcmp(line.record.value.as.text, base64[_i].bytes, base64[_i].len), 0);
    }
}
END_TEST

START_TEST(bytes_deep_inside_are_found_and_the_rest_is_shared)
{
    weir_value untouched = LIST(weir_int(1));
    untouched.flags = WEIR_VALUE_SOURCE; /* is not looked at here */
    weir_value changed = LIST(weir_int(2), MAP(sample_member("$bytes", sample_text("Zg=="))));
    changed.flags = WEIR_VALUE_SOURCE;
    weir_value value = MAP(sample_member("u", untouched), sample_member("c", changed),
                           sample_member("two", MAP(sample_member("$bytes", sample_text("Zg==")),
                                                    sample_member("b", weir_null()))),
                           sample_member("int", MAP(sample_member("$bytes", weir_int(1)))));
    value.flags = WEIR_VALUE_SOURCE;
    ck_assert_int_eq(read_line(MAP(sample_member("value", value))), WEIR_OK);
    const weir_value *read = &line.record.value;
    ck_assert_uint_eq(read->flags, 0);
    ck_assert_ptr_eq(read->as.members[0].value.as.items, untouched.as.items);
    ck_assert_uint_eq(read->as.members[0].value.flags, WEIR_VALUE_SOURCE);
    ck_assert_uint_eq(read->as.members[1].value.flags, 0);
    ck_assert_int_eq(read->as.members[1].value.as.items[0].as.i64, 2);
    ck_assert_uint_eq(read->as.members[1].value.as.items[1].tag, WEIR_BYTES);
    ck_assert_uint_eq(read->as.members[2].value.tag, WEIR_MAP);
    ck_assert_uint_eq(read->as.members[3].value.tag, WEIR_MAP);
    ck_assert_uint_eq(changed.as.items[1].tag, WEIR_MAP); /* what was decoded stays as it is */
}
END_TEST

START_TEST(deep_values_are_read_quickly_and_safely)
{
    static weir_value items[5000];
    weir_value bytes = MAP(sample_member("$bytes", sample_text("Zg==")));
    weir_value deep = sample_nest(bytes, 1000, items);
    ck_assert_int_eq(read_line(MAP(sample_member("value", deep))), WEIR_OK);
    const weir_value *inner = &line.record.value;
    for (int i = 0; i < 1000; i++) {
        inner = inner->as.items;
    }
    ck_assert_uint_eq(inner->tag, WEIR_BYTES);
    deep = sample_nest(bytes, 5000, items);
    ck_assert_int_eq(read_line(MAP(sample_member("value", deep))), WEIR_OK);
}
END_TEST

START_TEST(no_memory_is_an_error)
{
    weir_value tagged = LIST(MAP(sample_member("$bytes", sample_text("Zg=="))));
    weir_value headers = LIST(LIST(sample_text("a"), sample_text("b")));
    memory_fail_from(1);
    ck_assert_int_eq(read_line(MAP(sample_member("value", tagged))), WEIR_E_NOMEM);
    ck_assert_int_eq(error.status, WEIR_E_NOMEM);
    ck_assert_int_eq(read_line(MAP(sample_member("headers", headers))), WEIR_E_NOMEM);
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("record_line");
    TCase *tests = tcase_create("record_line");
    tcase_add_checked_fixture(tests, start, finish);
    tcase_add_test(tests, absent_members_are_left_out_but_key_and_value);
    tcase_add_test(tests, members_stand_in_order);
    tcase_add_test(tests, a_line_that_fails_leaves_the_buffer);
    tcase_add_test(tests, everything_is_taken_apart);
    tcase_add_test(tests, only_the_value_is_required);
    tcase_add_test(tests, wrong_members_are_named);
    tcase_add_loop_test(tests, base64_is_read_strictly, 0, COUNT(base64));
    tcase_add_test(tests, bytes_deep_inside_are_found_and_the_rest_is_shared);
    tcase_add_test(tests, deep_values_are_read_quickly_and_safely);
    tcase_add_test(tests, no_memory_is_an_error);
    suite_add_tcase(suite, tests);
    return suite;
}
