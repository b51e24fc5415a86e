/* SPDX-License-Identifier: MIT */
#include "plugin/debug/visit.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/logger.h"
#include "base/memory.h"
#include "plugin/debug/debug_host.h"

enum { TEXT_CHUNK = 4096, SEEN_ROOM = 320, SENTENCE_ROOM = 500 };

static _Thread_local struct visit *current;

struct visit *visit_current(void)
{
    return current;
}

void visit_step_out(struct visit *visit)
{
    current = visit->outer;
}

void visit_step_in(struct visit *visit)
{
    current = visit;
}

/* ---- telling ----------------------------------------------------------------------------------- */

__attribute__((format(printf, 5, 0))) static void write_sentence(char room[SENTENCE_ROOM],
                                                                 const struct visitee *who,
                                                                 const char *slot,
                                                                 enum rule_id rule,
                                                                 const char *seen, va_list args)
{
    char text[SEEN_ROOM];
    vsnprintf(text, sizeof text, seen, args);
    snprintf(room, SENTENCE_ROOM, "%s of plugin '%s' %s; %s: '%s'", slot, who->plugin, text,
             rules[rule].header, rules[rule].words);
}

void visit_breach(struct visit *visit, enum rule_id rule, const char *seen, ...)
{
    if (visit->breach.status != WEIR_OK) {
        return;
    }
    char sentence[SENTENCE_ROOM];
    va_list args;
    va_start(args, seen);
    write_sentence(sentence, visit->who, visit->slot, rule, seen, args);
    va_end(args);
    error_set(&visit->breach, WEIR_E_INTERNAL, WEIR_CLASS_BUG, "%s", sentence);
    debug_host_count_breach();
}

/* No call ends with what is told here, so it may come again with every record. */
static bool is_first_of(const char *sentence)
{
    enum { REMEMBERED = 16 };
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char told[REMEMBERED][SENTENCE_ROOM];
    static uint32_t count;
    pthread_mutex_lock(&lock);
    bool is_known = false;
    for (uint32_t i = 0; i < REMEMBERED && !is_known; i++) {
        is_known = strcmp(told[i], sentence) == 0;
    }
    if (!is_known) {
        memcpy(told[count++ % REMEMBERED], sentence, SENTENCE_ROOM);
    }
    pthread_mutex_unlock(&lock);
    return !is_known;
}

void visit_breach_outside(const struct visitee *who, const char *slot, enum rule_id rule,
                          const char *seen, ...)
{
    char sentence[SENTENCE_ROOM];
    va_list args;
    va_start(args, seen);
    write_sentence(sentence, who, slot, rule, seen, args);
    va_end(args);
    debug_host_count_breach();
    if (is_first_of(sentence)) {
        logger_write(LOGGER_ERROR, who->label, "%s", sentence);
    }
}

/* ---- begin ------------------------------------------------------------------------------------- */

void visit_begin(struct visit *visit, const struct visitee *who, const char *slot)
{
    *visit = (struct visit){ .outer = current, .who = who, .slot = slot };
    lent_memory_init(&visit->memory, REGION_BATCH, who->plugin, who->label);
    arena_init(&visit->texts, TEXT_CHUNK);
    current = visit;
}

bool visit_lend_context(struct visit *visit, uint32_t outputs, const weir_batch *batch,
                        uint64_t record_limit)
{
    size_t slots = (size_t)outputs + TRAP_OUTPUTS;
    size_t size = sizeof(struct visit_page) + slots * sizeof(weir_output);
    visit->context = region_open(REGION_CONTEXT, size, visit->who->plugin, visit->who->label);
    /* A request for no bytes is met without asking: it needs an address that is right. */
    uint8_t *nothing = lent_memory_alloc(&visit->memory, 0, 0);
    if (visit->context == NULL || nothing == NULL) {
        return false;
    }
    struct visit_page *page = (struct visit_page *)(void *)visit->context->base;
    page->visit = visit;
    page->call.outputs = page->outputs;
    page->call.output_count = outputs;
    call_prepare(&page->call, NULL, &visit->texts, batch);
    page->call.record_limit = record_limit;
    page->call.context.api = &visit_call_api;
    page->call.context.host = visit->who->host;
    page->call.context.arena_next = nothing;
    page->call.context.arena_end = nothing; /* so that every other request comes to us */
    visit->page = page;
    visit->lent = page->call.context;
    return true;
}

/* ---- settle ------------------------------------------------------------------------------------ */

static void judge_status(struct visit *visit, weir_status st, uint32_t allowed)
{
    if (st > 0 && (st >= 32 || (allowed >> st & 1u) == 0)) {
        visit_breach(visit, RULE_STATUS, "returned status %" PRId32 ", which it may not", st);
    } else if (st < WEIR_E_TIMEOUT) {
        visit_breach(visit, RULE_UNKNOWN_STATUS, "returned the unknown status %" PRId32, st);
    }
}

static void judge_context(struct visit *visit)
{
    const weir_context *now = &visit->page->call.context;
    const weir_context *lent = &visit->lent;
    if (now->struct_size != lent->struct_size || now->output_count != lent->output_count ||
        now->api != lent->api || now->host != lent->host || now->batch != lent->batch ||
        now->outputs != lent->outputs || now->arena_next != lent->arena_next ||
        now->arena_end != lent->arena_end || now->reserved != lent->reserved) {
        visit_breach(visit, RULE_CONTEXT, "changed its context");
        return;
    }
    for (uint32_t i = 0; i < lent->output_count; i++) {
        const weir_output *output = &visit->page->outputs[i];
        bool is_own = output->count == 0 || lent_memory_holds(&visit->memory, output->entries);
        if (output->count > output->capacity || output->mark > output->count || !is_own) {
            visit_breach(visit, RULE_CONTEXT, "changed output %u of its context", i);
        }
    }
}

static void judge_faults(struct visit *visit, weir_status st)
{
    const struct call *call = visit->page == NULL ? NULL : &visit->page->call;
    if (call != NULL && call->whole.status != WEIR_OK && st >= 0) {
        visit_breach(visit, RULE_FAULT_STATUS,
                     "failed as a whole ('%.120s') and returned status %" PRId32,
                     call->whole.message, st);
    }
    bool has_told = call != NULL && call->failure_count > 0;
    if (visit->is_refused && st >= 0 && !has_told) {
        visit_breach(visit, RULE_NO_MEMORY,
                     "was refused memory and returned status %" PRId32 " without a fault", st);
    }
}

weir_status visit_settle(struct visit *visit, weir_status st, uint32_t allowed)
{
    uint64_t size = 0;
    visit->is_judged = true;
    if (!lent_memory_is_whole(&visit->memory, &size)) {
        visit_breach(visit, RULE_BATCH_MEMORY,
                     "wrote beyond the %" PRIu64 " bytes that weir_alloc had given", size);
    }
    if (visit->page != NULL) {
        judge_context(visit);
    }
    judge_status(visit, st, allowed);
    judge_faults(visit, st);
    return st;
}

bool visit_has_failed(const struct visit *visit, uint32_t index)
{
    const struct call *call = &visit->page->call;
    for (uint32_t i = 0; i < call->failure_count; i++) {
        if (call->failures[i].index == index) {
            return true;
        }
    }
    return false;
}

/* ---- end --------------------------------------------------------------------------------------- */

static void hand_on_failure(weir_context *ctx, uint32_t base, const struct call_failure *failure)
{
    weir_error_info info = { .struct_size = sizeof info,
                             .status = failure->status,
                             .error_class = failure->error_class,
                             .flags = failure->is_retriable ? WEIR_ERROR_RETRIABLE : 0,
                             .record_index = (int64_t)base + failure->index,
                             .retry_after_ms = failure->retry_after_ms,
                             .message = failure->message,
                             .hint = failure->hint,
                             .input = failure->input,
                             .input_size = failure->input_size };
    if (ctx->batch != NULL) {
        /* What is emitted already stays: the record's own was dropped here. */
        weir_cursor_to(ctx, base + failure->index);
    }
    ctx->api->fail(ctx, &info);
}

static void hand_on_fault(weir_context *ctx, const struct error *error, int64_t retry_after_ms)
{
    weir_error_info info = { .struct_size = sizeof info,
                             .status = error->status,
                             .error_class = error->error_class,
                             .flags = error->is_retriable ? WEIR_ERROR_RETRIABLE : 0,
                             .record_index = -1,
                             .retry_after_ms = retry_after_ms,
                             .message = error->message,
                             .hint = error->hint[0] == '\0' ? NULL : error->hint };
    ctx->api->fail(ctx, &info);
}

static void hand_on_delivered(const struct visit *visit, weir_context *ctx, uint32_t base)
{
    for (uint32_t i = 0; visit->page->call.delivered != NULL && i < visit->input_count; i++) {
        if (call_is_delivered(&visit->page->call, i)) {
            weir_delivered(ctx, base + i, 1);
        }
    }
}

static void hand_on(struct visit *visit, weir_context *ctx, uint32_t base)
{
    hand_on_delivered(visit, ctx, base);
    struct call *call = &visit->page->call;
    call_sort_failures(call);
    for (uint32_t i = 0; i < call->failure_count; i++) {
        hand_on_failure(ctx, base, &call->failures[i]);
    }
    if (call->whole.status != WEIR_OK) {
        hand_on_fault(ctx, &call->whole, call->retry_after_ms);
    }
}

static void take_back(struct visit *visit)
{
    if (visit->page != NULL) {
        memory_free(visit->page->call.failures);
    }
    region_retire(visit->context);
    region_retire(visit->input);
    lent_memory_retire(&visit->memory);
    arena_deinit(&visit->texts);
}

weir_status visit_end(struct visit *visit, weir_context *ctx, uint32_t base, weir_status st)
{
    bool is_broken = visit->breach.status != WEIR_OK;
    visit_step_out(visit);
    if (is_broken && ctx != NULL) {
        hand_on_fault(ctx, &visit->breach, 0);
    } else if (is_broken) {
        logger_write(LOGGER_ERROR, visit->who->label, "%s", visit->breach.message);
    } else if (ctx != NULL && visit->page != NULL) {
        hand_on(visit, ctx, base);
    }
    take_back(visit);
    return is_broken ? WEIR_E_INTERNAL : st;
}
