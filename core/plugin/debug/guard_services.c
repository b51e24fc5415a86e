/* SPDX-License-Identifier: MIT */
/*
 * The services as a guarded plugin gets them: each checks that it may be called here and now, then
 * asks the real one. What has no rule of that sort is the real table itself.
 */
#include <string.h>

#include "expr/expr.h"
#include "plugin/debug/debug_host.h"
#include "plugin/debug/guard.h"
#include "plugin/debug/judge_text.h"
#include "value/value.h"

static struct instance *instance_of(const weir_host *host)
{
    return ((const struct lent_host *)(const void *)host)->instance;
}

static const void *real_table(const weir_host *host, const char *id)
{
    const weir_host *real = &instance_of(host)->host;
    return real->get_extension(real, id);
}

/* The visit of the instance that the host belongs to; NULL: none of it is under way on this thread. */
static struct visit *visit_of(const struct guard *guard)
{
    struct visit *visit = visit_current();
    while (visit != NULL && visit->who->guard != guard) {
        visit = visit->outer;
    }
    return visit;
}

static bool is_control(const struct visit *visit)
{
    return visit != NULL && strcmp(visit->slot, "create") == 0;
}

static void breach_of(struct guard *guard, struct visit *visit, enum rule_id rule, const char *what)
{
    if (visit != NULL) {
        visit_breach(visit, rule, "called %s", what);
    } else {
        visit_breach_outside(&guard->visitee, "a thread", rule, "called %s", what);
    }
}

static void *memory_alloc_checked(const weir_host *host, uint64_t size)
{
    struct guard *guard = instance_of(host)->guard;
    struct visit *visit = visit_of(guard);
    if (visit == NULL) {
        breach_of(guard, NULL, RULE_MEMORY_THREAD, "weir.memory/1 alloc outside of its calls");
        return NULL;
    }
    if (debug_host_refuses()) {
        visit->is_refused = true;
        return NULL;
    }
    return lent_memory_alloc(&guard->memory, size, 0);
}

static uint32_t symbols_intern_checked(const weir_host *host, const char *name, uint32_t len)
{
    struct guard *guard = instance_of(host)->guard;
    struct visit *visit = visit_of(guard);
    if (!is_control(visit)) {
        breach_of(guard, visit, RULE_CONTROL_THREAD, "weir.symbols/1 intern outside of create");
        return WEIR_SYMBOL_NONE;
    }
    const weir_symbols_api *real = real_table(host, WEIR_SYMBOLS);
    return real->intern(host, name, len);
}

static uint32_t symbols_lookup_checked(const weir_host *host, const char *name, uint32_t len)
{
    const weir_symbols_api *real = real_table(host, WEIR_SYMBOLS);
    return real->lookup(host, name, len);
}

static uint64_t *metrics_counter_checked(const weir_host *host, const char *name, const char *help)
{
    struct guard *guard = instance_of(host)->guard;
    struct visit *visit = visit_of(guard);
    if (!is_control(visit)) {
        breach_of(guard, visit, RULE_METRICS_THREAD, "weir.metrics/1 counter outside of create");
        return NULL;
    }
    const weir_metrics_api *real = real_table(host, WEIR_METRICS);
    return real->counter(host, name, help);
}

static void log_write_checked(const weir_host *host, uint32_t level, const char *message)
{
    struct guard *guard = instance_of(host)->guard;
    if (message == NULL || !text_is_utf8(message, strlen(message)) ||
        strchr(message, '\n') != NULL) {
        breach_of(guard, visit_of(guard), RULE_LOG,
                  "weir.log/1 write with a message that is not one line of UTF-8");
        return;
    }
    const weir_log_api *real = real_table(host, WEIR_LOG);
    real->write(host, level, message);
}

/* Origins that the batch does not have would be read behind the end of its table. */
static bool has_right_origins(const weir_context *ctx, const weir_entry *entries, uint32_t count)
{
    uint32_t origins = ctx->batch == NULL ? 1 : ctx->batch->origin_count;
    for (uint32_t i = 0; i < count; i++) {
        if (entries[i].record == NULL || entries[i].origin >= origins) {
            return false;
        }
    }
    return true;
}

static int64_t evaluate_checked(weir_context *ctx, const weir_expression *expression,
                                const weir_entry *entries, uint32_t count, weir_value *out)
{
    struct visit_page *page = (struct visit_page *)(void *)ctx;
    struct visit *visit = visit_current();
    if (visit == NULL || page->visit != visit) {
        visit_breach_outside(page->visit->who, page->visit->slot, RULE_CONTEXT_THREAD,
                             "lent its context to another thread, which called evaluate with it");
        return WEIR_E_INVALID;
    }
    if (expression == NULL || !has_right_origins(ctx, entries, count)) {
        visit_breach(visit, RULE_EVALUATE, "called evaluate with %s",
                     expression == NULL ? "no expression" : "an entry of another batch");
        return WEIR_E_INVALID;
    }
    return expr_evaluate(ctx, expression, entries, count, out);
}

static int32_t is_truthy_checked(const weir_value *v)
{
    return value_is_truthy(v);
}

static const weir_memory_api memory_table = { .struct_size = sizeof memory_table,
                                              .alloc = memory_alloc_checked };
static const weir_symbols_api symbols_table = { .struct_size = sizeof symbols_table,
                                                .intern = symbols_intern_checked,
                                                .lookup = symbols_lookup_checked };
static const weir_metrics_api metrics_table = { .struct_size = sizeof metrics_table,
                                                .counter = metrics_counter_checked };
static const weir_log_api log_table = { .struct_size = sizeof log_table,
                                        .write = log_write_checked };
static const weir_expressions_api expressions_table = { .struct_size = sizeof expressions_table,
                                                        .evaluate = evaluate_checked,
                                                        .is_truthy = is_truthy_checked,
                                                        .text = expr_text };

const void *guard_find_extension(const weir_host *host, const char *id)
{
    static const struct {
        const char *id;
        const void *table;
    } checked[] = {
        { WEIR_MEMORY, &memory_table },           { WEIR_SYMBOLS, &symbols_table },
        { WEIR_METRICS, &metrics_table },         { WEIR_LOG, &log_table },
        { WEIR_EXPRESSIONS, &expressions_table },
    };
    for (size_t i = 0; i < sizeof checked / sizeof checked[0]; i++) {
        if (strcmp(checked[i].id, id) == 0) {
            return checked[i].table;
        }
    }
    return real_table(host, id);
}
