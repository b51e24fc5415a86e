/* SPDX-License-Identifier: MIT */
/*
 * Targets: where a step writes (`a.b[0]`, `$value`). A small grammar over the words of expressions.
 */
#include <inttypes.h>
#include <string.h>

#include "expr/expr.h"
#include "expr/fault_list.h"
#include "expr/lexer.h"
#include "expr/tree.h"
#include "value/symbols.h"

/* Deeper than any value is decoded. */
enum { EXPRESSION_MAX_STEPS = 200 };

struct target_parser {
    const struct expr_env *env;
    struct faults *faults;
    struct arena *scratch;
    struct lexer lexer;
    struct token token;
    weir_target_step *steps;
    uint32_t count;
};

static bool advance(struct target_parser *parser)
{
    return lexer_next(&parser->lexer, &parser->token);
}

static bool fail_at(struct target_parser *parser, const char *fault)
{
    faults_error(parser->faults, parser->token.from, parser->token.to, "%s", fault);
    return false;
}

/* ---- steps ------------------------------------------------------------------------------------- */

static bool append(struct target_parser *parser, const weir_target_step *step)
{
    weir_target_step *grown =
        tree_grow(parser->scratch, parser->steps, parser->count, sizeof *grown);
    if (grown == NULL) {
        faults_no_memory(parser->faults);
        return false;
    }
    grown[parser->count++] = *step;
    parser->steps = grown;
    return true;
}

static bool append_name(struct target_parser *parser, const char *name, uint32_t len)
{
    weir_target_step step = { .name_len = len };
    step.name = arena_copy(parser->env->arena, name, len);
    if (step.name == NULL) {
        faults_no_memory(parser->faults);
        return false;
    }
    step.symbol = symbols_intern(parser->env->symbols, step.name, len);
    return append(parser, &step);
}

static bool append_token(struct target_parser *parser)
{
    const struct token *token = &parser->token;
    return append_name(parser, parser->lexer.text + token->from, token->to - token->from);
}

/* Behind '.': a word. */
static bool parse_word(struct target_parser *parser)
{
    if (!advance(parser)) {
        return false;
    }
    if (parser->token.kind != TOKEN_NAME && !token_is_keyword(&parser->token)) {
        return fail_at(parser, "a name is expected behind '.'");
    }
    return append_token(parser) && advance(parser);
}

/* An index, with a minus read before it or not. */
static bool append_index(struct target_parser *parser, bool is_negative)
{
    const struct token *token = &parser->token;
    weir_target_step step = { .name = NULL, .symbol = WEIR_SYMBOL_NONE };
    if (token->kind != TOKEN_LITERAL || token->value.tag != WEIR_INT ||
        (token->is_least_int && !is_negative)) {
        return token->is_bad ? false
                             : fail_at(parser, "a text or an int is expected inside the brackets "
                                               "of a target");
    }
    step.index = is_negative && !token->is_least_int ? -token->value.as.i64 : token->value.as.i64;
    return append(parser, &step);
}

static bool parse_brackets(struct target_parser *parser)
{
    if (!advance(parser)) {
        return false;
    }
    bool is_negative = parser->token.kind == TOKEN_MINUS;
    if (is_negative && !advance(parser)) {
        return false;
    }
    const struct token *token = &parser->token;
    if (token->is_bad) {
        return false;
    }
    bool is_right = token->kind == TOKEN_TEXT && !is_negative
                        ? append_name(parser, token->value.as.text, token->value.len)
                        : append_index(parser, is_negative);
    if (!is_right || !advance(parser)) {
        return false;
    }
    if (parser->token.kind != TOKEN_CLOSE_LIST) {
        return fail_at(parser, "']' is expected; a target has one text or int in its brackets");
    }
    return advance(parser);
}

/* ---- the beginning ----------------------------------------------------------------------------- */

static bool report_record_name(struct target_parser *parser)
{
    static const struct {
        const char *name;
        const char *cure;
    } known[] = {
        { "$key", "write 'key: EXPRESSION' beside a source, or beside {topic: NAME} under 'to'" },
        { "$timestamp", "write 'event_time: EXPRESSION' at a topic or beside a source" },
        { "$headers", "headers go on as they came" },
    };
    char room[EXCERPT_ROOM];
    excerpt(parser->lexer.text, parser->token.from, parser->token.to, room);
    const char *cure = "only fields and $value are written to";
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        cure = strcmp(room, known[i].name) == 0 ? known[i].cure : cure;
    }
    faults_error(parser->faults, parser->token.from, parser->token.to,
                 "'%s' cannot be written to; %s", room, cure);
    return false;
}

static bool parse_first(struct target_parser *parser)
{
    const struct token *token = &parser->token;
    uint32_t len = token->to - token->from;
    const char *word = parser->lexer.text + token->from;
    char room[EXCERPT_ROOM];
    if (token->kind == TOKEN_NAME) {
        return append_token(parser) && advance(parser);
    }
    if (token->kind == TOKEN_RECORD_NAME) {
        bool is_value = weir_same_bytes(word, len, "$value", 6);
        return is_value ? advance(parser) : report_record_name(parser);
    }
    if (token_is_keyword(token)) {
        excerpt(parser->lexer.text, token->from, token->to, room);
        faults_error(parser->faults, token->from, token->to,
                     "'%s' is a keyword; write $value.%s for the field", room, room);
        return false;
    }
    return fail_at(parser, token->kind == TOKEN_END
                               ? "the target is empty; write a field, or $value for the whole"
                               : "a target begins with a field's name or $value");
}

static bool parse(struct target_parser *parser)
{
    if (!advance(parser) || !parse_first(parser)) {
        return false;
    }
    while (parser->token.kind != TOKEN_END) {
        if (parser->token.kind == TOKEN_DOT) {
            if (!parse_word(parser)) {
                return false;
            }
        } else if (parser->token.kind == TOKEN_OPEN_LIST) {
            if (!parse_brackets(parser)) {
                return false;
            }
        } else {
            return fail_at(parser, "a target is a path: names, '.' and [...]; a field with another "
                                   "name is $value[\"...\"]");
        }
        if (parser->count > EXPRESSION_MAX_STEPS) {
            return fail_at(parser, "the target has more than 200 steps");
        }
    }
    return true;
}

static weir_target *finish(struct target_parser *parser, const char *text, size_t len)
{
    weir_target *target = arena_zeroed(parser->env->arena, sizeof *target);
    weir_target_step *steps = arena_alloc(parser->env->arena, (parser->count + 1) * sizeof *steps);
    if (target == NULL || steps == NULL) {
        faults_no_memory(parser->faults);
        return NULL;
    }
    if (parser->count > 0) {
        memcpy(steps, parser->steps, parser->count * sizeof *steps);
    }
    *target = (weir_target){ sizeof *target, parser->count, steps, { text, len } };
    return target;
}

weir_target *target_compile(const struct expr_env *env, const char *text, size_t len,
                            const struct expr_reporter *reporter)
{
    struct arena scratch;
    struct faults faults;
    weir_target *target = NULL;
    arena_init(&scratch, 0);
    faults_init(&faults, &scratch);
    if (lexer_accepts(text, len, &faults)) {
        const char *copy = arena_copy(env->arena, text, len);
        struct target_parser parser = { .env = env, .faults = &faults, .scratch = &scratch };
        parser.lexer = (struct lexer){ copy, (uint32_t)len, 0, env->arena, &faults };
        if (copy == NULL) {
            faults_no_memory(&faults);
        } else if (parse(&parser)) {
            target = finish(&parser, copy, len);
        }
    }
    uint32_t end = len < UINT32_MAX ? (uint32_t)len : UINT32_MAX;
    bool is_right = faults_deliver(&faults, reporter, end);
    arena_deinit(&scratch);
    return is_right ? target : NULL;
}
