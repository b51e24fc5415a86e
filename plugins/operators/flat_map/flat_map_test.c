/* SPDX-License-Identifier: MIT */
/* What the operator `flat_map` makes of records. */
#include "support/testing/operator_fixture.h"

#include "unit.h"

static struct fixture f;

static const struct operate_case cases[] = {
    { "l", "{\"l\":[1,\"a\",{\"b\": 1.10}]}\n{\"l\":[]}\n{\"l\":[[ ]]}",
      "1\n\"a\"\n{\"b\": 1.10}\n[ ]\n" },
    { "$value", "[1,null]\n[]", "1\nnull\n" },
    { "l", "{\"l\":null}\n{\"l\":\"ab\"}\n{\"l\":{}}\n{\"l\":[1]}",
      "1\n! 0: 'l' is null, not a list\n! 1: 'l' is text, not a list\n"
      "! 2: 'l' is map, not a list\n" },
    { "{items: l, as: x}", "{\"l\":[1,2],\"k\":0}",
      "{\"l\":[1,2],\"k\":0,\"x\":1}\n{\"l\":[1,2],\"k\":0,\"x\":2}\n" },
    { "{items: l, as: l, index: n}", "{\"l\":[7,8]}", "{\"l\":7,\"n\":0}\n{\"l\":8,\"n\":1}\n" },
    { "{items: l, as: m.item, index: m.n}", "{\"l\":[7,[8]],\"m\":{\"a\":0}}",
      "{\"l\":[7,[8]],\"m\":{\"a\":0,\"item\":7,\"n\":0}}\n"
      "{\"l\":[7,[8]],\"m\":{\"a\":0,\"item\":[8],\"n\":1}}\n" },
    { "{items: l, as: item, index: item.n}", "{\"l\":[{\"a\": 1},{\"a\": 2}]}",
      "{\"l\":[{\"a\": 1},{\"a\": 2}],\"item\":{\"a\":1,\"n\":0}}\n"
      "{\"l\":[{\"a\": 1},{\"a\": 2}],\"item\":{\"a\":2,\"n\":1}}\n" },
    { "{items: '[1, 2]', as: x}", "{}\n5\n{}",
      "{\"x\":1}\n{\"x\":2}\n{\"x\":1}\n{\"x\":2}\n"
      "! 1: cannot set 'x': the value is int, not a map\n" },
};

START_TEST(makes_a_record_an_item)
{
    fixture_check(&f, "operator_flat_map", &cases[_i]);
}
END_TEST

/* A record that fails at its second item takes the first one with it. */
START_TEST(emits_all_items_of_a_record_or_none)
{
    ck_assert_str_eq(fixture_operate(&f, "operator_flat_map", "{items: l, as: item, index: item.n}",
                                     "{\"l\":[{},1]}\n{\"l\":[{}]}"),
                     "{\"l\":[{}],\"item\":{\"n\":0}}\n"
                     "! 0: cannot set 'item.n': 'item' is int, not a map\n");
}
END_TEST

START_TEST(keeps_key_time_headers_and_place)
{
    ck_assert(fixture_init(&f, "operator_flat_map", "$value"));
    weir_batch batch = fixture_messages(&f, "{\"topic\":\"t\",\"partition\":3,\"offset\":9,"
                                            "\"timestamp\":7,\"key\":\"k\",\"value\":[1,2],"
                                            "\"headers\":[[\"h\",\"x\"]]}");
    ck_assert_str_eq(fixture_process(&f, &batch), "1\n2\n");
    for (int i = 0; i < 2; i++) {
        const weir_entry *made = &f.call.outputs[0].entries[i];
        ck_assert_uint_eq(made->origin, batch.entries[0].origin);
        ck_assert_int_eq(made->record->timestamp, 7);
        ck_assert_int_eq(made->record->offset, 9);
        ck_assert_uint_eq(made->record->key.len, 1);
        ck_assert_uint_eq(made->record->header_count, 1);
    }
    fixture_deinit(&f);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("flat_map");
    TCase *tests = tcase_create("flat_map");
    tcase_add_loop_test(tests, makes_a_record_an_item, 0, sizeof cases / sizeof cases[0]);
    tcase_add_test(tests, emits_all_items_of_a_record_or_none);
    tcase_add_test(tests, keeps_key_time_headers_and_place);
    suite_add_tcase(made, tests);
    return made;
}
