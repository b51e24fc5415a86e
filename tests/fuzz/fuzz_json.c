/* SPDX-License-Identifier: MIT */
/*
 * Any bytes through the JSON decoder, with yyjson as its judge: the same payloads are accepted, the
 * values are the ones that stand there, what is not touched is written as it was read, and what a
 * decoder has learned from other payloads changes nothing.
 */
#include <stdlib.h>
#include <string.h>

#include <yyjson.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "fuzz.h"
#include "support/json_decode.h"
#include "value/json.h"
#include "value/number.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- a host of two services -------------------------------------------------------------------- */

static struct arena batch;
static struct arena memory;

static void *context_alloc(weir_context *ctx, uint64_t size)
{
    (void)ctx;
    return arena_alloc(&batch, size);
}

static void *memory_alloc_zeroed(const weir_host *host, uint64_t size)
{
    (void)host;
    return arena_zeroed(&memory, size);
}

/* Every key of one letter has a symbol. */
static uint32_t symbol_lookup(const weir_host *host, const char *name, uint32_t len)
{
    (void)host;
    return len == 1 ? WEIR_SYMBOL_FIRST + (uint8_t)name[0] : WEIR_SYMBOL_NONE;
}

static const void *get_extension(const weir_host *host, const char *id)
{
    static const weir_memory_api memory_api = { sizeof memory_api, 0, memory_alloc_zeroed };
    static const weir_symbols_api symbols_api = { sizeof symbols_api, 0, NULL, symbol_lookup };
    (void)host;
    if (strcmp(id, WEIR_MEMORY) == 0) {
        return &memory_api;
    }
    return strcmp(id, WEIR_SYMBOLS) == 0 ? &symbols_api : NULL;
}

static const weir_host host = { sizeof host, WEIR_ABI_MAJOR, WEIR_ABI_MINOR, "fuzz",
                                get_extension };

/* ---- values against yyjson's ------------------------------------------------------------------- */

static bool contains(weir_slice outer, const void *inner, uint64_t size)
{
    const uint8_t *begin = inner;
    return begin >= outer.data && begin + size <= outer.data + outer.size;
}

/* A source is a stretch of the payload that means the same by itself. */
static void check_source(weir_slice payload, const weir_value *v)
{
    weir_slice source = weir_value_source(v);
    CHECK(contains(payload, source.data, source.size) && source.size >= 2);
    uint8_t first = source.data[0];
    uint8_t last = source.data[source.size - 1];
    CHECK((v->tag == WEIR_TEXT && first == '"' && last == '"') ||
          (v->tag == WEIR_LIST && first == '[' && last == ']') ||
          (v->tag == WEIR_MAP && first == '{' && last == '}'));
    yyjson_doc *doc =
        yyjson_read((const char *)source.data, source.size, YYJSON_READ_NUMBER_AS_RAW);
    CHECK(doc != NULL);
    yyjson_doc_free(doc);
}

static void check_number(weir_slice payload, const weir_value *v, const yyjson_val *raw)
{
    char room[NUMBER_ROOM];
    const char *text = unsafe_yyjson_get_raw((void *)(uintptr_t)raw);
    size_t len = unsafe_yyjson_get_len((void *)(uintptr_t)raw);
    if (v->tag == WEIR_NUMBER) {
        CHECK(v->len == len && memcmp(v->as.text, text, len) == 0);
        CHECK(contains(payload, v->as.text, v->len));
        return;
    }
    size_t written = v->tag == WEIR_INT     ? number_write_int(v->as.i64, room)
                     : v->tag == WEIR_FLOAT ? number_write_float(v->as.f64, room)
                                            : 0;
    CHECK(written == len && memcmp(room, text, len) == 0);
}

static void check_text(weir_slice payload, const weir_value *v, yyjson_val *text)
{
    CHECK(v->tag == WEIR_TEXT);
    CHECK(v->len == yyjson_get_len(text) && memcmp(v->as.text, yyjson_get_str(text), v->len) == 0);
    CHECK((v->flags & WEIR_VALUE_PLAIN) != 0 || (v->flags & WEIR_VALUE_SOURCE) != 0);
    CHECK((v->flags & WEIR_VALUE_PLAIN) == 0 || contains(payload, v->as.text, v->len));
    for (uint32_t i = 0; i < v->len && (v->flags & WEIR_VALUE_PLAIN) != 0; i++) {
        unsigned char c = (unsigned char)v->as.text[i];
        CHECK(c >= 0x20 && c != '"' && c != '\\');
    }
}

static bool check_value(weir_slice payload, const weir_value *v, yyjson_val *val);

static bool is_key(const weir_member *m, yyjson_val *key)
{
    return m->key_len == yyjson_get_len(key) &&
           memcmp(m->key, yyjson_get_str(key), m->key_len) == 0;
}

static uint32_t find_key(const weir_value *map, yyjson_val *key)
{
    uint32_t i = 0;
    while (i < map->len && !is_key(&map->as.members[i], key)) {
        i++;
    }
    return i;
}

static void check_symbol(const weir_member *m)
{
    uint32_t symbol = symbol_lookup(&host, m->key, m->key_len);
    CHECK(symbol == WEIR_SYMBOL_NONE ? m->symbol <= WEIR_SYMBOL_PLAIN : m->symbol == symbol);
    for (uint32_t i = 0; i < m->key_len && m->symbol == WEIR_SYMBOL_PLAIN; i++) {
        unsigned char c = (unsigned char)m->key[i];
        CHECK(c >= 0x20 && c != '"' && c != '\\');
    }
}

/* True where no member was dropped, here or below. Of equal keys the last value counts. */
static bool check_map(weir_slice payload, const weir_value *v, yyjson_val *object)
{
    size_t at, count;
    yyjson_val *key, *val;
    uint32_t met = 0; /* members whose first key has been passed: they come in that order */
    bool is_whole = v->len == yyjson_obj_size(object);
    yyjson_obj_foreach(object, at, count, key, val)
    {
        uint32_t i = find_key(v, key);
        CHECK(i <= met && i < v->len);
        met += i == met;
        yyjson_obj_iter rest = yyjson_obj_iter_with(object);
        yyjson_val *other;
        yyjson_val *last = NULL;
        while ((other = yyjson_obj_iter_next(&rest)) != NULL) {
            if (is_key(&v->as.members[i], other)) {
                last = yyjson_obj_iter_get_val(other);
            }
        }
        if (last == val) {
            check_symbol(&v->as.members[i]);
            is_whole &= check_value(payload, &v->as.members[i].value, val);
        } else {
            is_whole = false;
        }
    }
    CHECK(met == v->len);
    return is_whole;
}

static bool check_list(weir_slice payload, const weir_value *v, yyjson_val *array)
{
    size_t at, count;
    yyjson_val *val;
    bool is_whole = true;
    CHECK(v->len == yyjson_arr_size(array));
    yyjson_arr_foreach(array, at, count, val)
    {
        is_whole &= check_value(payload, &v->as.items[at], val);
    }
    return is_whole;
}

static bool check_value(weir_slice payload, const weir_value *v, yyjson_val *val)
{
    bool is_whole = true;
    switch (yyjson_get_type(val)) {
    case YYJSON_TYPE_NULL:
        CHECK(v->tag == WEIR_NULL && v->as.bits == 0);
        break;
    case YYJSON_TYPE_BOOL:
        CHECK(v->tag == WEIR_BOOL && v->as.i64 == (yyjson_get_bool(val) ? 1 : 0));
        break;
    case YYJSON_TYPE_RAW:
        check_number(payload, v, val);
        break;
    case YYJSON_TYPE_STR:
        check_text(payload, v, val);
        break;
    case YYJSON_TYPE_ARR:
        CHECK(v->tag == WEIR_LIST);
        is_whole = check_list(payload, v, val);
        break;
    default:
        CHECK(v->tag == WEIR_MAP);
        is_whole = check_map(payload, v, val);
        break;
    }
    bool is_container = v->tag == WEIR_LIST || v->tag == WEIR_MAP;
    CHECK(!is_container || is_whole == ((v->flags & WEIR_VALUE_SOURCE) != 0));
    if ((v->flags & WEIR_VALUE_SOURCE) != 0 && payload.size < 4096) {
        check_source(payload, v);
    }
    return is_whole;
}

/* ---- writing ----------------------------------------------------------------------------------- */

static void check_untouched(weir_slice payload, const weir_value *v)
{
    weir_buffer out;
    const char *begin = (const char *)payload.data;
    size_t len = payload.size;
    while (len > 0 && memchr(" \t\r\n", begin[len - 1], 4) != NULL) {
        len--;
    }
    size_t blanks = 0;
    while (blanks < len && memchr(" \t\r\n", begin[blanks], 4) != NULL) {
        blanks++;
    }
    buffer_init(&out, UINT32_MAX);
    CHECK(json_write(v, 0, 1000, &out, NULL) == WEIR_OK);
    CHECK(out.size == len - blanks && memcmp(out.data, begin + blanks, out.size) == 0);
    buffer_deinit(&out);
}

static void forget_sources(const weir_value *v)
{
    ((weir_value *)(uintptr_t)v)->flags = 0;
    for (uint32_t i = 0; i < v->len && v->tag == WEIR_LIST; i++) {
        forget_sources(&v->as.items[i]);
    }
    for (uint32_t i = 0; i < v->len && v->tag == WEIR_MAP; i++) {
        forget_sources(&v->as.members[i].value);
    }
}

/* What is written anew reads as the same again. */
static void check_rewritten(struct json_decoder *decoder, weir_context *ctx, weir_value *v)
{
    weir_buffer first;
    weir_buffer second;
    struct json_fault fault;
    weir_value again;
    buffer_init(&first, UINT32_MAX);
    buffer_init(&second, UINT32_MAX);
    forget_sources(v);
    CHECK(json_write(v, 0, 1000, &first, NULL) == WEIR_OK);
    weir_slice slice = { first.data, first.size };
    CHECK(json_decode(decoder, ctx, slice, &again, &fault) == WEIR_OK);
    check_untouched(slice, &again);
    forget_sources(&again);
    CHECK(json_write(&again, 0, 1000, &second, NULL) == WEIR_OK);
    CHECK(first.size == second.size && memcmp(first.data, second.data, first.size) == 0);
    buffer_deinit(&first);
    buffer_deinit(&second);
}

/* ---- a payload --------------------------------------------------------------------------------- */

static void decode_and_check(struct json_decoder *decoder, weir_slice payload)
{
    static const weir_call_api api = { .struct_size = sizeof api, .alloc = context_alloc };
    weir_context ctx = { .struct_size = sizeof ctx, .api = &api, .host = &host };
    struct json_fault fault = { 0, "" };
    weir_value v;
    weir_status st = json_decode(decoder, &ctx, payload, &v, &fault);
    yyjson_doc *doc =
        yyjson_read((const char *)payload.data, payload.size, YYJSON_READ_NUMBER_AS_RAW);
    if (st == WEIR_OK) {
        CHECK(doc != NULL);
        if (check_value(payload, &v, yyjson_doc_get_root(doc))) {
            check_untouched(payload, &v);
        }
        check_rewritten(decoder, &ctx, &v);
    } else {
        CHECK(st == WEIR_E_DATA && fault.byte <= payload.size && fault.message[0] != '\0');
        CHECK(doc == NULL || strncmp(fault.message, "nested deeper", 13) == 0);
    }
    yyjson_doc_free(doc);
    arena_reset(&batch);
}

/* One decoder that has learned from all payloads before, and one that knows nothing. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct json_decoder learned;
    static struct arena learned_memory;
    struct json_decoder fresh;
    if (learned.max_depth == 0) {
        arena_init(&batch, 0);
        arena_init(&memory, 0);
        json_decoder_init(&learned, &host, 0);
    }
    weir_slice payload = { data, size };
    decode_and_check(&learned, payload);
    learned_memory = memory;
    arena_init(&memory, 0);
    json_decoder_init(&fresh, &host, 0);
    decode_and_check(&fresh, payload);
    decode_and_check(&fresh, payload);
    json_decoder_deinit(&fresh);
    arena_deinit(&memory);
    memory = learned_memory;
    return 0;
}
