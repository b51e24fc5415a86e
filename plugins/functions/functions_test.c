/* SPDX-License-Identifier: MIT */
/*
 * Every function of the built plugins, through the real expression engine: its own example, and the
 * cases that stand beside its source (<group>/cases.txt).
 *
 * Each case runs with its arguments as literals (folded by the compiler, which judges them) and as
 * parts of records (evaluated for a whole batch). Both must tell the same result or fault.
 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/function.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "expr/expr.h"
#include "plugin/call.h"
#include "plugin/debug/debug_host.h"
#include "plugin/debug/guard_function.h"
#include "plugin/instance.h"
#include "plugin/registry.h"
#include "value/json.h"

enum { LANES = 300, MAX_CASES = 2000, MAX_FUNCTIONS = 200 };

/* call: `f(1, 2)`; the parts are found when it is read. result: JSON, or `! part of a message`. */
struct test_case {
    const char *file;
    int line;
    const char *call;
    const char *result;
};

static struct registry registry;
static struct symbols symbols;
static struct arena arena;
static const struct services services = { .symbols = &symbols };
static struct instance host;
static const weir_factory *functions[MAX_FUNCTIONS];
static int function_count;
static struct test_case cases[MAX_CASES];
static int case_count;

/* ---- the engine around an expression ----------------------------------------------------------- */

static const struct expr_function *find_function(void *self, const char *name, size_t len)
{
    (void)self;
    const struct factory *factory = registry_find(&registry, WEIR_KIND_FUNCTION, name, len);
    struct expr_function *function = arena_zeroed(&arena, sizeof *function);
    if (factory == NULL || function == NULL) {
        return NULL;
    }
    *function = (struct expr_function){ factory->spec->name, factory->spec->vtable, &host.host,
                                        debug_host_is_on() ? guard_evaluate : NULL };
    return function;
}

static void offer_functions(void *self, struct nearest *search)
{
    (void)self;
    (void)search;
}

static const char *get_env(void *self, const char *name)
{
    (void)self;
    (void)name;
    return NULL;
}

static char faults[4096];

static void report(void *self, bool is_warning, size_t from, size_t to, const char *message)
{
    (void)self;
    (void)from;
    (void)to;
    if (!is_warning) {
        snprintf(faults, sizeof faults, "%s", message);
    }
}

static weir_expression *compile(const char *text)
{
    const struct expr_env env = { .symbols = &symbols,
                                  .arena = &arena,
                                  .find_function = find_function,
                                  .offer_functions = offer_functions,
                                  .get_env = get_env };
    const struct expr_reporter reporter = { .report = report };
    faults[0] = '\0';
    return expr_compile(&env, text, strlen(text), &reporter);
}

static const char *json_of(const weir_value *v)
{
    weir_buffer buffer;
    buffer_init(&buffer, 1 << 20);
    const char *fault = NULL;
    weir_status st = json_write(v, WEIR_JSON_BYTES_TAGGED, 0, &buffer, &fault);
    const char *text = st == WEIR_OK ? arena_printf(&arena, "%s", buffer_c_string(&buffer))
                                     : arena_printf(&arena, "cannot be written: %s", fault);
    buffer_deinit(&buffer);
    return text;
}

static const char *lane_text(const weir_value *v)
{
    return v->tag == WEIR_TAG_ERROR ? arena_printf(&arena, "! %s", expr_fault(v)->message)
                                    : json_of(v);
}

/*
 * The expression's result for each of `count` equal records, as JSON or as `! message`; some lanes are
 * looked at and must agree. value: of the records.
 */
static const char *evaluate(const char *text, const weir_value *value, uint32_t count)
{
    weir_expression *expression = compile(text);
    if (expression == NULL) {
        return arena_printf(&arena, "! %s", faults);
    }
    struct call call;
    ck_assert(call_init(&call, 0));
    weir_record record = { .value = *value };
    weir_entry entries[LANES];
    weir_value results[LANES];
    for (uint32_t i = 0; i < count; i++) {
        entries[i] = (weir_entry){ .record = &record };
    }
    const weir_batch batch = { .struct_size = sizeof batch, .count = count, .entries = entries };
    call_begin(&call, &host, &arena, &batch);
    int64_t failed = expr_evaluate(&call.context, expression, entries, count, results);
    call_end(&call);
    ck_assert_int_ge(failed, 0);
    const char *first = lane_text(&results[0]);
    for (uint32_t i = 1; i < count; i += count / 5) {
        ck_assert_str_eq(lane_text(&results[i]), first);
    }
    ck_assert_str_eq(lane_text(&results[count - 1]), first);
    call_deinit(&call);
    return first;
}

/* ---- cases ------------------------------------------------------------------------------------- */

static void check_result(const struct test_case *c, const char *way, const char *actual)
{
    bool is_right = c->result[0] == '!' ? actual[0] == '!' && strstr(actual, c->result + 2) != NULL
                                        : strcmp(actual, c->result) == 0;
    ck_assert_msg(is_right, "%s:%d: %s (%s)\n  expected %s\n  found    %s", c->file, c->line,
                  c->call, way, c->result, actual);
}

/* The call with `$value[0], $value[1], ...` for its arguments, which become *ret_args. */
static const char *call_on_records(const struct test_case *c, weir_value *ret_args)
{
    const char *open = strchr(c->call, '(');
    const char *close = strrchr(c->call, ')');
    ck_assert_msg(open != NULL && close != NULL, "%s:%d: no call", c->file, c->line);
    char *list = arena_printf(&arena, "[%.*s]", (int)(close - open - 1), open + 1);
    weir_expression *args = compile(list);
    ck_assert_msg(args != NULL, "%s:%d: %s: %s", c->file, c->line, list, faults);
    *ret_args = *expr_constant(args);
    char *text = arena_printf(&arena, "%.*s", (int)(open - c->call + 1), c->call);
    for (uint32_t i = 0; i < ret_args->len; i++) {
        text = arena_printf(&arena, "%s%s$value[%u]", text, i > 0 ? ", " : "", i);
    }
    return arena_printf(&arena, "%s%s", text, close);
}

START_TEST(case_holds_for_literals_and_for_records)
{
    const struct test_case *c = &cases[_i];
    const weir_value nothing = weir_null();
    check_result(c, "literals", evaluate(c->call, &nothing, 1));
    weir_value args;
    const char *text = call_on_records(c, &args);
    check_result(c, "records", evaluate(text, &args, LANES));
}
END_TEST

START_TEST(example_gives_its_result)
{
    const weir_factory *spec = functions[_i];
    const weir_function_vtable *vtable = spec->vtable;
    const weir_value nothing = weir_null();
    ck_assert_msg(vtable->example != NULL && vtable->example_result != NULL, "%s has no example",
                  spec->name);
    char *name = arena_printf(&arena, "%s(", spec->name);
    ck_assert_msg(strstr(vtable->example, name) != NULL, "%s: its example does not use it",
                  spec->name);
    ck_assert_str_eq(evaluate(vtable->example, &nothing, 1), vtable->example_result);
}
END_TEST

START_TEST(function_has_cases)
{
    char *call = arena_printf(&arena, "%s(", functions[_i]->name);
    int found = 0;
    for (int i = 0; i < case_count; i++) {
        found += strncmp(cases[i].call, call, strlen(call)) == 0;
    }
    ck_assert_msg(found > 0, "no case for %s", functions[_i]->name);
}
END_TEST

static const struct test_case *first_good_case(const char *name)
{
    char *call = arena_printf(&arena, "%s(", name);
    for (int i = 0; i < case_count; i++) {
        if (strncmp(cases[i].call, call, strlen(call)) == 0 && cases[i].result[0] != '!') {
            return &cases[i];
        }
    }
    return NULL;
}

/* Fails the k-th allocation for k = 1, 2, ... until there are no more: each time the call ends. */
START_TEST(missing_memory_ends_the_call)
{
    enum { MOST = 200 };
    weir_value args;
    const struct test_case *c = first_good_case(functions[_i]->name);
    ck_assert_ptr_nonnull(c);
    weir_expression *expression = compile(call_on_records(c, &args));
    ck_assert_ptr_nonnull(expression);
    weir_record record = { .value = args };
    weir_entry entry = { .record = &record };
    const weir_batch batch = { .struct_size = sizeof batch, .count = 1, .entries = &entry };
    int64_t failed = -1;
    for (size_t k = 1; failed < 0; k++) {
        ck_assert_msg(k < MOST, "%s never ends well", functions[_i]->name);
        struct arena scarce;
        struct call call;
        weir_value result;
        arena_init(&scarce, 0);
        ck_assert(call_init(&call, 0));
        memory_fail_from(k);
        call_begin(&call, &host, &scarce, &batch);
        failed = expr_evaluate(&call.context, expression, &entry, 1, &result);
        call_end(&call);
        memory_fail_from(0);
        if (failed >= 0) {
            ck_assert_str_eq(lane_text(&result), c->result);
        }
        call_deinit(&call);
        arena_deinit(&scarce);
    }
}
END_TEST

/* Lanes that fail must leave the others alone. */
START_TEST(lanes_fail_one_by_one)
{
    weir_value items[3] = { weir_text_value("4", 1), weir_text_value("x", 1), weir_null() };
    weir_record records[3];
    weir_entry entries[3];
    weir_value results[3];
    for (uint32_t i = 0; i < 3; i++) {
        records[i] = (weir_record){ .value = items[i] };
        entries[i] = (weir_entry){ .record = &records[i] };
    }
    items[2] = weir_int(5);
    records[2].value = items[2];
    struct call call;
    ck_assert(call_init(&call, 0));
    const weir_batch batch = { .struct_size = sizeof batch, .count = 3, .entries = entries };
    weir_expression *expression = compile("int($value)");
    ck_assert_ptr_nonnull(expression);
    call_begin(&call, &host, &arena, &batch);
    ck_assert_int_eq(expr_evaluate(&call.context, expression, entries, 3, results), 1);
    call_end(&call);
    ck_assert_str_eq(lane_text(&results[0]), "4");
    ck_assert_ptr_nonnull(strstr(lane_text(&results[1]), "'x' is not a whole number"));
    ck_assert_str_eq(lane_text(&results[2]), "5");
    call_deinit(&call);
}
END_TEST

/* A regular expression that differs from record to record is compiled anew for each. */
START_TEST(pattern_may_differ_between_records)
{
    static const char *const patterns[] = { "^a", "^b", "(", "^a", "^a" };
    static const char *const expected[] = { "true", "false", "!", "true", "true" };
    weir_record records[5];
    weir_entry entries[5];
    weir_value results[5];
    for (uint32_t i = 0; i < 5; i++) {
        records[i] =
            (weir_record){ .value = weir_text_value(patterns[i], (uint32_t)strlen(patterns[i])) };
        entries[i] = (weir_entry){ .record = &records[i] };
    }
    struct call call;
    ck_assert(call_init(&call, 0));
    const weir_batch batch = { .struct_size = sizeof batch, .count = 5, .entries = entries };
    weir_expression *expression = compile("matches(\"abc\", $value)");
    ck_assert_ptr_nonnull(expression);
    call_begin(&call, &host, &arena, &batch);
    ck_assert_int_eq(expr_evaluate(&call.context, expression, entries, 5, results), 1);
    call_end(&call);
    for (uint32_t i = 0; i < 5; i++) {
        ck_assert_int_eq(strncmp(lane_text(&results[i]), expected[i], strlen(expected[i])), 0);
    }
    call_deinit(&call);
}
END_TEST

/* Not more than 16 MiB, whoever makes them. */
START_TEST(result_beyond_the_limit_is_an_error)
{
    static const char *const calls[] = {
        "replace(pad_end(\"\", 9000000), pad_end(\"\", 9000), pad_end(\"\", 18000))",
        "hex(bytes(pad_end(\"\", 9000000)))",
        "join([pad_end(\"\", 9000000), pad_end(\"\", 9000000)], \"\")",
        "format(\"{}{}\", pad_end(\"\", 9000000), pad_end(\"\", 9000000))",
        "replace_all(pad_end(\"\", 9000000), \" \", \"ab\")",
        "length(chars(pad_end(\"\", 1000001)))",
    };
    const weir_value nothing = weir_null();
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        const char *result = evaluate(calls[i], &nothing, 1);
        ck_assert_msg(strstr(result, "larger than 16 MiB") != NULL ||
                          strstr(result, "more than a million") != NULL,
                      "%s: %s", calls[i], result);
    }
}
END_TEST

/* ---- finding functions and cases --------------------------------------------------------------- */

static void collect_functions(void)
{
    for (size_t i = 0; i < registry.plugins.count; i++) {
        const struct plugin *plugin = registry.plugins.entries[i].value;
        for (const weir_factory *const *f = plugin->entry->factories; *f != NULL; f++) {
            if (strcmp((*f)->kind, WEIR_KIND_FUNCTION) == 0 && function_count < MAX_FUNCTIONS) {
                functions[function_count++] = *f;
            }
        }
    }
}

/* Takes `CALL => RESULT`; blank lines and comments are let pass. */
static void collect_case(const char *file, int number, char *line)
{
    char *arrow = strstr(line, " => ");
    if (line[0] == '#' || line[0] == '\0') {
        return;
    }
    if (arrow == NULL || case_count == MAX_CASES) {
        fprintf(stderr, "%s:%d: no case: %s\n", file, number, line);
        exit(1);
    }
    *arrow = '\0';
    cases[case_count++] = (struct test_case){ file, number, arena_printf(&arena, "%s", line),
                                              arena_printf(&arena, "%s", arrow + 4) };
}

static void collect_cases(const char *source, const char *group)
{
    const char *path = arena_printf(&arena, "%s/plugins/functions/%s/cases.txt", source, group);
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    for (int number = 1; getline(&line, &room, file) >= 0; number++) {
        line[strcspn(line, "\n")] = '\0';
        collect_case(path, number, line);
    }
    free(line);
    fclose(file);
}

static const char *environment(const char *name)
{
    const char *value = getenv(name);
    if (value == NULL) {
        fprintf(stderr, "%s is not set; run the test with ctest\n", name);
        exit(1);
    }
    return value;
}

static void load(void)
{
    static const char *const groups[] = { "kinds", "numbers", "text", "time", "lists", "hashes" };
    const char *source = environment("WEIR_SOURCE");
    const char *build = environment("WEIR_BUILD");
    arena_init(&arena, 0);
    symbols_init(&symbols);
    registry_init(&registry);
    instance_init_host(&host, &services, "functions");
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        struct error error = { .status = WEIR_OK };
        const char *path =
            arena_printf(&arena, "%s/lib/weir/plugins/function_%s.so", build, groups[i]);
        if (registry_load_file(&registry, path, NULL, &error) != WEIR_OK) {
            fprintf(stderr, "%s: %s\n", path, error.message);
            exit(1);
        }
        collect_cases(source, groups[i]);
    }
    collect_functions();
}

Suite *suite(void)
{
    load();
    Suite *s = suite_create("functions");
    TCase *each = tcase_create("each");
    tcase_add_loop_test(each, example_gives_its_result, 0, function_count);
    tcase_add_loop_test(each, function_has_cases, 0, function_count);
    tcase_add_loop_test(each, missing_memory_ends_the_call, 0, function_count);
    tcase_add_loop_test(each, case_holds_for_literals_and_for_records, 0, case_count);
    suite_add_tcase(s, each);
    TCase *together = tcase_create("together");
    tcase_set_timeout(together, 60);
    tcase_add_test(together, lanes_fail_one_by_one);
    tcase_add_test(together, pattern_may_differ_between_records);
    tcase_add_test(together, result_beyond_the_limit_is_an_error);
    suite_add_tcase(s, together);
    return s;
}
