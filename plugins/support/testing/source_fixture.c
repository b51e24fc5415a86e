/* SPDX-License-Identifier: MIT */
#include "support/testing/source_fixture.h"

#include <string.h>

#include <check.h>

const char *fixture_open_source(struct fixture *f, const char *plugin, const char *body,
                                const struct kept_position *position, uint32_t flags)
{
    if (f->instance != NULL) {
        fixture_deinit(f);
    }
    ck_assert_msg(fixture_init(f, plugin, body), "%s", f->complaint);
    const weir_source_vtable *source = f->vtable;
    weir_slice bytes = { position->bytes, position->size };
    fixture_begin(f, NULL);
    return fixture_end(f, source->open(f->instance->self, &f->call.context, bytes, flags));
}

const char *fixture_poll(struct fixture *f, uint32_t max_records, weir_status *ret_status)
{
    const weir_source_vtable *source = f->vtable;
    fixture_begin(f, NULL);
    *ret_status = source->poll(f->instance->self, &f->call.context, max_records, 0);
    return fixture_end(f, *ret_status);
}

void fixture_checkpoint(struct fixture *f, struct kept_position *position)
{
    const weir_source_vtable *source = f->vtable;
    weir_buffer out;
    buffer_init(&out, sizeof position->bytes);
    fixture_begin(f, NULL);
    ck_assert_int_eq(source->position(f->instance->self, &f->call.context, &out), WEIR_OK);
    call_end(&f->call);
    memcpy(position->bytes, out.data, out.size);
    position->size = out.size;
    buffer_deinit(&out);
}
