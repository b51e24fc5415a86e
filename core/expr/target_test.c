/* SPDX-License-Identifier: MIT */
/* Targets, names of paths, and expressions from parts. */
#include "expr/expr_fixture.h"

static weir_target *compile_target(const char *text)
{
    fixture.messages[0] = '\0';
    fixture.error_count = 0;
    weir_target *target = target_compile(&fixture.env, text, strlen(text), &fixture_reporter);
    ck_assert((target == NULL) == (fixture.error_count > 0));
    return target;
}

/* The steps as text: names, and indexes in brackets. */
static const char *steps_text(const weir_target *target)
{
    static char text[256];
    text[0] = '\0';
    for (uint32_t i = 0; i < target->step_count; i++) {
        const weir_target_step *step = &target->steps[i];
        size_t len = strlen(text);
        if (step->name == NULL) {
            ck_assert_uint_eq(step->symbol, WEIR_SYMBOL_NONE);
            snprintf(text + len, sizeof text - len, "[%lld]", (long long)step->index);
        } else {
            ck_assert_uint_eq(step->symbol,
                              symbols_lookup(&fixture.symbols, step->name, step->name_len));
            ck_assert_uint_ge(step->symbol, WEIR_SYMBOL_FIRST);
            snprintf(text + len, sizeof text - len, "<%.*s>", (int)step->name_len, step->name);
        }
    }
    return text;
}

START_TEST(targets_are_paths)
{
    static const char *const cases[][2] = {
        { "a", "<a>" },
        { "a.b.c", "<a><b><c>" },
        { " a . b ", "<a><b>" },
        { "a[0][-1]", "<a>[0][-1]" },
        { "a[\"x y\"].in", "<a><x y><in>" },
        { "a['\\u00e9']", "<a><\xc3\xa9>" },
        { "$value", "" },
        { "$value.a", "<a>" },
        { "$value[\"s p\"]", "<s p>" },
        { "$value[1]", "[1]" },
        { "a[9223372036854775807]", "<a>[9223372036854775807]" },
        { "a[-9223372036854775808]", "<a>[-9223372036854775808]" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_target *target = compile_target(cases[i][0]);
        ck_assert_msg(target != NULL, "%s: %s", cases[i][0], fixture.messages);
        ck_assert_str_eq(steps_text(target), cases[i][1]);
        ck_assert_uint_eq(target->struct_size, sizeof *target);
        ck_assert_str_eq(target->text.data, cases[i][0]);
        ck_assert_uint_eq(target->text.size, strlen(cases[i][0]));
    }
}
END_TEST

START_TEST(what_is_no_target_is_reported)
{
    static const char *const cases[][2] = {
        { "", "0-0 the target is empty; write a field, or $value for the whole" },
        { "a.", "2-2 a name is expected behind '.'" },
        { "a.1", "2-3 a name is expected behind '.'" },
        { "a[b]", "2-3 a text or an int is expected inside the brackets of a target" },
        { "a[1.5]", "2-5 a text or an int is expected inside the brackets of a target" },
        { "a[-'x']", "3-6 a text or an int is expected inside the brackets of a target" },
        { "a[9223372036854775808]", "2-21 a text or an int is expected inside the brackets of a "
                                    "target" },
        { "a[0:1]", "3-4 ']' is expected; a target has one text or int in its brackets" },
        { "a[0", "3-3 ']' is expected; a target has one text or int in its brackets" },
        { "a[01]", "2-4 a number has no leading zero; a date is text: '2026-01-01'" },
        { "a + 1", "2-3 a target is a path: names, '.' and [...]; a field with "
                   "another name is $value[\"...\"]" },
        { "a b", "2-3 a target is a path: names, '.' and [...]; a field with "
                 "another name is $value[\"...\"]" },
        { "1", "0-1 a target begins with a field's name or $value" },
        { "(a)", "0-1 a target begins with a field's name or $value" },
        { "'a'", "0-3 a target begins with a field's name or $value" },
        { "in", "0-2 'in' is a keyword; write $value.in for the field" },
        { "$key", "0-4 '$key' cannot be written to; write 'key: EXPRESSION' beside a source, or "
                  "beside {topic: NAME} under 'to'" },
        { "$timestamp",
          "0-10 '$timestamp' cannot be written to; write 'event_time: EXPRESSION' at a "
          "topic or beside a source" },
        { "$headers", "0-8 '$headers' cannot be written to; headers go on as they came" },
        { "$topic", "0-6 '$topic' cannot be written to; only fields and $value are written to" },
        { "a\xff", "1-2 the byte 0xFF is not UTF-8; save the file as UTF-8" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ck_assert_ptr_null(compile_target(cases[i][0]));
        ck_assert_str_eq(fixture.messages, cases[i][1]);
    }
}
END_TEST

START_TEST(the_steps_of_a_target_are_limited)
{
    char text[1024] = "a";
    for (size_t i = 0; i < 200; i++) {
        ck_assert_ptr_nonnull(compile_target(text));
        memcpy(text + 1 + 2 * i, ".b", 3);
    }
    ck_assert_ptr_null(compile_target(text));
    ck_assert_ptr_nonnull(strstr(fixture.messages, "more than 200 steps"));
}
END_TEST

START_TEST(a_plain_path_has_a_last_name)
{
    static const char *const cases[][2] = {
        { "a", "<a>" },     { "a.b", "<b>" },     { "a['x y']", "<x y>" }, { "$value.b", "<b>" },
        { "(a.b)", "<b>" }, { "a[0].b", "<b>" },  { "$key.id", "<id>" },   { "a[0]", NULL },
        { "$value", NULL }, { "$key", NULL },     { "a + b", NULL },       { "a ?? b", NULL },
        { "a[b].c", NULL }, { "upper(a)", NULL }, { "{x: a}.x", NULL },    { "a[1:].b", NULL },
        { "1", NULL },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_expression *expression = fixture_compile(cases[i][0]);
        weir_target *target = expr_last_name(&fixture.env, expression);
        ck_assert_msg((target == NULL) == (cases[i][1] == NULL), "%s: %s", cases[i][0],
                      fixture.messages);
        if (target != NULL) {
            ck_assert_str_eq(steps_text(target), cases[i][1]);
            ck_assert_uint_eq(target->text.size, target->steps[0].name_len);
        }
    }
}
END_TEST

START_TEST(expressions_are_composed_from_parts)
{
    weir_expression *parts[] = { fixture_compile("a + 1"), fixture_compile("'x'"),
                                 fixture_compile("zz ?? [b]") };
    static const char *const keys[] = { "lat", "x y", "in" };
    static const size_t key_lens[] = { 3, 3, 2 };
    weir_record record = fixture_record(RECORD_R);
    weir_value value;
    weir_expression *map = expr_compile_map(&fixture.env, keys, key_lens, parts, 3);
    ck_assert_str_eq(expr_text(map).data, "{lat: a + 1, \"x y\": 'x', in: zz ?? [b]}");
    ck_assert_int_eq(fixture_evaluate(map, &record, &value), 0);
    ck_assert_str_eq(fixture_text(&value), "{\"lat\":6,\"x y\":\"x\",\"in\":[2]}");
    ck_assert_ptr_null(expr_constant(map));
    weir_expression *nested[] = { map, parts[1] };
    weir_expression *list = expr_compile_list(&fixture.env, nested, 2);
    ck_assert_int_eq(fixture_evaluate(list, &record, &value), 0);
    ck_assert_str_eq(fixture_text(&value), "[{\"lat\":6,\"x y\":\"x\",\"in\":[2]},\"x\"]");
    weir_expression *constant = expr_compile_list(&fixture.env, &parts[1], 1);
    ck_assert_str_eq(fixture_text(expr_constant(constant)), "[\"x\"]");
    ck_assert_uint_eq(expr_constant(expr_compile_list(&fixture.env, NULL, 0))->tag, WEIR_LIST);
    ck_assert_uint_eq(expr_constant(expr_compile_map(&fixture.env, NULL, NULL, NULL, 0))->tag,
                      WEIR_MAP);
    ck_assert_str_eq(expr_text(expr_compile_map(&fixture.env, keys, key_lens, NULL, 0)).data, "{}");
}
END_TEST

START_TEST(faults_of_parts_keep_their_place)
{
    weir_expression *parts[] = { fixture_compile("1"), fixture_compile("1 + zz") };
    weir_expression *list = expr_compile_list(&fixture.env, parts, 2);
    weir_record record = fixture_record(RECORD_R);
    weir_value value;
    ck_assert_int_eq(fixture_evaluate(list, &record, &value), 1);
    ck_assert_uint_eq(expr_fault(&value)->from, 4);
    ck_assert_uint_eq(expr_fault(&value)->to, 6);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("target");
    TCase *tcase = fixture_add_case(made);
    tcase_add_test(tcase, targets_are_paths);
    tcase_add_test(tcase, what_is_no_target_is_reported);
    tcase_add_test(tcase, the_steps_of_a_target_are_limited);
    tcase_add_test(tcase, a_plain_path_has_a_last_name);
    tcase_add_test(tcase, expressions_are_composed_from_parts);
    tcase_add_test(tcase, faults_of_parts_keep_their_place);
    return made;
}
