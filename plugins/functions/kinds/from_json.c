/* SPDX-License-Identifier: MIT */
/*
 * parse_json: the value that a JSON text stands for. The decoder lives for one call, since several
 * threads may call at once; what it makes lies in the memory of the batch or in the text itself.
 */
#include "kinds_functions.h"
#include "support/json_decode.h"
#include "support/lane.h"

static weir_status parse_lane(struct json_decoder *decoder, weir_call *call, uint32_t lane,
                              weir_value *ret)
{
    const weir_value *v = lane_arg(call, 0, lane);
    weir_slice text = { (const uint8_t *)v->as.text, v->len };
    struct json_fault fault;
    weir_status st = json_decode(decoder, call->ctx, text, ret, &fault);
    if (st == WEIR_E_DATA) {
        return lane_fail(call, lane, "parse_json: %s is not JSON: %s at byte %llu",
                         lane_excerpt(v).text, fault.message, (unsigned long long)fault.byte);
    }
    return st;
}

static weir_status evaluate_parse_json(weir_call *call)
{
    struct json_decoder decoder;
    weir_status st = WEIR_OK;
    json_decoder_init(&decoder, NULL, 0);
    for (uint32_t lane = 0; lane < call->count && st == WEIR_OK; lane++) {
        weir_value result = weir_null();
        st = parse_lane(&decoder, call, lane, &result);
        if (st == WEIR_OK) {
            call->results[lane] = result;
        }
        st = st == WEIR_E_DATA ? WEIR_OK : st;
    }
    json_decoder_deinit(&decoder);
    return st;
}

const weir_factory parse_json_function = {
    FUNCTION(
        "parse_json", "The value of a JSON text",
        "Any JSON value, at most 254 levels deep. `try(parse_json(x), null)` gives null for what "
        "is not JSON."),
    .vtable = FUNCTION_TABLE(.signature = "(text) any", .example = "parse_json('{\"a\": [1,2]}').a",
                             .example_result = "[1,2]", .evaluate = evaluate_parse_json),
};
