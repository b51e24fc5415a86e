/* SPDX-License-Identifier: MIT */
/*
 * The published layout, version 1, spelled out: a change to a header of the SDK that would break
 * plugins in the field does not compile.
 */
#include <assert.h>
#include <stddef.h>

#include <weir/record.h>
#include <weir/value.h>

#define SIZE(type, size)         static_assert(sizeof(type) == (size), #type)
#define AT(type, field, offset)  static_assert(offsetof(type, field) == (offset), #type "." #field)
#define NUMBER(constant, number) static_assert((constant) == (number), #constant)

static_assert(WEIR_VALUE_LAYOUT == 1, "this file describes layout 1");
static_assert(sizeof(void *) == 8, "pointers of the layout have 64 bits");
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the layout is little-endian");

SIZE(weir_value, 16);
static_assert(_Alignof(weir_value) == 8, "weir_value");
AT(weir_value, tag, 0);
AT(weir_value, flags, 1);
AT(weir_value, aux, 2);
AT(weir_value, len, 4);
AT(weir_value, as, 8);
AT(weir_value, as.i64, 8);
AT(weir_value, as.f64, 8);
AT(weir_value, as.bits, 8);
AT(weir_value, as.text, 8);
AT(weir_value, as.items, 8);
AT(weir_value, as.members, 8);

SIZE(weir_member, 32);
AT(weir_member, symbol, 0);
AT(weir_member, key_len, 4);
AT(weir_member, key, 8);
AT(weir_member, value, 16);

SIZE(weir_record, 64);
AT(weir_record, timestamp, 0);
AT(weir_record, offset, 8);
AT(weir_record, key, 16);
AT(weir_record, value, 32);
AT(weir_record, headers, 48);
AT(weir_record, header_count, 56);
AT(weir_record, flags, 60);

SIZE(weir_entry, 16);
AT(weir_entry, record, 0);
AT(weir_entry, ordinal, 8);
AT(weir_entry, input, 12);
AT(weir_entry, origin, 14);

SIZE(weir_origin, 16);
AT(weir_origin, topic, 0);
AT(weir_origin, topic_len, 8);
AT(weir_origin, partition, 12);

SIZE(weir_batch, 32);
AT(weir_batch, struct_size, 0);
AT(weir_batch, count, 4);
AT(weir_batch, entries, 8);
AT(weir_batch, origins, 16);
AT(weir_batch, origin_count, 24);
AT(weir_batch, reserved, 28);

SIZE(weir_slice, 16);
AT(weir_slice, data, 0);
AT(weir_slice, size, 8);

SIZE(weir_text, 16);
AT(weir_text, data, 0);
AT(weir_text, size, 8);

SIZE(weir_buffer, 40);
AT(weir_buffer, data, 0);
AT(weir_buffer, size, 8);
AT(weir_buffer, capacity, 16);
AT(weir_buffer, limit, 24);
AT(weir_buffer, grow, 32);

NUMBER(WEIR_NULL, 0);
NUMBER(WEIR_BOOL, 1);
NUMBER(WEIR_INT, 2);
NUMBER(WEIR_FLOAT, 3);
NUMBER(WEIR_TEXT, 4);
NUMBER(WEIR_BYTES, 5);
NUMBER(WEIR_LIST, 6);
NUMBER(WEIR_MAP, 7);
NUMBER(WEIR_TIMESTAMP, 8);
NUMBER(WEIR_NUMBER, 9);
NUMBER(WEIR_TAG_MISSING, 254);
NUMBER(WEIR_TAG_ERROR, 255);
NUMBER(WEIR_VALUE_PLAIN, 1);
NUMBER(WEIR_VALUE_SOURCE, 2);
NUMBER(WEIR_SYMBOL_NONE, 0);
NUMBER(WEIR_SYMBOL_PLAIN, 1);
NUMBER(WEIR_SYMBOL_FIRST, 2);
NUMBER(WEIR_NO_TIMESTAMP, INT64_MIN);
NUMBER(WEIR_NO_OFFSET, -1);
