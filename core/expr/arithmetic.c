/* SPDX-License-Identifier: MIT */
/*
 * + - * / // % ** of one lane, whatever its kinds, and what is said where they do not fit.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "expr/chain.h"
#include "expr/fault_list.h"
#include "expr/kinds.h"
#include "expr/number_operand.h"

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

uint32_t chain_fail(const struct link_run *run, weir_value *out, const char *message)
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
    if (room[strspn(room, "0123456789.")] == '\0') {
        frame_fail(run->frame, &source, out, "division by zero");
    } else {
        frame_fail(run->frame, &source, out, "division by zero: '%s' is 0", room);
    }
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

/* A zero has the sign of the quotient, whatever is left of it after the subtraction. */
static double floor_quotient(double a, double b)
{
    double quotient = (a - modulo(a, b)) / b;
    double whole = floor(quotient);
    whole += quotient - whole > 0.5; /* in the middle the lower one: `1e16 // 3` */
    return whole == 0 ? copysign(0.0, a / b) : whole;
}

static uint32_t powers_of_floats(const struct link_run *run, double a, double b, weir_value *out)
{
    if (a == 0 && b < 0) {
        return chain_fail(run, out, "cannot raise 0 to a negative power");
    }
    if (a < 0 && isfinite(b) && b != nearbyint(b)) {
        return chain_fail(run, out, "cannot raise a negative number to a fractional power");
    }
    double power = pow(a, b);
    if (isinf(power) && isfinite(a) && isfinite(b)) {
        return chain_fail(run, out, "the power is beyond the range of a float");
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
        *out = weir_float(floor_quotient(a, b));
    }
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
    } else if (run->op == OP_MULTIPLY && (chain_is_sized(a) || chain_is_sized(b))) {
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

uint32_t chain_compute(const struct link_run *run, const weir_value *a, const weir_value *b,
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
    if (run->op == OP_ADD && chain_is_sized(a) && a->tag == b->tag) {
        return chain_concatenate(run, a, b, out);
    }
    if (run->op == OP_MULTIPLY) {
        if (chain_is_sized(a) && is_right_number && is_times(b, &right)) {
            return is_beyond(run, &right, out) ? 1 : chain_repeat(run, a, right.as.i64, out);
        }
        if (chain_is_sized(b) && is_left_number && is_times(a, &left)) {
            return is_beyond(run, &left, out) ? 1 : chain_repeat(run, b, left.as.i64, out);
        }
    }
    return fail_kinds(run, a, b, out);
}
