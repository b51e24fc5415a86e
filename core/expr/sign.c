/* SPDX-License-Identifier: MIT */
/*
 * -x and +x.
 */
#include "expr/code.h"
#include "expr/kinds.h"
#include "expr/number_operand.h"

struct sign_code {
    struct code code;
    const struct code *operand;
    enum operation op;
};

void number_fail_beyond(struct frame *frame, const struct source *source, const weir_value *number,
                        weir_value *out)
{
    enum { SHOWN_DIGITS = 40 };
    int shown = number->len > SHOWN_DIGITS ? SHOWN_DIGITS : (int)number->len;
    weir_value made;
    frame_fail(frame, source, &made, "the number %.*s%s %s", shown, number->as.text,
               number->len > SHOWN_DIGITS ? "..." : "", number_beyond(number));
    if (value_kind(number) == KIND_INT) {
        frame_hint(frame, &made, "write float(...) where rounding is allowed");
    }
    *out = made;
}

static uint32_t compute(struct frame *frame, const struct sign_code *sign, weir_value *value)
{
    const struct source *source = &sign->code.source;
    weir_value number;
    if (!value_number(value, &number)) {
        char fault[KINDS_FAULT_ROOM];
        weir_value made;
        frame_fail(frame, source, &made, "%s",
                   kinds_fault(sign->op, NULL, value_kind_name(value), fault));
        frame_hint_null(frame, &made, value, &sign->operand->source, sign->operand->is_postfix);
        *value = made;
        return 1;
    }
    if (number.tag == WEIR_NUMBER) {
        number_fail_beyond(frame, source, &number, value);
        return 1;
    }
    if (sign->op == OP_PLUS) {
        *value = number;
    } else if (number.tag == WEIR_FLOAT) {
        *value = weir_float(-number.as.f64);
    } else if (number.as.i64 == INT64_MIN) {
        frame_fail(frame, source, value, "-(-9223372036854775808) does not fit in 64 bits");
        return 1;
    } else {
        *value = weir_int(-number.as.i64);
    }
    return 0;
}

static uint32_t run(struct frame *frame, const struct code *code, struct lanes lanes,
                    weir_value *out)
{
    const struct sign_code *sign = CODE_OF(code, struct sign_code);
    uint32_t failed = code_run_lanes(frame, sign->operand, lanes, out);
    for (uint32_t i = 0; i < lanes.count; i++) {
        weir_value *value = &out[lanes.at[i]];
        if (value->tag != WEIR_TAG_ERROR) {
            failed += compute(frame, sign, value);
        }
    }
    return failed;
}

struct code *code_sign(struct arena *arena, struct source source, enum operation op,
                       const struct code *operand)
{
    struct sign_code *made = arena_zeroed(arena, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->code = (struct code){ .run = run, .source = source, .reads = operand->reads };
    made->operand = operand;
    made->op = op;
    return &made->code;
}
