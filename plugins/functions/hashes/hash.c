/* SPDX-License-Identifier: MIT */
/*
 * hash: XXH3, 64 bits with seed 0, of a value's JSON form.
 *
 * The form is that of a value that was made anew: blanks, escapes and spare zeros of the text that it
 * came from do not count. It may never change, since hashes are kept outside.
 */
#include "hashes_functions.h"
#include "support/lane.h"

#include <xxhash.h>

enum { MAX_DEPTH = 254 };

struct form {
    weir_call *call;
    uint32_t lane;
    struct lane_buffer text;
};

static weir_status write_scalar(struct form *form, const weir_value *v)
{
    const weir_values_api *values = lane_values(form->call);
    weir_value plain = *v;
    plain.flags = 0;
    if (v->tag == WEIR_NUMBER) {
        weir_status st = values->number(v, &plain);
        if (st != WEIR_OK) {
            return st;
        }
    }
    const char *fault = "it has no form in JSON";
    weir_status st =
        values->write_json(&plain, WEIR_JSON_BYTES_TAGGED, 0, &form->text.base, &fault);
    return st == WEIR_E_DATA ? lane_fail(form->call, form->lane, "hash: %s", fault) : st;
}

static weir_status write_value(struct form *form, const weir_value *v, uint32_t depth);

static weir_status write_member(struct form *form, const weir_member *member, uint32_t depth)
{
    weir_value key = weir_text_value(member->key, member->key_len);
    weir_status st = write_scalar(form, &key);
    if (st == WEIR_OK) {
        st = weir_buffer_append(&form->text.base, ":", 1);
    }
    return st == WEIR_OK ? write_value(form, &member->value, depth) : st;
}

static weir_status write_value(struct form *form, const weir_value *v, uint32_t depth)
{
    bool is_map = v->tag == WEIR_MAP;
    if (!is_map && v->tag != WEIR_LIST) {
        return write_scalar(form, v);
    }
    if (depth == MAX_DEPTH) {
        return lane_fail(form->call, form->lane, "hash: more than %d levels of nesting", MAX_DEPTH);
    }
    weir_status st = weir_buffer_append(&form->text.base, is_map ? "{" : "[", 1);
    for (uint32_t i = 0; st == WEIR_OK && i < v->len; i++) {
        st = i == 0 ? WEIR_OK : weir_buffer_append(&form->text.base, ",", 1);
        if (st == WEIR_OK) {
            st = is_map ? write_member(form, &v->as.members[i], depth + 1)
                        : write_value(form, &v->as.items[i], depth + 1);
        }
    }
    return st == WEIR_OK ? weir_buffer_append(&form->text.base, is_map ? "}" : "]", 1) : st;
}

static weir_status hash_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    struct form form = { .call = call, .lane = lane };
    lane_buffer_init(&form.text, call->ctx);
    weir_status st =
        lane_buffer_status(call, lane, "hash", write_value(&form, lane_arg(call, 0, lane), 0));
    if (st == WEIR_OK) {
        *ret = weir_int((int64_t)XXH3_64bits(form.text.base.data, form.text.base.size));
    }
    return st;
}

static weir_status evaluate_hash(weir_call *call)
{
    return lanes_evaluate(call, hash_lane);
}

const weir_factory hash_function = {
    FUNCTION("hash", "A 64-bit hash of any value, the same for ever",
             "XXH3 with seed 0 of the value as `to_json` writes one that was made anew, so blanks "
             "and spare zeros in the input do not count; taken as an int, it may be negative. "
             "`1` and `1.0` differ, and so do maps whose members stand in another order. Bytes "
             "count as `{\"$bytes\": \"<base64>\"}`. To spread over ten: `hash(id) % 10`."),
    .vtable = FUNCTION_TABLE(.signature = "(any) int", .example = "hash(\"abc\")",
                             .example_result = "2552065897475565192",
                             .prepare = lane_prepare_values, .evaluate = evaluate_hash),
};
