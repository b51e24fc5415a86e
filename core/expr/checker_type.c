/* SPDX-License-Identifier: MIT */
/*
 * Types of results, and what a condition tells of the value where it holds.
 */
#include <string.h>

#include "expr/checker.h"
#include "expr/kinds.h"

const weir_type *checker_type(const struct checker *checker, const struct tree *tree)
{
    if (checker->room == NULL || tree->is_bad) {
        return &type_any;
    }
    return tree->type != NULL ? tree->type : type_of_kinds(checker->room, tree->kinds);
}

/* lead: what stands before it. */
static const char *origin_of(const struct checker *checker, const struct tree *tree,
                             const char *lead)
{
    if (tree->kind != TREE_PATH || tree->type == NULL || tree->type->origin == NULL) {
        return "";
    }
    char name[EXCERPT_ROOM];
    char kinds[KINDS_ROOM];
    const char *text = arena_printf(checker->arena, "%s'%s' is %s%s", lead,
                                    excerpt(checker->text, tree->from, tree->to, name),
                                    kinds_text(tree->type->kinds, kinds), tree->type->origin);
    return text != NULL ? text : "";
}

const char *checker_origin(const struct checker *checker, const struct tree *tree)
{
    return origin_of(checker, tree, ": ");
}

const char *checker_origins(const struct checker *checker, const struct tree *left,
                            const struct tree *right)
{
    const char *first = origin_of(checker, left, ": ");
    const char *second = origin_of(checker, right, first[0] != '\0' ? ", " : ": ");
    const char *text = arena_printf(checker->arena, "%s%s", first, second);
    return text != NULL ? text : "";
}

/* ---- results ----------------------------------------------------------------------------------- */

static const weir_type *list_type(const struct checker *checker, const struct tree *list)
{
    const weir_type *items = NULL;
    for (uint32_t i = 0; i < list->count; i++) {
        const weir_type *item = checker_type(checker, list->operands[i]);
        items = items == NULL ? item : type_join(checker->room, items, item);
    }
    return type_list(checker->room, items != NULL ? items : &type_any);
}

static const weir_type *map_type(const struct checker *checker, const struct tree *map)
{
    struct type_member *members =
        arena_alloc(checker->arena, ((size_t)map->count + 1) * sizeof *members);
    for (uint32_t i = 0; members != NULL && i < map->count; i++) {
        const struct tree_key *key = &map->keys[i];
        members[i].len = key->len;
        members[i].name = arena_copy(checker->room->arena, key->name, key->len);
        members[i].type = checker_type(checker, map->operands[i]);
        if (members[i].name == NULL) {
            return &type_any;
        }
    }
    return members == NULL ? &type_any
                           : type_map(checker->room, members, map->count, NULL,
                                      "is not in the map that is written there");
}

static const weir_type *join_from(const struct checker *checker, const struct tree *tree,
                                  uint32_t first)
{
    const weir_type *type = NULL;
    for (uint32_t i = first; i < tree->count; i++) {
        const weir_type *operand = checker_type(checker, tree->operands[i]);
        if (tree->kind == TREE_FALLBACK && i + 1 < tree->count) {
            operand = type_present(checker->room, operand, true);
        }
        type = type == NULL ? operand : type_join(checker->room, type, operand);
    }
    return type;
}

void checker_combine(const struct checker *checker, struct tree *tree)
{
    if (checker->room == NULL || tree->is_bad) {
        return;
    }
    switch (tree->kind) {
    case TREE_LIST:
        tree->type = list_type(checker, tree);
        break;
    case TREE_MAP:
        tree->type = map_type(checker, tree);
        break;
    case TREE_FALLBACK:
    case TREE_AND:
    case TREE_OR:
        tree->type = join_from(checker, tree, 0);
        break;
    case TREE_IF:
        tree->type = join_from(checker, tree, 1);
        break;
    default:
        break;
    }
}

/* ---- conditions -------------------------------------------------------------------------------- */

/* Where a path of names begins at the record's value: it is there, and perhaps not null. */
static void assume_present(struct checker *checker, const struct tree *path, bool is_null_gone)
{
    const struct tree *base = path->base;
    bool is_field =
        path->kind == TREE_PATH &&
        (base == NULL || (base->kind == TREE_RECORD_NAME && base->record_name == RECORD_VALUE));
    for (uint32_t i = 0; is_field && i < path->step_count; i++) {
        is_field = path->steps[i].kind == STEP_MEMBER;
    }
    if (!is_field) {
        return;
    }
    const char **names = arena_alloc(checker->arena, path->step_count * sizeof *names);
    uint32_t *lens = arena_alloc(checker->arena, path->step_count * sizeof *lens);
    if (names == NULL || lens == NULL) {
        return;
    }
    for (uint32_t i = 0; i < path->step_count; i++) {
        names[i] = path->steps[i].name;
        lens[i] = path->steps[i].name_len;
    }
    const struct type_path wanted = { names, lens, path->step_count };
    checker->value = type_narrow(checker->room, checker->value, &wanted, is_null_gone);
}

static bool is_null(const struct tree *tree)
{
    return tree->kind == TREE_LITERAL && tree->value.tag == WEIR_NULL;
}

/* `p is not null` and `p != null` where they hold, `p is null` and `p == null` where they do not. */
static void assume_relation(struct checker *checker, const struct tree *relation, bool is_truthy)
{
    bool is_negated = relation->op == OP_IS_NOT || relation->op == OP_UNEQUAL;
    bool is_test = is_negated || relation->op == OP_IS || relation->op == OP_EQUAL;
    if (is_test && is_negated == is_truthy && is_null(relation->operands[1])) {
        assume_present(checker, relation->operands[0], true);
    }
}

void checker_assume(struct checker *checker, const struct tree *condition, bool is_truthy)
{
    if (checker->room == NULL || condition->is_bad) {
        return;
    }
    bool is_each = condition->kind == (is_truthy ? TREE_AND : TREE_OR) ||
                   (condition->kind == TREE_CALL && condition->form == FORM_HAS && is_truthy);
    for (uint32_t i = 0; is_each && i < condition->count; i++) {
        if (condition->kind == TREE_CALL) {
            assume_present(checker, condition->operands[i], false);
        } else {
            checker_assume(checker, condition->operands[i], is_truthy);
        }
    }
    if (condition->kind == TREE_UNARY && condition->op == OP_NOT) {
        checker_assume(checker, condition->operands[0], !is_truthy);
    } else if (condition->kind == TREE_RELATION) {
        assume_relation(checker, condition, is_truthy);
    } else if (condition->kind == TREE_PATH && is_truthy) {
        assume_present(checker, condition, true);
    }
}
