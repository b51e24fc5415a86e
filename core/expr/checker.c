/* SPDX-License-Identifier: MIT */
/*
 * Kinds flow from the leaves up. A field may be of any kind: types that a topic declares would enter
 * at one place, kinds_of_path.
 */
#include "expr/checker.h"

#include <string.h>

#include "base/nearest.h"
#include "expr/kinds.h"
#include "expr/lexer.h"

void check_bad(struct tree *tree)
{
    tree->is_bad = true;
    tree->kinds = KIND_ANY;
}

static void check_operands(struct checker *checker, struct tree *tree)
{
    for (uint32_t i = 0; i < tree->count; i++) {
        check_tree(checker, tree->operands[i]);
    }
}

/* ---- names and paths ------------------------------------------------------------------------- */

static void report_unknown_name(struct checker *checker, struct tree *tree)
{
    struct nearest search;
    char room[EXCERPT_ROOM];
    nearest_start(&search, tree->name, tree->name_len);
    for (int i = 0; i < RECORD_NAME_COUNT; i++) {
        nearest_offer(&search, record_name_text((enum record_name)i));
    }
    const char *found = nearest_found(&search);
    excerpt(checker->text, tree->from, tree->to, room);
    if (found != NULL) {
        faults_error(checker->faults, tree->from, tree->to, "unknown name '%s'; did you mean '%s'?",
                     room, found);
    } else {
        faults_error(checker->faults, tree->from, tree->to,
                     "unknown name '%s'; the names are $value $key $timestamp $headers $topic "
                     "$partition $offset",
                     room);
    }
    check_bad(tree);
}

static void check_record_name(struct checker *checker, struct tree *tree)
{
    static const uint32_t kinds[RECORD_NAME_COUNT] = {
        KIND_ANY,
        KIND_ANY,
        KIND_INT | KIND_NULL,
        KIND_LIST,
        KIND_TEXT | KIND_NULL,
        KIND_INT | KIND_NULL,
        KIND_INT | KIND_NULL,
        KIND_ANY,
        KIND_INT,
    };
    if (tree->record_name == RECORD_NAME_COUNT) {
        report_unknown_name(checker, tree);
        return;
    }
    tree->kinds = kinds[tree->record_name];
    if (tree->record_name >= RECORD_ITEM && checker->item_depth == 0) {
        faults_error(checker->faults, tree->from, tree->to,
                     "'%s' stands for an item inside map, filter, any or all; there is none here",
                     record_name_text(tree->record_name));
        check_bad(tree);
    }
}

static void report_step(struct checker *checker, struct tree *path, const struct tree_step *step,
                        uint32_t container)
{
    char kinds[KINDS_ROOM];
    char index[KINDS_ROOM];
    char name[EXCERPT_ROOM];
    kinds_text(container, kinds);
    if (step->kind == STEP_MEMBER) {
        faults_error(checker->faults, step->from, step->to, "%s has no field '%s'", kinds,
                     excerpt(step->name, 0, step->name_len, name));
    } else if (step->kind == STEP_SLICE) {
        faults_error(checker->faults, step->from, step->to,
                     "cannot take a slice of %s; text, bytes and lists have slices", kinds);
    } else {
        faults_error(checker->faults, step->from, step->to, "cannot index %s with %s", kinds,
                     kinds_text(step->low->kinds, index));
    }
    check_bad(path);
}

static void check_bound(struct checker *checker, struct tree *bound)
{
    char room[KINDS_ROOM];
    if (bound == NULL) {
        return;
    }
    check_tree(checker, bound);
    if ((bound->kinds & KIND_INT) == 0) {
        faults_error(checker->faults, bound->from, bound->to,
                     "the bound of a slice is an int, not %s", kinds_text(bound->kinds, room));
        check_bad(bound);
    }
}

/* Kinds behind a step; 0 where it can only fail. */
static uint32_t check_step(struct checker *checker, const struct tree_step *step,
                           uint32_t container)
{
    switch (step->kind) {
    case STEP_MEMBER:
        return kinds_member(container);
    case STEP_INDEX:
        check_tree(checker, step->low);
        return kinds_index(container, step->low->kinds);
    default:
        check_bound(checker, step->low);
        check_bound(checker, step->high);
        return kinds_slice(container);
    }
}

/* A field that is spelled like a keyword of other languages. */
static void warn_spelling(struct checker *checker, const struct tree *path)
{
    const struct tree_step *first = &path->steps[0];
    if (path->base != NULL || first->from != path->from) {
        return;
    }
    const char *keyword = lexer_keyword_in_lower_case(first->name, first->name_len);
    if (keyword != NULL && path->step_count == 1) {
        faults_warning(checker->faults, first->from, first->to,
                       "'%.*s' is read as a field, since keywords are lower case; write '%s', or "
                       "$value[\"%.*s\"] for the field",
                       (int)first->name_len, first->name, keyword, (int)first->name_len,
                       first->name);
    }
}

static void check_path(struct checker *checker, struct tree *path)
{
    uint32_t kinds = KIND_ANY;
    if (path->base != NULL) {
        check_tree(checker, path->base);
        kinds = path->base->kinds;
    } else {
        warn_spelling(checker, path);
    }
    for (uint32_t i = 0; i < path->step_count; i++) {
        const struct tree_step *step = &path->steps[i];
        uint32_t behind = check_step(checker, step, kinds);
        if (behind == 0) {
            report_step(checker, path, step, kinds);
            behind = KIND_ANY;
        }
        kinds = behind;
    }
    path->kinds = kinds;
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
    faults_error(checker->faults, left->from, right->to, "%s%s", fault,
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
        faults_error(checker->faults, tree->from, tree->to, "%s",
                     kinds_fault(tree->op, NULL, kinds_text(operand->kinds, kinds), fault));
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
        if (operand->kind != TREE_PATH && (operand->kinds & KIND_NULL) == 0) {
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
    }
}
