/* SPDX-License-Identifier: MIT */
/*
 * Kinds flow from the leaves up, and types where they are known.
 */
#include "expr/checker.h"

#include <string.h>

#include "expr/kinds.h"

void check_bad(struct tree *tree)
{
    tree->is_bad = true;
    tree->kinds = KIND_ANY;
    tree->type = NULL;
}

/* True where the operand's missing is forgiven. */
static bool is_forgiven(const struct tree *tree, uint32_t operand)
{
    if (tree->kind == TREE_FALLBACK) {
        return operand + 1 < tree->count;
    }
    const struct tree *right = tree->kind == TREE_RELATION ? tree->operands[1] : NULL;
    return operand == 0 && right != NULL && (tree->op == OP_IS || tree->op == OP_IS_NOT) &&
           right->kind == TREE_LITERAL && right->value.tag == WEIR_NULL;
}

/* Operands that are evaluated for some records alone know what those are. */
static void check_operands(struct checker *checker, struct tree *tree)
{
    const weir_type *value = checker->value;
    for (uint32_t i = 0; i < tree->count; i++) {
        if (is_forgiven(tree, i)) {
            check_forgiven(checker, tree->operands[i]);
        } else {
            check_tree(checker, tree->operands[i]);
        }
        if (tree->kind == TREE_AND || tree->kind == TREE_OR) {
            checker_assume(checker, tree->operands[i], tree->kind == TREE_AND);
        } else if (tree->kind == TREE_IF) {
            checker->value = value;
            if (i < 2) {
                checker_assume(checker, tree->operands[0], i == 0);
            }
        }
    }
    checker->value = value;
}

/* ---- operators ------------------------------------------------------------------------------- */

static bool is_number(uint32_t kinds)
{
    return kinds != 0 && (kinds & ~(uint32_t)KIND_NUM) == 0;
}

/* What to write instead, as "; ..." for the message, or "". */
static const char *cure(const struct checker *checker, enum operation op, const struct tree *left,
                        uint32_t left_kinds, const struct tree *right, char *room, size_t size)
{
    char source[EXCERPT_ROOM];
    const struct tree *number = NULL;
    room[0] = '\0';
    if (op == OP_ADD && left_kinds == KIND_TEXT && is_number(right->kinds)) {
        number = right;
    } else if (op == OP_ADD && right->kinds == KIND_TEXT && is_number(left_kinds)) {
        number = left;
    } else if ((op == OP_IN || op == OP_NOT_IN) && right->kinds == KIND_TEXT) {
        number = left;
    }
    if (number != NULL) {
        snprintf(room, size, "; write text(%s)",
                 excerpt(checker->text, number->from, number->to, source));
    } else if (op == OP_MULTIPLY && ((left_kinds | right->kinds) & KIND_SIZED) != 0) {
        snprintf(room, size, "; a repetition takes an int");
    }
    return room;
}

/* Kinds of `left op right`; reports over both where nothing fits. */
static uint32_t check_binary(struct checker *checker, struct tree *tree, enum operation op,
                             const struct tree *left, uint32_t left_kinds, const struct tree *right)
{
    uint32_t kinds = kinds_binary(op, left_kinds, right->kinds);
    if (kinds != 0) {
        return kinds;
    }
    char left_text[KINDS_ROOM];
    char right_text[KINDS_ROOM];
    char fault[KINDS_FAULT_ROOM];
    char advice[128];
    kinds_fault(op, kinds_text(left_kinds, left_text), kinds_text(right->kinds, right_text), fault);
    faults_error(checker->faults, left->from, right->to, "%s%s%s", fault,
                 checker_origins(checker, left, right),
                 cure(checker, op, left, left_kinds, right, advice, sizeof advice));
    check_bad(tree);
    return KIND_ANY;
}

static void check_chain(struct checker *checker, struct tree *tree)
{
    struct tree left = *tree->operands[0];
    for (uint32_t i = 1; i < tree->count; i++) {
        const struct tree *right = tree->operands[i];
        left.kinds = check_binary(checker, tree, tree->ops[i - 1], &left, left.kinds, right);
        left.to = right->to;
        left.kind = TREE_CHAIN;
        left.type = NULL;
    }
    tree->kinds = left.kinds;
}

static void check_unary(struct checker *checker, struct tree *tree)
{
    const struct tree *operand = tree->operands[0];
    tree->kinds = kinds_unary(tree->op, operand->kinds);
    if (tree->kinds == 0) {
        char kinds[KINDS_ROOM];
        char fault[KINDS_FAULT_ROOM];
        faults_error(checker->faults, tree->from, tree->to, "%s%s",
                     kinds_fault(tree->op, NULL, kinds_text(operand->kinds, kinds), fault),
                     checker_origin(checker, operand));
        check_bad(tree);
    }
}

static uint32_t union_of(const struct tree *tree, uint32_t first)
{
    uint32_t kinds = 0;
    for (uint32_t i = first; i < tree->count; i++) {
        kinds |= tree->operands[i]->kinds;
    }
    return kinds;
}

static void check_fallback(struct checker *checker, struct tree *tree)
{
    uint32_t kinds = tree->operands[tree->count - 1]->kinds;
    for (uint32_t i = 0; i + 1 < tree->count; i++) {
        const struct tree *operand = tree->operands[i];
        bool can_miss = operand->kind == TREE_PATH && (checker->room == NULL || operand->can_miss);
        if (!can_miss && (operand->kinds & KIND_NULL) == 0) {
            char room[EXCERPT_ROOM];
            faults_warning(checker->faults, operand->from, operand->to,
                           "'%s' is never null or missing; what stands behind ?? is never used",
                           excerpt(checker->text, operand->from, operand->to, room));
        }
        kinds |= operand->kinds & ~(uint32_t)KIND_NULL;
    }
    tree->kinds = kinds;
}

/* ---- literals -------------------------------------------------------------------------------- */

static void check_literal(struct checker *checker, struct tree *tree)
{
    tree->kinds = value_kind(&tree->value);
    if (tree->is_least_int) {
        faults_error(checker->faults, tree->from, tree->to,
                     "the number does not fit in 64 bits; the largest int is 9223372036854775807");
        check_bad(tree);
    }
}

static void check_keys(struct checker *checker, const struct tree *map)
{
    for (uint32_t i = 1; i < map->count; i++) {
        const struct tree_key *key = &map->keys[i];
        for (uint32_t j = 0; j < i && map->count <= 256; j++) {
            if (weir_same_bytes(map->keys[j].name, map->keys[j].len, key->name, key->len)) {
                char room[EXCERPT_ROOM];
                faults_warning(checker->faults, key->from, key->to,
                               "the key '%s' is written twice; the last value stands",
                               excerpt(key->name, 0, key->len, room));
                break;
            }
        }
    }
}

/* ---- the tree -------------------------------------------------------------------------------- */

static void check_inner(struct checker *checker, struct tree *tree)
{
    check_operands(checker, tree);
    switch (tree->kind) {
    case TREE_LIST:
        tree->kinds = KIND_LIST;
        break;
    case TREE_MAP:
        tree->kinds = KIND_MAP;
        check_keys(checker, tree);
        break;
    case TREE_UNARY:
        check_unary(checker, tree);
        break;
    case TREE_CHAIN:
        check_chain(checker, tree);
        break;
    case TREE_POWER:
    case TREE_RELATION:
        tree->kinds = check_binary(checker, tree, tree->op, tree->operands[0],
                                   tree->operands[0]->kinds, tree->operands[1]);
        break;
    case TREE_FALLBACK:
        check_fallback(checker, tree);
        break;
    case TREE_IF:
        tree->kinds = union_of(tree, 1);
        break;
    default: /* and, or: an operand is the result */
        tree->kinds = union_of(tree, 0);
        break;
    }
    checker_combine(checker, tree);
}

void check_tree(struct checker *checker, struct tree *tree)
{
    switch (tree->kind) {
    case TREE_LITERAL:
        check_literal(checker, tree);
        break;
    case TREE_RECORD_NAME:
        check_record_name(checker, tree);
        break;
    case TREE_PATH:
        check_path(checker, tree);
        break;
    case TREE_CALL:
        check_call(checker, tree);
        break;
    default:
        check_inner(checker, tree);
        break;
    }
    if (tree->is_bad) {
        tree->kinds = KIND_ANY;
        tree->type = NULL;
    }
}
