/* SPDX-License-Identifier: MIT */
/*
 * format: a template with places `{}` for values. A literal template is judged once, with the count
 * of values, when the pipeline is checked.
 */
#include "support/code_point.h"
#include "support/lane.h"
#include "text_functions.h"

#include <string.h>

/* What stands next in a template. */
enum piece_kind { PIECE_TEXT, PIECE_VALUE, PIECE_END, PIECE_WRONG };

struct piece {
    enum piece_kind kind;
    const char *text; /* PIECE_TEXT */
    size_t len;
};

/* Takes one piece off the template; *at moves behind it. */
static struct piece next_piece(const weir_value *template, size_t *at)
{
    const char *text = template->as.text;
    size_t from = *at;
    size_t to = from;
    while (to < template->len && text[to] != '{' && text[to] != '}') {
        to++;
    }
    if (to > from) {
        *at = to;
        return (struct piece){ PIECE_TEXT, text + from, to - from };
    }
    if (from == template->len) {
        return (struct piece){ PIECE_END, NULL, 0 };
    }
    if (from + 1 < template->len && text[from + 1] == text[from]) {
        *at = from + 2;
        return (struct piece){ PIECE_TEXT, text + from, 1 };
    }
    if (text[from] == '{' && from + 1 < template->len && text[from + 1] == '}') {
        *at = from + 2;
        return (struct piece){ PIECE_VALUE, NULL, 0 };
    }
    return (struct piece){ PIECE_WRONG, NULL, 0 };
}

/* Number of places for values; -1 and *ret_at where a brace is wrong. */
static int64_t places(const weir_value *template, size_t *ret_at)
{
    int64_t count = 0;
    *ret_at = 0;
    for (;;) {
        switch (next_piece(template, ret_at).kind) {
        case PIECE_VALUE:
            count++;
            break;
        case PIECE_END:
            return count;
        case PIECE_WRONG:
            return -1;
        case PIECE_TEXT:
            break;
        }
    }
}

#define WRONG_BRACE "format: a single brace at byte %zu; write {} for a value, {{ and }} for braces"
#define WRONG_COUNT "format: the template has %lld places for %lld values"

static weir_status prepare_format(const weir_host *host, const weir_value *const *literals,
                                  uint32_t count, void **ret_state, weir_error_info *fault)
{
    if (count > 0 && literals[0] != NULL && literals[0]->tag == WEIR_TEXT) {
        size_t at;
        int64_t found = places(literals[0], &at);
        if (found < 0) {
            return lane_prepare_fault(host, fault, 0, WRONG_BRACE, at);
        }
        if (found != (int64_t)count - 1) {
            return lane_prepare_fault(host, fault, 0, WRONG_COUNT, (long long)found,
                                      (long long)count - 1);
        }
    }
    return lane_prepare_values(host, literals, count, ret_state, fault);
}

/* JSON puts quotes around a timestamp; here they go. */
static weir_status append_timestamp(const weir_values_api *values, const weir_value *v,
                                    weir_buffer *out, const char **ret_fault)
{
    uint64_t start = out->size;
    weir_status st = values->write_json(v, 0, 0, out, ret_fault);
    if (st == WEIR_OK && out->size - start >= 2) {
        memmove(out->data + start, out->data + start + 1, (size_t)(out->size - start - 2));
        out->size -= 2;
    }
    return st;
}

static weir_status append_value(weir_call *call, uint32_t lane, const weir_value *v,
                                weir_buffer *out)
{
    const char *fault = NULL;
    weir_status st;
    if (v->tag == WEIR_TEXT ||
        (v->tag == WEIR_BYTES && code_point_valid_prefix(v->as.text, v->len) == v->len)) {
        st = weir_buffer_append(out, v->as.text, v->len);
    } else if (v->tag == WEIR_TIMESTAMP) {
        st = append_timestamp(lane_values(call), v, out, &fault);
    } else {
        st = lane_values(call)->write_json(v, WEIR_JSON_NAN_ERROR | WEIR_JSON_ANEW, 0, out, &fault);
    }
    if (st == WEIR_E_DATA) {
        return lane_fail(call, lane, "format: cannot write %s: %s", lane_excerpt(v).text,
                         fault != NULL ? fault : "it has no text");
    }
    return lane_buffer_status(call, lane, "format", st);
}

static weir_status append_pieces(weir_call *call, uint32_t lane, weir_buffer *out)
{
    const weir_value *template = lane_arg(call, 0, lane);
    size_t at = 0;
    uint32_t arg = 1;
    for (;;) {
        struct piece piece = next_piece(template, &at);
        weir_status st;
        if (piece.kind == PIECE_END) {
            return WEIR_OK;
        }
        if (piece.kind == PIECE_VALUE) {
            st = append_value(call, lane, lane_arg(call, arg++, lane), out);
        } else {
            st = weir_buffer_append(out, piece.text, piece.len);
            st = lane_buffer_status(call, lane, "format", st);
        }
        if (st != WEIR_OK) {
            return st;
        }
    }
}

static weir_status format_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    size_t at;
    int64_t found = places(lane_arg(call, 0, lane), &at);
    if (found < 0) {
        return lane_fail(call, lane, WRONG_BRACE, at);
    }
    if (found != (int64_t)call->arg_count - 1) {
        return lane_fail(call, lane, WRONG_COUNT, (long long)found, (long long)call->arg_count - 1);
    }
    struct lane_buffer buffer;
    lane_buffer_init(&buffer, call->ctx);
    weir_status st = append_pieces(call, lane, &buffer.base);
    if (st == WEIR_OK) {
        *ret = lane_buffer_text(&buffer);
    }
    return st;
}

static weir_status evaluate_format(weir_call *call)
{
    return lanes_evaluate(call, format_lane);
}

const weir_factory format_function = {
    FUNCTION("format", "A template with values put into it",
             "Each `{}` takes the next value: a text as it is, null as `null`, everything else as "
             "`text` writes it. `{{` and `}}` stand for braces. The count of places and of values "
             "must be equal."),
    .vtable = FUNCTION_TABLE(.signature = "(text, any...) text",
                             .example = "format(\"{}: {} km\", \"JFK\", 12.5)",
                             .example_result = "\"JFK: 12.5 km\"", .prepare = prepare_format,
                             .evaluate = evaluate_format),
};
