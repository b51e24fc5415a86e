/* SPDX-License-Identifier: MIT */
/*
 * Compiles arbitrary text as an expression and as a target. What compiles is evaluated over two
 * records, together and one by one: the results must be the same.
 */
#include <stdlib.h>
#include <string.h>

#include "expr/expr.h"
#include "value/value.h"

enum { MAX_INPUT = 4096, EVALUATION_BYTES = 64 * 1024 * 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- a function ---------------------------------------------------------------------------------- */

/* pick(any, any...) any: the last argument, and a fault where the first is falsy */
static weir_status pick(weir_call *call)
{
    for (uint32_t lane = 0; lane < call->count; lane++) {
        if (value_is_truthy(&call->args[0][lane])) {
            call->results[lane] = call->args[call->arg_count - 1][lane];
        } else {
            weir_call_fail(call, lane, "lane is falsy");
        }
    }
    return WEIR_OK;
}

static const weir_function_vtable pick_vtable = { .struct_size = sizeof pick_vtable,
                                                  .signature = "(any, any...) any",
                                                  .evaluate = pick };
static const weir_function_vtable size_vtable = { .struct_size = sizeof size_vtable,
                                                  .signature = "(text|list, int[, num]) any",
                                                  .evaluate = pick };
static const struct expr_function functions[] = { { .name = "f", .vtable = &pick_vtable },
                                                  { .name = "g", .vtable = &size_vtable } };

static const struct expr_function *find(void *self, const char *name, size_t len)
{
    (void)self;
    return len == 1 && name[0] == 'f'   ? &functions[0]
           : len == 1 && name[0] == 'g' ? &functions[1]
                                        : NULL;
}

static const char *get_env(void *self, const char *name)
{
    (void)self;
    return strcmp(name, "E") == 0 ? "value" : NULL;
}

/* ---- evaluation ---------------------------------------------------------------------------------- */

struct budget_context {
    weir_context context; /* first */
    struct arena arena;
    uint64_t left;
};

static void *alloc(weir_context *ctx, uint64_t size)
{
    struct budget_context *budget = (struct budget_context *)(void *)ctx;
    if (size > budget->left) {
        return NULL;
    }
    budget->left -= size;
    return arena_alloc(&budget->arena, size);
}

static void count_error(void *self, bool is_warning, size_t from, size_t to, const char *message)
{
    (void)message;
    if (from > to) {
        abort();
    }
    *(int *)self += !is_warning;
}

static bool are_alike(const weir_value *a, const weir_value *b)
{
    if (a->tag == WEIR_TAG_ERROR && b->tag == WEIR_TAG_ERROR) {
        return strcmp(expr_fault(a)->message, expr_fault(b)->message) == 0;
    }
    bool are_nan = a->tag == WEIR_FLOAT && b->tag == WEIR_FLOAT && a->as.f64 != a->as.f64;
    return a->tag == b->tag &&
           (are_nan || a->tag == WEIR_LIST || a->tag == WEIR_MAP || value_equal(a, b));
}

static void evaluate(const weir_expression *expression, struct symbols *symbols)
{
    static const weir_call_api api = { .struct_size = sizeof api, .alloc = alloc };
    const weir_value items[] = { weir_int(1), weir_float(2.5), weir_null(),
                                 weir_text_value("x", 1) };
    weir_member members[] = {
        { symbols_lookup(symbols, "a", 1), 1, "a", weir_int(5) },
        { symbols_lookup(symbols, "b", 1), 1, "b", weir_text_value("h\xc3\xa9llo", 6) },
        { symbols_lookup(symbols, "c", 1), 1, "c", weir_list_value(items, 4) },
        { symbols_lookup(symbols, "d", 1), 1, "d", weir_null() },
    };
    weir_record records[] = { { .value = weir_map_value(members, 4) },
                              { .value = weir_list_value(items, 3) } };
    weir_entry entries[] = { { &records[0], 0, 0, 0 }, { &records[1], 1, 0, 0 } };
    struct budget_context budget = { .left = EVALUATION_BYTES };
    budget.context = (weir_context){ .struct_size = sizeof(weir_context), .api = &api };
    arena_init(&budget.arena, 0);
    weir_value together[2];
    weir_value alone[2];
    int64_t failed = expr_evaluate(&budget.context, expression, entries, 2, together);
    int64_t first = expr_evaluate(&budget.context, expression, &entries[0], 1, &alone[0]);
    int64_t second = expr_evaluate(&budget.context, expression, &entries[1], 1, &alone[1]);
    if (failed >= 0 && first >= 0 && second >= 0 &&
        (failed != first + second || !are_alike(&together[0], &alone[0]) ||
         !are_alike(&together[1], &alone[1]))) {
        abort();
    }
    arena_deinit(&budget.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > MAX_INPUT) {
        return 0;
    }
    struct arena arena;
    struct symbols symbols;
    int errors = 0;
    const struct expr_reporter reporter = { count_error, &errors };
    arena_init(&arena, 0);
    symbols_init(&symbols);
    const struct expr_env env = {
        .symbols = &symbols, .arena = &arena, .find_function = find, .get_env = get_env
    };
    const weir_expression *expression = expr_compile(&env, (const char *)data, size, &reporter);
    if ((expression == NULL) != (errors > 0)) {
        abort();
    }
    if (expression != NULL) {
        evaluate(expression, &symbols);
    }
    errors = 0;
    const weir_target *target = target_compile(&env, (const char *)data, size, &reporter);
    if ((target == NULL) != (errors > 0)) {
        abort();
    }
    symbols_deinit(&symbols);
    arena_deinit(&arena);
    return 0;
}
