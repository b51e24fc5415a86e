/* SPDX-License-Identifier: MIT */
#include "pattern.h"

#include <string.h>

/* Steps of one match; an expression that needs more is almost always a trap for itself. */
enum { MATCH_LIMIT = 1000000 };

static pcre2_code *compile(const weir_value *text, int *ret_code, size_t *ret_at)
{
    const char *pattern = text->len > 0 ? text->as.text : "";
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern, text->len,
                                     PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C, ret_code, ret_at, NULL);
    if (code != NULL) {
        (void)pcre2_jit_compile(code, PCRE2_JIT_COMPLETE); /* slower without, but the same */
    }
    return code;
}

static void reason(int code, char room[120])
{
    if (pcre2_get_error_message(code, (PCRE2_UCHAR *)room, 120) < 0) {
        snprintf(room, 120, "error %d of the library", code);
    }
}

#define WRONG_PATTERN "the regular expression %s is wrong at byte %zu: %s"

weir_status regex_prepare(const weir_host *host, const weir_value *const *literals, uint32_t count,
                          void **ret_state, weir_error_info *fault)
{
    if (count < 2 || literals[1] == NULL || literals[1]->tag != WEIR_TEXT) {
        return WEIR_OK;
    }
    int error;
    size_t at;
    pcre2_code *code = compile(literals[1], &error, &at);
    if (code == NULL) {
        char why[120];
        reason(error, why);
        return lane_prepare_fault(host, fault, 1, WRONG_PATTERN, lane_excerpt(literals[1]).text, at,
                                  why);
    }
    *ret_state = code;
    return WEIR_OK;
}

void regex_release(void *state)
{
    pcre2_code_free(state);
}

weir_status regex_open(struct regex *regex, const weir_call *call, const char *function)
{
    *regex = (struct regex){ .function = function, .code = call->state };
    regex->context = pcre2_match_context_create(NULL);
    if (regex->context == NULL) {
        return WEIR_E_NOMEM;
    }
    pcre2_set_match_limit(regex->context, MATCH_LIMIT);
    if (regex->code != NULL) {
        regex->data = pcre2_match_data_create_from_pattern(regex->code, NULL);
        if (regex->data == NULL) {
            regex_close(regex);
            return WEIR_E_NOMEM;
        }
    }
    return WEIR_OK;
}

static void forget_own(struct regex *regex)
{
    pcre2_match_data_free(regex->data);
    pcre2_code_free(regex->own);
    regex->data = NULL;
    regex->own = NULL;
    regex->code = NULL;
}

void regex_close(struct regex *regex)
{
    forget_own(regex);
    pcre2_match_context_free(regex->context);
}

weir_status regex_take(struct regex *regex, weir_call *call, uint32_t lane)
{
    if (call->state != NULL) {
        return WEIR_OK;
    }
    const weir_value *text = lane_arg(call, 1, lane);
    if (regex->own != NULL &&
        weir_same_bytes(text->as.text, text->len, regex->own_text.as.text, regex->own_text.len)) {
        return WEIR_OK;
    }
    forget_own(regex);
    int error;
    size_t at;
    regex->own = compile(text, &error, &at);
    if (regex->own == NULL) {
        char why[120];
        reason(error, why);
        return lane_fail(call, lane, "%s: " WRONG_PATTERN, regex->function, lane_excerpt(text).text,
                         at, why);
    }
    regex->code = regex->own;
    regex->own_text = *text;
    regex->data = pcre2_match_data_create_from_pattern(regex->code, NULL);
    return regex->data != NULL ? WEIR_OK : WEIR_E_NOMEM;
}

weir_status regex_fail(const struct regex *regex, weir_call *call, uint32_t lane, int code)
{
    if (code == PCRE2_ERROR_NOMEMORY) {
        return WEIR_E_NOMEM;
    }
    struct lane_excerpt text = lane_excerpt(lane_arg(call, 0, lane));
    if (code == PCRE2_ERROR_MATCHLIMIT || code == PCRE2_ERROR_DEPTHLIMIT ||
        code == PCRE2_ERROR_HEAPLIMIT) {
        return lane_fail(call, lane,
                         "%s: gave up on %s after %d steps; make the regular expression simpler",
                         regex->function, text.text, MATCH_LIMIT);
    }
    char why[120];
    reason(code, why);
    return lane_fail(call, lane, "%s: cannot apply the regular expression to %s: %s",
                     regex->function, text.text, why);
}

weir_status regex_match(struct regex *regex, weir_call *call, uint32_t lane, const weir_value *text,
                        uint32_t *ret_groups)
{
    PCRE2_SPTR subject = (PCRE2_SPTR)(text->len > 0 ? text->as.text : "");
    uint32_t options = PCRE2_NO_UTF_CHECK; /* values hold valid text */
    int found =
        pcre2_match(regex->code, subject, text->len, 0, options, regex->data, regex->context);
    if (found == PCRE2_ERROR_JIT_STACKLIMIT) { /* the interpreter has its frames on the heap */
        found = pcre2_match(regex->code, subject, text->len, 0, options | PCRE2_NO_JIT, regex->data,
                            regex->context);
    }
    if (found < 0 && found != PCRE2_ERROR_NOMATCH) {
        return regex_fail(regex, call, lane, found);
    }
    *ret_groups = found > 0 ? (uint32_t)found : 0;
    return WEIR_OK;
}

weir_value regex_group(const struct regex *regex, const weir_value *text, uint32_t groups,
                       uint32_t n)
{
    const size_t *ends = pcre2_get_ovector_pointer(regex->data);
    if (n >= groups || ends[2 * n] == PCRE2_UNSET) {
        return weir_null();
    }
    return weir_text_value(text->as.text + ends[2 * n], (uint32_t)(ends[2 * n + 1] - ends[2 * n]));
}

uint32_t regex_group_count(const struct regex *regex)
{
    uint32_t count = 0;
    (void)pcre2_pattern_info(regex->code, PCRE2_INFO_CAPTURECOUNT, &count);
    return count;
}
