/* SPDX-License-Identifier: MIT */
/*
 * What stands behind a value and belongs to it: members, indexes, slices, and the arguments of a call.
 */
#include <string.h>

#include "expr/parse_state.h"

/* The node as a path that can take another step; `$value` and no base are the same. */
static struct tree *as_path(struct parser *parser, struct tree *base)
{
    if (base->kind == TREE_PATH) {
        return base;
    }
    struct tree *path = parse_node(parser, TREE_PATH, base->from);
    if (path != NULL) {
        bool is_value = base->kind == TREE_RECORD_NAME && base->record_name == RECORD_VALUE;
        path->base = is_value ? NULL : base;
        path->to = base->to;
    }
    return path;
}

static struct tree *parse_member(struct parser *parser, struct tree *base)
{
    struct tree *path = as_path(parser, base);
    parse_advance(parser);
    struct token token = parser->token;
    if (path == NULL || parser->is_failed) {
        return NULL;
    }
    if (token.kind == TOKEN_LITERAL) {
        return parse_unexpected(parser, "a name behind '.' ([...] for an index)");
    }
    if (token.kind != TOKEN_NAME && !token_is_keyword(&token)) {
        return parse_unexpected(parser, "a name behind '.'");
    }
    struct tree_step step = { .kind = STEP_MEMBER, .is_dotted = true };
    step.from = token.from;
    step.to = token.to;
    if (!parse_keep_name(parser, &token, &step.name, &step.name_len)) {
        return NULL;
    }
    parse_advance(parser);
    path->is_enclosed = false;
    return parse_append_step(parser, path, &step) ? path : NULL;
}

/* Between the brackets of an index or slice. */
static bool parse_bounds(struct parser *parser, struct tree_step *step)
{
    if (!parse_is_at(parser, TOKEN_COLON)) {
        step->low = parse_any(parser);
        if (step->low == NULL) {
            return false;
        }
    }
    if (!parse_accept(parser, TOKEN_COLON)) {
        return true;
    }
    step->kind = STEP_SLICE;
    if (!parse_is_at(parser, TOKEN_CLOSE_LIST)) {
        step->high = parse_any(parser);
        return step->high != NULL;
    }
    return true;
}

static struct tree *parse_index(struct parser *parser, struct tree *base)
{
    struct tree *path = as_path(parser, base);
    struct tree_step step = { .kind = STEP_INDEX, .from = parser->token.from };
    if (path == NULL || !parse_enter(parser)) {
        return NULL;
    }
    parse_advance(parser);
    if (!parse_bounds(parser, &step)) {
        return NULL;
    }
    parse_leave(parser);
    if (!parse_expect(parser, TOKEN_CLOSE_LIST, "']'")) {
        return NULL;
    }
    step.to = parser->read_to;
    const struct tree *low = step.low;
    if (step.kind == STEP_INDEX && low->kind == TREE_LITERAL && low->value.tag == WEIR_TEXT) {
        step.kind = STEP_MEMBER;
        step.name = low->value.as.text;
        step.name_len = low->value.len;
        path->is_bad |= low->is_bad;
    }
    path->is_enclosed = false;
    return parse_append_step(parser, path, &step) ? path : NULL;
}

/* True for `name`, `a.b.name`: what may stand before the parenthesis of a call. */
static bool is_function_name(const struct tree *tree)
{
    if (tree->kind != TREE_PATH || tree->base != NULL || tree->is_enclosed ||
        tree->steps[0].from != tree->from) {
        return false;
    }
    for (uint32_t i = 0; i < tree->step_count; i++) {
        if (!tree->steps[i].is_dotted) {
            return false;
        }
    }
    return true;
}

/* The words of the path, joined by dots. */
static bool name_call(struct parser *parser, struct tree *call, const struct tree *path)
{
    size_t len = path->step_count - 1;
    for (uint32_t i = 0; i < path->step_count; i++) {
        len += path->steps[i].name_len;
    }
    char *name = arena_alloc(parser->arena, len + 1);
    if (name == NULL) {
        parse_no_memory(parser);
        return false;
    }
    call->name = name;
    call->name_len = (uint32_t)len;
    for (uint32_t i = 0; i < path->step_count; i++) {
        memcpy(name, path->steps[i].name, path->steps[i].name_len);
        name += path->steps[i].name_len;
        *name++ = i + 1 < path->step_count ? '.' : '\0';
    }
    return true;
}

/* End of what stands before the dot that leads to `at`. */
static uint32_t before_dot(const struct parser *parser, uint32_t at)
{
    const char *text = parse_source(parser);
    while (at > 0 && text[at - 1] != '.') {
        at--;
    }
    while (at > 1 && strchr(" \t\r\n.", text[at - 1]) != NULL) {
        at--;
    }
    return at;
}

static struct tree *parse_call(struct parser *parser, struct tree *callee)
{
    bool is_name = is_function_name(callee);
    bool is_method = !is_name && callee->kind == TREE_PATH && !callee->is_enclosed &&
                     callee->steps[callee->step_count - 1].is_dotted;
    if (!is_name && !is_method) {
        parser->is_failed = true;
        faults_error(parser->faults, parser->token.from, parser->token.to,
                     "only a function's name can stand before '('");
        return NULL;
    }
    struct tree *call = parse_node(parser, TREE_CALL, callee->from);
    if (call == NULL || (is_name && !name_call(parser, call, callee))) {
        return NULL;
    }
    parse_advance(parser);
    call->args_from = parser->read_to;
    if (parse_items(parser, call, TOKEN_CLOSE, "',' or ')'") == NULL) {
        return NULL;
    }
    if (is_method || callee->step_count > 1) {
        const struct tree_step *last = &callee->steps[callee->step_count - 1];
        call->is_method = is_method;
        call->receiver_to = before_dot(parser, last->from);
        call->method_from = last->from;
        call->method_to = last->to;
    }
    return call;
}

struct tree *parse_postfix(struct parser *parser)
{
    struct tree *tree = parse_primary(parser);
    while (tree != NULL && !parser->is_failed) {
        switch (parser->token.kind) {
        case TOKEN_DOT:
            tree = parse_member(parser, tree);
            break;
        case TOKEN_OPEN_LIST:
            tree = parse_index(parser, tree);
            break;
        case TOKEN_OPEN:
            tree = parse_call(parser, tree);
            break;
        default:
            return tree;
        }
    }
    return NULL;
}
