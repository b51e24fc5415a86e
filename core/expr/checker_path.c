/* SPDX-License-Identifier: MIT */
/*
 * Fields and $names: where the types that topics declare and steps make enter an expression.
 */
#include <string.h>

#include "base/nearest.h"
#include "expr/checker.h"
#include "expr/kinds.h"
#include "expr/lexer.h"

/* ---- $names ------------------------------------------------------------------------------------ */

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

/* A map may be that of a topic, and there $value is null on a tombstone. */
static void take_type(const struct checker *checker, struct tree *tree)
{
    if (checker->room == NULL) {
        return;
    }
    if (tree->record_name == RECORD_VALUE) {
        tree->type = checker->value;
        tree->kinds = checker->value->kinds;
        tree->kinds |= tree->kinds == KIND_MAP ? (uint32_t)KIND_NULL : 0;
    } else if (tree->record_name == RECORD_ITEM && checker->item != NULL) {
        tree->type = checker->item;
        tree->kinds = checker->item->kinds;
    }
}

void check_record_name(struct checker *checker, struct tree *tree)
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
    take_type(checker, tree);
    if (tree->record_name >= RECORD_ITEM && checker->item_depth == 0) {
        faults_error(checker->faults, tree->from, tree->to,
                     "'%s' stands for an item inside map, filter, any or all; there is none here",
                     record_name_text(tree->record_name));
        check_bad(tree);
    }
}

/* ---- steps ------------------------------------------------------------------------------------- */

/* What stands before a step, as a path of its own. */
static struct tree path_before(const struct tree *path, const struct tree_step *step,
                               const weir_type *type)
{
    uint32_t to = path->base != NULL ? path->base->to : path->from;
    for (const struct tree_step *s = path->steps; s < step; s++) {
        to = s->to;
    }
    return (struct tree){
        .kind = TREE_PATH, .from = path->from, .to = to, .kinds = type->kinds, .type = type
    };
}

static void report_step(struct checker *checker, struct tree *path, const struct tree_step *step,
                        const weir_type *type)
{
    const struct tree before = path_before(path, step, type);
    char kinds[KINDS_ROOM];
    char index[KINDS_ROOM];
    char name[EXCERPT_ROOM];
    kinds_text(type->kinds, kinds);
    if (step->kind == STEP_MEMBER) {
        faults_error(checker->faults, step->from, step->to, "%s has no field '%s'%s", kinds,
                     excerpt(step->name, 0, step->name_len, name),
                     checker_origin(checker, &before));
    } else if (step->kind == STEP_SLICE) {
        faults_error(checker->faults, step->from, step->to,
                     "cannot take a slice of %s%s; text, bytes and lists have slices", kinds,
                     checker_origin(checker, &before));
    } else {
        faults_error(checker->faults, step->from, step->to, "cannot index %s with %s%s", kinds,
                     kinds_text(step->low->kinds, index),
                     checker_origins(checker, &before, step->low));
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

/* ---- paths ------------------------------------------------------------------------------------- */

/* "; the fields are a, b" for a map of few fields, else "". */
static const char *list_members(const struct checker *checker, const weir_type *map)
{
    enum { MOST = 8 };
    const char *list = map->member_count == 0 ? "; there are none" : "";
    for (uint32_t i = 0; i < map->member_count && map->member_count <= MOST && list != NULL; i++) {
        char room[EXCERPT_ROOM];
        list = arena_printf(checker->arena, "%s%s%s", list, i == 0 ? "; the fields are " : ", ",
                            excerpt(map->members[i].name, 0, map->members[i].len, room));
    }
    return list != NULL ? list : "";
}

static void report_undeclared(struct checker *checker, struct tree *path,
                              const struct tree_step *step, const weir_type *map)
{
    struct nearest search;
    char name[EXCERPT_ROOM];
    bool is_field = path->base == NULL && step == path->steps;
    if (is_field || !step->is_dotted) {
        excerpt(step->name, 0, step->name_len, name);
    } else {
        excerpt(checker->text, path->from, step->to, name);
    }
    nearest_start(&search, step->name, step->name_len);
    type_offer(map, &search);
    const char *near = nearest_found(&search);
    if (near != NULL) {
        faults_error(checker->faults, step->from, step->to, "field '%s' %s; did you mean '%s'?",
                     name, map->closed_by, near);
    } else {
        faults_error(checker->faults, step->from, step->to, "field '%s' %s%s", name, map->closed_by,
                     list_members(checker, map));
    }
    check_bad(path);
}

static void warn_optional(struct checker *checker, const struct tree *path,
                          const struct tree_step *step, const weir_type *type)
{
    char name[EXCERPT_ROOM];
    excerpt(checker->text, path->from, step->to, name);
    faults_warning(checker->faults, path->from, step->to,
                   "'%s' may be missing or null%s; write '%s ?? ...', or filter on '%s is not "
                   "null' first",
                   name, type->origin != NULL ? type->origin : "", name, name);
}

/* The type behind a step that can succeed; kinds: those behind it. */
static const weir_type *step_type(struct checker *checker, struct tree *path,
                                  const struct tree_step *step, const weir_type *type,
                                  uint32_t kinds)
{
    if (step->kind == STEP_SLICE) {
        const weir_type *list = (type->kinds & ~(uint32_t)KIND_NULL) == KIND_LIST ? type : NULL;
        return list != NULL ? list : type_of_kinds(checker->room, kinds);
    }
    if (step->kind == STEP_INDEX) {
        bool is_list = (type->kinds & ~(uint32_t)KIND_NULL) == KIND_LIST;
        return is_list ? type_items(checker->room, type) : type_of_kinds(checker->room, kinds);
    }
    const weir_type *member = type_member(type, step->name, step->name_len);
    if (member == NULL && !type->is_open && (type->kinds & KIND_MAP) != 0) {
        report_undeclared(checker, path, step, type);
    }
    return member != NULL ? member : &type_any;
}

/* Follows the steps from `type`; the type behind the last one. */
static const weir_type *follow(struct checker *checker, struct tree *path, const weir_type *type,
                               bool is_forgiven)
{
    bool is_warned = is_forgiven;
    path->can_miss = false;
    for (uint32_t i = 0; i < path->step_count; i++) {
        const struct tree_step *step = &path->steps[i];
        uint32_t behind = check_step(checker, step, type->kinds);
        path->can_miss |= i > 0 && (type->kinds & KIND_NULL) != 0;
        path->can_miss |= step->kind == STEP_INDEX;
        if (behind == 0) {
            report_step(checker, path, step, type);
        }
        type =
            behind == 0 || path->is_bad ? &type_any : step_type(checker, path, step, type, behind);
        path->can_miss |= type->is_optional;
        if (type->is_optional && !is_warned && !path->is_bad) {
            warn_optional(checker, path, step, type);
            is_warned = true;
        }
    }
    return is_forgiven ? type : type_present(checker->room, type, false);
}

/* Where no types are looked at: kinds alone. */
static void follow_kinds(struct checker *checker, struct tree *path, uint32_t kinds)
{
    for (uint32_t i = 0; i < path->step_count; i++) {
        const struct tree_step *step = &path->steps[i];
        uint32_t behind = check_step(checker, step, kinds);
        if (behind == 0) {
            const weir_type type = { .kinds = kinds };
            report_step(checker, path, step, &type);
            behind = KIND_ANY;
        }
        kinds = behind;
    }
    path->kinds = kinds;
}

/* A path in parentheses or a $name before the steps is forgiven along with them. */
static const weir_type *check_base(struct checker *checker, const struct tree *path,
                                   bool is_forgiven)
{
    struct tree *base = path->base;
    if (base == NULL) {
        warn_spelling(checker, path);
        return checker->room != NULL ? checker->value : &type_any;
    }
    if (is_forgiven && tree_is_postfix(base)) {
        check_forgiven(checker, base);
    } else {
        check_tree(checker, base);
    }
    bool is_value = base->kind == TREE_RECORD_NAME && base->record_name == RECORD_VALUE;
    return is_value && checker->room != NULL ? checker->value : checker_type(checker, base);
}

void check_path(struct checker *checker, struct tree *path)
{
    bool is_forgiven = checker->is_forgiving;
    checker->is_forgiving = false;
    const weir_type *type = check_base(checker, path, is_forgiven);
    if (checker->room == NULL) {
        follow_kinds(checker, path, path->base != NULL ? path->base->kinds : (uint32_t)KIND_ANY);
        return;
    }
    path->type = follow(checker, path, type, is_forgiven);
    path->kinds = path->type->kinds;
    if (path->base != NULL) {
        path->can_miss |= path->base->can_miss;
    }
}

void check_forgiven(struct checker *checker, struct tree *operand)
{
    checker->is_forgiving = operand->kind == TREE_PATH;
    check_tree(checker, operand);
}
