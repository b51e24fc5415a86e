/* SPDX-License-Identifier: MIT */
#include "expr/signature.h"

#include <string.h>

#include "unit.h"
#include "value/value.h"

START_TEST(signatures_are_read)
{
    static const struct {
        const char *text;
        uint32_t required;
        uint32_t count;
        bool repeats;
        uint32_t last;
        uint32_t result;
    } cases[] = {
        { "(text) text", 1, 1, false, KIND_TEXT, KIND_TEXT },
        { "() int", 0, 0, false, 0, KIND_INT },
        { "(num) float", 1, 1, false, KIND_BOOL | KIND_INT | KIND_FLOAT, KIND_FLOAT },
        { "(time) timestamp", 1, 1, false, KIND_INT | KIND_TIMESTAMP, KIND_TIMESTAMP },
        { "(any) any", 1, 1, false, KIND_ANY, KIND_ANY },
        { "(text|bytes|list|map) bool", 1, 1, false, KIND_TEXT | KIND_BYTES | KIND_LIST | KIND_MAP,
          KIND_BOOL },
        { "(text, regex)", 0, 0, false, 0, 0 },
        { "(text, int[, text]) text?", 2, 3, false, KIND_TEXT, KIND_TEXT | KIND_NULL },
        { "(time[, text[, text]]) text", 1, 3, false, KIND_TEXT, KIND_TEXT },
        { "(time[, text][, int]) text", 1, 3, false, KIND_INT, KIND_TEXT },
        { "([int]) int", 0, 1, false, KIND_INT, KIND_INT },
        { "(any, any...) any", 1, 2, true, KIND_ANY, KIND_ANY },
        { "(text[, text...]) list", 1, 2, true, KIND_TEXT, KIND_LIST },
        { "(map|null) map", 1, 1, false, KIND_MAP | KIND_NULL, KIND_MAP },
        { "( text? ,int ) bytes", 2, 2, false, KIND_INT, KIND_BYTES },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct signature signature;
        const char *fault = NULL;
        bool is_right = signature_parse(cases[i].text, &signature, &fault);
        ck_assert_msg(is_right == (cases[i].result != 0), "%s: %s", cases[i].text, fault);
        if (!is_right) {
            ck_assert_ptr_nonnull(fault);
            continue;
        }
        ck_assert_uint_eq(signature.required, cases[i].required);
        ck_assert_uint_eq(signature.count, cases[i].count);
        ck_assert_uint_eq(signature.result, cases[i].result);
        ck_assert(signature.repeats == cases[i].repeats);
        if (cases[i].count > 0) {
            ck_assert_uint_eq(signature_kinds(&signature, cases[i].count - 1), cases[i].last);
        }
    }
}
END_TEST

START_TEST(wrong_signatures_are_refused_with_a_reason)
{
    static const char *const cases[][2] = {
        { "text", "'(' is missing" },
        { "(text", "')' is missing" },
        { "(text text) text", "')' is missing" },
        { "(number) int", "an unknown kind" },
        { "(text)", "an unknown kind" },
        { "(text) int int", "something stands behind the kind of the result" },
        { "(any..., int) int", "a parameter behind a repeated one" },
        { "(text[ int]) int", "a comma is missing or too much" },
        { "([, int]) int", "a comma is missing or too much" },
        { "(text[, int) int", "']' is missing" },
        { "(a|b) int", "an unknown kind" },
        { "(int,int,int,int,int,int,int,int,int,int,int,int,int,int,int,int,int) int",
          "too many parameters" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct signature signature;
        const char *fault = NULL;
        ck_assert_msg(!signature_parse(cases[i][0], &signature, &fault), "%s", cases[i][0]);
        ck_assert_str_eq(fault, cases[i][1]);
        ck_assert(!signature_parse(cases[i][0], &signature, NULL));
    }
}
END_TEST

START_TEST(counts_are_judged)
{
    struct signature signature;
    ck_assert(signature_parse("(text, int[, text]) text", &signature, NULL));
    ck_assert(!signature_takes(&signature, 1));
    ck_assert(signature_takes(&signature, 2));
    ck_assert(signature_takes(&signature, 3));
    ck_assert(!signature_takes(&signature, 4));
    ck_assert(signature_parse("(map, text...) map", &signature, NULL));
    ck_assert(!signature_takes(&signature, 0));
    ck_assert(signature_takes(&signature, 1));
    ck_assert(signature_takes(&signature, 100));
    ck_assert_uint_eq(signature_kinds(&signature, 0), KIND_MAP);
    ck_assert_uint_eq(signature_kinds(&signature, 99), KIND_TEXT);
}
END_TEST

START_TEST(kinds_are_read_alone)
{
    uint32_t kinds = 0;
    ck_assert(signature_read_kinds("text|bytes?", &kinds));
    ck_assert_uint_eq(kinds, KIND_TEXT | KIND_BYTES | KIND_NULL);
    ck_assert(signature_read_kinds("list", &kinds));
    ck_assert_uint_eq(kinds, KIND_LIST);
    ck_assert(!signature_read_kinds("[text]", &kinds));
    ck_assert(!signature_read_kinds("text, int", &kinds));
    ck_assert(!signature_read_kinds("", &kinds));
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("signature");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, signatures_are_read);
    tcase_add_test(tcase, wrong_signatures_are_refused_with_a_reason);
    tcase_add_test(tcase, counts_are_judged);
    tcase_add_test(tcase, kinds_are_read_alone);
    suite_add_tcase(made, tcase);
    return made;
}
