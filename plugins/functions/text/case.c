/* SPDX-License-Identifier: MIT */
/*
 * upper, lower: one code point to one, by Unicode's simple mappings and no language's.
 */
#include "case_table.h"
#include "support/code_point.h"
#include "support/lane.h"
#include "text_functions.h"

/* Which way to map: a table for what is not ASCII, and the range of ASCII letters that change. */
struct case_mapping {
    const struct case_run *runs;
    size_t count;
    char first;
    char last;
};

static uint32_t mapped(const struct case_mapping *mapping, uint32_t point)
{
    size_t from = 0;
    size_t to = mapping->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        const struct case_run *run = &mapping->runs[middle];
        if (point > run->last) {
            from = middle + 1;
        } else if (point < run->first) {
            to = middle;
        } else {
            bool is_member = (point - run->first) % run->step == 0;
            return is_member ? (uint32_t)((int32_t)point + run->delta) : point;
        }
    }
    return point;
}

/* Maps text into `out` (NULL: only counts); returns the size. */
static size_t map_text(const struct case_mapping *mapping, const weir_value *v, char *out)
{
    size_t size = 0;
    for (size_t at = 0; at < v->len; at += code_point_size(v->as.text[at])) {
        char letter = v->as.text[at];
        char room[4];
        size_t n = 1;
        if ((unsigned char)letter < 0x80) {
            bool changes = letter >= mapping->first && letter <= mapping->last;
            room[0] = changes ? (char)(letter ^ 0x20) : letter;
        } else {
            n = code_point_write(mapped(mapping, code_point_read(v->as.text + at)), room);
        }
        if (out != NULL) {
            __builtin_memcpy(out + size, room, n);
        }
        size += n;
    }
    return size;
}

static weir_status change_case(weir_call *call, uint32_t lane, const char *function,
                               const struct case_mapping *mapping, weir_value *ret)
{
    const weir_value *v = lane_arg(call, 0, lane);
    size_t size = map_text(mapping, v, NULL);
    char *room;
    weir_status st = lane_room(call, lane, function, size, &room);
    if (st == WEIR_OK) {
        map_text(mapping, v, room);
        *ret = weir_text_value(room, (uint32_t)size);
    }
    return st;
}

static weir_status upper_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    const struct case_mapping mapping = { case_upper_runs, case_upper_runs_count, 'a', 'z' };
    return change_case(call, lane, "upper", &mapping, ret);
}

static weir_status evaluate_upper(weir_call *call)
{
    return lanes_evaluate(call, upper_lane);
}

const weir_factory upper_function = {
    FUNCTION("upper", "A text in upper case",
             "One code point to one, the same in every language: `ß` stays `ß`."),
    .vtable = FUNCTION_TABLE(.signature = "(text) text", .example = "upper(\"Zürich\")",
                             .example_result = "\"ZÜRICH\"", .evaluate = evaluate_upper),
};

static weir_status lower_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    const struct case_mapping mapping = { case_lower_runs, case_lower_runs_count, 'A', 'Z' };
    return change_case(call, lane, "lower", &mapping, ret);
}

static weir_status evaluate_lower(weir_call *call)
{
    return lanes_evaluate(call, lower_lane);
}

const weir_factory lower_function = {
    FUNCTION("lower", "A text in lower case", "One code point to one, the same in every language."),
    .vtable = FUNCTION_TABLE(.signature = "(text) text", .example = "lower(\"ÉTÉ\")",
                             .example_result = "\"été\"", .evaluate = evaluate_lower),
};
