/* SPDX-License-Identifier: MIT */
/* Symbols: one number a name, and the seal. */
#include "value/symbols.h"

#include <stdio.h>
#include <string.h>

#include <weir/value.h>

#include "base/memory.h"
#include "unit.h"

static struct symbols symbols;

static void start(void)
{
    symbols_init(&symbols);
}

static void finish(void)
{
    memory_fail_from(0);
    symbols_deinit(&symbols);
}

START_TEST(a_name_has_one_symbol)
{
    uint32_t a = symbols_intern(&symbols, "a", 1);
    uint32_t ab = symbols_intern(&symbols, "ab", 2);
    ck_assert_uint_ge(a, WEIR_SYMBOL_FIRST);
    ck_assert_uint_ge(ab, WEIR_SYMBOL_FIRST);
    ck_assert_uint_ne(a, ab);
    ck_assert_uint_eq(symbols_intern(&symbols, "ax", 1), a);
    ck_assert_uint_eq(symbols_lookup(&symbols, "ab", 2), ab);
    ck_assert_uint_eq(symbols_lookup(&symbols, "b", 1), WEIR_SYMBOL_NONE);
    ck_assert_uint_ge(symbols_intern(&symbols, "", 0), WEIR_SYMBOL_FIRST);
}
END_TEST

START_TEST(many_names_keep_their_symbols)
{
    enum { MANY = 3000 };
    uint32_t known[MANY];
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < MANY; i++) {
            char name[16];
            int len = snprintf(name, sizeof name, "name %d", i);
            uint32_t symbol = symbols_intern(&symbols, name, (uint32_t)len);
            ck_assert(pass == 0 || symbol == known[i]);
            known[i] = symbol;
        }
    }
}
END_TEST

START_TEST(a_sealed_set_knows_but_does_not_learn)
{
    uint32_t a = symbols_intern(&symbols, "a", 1);
    symbols_seal(&symbols);
    ck_assert_uint_eq(symbols_intern(&symbols, "a", 1), a);
    ck_assert_uint_eq(symbols_lookup(&symbols, "a", 1), a);
    ck_assert_uint_eq(symbols_intern(&symbols, "b", 1), WEIR_SYMBOL_NONE);
    ck_assert_uint_eq(symbols_lookup(&symbols, "b", 1), WEIR_SYMBOL_NONE);
}
END_TEST

START_TEST(no_memory_gives_no_symbol)
{
    memory_fail_from(1);
    ck_assert_uint_eq(symbols_intern(&symbols, "a", 1), WEIR_SYMBOL_NONE);
    memory_fail_from(0);
    ck_assert_uint_eq(symbols_intern(&symbols, "a", 1), WEIR_SYMBOL_FIRST);
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("symbols");
    TCase *tests = tcase_create("symbols");
    tcase_add_checked_fixture(tests, start, finish);
    tcase_add_test(tests, a_name_has_one_symbol);
    tcase_add_test(tests, many_names_keep_their_symbols);
    tcase_add_test(tests, a_sealed_set_knows_but_does_not_learn);
    tcase_add_test(tests, no_memory_gives_no_symbol);
    suite_add_tcase(suite, tests);
    return suite;
}
