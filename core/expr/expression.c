/* SPDX-License-Identifier: MIT */
/*
 * The door of this folder: text to expression, expressions from parts, evaluation of a batch. An
 * expression lives in the environment's arena and never changes.
 */
#include "expr/expr.h"

#include <stdio.h>
#include <string.h>

#include "expr/checker.h"
#include "expr/compile.h"
#include "expr/kinds.h"
#include "expr/lexer.h"
#include "expr/parser.h"

/*
 * last_name  of a plain path, else NULL
 * origin     what it was read from
 * parts      what it was made of, with their keys where it is a map; NULL: of its text
 */
struct weir_expression {
    weir_text text;
    const struct code *root;
    const char *last_name;
    uint32_t last_name_len;
    const void *origin;
    weir_expression **parts;
    const struct code_key *keys;
    uint32_t part_count;
};

/* ---- from text --------------------------------------------------------------------------------- */

/* The last name of `a.b`, `a[0].b`, `$key.b`: steps that are written out. */
static void set_last_name(weir_expression *expression, const struct tree *tree)
{
    bool is_plain =
        tree->kind == TREE_PATH && (tree->base == NULL || tree->base->kind == TREE_RECORD_NAME);
    for (uint32_t i = 0; is_plain && i < tree->step_count; i++) {
        const struct tree_step *step = &tree->steps[i];
        bool is_index = step->kind == STEP_INDEX && step->low->kind == TREE_LITERAL;
        is_plain = step->kind == STEP_MEMBER || is_index;
    }
    if (is_plain && tree->steps[tree->step_count - 1].kind == STEP_MEMBER) {
        expression->last_name = tree->steps[tree->step_count - 1].name;
        expression->last_name_len = tree->steps[tree->step_count - 1].name_len;
    }
}

/* A block scalar of YAML ends with a line break, which whoever shows the text has no use for. */
static weir_text without_end(struct arena *arena, const char *text, size_t len)
{
    size_t kept = len;
    while (kept > 0 && (text[kept - 1] == '\n' || text[kept - 1] == ' ')) {
        kept--;
    }
    return (weir_text){ kept == len ? text : arena_copy(arena, text, kept), kept };
}

static weir_expression *expression_of(const struct expr_env *env, const char *text, size_t len,
                                      const struct code *root)
{
    weir_expression *expression = arena_zeroed(env->arena, sizeof *expression);
    if (expression != NULL) {
        expression->text = without_end(env->arena, text, len);
        expression->root = root;
    }
    return expression != NULL && expression->text.data != NULL ? expression : NULL;
}

/* Everything but the delivery of faults. */
static weir_expression *compile(const struct expr_env *env, struct arena *scratch,
                                struct faults *faults, const char *text, uint32_t len)
{
    struct tree *tree = parse_expression(scratch, env->arena, faults, text, len);
    if (tree == NULL) {
        return NULL;
    }
    struct checker checker = { .env = env, .faults = faults, .arena = scratch, .text = text };
    check_tree(&checker, tree);
    struct compiler compiler = { env, faults, scratch, text, 0 };
    const struct code *root = compile_tree(&compiler, tree);
    if (root == NULL || faults->error_count > 0) {
        return NULL;
    }
    weir_expression *expression = expression_of(env, text, len, root);
    if (expression == NULL) {
        faults_no_memory(faults);
        return NULL;
    }
    set_last_name(expression, tree);
    return expression;
}

weir_expression *expr_compile(const struct expr_env *env, const char *text, size_t len,
                              const struct expr_reporter *reporter)
{
    struct arena scratch;
    struct faults faults;
    weir_expression *expression = NULL;
    arena_init(&scratch, 0);
    faults_init(&faults, &scratch);
    if (lexer_accepts(text, len, &faults)) {
        const char *copy = arena_copy(env->arena, text, len);
        if (copy == NULL) {
            faults_no_memory(&faults);
        } else {
            expression = compile(env, &scratch, &faults, copy, (uint32_t)len);
        }
    }
    uint32_t end = len < UINT32_MAX ? (uint32_t)len : UINT32_MAX;
    bool is_right = faults_deliver(&faults, reporter, end);
    arena_deinit(&scratch);
    return is_right ? expression : NULL;
}

void expr_release(struct expr_prepared **prepared)
{
    while (*prepared != NULL) {
        struct expr_prepared *first = *prepared;
        *prepared = first->next;
        first->release(first->state);
    }
}

/* ---- from parts -------------------------------------------------------------------------------- */

/* The text of a composed expression: `{a: 1, "b c": x}` or `[1, x]`, for messages. */
static char *composed_text(struct arena *arena, const char *const *keys, const size_t *key_lens,
                           weir_expression *const *values, size_t count)
{
    size_t size = 3;
    for (size_t i = 0; i < count; i++) {
        size += (keys != NULL ? key_lens[i] + 4 : 0) + values[i]->text.size + 2;
    }
    char *text = arena_alloc(arena, size);
    if (text == NULL) {
        return NULL;
    }
    char *end = text;
    *end++ = keys != NULL ? '{' : '[';
    for (size_t i = 0; i < count; i++) {
        const char *quote = keys == NULL || lexer_is_word(keys[i], key_lens[i]) ? "" : "\"";
        end = mempcpy(end, ", ", i > 0 ? 2 : 0);
        if (keys != NULL) {
            end = mempcpy(end, quote, strlen(quote));
            end = mempcpy(end, keys[i], key_lens[i]);
            end = mempcpy(end, quote, strlen(quote));
            end = mempcpy(end, ": ", 2);
        }
        end = mempcpy(end, values[i]->text.data, values[i]->text.size);
    }
    *end++ = keys != NULL ? '}' : ']';
    *end = '\0';
    return text;
}

/* ret: gets the parts, too. */
static struct code *compose(const struct expr_env *env, struct source source,
                            const char *const *keys, const size_t *key_lens,
                            weir_expression *const *values, uint32_t count, weir_expression *ret)
{
    const struct code **codes = arena_alloc(env->arena, (count + 1) * sizeof *codes);
    struct code_key *names = arena_alloc(env->arena, (count + 1) * sizeof *names);
    ret->parts = arena_alloc(env->arena, (count + 1) * sizeof(weir_expression *));
    ret->keys = keys != NULL ? names : NULL;
    ret->part_count = count;
    if (codes == NULL || names == NULL || ret->parts == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        ret->parts[i] = values[i];
        codes[i] = values[i]->root;
        if (keys != NULL) {
            names[i].len = (uint32_t)key_lens[i];
            names[i].name = arena_copy(env->arena, keys[i], key_lens[i]);
            if (names[i].name == NULL) {
                return NULL;
            }
        }
    }
    return keys == NULL ? code_list(env->arena, source, codes, count)
                        : code_map(env->arena, env->symbols, source, names, codes, count);
}

static weir_expression *compile_parts(const struct expr_env *env, const char *const *keys,
                                      const size_t *key_lens, weir_expression *const *values,
                                      size_t count)
{
    const char *text = composed_text(env->arena, keys, key_lens, values, count);
    size_t len = text == NULL ? 0 : strlen(text);
    if (text == NULL || count >= UINT32_MAX || len >= UINT32_MAX) {
        return NULL;
    }
    struct source source = { text, 0, (uint32_t)len };
    struct faults faults;
    faults_init(&faults, env->arena);
    /* The parts have been judged; nothing new can fail, and nobody would be told. */
    struct compiler compiler = { env, &faults, env->arena, text, 1 };
    weir_expression *made = expression_of(env, text, len, NULL);
    if (made == NULL) {
        return NULL;
    }
    made->root = compile_made(&compiler,
                              compose(env, source, keys, key_lens, values, (uint32_t)count, made));
    return made->root == NULL ? NULL : made;
}

weir_expression *expr_compile_map(const struct expr_env *env, const char *const *keys,
                                  const size_t *key_lens, weir_expression *const *values,
                                  size_t count)
{
    static const char *const none[] = { NULL };
    return compile_parts(env, keys != NULL ? keys : none, key_lens, values, count);
}

weir_expression *expr_compile_list(const struct expr_env *env, weir_expression *const *values,
                                   size_t count)
{
    return compile_parts(env, NULL, NULL, values, count);
}

/* ---- types ------------------------------------------------------------------------------------- */

void expr_set_origin(weir_expression *expression, const void *origin)
{
    expression->origin = origin;
}

struct judge_report {
    const struct expr_judge *judge;
    const void *origin;
};

static void report_judged(void *self, bool is_warning, size_t from, size_t to, const char *message)
{
    const struct judge_report *report = self;
    report->judge->report(report->judge->self, report->origin, is_warning, from, to, message);
}

/* The text is read once more: what was found then is found again, at the same place. */
static const weir_type *judge_text(const struct expr_judge *judge,
                                   const weir_expression *expression, const weir_type *value,
                                   const weir_type **ret_where)
{
    struct arena scratch;
    struct faults faults;
    const weir_type *type = &type_any;
    const char *text = expression->text.data;
    uint32_t len = (uint32_t)expression->text.size;
    arena_init(&scratch, 0);
    faults_init(&faults, &scratch);
    struct tree *tree = parse_expression(&scratch, &scratch, &faults, text, len);
    if (tree != NULL) {
        struct checker checker = { .env = judge->env,
                                   .faults = &faults,
                                   .arena = &scratch,
                                   .text = text,
                                   .room = judge->room,
                                   .value = value };
        check_tree(&checker, tree);
        if (faults.error_count == 0 && judge->wanted != 0) {
            check_wanted(&checker, tree, judge->wanted, judge->taker, "");
        }
        if (faults.error_count == 0) {
            type = checker_type(&checker, tree);
            checker_assume(&checker, tree, true);
            *ret_where = checker.value;
        }
    }
    struct judge_report report = { judge, expression->origin };
    struct expr_reporter reporter = { report_judged, &report };
    bool is_right = faults_deliver(&faults, &reporter, len);
    arena_deinit(&scratch);
    return is_right ? type : &type_any;
}

/* What YAML has built has no place of its own: the first scalar in it stands for it. */
static void judge_built(const struct expr_judge *judge, const weir_expression *built)
{
    const char *found = built->keys != NULL ? "map" : "list";
    uint32_t kind = built->keys != NULL ? KIND_MAP : KIND_LIST;
    const weir_expression *first = built;
    while (first->part_count > 0) {
        first = first->parts[0];
    }
    if (judge->wanted != 0 && (judge->wanted & kind) == 0) {
        char message[KINDS_ROOM + 128];
        char kinds[KINDS_ROOM];
        snprintf(message, sizeof message, "%s takes %s, not %s", judge->taker,
                 kinds_text(judge->wanted, kinds), found);
        judge->report(judge->self, first->origin, false, 0, first->text.size, message);
    }
}

static const weir_type *judge_parts(const struct expr_judge *whole,
                                    const weir_expression *expression, const weir_type *value)
{
    struct expr_judge part = *whole;
    const struct expr_judge *judge = &part;
    part.wanted = 0;
    judge_built(whole, expression);
    uint32_t count = expression->part_count;
    const weir_type *items = NULL;
    struct type_member *members =
        arena_zeroed(judge->room->arena, ((size_t)count + 1) * sizeof *members);
    for (uint32_t i = 0; i < count; i++) {
        const weir_type *type = expr_judge(judge, expression->parts[i], value, NULL);
        items = items == NULL ? type : type_join(judge->room, items, type);
        if (expression->keys != NULL && members != NULL) {
            members[i] =
                (struct type_member){ expression->keys[i].name, expression->keys[i].len, type };
        }
    }
    if (members == NULL) {
        return &type_any;
    }
    return expression->keys != NULL ? type_map(judge->room, members, count, NULL,
                                               "is not in the map that is written there")
                                    : type_list(judge->room, items != NULL ? items : &type_any);
}

const weir_type *expr_judge(const struct expr_judge *judge, const weir_expression *expression,
                            const weir_type *value, const weir_type **ret_where)
{
    const weir_type *where = value;
    const weir_type *type = expression->parts != NULL
                                ? judge_parts(judge, expression, value)
                                : judge_text(judge, expression, value, &where);
    if (ret_where != NULL) {
        *ret_where = where;
    }
    return type;
}

/* ---- questions --------------------------------------------------------------------------------- */

const weir_value *expr_constant(const weir_expression *expression)
{
    return expression->root->constant;
}

weir_text expr_text(const weir_expression *expression)
{
    return expression->text;
}

weir_target *expr_last_name(const struct expr_env *env, const weir_expression *expression)
{
    if (expression->last_name == NULL) {
        return NULL;
    }
    weir_target *target = arena_zeroed(env->arena, sizeof *target);
    weir_target_step *step = arena_zeroed(env->arena, sizeof *step);
    char *name = arena_copy(env->arena, expression->last_name, expression->last_name_len);
    if (target == NULL || step == NULL || name == NULL) {
        return NULL;
    }
    step->name = name;
    step->name_len = expression->last_name_len;
    step->symbol = symbols_intern(env->symbols, name, step->name_len);
    *target = (weir_target){ sizeof *target, 1, step, { name, step->name_len } };
    return target;
}

/* ---- evaluation -------------------------------------------------------------------------------- */

int64_t expr_evaluate(weir_context *ctx, const weir_expression *expression,
                      const weir_entry *entries, uint32_t count, weir_value *out)
{
    struct evaluation evaluation = { ctx, WEIR_OK, UINT64_MAX };
    struct frame frame = { .evaluation = &evaluation,
                           .width = count < FRAME_LANES ? count : FRAME_LANES };
    int64_t failed = 0;
    for (uint32_t start = 0; start < count; start += FRAME_LANES) {
        uint32_t lanes = count - start < FRAME_LANES ? count - start : FRAME_LANES;
        frame.entries = entries + start;
        failed += code_run_lanes(&frame, expression->root, lanes_first(lanes), out + start);
        if (evaluation.status != WEIR_OK) {
            return evaluation.status;
        }
    }
    return failed;
}
