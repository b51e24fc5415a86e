/* SPDX-License-Identifier: MIT */
#include "support/rekey.h"

#include "support/step.h"

struct rekey {
    struct step step;
    const weir_expression *key;
};

weir_status rekey_create(const weir_host *host, const weir_expression *key, void **ret_self)
{
    weir_status st = step_create(host, sizeof(struct rekey), ret_self);
    if (st == WEIR_OK) {
        ((struct rekey *)*ret_self)->key = key;
    }
    return st;
}

weir_status rekey_process(void *data, weir_context *ctx, const weir_batch *in)
{
    const struct rekey *self = data;
    weir_value *keys = NULL;
    weir_status st = step_column(&self->step, ctx, self->key, in->entries, in->count, &keys);
    if (st != WEIR_OK) {
        return st;
    }
    WEIR_EACH(ctx, in, entry) {
        const weir_value *key = &keys[ctx->cursor];
        if (key->tag == WEIR_TAG_ERROR) {
            ctx->api->fail_value(ctx, ctx->cursor, key);
            continue;
        }
        weir_record *record = step_record(ctx, entry);
        if (record == NULL) {
            return WEIR_E_NOMEM;
        }
        record->key = *key;
        st = weir_emit(ctx, 0, entry, record);
        if (st != WEIR_OK) {
            return st;
        }
    }
    return WEIR_OK;
}
