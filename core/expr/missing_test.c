/* SPDX-License-Identifier: MIT */
/* Missing paths, null, laziness: what is evaluated, what is forgiven, what is said. */
#include "expr/expr_fixture.h"

START_TEST(lazy_operands_are_evaluated_only_where_they_count)
{
    static const struct expr_case cases[] = {
        { "n and zz", "null", NULL },
        { "a and zz", "x: field 'zz' is missing", NULL },
        { "a or zz", "5", NULL },
        { "n or zz", "x: field 'zz' is missing", NULL },
        { "a and b and f", "2.5", NULL },
        { "a and e and zz", "[]", NULL },
        { "n or e or 'x' or zz", "\"x\"", NULL },
        { "if a then t else zz", "\"h\xc3\xa9llo\"", NULL },
        { "if n then zz else t", "\"h\xc3\xa9llo\"", NULL },
        { "if zz then 1 else 2", "x: field 'zz' is missing", NULL },
        { "if a then zz else 2", "x: field 'zz' is missing", NULL },
        { "a ?? zz", "5", NULL },
        { "has(zz, a.b)", "false", NULL },
        { "has(a, zz, a.b)", "false", NULL },
        { "has(a.b, zz)", "x: 'a' is int, it has no field 'b'", NULL },
        { "try(a, zz)", "5", NULL },
        { "try(zz, a)", "5", NULL },
        { "try(zz, yy)", "x: field 'yy' is missing", NULL },
        { "try(try(zz, yy), 3)", "3", NULL },
        { "try(1 // (a - 5), 'div')", "\"div\"", NULL },
        { "try(zz ?? yy, 4)", "4", NULL },
        { "try(n, 4)", "null", NULL },
    };
    CHECK_CASES(cases);
}
END_TEST

START_TEST(truthiness_follows_the_kind)
{
    static const struct expr_case cases[] = {
        { "not u", "true", "{\"u\":null}" },
        { "not u", "true", "{\"u\":false}" },
        { "not u", "true", "{\"u\":0}" },
        { "not u", "true", "{\"u\":-0.0}" },
        { "not u", "true", "{\"u\":0.00}" },
        { "not u", "true", "{\"u\":\"\"}" },
        { "not u", "true", "{\"u\":[]}" },
        { "not u", "true", "{\"u\":{}}" },
        { "not u", "false", "{\"u\":\"0\"}" },
        { "not u", "false", "{\"u\":[0]}" },
        { "not u", "false", "{\"u\":0.001}" },
        { "not u", "false", "{\"u\":{\"$time\":0}}" },
        { "not (f * 1e308 * 10 - f * 1e308 * 10)", "false", NULL },
        { "not u", "true", "{\"u\":{\"$bytes\":\"\"}}" },
        { "not u", "false", "{\"u\":99999999999999999999}" },
    };
    CHECK_CASES(cases);
}
END_TEST

/* What each form makes of a path: there, null, missing, in a missing or null container, a wrong read. */
START_TEST(four_forms_forgive_a_missing_path)
{
    static const struct {
        const char *path;
        const char *results[6]; /* of P; P is null; P is not null; P ?? "d"; has(P); P == null */
    } cases[] = {
        { "a", { "5", "false", "true", "5", "true", "false" } },
        { "n", { "null", "true", "false", "\"d\"", "true", "true" } },
        { "zz", { "x", "true", "false", "\"d\"", "false", "x" } },
        { "m.x.y", { "7", "false", "true", "7", "true", "false" } },
        { "m.q", { "x", "true", "false", "\"d\"", "false", "x" } },
        { "m.q.r", { "x", "true", "false", "\"d\"", "false", "x" } },
        { "zz.q[0]", { "x", "true", "false", "\"d\"", "false", "x" } },
        { "n.q", { "x", "true", "false", "\"d\"", "false", "x" } },
        { "n[0]", { "x", "true", "false", "\"d\"", "false", "x" } },
        { "n['k']", { "x", "true", "false", "\"d\"", "false", "x" } },
        { "zz[1:2]", { "x", "true", "false", "\"d\"", "false", "x" } },
        { "n[:2]", { "x", "true", "false", "\"d\"", "false", "x" } },
        { "l[7]", { "x", "true", "false", "\"d\"", "false", "x" } },
        { "l[-4]", { "x", "true", "false", "\"d\"", "false", "x" } },
        { "t[5]", { "x", "true", "false", "\"d\"", "false", "x" } },
        { "t[0]", { "\"h\"", "false", "true", "\"h\"", "true", "false" } },
        { "m[t]", { "x", "true", "false", "\"d\"", "false", "x" } },
        { "items[1].p", { "0.5", "false", "true", "0.5", "true", "false" } },
        { "items[2].p", { "x", "true", "false", "\"d\"", "false", "x" } },
        { "((m).q)", { "x", "true", "false", "\"d\"", "false", "x" } },
        { "a.k", { "x", "x", "x", "x", "x", "x" } },
        { "t.k", { "x", "x", "x", "x", "x", "x" } },
        { "l.k", { "x", "x", "x", "x", "x", "x" } },
        { "a[0]", { "x", "x", "x", "x", "x", "x" } },
        { "m[1]", { "x", "x", "x", "x", "x", "x" } },
        { "l[f]", { "x", "x", "x", "x", "x", "x" } },
        { "l[zz]", { "x", "x", "x", "x", "x", "x" } },
        { "l[n]", { "x", "x", "x", "x", "x", "x" } },
        { "zz[yy]", { "x", "x", "x", "x", "x", "x" } },
        { "l[a > 1]", { "x", "x", "x", "x", "x", "x" } },
        { "m[0:1]", { "x", "x", "x", "x", "x", "x" } },
        { "t[zz:]", { "x", "x", "x", "x", "x", "x" } },
    };
    static const char *const before[6] = { "", "", "", "", "has(", "" };
    static const char *const behind[6] = { "",        " is null", " is not null",
                                           " ?? 'd'", ")",        " == null" };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (size_t k = 0; k < 6; k++) {
            char text[64];
            snprintf(text, sizeof text, "%s%s%s", before[k], cases[i].path, behind[k]);
            fixture_check(&(struct expr_case){ text, cases[i].results[k], NULL });
        }
    }
}
END_TEST

START_TEST(only_a_path_itself_is_forgiven)
{
    static const struct expr_case cases[] = {
        { "(a + zz) ?? 6", "x: field 'zz' is missing", NULL },
        { "(a + zz) is null", "x: field 'zz' is missing", NULL },
        { "-zz is null", "x: field 'zz' is missing", NULL },
        { "(zz ?? yy) ?? 1", "x: field 'yy' is missing", NULL },
        { "zz ?? yy ?? 1", "1", NULL },
        { "zz ?? yy", "x: field 'yy' is missing", NULL },
        { "length(zz) ?? 1", "x: field 'zz' is missing", NULL },
        /* what folding leaves of these is the path alone */
        { "(true and zz) ?? 1", "x: field 'zz' is missing", NULL },
        { "(false or zz) is null", "x: field 'zz' is missing", NULL },
        { "(null ?? zz) ?? 1", "x: field 'zz' is missing", NULL },
        { "(if 1 then zz else a) is not null", "x: field 'zz' is missing", NULL },
        { "(1 and zz).k ?? 1", "x: field 'zz' is missing", NULL },
        { "(1 and m).k ?? 6", "6", NULL },
        { "(1 and n) ?? 6", "6", NULL },
        { "int('x', null) ?? 1", "1", NULL },
        { "l[zz ?? 0]", "1", NULL },
        { "{x: n}.x.y ?? 1", "1", NULL },
        { "map(items, $it.z ?? 0)", "[0,0]", NULL },
        { "$value ?? 1", "1", "null" },
        { "$value is null", "true", "null" },
        { "$key is null", "false", NULL },
        { "a is (null)", "false", NULL },
        { "zz is not n", "x: field 'zz' is missing", NULL },
    };
    CHECK_CASES(cases);
}
END_TEST

START_TEST(fields_of_other_values_than_maps)
{
    static const struct expr_case cases[] = {
        { "temperature",
          "x: field 'temperature' is missing; write 'temperature ?? ...' or filter on "
          "has(temperature) first",
          NULL },
        { "temperature", "x: the value is text, it has no field 'temperature'", "\"hot\"" },
        { "temperature ?? 1", "x: the value is list, it has no field 'temperature'", "[1]" },
        { "temperature", "x: field 'temperature' is missing", "null" },
        { "temperature ?? 1", "1", "null" },
        { "has(temperature)", "false", "null" },
        { "has(temperature)", "x: the value is int, it has no field 'temperature'", "7" },
        { "m.q.r", "x: field 'm.q' is missing; write 'm.q ?? ...' or filter on has(m.q) first",
          NULL },
        { "$value['no word']", "x: field 'no word' is missing; write '$value['no word'] ?? ...'",
          NULL },
        { "n.k", "x: field 'n.k' is missing", NULL },
        { "l[7]", "x: 'l' has no index 7: its length is 3; write 'l[7] ?? ...'", NULL },
        { "t[-9]", "x: 't' has no index -9: its length is 5", NULL },
        { "m.x.y.z", "x: 'm.x.y' is int, it has no field 'z'", NULL },
        { "l[f]", "x: 'l' is list, its index is an int, not float", NULL },
        { "m[b]", "x: 'm' is a map, its index is a text, not int", NULL },
        { "a[0]", "x: 'a' is int, it has no items", NULL },
        { "m[:1]", "x: 'm' is map, it has no slices", NULL },
        { "t[f:]", "x: the bound of a slice is an int, not float", NULL },
    };
    CHECK_CASES(cases);
    weir_expression *expression = fixture_compile("1 + m.q.r");
    weir_record record = fixture_record(RECORD_R);
    weir_value value;
    fixture_evaluate(expression, &record, &value);
    ck_assert_uint_eq(expr_fault(&value)->from, 4);
    ck_assert_uint_eq(expr_fault(&value)->to, 7);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("missing");
    TCase *tcase = fixture_add_case(made);
    tcase_add_test(tcase, lazy_operands_are_evaluated_only_where_they_count);
    tcase_add_test(tcase, truthiness_follows_the_kind);
    tcase_add_test(tcase, four_forms_forgive_a_missing_path);
    tcase_add_test(tcase, only_a_path_itself_is_forgiven);
    tcase_add_test(tcase, fields_of_other_values_than_maps);
    return made;
}
