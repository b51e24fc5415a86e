/* SPDX-License-Identifier: MIT */
/*
 * Numbers of one kind in all lanes are computed unboxed; a single lane never is. Both must agree: in
 * values, kinds, the sign of zero, and faults, also where a lane differs in kind or overflows.
 */
#include <math.h>

#include "expr/expr_fixture.h"
#include "expr/frame.h"

enum { LANES = 300, FIELDS = 3, ROUNDS = 60 };

/* ---- batches ----------------------------------------------------------------------------------- */

static uint64_t random_state;

static uint32_t random_below(uint32_t bound)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % bound;
}

static weir_value an_int(bool is_extreme)
{
    static const int64_t extremes[] = { INT64_MAX, INT64_MIN, INT64_C(9007199254740993), 0, -1 };
    return weir_int(is_extreme ? extremes[random_below(5)] : (int64_t)random_below(200) - 20);
}

static weir_value a_float(bool is_extreme)
{
    static const double extremes[] = { 0.0, -0.0,  INFINITY,          -INFINITY,
                                       NAN, 1e300, 9007199254740993.0 };
    return weir_float(is_extreme ? extremes[random_below(7)] : (double)random_below(800) / 8 + 0.5);
}

static weir_value a_stranger(void)
{
    switch (random_below(5)) {
    case 0:
        return weir_null();
    case 1:
        return weir_bool(1);
    case 2:
        return weir_text_value("x", 1);
    case 3:
        return an_int(false);
    default:
        return a_float(false);
    }
}

/* How a field is in all lanes but one, and how often that one is a stranger. */
struct habit {
    bool is_float;
    bool has_extremes;
    uint32_t stranger; /* a lane; LANES: none */
};

static weir_value habitual(const struct habit *habit, uint32_t lane)
{
    bool is_extreme = habit->has_extremes && random_below(20) == 0;
    return lane == habit->stranger ? a_stranger()
           : habit->is_float       ? a_float(is_extreme)
                                   : an_int(is_extreme);
}

static struct habit random_habit(void)
{
    return (struct habit){ .is_float = random_below(2) == 0,
                           .has_extremes = random_below(3) == 0,
                           .stranger = random_below(3) == 0 ? random_below(LANES) : LANES };
}

/* {a, b, m: {c}}: the fields lie elsewhere in one record of fifty. */
static weir_value random_record(const struct habit habits[FIELDS], uint32_t lane)
{
    uint32_t a = symbols_lookup(&fixture.symbols, "a", 1);
    uint32_t b = symbols_lookup(&fixture.symbols, "b", 1);
    uint32_t c = symbols_lookup(&fixture.symbols, "c", 1);
    uint32_t m = symbols_lookup(&fixture.symbols, "m", 1);
    weir_member *inner = arena_zeroed(&fixture.batch, sizeof *inner);
    weir_member *members = arena_zeroed(&fixture.batch, 3 * sizeof *members);
    uint32_t turn = random_below(50) == 0 ? 1 : 0;
    *inner = (weir_member){ c, 1, "c", habitual(&habits[2], lane) };
    members[turn] = (weir_member){ a, 1, "a", habitual(&habits[0], lane) };
    members[1 + turn] = (weir_member){ b, 1, "b", habitual(&habits[1], lane) };
    members[turn == 0 ? 2 : 0] = (weir_member){ m, 1, "m", weir_map_value(inner, 1) };
    return weir_map_value(members, 3);
}

static weir_entry *random_entries(void)
{
    weir_record *records = arena_zeroed(&fixture.batch, LANES * sizeof *records);
    weir_entry *entries = arena_zeroed(&fixture.batch, LANES * sizeof *entries);
    struct habit habits[FIELDS];
    for (uint32_t k = 0; k < FIELDS; k++) {
        habits[k] = random_habit();
    }
    for (uint32_t i = 0; i < LANES; i++) {
        records[i].value = random_record(habits, i);
        entries[i] = (weir_entry){ &records[i], i, 0, 0 };
    }
    return entries;
}

/* ---- one by one and together ------------------------------------------------------------------- */

static const char *const texts[] = {
    "a + b - m.c * 2",
    "a * 9 / 5 + 32",
    "a * 9223372036854775807 + 1",
    "a - b - 4611686018427387904 - b",
    "a / b",
    "7 / a * b",
    "a // 7 % 5",
    "a // -1 - b",
    "a // b",
    "a % b * 2",
    "a ** 2 + b",
    "a * 0.5 + b",
    "(a + b) * (m.c - a) / (b + 1)",
    "2 * a + true",
    "-a + b * 2",
    "a < b",
    "a * 2 >= b + 1",
    "m.c == 12",
    "a != 9007199254740992",
    "a >= 9007199254740993",
    "a <= 40.5",
    "(a ?? 0) + b",
    "a > 10 and b < 50.5 or m.c == a",
    "if a > b then a - b else b * m.c",
    "map([1, 2.5], $it * a + b)",
    "map([1, 2, 3, 4, 5], $it * $index + a)",
    "any([a, b, m.c, 4, 5.5], $it > 3)",
    "[a + 1, b * 2]",
    "try(a * b * m.c, -1)",
};
enum { TEXT_COUNT = sizeof texts / sizeof texts[0] };

static bool are_alike(const weir_value *a, const weir_value *b)
{
    char expected[8192];
    if (a->tag == WEIR_FLOAT && b->tag == WEIR_FLOAT) {
        return a->as.i64 == b->as.i64 || (isnan(a->as.f64) && isnan(b->as.f64));
    }
    snprintf(expected, sizeof expected, "%s", fixture_text(a));
    return a->tag == b->tag && strcmp(expected, fixture_text(b)) == 0;
}

static void check_text(const weir_entry *entries, uint32_t count, const char *text)
{
    static weir_value together[LANES];
    weir_context *ctx = &fixture.context.context;
    weir_expression *expression = fixture_compile(text);
    int64_t failed = expr_evaluate(ctx, expression, entries, count, together);
    int64_t failed_alone = 0;
    for (uint32_t i = 0; i < count; i++) {
        weir_value alone;
        failed_alone += expr_evaluate(ctx, expression, &entries[i], 1, &alone);
        ck_assert_msg(are_alike(&alone, &together[i]), "'%s', lane %u of %u, kind %u and not %u",
                      text, i, count, together[i].tag, alone.tag);
    }
    ck_assert_int_eq(failed, failed_alone);
}

START_TEST(unboxed_lanes_are_as_each_alone)
{
    static const uint32_t counts[] = { UNBOXED_MIN_LANES, 50, LANES };
    for (const char *name = "abcm"; *name != '\0'; name++) {
        symbols_intern(&fixture.symbols, name, 1);
    }
    random_state = 20260131;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        weir_entry *entries = random_entries();
        for (size_t i = 0; i < TEXT_COUNT; i++) {
            check_text(entries, counts[round % 3], texts[i]);
        }
        arena_reset(&fixture.batch);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("unboxed numbers");
    TCase *tcase = fixture_add_case(made);
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, unboxed_lanes_are_as_each_alone);
    return made;
}
