/* SPDX-License-Identifier: MIT */
/*
 * One function per kind of node. Operands are compiled even where another one is bad, so that each
 * reports what it has; branches that a constant rules out are not.
 */
#include "expr/compile.h"

struct source compile_source(const struct compiler *compiler, const struct tree *tree)
{
    return (struct source){ compiler->text, tree->from, tree->to };
}

const struct code *compile_made(struct compiler *compiler, struct code *code)
{
    if (code == NULL) {
        faults_no_memory(compiler->faults);
        return NULL;
    }
    return fold(compiler, code);
}

const struct code **compile_room(struct compiler *compiler, uint32_t count)
{
    const struct code **room = arena_alloc(compiler->scratch, (count + 1) * sizeof *room);
    if (room == NULL) {
        faults_no_memory(compiler->faults);
    }
    return room;
}

bool compile_operands(struct compiler *compiler, const struct tree *tree,
                      const struct code *(*compile)(struct compiler *, const struct tree *),
                      const struct code **ret_codes)
{
    bool is_whole = true;
    for (uint32_t i = 0; i < tree->count; i++) {
        ret_codes[i] = compile(compiler, tree->operands[i]);
        is_whole &= ret_codes[i] != NULL;
    }
    return is_whole;
}

/* ---- paths ------------------------------------------------------------------------------------- */

static bool compile_step(struct compiler *compiler, const struct tree *path,
                         const struct tree_step *step, struct code_step *ret)
{
    *ret = (struct code_step){ .kind = step->kind,
                               .source = { compiler->text, path->from, step->to },
                               .name = step->name,
                               .name_len = step->name_len };
    bool is_whole = true;
    if (step->kind != STEP_MEMBER && step->low != NULL) {
        ret->low = compile_tree(compiler, step->low);
        is_whole &= ret->low != NULL;
    }
    if (step->high != NULL) {
        ret->high = compile_tree(compiler, step->high);
        is_whole &= ret->high != NULL;
    }
    return is_whole;
}

static struct code *path_code(struct compiler *compiler, const struct tree *path)
{
    const struct code *base = NULL;
    struct code_step *steps = arena_alloc(compiler->scratch, path->step_count * sizeof *steps);
    if (steps == NULL) {
        faults_no_memory(compiler->faults);
        return NULL;
    }
    bool is_whole = true;
    if (path->base != NULL) {
        base = compile_forgiven(compiler, path->base);
        is_whole = base != NULL;
    }
    for (uint32_t i = 0; i < path->step_count; i++) {
        is_whole &= compile_step(compiler, path, &path->steps[i], &steps[i]);
    }
    if (!is_whole || path->is_bad) {
        return NULL;
    }
    struct code *code = code_path(compiler->env->arena, compiler->env->symbols,
                                  compile_source(compiler, path), base, steps, path->step_count);
    if (code == NULL) {
        faults_no_memory(compiler->faults);
    }
    return code;
}

const struct code *compile_forgiven(struct compiler *compiler, const struct tree *tree)
{
    if (tree->kind == TREE_PATH) {
        return path_code(compiler, tree);
    }
    /* `(true and zz)` folds to the path, and yet is none: what is missing in it stays a fault. */
    const struct code *code = compile_tree(compiler, tree);
    return code == NULL || code->run_forgiving == NULL
               ? code
               : compile_made(compiler, code_and(compiler->env->arena, code->source, &code, 1));
}

/* ---- literals ---------------------------------------------------------------------------------- */

static const struct code *compile_list(struct compiler *compiler, const struct tree *tree)
{
    const struct code **codes = compile_room(compiler, tree->count);
    if (codes == NULL || !compile_operands(compiler, tree, compile_tree, codes)) {
        return NULL;
    }
    return compile_made(compiler, code_list(compiler->env->arena, compile_source(compiler, tree),
                                            codes, tree->count));
}

static const struct code *compile_map(struct compiler *compiler, const struct tree *tree)
{
    const struct code **codes = compile_room(compiler, tree->count);
    struct code_key *keys = arena_alloc(compiler->scratch, (tree->count + 1) * sizeof *keys);
    if (codes == NULL || keys == NULL || !compile_operands(compiler, tree, compile_tree, codes)) {
        return NULL;
    }
    for (uint32_t i = 0; i < tree->count; i++) {
        keys[i] = (struct code_key){ tree->keys[i].name, tree->keys[i].len };
    }
    return compile_made(compiler,
                        code_map(compiler->env->arena, compiler->env->symbols,
                                 compile_source(compiler, tree), keys, codes, tree->count));
}

/* ---- operators --------------------------------------------------------------------------------- */

/* A chain of which something is left to do. */
static const struct code *chain(struct compiler *compiler, struct source source,
                                const struct code *left, const struct code_link *links,
                                uint32_t count)
{
    return count == 0 ? left
                      : compile_made(compiler,
                                     code_chain(compiler->env->arena, source, left, links, count));
}

/* Constants at the beginning are computed one by one: `1 + 2 + a` is `3 + a`. */
static const struct code *compile_chain(struct compiler *compiler, const struct tree *tree)
{
    const struct code **codes = compile_room(compiler, tree->count);
    struct code_link *links = arena_alloc(compiler->scratch, tree->count * sizeof *links);
    if (codes == NULL || links == NULL || !compile_operands(compiler, tree, compile_tree, codes)) {
        return NULL;
    }
    const struct code *left = codes[0];
    uint32_t pending = 0;
    for (uint32_t i = 1; i < tree->count; i++) {
        enum operation op = tree->kind == TREE_POWER ? OP_POWER : tree->ops[i - 1];
        links[pending++] = (struct code_link){ op, codes[i] };
        if (pending == 1 && left->constant != NULL && codes[i]->constant != NULL) {
            struct source part = left->source;
            part.to = codes[i]->source.to;
            left = chain(compiler, part, left, links, pending);
            pending = 0;
            if (left == NULL) {
                return NULL;
            }
        }
    }
    return chain(compiler, compile_source(compiler, tree), left, links, pending);
}

static const struct code *compile_unary(struct compiler *compiler, const struct tree *tree)
{
    const struct code *operand = compile_tree(compiler, tree->operands[0]);
    struct source source = compile_source(compiler, tree);
    if (operand == NULL) {
        return NULL;
    }
    struct arena *arena = compiler->env->arena;
    return compile_made(compiler, tree->op == OP_NOT ? code_not(arena, source, operand)
                                                     : code_sign(arena, source, tree->op, operand));
}

static const struct code *compile_relation(struct compiler *compiler, const struct tree *tree)
{
    struct arena *arena = compiler->env->arena;
    struct source source = compile_source(compiler, tree);
    const struct tree *right_tree = tree->operands[1];
    bool is_null_test = (tree->op == OP_IS || tree->op == OP_IS_NOT) &&
                        right_tree->kind == TREE_LITERAL && right_tree->value.tag == WEIR_NULL &&
                        !right_tree->is_bad;
    if (is_null_test) {
        const struct code *operand = compile_forgiven(compiler, tree->operands[0]);
        return operand == NULL ? NULL
                               : compile_made(compiler, code_is_null(arena, source, operand,
                                                                     tree->op == OP_IS_NOT));
    }
    const struct code *left = compile_tree(compiler, tree->operands[0]);
    const struct code *right = compile_tree(compiler, right_tree);
    return left == NULL || right == NULL
               ? NULL
               : compile_made(compiler, code_relation(arena, source, tree->op, left, right));
}

/* ---- lazy forms -------------------------------------------------------------------------------- */

/* What a constant operand means for those behind it. */
enum verdict { VERDICT_DEPENDS, VERDICT_DROP, VERDICT_DECIDES };

static enum verdict judge(const struct tree *tree, const struct code *code)
{
    if (code->constant == NULL) {
        return VERDICT_DEPENDS;
    }
    if (tree->kind == TREE_FALLBACK) {
        return code->constant->tag == WEIR_NULL ? VERDICT_DROP : VERDICT_DECIDES;
    }
    bool is_truthy = value_is_truthy(code->constant);
    return is_truthy == (tree->kind == TREE_AND) ? VERDICT_DROP : VERDICT_DECIDES;
}

static struct code *lazy_code(struct compiler *compiler, const struct tree *tree,
                              const struct code *const *codes, uint32_t count)
{
    struct arena *arena = compiler->env->arena;
    struct source source = compile_source(compiler, tree);
    switch (tree->kind) {
    case TREE_AND:
        return code_and(arena, source, codes, count);
    case TREE_OR:
        return code_or(arena, source, codes, count);
    default:
        return code_fallback(arena, source, codes, count);
    }
}

/* and, or, ??: what a constant rules out is dropped. */
static const struct code *compile_lazy(struct compiler *compiler, const struct tree *tree)
{
    const struct code **codes = compile_room(compiler, tree->count);
    uint32_t count = 0;
    bool is_whole = codes != NULL;
    for (uint32_t i = 0; codes != NULL && i < tree->count; i++) {
        bool is_last = i + 1 == tree->count;
        bool is_forgiven = tree->kind == TREE_FALLBACK && !is_last;
        const struct code *code = is_forgiven ? compile_forgiven(compiler, tree->operands[i])
                                              : compile_tree(compiler, tree->operands[i]);
        if (code == NULL) {
            is_whole = false;
            continue;
        }
        enum verdict verdict = judge(tree, code);
        if (verdict == VERDICT_DROP && !is_last) {
            continue;
        }
        codes[count++] = code;
        if (verdict == VERDICT_DECIDES) {
            break;
        }
    }
    if (!is_whole) {
        return NULL;
    }
    return count == 1 ? codes[0] : compile_made(compiler, lazy_code(compiler, tree, codes, count));
}

static const struct code *compile_if(struct compiler *compiler, const struct tree *tree)
{
    const struct code *condition = compile_tree(compiler, tree->operands[0]);
    if (condition != NULL && condition->constant != NULL) {
        bool is_truthy = value_is_truthy(condition->constant);
        return compile_tree(compiler, tree->operands[is_truthy ? 1 : 2]);
    }
    const struct code *codes[] = { condition, compile_tree(compiler, tree->operands[1]),
                                   compile_tree(compiler, tree->operands[2]) };
    if (codes[0] == NULL || codes[1] == NULL || codes[2] == NULL) {
        return NULL;
    }
    return compile_made(compiler,
                        code_if(compiler->env->arena, compile_source(compiler, tree), codes));
}

/* ---- the tree ---------------------------------------------------------------------------------- */

static const struct code *compile_path(struct compiler *compiler, const struct tree *tree)
{
    return fold(compiler, path_code(compiler, tree));
}

static const struct code *compile_literal(struct compiler *compiler, const struct tree *tree)
{
    return compile_made(compiler, code_constant(compiler->env->arena,
                                                compile_source(compiler, tree), &tree->value));
}

static const struct code *compile_record_name(struct compiler *compiler, const struct tree *tree)
{
    if (tree->is_bad) {
        return NULL;
    }
    return compile_made(compiler,
                        code_record_name(compiler->env->arena, compile_source(compiler, tree),
                                         tree->record_name, compiler->env->symbols));
}

const struct code *compile_tree(struct compiler *compiler, const struct tree *tree)
{
    static const struct code *(*const compilers[])(struct compiler *, const struct tree *) = {
        [TREE_LITERAL] = compile_literal, [TREE_RECORD_NAME] = compile_record_name,
        [TREE_PATH] = compile_path,       [TREE_LIST] = compile_list,
        [TREE_MAP] = compile_map,         [TREE_CALL] = compile_call,
        [TREE_UNARY] = compile_unary,     [TREE_CHAIN] = compile_chain,
        [TREE_POWER] = compile_chain,     [TREE_RELATION] = compile_relation,
        [TREE_AND] = compile_lazy,        [TREE_OR] = compile_lazy,
        [TREE_FALLBACK] = compile_lazy,   [TREE_IF] = compile_if,
    };
    if (tree->is_bad && tree->kind != TREE_PATH) {
        const struct code **codes = compile_room(compiler, tree->count);
        if (codes != NULL) {
            (void)compile_operands(compiler, tree, compile_tree, codes);
        }
        return NULL;
    }
    return compilers[tree->kind](compiler, tree);
}
