/* SPDX-License-Identifier: MIT */
/*
 * The functions behind a lent context: each checks who calls it and with what, then does what those
 * of plugin/call.c do. A function that is called from another thread does nothing.
 */
#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "plugin/debug/debug_host.h"
#include "plugin/debug/visit.h"

enum { FRESH = 0xA5 };

/* The visit of a context that may be used here and now; NULL: it may not, which was told. */
static struct visit *visit_of(weir_context *ctx, const char *what)
{
    struct visit *visit = ((struct visit_page *)(void *)ctx)->visit;
    if (visit == visit_current()) {
        return visit;
    }
    struct visit *mine = visit_current();
    visit_breach_outside(visit->who, visit->slot, RULE_CONTEXT_THREAD,
                         "lent its context to %s%s%s, which called %s with it",
                         mine == NULL ? "another thread" : "plugin '",
                         mine == NULL ? "" : mine->who->plugin, mine == NULL ? "" : "'", what);
    return NULL;
}

static bool refuses(struct visit *visit)
{
    if (debug_host_refuses()) {
        visit->is_refused = true;
        return true;
    }
    return false;
}

static void *api_alloc(weir_context *ctx, uint64_t size)
{
    struct visit *visit = visit_of(ctx, "weir_alloc");
    if (visit == NULL || refuses(visit)) {
        return NULL;
    }
    return lent_memory_alloc(&visit->memory, size, FRESH);
}

static weir_status grow_own(struct visit *visit, weir_output *output, uint32_t more)
{
    uint64_t needed = (uint64_t)output->count + more;
    if (needed <= output->capacity) {
        return WEIR_OK;
    }
    uint64_t capacity =
        output->capacity * UINT64_C(2) > needed ? output->capacity * UINT64_C(2) : needed;
    if (capacity > UINT32_MAX) {
        return WEIR_E_LIMIT;
    }
    weir_entry *entries = lent_memory_alloc(&visit->memory, capacity * sizeof *entries, FRESH);
    if (entries == NULL) {
        return WEIR_E_NOMEM;
    }
    if (output->count > 0) {
        memcpy(entries, output->entries, output->count * sizeof *entries);
    }
    output->entries = entries;
    output->capacity = (uint32_t)capacity;
    return WEIR_OK;
}

static weir_status api_grow(weir_context *ctx, weir_output *output, uint32_t more)
{
    struct visit *visit = visit_of(ctx, "weir_pass");
    if (visit == NULL) {
        return WEIR_E_INVALID;
    }
    ptrdiff_t number = output - visit->page->outputs;
    if (number < 0 || number >= (ptrdiff_t)visit->page->call.output_count) {
        visit_breach(visit, RULE_OUTPUT, "emitted at output %td, but has %u", number,
                     visit->page->call.output_count);
        return WEIR_E_INVALID;
    }
    return refuses(visit) ? WEIR_E_NOMEM : grow_own(visit, output, more);
}

static bool is_text(const char *text)
{
    size_t len = strlen(text);
    return utf8_valid_prefix(text, len) == len;
}

/* False where the details cannot be read at all. */
static bool judge_info(struct visit *visit, const weir_error_info *info)
{
    if (info == NULL || !WEIR_HAS_FIELD(info, weir_error_info, hint)) {
        visit_breach(visit, RULE_FAIL_INFO, "reported a fault without details");
        return false;
    }
    if (info->message == NULL || info->message[0] == '\0') {
        visit_breach(visit, RULE_FAIL_INFO, "reported a fault without a message");
    } else if (!is_text(info->message) || (info->hint != NULL && !is_text(info->hint))) {
        visit_breach(visit, RULE_FAIL_INFO, "reported a fault in words that are not UTF-8");
    } else if (info->message[strlen(info->message) - 1] == '.') {
        visit_breach(visit, RULE_FAIL_INFO, "ended the message '%.120s' with a full stop",
                     info->message);
    } else if (info->status >= 0) {
        visit_breach(visit, RULE_STATUS_SIGN, "reported a fault of status %" PRId32, info->status);
    } else if (info->status < WEIR_E_TIMEOUT) {
        visit_breach(visit, RULE_UNKNOWN_STATUS, "reported a fault of the unknown status %" PRId32,
                     info->status);
    } else if (info->error_class < WEIR_CLASS_CONFIG || info->error_class > WEIR_CLASS_BUG) {
        visit_breach(visit, RULE_FAIL_CLASS, "reported a fault of class %u", info->error_class);
    }
    return true;
}

static void judge_index(struct visit *visit, int64_t index)
{
    if ((uint64_t)index >= visit->page->call.record_limit) {
        visit_breach(visit, RULE_FAIL_INDEX, "failed record %" PRId64 " of a batch of %" PRIu64,
                     index, visit->page->call.record_limit);
    } else if (visit_has_failed(visit, (uint32_t)index)) {
        visit_breach(visit, RULE_FAIL_TWICE, "failed record %" PRId64 " twice", index);
    }
}

/* call.c copies texts into the arena of the call, through the context's own pointers. */
static void with_texts(struct visit *visit, void (*report)(struct visit *, const void *),
                       const void *details)
{
    weir_context *ctx = visit_context(visit);
    ctx->arena_next = visit->texts.next;
    ctx->arena_end = visit->texts.end;
    report(visit, details);
    ctx->arena_next = visit->lent.arena_next;
    ctx->arena_end = visit->lent.arena_end;
}

static void report_info(struct visit *visit, const void *info)
{
    call_api.fail(visit_context(visit), info);
}

static void api_fail(weir_context *ctx, const weir_error_info *info)
{
    struct visit *visit = visit_of(ctx, "weir_fail");
    if (visit == NULL || !judge_info(visit, info)) {
        return;
    }
    if (info->record_index >= 0) {
        judge_index(visit, info->record_index);
    } else if (info->record_index < -1) {
        visit_breach(visit, RULE_FAIL_INDEX, "failed record %" PRId64, info->record_index);
    }
    with_texts(visit, report_info, info);
}

struct failed_value {
    uint32_t index;
    const weir_value *failed;
    weir_slice input;
};

static void report_value(struct visit *visit, const void *details)
{
    const struct failed_value *value = details;
    call_api.fail_value_of_input(visit_context(visit), value->index, value->failed, value->input);
}

static void api_fail_value_of_input(weir_context *ctx, uint32_t record_index,
                                    const weir_value *failed, weir_slice input)
{
    struct visit *visit = visit_of(ctx, "fail_value");
    struct failed_value value = { record_index, failed, input };
    if (visit == NULL) {
        return;
    }
    if (failed == NULL || failed->tag != WEIR_TAG_ERROR || failed->as.bits == 0) {
        visit_breach(visit, RULE_FAIL_VALUE, "failed record %" PRIu32 " with a value of tag %d",
                     record_index, failed == NULL ? -1 : failed->tag);
        return;
    }
    judge_index(visit, record_index);
    with_texts(visit, report_value, &value);
}

static void api_fail_value(weir_context *ctx, uint32_t record_index, const weir_value *failed)
{
    api_fail_value_of_input(ctx, record_index, failed, (weir_slice){ NULL, 0 });
}

struct range {
    uint32_t first;
    uint32_t count;
};

static void report_delivered(struct visit *visit, const void *details)
{
    const struct range *range = details;
    call_api.delivered(visit_context(visit), range->first, range->count);
}

static void api_delivered(weir_context *ctx, uint32_t first, uint32_t count)
{
    struct visit *visit = visit_of(ctx, "weir_delivered");
    if (visit == NULL) {
        return;
    }
    struct range range = { first, count };
    if ((uint64_t)first + count > visit->input_count) {
        visit_breach(visit, RULE_FAIL_INDEX,
                     "delivered records %" PRIu32 " to %" PRIu64 " of a batch of %" PRIu32, first,
                     (uint64_t)first + count, visit->input_count);
        return;
    }
    with_texts(visit, report_delivered, &range);
}

const weir_call_api visit_call_api = { .struct_size = sizeof visit_call_api,
                                       .alloc = api_alloc,
                                       .grow = api_grow,
                                       .fail = api_fail,
                                       .fail_value = api_fail_value,
                                       .delivered = api_delivered,
                                       .fail_value_of_input = api_fail_value_of_input };
