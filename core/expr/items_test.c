/* SPDX-License-Identifier: MIT */
/* map, filter, any, all. */
#include "expr/expr_fixture.h"

START_TEST(forms_walk_lists)
{
    static const struct expr_case cases[] = {
        { "map(l, $it * a)", "[5,10,15]", NULL },
        { "map(l, [$index, $it])", "[[0,1],[1,2],[2,3]]", NULL },
        { "map(e, zz)", "[]", NULL },
        { "map(l, 7)", "[7,7,7]", NULL },
        { "filter(l, $it != 2)", "[1,3]", NULL },
        { "filter(l, 0)", "[]", NULL },
        { "filter(items, $it.p > 1)", "[{\"p\":2,\"q\":3}]", NULL },
        { "any(l, $it == 3)", "true", NULL },
        { "any(l, $it == 4)", "false", NULL },
        { "any(e, zz)", "false", NULL },
        { "all(l, $it > 0)", "true", NULL },
        { "all(l, $it > 1)", "false", NULL },
        { "all(e, zz)", "true", NULL },
        { "map(map(l, $it + 1), $it * 2)", "[4,6,8]", NULL },
        { "map(l, sum(map(l, $it)))", "[6,6,6]", NULL },
        { "map([[1, 2], [3]], map($it, $it * 10))", "[[10,20],[30]]", NULL },
        { "map([[1, 2], [3]], map($it, $index))", "[[0,1],[0]]", NULL },
        { "map([[1], [2]], any($it, $it == 2))", "[false,true]", NULL },
        { "map(items, {p: $it.p, k: $key})", "[{\"p\":2,\"k\":\"k1\"},{\"p\":0.5,\"k\":\"k1\"}]",
          NULL },
        { "map(l, if $index == 0 then t else $it)", "[\"h\xc3\xa9llo\",2,3]", NULL },
        { "map(filter(items, has($it.p)), $it.p)", "[2,0.5]", NULL },
    };
    CHECK_CASES(cases);
}
END_TEST

START_TEST(the_first_item_that_decides_ends_the_walk)
{
    static const struct expr_case cases[] = {
        { "any([1, 0, 'x'], 1 // $it)", "true", NULL },
        { "any([0, 1], 1 // $it)", "C", NULL },
        { "any([a - 5, 1], 1 // $it)", "x: division by zero", NULL },
        { "any([a, b - 2], 10 // $it)", "true", NULL },
        { "all([b - 2, a - 5], $it // 1)", "false", NULL },
        { "all([b - 2, 'x'], $it // 1)", "false", NULL },
        { "all([b, 'x'], $it // 1)", "x: cannot compute text // int", NULL },
        { "map([1, 'x', null], $it + a)", "x: cannot compute text + int", NULL },
        { "map([1, zz], $it)", "x: field 'zz' is missing", NULL },
        { "filter([1, 'x', 2], $it > 1)", "C", NULL },
        { "try(map(l, zz), 'no')", "\"no\"", NULL },
        { "map(l, try($it // ($it - 2), null))", "[-1,null,3]", NULL },
    };
    CHECK_CASES(cases);
}
END_TEST

START_TEST(only_lists_are_walked)
{
    static const struct expr_case cases[] = {
        { "map(a, 1)", "x: map() takes a list, not int", NULL },
        { "any(t, 1)", "x: any() takes a list, not text", NULL },
        { "filter(n, 1)",
          "x: filter() takes a list, not null; write 'n ?? ...' for a value in the "
          "place of null",
          NULL },
        { "all(zz, 1)", "x: field 'zz' is missing", NULL },
        { "all(zz ?? [], 1)", "true", NULL },
        { "map(m, 1)", "x: map() takes a list, not map", NULL },
    };
    CHECK_CASES(cases);
}
END_TEST

/* Lists of many lengths, over many records: the items of all of them share inner frames. */
START_TEST(many_lists_of_many_lengths_keep_apart)
{
    enum { RECORDS = 700 };
    static weir_value lists[RECORDS][40];
    weir_record *records = arena_zeroed(&fixture.batch, RECORDS * sizeof *records);
    weir_entry *entries = arena_zeroed(&fixture.batch, RECORDS * sizeof *entries);
    weir_value *mapped = arena_alloc(&fixture.batch, RECORDS * sizeof *mapped);
    weir_value *found = arena_alloc(&fixture.batch, RECORDS * sizeof *found);
    for (uint32_t i = 0; i < RECORDS; i++) {
        uint32_t len = i % 7 == 0 ? 0 : i * 31 % 40;
        for (uint32_t k = 0; k < len; k++) {
            lists[i][k] = weir_int(i * 100 + k);
        }
        records[i].value = weir_list_value(lists[i], len);
        entries[i].record = &records[i];
    }
    weir_context *ctx = &fixture.context.context;
    /* Item 5 of every third record fails. */
    weir_expression *map =
        fixture_compile("map($value, if $index == 5 and $it % 3 == 2 then 1 // ($it - $it) "
                        "else $it + 1)");
    weir_expression *any =
        fixture_compile("any($value, $it % 100 == 33 or $it % 100 > 38 and 1 // 0 * $it)");
    ck_assert_ptr_null(any);
    any = fixture_compile("any($value, $it % 100 == 33 or $it % 100 > 38 and 1 // ($it - $it))");
    int64_t failed = expr_evaluate(ctx, map, entries, RECORDS, mapped);
    ck_assert_int_eq(expr_evaluate(ctx, any, entries, RECORDS, found), 0);
    int64_t expected_failed = 0;
    for (uint32_t i = 0; i < RECORDS; i++) {
        uint32_t len = records[i].value.len;
        bool fails = len > 5 && (i * 100 + 5) % 3 == 2;
        expected_failed += fails;
        ck_assert_uint_eq(mapped[i].tag, fails ? WEIR_TAG_ERROR : WEIR_LIST);
        for (uint32_t k = 0; !fails && k < len; k++) {
            ck_assert_int_eq(mapped[i].as.items[k].as.i64, i * 100 + k + 1);
        }
        ck_assert(fails || mapped[i].len == len);
        ck_assert_uint_eq(found[i].tag, WEIR_BOOL);
        ck_assert_int_eq(found[i].as.i64, len > 33);
    }
    ck_assert_int_eq(failed, expected_failed);
}
END_TEST

START_TEST(results_are_limited)
{
    static const struct expr_case cases[] = {
        { "length(map([0] * 1000000 + l, 1))", "1000003", NULL },
        { "map(l, t * (1000000 * $it))", "x: the list of results would have more than 16 MiB",
          NULL },
        { "length(map([1, 2], ('a' + t)[:1] * (8000000 * $it))) ?? 0", "x", NULL },
        { "any(l, length(t * (1000000 * $it)) > 100)", "true", NULL },
    };
    CHECK_CASES(cases);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("items");
    TCase *tcase = fixture_add_case(made);
    tcase_add_test(tcase, forms_walk_lists);
    tcase_add_test(tcase, the_first_item_that_decides_ends_the_walk);
    tcase_add_test(tcase, only_lists_are_walked);
    tcase_add_test(tcase, many_lists_of_many_lengths_keep_apart);
    tcase_add_test(tcase, results_are_limited);
    return made;
}
