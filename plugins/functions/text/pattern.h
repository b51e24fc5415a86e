/* SPDX-License-Identifier: MIT */
/*
 * Regular expressions for the lanes of one call: PCRE2 on UTF-8, with a limit on the steps of a
 * match. An expression that is a literal is compiled once, when the pipeline is built; another one
 * when it differs from that of the lane before.
 */
#ifndef FUNCTIONS_PATTERN_H
#define FUNCTIONS_PATTERN_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "support/lane.h"

/* A prepare and a release for functions whose second argument is a regular expression. */
weir_status regex_prepare(const weir_host *host, const weir_value *const *literals, uint32_t count,
                          void **ret_state, weir_error_info *fault);
void regex_release(void *state);

/*
 * code      of the lane at hand; groups of its last match in `data`
 * own       compiled for this call, else NULL
 */
struct regex {
    const char *function;
    const pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *context;
    pcre2_code *own;
    weir_value own_text;
};

weir_status regex_open(struct regex *regex, const weir_call *call, const char *function);
void regex_close(struct regex *regex);

/* Takes the lane's expression: sets code and data, or fails the lane. */
weir_status regex_take(struct regex *regex, weir_call *call, uint32_t lane);
/* Number of groups of the first match, the whole one counted; 0: no match. Or fails the lane. */
weir_status regex_match(struct regex *regex, weir_call *call, uint32_t lane, const weir_value *text,
                        uint32_t *ret_groups);
/* What group `n` of the last match holds: a part of `text`, null where it took no part. */
weir_value regex_group(const struct regex *regex, const weir_value *text, uint32_t groups,
                       uint32_t n);
/* Fails the lane with the library's reason. */
weir_status regex_fail(const struct regex *regex, weir_call *call, uint32_t lane, int code);
uint32_t regex_group_count(const struct regex *regex);

#endif
