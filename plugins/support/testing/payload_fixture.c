/* SPDX-License-Identifier: MIT */
#include "support/testing/payload_fixture.h"

#include "unit.h"

enum { VALUES_LIMIT = 8 };

const char *fixture_decode(struct fixture *f, const weir_slice *payloads, uint32_t count,
                           weir_value *out)
{
    const weir_serializer_vtable *vtable = f->vtable;
    fixture_begin(f, NULL);
    return fixture_end(f,
                       vtable->decode(f->instance->self, &f->call.context, payloads, count, out));
}

const char *fixture_decode_one(struct fixture *f, const char *bytes, uint64_t size, weir_value *ret)
{
    weir_slice payload = { (const uint8_t *)bytes, size };
    return fixture_decode(f, &payload, 1, ret);
}

/* Every byte belongs to exactly one payload. */
static void tell_payloads(weir_buffer *told, const weir_buffer *out, const uint64_t *ends,
                          uint32_t count)
{
    uint64_t begin = 0;
    for (uint32_t i = 0; i < count; i++) {
        buffer_printf(told, "%s", i == 0 ? "" : "|");
        if (ends[i] == WEIR_ABSENT) {
            buffer_printf(told, "none");
            continue;
        }
        for (; begin < ends[i]; begin++) {
            buffer_printf(told, "%02x", out->data[begin]);
        }
        ck_assert_uint_eq(begin, ends[i]);
    }
    ck_assert_uint_eq(begin, out->size);
}

const char *fixture_encode(struct fixture *f, const weir_value *values, uint32_t count)
{
    static char answer[1024];
    const weir_serializer_vtable *vtable = f->vtable;
    const weir_value *pointers[VALUES_LIMIT];
    uint64_t ends[VALUES_LIMIT];
    weir_buffer out;
    weir_buffer told;
    ck_assert_uint_le(count, VALUES_LIMIT);
    for (uint32_t i = 0; i < count; i++) {
        pointers[i] = &values[i];
    }
    buffer_init(&out, 1024);
    buffer_init(&told, 1024);
    fixture_begin(f, NULL);
    weir_status st =
        vtable->encode(f->instance->self, &f->call.context, pointers, count, &out, ends);
    const char *reported = fixture_end(f, st);
    if (st == WEIR_OK) {
        tell_payloads(&told, &out, ends, count);
    }
    snprintf(answer, sizeof answer, "%s%s%s", buffer_c_string(&told),
             reported[0] != '\0' ? "\n" : "", reported);
    buffer_deinit(&told);
    buffer_deinit(&out);
    return answer;
}

const char *fixture_encode_json(struct fixture *f, const char *json)
{
    uint32_t count;
    const weir_value *value = fixture_values(f, json, &count);
    ck_assert_uint_eq(count, 1);
    return fixture_encode(f, value, 1);
}
