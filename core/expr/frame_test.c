/* SPDX-License-Identifier: MIT */
/*
 * Whole batches: no result depends on how records are handed over, on which of them fail, on the
 * thread, or on when memory runs out.
 */
#include <pthread.h>

#include "base/memory.h"
#include "expr/expr_fixture.h"
#include "expr/frame.h"

enum { RECORDS = 1000 };

/* ---- random records ---------------------------------------------------------------------------- */

static uint64_t random_state;

static uint32_t random_below(uint32_t bound)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % bound;
}

static weir_value random_list(uint32_t depth);

static weir_value random_value(uint32_t depth)
{
    static const char *const texts[] = { "", "a", "JFK", "EWR", "h\xc3\xa9llo", "12" };
    static const char big[] = "99999999999999999999";
    const char *text = texts[random_below(6)];
    weir_value number = weir_text_value(big, sizeof big - 1);
    number.tag = WEIR_NUMBER;
    switch (random_below(depth > 0 ? 11 : 9)) {
    case 0:
        return weir_null();
    case 1:
        return weir_bool((int)random_below(2));
    case 2:
    case 3:
    case 4:
        return weir_int((int64_t)random_below(20) - 10);
    case 5:
    case 6:
        return weir_float((double)random_below(40) / 4 - 5);
    case 7:
        return random_below(8) == 0 ? number : weir_bytes_value(text, (uint32_t)strlen(text));
    case 8:
        return weir_text_value(text, (uint32_t)strlen(text));
    default:
        return random_list(depth - 1);
    }
}

static weir_value random_list(uint32_t depth)
{
    uint32_t len = random_below(5);
    weir_value *items = arena_alloc(&fixture.batch, (len + 1) * sizeof *items);
    for (uint32_t i = 0; i < len; i++) {
        items[i] = random_value(depth);
    }
    return weir_list_value(items, len);
}

static weir_value random_record_value(void)
{
    static const char names[] = "abcde";
    weir_member *members = arena_zeroed(&fixture.batch, 5 * sizeof *members);
    uint32_t count = 0;
    if (random_below(20) == 0) {
        return random_value(1);
    }
    uint32_t turn = random_below(5);
    for (uint32_t i = 0; i < 5; i++) {
        const char *name = &names[(i + turn) % 5];
        if (random_below(8) != 0) {
            members[count++] = (weir_member){ symbols_lookup(&fixture.symbols, name, 1), 1, name,
                                              random_value(2) };
        }
    }
    return weir_map_value(members, count);
}

static weir_entry *random_entries(void)
{
    weir_record *records = arena_zeroed(&fixture.batch, RECORDS * sizeof *records);
    weir_entry *entries = arena_zeroed(&fixture.batch, RECORDS * sizeof *entries);
    random_state = 20240229;
    for (uint32_t i = 0; i < RECORDS; i++) {
        records[i].value = random_record_value();
        records[i].offset = i;
        entries[i] = (weir_entry){ &records[i], i, 0, 0 };
    }
    return entries;
}

/* ---- expressions ------------------------------------------------------------------------------- */

/* Of every family; most of them fail for some records and succeed for others. */
static const char *const texts[] = {
    "a",
    "a + b",
    "a * b + c - 1",
    "a // b",
    "a % b ** 2",
    "a / b < c",
    "-a",
    "a == b",
    "a < b or c",
    "a and b and c",
    "not a",
    "if a then b + 1 else c",
    "a ?? b ?? 0",
    "(a ?? 1) + (b ?? 2)",
    "a is null",
    "has(a, b)",
    "a[0] ?? b[1:] ?? c.d ?? 0",
    "a[b]",
    "a[:2]",
    "a in b",
    "a not in ['JFK', 'EWR', 1, 2]",
    "a is b",
    "try(a + b, c)",
    "try(try(a, b), 0)",
    "map(a, $it + b)",
    "filter(a, $it)",
    "any(a, $it > b)",
    "all(a, map($it, $index)[0] ?? 1)",
    "map(a, [$it, $index, c])",
    "[a, b, {x: c, y: 1}]",
    "{k: a ?? null, o: $offset}",
    "length(a) + sum(b)",
    "round(a, 1)",
    "min(a, b, 3)",
    "int(a, null)",
    "upper(a + b)",
    "a * 3 + a",
    "$value",
    "$offset + a",
};
enum { TEXT_COUNT = sizeof texts / sizeof texts[0] };

static void check_alike(const char *text, uint32_t index, const weir_value *whole,
                        const weir_value *split)
{
    char expected[8192];
    snprintf(expected, sizeof expected, "%s", fixture_text(whole));
    ck_assert_uint_eq(whole->tag, split->tag);
    const char *found = fixture_text(split);
    ck_assert_msg(strcmp(expected, found) == 0, "%s, record %u: %s and not %s", text, index, found,
                  expected);
}

START_TEST(results_do_not_depend_on_the_split)
{
    static const uint32_t sizes[] = { 1, 2, 7, 255, 256, 257 };
    static weir_value whole[RECORDS];
    static weir_value split[RECORDS];
    for (const char *name = "abcde"; *name != '\0'; name++) {
        symbols_intern(&fixture.symbols, name, 1);
    }
    weir_entry *entries = random_entries();
    int64_t all_failed = 0;
    for (size_t i = 0; i < TEXT_COUNT; i++) {
        weir_expression *expression = fixture_compile(texts[i]);
        weir_context *ctx = &fixture.context.context;
        int64_t failed = expr_evaluate(ctx, expression, entries, RECORDS, whole);
        ck_assert_int_ge(failed, 0);
        all_failed += failed;
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
            int64_t split_failed = 0;
            for (uint32_t start = 0; start < RECORDS; start += sizes[k]) {
                uint32_t count = RECORDS - start < sizes[k] ? RECORDS - start : sizes[k];
                split_failed +=
                    expr_evaluate(ctx, expression, entries + start, count, split + start);
            }
            ck_assert_int_eq(split_failed, failed);
            for (uint32_t r = 0; r < RECORDS; r++) {
                check_alike(texts[i], r, &whole[r], &split[r]);
            }
        }
    }
    ck_assert_int_gt(all_failed, TEXT_COUNT * RECORDS / 20);
    ck_assert_int_lt(all_failed, TEXT_COUNT * RECORDS * 9 / 10);
}
END_TEST

START_TEST(an_empty_batch_gives_nothing)
{
    weir_value value = weir_int(7);
    ck_assert_int_eq(
        expr_evaluate(&fixture.context.context, fixture_compile("a + zz"), NULL, 0, &value), 0);
    ck_assert_int_eq(value.as.i64, 7);
}
END_TEST

START_TEST(scratch_memory_is_used_again)
{
    static weir_value values[RECORDS];
    weir_entry *entries = random_entries();
    weir_expression *expression =
        fixture_compile("try(a + 1 + (a * 2 - (a - 3)), 0) == try(b + 1, 0) and try(a < b, true)");
    size_t before = arena_footprint(&fixture.batch);
    expr_evaluate(&fixture.context.context, expression, entries, 100, values);
    size_t small = arena_footprint(&fixture.batch) - before;
    ck_assert_uint_lt(small, 512u * 1024);
}
END_TEST

/* ---- memory ------------------------------------------------------------------------------------ */

START_TEST(running_out_of_memory_fails_the_whole_call)
{
    static weir_value values[RECORDS];
    weir_entry *entries = random_entries();
    for (size_t i = 0; i < TEXT_COUNT; i++) {
        weir_expression *expression = fixture_compile(texts[i]);
        int64_t result = WEIR_E_NOMEM;
        for (int64_t k = 0; k < 60; k++) {
            fixture.context.allocations_left = k;
            result = expr_evaluate(&fixture.context.context, expression, entries, 50, values);
            /* A function that gets no memory fails the lane and not the call. */
            bool is_function = strstr(texts[i], "upper") != NULL;
            ck_assert_msg(result == WEIR_E_NOMEM || result >= 0, "%s: %lld", texts[i],
                          (long long)result);
            if (result >= 0 && fixture.context.allocations_left > 0) {
                break;
            }
            ck_assert(result < 0 || is_function || fixture.context.allocations_left == 0);
        }
    }
    fixture.context.allocations_left = -1;
}
END_TEST

START_TEST(running_out_of_memory_while_compiling_is_reported)
{
    static const char *const long_texts[] = {
        "map(filter(l, $it > 1), {x: $it.a[0:1] ?? 'y', z: min(1, 2, a)}) + [if a then b else -c]",
        "try(int('x', 5) ** 2, has(a.b) and not env('HOME_SITE') in [$key, \"\\u{e9}\"])",
    };
    for (size_t i = 0; i < 2; i++) {
        bool is_compiled = false;
        size_t refused = 0;
        for (size_t k = 1; !is_compiled && k < 500; k++) {
            fixture_tear_down();
            fixture_set_up();
            arena_deinit(&fixture.compiled);
            arena_init(&fixture.compiled, 1); /* the smallest chunks: memory can run out anywhere */
            memory_fail_from(k);
            weir_expression *expression =
                expr_compile(&fixture.env, long_texts[i], strlen(long_texts[i]), &fixture_reporter);
            memory_fail_from(0);
            is_compiled = expression != NULL;
            refused += strstr(fixture.messages, "out of memory") != NULL;
            ck_assert(is_compiled || fixture.error_count == 1);
        }
        ck_assert_uint_ge(refused, 5);
        ck_assert(is_compiled);
    }
}
END_TEST

/* ---- threads ----------------------------------------------------------------------------------- */

struct thread_work {
    const weir_expression *expression;
    const weir_entry *entries;
    int64_t failed;
    int64_t sum;
};

static void *evaluate_often(void *argument)
{
    struct thread_work *work = argument;
    static const weir_call_api api = { .struct_size = sizeof api, .alloc = fixture_alloc };
    struct arena arena;
    weir_value *values = NULL;
    arena_init(&arena, 0);
    struct fixture_context context = { .arena = &arena, .allocations_left = -1 };
    context.context = (weir_context){ .struct_size = sizeof(weir_context), .api = &api };
    for (int round = 0; round < 20; round++) {
        values = arena_alloc(&arena, RECORDS * sizeof *values);
        work->failed +=
            expr_evaluate(&context.context, work->expression, work->entries, RECORDS, values);
        for (uint32_t i = 0; i < RECORDS; i++) {
            work->sum += values[i].tag == WEIR_INT ? values[i].as.i64 : 0;
        }
        arena_reset(&arena);
    }
    arena_deinit(&arena);
    return NULL;
}

START_TEST(threads_share_an_expression)
{
    for (const char *name = "abcde"; *name != '\0'; name++) {
        symbols_intern(&fixture.symbols, name, 1);
    }
    struct thread_work works[3];
    pthread_t threads[3];
    weir_entry *entries = random_entries();
    const weir_expression *expression = fixture_compile("(a ?? 1) * 2 + (b ?? 2)");
    for (size_t i = 0; i < 3; i++) {
        works[i] = (struct thread_work){ expression, entries, 0, 0 };
        ck_assert_int_eq(pthread_create(&threads[i], NULL, evaluate_often, &works[i]), 0);
    }
    for (size_t i = 0; i < 3; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        ck_assert_int_eq(works[i].failed, works[0].failed);
        ck_assert_int_eq(works[i].sum, works[0].sum);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("frame");
    TCase *tcase = fixture_add_case(made);
    tcase_add_test(tcase, results_do_not_depend_on_the_split);
    tcase_add_test(tcase, an_empty_batch_gives_nothing);
    tcase_add_test(tcase, scratch_memory_is_used_again);
    tcase_add_test(tcase, running_out_of_memory_fails_the_whole_call);
    tcase_add_test(tcase, running_out_of_memory_while_compiling_is_reported);
    tcase_add_test(tcase, threads_share_an_expression);
    return made;
}
