/* SPDX-License-Identifier: MIT */
/* Reading values out of values: members, indexes, slices, and the names of the record. */
#include "expr/expr_fixture.h"

START_TEST(members_are_found_however_they_are_keyed)
{
    weir_expression *expression = fixture_compile("a.b");
    uint32_t a = symbols_lookup(&fixture.symbols, "a", 1);
    uint32_t b = symbols_lookup(&fixture.symbols, "b", 1);
    ck_assert_uint_ge(a, WEIR_SYMBOL_FIRST);
    const uint32_t outer[] = { a, WEIR_SYMBOL_NONE };
    const uint32_t inner[] = { b, WEIR_SYMBOL_NONE };
    for (size_t i = 0; i < 4; i++) {
        weir_member decoy = { WEIR_SYMBOL_PLAIN, 1, "x", weir_int(1) };
        weir_member members[] = { decoy, { inner[i % 2], 1, "b", weir_int(7) } };
        weir_member fields[] = { decoy,
                                 decoy,
                                 { outer[i / 2], 1, "a", weir_map_value(members, 2) } };
        weir_record record = { .value = weir_map_value(fields, 3) };
        weir_value value;
        ck_assert_int_eq(fixture_evaluate(expression, &record, &value), 0);
        ck_assert_int_eq(value.as.i64, 7);
    }
}
END_TEST

START_TEST(names_are_compared_by_bytes_after_the_symbols_are_sealed)
{
    symbols_seal(&fixture.symbols);
    static const struct expr_case cases[] = {
        { "late", "1", "{\"early\":0,\"late\":1}" },
        { "late.r", "2", "{\"late\":{\"r\":2}}" },
        { "{late: 3}.late", "3", NULL },
        { "late", "x: field 'late' is missing", "{\"early\":0}" },
    };
    CHECK_CASES(cases);
}
END_TEST

START_TEST(a_remembered_slot_never_misleads)
{
    static const char *const records[] = {
        "{\"x\":1,\"y\":2}", "{\"y\":2,\"x\":1}", "{\"z\":0,\"w\":0,\"x\":1}",
        "{\"x\":1}",         "{\"y\":1}",         "{}",
        "{\"y\":5,\"x\":1}"
    };
    enum { RECORDS = sizeof records / sizeof records[0] };
    weir_expression *expression = fixture_compile("x ?? 1");
    weir_record made[RECORDS];
    weir_entry entries[RECORDS];
    weir_value values[RECORDS];
    for (size_t i = 0; i < RECORDS; i++) {
        made[i] = fixture_record(records[i]);
        entries[i] = (weir_entry){ &made[i], (uint32_t)i, 0, 0 };
    }
    for (int round = 0; round < 3; round++) {
        ck_assert_int_eq(
            expr_evaluate(&fixture.context.context, expression, entries, RECORDS, values), 0);
        for (size_t i = 0; i < RECORDS; i++) {
            ck_assert_int_eq(values[i].as.i64, 1);
        }
    }
}
END_TEST

START_TEST(what_is_read_is_passed_on_as_it_is)
{
    weir_expression *expression = fixture_compile("x");
    weir_member members[] = { { 0, 1, "x", weir_text_value("abc", 3) } };
    members[0].value.flags = WEIR_VALUE_PLAIN;
    weir_record record = { .value = weir_map_value(members, 1) };
    weir_value value;
    fixture_evaluate(expression, &record, &value);
    ck_assert_int_eq(memcmp(&value, &members[0].value, sizeof value), 0);
    /* A tag that is not known yet. */
    members[0].value.tag = 77;
    ck_assert_int_eq(fixture_evaluate(expression, &record, &value), 0);
    ck_assert_uint_eq(value.tag, 77);
    ck_assert_int_eq(fixture_evaluate(fixture_compile("x + 1"), &record, &value), 1);
    ck_assert_str_eq(expr_fault(&value)->message, "cannot compute unknown + int");
    ck_assert_int_eq(fixture_evaluate(fixture_compile("x.y"), &record, &value), 1);
}
END_TEST

START_TEST(indexes_count_from_both_ends)
{
    static const struct expr_case cases[] = {
        { "l[0]", "1", NULL },
        { "l[2]", "3", NULL },
        { "l[-1]", "3", NULL },
        { "l[-3]", "1", NULL },
        { "l[3]", "x", NULL },
        { "l[-4]", "x", NULL },
        { "l[9223372036854775807]", "x", NULL },
        { "l[-9223372036854775808]", "x", NULL },
        { "e[0]", "x: 'e' has no index 0: its length is 0", NULL },
        { "t[0]", "\"h\"", NULL },
        { "t[1]", "\"\xc3\xa9\"", NULL },
        { "t[4]", "\"o\"", NULL },
        { "t[5]", "x", NULL },
        { "t[-5]", "\"h\"", NULL },
        { "t[-4]", "\"\xc3\xa9\"", NULL },
        { "t[-6]", "x", NULL },
        { "u[1]", "3", "{\"u\":{\"$bytes\":\"a\\u0003\"}}" },
        { "u[-2]", "97", "{\"u\":{\"$bytes\":\"a\\u0003\"}}" },
        { "u[2]", "x", "{\"u\":{\"$bytes\":\"a\\u0003\"}}" },
        { "l[b - 2]", "1", NULL },
        { "m[t[:0] + 'x'].y", "7", NULL },
        { "m['x']['y']", "7", NULL },
        { "'abc'[a - 4]", "\"b\"", NULL },
        { "[1, 2][b - 1]", "2", NULL },
        { "{x: 'k'}[u]", "\"k\"", "{\"u\":\"x\"}" },
        { "l[true]", "x: 'l' is list, its index is an int, not bool", NULL },
        { "l['x']", "x: 'l' is list, it has no field 'x'", NULL },
        { "l[t]", "x: 'l' is list, its index is an int, not text", NULL },
        { "$value[0]", "4", "[4]" },
        { "$value[0].x", "4", "[{\"x\":4}]" },
        { "$value[1:]", "\"bc\"", "\"abc\"" },
        { "$key[0]", "\"k\"", NULL },
    };
    CHECK_CASES(cases);
}
END_TEST

START_TEST(slices_are_clamped)
{
    static const struct expr_case cases[] = {
        { "l[1:2]", "[2]", NULL },
        { "l[:]", "[1,2,3]", NULL },
        { "l[:2]", "[1,2]", NULL },
        { "l[-2:]", "[2,3]", NULL },
        { "l[:-1]", "[1,2]", NULL },
        { "l[2:1]", "[]", NULL },
        { "l[5:9]", "[]", NULL },
        { "l[-9:9]", "[1,2,3]", NULL },
        { "l[9223372036854775807:]", "[]", NULL },
        { "l[-9223372036854775808:9223372036854775807]", "[1,2,3]", NULL },
        { "t[1:2]", "\"\xc3\xa9\"", NULL },
        { "t[:2]", "\"h\xc3\xa9\"", NULL },
        { "t[-4:-3]", "\"\xc3\xa9\"", NULL },
        { "t[:-9]", "\"\"", NULL },
        { "t[2:]", "\"llo\"", NULL },
        { "t[9:]", "\"\"", NULL },
        { "t[0:3][1]", "\"\xc3\xa9\"", NULL },
        { "u[1:]", "{\"$bytes\":\"Aw==\"}", "{\"u\":{\"$bytes\":\"a\\u0003\"}}" },
        { "items[:1][0].q", "3", NULL },
        { "l[b - 1:]", "[2,3]", NULL },
        { "l[:n]", "x: the bound of a slice is an int, not null", NULL },
        { "l[true:]", "C", NULL },
        { "l[:u]", "x: the number 99999999999999999999 does not fit",
          "{\"l\":[1],\"u\":99999999999999999999}" },
        { "a[0:1]", "x: 'a' is int, it has no slices", NULL },
    };
    CHECK_CASES(cases);
}
END_TEST

START_TEST(maps_and_lists_are_built)
{
    static const struct expr_case cases[] = {
        { "[]", "[]", NULL },
        { "{}", "{}", NULL },
        { "[a, 1, b]", "[5,1,2]", NULL },
        { "{x: a, y: 'k', z: [n]}", "{\"x\":5,\"y\":\"k\",\"z\":[null]}", NULL },
        { "{x: a, y: 1, x: b}", "{\"x\":2,\"y\":1}", NULL },
        { "{x: a, x: 1}", "{\"x\":1}", NULL },
        { "{x: 1, x: a}", "{\"x\":5}", NULL },
        { "{x: zz, x: 1}", "x: field 'zz' is missing", NULL },
        { "[a, zz, yy]", "x: field 'zz' is missing", NULL },
        { "{and: a, 'x y': 1}", "{\"and\":5,\"x y\":1}", NULL },
        { "{x: a}.x + [a][0]", "10", NULL },
    };
    CHECK_CASES(cases);
    weir_expression *expression = fixture_compile("{k: a}");
    weir_record record = fixture_record(RECORD_R);
    weir_value value;
    fixture_evaluate(expression, &record, &value);
    ck_assert_uint_eq(value.as.members[0].symbol, symbols_lookup(&fixture.symbols, "k", 1));
}
END_TEST

START_TEST(the_record_has_names)
{
    static const struct expr_case cases[] = {
        { "$key", "\"k1\"", NULL },
        { "$timestamp", "1700000000123", NULL },
        { "$timestamp // 1h", "472222", NULL },
        { "$topic", "\"readings\"", NULL },
        { "$partition", "3", NULL },
        { "$offset", "42", NULL },
        { "$headers", "[]", NULL },
        { "$value", "[1,2]", "[1,2]" },
        { "$value", "null", "null" },
        { "$topic + ':' + $key", "\"readings:k1\"", NULL },
        { "[$partition, $offset]", "[3,42]", NULL },
    };
    CHECK_CASES(cases);
}
END_TEST

START_TEST(headers_are_a_list_of_name_and_value)
{
    weir_member headers[] = { { 0, 1, "a", weir_bytes_value("x", 1) },
                              { 0, 1, "b", weir_null() },
                              { 0, 1, "a", weir_bytes_value("", 0) } };
    weir_record record = { .headers = headers, .header_count = 3 };
    weir_value value;
    fixture_evaluate(fixture_compile("$headers"), &record, &value);
    ck_assert_str_eq(fixture_text(&value), "[{\"name\":\"a\",\"value\":{\"$bytes\":\"eA==\"}},"
                                           "{\"name\":\"b\",\"value\":null},"
                                           "{\"name\":\"a\",\"value\":{\"$bytes\":\"\"}}]");
    fixture_evaluate(fixture_compile("filter($headers, $it.name == 'b')[0].value"), &record,
                     &value);
    ck_assert_uint_eq(value.tag, WEIR_NULL);
    fixture_evaluate(fixture_compile("$headers[-1].value"), &record, &value);
    ck_assert_uint_eq(value.tag, WEIR_BYTES);
}
END_TEST

START_TEST(what_a_record_does_not_have_is_null)
{
    weir_record record = { .timestamp = WEIR_NO_TIMESTAMP, .offset = WEIR_NO_OFFSET };
    weir_expression *expression = fixture_compile("[$timestamp, $topic, $partition, $offset]");
    weir_entry entry = { &record, 0, 0, 9 };
    weir_value value;
    expr_evaluate(&fixture.context.context, expression, &entry, 1, &value);
    ck_assert_str_eq(fixture_text(&value), "[null,null,null,null]");
    fixture.context.context.batch = NULL;
    entry.origin = 0;
    expr_evaluate(&fixture.context.context, expression, &entry, 1, &value);
    ck_assert_str_eq(fixture_text(&value), "[null,null,null,null]");
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("field_path");
    TCase *tcase = fixture_add_case(made);
    tcase_add_test(tcase, members_are_found_however_they_are_keyed);
    tcase_add_test(tcase, names_are_compared_by_bytes_after_the_symbols_are_sealed);
    tcase_add_test(tcase, a_remembered_slot_never_misleads);
    tcase_add_test(tcase, what_is_read_is_passed_on_as_it_is);
    tcase_add_test(tcase, indexes_count_from_both_ends);
    tcase_add_test(tcase, slices_are_clamped);
    tcase_add_test(tcase, maps_and_lists_are_built);
    tcase_add_test(tcase, the_record_has_names);
    tcase_add_test(tcase, headers_are_a_list_of_name_and_value);
    tcase_add_test(tcase, what_a_record_does_not_have_is_null);
    return made;
}
