/* SPDX-License-Identifier: MIT */
/*
 * == != < <= > >= in is: two operands, a bool. Ints, floats and texts are compared in place;
 * everything else by value_equal and value_compare.
 */
#include "expr/relation.h"

#include <string.h>

#include "expr/code.h"
#include "expr/fault_list.h"
#include "expr/kinds.h"

struct relation_code {
    struct code code;
    const struct code *left;
    const struct code *right;
    enum operation op;
};

/* ---- faults ------------------------------------------------------------------------------------ */

static uint32_t fail_kinds(struct frame *frame, const struct relation_code *relation,
                           const weir_value *a, const weir_value *b, weir_value *out)
{
    char fault[KINDS_FAULT_ROOM];
    weir_value made;
    kinds_fault(relation->op, value_kind_name(a), value_kind_name(b), fault);
    frame_fail(frame, &relation->code.source, &made, "%s", fault);
    const struct code *null_side =
        a->tag == WEIR_NULL && b->tag != WEIR_NULL ? relation->left : relation->right;
    frame_hint_null(frame, &made, null_side == relation->left ? a : b, &null_side->source,
                    null_side->is_postfix);
    *out = made;
    return 1;
}

/* ---- in ---------------------------------------------------------------------------------------- */

static inline bool are_equal(const weir_value *a, const weir_value *b)
{
    if (a->tag == WEIR_TEXT && b->tag == WEIR_TEXT) {
        return weir_same_bytes(a->as.text, a->len, b->as.text, b->len);
    }
    return value_equal(a, b);
}

static bool list_has(const weir_value *list, const weir_value *item)
{
    for (uint32_t i = 0; i < list->len; i++) {
        if (are_equal(item, &list->as.items[i])) {
            return true;
        }
    }
    return false;
}

static bool map_has(const weir_value *map, const weir_value *key)
{
    for (uint32_t i = 0; key->tag == WEIR_TEXT && i < map->len; i++) {
        const weir_member *member = &map->as.members[i];
        if (weir_same_bytes(member->key, member->key_len, key->as.text, key->len)) {
            return true;
        }
    }
    return false;
}

static bool has_bytes(const weir_value *whole, const void *part, size_t len)
{
    return len == 0 || memmem(whole->as.text, whole->len, part, len) != NULL;
}

static uint32_t contains_byte(struct frame *frame, const struct relation_code *relation,
                              const weir_value *bytes, const weir_value *item, weir_value *out)
{
    weir_value number;
    if (item->tag == WEIR_BOOL || !value_number(item, &number) || number.tag != WEIR_INT) {
        return fail_kinds(frame, relation, item, bytes, out);
    }
    if (number.as.i64 < 0 || number.as.i64 > 255) {
        frame_fail(frame, &relation->code.source, out, "a byte is an int from 0 to 255, not %lld",
                   (long long)number.as.i64);
        return 1;
    }
    uint8_t byte = (uint8_t)number.as.i64;
    *out = weir_bool(has_bytes(bytes, &byte, 1));
    return 0;
}

static uint32_t contains(struct frame *frame, const struct relation_code *relation,
                         const weir_value *item, const weir_value *container, weir_value *out)
{
    switch (container->tag) {
    case WEIR_LIST:
        *out = weir_bool(list_has(container, item));
        return 0;
    case WEIR_MAP:
        *out = weir_bool(map_has(container, item));
        return 0;
    case WEIR_TEXT:
    case WEIR_BYTES:
        if (item->tag == container->tag) {
            *out = weir_bool(has_bytes(container, item->as.text, item->len));
            return 0;
        }
        if (container->tag == WEIR_BYTES) {
            return contains_byte(frame, relation, container, item, out);
        }
        return fail_kinds(frame, relation, item, container, out);
    default:
        return fail_kinds(frame, relation, item, container, out);
    }
}

/* ---- one lane ---------------------------------------------------------------------------------- */

static uint32_t relate_slowly(struct frame *frame, const struct relation_code *relation,
                              const weir_value *a, const weir_value *b, weir_value *out)
{
    if (a->tag == WEIR_TAG_ERROR || b->tag == WEIR_TAG_ERROR) {
        *out = a->tag == WEIR_TAG_ERROR ? *a : *b;
        return 1;
    }
    switch (relation->op) {
    case OP_EQUAL:
        *out = weir_bool(value_equal(a, b));
        return 0;
    case OP_UNEQUAL:
        *out = weir_bool(!value_equal(a, b));
        return 0;
    case OP_IS:
        *out = weir_bool(value_is_same(a, b));
        return 0;
    case OP_IS_NOT:
        *out = weir_bool(!value_is_same(a, b));
        return 0;
    case OP_IN:
        return contains(frame, relation, a, b, out);
    case OP_NOT_IN: {
        uint32_t failed = contains(frame, relation, a, b, out);
        if (failed == 0) {
            *out = weir_bool(out->as.i64 == 0);
        }
        return failed;
    }
    default:
        break;
    }
    enum value_order order = value_compare(a, b);
    if (order == ORDER_NONE) {
        return fail_kinds(frame, relation, a, b, out);
    }
    *out = weir_bool(relation_holds(relation->op, order == ORDER_LESS, order == ORDER_EQUAL,
                                    order == ORDER_GREATER));
    return 0;
}

/* ---- columns ----------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) bool relate_fast(enum operation op,
                                                              const weir_value *a,
                                                              const weir_value *b, bool *ret)
{
    if (a->tag != b->tag) {
        return false;
    }
    if (a->tag == WEIR_INT) {
        int64_t i = a->as.i64;
        int64_t j = b->as.i64;
        *ret = relation_holds(op, i<j, i == j, i> j);
        return true;
    }
    if (a->tag == WEIR_FLOAT) {
        double x = a->as.f64;
        double y = b->as.f64;
        *ret = relation_holds(op, x<y, x == y, x> y);
        return true;
    }
    if (a->tag == WEIR_TEXT && (op == OP_EQUAL || op == OP_UNEQUAL)) {
        bool is_equal = weir_same_bytes(a->as.text, a->len, b->as.text, b->len);
        *ret = is_equal == (op == OP_EQUAL);
        return true;
    }
    return false;
}

static inline __attribute__((always_inline)) uint32_t relate_lanes(
    enum operation op, struct frame *frame, const struct relation_code *relation,
    struct lanes lanes, const struct operand *right, weir_value *left)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < lanes.count; i++) {
        weir_value *a = &left[lanes.at[i]];
        const weir_value *b = operand_at(right, lanes.at[i]);
        bool result = false;
        if (relate_fast(op, a, b, &result)) {
            *a = weir_bool(result);
        } else {
            failed += relate_slowly(frame, relation, a, b, a);
        }
    }
    return failed;
}

static uint32_t relate_lanes_slowly(struct frame *frame, const struct relation_code *relation,
                                    struct lanes lanes, const struct operand *right,
                                    weir_value *left)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < lanes.count; i++) {
        weir_value *a = &left[lanes.at[i]];
        failed += relate_slowly(frame, relation, a, operand_at(right, lanes.at[i]), a);
    }
    return failed;
}

static uint32_t relate_column(struct frame *frame, const struct relation_code *relation,
                              struct lanes lanes, const struct operand *right, weir_value *left)
{
    switch (relation->op) {
    case OP_EQUAL:
        return relate_lanes(OP_EQUAL, frame, relation, lanes, right, left);
    case OP_UNEQUAL:
        return relate_lanes(OP_UNEQUAL, frame, relation, lanes, right, left);
    case OP_LESS:
        return relate_lanes(OP_LESS, frame, relation, lanes, right, left);
    case OP_LESS_EQUAL:
        return relate_lanes(OP_LESS_EQUAL, frame, relation, lanes, right, left);
    case OP_GREATER:
        return relate_lanes(OP_GREATER, frame, relation, lanes, right, left);
    case OP_GREATER_EQUAL:
        return relate_lanes(OP_GREATER_EQUAL, frame, relation, lanes, right, left);
    default:
        return relate_lanes_slowly(frame, relation, lanes, right, left);
    }
}

/* What the left side has been computed to, against the right; false: no memory. *failed grows. */
static bool run_right(struct frame *frame, const struct relation_code *relation, struct lanes lanes,
                      struct unboxed *left, weir_value *out, uint32_t *failed)
{
    struct operand right;
    uint32_t right_failed = 0;
    if (!(left->tag != NOT_UNBOXED
              ? operand_begin_unboxed(frame, relation->right, lanes, &right, &right_failed)
              : operand_begin(frame, relation->right, lanes, &right, &right_failed))) {
        return false;
    }
    if (left->tag == NOT_UNBOXED ||
        !relation_compute_unboxed(left, relation->op, lanes, &right, out)) {
        unboxed_box(frame, left, lanes, out);
        operand_box(frame, &right, lanes);
        *failed += relate_column(frame, relation, lanes, &right, out);
    }
    operand_end(frame, &right);
    return true;
}

static uint32_t run(struct frame *frame, const struct code *code, struct lanes lanes,
                    weir_value *out)
{
    const struct relation_code *relation = CODE_OF(code, struct relation_code);
    struct selection selection = selection_of(lanes);
    struct unboxed left;
    uint32_t failed = code_run_unboxed(frame, relation->left, lanes, out, &left);
    bool has_memory = (failed == 0 || selection_drop_failed(frame, &selection, out)) &&
                      run_right(frame, relation, selection.lanes, &left, out, &failed);
    unboxed_drop(frame, &left);
    selection_end(frame, &selection);
    return has_memory ? failed : frame_fail_all(lanes, out);
}

struct code *code_relation(struct arena *arena, struct source source, enum operation op,
                           const struct code *left, const struct code *right)
{
    struct relation_code *made = arena_zeroed(arena, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->code = (struct code){ .run = run, .source = source, .reads = left->reads | right->reads };
    made->left = left;
    made->right = right;
    made->op = op;
    return &made->code;
}
