/* SPDX-License-Identifier: MIT */
/*
 * Calls: finds functions by name through the environment, knows the forms of the language, compares
 * arguments with signatures.
 */
#include <ctype.h>
#include <string.h>

#include "base/nearest.h"
#include "base/utf8.h"
#include "expr/checker.h"
#include "expr/kinds.h"
#include "expr/signature.h"

static const struct expr_function *find(const struct checker *checker, const char *name, size_t len)
{
    const struct expr_env *env = checker->env;
    return env->find_function == NULL ? NULL : env->find_function(env->self, name, len);
}

static bool is_known(const struct checker *checker, const char *name, size_t len)
{
    return form_by_name(name, len) != FORM_NONE || find(checker, name, len) != NULL;
}

static void check_arguments(struct checker *checker, struct tree *call)
{
    for (uint32_t i = 0; i < call->count; i++) {
        check_tree(checker, call->operands[i]);
    }
}

/* ---- unknown functions ----------------------------------------------------------------------- */

static void report_method(struct checker *checker, struct tree *call)
{
    char name[EXCERPT_ROOM];
    char receiver[EXCERPT_ROOM];
    char args[EXCERPT_ROOM];
    excerpt(checker->text, call->method_from, call->method_to, name);
    excerpt(checker->text, call->from, call->receiver_to, receiver);
    excerpt(checker->text, call->args_from, call->args_to, args);
    faults_error(checker->faults, call->from, call->to, "there are no methods; write %s(%s%s%s)",
                 name, receiver, call->count > 0 ? ", " : "", args);
    check_bad(call);
}

/* The name in lower case, if that is a function; in the arena. */
static const char *in_lower_case(const struct checker *checker, const struct tree *call)
{
    char *lower = arena_copy(checker->arena, call->name, call->name_len);
    if (lower == NULL) {
        faults_no_memory(checker->faults);
        return NULL;
    }
    for (uint32_t i = 0; i < call->name_len; i++) {
        lower[i] = (char)tolower((unsigned char)lower[i]);
    }
    return is_known(checker, lower, call->name_len) ? lower : NULL;
}

static const char *nearest_function(const struct checker *checker, const struct tree *call)
{
    struct nearest search;
    nearest_start(&search, call->name, call->name_len);
    for (int i = FORM_HAS; i <= FORM_ALL; i++) {
        nearest_offer(&search, form_name((enum form)i));
    }
    if (checker->env->offer_functions != NULL) {
        checker->env->offer_functions(checker->env->self, &search);
    }
    return nearest_found(&search);
}

static void report_unknown(struct checker *checker, struct tree *call)
{
    uint32_t method_len = call->method_to - call->method_from;
    if (call->receiver_to > 0 && is_known(checker, checker->text + call->method_from, method_len)) {
        report_method(checker, call);
        return;
    }
    const struct expr_env *env = checker->env;
    const char *why =
        env->why_not == NULL ? NULL : env->why_not(env->self, call->name, call->name_len);
    const char *meant = why != NULL ? NULL : in_lower_case(checker, call);
    if (meant == NULL && why == NULL) {
        meant = nearest_function(checker, call);
    }
    char room[EXCERPT_ROOM];
    excerpt(call->name, 0, call->name_len, room);
    uint32_t to = call->args_from > call->from ? call->args_from - 1 : call->to;
    while (to > call->from + 1 && strchr(" \t\r\n", checker->text[to - 1]) != NULL) {
        to--;
    }
    if (why != NULL) {
        faults_error(checker->faults, call->from, to, "%s", why);
    } else if (meant != NULL) {
        faults_error(checker->faults, call->from, to, "unknown function '%s'; did you mean '%s'?",
                     room, meant);
    } else {
        faults_error(checker->faults, call->from, to,
                     "unknown function '%s'; 'weir plugin list' shows what there is", room);
    }
    check_bad(call);
}

/* ---- functions ------------------------------------------------------------------------------- */

static void report_count(struct checker *checker, struct tree *call, uint32_t least, uint32_t most,
                         bool repeats)
{
    char takes[64];
    if (repeats) {
        snprintf(takes, sizeof takes, "at least %u argument%s", least, least == 1 ? "" : "s");
    } else if (least == most) {
        snprintf(takes, sizeof takes, "%u argument%s", most, most == 1 ? "" : "s");
    } else {
        snprintf(takes, sizeof takes, "%u %s %u arguments", least, most == least + 1 ? "or" : "to",
                 most);
    }
    faults_error(checker->faults, call->from, call->to, "%s() takes %s, not %u", call->name, takes,
                 call->count);
    check_bad(call);
}

void check_wanted(struct checker *checker, struct tree *tree, uint32_t wanted, const char *taker,
                  const char *as)
{
    if ((tree->kinds & wanted) != 0) {
        return;
    }
    char wanted_text[KINDS_ROOM];
    char given_text[KINDS_ROOM];
    char source[EXCERPT_ROOM];
    char advice[EXCERPT_ROOM + 32] = "";
    bool is_number = (tree->kinds & ~(uint32_t)KIND_NUM) == 0;
    bool is_text = (wanted & KIND_TEXT) != 0 && (wanted & (KIND_LIST | KIND_MAP | KIND_TIME)) == 0;
    if (is_number && is_text) {
        snprintf(advice, sizeof advice, "; write text(%s)",
                 excerpt(checker->text, tree->from, tree->to, source));
    }
    faults_error(checker->faults, tree->from, tree->to, "%s takes %s%s, not %s%s%s", taker,
                 kinds_text(wanted, wanted_text), as, kinds_text(tree->kinds, given_text),
                 checker_origin(checker, tree), advice);
    check_bad(tree);
}

static void check_argument(struct checker *checker, const struct tree *call, uint32_t i)
{
    char taker[160];
    char as[32];
    snprintf(taker, sizeof taker, "function '%s'", call->name);
    snprintf(as, sizeof as, " as argument %u", i + 1);
    check_wanted(checker, call->operands[i], signature_kinds(call->signature, i), taker, as);
}

static void check_function(struct checker *checker, struct tree *call)
{
    check_arguments(checker, call);
    call->function = find(checker, call->name, call->name_len);
    if (call->function == NULL) {
        report_unknown(checker, call);
        return;
    }
    struct signature *signature = arena_alloc(checker->arena, sizeof *signature);
    if (signature == NULL) {
        faults_no_memory(checker->faults);
        check_bad(call);
        return;
    }
    const char *fault = NULL;
    if (!signature_parse(call->function->vtable->signature, signature, &fault)) {
        faults_error(checker->faults, call->from, call->to,
                     "function '%s' cannot be used: its plugin gives a wrong signature (%s)",
                     call->name, fault);
        check_bad(call);
        return;
    }
    call->signature = signature;
    if (!signature_takes(signature, call->count)) {
        report_count(checker, call, signature->required, signature->count, signature->repeats);
        return;
    }
    for (uint32_t i = 0; i < call->count; i++) {
        check_argument(checker, call, i);
    }
    call->kinds = signature->result;
}

/* ---- forms ----------------------------------------------------------------------------------- */

static void check_has(struct checker *checker, struct tree *call)
{
    for (uint32_t i = 0; i < call->count; i++) {
        check_forgiven(checker, call->operands[i]);
    }
    if (call->count == 0) {
        report_count(checker, call, 1, 1, true);
        return;
    }
    for (uint32_t i = 0; i < call->count; i++) {
        const struct tree *arg = call->operands[i];
        char room[EXCERPT_ROOM];
        if (tree_is_postfix(arg) || arg->is_bad) {
            continue;
        }
        excerpt(checker->text, arg->from, arg->to, room);
        bool is_text = arg->kind == TREE_LITERAL && arg->value.tag == WEIR_TEXT;
        faults_error(checker->faults, arg->from, arg->to, "has() takes fields, not %s%s%s%s",
                     is_text ? "a text" : "a computed value", is_text ? "; write $value[" : "",
                     is_text ? room : "", is_text ? "] or the bare name" : "");
        call->is_bad = true;
    }
    call->kinds = KIND_BOOL;
}

/* env() is read once, here: the call becomes a literal. */
static void become_literal(struct checker *checker, struct tree *call, const char *text)
{
    size_t len = strlen(text);
    char *copy = arena_copy(checker->env->arena, text, len);
    if (copy == NULL) {
        faults_no_memory(checker->faults);
        check_bad(call);
        return;
    }
    if (len > UINT32_MAX || utf8_valid_prefix(text, len) < len) {
        faults_error(checker->faults, call->from, call->to,
                     "the environment variable is not UTF-8 text");
        check_bad(call);
        return;
    }
    call->kind = TREE_LITERAL;
    call->count = 0;
    call->value = weir_text_value(copy, (uint32_t)len);
    call->kinds = KIND_TEXT;
}

static void check_env(struct checker *checker, struct tree *call)
{
    check_arguments(checker, call);
    if (call->count < 1 || call->count > 2) {
        report_count(checker, call, 1, 2, false);
        return;
    }
    const struct tree *name = call->operands[0];
    if (name->kind != TREE_LITERAL || name->value.tag != WEIR_TEXT || name->is_bad) {
        if (!name->is_bad) {
            faults_error(checker->faults, name->from, name->to,
                         "env() takes the variable's name as a text literal: env(\"NAME\")");
        }
        check_bad(call);
        return;
    }
    const char *c_name = arena_copy(checker->arena, name->value.as.text, name->value.len);
    const char *value = c_name == NULL || checker->env->get_env == NULL
                            ? NULL
                            : checker->env->get_env(checker->env->self, c_name);
    if (value != NULL) {
        become_literal(checker, call, value);
    } else if (call->count == 2) {
        struct tree fallback = *call->operands[1];
        *call = fallback;
    } else {
        char room[EXCERPT_ROOM];
        excerpt(checker->text, name->from + 1, name->to - 1, room);
        faults_error(checker->faults, call->from, call->to,
                     "the environment variable '%s' is not set; set it, or give a default: "
                     "env(\"%s\", \"...\")",
                     room, room);
        check_bad(call);
    }
}

static void check_try(struct checker *checker, struct tree *call)
{
    check_arguments(checker, call);
    if (call->count != 2) {
        report_count(checker, call, 2, 2, false);
        return;
    }
    call->kinds = call->operands[0]->kinds | call->operands[1]->kinds;
    if (checker->room != NULL) {
        call->type = type_join(checker->room, checker_type(checker, call->operands[0]),
                               checker_type(checker, call->operands[1]));
    }
}

/* map, filter, any, all: the second argument sees an item of the first. */
static void check_items(struct checker *checker, struct tree *call)
{
    const weir_type *outer = checker->item;
    for (uint32_t i = 0; i < call->count; i++) {
        checker->item_depth += i == 1 ? 1 : 0;
        if (i == 1 && checker->room != NULL) {
            checker->item = type_items(checker->room, checker_type(checker, call->operands[0]));
        }
        check_tree(checker, call->operands[i]);
        checker->item_depth -= i == 1 ? 1 : 0;
    }
    checker->item = outer;
    if (call->count != 2) {
        report_count(checker, call, 2, 2, false);
        return;
    }
    struct tree *list = call->operands[0];
    char room[KINDS_ROOM];
    if ((list->kinds & KIND_LIST) == 0) {
        faults_error(checker->faults, list->from, list->to, "%s() takes a list, not %s%s",
                     call->name, kinds_text(list->kinds, room), checker_origin(checker, list));
        check_bad(list);
    }
    bool is_list = call->form == FORM_MAP || call->form == FORM_FILTER;
    call->kinds = is_list ? KIND_LIST : KIND_BOOL;
    if (call->form == FORM_MAP && checker->room != NULL) {
        call->type = type_list(checker->room, checker_type(checker, call->operands[1]));
    } else if (call->form == FORM_FILTER && checker->room != NULL) {
        call->type =
            type_list(checker->room, type_items(checker->room, checker_type(checker, list)));
    }
}

void check_call(struct checker *checker, struct tree *call)
{
    if (call->is_method) {
        check_arguments(checker, call);
        report_method(checker, call);
        return;
    }
    call->form = form_by_name(call->name, call->name_len);
    switch (call->form) {
    case FORM_NONE:
        check_function(checker, call);
        break;
    case FORM_HAS:
        check_has(checker, call);
        break;
    case FORM_ENV:
        check_env(checker, call);
        break;
    case FORM_TRY:
        check_try(checker, call);
        break;
    default:
        check_items(checker, call);
        break;
    }
}
