/* SPDX-License-Identifier: MIT */
/*
 * What tests of this folder share: an environment with small functions, a context, records from JSON,
 * and `CASE`s of an expression, its record and its result as JSON.
 */
#ifndef EXPR_EXPR_FIXTURE_H
#define EXPR_EXPR_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yyjson.h>

#include "base/buffer.h"
#include "base/nearest.h"
#include "expr/expr.h"
#include "expr/expr_fixture_functions.h"
#include "unit.h"
#include "value/json.h"
#include "value/number.h"
#include "value/value.h"

/* The record of the language's own vectors. */
#define RECORD_R                                                                                   \
 "{\"a\": 5, \"b\": 2, \"f\": 2.5, \"t\": \"h\xc3\xa9llo\", \"n\": null, \"l\": [1, 2, 3], "       \
 "\"m\": {\"x\": {\"y\": 7}, \"in\": 1}, \"s p\": 1, \"e\": [], "                                  \
 "\"items\": [{\"p\": 2, \"q\": 3}, {\"p\": 0.5, \"q\": 2}]}"

enum { FIXTURE_MESSAGES = 8192 };

struct fixture_context {
    weir_context context; /* first */
    struct arena *arena;
    int64_t allocations_left; /* negative: no end */
};

static struct {
    struct arena compiled;
    struct arena batch;
    struct symbols symbols;
    struct expr_env env;
    struct expr_prepared *prepared;
    struct fixture_context context;
    weir_origin origin;
    weir_batch input;
    char messages[FIXTURE_MESSAGES]; /* "from-to message", a line each; warnings with "warning: " */
    int error_count;
} fixture;

/* ---- environment ------------------------------------------------------------------------------- */

static inline const struct expr_function *fixture_find(void *self, const char *name, size_t len)
{
    (void)self;
    for (size_t i = 0; i < FIXTURE_FUNCTION_COUNT; i++) {
        const struct expr_function *function = &fixture_functions[i];
        if (strlen(function->name) == len && memcmp(function->name, name, len) == 0) {
            return function;
        }
    }
    return NULL;
}

static inline void fixture_offer(void *self, struct nearest *search)
{
    (void)self;
    for (size_t i = 0; i < FIXTURE_FUNCTION_COUNT; i++) {
        nearest_offer(search, fixture_functions[i].name);
    }
}

static inline const char *fixture_get_env(void *self, const char *name)
{
    (void)self;
    return strcmp(name, "HOME_SITE") == 0 ? "JFK" : strcmp(name, "EMPTY") == 0 ? "" : NULL;
}

static inline void *fixture_alloc(weir_context *ctx, uint64_t size)
{
    struct fixture_context *context = (struct fixture_context *)(void *)ctx;
    if (context->allocations_left == 0) {
        return NULL;
    }
    context->allocations_left -= context->allocations_left > 0;
    return arena_alloc(context->arena, size);
}

static const weir_call_api fixture_api = { .struct_size = sizeof fixture_api,
                                           .alloc = fixture_alloc };

static inline void fixture_set_up(void)
{
    memset(&fixture, 0, sizeof fixture);
    arena_init(&fixture.compiled, 0);
    arena_init(&fixture.batch, 0);
    symbols_init(&fixture.symbols);
    fixture.env = (struct expr_env){ .symbols = &fixture.symbols,
                                     .arena = &fixture.compiled,
                                     .find_function = fixture_find,
                                     .offer_functions = fixture_offer,
                                     .get_env = fixture_get_env,
                                     .prepared = &fixture.prepared };
    fixture.origin = (weir_origin){ "readings", 8, 3 };
    fixture.input = (weir_batch){ .struct_size = sizeof(weir_batch),
                                  .origins = &fixture.origin,
                                  .origin_count = 1 };
    fixture.context.context = (weir_context){ .struct_size = sizeof(weir_context),
                                              .api = &fixture_api,
                                              .batch = &fixture.input };
    fixture.context.arena = &fixture.batch;
    fixture.context.allocations_left = -1;
}

static inline void fixture_tear_down(void)
{
    expr_release(&fixture.prepared);
    symbols_deinit(&fixture.symbols);
    arena_deinit(&fixture.batch);
    arena_deinit(&fixture.compiled);
}

/* ---- compiling --------------------------------------------------------------------------------- */

static inline void fixture_report(void *self, bool is_warning, size_t from, size_t to,
                                  const char *message)
{
    (void)self;
    size_t len = strlen(fixture.messages);
    snprintf(fixture.messages + len, sizeof fixture.messages - len, "%s%zu-%zu %s%s",
             len > 0 ? "\n" : "", from, to, is_warning ? "warning: " : "", message);
    fixture.error_count += !is_warning;
}

static const struct expr_reporter fixture_reporter = { fixture_report, NULL };

static inline weir_expression *fixture_compile_bytes(const char *text, size_t len)
{
    fixture.messages[0] = '\0';
    fixture.error_count = 0;
    weir_expression *expression = expr_compile(&fixture.env, text, len, &fixture_reporter);
    ck_assert_msg((expression == NULL) == (fixture.error_count > 0), "%.200s: %s: %s", text,
                  expression == NULL ? "no expression" : "an expression", fixture.messages);
    return expression;
}

static inline weir_expression *fixture_compile(const char *text)
{
    return fixture_compile_bytes(text, strlen(text));
}

/* ---- records ----------------------------------------------------------------------------------- */

static inline char *fixture_copy(const char *text, size_t len)
{
    char *copy = arena_copy(&fixture.batch, text, len);
    ck_assert_ptr_nonnull(copy);
    return copy;
}

/* Of a decoded text; {"$bytes": "..."} gives bytes, {"$time": ms} a timestamp, {"$raw": "1.10"} a number
 * that is kept as text. */
static inline weir_value fixture_value(yyjson_val *json)
{
    if (yyjson_is_bool(json)) {
        return weir_bool(yyjson_get_bool(json));
    }
    if (yyjson_is_raw(json)) {
        const char *text = fixture_copy(yyjson_get_raw(json), yyjson_get_len(json));
        return number_from_json(text, (uint32_t)yyjson_get_len(json));
    }
    if (yyjson_is_str(json)) {
        size_t len = yyjson_get_len(json);
        return weir_text_value(fixture_copy(yyjson_get_str(json), len), (uint32_t)len);
    }
    size_t index = 0;
    size_t count = 0;
    if (yyjson_is_arr(json)) {
        yyjson_val *item = NULL;
        weir_value *items = arena_alloc(&fixture.batch, yyjson_arr_size(json) * sizeof *items);
        yyjson_arr_foreach(json, index, count, item)
        {
            items[index] = fixture_value(item);
        }
        return weir_list_value(items, (uint32_t)yyjson_arr_size(json));
    }
    if (!yyjson_is_obj(json)) {
        return weir_null();
    }
    yyjson_val *special = yyjson_obj_get(json, "$bytes");
    if (special != NULL) {
        weir_value bytes = fixture_value(special);
        bytes.tag = WEIR_BYTES;
        return bytes;
    }
    special = yyjson_obj_get(json, "$time");
    if (special != NULL) {
        weir_value time = fixture_value(special);
        time.tag = WEIR_TIMESTAMP;
        time.aux = 3;
        return time;
    }
    special = yyjson_obj_get(json, "$raw");
    if (special != NULL) {
        size_t len = yyjson_get_len(special);
        weir_value number =
            weir_text_value(fixture_copy(yyjson_get_raw(special), len), (uint32_t)len);
        number.tag = WEIR_NUMBER;
        return number;
    }
    yyjson_val *key = NULL;
    yyjson_val *value = NULL;
    weir_member *members = arena_zeroed(&fixture.batch, yyjson_obj_size(json) * sizeof *members);
    yyjson_obj_foreach(json, index, count, key, value)
    {
        members[index].key_len = (uint32_t)yyjson_get_len(key);
        members[index].key = fixture_copy(yyjson_get_str(key), yyjson_get_len(key));
        members[index].symbol =
            symbols_lookup(&fixture.symbols, members[index].key, members[index].key_len);
        members[index].value = fixture_value(value);
    }
    return weir_map_value(members, (uint32_t)yyjson_obj_size(json));
}

static inline weir_value fixture_json(const char *text)
{
    yyjson_doc *doc = yyjson_read(text, strlen(text), YYJSON_READ_NUMBER_AS_RAW);
    ck_assert_msg(doc != NULL, "no JSON: %s", text);
    weir_value value = fixture_value(yyjson_doc_get_root(doc));
    yyjson_doc_free(doc);
    return value;
}

static inline weir_record fixture_record(const char *value)
{
    weir_record record = { .timestamp = 1700000000123, .offset = 42 };
    record.key = weir_text_value("k1", 2);
    record.value = fixture_json(value);
    return record;
}

/* ---- evaluating -------------------------------------------------------------------------------- */

static inline int64_t fixture_evaluate(const weir_expression *expression, const weir_record *record,
                                       weir_value *out)
{
    weir_entry entry = { record, 0, 0, 0 };
    return expr_evaluate(&fixture.context.context, expression, &entry, 1, out);
}

/* The value as JSON, bytes and all; a failed lane as "x: MESSAGE; HINT". */
static inline const char *fixture_text(const weir_value *value)
{
    static char text[8192];
    if (value->tag == WEIR_TAG_ERROR) {
        const struct expr_fault *fault = expr_fault(value);
        snprintf(text, sizeof text, "x: %s%s%s", fault->message, fault->hint != NULL ? "; " : "",
                 fault->hint != NULL ? fault->hint : "");
        return text;
    }
    weir_buffer buffer;
    const char *fault = NULL;
    buffer_init(&buffer, sizeof text - 1);
    if (value->tag == WEIR_FLOAT && value->as.f64 != value->as.f64) {
        return "NaN";
    }
    if (value->tag == WEIR_FLOAT && (value->as.f64 - value->as.f64) != 0) {
        return value->as.f64 > 0 ? "inf" : "-inf";
    }
    weir_status st = json_write(value, WEIR_JSON_BYTES_TAGGED, 0, &buffer, &fault);
    snprintf(text, sizeof text, "%.*s", (int)buffer.size, (const char *)buffer.data);
    if (st != WEIR_OK) {
        snprintf(text, sizeof text, "no JSON: %s", fault != NULL ? fault : "too long");
    }
    buffer_deinit(&buffer);
    return text;
}

/* The result of the expression on the record: JSON, "x: ..." or "C: MESSAGES". */
static inline const char *fixture_result(const char *text, const char *record_json)
{
    static char check_error[FIXTURE_MESSAGES + 3];
    weir_expression *expression = fixture_compile(text);
    if (expression == NULL) {
        snprintf(check_error, sizeof check_error, "C: %s", fixture.messages);
        return check_error;
    }
    weir_record record = fixture_record(record_json);
    weir_value value;
    int64_t failed = fixture_evaluate(expression, &record, &value);
    ck_assert_msg(failed == (value.tag == WEIR_TAG_ERROR), "%s: %lld failed", text,
                  (long long)failed);
    return fixture_text(&value);
}

struct expr_case {
    const char *text;
    const char *result; /* "x", "C": any; "x: ...", "C: ...": begins so; else the JSON */
    const char *record; /* NULL: R */
};

static inline void fixture_check(const struct expr_case *test)
{
    const char *record = test->record != NULL ? test->record : RECORD_R;
    const char *result = fixture_result(test->text, record);
    bool is_fault = test->result[0] == 'x' || test->result[0] == 'C';
    bool is_right =
        is_fault ? strncmp(result, test->result, strlen(test->result)) == 0 && result[1] == ':'
                 : strcmp(result, test->result) == 0;
    ck_assert_msg(is_right, "%s on %s\n  gives   %s\n  and not %s", test->text, record, result,
                  test->result);
}

#define CHECK_CASES(cases)                                                                         \
 do {                                                                                              \
  for (size_t case_index = 0; case_index < sizeof(cases) / sizeof(cases)[0]; case_index++) {       \
   fixture_check(&(cases)[case_index]);                                                            \
  }                                                                                                \
 } while (0)

/* A suite of one case whose tests all have the environment. */
static inline TCase *fixture_add_case(Suite *made)
{
    TCase *tcase = tcase_create("all");
    tcase_add_checked_fixture(tcase, fixture_set_up, fixture_tear_down);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(made, tcase);
    return tcase;
}

#endif
