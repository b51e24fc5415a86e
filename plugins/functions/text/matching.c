/* SPDX-License-Identifier: MIT */
/*
 * matches, extract, capture, replace_all: the functions over regular expressions.
 */
#include "pattern.h"
#include "text_functions.h"

#include <string.h>

typedef weir_status regex_function(struct regex *regex, weir_call *call, uint32_t lane,
                                   weir_value *ret);

static weir_status each_lane(struct regex *regex, weir_call *call, regex_function *compute)
{
    for (uint32_t lane = 0; lane < call->count; lane++) {
        weir_status st = regex_take(regex, call, lane);
        weir_value result = weir_null();
        if (st == WEIR_OK) {
            st = compute(regex, call, lane, &result);
        }
        if (st == WEIR_OK) {
            call->results[lane] = result;
        } else if (st != WEIR_E_DATA) {
            return st;
        }
    }
    return WEIR_OK;
}

static weir_status with_regex(weir_call *call, const char *function, regex_function *compute)
{
    struct regex regex;
    weir_status st = regex_open(&regex, call, function);
    if (st == WEIR_OK) {
        st = each_lane(&regex, call, compute);
        regex_close(&regex);
    }
    return st;
}

static weir_status matches_lane(struct regex *regex, weir_call *call, uint32_t lane,
                                weir_value *ret)
{
    uint32_t groups;
    weir_status st = regex_match(regex, call, lane, lane_arg(call, 0, lane), &groups);
    if (st == WEIR_OK) {
        *ret = weir_bool(groups > 0);
    }
    return st;
}

static weir_status evaluate_matches(weir_call *call)
{
    return with_regex(call, "matches", matches_lane);
}

const weir_factory matches_function = {
    FUNCTION("matches", "Whether a regular expression matches somewhere in a text",
             "PCRE2 syntax. The match may lie anywhere; `^` and `$` tie it to the ends."),
    .vtable = FUNCTION_TABLE(.signature = "(text, text) bool",
                             .example = "matches(\"flight AA12\", \"[A-Z]{2}[0-9]+$\")",
                             .example_result = "true", .prepare = regex_prepare,
                             .release = regex_release, .evaluate = evaluate_matches),
};

static weir_status wanted_group(const struct regex *regex, weir_call *call, uint32_t lane,
                                uint32_t *ret)
{
    int64_t group = 0;
    if (call->arg_count > 2) {
        weir_status st = lane_int(call, lane, "extract", lane_arg(call, 2, lane), &group);
        if (st != WEIR_OK) {
            return st;
        }
    }
    uint32_t count = regex_group_count(regex);
    if (group < 0 || group > count) {
        return lane_fail(call, lane, "extract: the regular expression has no group %lld, only %u",
                         (long long)group, count);
    }
    *ret = (uint32_t)group;
    return WEIR_OK;
}

static weir_status extract_lane(struct regex *regex, weir_call *call, uint32_t lane,
                                weir_value *ret)
{
    const weir_value *text = lane_arg(call, 0, lane);
    uint32_t group = 0;
    uint32_t groups = 0;
    weir_status st = wanted_group(regex, call, lane, &group);
    if (st == WEIR_OK) {
        st = regex_match(regex, call, lane, text, &groups);
    }
    if (st == WEIR_OK) {
        *ret = regex_group(regex, text, groups, group);
    }
    return st;
}

static weir_status evaluate_extract(weir_call *call)
{
    return with_regex(call, "extract", extract_lane);
}

const weir_factory extract_function = {
    FUNCTION(
        "extract", "The part of a text that a regular expression matches",
        "The first match; null if there is none. `extract(x, regex, n)` gives the match's group "
        "`n`, null where the group took no part in it."),
    .vtable = FUNCTION_TABLE(.signature = "(text, text[, int]) text?",
                             .example = "extract(\"id=42;\", \"id=([0-9]+)\", 1)",
                             .example_result = "\"42\"", .prepare = regex_prepare,
                             .release = regex_release, .evaluate = evaluate_extract),
};

/* The names of the groups: entries of a number (two bytes, high first) and a NUL-terminated name. */
struct names {
    const unsigned char *table;
    uint32_t count;
    uint32_t entry_size;
};

static struct names group_names(const struct regex *regex)
{
    struct names names = { NULL, 0, 0 };
    (void)pcre2_pattern_info(regex->code, PCRE2_INFO_NAMECOUNT, &names.count);
    (void)pcre2_pattern_info(regex->code, PCRE2_INFO_NAMEENTRYSIZE, &names.entry_size);
    (void)pcre2_pattern_info(regex->code, PCRE2_INFO_NAMETABLE, &names.table);
    return names;
}

static uint32_t entry_group(const unsigned char *entry)
{
    return (uint32_t)entry[0] << 8 | entry[1];
}

/* How many names belong to groups before this one: the table is in the order of the alphabet. */
static uint32_t rank(const struct names *names, uint32_t group)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < names->count; i++) {
        before += entry_group(names->table + (size_t)i * names->entry_size) < group;
    }
    return before;
}

/* The table dies with an expression of this call, so the name is copied. */
static weir_status named_member(weir_call *call, const unsigned char *entry, weir_value value,
                                weir_member *ret)
{
    size_t len = strlen((const char *)entry + 2);
    char *key = weir_alloc(call->ctx, len);
    if (key == NULL) {
        return WEIR_E_NOMEM;
    }
    memcpy(key, entry + 2, len);
    *ret = (weir_member){ WEIR_SYMBOL_NONE, (uint32_t)len, key, value };
    return WEIR_OK;
}

static weir_status capture_lane(struct regex *regex, weir_call *call, uint32_t lane,
                                weir_value *ret)
{
    const weir_value *text = lane_arg(call, 0, lane);
    uint32_t groups = 0;
    weir_status st = regex_match(regex, call, lane, text, &groups);
    if (st != WEIR_OK || groups == 0) {
        return st;
    }
    struct names names = group_names(regex);
    weir_member *members;
    st = lane_members(call, names.count, &members);
    for (uint32_t i = 0; st == WEIR_OK && i < names.count; i++) {
        const unsigned char *entry = names.table + (size_t)i * names.entry_size;
        uint32_t group = entry_group(entry);
        st = named_member(call, entry, regex_group(regex, text, groups, group),
                          &members[rank(&names, group)]);
    }
    if (st == WEIR_OK) {
        *ret = weir_map_value(members, names.count);
    }
    return st;
}

static weir_status evaluate_capture(weir_call *call)
{
    return with_regex(call, "capture", capture_lane);
}

const weir_factory capture_function = {
    FUNCTION("capture", "The named groups of a regular expression's first match, as a map",
             "In the order of the groups; a group that took no part is null. No match gives null."),
    .vtable = FUNCTION_TABLE(.signature = "(text, text) map?",
                             .example = "capture(\"AA12\", \"(?<line>[A-Z]+)(?<number>[0-9]+)\")",
                             .example_result = "{\"line\":\"AA\",\"number\":\"12\"}",
                             .prepare = regex_prepare, .release = regex_release,
                             .evaluate = evaluate_capture),
};

/* One try with room for *len bytes; PCRE2_ERROR_NOMEMORY tells in *len how many it takes. */
static int substitute(const struct regex *regex, const weir_value *text, const weir_value *by,
                      uint32_t options, char *room, size_t *len)
{
    options |= PCRE2_NO_UTF_CHECK | PCRE2_SUBSTITUTE_GLOBAL | PCRE2_SUBSTITUTE_UNSET_EMPTY |
               PCRE2_SUBSTITUTE_OVERFLOW_LENGTH;
    return pcre2_substitute(regex->code, (PCRE2_SPTR)(text->len > 0 ? text->as.text : ""),
                            text->len, 0, options, regex->data, regex->context,
                            (PCRE2_SPTR)(by->len > 0 ? by->as.text : ""), by->len,
                            (PCRE2_UCHAR *)room, len);
}

static weir_status replace_all_lane(struct regex *regex, weir_call *call, uint32_t lane,
                                    weir_value *ret)
{
    const weir_value *text = lane_arg(call, 0, lane);
    const weir_value *by = lane_arg(call, 2, lane);
    uint32_t options = 0;
    size_t size = (size_t)text->len + by->len + 64;
    size = size < LANE_RESULT_LIMIT ? size : LANE_RESULT_LIMIT;
    for (;;) {
        char *room;
        weir_status st = lane_room(call, lane, "replace_all", size, &room);
        if (st != WEIR_OK) {
            return st;
        }
        size_t len = size;
        int done = substitute(regex, text, by, options, room, &len);
        if (done == PCRE2_ERROR_NOMEMORY && len > size && len != PCRE2_UNSET) {
            size = len;
        } else if (done == PCRE2_ERROR_JIT_STACKLIMIT && options == 0) {
            options = PCRE2_NO_JIT;
        } else if (done < 0) {
            return regex_fail(regex, call, lane, done);
        } else {
            *ret = weir_text_value(room, (uint32_t)len);
            return WEIR_OK;
        }
    }
}

static weir_status evaluate_replace_all(weir_call *call)
{
    return with_regex(call, "replace_all", replace_all_lane);
}

const weir_factory replace_all_function = {
    FUNCTION(
        "replace_all", "A text with every match of a regular expression replaced",
        "In the replacement `$1` or `${name}` stands for a group, `$0` for the whole match and "
        "`$$` for a dollar sign."),
    .vtable =
        FUNCTION_TABLE(.signature = "(text, text, text) text",
                       .example = "replace_all(\"2026-01-31\", \"(\\\\d+)-(\\\\d+)-(\\\\d+)\", "
                                  "\"$3.$2.$1\")",
                       .example_result = "\"31.01.2026\"", .prepare = regex_prepare,
                       .release = regex_release, .evaluate = evaluate_replace_all),
};
