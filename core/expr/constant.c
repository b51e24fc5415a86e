/* SPDX-License-Identifier: MIT */
/*
 * Constants, and what all makers of code share.
 */
#include <string.h>

#include "expr/code.h"

struct constant_code {
    struct code code;
    weir_value value;
};

static uint32_t run(struct frame *frame, const struct code *code, struct lanes lanes,
                    weir_value *out)
{
    (void)frame;
    for (uint32_t i = 0; i < lanes.count; i++) {
        out[lanes.at[i]] = *code->constant;
    }
    return 0;
}

struct code *code_constant(struct arena *arena, struct source source, const weir_value *value)
{
    struct constant_code *made = arena_zeroed(arena, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->value = *value;
    made->code = (struct code){ .run = run, .constant = &made->value, .source = source };
    return &made->code;
}

const struct code *const *code_copy_operands(struct arena *arena,
                                             const struct code *const *operands, uint32_t count)
{
    const struct code **copy = arena_alloc(arena, count * sizeof *copy);
    if (copy != NULL && count > 0) {
        memcpy(copy, operands, count * sizeof *copy);
    }
    return copy;
}

uint32_t code_reads(const struct code *const *operands, uint32_t count)
{
    uint32_t reads = 0;
    for (uint32_t i = 0; i < count; i++) {
        reads |= operands[i]->reads;
    }
    return reads;
}
