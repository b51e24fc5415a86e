/* SPDX-License-Identifier: MIT */
/* The call frame as a plugin sees it: through the inline functions of weir/host.h. */
#include "plugin/call.h"

#include <string.h>

#include "base/memory.h"
#include "expr/expr.h"
#include "unit.h"

enum { RECORDS = 300 };

static struct arena arena;
static struct call call;
static weir_record records[RECORDS];
static weir_entry entries[RECORDS];
static weir_batch batch;

static void setup(void)
{
    arena_init(&arena, 1024);
    ck_assert(call_init(&call, 2));
    for (uint32_t i = 0; i < RECORDS; i++) {
        records[i].offset = i;
        entries[i] = (weir_entry){ .record = &records[i], .ordinal = i };
    }
    batch = (weir_batch){ .struct_size = sizeof batch, .count = RECORDS, .entries = entries };
}

static void teardown(void)
{
    call_deinit(&call);
    arena_deinit(&arena);
}

static void fail_at(int64_t index, const char *message)
{
    weir_fail_class(&call.context, index, WEIR_E_DATA, WEIR_CLASS_DATA, message, NULL);
}

/* Passes every record to output 0 and every third to output 1; allocates and fails now and then. */
static weir_status work(weir_context *ctx, const weir_batch *in)
{
    WEIR_EACH(ctx, in, entry) {
        if (weir_pass(ctx, 0, entry) != WEIR_OK) {
            return WEIR_E_NOMEM;
        }
        weir_record *made = weir_record_with(ctx, entry->record, weir_int(entry->ordinal));
        if (made == NULL) {
            return WEIR_E_NOMEM;
        }
        if (entry->ordinal % 3 == 0 && weir_emit(ctx, 1, entry, made) != WEIR_OK) {
            return WEIR_E_NOMEM;
        }
        if (entry->ordinal % 10 == 0) {
            weir_fail(ctx, "record %u", entry->ordinal);
        }
    }
    return WEIR_OK;
}

START_TEST(keeps_what_is_emitted_and_drops_what_failed)
{
    call_begin(&call, NULL, &arena, &batch);
    ck_assert_int_eq(work(&call.context, &batch), WEIR_OK);
    call_end(&call);
    ck_assert_uint_eq(call.failure_count, 30);
    ck_assert_uint_eq(call.outputs[0].count, 270);
    ck_assert_uint_eq(call.outputs[1].count, 90);
    for (uint32_t i = 0; i < 270; i++) {
        uint32_t ordinal = 1 + i / 9 * 10 + i % 9;
        ck_assert_uint_eq(call.outputs[0].entries[i].ordinal, ordinal);
    }
    ck_assert_str_eq(call.failures[2].message, "record 20");
    ck_assert_uint_eq(call.failures[2].index, 20);
    ck_assert_int_eq(call.failures[2].status, WEIR_E_DATA);
}
END_TEST

START_TEST(asks_the_heap_for_nothing_in_a_steady_flow)
{
    for (int round = 0; round < 3; round++) {
        arena_reset(&arena);
        memory_fail_from(round == 2 ? 1 : 0);
        call_begin(&call, NULL, &arena, &batch);
        weir_status st = work(&call.context, &batch);
        call_end(&call);
        memory_fail_from(0);
        ck_assert_int_eq(st, WEIR_OK);
        ck_assert_int_eq(call.whole.status, WEIR_OK);
        ck_assert_uint_eq(call.outputs[0].count, 270);
    }
}
END_TEST

START_TEST(survives_every_failing_allocation)
{
    bool has_finished = false;
    for (size_t k = 1; k < 200 && !has_finished; k++) {
        struct call fresh;
        struct arena small;
        arena_init(&small, 1024);
        memory_fail_from(k);
        if (call_init(&fresh, 2)) {
            call_begin(&fresh, NULL, &small, &batch);
            weir_status st = work(&fresh.context, &batch);
            call_end(&fresh);
            has_finished = st == WEIR_OK && fresh.whole.status == WEIR_OK;
            memory_fail_from(0);
            call_deinit(&fresh);
        }
        memory_fail_from(0);
        arena_deinit(&small);
    }
    ck_assert(has_finished);
}
END_TEST

START_TEST(allocates_aligned_blocks_that_do_not_overlap)
{
    uint8_t *blocks[64];
    call_begin(&call, NULL, &arena, &batch);
    for (size_t i = 0; i < 64; i++) {
        size_t size = 1 + i * 37 % 500;
        blocks[i] = weir_alloc(&call.context, size);
        ck_assert_ptr_nonnull(blocks[i]);
        ck_assert_uint_eq((uintptr_t)blocks[i] % 16, 0);
        memset(blocks[i], (int)i, size);
    }
    call_end(&call);
    uint8_t *later = arena_alloc(&arena, 16);
    memset(later, 0xff, 16);
    for (size_t i = 0; i < 64; i++) {
        ck_assert_uint_eq(blocks[i][0], i);
        ck_assert_uint_eq(blocks[i][i * 37 % 500], i);
    }
}
END_TEST

START_TEST(refuses_an_absurd_size)
{
    call_begin(&call, NULL, &arena, &batch);
    ck_assert_ptr_null(weir_alloc(&call.context, UINT64_MAX));
    ck_assert_ptr_nonnull(weir_alloc(&call.context, 16));
    call_end(&call);
}
END_TEST

START_TEST(refuses_more_entries_than_can_be_counted)
{
    call_begin(&call, NULL, &arena, &batch);
    call.outputs[0].count = 1;
    ck_assert_int_eq(call_api.grow(&call.context, &call.outputs[0], UINT32_MAX), WEIR_E_LIMIT);
    call.outputs[0].count = 0;
    call_end(&call);
}
END_TEST

START_TEST(keeps_outputs_of_other_records)
{
    call_begin(&call, NULL, &arena, &batch);
    weir_cursor_to(&call.context, 4);
    ck_assert_int_eq(weir_pass(&call.context, 0, &entries[4]), WEIR_OK);
    fail_at(7, "later");
    ck_assert_uint_eq(call.outputs[0].count, 1);
    fail_at(4, "now");
    ck_assert_uint_eq(call.outputs[0].count, 0);
    call_end(&call);
}
END_TEST

START_TEST(counts_only_the_first_failure_of_a_record)
{
    call_begin(&call, NULL, &arena, &batch);
    fail_at(5, "first");
    fail_at(3, "other");
    fail_at(5, "second");
    fail_at(3, "second");
    call_end(&call);
    ck_assert_uint_eq(call.failure_count, 2);
    ck_assert_str_eq(call.failures[0].message, "first");
    ck_assert_str_eq(call.failures[1].message, "other");
    call_sort_failures(&call);
    ck_assert_uint_eq(call.failures[0].index, 3);
    ck_assert_uint_eq(call.failures[1].index, 5);
}
END_TEST

START_TEST(drops_outputs_of_a_record_that_fails_again)
{
    call_begin(&call, NULL, &arena, &batch);
    weir_cursor_to(&call.context, 2);
    fail_at(2, "first");
    ck_assert_int_eq(weir_pass(&call.context, 0, &entries[2]), WEIR_OK);
    fail_at(2, "second");
    call_end(&call);
    ck_assert_uint_eq(call.outputs[0].count, 0);
    ck_assert_uint_eq(call.failure_count, 1);
}
END_TEST

START_TEST(copies_the_texts_of_a_failure)
{
    char message[] = "message";
    char hint[] = "hint";
    call_begin(&call, NULL, &arena, &batch);
    weir_fail_class(&call.context, 1, WEIR_E_IO, WEIR_CLASS_NETWORK, message, hint);
    message[0] = hint[0] = 'X';
    call_end(&call);
    ck_assert_str_eq(call.failures[0].message, "message");
    ck_assert_str_eq(call.failures[0].hint, "hint");
    ck_assert_uint_eq(call.failures[0].error_class, WEIR_CLASS_NETWORK);
    ck_assert_int_eq(call.failures[0].status, WEIR_E_IO);
}
END_TEST

START_TEST(fails_the_whole_call_once)
{
    call_begin(&call, NULL, &arena, &batch);
    weir_error_info info = { sizeof info,
                             WEIR_E_BACKPRESSURE,
                             WEIR_CLASS_NETWORK,
                             WEIR_ERROR_RETRIABLE,
                             -1,
                             250,
                             "busy",
                             "wait",
                             { NULL, 0 },
                             0 };
    call.context.api->fail(&call.context, &info);
    fail_at(-1, "later");
    call_end(&call);
    ck_assert_int_eq(call.whole.status, WEIR_E_BACKPRESSURE);
    ck_assert_uint_eq(call.whole.error_class, WEIR_CLASS_NETWORK);
    ck_assert(call.whole.is_retriable);
    ck_assert_str_eq(call.whole.message, "busy");
    ck_assert_str_eq(call.whole.hint, "wait");
    ck_assert_int_eq(call.retry_after_ms, 250);
    ck_assert_uint_eq(call.failure_count, 0);
    call_begin(&call, NULL, &arena, &batch);
    ck_assert_int_eq(call.whole.status, WEIR_OK);
    ck_assert_int_eq(call.retry_after_ms, 0);
    call_end(&call);
}
END_TEST

START_TEST(believes_no_index_beyond_the_limit_of_a_call_without_a_batch)
{
    call_begin(&call, NULL, &arena, NULL);
    call.record_limit = 2;
    fail_at(1, "within");
    ck_assert_int_eq(call.whole.status, WEIR_OK);
    fail_at(2, "beyond");
    call_end(&call);
    ck_assert_int_eq(call.whole.status, WEIR_E_INTERNAL);
    ck_assert_uint_eq(call.failure_count, 1);
}
END_TEST

START_TEST(a_watch_shows_whom_its_thread_is_in)
{
    struct call_watch watch = { .call = NULL };
    struct instance instance = { .label = "here" };
    call_watch_use(&watch);
    call_begin(&call, &instance, &arena, &batch);
    ck_assert_str_eq(call_watch_label(), "here");
    call_end(&call);
    ck_assert_ptr_null(atomic_load(&watch.label));
    uint64_t number = atomic_load(&watch.number);
    call_watch_slot("write");
    call_begin(&call, &instance, &arena, &batch);
    ck_assert_str_eq(atomic_load(&watch.call), "write");
    ck_assert_uint_ne(atomic_load(&watch.number), number);
    call_watch_use(NULL);
    ck_assert_ptr_null(call_watch_label());
    call_end(&call);
    ck_assert_str_eq(atomic_load(&watch.label), "here");
}
END_TEST

/* What a defective plugin reports, and what becomes of the whole call. */
static const struct {
    weir_error_info info;
    const char *message;
} defects[] = {
    { { 8, WEIR_E_DATA, WEIR_CLASS_DATA, 0, 1, 0, "short", NULL, { NULL, 0 }, 0 },
      "the plugin reported a fault in a struct that is too short" },
    { { sizeof(weir_error_info),
        WEIR_E_DATA,
        WEIR_CLASS_DATA,
        0,
        RECORDS,
        0,
        "outside",
        NULL,
        { NULL, 0 },
        0 },
      "the plugin failed a record that is not in its batch" },
    { { sizeof(weir_error_info),
        WEIR_E_DATA,
        WEIR_CLASS_DATA,
        0,
        INT64_MAX,
        0,
        "outside",
        NULL,
        { NULL, 0 },
        0 },
      "the plugin failed a record that is not in its batch" },
    { { sizeof(weir_error_info), WEIR_OK, WEIR_CLASS_DATA, 0, -1, 0, NULL, NULL, { NULL, 0 }, 0 },
      "the plugin reported a fault without a message" },
};

START_TEST(turns_a_defective_report_into_a_fault_of_the_call)
{
    call_begin(&call, NULL, &arena, &batch);
    call.context.api->fail(&call.context, &defects[_i].info);
    call_end(&call);
    ck_assert_int_eq(call.whole.status, WEIR_E_INTERNAL);
    ck_assert_str_eq(call.whole.message, defects[_i].message);
    ck_assert_uint_eq(call.failure_count, 0);
}
END_TEST

START_TEST(keeps_what_a_source_could_not_read)
{
    char line[] = "{bad";
    call_begin(&call, NULL, &arena, NULL);
    weir_reject_input(&call.context, line, 4, "line %d", 7);
    weir_reject(&call.context, "no bytes");
    line[0] = 'x';
    call_end(&call);
    ck_assert_uint_eq(call.failure_count, 2);
    ck_assert_str_eq(call.failures[0].message, "line 7");
    ck_assert_uint_eq(call.failures[0].input.size, 4);
    ck_assert_mem_eq(call.failures[0].input.data, "{bad", 4);
    ck_assert_uint_eq(call.failures[1].index, 1);
    ck_assert_ptr_null(call.failures[1].input.data);
}
END_TEST

START_TEST(never_reads_beyond_a_short_report)
{
    call_begin(&call, NULL, &arena, &batch);
    weir_error_info info = { offsetof(weir_error_info, message),
                             WEIR_E_DATA,
                             WEIR_CLASS_DATA,
                             0,
                             1,
                             0,
                             (const char *)8,
                             (const char *)8,
                             { (const uint8_t *)8, 8 },
                             8 };
    call.context.api->fail(&call.context, &info);
    call_end(&call);
    ck_assert_str_eq(call.failures[0].message, "the plugin reported a fault without a message");
    ck_assert_ptr_null(call.failures[0].hint);
    ck_assert_ptr_null(call.failures[0].input.data);
}
END_TEST

START_TEST(keeps_the_records_that_a_source_produced_before_a_bad_one)
{
    call_begin(&call, NULL, &arena, NULL);
    ck_assert_int_eq(weir_produce(&call.context, &records[0]), WEIR_OK);
    weir_fail(&call.context, "bad line");
    call.context.cursor++;
    ck_assert_int_eq(weir_produce(&call.context, &records[2]), WEIR_OK);
    call_end(&call);
    ck_assert_uint_eq(call.outputs[0].count, 2);
    ck_assert_uint_eq(call.failure_count, 1);
    ck_assert_uint_eq(call.failures[0].index, 1);
}
END_TEST

START_TEST(takes_the_fault_of_an_expression)
{
    static const struct expr_fault fault = { "field 'a' is missing", "write a ?? 0", 3, 4 };
    weir_value failed = { .tag = WEIR_TAG_ERROR, .as.bits = (uint64_t)(uintptr_t)&fault };
    call_begin(&call, NULL, &arena, &batch);
    weir_cursor_to(&call.context, 9);
    ck_assert_int_eq(weir_pass(&call.context, 1, &entries[9]), WEIR_OK);
    call.context.api->fail_value(&call.context, 9, &failed);
    call_end(&call);
    ck_assert_uint_eq(call.outputs[1].count, 0);
    ck_assert_uint_eq(call.failure_count, 1);
    ck_assert_uint_eq(call.failures[0].index, 9);
    ck_assert_uint_eq(call.failures[0].error_class, WEIR_CLASS_DATA);
    ck_assert_str_eq(call.failures[0].message, "field 'a' is missing");
    ck_assert_str_eq(call.failures[0].hint, "write a ?? 0");
}
END_TEST

START_TEST(refuses_a_value_that_holds_no_error)
{
    weir_value whole = weir_int(3);
    call_begin(&call, NULL, &arena, &batch);
    call.context.api->fail_value(&call.context, 0, &whole);
    call_end(&call);
    ck_assert_int_eq(call.whole.status, WEIR_E_INTERNAL);
    ck_assert_uint_eq(call.failure_count, 0);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("call");
    TCase *tc = tcase_create("call");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, keeps_what_is_emitted_and_drops_what_failed);
    tcase_add_test(tc, asks_the_heap_for_nothing_in_a_steady_flow);
    tcase_add_test(tc, survives_every_failing_allocation);
    tcase_add_test(tc, allocates_aligned_blocks_that_do_not_overlap);
    tcase_add_test(tc, refuses_an_absurd_size);
    tcase_add_test(tc, refuses_more_entries_than_can_be_counted);
    tcase_add_test(tc, keeps_outputs_of_other_records);
    tcase_add_test(tc, counts_only_the_first_failure_of_a_record);
    tcase_add_test(tc, drops_outputs_of_a_record_that_fails_again);
    tcase_add_test(tc, copies_the_texts_of_a_failure);
    tcase_add_test(tc, fails_the_whole_call_once);
    tcase_add_test(tc, believes_no_index_beyond_the_limit_of_a_call_without_a_batch);
    tcase_add_test(tc, a_watch_shows_whom_its_thread_is_in);
    tcase_add_loop_test(tc, turns_a_defective_report_into_a_fault_of_the_call, 0,
                        (int)(sizeof defects / sizeof defects[0]));
    tcase_add_test(tc, keeps_what_a_source_could_not_read);
    tcase_add_test(tc, never_reads_beyond_a_short_report);
    tcase_add_test(tc, keeps_the_records_that_a_source_produced_before_a_bad_one);
    tcase_add_test(tc, takes_the_fault_of_an_expression);
    tcase_add_test(tc, refuses_a_value_that_holds_no_error);
    suite_add_tcase(s, tc);
    return s;
}
