/* SPDX-License-Identifier: MIT */
#include "plugin/debug/guard_function.h"

#include <inttypes.h>
#include <stdio.h>

#include "expr/kinds.h"
#include "expr/signature.h"
#include "plugin/debug/copy.h"
#include "plugin/debug/debug_host.h"
#include "plugin/debug/judge.h"

enum { PLACE_ROOM = 32 };

/* The call as the function sees it. */
struct lent_call {
    weir_call call; /* first: `fail` finds the rest by its address */
    weir_call *own;
    struct visit *visit;
};

static void fail_lane(weir_call *call, uint32_t lane, const char *message)
{
    struct lent_call *lent = (struct lent_call *)(void *)call;
    if (lent->visit != visit_current()) {
        visit_breach_outside(lent->visit->who, "evaluate", RULE_CONTEXT_THREAD,
                             "lent its call to another thread");
        return;
    }
    if (lane >= call->count) {
        visit_breach(lent->visit, RULE_FAIL_INDEX, "failed lane %" PRIu32 " of %" PRIu32, lane,
                     call->count);
        return;
    }
    if (message == NULL || message[0] == '\0') {
        visit_breach(lent->visit, RULE_FAIL_INFO, "failed a lane without a message");
        return;
    }
    visit_step_out(lent->visit);
    lent->own->fail(lent->own, lane, message);
    visit_step_in(lent->visit);
    /* Its details are in the memory of the outer call. */
    call->results[lane] = lent->own->results[lane];
}

static bool judge_result(struct visit *visit, const weir_call *call, uint32_t lane,
                         uint32_t allowed)
{
    const weir_value *result = &call->results[lane];
    char text[PLACE_ROOM];
    snprintf(text, sizeof text, "lane %" PRIu32, lane);
    struct judge_place place = { text, NULL };
    if (!judge_value(visit, &place, result)) {
        return false;
    }
    uint32_t kind = value_kind(result);
    if ((kind & allowed) == 0) {
        char room[KINDS_ROOM];
        visit_breach(visit, RULE_FUNCTION_RESULT, "gave %s where its signature says %s (%s)",
                     value_kind_name(result), kinds_text(allowed, room), text);
        return false;
    }
    return true;
}

/* A lane that was left holds WEIR_TAG_MISSING and is told by the engine itself. */
static weir_status take_results(struct visit *visit, const struct lent_call *lent,
                                const char *signature)
{
    struct signature parsed;
    uint32_t allowed = signature_parse(signature, &parsed, NULL) ? parsed.result : KIND_ANY;
    for (uint32_t i = 0; i < lent->call.count; i++) {
        const weir_value *result = &lent->call.results[i];
        if (result->tag == WEIR_TAG_ERROR || result->tag == WEIR_TAG_MISSING) {
            continue;
        }
        if (!judge_result(visit, &lent->call, i, allowed)) {
            return WEIR_E_INTERNAL;
        }
        visit_step_out(visit);
        bool is_copied = copy_value_out(lent->own->ctx, result, &lent->own->results[i]);
        visit_step_in(visit);
        if (!is_copied) {
            return WEIR_E_NOMEM;
        }
    }
    return WEIR_OK;
}

static bool has_failed_lane(const weir_call *call)
{
    for (uint32_t i = 0; i < call->count; i++) {
        if (call->results[i].tag == WEIR_TAG_ERROR) {
            return true;
        }
    }
    return false;
}

static weir_status evaluate_lent(const struct expr_function *function, struct visit *visit,
                                 struct lent_call *lent)
{
    const weir_value *const *args =
        copy_columns_in(visit, lent->own->args, lent->own->arg_count, lent->own->count);
    weir_value *results = lent_memory_alloc(&visit->memory, lent->own->count * sizeof *results, 0);
    if (args == NULL || results == NULL || !visit_lend_context(visit, 0, NULL, 0)) {
        return WEIR_E_NOMEM;
    }
    lent->call = *lent->own;
    lent->call.args = args;
    lent->call.results = results;
    lent->call.ctx = visit_context(visit);
    lent->call.fail = fail_lane;
    for (uint32_t i = 0; i < lent->call.count; i++) {
        results[i].tag = WEIR_TAG_MISSING;
    }
    weir_status st = function->vtable->evaluate(&lent->call);
    visit->is_refused = visit->is_refused && !has_failed_lane(&lent->call);
    visit_settle(visit, st, 0);
    return st == WEIR_OK && visit->breach.status == WEIR_OK
               ? take_results(visit, lent, function->vtable->signature)
               : st;
}

weir_status guard_evaluate(const struct expr_function *function, weir_call *call)
{
    struct visitee who = { .plugin = debug_host_plugin_id(function->vtable),
                           .label = function->name,
                           .host = function->host };
    struct visit visit;
    visit_begin(&visit, &who, "evaluate");
    struct lent_call lent = { .own = call, .visit = &visit };
    weir_status st = evaluate_lent(function, &visit, &lent);
    /* Where a constant is computed ahead there is no call that could fail. */
    return visit_end(&visit, call->ctx->api->fail == NULL ? NULL : call->ctx, 0, st);
}
