/* SPDX-License-Identifier: MIT */
/*
 * + - * / // % **: a chain from left to right. Each operator has a loop of its own for ints and floats;
 * everything else (bools, numbers kept as text, texts, lists, faults) takes the slow way of one lane.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "expr/code.h"
#include "expr/fault_list.h"
#include "expr/kinds.h"
#include "expr/number_operand.h"

struct chain_code {
    struct code code;
    const struct code *first;
    const struct code_link *links;
    uint32_t count;
};

/* One operator at work: for the slow way and its messages. */
struct link_run {
    struct frame *frame;
    const struct chain_code *chain;
    uint32_t index;
    enum operation op;
};

static struct source left_source(const struct link_run *run)
{
    struct source source = run->chain->first->source;
    if (run->index > 0) {
        source.to = run->chain->links[run->index - 1].operand->source.to;
    }
    return source;
}

static struct source whole_source(const struct link_run *run)
{
    struct source source = run->chain->first->source;
    source.to = run->chain->links[run->index].operand->source.to;
    return source;
}

static uint32_t fail(const struct link_run *run, weir_value *out, const char *message)
{
    struct source source = whole_source(run);
    frame_fail(run->frame, &source, out, "%s", message);
    return 1;
}

/* ---- ints ------------------------------------------------------------------------------------- */

static bool power_overflows(int64_t base, int64_t exponent, int64_t *ret)
{
    int64_t power = 1;
    while (exponent > 0) {
        if ((exponent & 1) != 0 && __builtin_mul_overflow(power, base, &power)) {
            return true;
        }
        exponent >>= 1;
        if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) {
            return true;
        }
    }
    *ret = power;
    return false;
}

static int64_t floor_divide(int64_t a, int64_t b)
{
    int64_t quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

static int64_t floor_modulo(int64_t a, int64_t b)
{
    int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static uint32_t overflow(const struct link_run *run, int64_t a, int64_t b, weir_value *out)
{
    struct source source = whole_source(run);
    frame_fail(run->frame, &source, out, "%" PRId64 " %s %" PRId64 " does not fit in 64 bits", a,
               operator_text(run->op), b);
    frame_hint(run->frame, out, "write float(...) where rounding is allowed");
    return 1;
}

static uint32_t divide_by_zero(const struct link_run *run, weir_value *out)
{
    const struct code *divisor = run->chain->links[run->index].operand;
    char room[EXCERPT_ROOM];
    excerpt(divisor->source.text, divisor->source.from, divisor->source.to, room);
    struct source source = whole_source(run);
    frame_fail(run->frame, &source, out, "division by zero: '%s' is 0", room);
    return 1;
}

static uint32_t powers_of_floats(const struct link_run *run, double a, double b, weir_value *out);

static uint32_t compute_ints(const struct link_run *run, int64_t a, int64_t b, weir_value *out)
{
    int64_t result = 0;
    bool has_overflow = false;
    switch (run->op) {
    case OP_ADD:
        has_overflow = __builtin_add_overflow(a, b, &result);
        break;
    case OP_SUBTRACT:
        has_overflow = __builtin_sub_overflow(a, b, &result);
        break;
    case OP_MULTIPLY:
        has_overflow = __builtin_mul_overflow(a, b, &result);
        break;
    case OP_POWER:
        if (b < 0) {
            return powers_of_floats(run, (double)a, (double)b, out);
        }
        has_overflow = power_overflows(a, b, &result);
        break;
    default:
        if (b == 0) {
            return divide_by_zero(run, out);
        }
        if (run->op == OP_DIVIDE) {
            *out = weir_float((double)a / (double)b);
            return 0;
        }
        /* INT64_MIN / -1 traps: -1 is handled apart. */
        if (b == -1) {
            has_overflow = run->op == OP_FLOOR && __builtin_sub_overflow(INT64_C(0), a, &result);
        } else {
            result = run->op == OP_FLOOR ? floor_divide(a, b) : floor_modulo(a, b);
        }
        break;
    }
    if (has_overflow) {
        return overflow(run, a, b, out);
    }
    *out = weir_int(result);
    return 0;
}

/* ---- floats ------------------------------------------------------------------------------------ */

static double modulo(double a, double b)
{
    double rest = fmod(a, b);
    if (rest == 0) {
        return copysign(0.0, b);
    }
    return (rest < 0) != (b < 0) ? rest + b : rest;
}

static uint32_t powers_of_floats(const struct link_run *run, double a, double b, weir_value *out)
{
    if (a == 0 && b < 0) {
        return fail(run, out, "cannot raise 0 to a negative power");
    }
    if (a < 0 && isfinite(b) && b != nearbyint(b)) {
        return fail(run, out, "cannot raise a negative number to a fractional power");
    }
    double power = pow(a, b);
    if (isinf(power) && isfinite(a) && isfinite(b)) {
        return fail(run, out, "the power is beyond the range of a float");
    }
    *out = weir_float(power);
    return 0;
}

static uint32_t compute_floats(const struct link_run *run, double a, double b, weir_value *out)
{
    switch (run->op) {
    case OP_ADD:
        *out = weir_float(a + b);
        return 0;
    case OP_SUBTRACT:
        *out = weir_float(a - b);
        return 0;
    case OP_MULTIPLY:
        *out = weir_float(a * b);
        return 0;
    case OP_POWER:
        return powers_of_floats(run, a, b, out);
    default:
        break;
    }
    if (b == 0) {
        return divide_by_zero(run, out);
    }
    if (run->op == OP_DIVIDE) {
        *out = weir_float(a / b);
    } else if (run->op == OP_MODULO) {
        *out = weir_float(modulo(a, b));
    } else {
        *out = weir_float(round((a - modulo(a, b)) / b));
    }
    return 0;
}

/* ---- texts, bytes, lists ----------------------------------------------------------------------- */

static bool is_sized(const weir_value *v)
{
    return v->tag == WEIR_TEXT || v->tag == WEIR_BYTES || v->tag == WEIR_LIST;
}

static uint64_t size_limit(const weir_value *v)
{
    return v->tag == WEIR_LIST ? RESULT_MAX_ITEMS : RESULT_MAX_BYTES;
}

static size_t unit_size(const weir_value *v)
{
    return v->tag == WEIR_LIST ? sizeof(weir_value) : 1;
}

static uint32_t too_large(const struct link_run *run, const weir_value *v, weir_value *out)
{
    bool is_list = v->tag == WEIR_LIST;
    return fail(run, out,
                is_list ? "the list would have more than 1048576 items"
                        : "the result would have more than 16 MiB");
}

/* The bytes or items `pieces` times behind each other, as a value of the kind of `v`. */
static uint32_t repeat(const struct link_run *run, const weir_value *v, int64_t times,
                       weir_value *out)
{
    uint64_t count = times < 0 ? 0 : (uint64_t)times;
    if (v->len == 0) {
        count = 0;
    }
    if (count > 0 && count > size_limit(v) / v->len) {
        return too_large(run, v, out);
    }
    size_t piece = v->len * unit_size(v);
    char *bytes = frame_alloc(run->frame, count * piece);
    if (bytes == NULL) {
        return fail(run, out, "out of memory");
    }
    for (uint64_t i = 0; i < count; i++) {
        memcpy(bytes + i * piece, v->as.text, piece);
    }
    weir_value made = { .tag = v->tag, .len = (uint32_t)(count * v->len) };
    made.flags = v->tag == WEIR_TEXT ? v->flags & WEIR_VALUE_PLAIN : 0;
    made.as.text = bytes;
    *out = made;
    return 0;
}

static uint32_t concatenate(const struct link_run *run, const weir_value *a, const weir_value *b,
                            weir_value *out)
{
    uint64_t len = (uint64_t)a->len + b->len;
    if (len > size_limit(a)) {
        return too_large(run, a, out);
    }
    size_t unit = unit_size(a);
    char *bytes = frame_alloc(run->frame, len * unit);
    if (bytes == NULL) {
        return fail(run, out, "out of memory");
    }
    if (a->len > 0) {
        memcpy(bytes, a->as.text, a->len * unit);
    }
    if (b->len > 0) {
        memcpy(bytes + a->len * unit, b->as.text, b->len * unit);
    }
    weir_value made = { .tag = a->tag, .len = (uint32_t)len };
    made.flags = a->tag == WEIR_TEXT ? a->flags & b->flags & WEIR_VALUE_PLAIN : 0;
    made.as.text = bytes;
    *out = made;
    return 0;
}

/* ---- one lane ---------------------------------------------------------------------------------- */

static uint32_t fail_kinds(const struct link_run *run, const weir_value *a, const weir_value *b,
                           weir_value *out)
{
    char fault[KINDS_FAULT_ROOM];
    char room[EXCERPT_ROOM];
    const struct code *operand = run->chain->links[run->index].operand;
    struct source left = left_source(run);
    struct source whole = whole_source(run);
    bool is_left_postfix = run->index == 0 && run->chain->first->is_postfix;
    weir_value number;
    weir_value made;
    kinds_fault(run->op, value_kind_name(a), value_kind_name(b), fault);
    frame_fail(run->frame, &whole, &made, "%s", fault);
    if (a->tag == WEIR_NULL) {
        frame_hint_null(run->frame, &made, a, &left, is_left_postfix);
    } else if (b->tag == WEIR_NULL) {
        frame_hint_null(run->frame, &made, b, &operand->source, operand->is_postfix);
    } else if (run->op == OP_ADD && a->tag == WEIR_TEXT && value_number(b, &number)) {
        frame_hint(run->frame, &made, "write text(%s)",
                   excerpt(operand->source.text, operand->source.from, operand->source.to, room));
    } else if (run->op == OP_ADD && b->tag == WEIR_TEXT && value_number(a, &number)) {
        frame_hint(run->frame, &made, "write text(%s)",
                   excerpt(left.text, left.from, left.to, room));
    } else if (run->op == OP_MULTIPLY && (is_sized(a) || is_sized(b))) {
        frame_hint(run->frame, &made, "a repetition takes an int");
    }
    *out = made;
    return 1;
}

/* Number operands that neither int64 nor float64 holds. */
static bool is_beyond(const struct link_run *run, const weir_value *number, weir_value *out)
{
    if (number->tag != WEIR_NUMBER) {
        return false;
    }
    struct source source = whole_source(run);
    number_fail_beyond(run->frame, &source, number, out);
    return true;
}

static uint32_t compute_numbers(const struct link_run *run, const weir_value *a,
                                const weir_value *b, weir_value *out)
{
    if (is_beyond(run, a, out) || is_beyond(run, b, out)) {
        return 1;
    }
    if (a->tag == WEIR_INT && b->tag == WEIR_INT) {
        return compute_ints(run, a->as.i64, b->as.i64, out);
    }
    return compute_floats(run, number_as_float(a), number_as_float(b), out);
}

/* `sized * times`: an int, which a bool is not here. */
static bool is_times(const weir_value *v, const weir_value *number)
{
    return v->tag != WEIR_BOOL && value_kind(number) == KIND_INT;
}

static uint32_t compute_slowly(const struct link_run *run, const weir_value *a, const weir_value *b,
                               weir_value *out)
{
    weir_value left = *a;
    weir_value right = *b;
    if (a->tag == WEIR_TAG_ERROR || b->tag == WEIR_TAG_ERROR) {
        *out = a->tag == WEIR_TAG_ERROR ? left : right;
        return 1;
    }
    bool is_left_number = value_number(a, &left);
    bool is_right_number = value_number(b, &right);
    if (is_left_number && is_right_number) {
        return compute_numbers(run, &left, &right, out);
    }
    if (run->op == OP_ADD && is_sized(a) && a->tag == b->tag) {
        return concatenate(run, a, b, out);
    }
    if (run->op == OP_MULTIPLY) {
        if (is_sized(a) && is_right_number && is_times(b, &right)) {
            return is_beyond(run, &right, out) ? 1 : repeat(run, a, right.as.i64, out);
        }
        if (is_sized(b) && is_left_number && is_times(a, &left)) {
            return is_beyond(run, &left, out) ? 1 : repeat(run, b, left.as.i64, out);
        }
    }
    return fail_kinds(run, a, b, out);
}

/* ---- columns ----------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) bool compute_fast(enum operation op,
                                                               const weir_value *a,
                                                               const weir_value *b, weir_value *out)
{
    if (a->tag == WEIR_INT && b->tag == WEIR_INT) {
        int64_t i = a->as.i64;
        int64_t j = b->as.i64;
        int64_t result = 0;
        switch (op) {
        case OP_ADD:
            if (__builtin_add_overflow(i, j, &result)) {
                return false;
            }
            break;
        case OP_SUBTRACT:
            if (__builtin_sub_overflow(i, j, &result)) {
                return false;
            }
            break;
        case OP_MULTIPLY:
            if (__builtin_mul_overflow(i, j, &result)) {
                return false;
            }
            break;
        case OP_DIVIDE:
            if (j == 0) {
                return false;
            }
            *out = weir_float((double)i / (double)j);
            return true;
        default:
            if (j <= 0) {
                return false;
            }
            result = op == OP_FLOOR ? floor_divide(i, j) : floor_modulo(i, j);
            break;
        }
        *out = weir_int(result);
        return true;
    }
    bool are_numbers = (a->tag == WEIR_INT || a->tag == WEIR_FLOAT) &&
                       (b->tag == WEIR_INT || b->tag == WEIR_FLOAT);
    if (!are_numbers || op == OP_FLOOR || op == OP_MODULO) {
        return false;
    }
    double x = a->tag == WEIR_FLOAT ? a->as.f64 : (double)a->as.i64;
    double y = b->tag == WEIR_FLOAT ? b->as.f64 : (double)b->as.i64;
    if (op == OP_DIVIDE && y == 0) {
        return false;
    }
    *out = weir_float(op == OP_ADD        ? x + y
                      : op == OP_SUBTRACT ? x - y
                      : op == OP_MULTIPLY ? x * y
                                          : x / y);
    return true;
}

static inline __attribute__((always_inline)) uint32_t compute_lanes(enum operation op,
                                                                    const struct link_run *run,
                                                                    struct lanes lanes,
                                                                    const struct operand *right,
                                                                    weir_value *left)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < lanes.count; i++) {
        weir_value *a = &left[lanes.at[i]];
        const weir_value *b = operand_at(right, lanes.at[i]);
        weir_value made;
        if (compute_fast(op, a, b, &made)) {
            *a = made;
        } else {
            failed += compute_slowly(run, a, b, a);
        }
    }
    return failed;
}

static uint32_t power_lanes(const struct link_run *run, struct lanes lanes,
                            const struct operand *right, weir_value *left)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < lanes.count; i++) {
        weir_value *a = &left[lanes.at[i]];
        failed += compute_slowly(run, a, operand_at(right, lanes.at[i]), a);
    }
    return failed;
}

static uint32_t compute_column(const struct link_run *run, struct lanes lanes,
                               const struct operand *right, weir_value *left)
{
    switch (run->op) {
    case OP_ADD:
        return compute_lanes(OP_ADD, run, lanes, right, left);
    case OP_SUBTRACT:
        return compute_lanes(OP_SUBTRACT, run, lanes, right, left);
    case OP_MULTIPLY:
        return compute_lanes(OP_MULTIPLY, run, lanes, right, left);
    case OP_DIVIDE:
        return compute_lanes(OP_DIVIDE, run, lanes, right, left);
    case OP_FLOOR:
        return compute_lanes(OP_FLOOR, run, lanes, right, left);
    case OP_MODULO:
        return compute_lanes(OP_MODULO, run, lanes, right, left);
    default:
        return power_lanes(run, lanes, right, left);
    }
}

/* One operator for the lanes that are left; false: no memory. *failed grows. */
static bool run_link(const struct link_run *run, struct selection *selection, weir_value *out,
                     uint32_t *failed)
{
    struct operand right;
    uint32_t right_failed = 0;
    const struct code *operand = run->chain->links[run->index].operand;
    if (!operand_begin(run->frame, operand, selection->lanes, &right, &right_failed)) {
        return false;
    }
    uint32_t now = compute_column(run, selection->lanes, &right, out);
    operand_end(run->frame, &right);
    *failed += now;
    return now == 0 || selection_drop_failed(run->frame, selection, out);
}

static uint32_t run(struct frame *frame, const struct code *code, struct lanes lanes,
                    weir_value *out)
{
    const struct chain_code *chain = CODE_OF(code, struct chain_code);
    struct selection selection = selection_of(lanes);
    uint32_t failed = code_run_lanes(frame, chain->first, lanes, out);
    bool has_memory = failed == 0 || selection_drop_failed(frame, &selection, out);
    for (uint32_t i = 0; has_memory && i < chain->count && selection.lanes.count > 0; i++) {
        struct link_run link = { frame, chain, i, chain->links[i].op };
        has_memory = run_link(&link, &selection, out, &failed);
    }
    selection_end(frame, &selection);
    return has_memory ? failed : frame_fail_all(lanes, out);
}

struct code *code_chain(struct arena *arena, struct source source, const struct code *first,
                        const struct code_link *links, uint32_t count)
{
    struct chain_code *made = arena_zeroed(arena, sizeof *made);
    struct code_link *copy = arena_alloc(arena, count * sizeof *copy);
    if (made == NULL || copy == NULL) {
        return NULL;
    }
    memcpy(copy, links, count * sizeof *copy);
    made->code = (struct code){ .run = run, .source = source, .reads = first->reads };
    made->first = first;
    made->links = copy;
    made->count = count;
    for (uint32_t i = 0; i < count; i++) {
        made->code.reads |= links[i].operand->reads;
    }
    return &made->code;
}
