/* SPDX-License-Identifier: MIT */
#include "base/buffer.h"
#include "cli/json_writer.h"
#include "unit.h"

static weir_buffer out;
static struct json_writer writer;

static void setup(void)
{
    buffer_init(&out, 4096);
    writer = (struct json_writer){ .page = { .out = &out } };
}

static void teardown(void)
{
    buffer_deinit(&out);
}

START_TEST(indents_what_is_inside)
{
    json_begin_object(&writer, NULL);
    json_text(&writer, "a", "say \"x\"\n");
    json_begin_list(&writer, "b");
    json_int(&writer, NULL, INT64_MIN);
    json_bool(&writer, NULL, true);
    json_end_list(&writer);
    json_raw(&writer, "c", "[1, 2]");
    json_end_object(&writer);
    ck_assert_int_eq(writer.page.status, WEIR_OK);
    ck_assert_str_eq(buffer_c_string(&out), "{\n"
                                            "  \"a\": \"say \\\"x\\\"\\n\",\n"
                                            "  \"b\": [\n"
                                            "    -9223372036854775808,\n"
                                            "    true\n"
                                            "  ],\n"
                                            "  \"c\": [1, 2]\n"
                                            "}");
}
END_TEST

START_TEST(writes_empty_ones_in_one_line)
{
    json_begin_list(&writer, NULL);
    json_begin_object(&writer, NULL);
    json_end_object(&writer);
    json_begin_list(&writer, NULL);
    json_end_list(&writer);
    json_end_list(&writer);
    ck_assert_str_eq(buffer_c_string(&out), "[\n  {},\n  []\n]");
}
END_TEST

START_TEST(keeps_the_status_of_a_full_buffer)
{
    out.limit = 8;
    json_begin_object(&writer, NULL);
    for (int i = 0; i < 10; i++) {
        json_text(&writer, "name", "a text");
    }
    json_end_object(&writer);
    ck_assert_int_ne(writer.page.status, WEIR_OK);
}
END_TEST

Suite *suite(void)
{
    Suite *all = suite_create("json_writer");
    TCase *group = tcase_create("writing");
    tcase_add_checked_fixture(group, setup, teardown);
    tcase_add_test(group, indents_what_is_inside);
    tcase_add_test(group, writes_empty_ones_in_one_line);
    tcase_add_test(group, keeps_the_status_of_a_full_buffer);
    suite_add_tcase(all, group);
    return all;
}
