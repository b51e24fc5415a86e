/* SPDX-License-Identifier: MIT */
#include "support/testing/operator_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "plugin/debug/debug_host.h"

static void operate(struct fixture *f, const char *lines, uint32_t size)
{
    const weir_operator_vtable *vtable = f->vtable;
    weir_batch all = fixture_batch(f, lines);
    buffer_clear(&f->text);
    for (uint32_t from = 0; from < all.count; from += size) {
        weir_batch batch = all;
        batch.entries = all.entries + from;
        batch.count = all.count - from < size ? all.count - from : size;
        fixture_begin(f, &batch);
        weir_status st = vtable->process(f->instance->self, &f->call.context, &batch);
        call_end(&f->call);
        ck_assert_int_eq(st, WEIR_OK);
        call_sort_failures(&f->call);
        fixture_tell(f, from);
    }
    fixture_retire(f);
}

/* Emitted records and failures of several batches mix: sorted lines are compared. */
static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *sorted(struct fixture *f, const char *text)
{
    uint32_t count = 0;
    char *rest = NULL;
    char *copy = arena_copy(&f->config_arena, text, strlen(text));
    const char **lines = arena_alloc(&f->config_arena, (strlen(text) + 1) * sizeof *lines);
    char *made = arena_printf(&f->config_arena, "%s", "");
    for (char *line = strtok_r(copy, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        lines[count++] = line;
    }
    qsort(lines, count, sizeof *lines, compare_lines);
    for (uint32_t i = 0; i < count; i++) {
        made = arena_printf(&f->config_arena, "%s%s\n", made, lines[i]);
    }
    return made;
}

/*
 * Under the debug host: every request for memory of a call is refused once. Whatever the operator makes
 * of it, a breach of the rules is none of it.
 */
static void operate_without_memory(struct fixture *f, const char *lines)
{
    enum { MOST_REQUESTS = 64 };
    const weir_operator_vtable *vtable = f->vtable;
    bool was_refused = debug_host_is_on();
    for (uint64_t k = 1; was_refused && k <= MOST_REQUESTS; k++) {
        weir_batch batch = fixture_batch(f, lines);
        fixture_begin(f, &batch);
        debug_host_refuse_at(k);
        (void)vtable->process(f->instance->self, &f->call.context, &batch);
        was_refused = debug_host_refused();
        debug_host_refuse_at(0);
        call_end(&f->call);
        ck_assert_msg(debug_host_breaches() == 0, "%s", f->call.whole.message);
        fixture_retire(f);
    }
}

const char *fixture_operate(struct fixture *f, const char *plugin, const char *body,
                            const char *lines)
{
    static char answer[1 << 16];
    if (!fixture_init(f, plugin, body)) {
        snprintf(answer, sizeof answer, "refused: %s", f->complaint);
        fixture_deinit(f);
        return answer;
    }
    operate(f, lines, 1 << 30);
    snprintf(answer, sizeof answer, "%s", buffer_c_string(&f->text));
    const char *whole = sorted(f, answer);
    for (uint32_t size = 1; size <= 2; size++) {
        operate(f, lines, size);
        ck_assert_str_eq(sorted(f, buffer_c_string(&f->text)), whole);
    }
    operate_without_memory(f, lines);
    fixture_deinit(f);
    return answer;
}

void fixture_check(struct fixture *f, const char *plugin, const struct operate_case *wanted)
{
    ck_assert_str_eq(fixture_operate(f, plugin, wanted->body, wanted->lines), wanted->expected);
}

void fixture_check_refused(struct fixture *f, const char *plugin, const struct refuse_case *wanted)
{
    fixture_refuse(f, plugin, wanted->body, wanted->part);
}

const char *fixture_process(struct fixture *f, const weir_batch *batch)
{
    const weir_operator_vtable *vtable = f->vtable;
    fixture_begin(f, batch);
    return fixture_end(f, vtable->process(f->instance->self, &f->call.context, batch));
}

const char *fixture_operate_messages(struct fixture *f, const char *plugin, const char *body,
                                     const char *lines,
                                     void (*tell)(weir_buffer *out, const weir_record *record))
{
    static char answer[4096];
    ck_assert_msg(fixture_init(f, plugin, body), "%s", f->complaint);
    weir_batch batch = fixture_messages(f, lines);
    (void)fixture_process(f, &batch);
    buffer_clear(&f->text);
    for (uint32_t i = 0; i < f->call.outputs[0].count; i++) {
        const weir_record *record = f->call.outputs[0].entries[i].record;
        tell(&f->text, record);
        ck_assert_ptr_ne(record, batch.entries[i].record);
    }
    for (uint32_t i = 0; i < f->call.failure_count; i++) {
        buffer_printf(&f->text, "! %u: %s\n", f->call.failures[i].index,
                      f->call.failures[i].message);
    }
    snprintf(answer, sizeof answer, "%s", buffer_c_string(&f->text));
    fixture_deinit(f);
    return answer;
}
