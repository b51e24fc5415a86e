/* SPDX-License-Identifier: MIT */
/*
 * Expressions over a batch of records in memory, beside the same by hand: a loop of C that looks the
 * fields up in the same way, checks kinds, missing fields and overflow, and writes the same values.
 * Both are compared before they are measured. Prints figures; judges nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "expr/expr.h"
#include "value/symbols.h"
#include "value/value.h"

enum { BATCH = 1024, ROUNDS = 15, REPEATS = 400, FIELD_COUNT = 9 };

/* ---- records ----------------------------------------------------------------------------------- */

/* The members of the flat record of records.c, in its order. */
enum field { TS, DEVICE, SITE, TEMPERATURE, HUMIDITY, PRESSURE, SEQ, STATUS, NOTE };
static const char *const field_names[FIELD_COUNT] = { "ts",          "device",   "site",
                                                      "temperature", "humidity", "pressure",
                                                      "seq",         "status",   "note" };

struct context {
    weir_context context; /* first */
    struct arena *arena;
};

struct bench {
    struct arena compiled;
    struct arena batch;
    struct symbols symbols;
    struct expr_env env;
    struct context context;
    uint32_t ids[FIELD_COUNT];
    weir_member members[BATCH][FIELD_COUNT];
    weir_record records[BATCH];
    weir_entry entries[BATCH];
    weir_value by_engine[BATCH];
    weir_value by_hand[BATCH];
};

static weir_value text(const char *bytes)
{
    return weir_text_value(bytes, (uint32_t)strlen(bytes));
}

static void fill_record(struct bench *bench, size_t i)
{
    const weir_value values[FIELD_COUNT] = {
        weir_int(1700000000000 + (int64_t)i * 997),
        text("sensor-0042"),
        text(i % 2 == 0 ? "plant-1/line-3" : "plant-2/line-3"),
        weir_float((double)(i * 37 % 800) / 10.0 + 0.03),
        weir_float(30.5 + (double)(i % 60)),
        weir_float(1013.25),
        weir_int(1000000 + (int64_t)i),
        text(i % 3 == 0 ? "running" : "standby"),
        text("calibrated within tolerance"),
    };
    for (size_t k = 0; k < FIELD_COUNT; k++) {
        bench->members[i][k] = (weir_member){ .symbol = bench->ids[k],
                                              .key_len = (uint32_t)strlen(field_names[k]),
                                              .key = field_names[k],
                                              .value = values[k] };
    }
    bench->records[i].value = weir_map_value(bench->members[i], FIELD_COUNT);
    bench->entries[i].record = &bench->records[i];
}

static void *alloc(weir_context *ctx, uint64_t size)
{
    return arena_alloc(((struct context *)(void *)ctx)->arena, (size_t)size);
}

static const weir_call_api api = { .struct_size = sizeof api, .alloc = alloc };

static const struct expr_function *no_function(void *self, const char *name, size_t len)
{
    (void)self;
    (void)name;
    (void)len;
    return NULL;
}

static void report(void *self, bool is_warning, size_t from, size_t to, const char *message)
{
    (void)self;
    (void)from;
    (void)to;
    fprintf(stderr, "bench: %s: %s\n", is_warning ? "warning" : "error", message);
}

static void set_up(struct bench *bench)
{
    arena_init(&bench->compiled, 0);
    arena_init(&bench->batch, 0);
    symbols_init(&bench->symbols);
    bench->env = (struct expr_env){ .symbols = &bench->symbols,
                                    .arena = &bench->compiled,
                                    .find_function = no_function };
    bench->context.context = (weir_context){ .struct_size = sizeof(weir_context), .api = &api };
    bench->context.arena = &bench->batch;
    for (size_t k = 0; k < FIELD_COUNT; k++) {
        bench->ids[k] =
            symbols_intern(&bench->symbols, field_names[k], (uint32_t)strlen(field_names[k]));
    }
    for (size_t i = 0; i < BATCH; i++) {
        fill_record(bench, i);
    }
}

/* ---- by hand ----------------------------------------------------------------------------------- */

/* Exits where the field is not there: the records have all. */
static inline const weir_value *field_of(const struct bench *bench, const weir_entry *entry,
                                         enum field field, uint32_t *slot)
{
    const weir_value *map = &entry->record->value;
    const weir_member *member = map->tag != WEIR_MAP
                                    ? NULL
                                    : weir_map_find(map, bench->ids[field], field_names[field],
                                                    (uint32_t)strlen(field_names[field]), slot);
    if (member == NULL) {
        abort();
    }
    return &member->value;
}

static inline double float_of(const weir_value *value)
{
    if (value->tag == WEIR_FLOAT) {
        return value->as.f64;
    }
    if (value->tag != WEIR_INT) {
        abort();
    }
    return (double)value->as.i64;
}

static void hand_floats(struct bench *bench)
{
    uint32_t slot = 0;
    for (size_t i = 0; i < BATCH; i++) {
        double t = float_of(field_of(bench, &bench->entries[i], TEMPERATURE, &slot));
        bench->by_hand[i] = weir_float(t * 9.0 / 5.0 + 32.0);
    }
}

static void hand_two_fields(struct bench *bench)
{
    uint32_t t = 0;
    uint32_t h = 0;
    uint32_t p = 0;
    for (size_t i = 0; i < BATCH; i++) {
        const weir_entry *entry = &bench->entries[i];
        double product = float_of(field_of(bench, entry, TEMPERATURE, &t)) *
                         float_of(field_of(bench, entry, HUMIDITY, &h));
        bench->by_hand[i] =
            weir_float(product + float_of(field_of(bench, entry, PRESSURE, &p)) * 2.0);
    }
}

static void hand_ints(struct bench *bench)
{
    uint32_t slot = 0;
    for (size_t i = 0; i < BATCH; i++) {
        const weir_value *seq = field_of(bench, &bench->entries[i], SEQ, &slot);
        int64_t result = 0;
        if (seq->tag != WEIR_INT || __builtin_mul_overflow(seq->as.i64, 3, &result) ||
            __builtin_add_overflow(result, 7, &result) ||
            __builtin_sub_overflow(result, seq->as.i64, &result)) {
            abort();
        }
        bench->by_hand[i] = weir_int(result);
    }
}

static void hand_field(struct bench *bench)
{
    uint32_t slot = 0;
    for (size_t i = 0; i < BATCH; i++) {
        bench->by_hand[i] = *field_of(bench, &bench->entries[i], TEMPERATURE, &slot);
    }
}

static void hand_comparison(struct bench *bench)
{
    uint32_t slot = 0;
    for (size_t i = 0; i < BATCH; i++) {
        double t = float_of(field_of(bench, &bench->entries[i], TEMPERATURE, &slot));
        bench->by_hand[i] = weir_bool(t > 40.5);
    }
}

static void hand_and(struct bench *bench)
{
    uint32_t t = 0;
    uint32_t h = 0;
    for (size_t i = 0; i < BATCH; i++) {
        const weir_entry *entry = &bench->entries[i];
        bench->by_hand[i] = weir_bool(float_of(field_of(bench, entry, TEMPERATURE, &t)) > 40.5 &&
                                      float_of(field_of(bench, entry, HUMIDITY, &h)) < 60.5);
    }
}

static void hand_text(struct bench *bench)
{
    uint32_t slot = 0;
    for (size_t i = 0; i < BATCH; i++) {
        const weir_value *status = field_of(bench, &bench->entries[i], STATUS, &slot);
        bench->by_hand[i] = weir_bool(status->tag == WEIR_TEXT && status->len == 7 &&
                                      memcmp(status->as.text, "running", 7) == 0);
    }
}

/* ---- measuring --------------------------------------------------------------------------------- */

struct workload {
    const char *name;
    const char *expression;
    void (*by_hand)(struct bench *bench);
};

static const struct workload workloads[] = {
    { "arithmetic, a float", "temperature * 9 / 5 + 32", hand_floats },
    { "arithmetic, three floats", "temperature * humidity + pressure * 2", hand_two_fields },
    { "arithmetic, ints", "seq * 3 + 7 - seq", hand_ints },
    { "a field", "temperature", hand_field },
    { "a comparison", "temperature > 40.5", hand_comparison },
    { "and", "temperature > 40.5 and humidity < 60.5", hand_and },
    { "equality of texts", "status == 'running'", hand_text },
};

static void evaluate(struct bench *bench, const weir_expression *expression)
{
    if (expr_evaluate(&bench->context.context, expression, bench->entries, BATCH,
                      bench->by_engine) != 0) {
        fprintf(stderr, "bench: void, a record failed\n");
        exit(1);
    }
    arena_reset(&bench->batch);
}

static void compare(const struct bench *bench, const char *name)
{
    for (size_t i = 0; i < BATCH; i++) {
        if (!value_is_same(&bench->by_engine[i], &bench->by_hand[i])) {
            fprintf(stderr, "bench: void, '%s' differs at record %zu\n", name, i);
            exit(1);
        }
    }
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof *values, compare_doubles);
    return values[ROUNDS / 2];
}

/* Results must be there, or the compiler leaves the loops out. */
static void use(const weir_value *values)
{
    __asm__ volatile("" : : "r"(values) : "memory");
}

static int64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static double ns_a_record(int64_t start)
{
    return (double)(cpu_ns() - start) / REPEATS / BATCH;
}

static void measure(struct bench *bench, const struct workload *workload)
{
    const struct expr_reporter reporter = { report, NULL };
    weir_expression *expression =
        expr_compile(&bench->env, workload->expression, strlen(workload->expression), &reporter);
    if (expression == NULL) {
        exit(1);
    }
    double engine[ROUNDS];
    double hand[ROUNDS];
    double ratios[ROUNDS];
    evaluate(bench, expression);
    workload->by_hand(bench);
    compare(bench, workload->name);
    for (int round = 0; round < ROUNDS; round++) {
        int64_t start = cpu_ns();
        for (int i = 0; i < REPEATS; i++) {
            workload->by_hand(bench);
            use(bench->by_hand);
        }
        hand[round] = ns_a_record(start);
        start = cpu_ns();
        for (int i = 0; i < REPEATS; i++) {
            evaluate(bench, expression);
            use(bench->by_engine);
        }
        engine[round] = ns_a_record(start);
        ratios[round] = hand[round] / engine[round];
    }
    printf("expression %-25s by hand %5.2f ns, weir %5.2f ns a record: %.2fx of the loop's speed\n",
           workload->name, median(hand), median(engine), median(ratios));
}

int main(void)
{
    struct bench *bench = calloc(1, sizeof *bench);
    if (bench == NULL) {
        fprintf(stderr, "bench: out of memory\n");
        return 1;
    }
    set_up(bench);
    for (size_t i = 0; i < sizeof workloads / sizeof workloads[0]; i++) {
        measure(bench, &workloads[i]);
    }
    symbols_deinit(&bench->symbols);
    arena_deinit(&bench->batch);
    arena_deinit(&bench->compiled);
    free(bench);
    return 0;
}
