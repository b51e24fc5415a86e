/* SPDX-License-Identifier: MIT */
/* What the operator `sample` makes of records. */
#include "support/testing/operator_fixture.h"

#include "unit.h"

static struct fixture f;

static const struct operate_case cases[] = {
    { "{every: 1}", "1\n2", "1\n2\n" },
    { "{every: 3}", "0\n1\n2\n3\n4\n5\n6", "0\n3\n6\n" },
    { "{rate: 1}", "1\n2", "1\n2\n" },
    { "{every: 1, by: key}", "1", "1\n" },
};

START_TEST(passes_what_it_chooses)
{
    fixture_check(&f, "operator_sample", &cases[_i]);
}
END_TEST

static const struct refuse_case refusals[] = {
    { "{}", "nothing says how many" },
    { "{every: 2, rate: 0.5}", "remove one of them" },
    { "{rate: 1.5}", "between 0 and 1" },
    { "{every: 0}", "at least 1" },
    { "{every: 2, by: name}", "'record', 'key'" },
};

START_TEST(refuses_options_that_mean_nothing)
{
    fixture_check_refused(&f, "operator_sample", &refusals[_i]);
}
END_TEST

enum { MANY = 2000 };

static uint32_t pass_many(const char *body, bool has_keys, uint64_t *ret_sum)
{
    static weir_record records[MANY];
    static weir_entry entries[MANY];
    static char keys[MANY][8];
    static const weir_origin origin = { "t", 1, 0 };
    ck_assert(fixture_init(&f, "operator_sample", body));
    for (uint32_t i = 0; i < MANY; i++) {
        int len = snprintf(keys[i], sizeof keys[i], "k%u", i / 4);
        records[i] = (weir_record){ .offset = i, .value = weir_int(i) };
        records[i].key = has_keys ? weir_text_value(keys[i], (uint32_t)len) : weir_int(i / 4);
        entries[i] = (weir_entry){ &records[i], i, 0, 0 };
    }
    weir_batch batch = { sizeof batch, MANY, entries, &origin, 1, 0 };
    const weir_operator_vtable *vtable = f.vtable;
    fixture_begin(&f, &batch);
    ck_assert_int_eq(vtable->process(f.instance->self, &f.call.context, &batch), WEIR_OK);
    call_end(&f.call);
    const weir_output *out = &f.call.outputs[0];
    uint32_t count = out->count;
    *ret_sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        *ret_sum = *ret_sum * 31 + (uint64_t)out->entries[i].record->offset;
    }
    fixture_deinit(&f);
    return count;
}

START_TEST(a_rate_takes_about_its_part_and_always_the_same)
{
    uint64_t first = 0;
    uint64_t second = 0;
    uint32_t count = pass_many("{rate: 0.25}", true, &first);
    ck_assert_msg(count > MANY / 5 && count < MANY * 3 / 10, "%u", count);
    ck_assert_uint_eq(pass_many("{rate: 0.25}", true, &second), count);
    ck_assert_uint_eq(first, second);
}
END_TEST

/* Four records have each key. */
START_TEST(records_of_a_key_go_together)
{
    for (int has_keys = 0; has_keys < 2; has_keys++) {
        uint64_t sum = 0;
        uint32_t by_rate = pass_many("{rate: 0.25, by: key}", has_keys != 0, &sum);
        uint32_t by_count = pass_many("{every: 4, by: key}", has_keys != 0, &sum);
        ck_assert_uint_eq(by_rate % 4, 0);
        ck_assert_uint_eq(by_count % 4, 0);
        ck_assert_msg(by_rate > MANY / 6 && by_rate < MANY / 3, "%u", by_rate);
        ck_assert_msg(by_count > MANY / 6 && by_count < MANY / 3, "%u", by_count);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("sample");
    TCase *tests = tcase_create("sample");
    tcase_add_loop_test(tests, passes_what_it_chooses, 0, sizeof cases / sizeof cases[0]);
    tcase_add_loop_test(tests, refuses_options_that_mean_nothing, 0,
                        sizeof refusals / sizeof refusals[0]);
    tcase_add_test(tests, a_rate_takes_about_its_part_and_always_the_same);
    tcase_add_test(tests, records_of_a_key_go_together);
    suite_add_tcase(made, tests);
    return made;
}
