/* SPDX-License-Identifier: MIT */
/* The first argument names the deed. */
#include <weir/function.h>

#include "bad.h"

static weir_value *lane_of(weir_call *call, uint32_t arg, uint32_t lane)
{
    return (weir_value *)(uintptr_t)&call->args[arg][lane];
}

static void do_well(weir_call *call, uint32_t lane)
{
    call->results[lane] = call->args[1][lane];
}

static void write_argument(weir_call *call, uint32_t lane)
{
    lane_of(call, 1, lane)->as.i64 = 1;
}

static void other_kind(weir_call *call, uint32_t lane)
{
    call->results[lane] = weir_float(0.5);
}

static void fail_beyond(weir_call *call, uint32_t lane)
{
    do_well(call, lane);
    weir_call_fail(call, call->count, "no");
}

static void fail_silently(weir_call *call, uint32_t lane)
{
    do_well(call, lane);
    weir_call_fail(call, lane, "%s", "");
}

static void keep_memory(weir_call *call, uint32_t lane)
{
    static int64_t *kept;
    if (kept == NULL) {
        kept = weir_alloc(call->ctx, sizeof *kept);
    }
    *kept = lane;
    do_well(call, lane);
}

static const struct {
    const char *name;
    void (*act)(weir_call *call, uint32_t lane);
} deeds[] = {
    { "well", do_well },
    { "write_argument", write_argument },
    { "other_kind", other_kind },
    { "fail_beyond", fail_beyond },
    { "fail_silently", fail_silently },
    { "keep_memory", keep_memory },
};

static weir_status evaluate(weir_call *call)
{
    for (uint32_t lane = 0; lane < call->count; lane++) {
        const weir_value *name = &call->args[0][lane];
        for (size_t i = 0; i < COUNT_OF(deeds); i++) {
            if (weir_same_bytes(deeds[i].name, (uint32_t)strlen(deeds[i].name), name->as.text,
                                name->len)) {
                deeds[i].act(call, lane);
            }
        }
    }
    return WEIR_OK;
}

static const weir_function_vtable vtable = { .struct_size = sizeof vtable,
                                             .signature = "(text, int) int",
                                             .example = "bad(\"well\", 1)",
                                             .example_result = "1",
                                             .evaluate = evaluate };

const weir_factory bad_function = { .struct_size = sizeof bad_function,
                                    .kind = WEIR_KIND_FUNCTION,
                                    .name = "bad",
                                    .summary = "Breaks a rule of functions",
                                    .vtable = &vtable };
