/* SPDX-License-Identifier: MIT */
/* The JSON writer: forms, escapes, flags of values, limits; yyjson as oracle. */
#include <stdio.h>
#include <stdlib.h>

#include <yyjson.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "unit.h"
#include "value/json.h"
#include "value/sample.h"

#define COUNT(array) (int)(sizeof(array) / sizeof(array)[0])

static weir_buffer out;

static void start(void)
{
    buffer_init(&out, 1 << 24);
}

static void finish(void)
{
    memory_fail_from(0);
    buffer_deinit(&out);
}

static const char *write_with(weir_value v, uint32_t flags)
{
    buffer_clear(&out);
    ck_assert_int_eq(json_write(&v, flags, 0, &out, NULL), WEIR_OK);
    return buffer_c_string(&out);
}

static const char *write_plainly(weir_value v)
{
    return write_with(v, 0);
}

/* A value of text or a container, with the source header that a decoder puts in front of it. */
struct sourced {
    weir_slice source;
    char text[64];
};

static weir_value with_source(struct sourced *room, const char *source, weir_value v)
{
    size_t size = v.tag == WEIR_LIST  ? v.len * sizeof(weir_value)
                  : v.tag == WEIR_MAP ? v.len * sizeof(weir_member)
                                      : v.len;
    ck_assert_uint_le(size, sizeof room->text);
    room->source.data = (const uint8_t *)source;
    room->source.size = strlen(source);
    memcpy(room->text, v.as.text, size);
    v.as.text = room->text;
    v.flags = WEIR_VALUE_SOURCE;
    return v;
}

START_TEST(scalars_have_their_form)
{
    const struct {
        weir_value v;
        const char *text;
    } cases[] = {
        { weir_null(), "null" },
        { weir_bool(1), "true" },
        { weir_bool(0), "false" },
        { weir_int(INT64_MIN), "-9223372036854775808" },
        { weir_float(1), "1.0" },
        { weir_float(-1.5e300), "-1.5e+300" },
        { weir_float(__builtin_nan("")), "null" },
        { weir_float(-__builtin_inf()), "null" },
        { sample_number("1.10"), "1.10" },
        { sample_number("-0"), "-0" },
        { sample_number("123456789012345678901234567890123456789012345678901234567890e-30"),
          "123456789012345678901234567890123456789012345678901234567890e-30" },
        { sample_text(""), "\"\"" },
        { sample_text("h\xc3\xa9llo \x7f/"), "\"h\xc3\xa9llo \x7f/\"" },
        { weir_text_value("a\0b", 3), "\"a\\u0000b\"" },
        { sample_text("\"\\\b\t\n\f\r\x1f"), "\"\\\"\\\\\\b\\t\\n\\f\\r\\u001f\"" },
        { sample_time(1767225600, 0), "\"2026-01-01T00:00:00Z\"" },
        { sample_time(1767225600123, 3), "\"2026-01-01T00:00:00.123Z\"" },
        { sample_time(INT64_MIN, 0), "\"-292277022657-01-27T08:29:52Z\"" },
        { weir_list_value(NULL, 0), "[]" },
        { weir_map_value(NULL, 0), "{}" },
    };
    for (int i = 0; i < COUNT(cases); i++) {
        ck_assert_str_eq(write_plainly(cases[i].v), cases[i].text);
    }
}
END_TEST

START_TEST(containers_nest_and_keep_their_order)
{
    weir_value v = MAP(sample_member("z", LIST(weir_int(1), weir_list_value(NULL, 0),
                                               LIST(LIST(weir_map_value(NULL, 0))))),
                       sample_member("a\n", weir_null()),
                       sample_member("", MAP(sample_member("b", sample_text("x")))));
    ck_assert_str_eq(write_plainly(v), "{\"z\":[1,[],[[{}]]],\"a\\n\":null,\"\":{\"b\":\"x\"}}");
}
END_TEST

START_TEST(what_is_there_stays_in_front)
{
    weir_value v = weir_int(5);
    ck_assert_int_eq(buffer_text(&out, "x="), WEIR_OK);
    ck_assert_int_eq(json_write(&v, 0, 0, &out, NULL), WEIR_OK);
    ck_assert_str_eq(buffer_c_string(&out), "x=5");
}
END_TEST

/* Text of every length with the byte at every place must come out as yyjson writes it. */
START_TEST(an_escape_is_found_at_every_place_of_every_length)
{
    static const char specials[] = { '"', '\\', 0x1f, 0x01, '\n', 0x20, '!', '#', '[', ']', 0x7f };
    for (size_t len = 1; len <= 40; len++) {
        for (size_t at = 0; at < len; at++) {
            for (int i = 0; i < COUNT(specials); i++) {
                char text[41] = { 0 };
                char expected[60];
                memset(text, 'a', len);
                text[at] = specials[i];
                char letter = specials[i];
                char escaped[8] = { letter, '\0' };
                if (letter == '"' || letter == '\\') {
                    snprintf(escaped, sizeof escaped, "\\%c", letter);
                } else if (letter == '\n') {
                    snprintf(escaped, sizeof escaped, "\\n");
                } else if (letter < 0x20) {
                    snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)letter);
                }
                snprintf(expected, sizeof expected, "\"%.*s%s%s\"", (int)at, text, escaped,
                         text + at + 1);
                ck_assert_str_eq(write_plainly(sample_text(text)), expected);
                weir_value map = MAP(sample_member(text, weir_int(1)));
                const char *as_key = write_plainly(map);
                ck_assert_int_eq(strncmp(as_key + 1, expected, strlen(expected)), 0);
                ck_assert_str_eq(as_key + 1 + strlen(expected), ":1}");
            }
        }
    }
}
END_TEST

/* Two bytes of one code point, or one of them alone, at every place of every length; in keys as well. */
START_TEST(text_that_is_not_utf8_is_an_error)
{
    for (size_t len = 2; len <= 40; len++) {
        for (size_t at = 0; at + 2 <= len; at++) {
            char text[41] = { 0 };
            char expected[60];
            memset(text, 'a', len);
            memcpy(text + at, "\xc3\xa9", 2);
            snprintf(expected, sizeof expected, "\"%s\"", text);
            ck_assert_str_eq(write_plainly(weir_text_value(text, (uint32_t)len)), expected);
            text[at + 1] = 'a';
            weir_value key = MAP(sample_member(text, weir_int(1)));
            weir_value values[] = { weir_text_value(text, (uint32_t)len), key };
            for (int i = 0; i < COUNT(values); i++) {
                const char *fault = NULL;
                buffer_clear(&out);
                ck_assert_int_eq(json_write(&values[i], 0, 0, &out, &fault), WEIR_E_DATA);
                ck_assert_str_eq(fault, "a text is not valid UTF-8");
                ck_assert_uint_eq(out.size, 0);
            }
        }
    }
}
END_TEST

START_TEST(a_text_of_ours_is_written_whatever_it_holds)
{
    buffer_clear(&out);
    ck_assert_int_eq(json_write_text("a\xff\"b", 4, &out), WEIR_OK);
    ck_assert_str_eq(buffer_c_string(&out), "\"a\xef\xbf\xbd\\\"b\"");
}
END_TEST

START_TEST(long_texts_are_escaped_whole)
{
    enum { LEN = 100000 };
    char *text = malloc(LEN);
    for (size_t i = 0; i < LEN; i++) {
        text[i] = (char)(i % 1000 == 999 ? '\n' : 'a' + i % 26);
    }
    ck_assert_int_eq(json_write_text(text, LEN, &out), WEIR_OK);
    ck_assert_uint_eq(out.size, LEN + 2 + LEN / 1000);
    yyjson_doc *doc = yyjson_read((const char *)out.data, (size_t)out.size, 0);
    ck_assert(yyjson_equals_strn(yyjson_doc_get_root(doc), text, LEN));
    yyjson_doc_free(doc);
    free(text);
}
END_TEST

START_TEST(plain_texts_and_keys_are_copied_unseen)
{
    /* Against the contract, to see that nobody looks. */
    weir_value text = sample_text("a\nb");
    text.flags = WEIR_VALUE_PLAIN;
    ck_assert_str_eq(write_plainly(text), "\"a\nb\"");
    weir_member members[] = { sample_member("k\n", weir_int(1)) };
    members[0].symbol = WEIR_SYMBOL_PLAIN;
    ck_assert_str_eq(write_plainly(weir_map_value(members, 1)), "{\"k\n\":1}");
    members[0].symbol = WEIR_SYMBOL_FIRST; /* interned: may need escaping */
    ck_assert_str_eq(write_plainly(weir_map_value(members, 1)), "{\"k\\n\":1}");
    for (size_t len = 0; len < 70; len++) {
        static const char letters[] =
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefgh";
        char expected[80];
        text = weir_text_value(letters, (uint32_t)len);
        text.flags = WEIR_VALUE_PLAIN;
        snprintf(expected, sizeof expected, "\"%.*s\"", (int)len, letters);
        ck_assert_str_eq(write_plainly(text), expected);
    }
}
END_TEST

START_TEST(sources_are_copied_byte_for_byte)
{
    struct sourced rooms[4];
    weir_value items[] = { weir_int(1) };
    weir_member members[] = { sample_member("a", weir_int(1)) };
    weir_value text = with_source(&rooms[0], "\"\\u0061\\/\"", sample_text("a/"));
    weir_value list = with_source(&rooms[1], "[ 1 ]", weir_list_value(items, 1));
    weir_value map = with_source(&rooms[2], "{\"a\" : 1.0e0}", weir_map_value(members, 1));
    ck_assert_str_eq(write_plainly(LIST(text, list, map)),
                     "[\"\\u0061\\/\",[ 1 ],{\"a\" : 1.0e0}]");
    ck_assert_str_eq(write_plainly(map), "{\"a\" : 1.0e0}");
    text.flags |= WEIR_VALUE_PLAIN;
    ck_assert_str_eq(write_plainly(text), "\"\\u0061\\/\"");
}
END_TEST

START_TEST(a_form_made_anew_depends_on_the_value_alone)
{
    struct sourced rooms[4];
    weir_value items[] = { weir_int(1) };
    weir_value text = with_source(&rooms[0], "\"\\u0061\\/\"", sample_text("a/"));
    weir_value list = with_source(&rooms[1], "[ 1 ]", weir_list_value(items, 1));
    weir_member members[] = { sample_member("a", list), sample_member("b", text) };
    weir_value map =
        with_source(&rooms[2], "{ \"a\" : [ 1 ], \"b\": \"a/\" }", weir_map_value(members, 2));
    ck_assert_str_eq(write_with(map, WEIR_JSON_ANEW), "{\"a\":[1],\"b\":\"a/\"}");
    ck_assert_str_eq(write_with(text, WEIR_JSON_ANEW), "\"a/\"");
}
END_TEST

START_TEST(flags_on_kinds_that_cannot_have_them_mean_nothing)
{
    weir_value values[] = { weir_null(), weir_int(5), weir_float(0.5), sample_number("1.10"),
                            sample_time(0, 0) };
    static const char *const texts[] = { "null", "5", "0.5", "1.10", "\"1970-01-01T00:00:00Z\"" };
    for (int i = 0; i < COUNT(values); i++) {
        values[i].flags = WEIR_VALUE_PLAIN | WEIR_VALUE_SOURCE;
        ck_assert_str_eq(write_plainly(values[i]), texts[i]);
    }
    struct sourced room;
    weir_value bytes = with_source(&room, "\"stolen\"", sample_bytes("ab"));
    bytes.flags = WEIR_VALUE_PLAIN | WEIR_VALUE_SOURCE;
    const char *fault = NULL;
    ck_assert_int_eq(json_write(&bytes, 0, 0, &out, &fault), WEIR_E_DATA);
    ck_assert_str_eq(write_with(bytes, WEIR_JSON_BYTES_TAGGED), "{\"$bytes\":\"YWI=\"}");
}
END_TEST

static const struct {
    const char *bytes;
    uint32_t len;
    const char *encoded;
} base64[] = {
    { "", 0, "" },
    { "f", 1, "Zg==" },
    { "fo", 2, "Zm8=" },
    { "foo", 3, "Zm9v" },
    { "foob", 4, "Zm9vYg==" },
    { "\xff\xfe\xfd\0", 4, "//79AA==" },
    { "\xfb\xef\xbe", 3, "++++" },
};

START_TEST(bytes_are_an_error_or_tagged)
{
    weir_value v = LIST(weir_bytes_value(base64[_i].bytes, base64[_i].len));
    char expected[64];
    snprintf(expected, sizeof expected, "[{\"$bytes\":\"%s\"}]", base64[_i].encoded);
    ck_assert_str_eq(write_with(v, WEIR_JSON_BYTES_TAGGED), expected);
    buffer_clear(&out);
    const char *fault = NULL;
    ck_assert_int_eq(json_write(&v, 0, 0, &out, &fault), WEIR_E_DATA);
    ck_assert_ptr_nonnull(strstr(fault, "bytes"));
    ck_assert_uint_eq(out.size, 0);
}
END_TEST

START_TEST(nan_is_null_or_an_error)
{
    weir_value v = LIST(weir_int(1), weir_float(__builtin_nan("")), weir_float(__builtin_inf()));
    ck_assert_str_eq(write_plainly(v), "[1,null,null]");
    const char *fault = NULL;
    ck_assert_int_eq(json_write(&v, WEIR_JSON_NAN_ERROR, 0, &out, &fault), WEIR_E_DATA);
    ck_assert_ptr_nonnull(strstr(fault, "NaN"));
    ck_assert_str_eq(buffer_c_string(&out), "[1,null,null]");
}
END_TEST

START_TEST(unknown_kinds_are_an_error)
{
    static const uint8_t tags[] = { 10, 77, WEIR_TAG_MISSING, WEIR_TAG_ERROR };
    for (int i = 0; i < COUNT(tags); i++) {
        weir_value v = { .tag = tags[i] };
        const char *fault = NULL;
        ck_assert_int_eq(json_write(&v, 0, 0, &out, &fault), WEIR_E_DATA);
        ck_assert_ptr_nonnull(fault);
        ck_assert_int_eq(json_write(&v, 0, 0, &out, NULL), WEIR_E_DATA);
    }
}
END_TEST

START_TEST(depth_is_limited)
{
    static weir_value items[2000];
    const char *fault = NULL;
    weir_value deep = sample_nest(weir_int(1), JSON_DEFAULT_DEPTH, items);
    ck_assert_int_eq(json_write(&deep, 0, 0, &out, &fault), WEIR_OK);
    deep = sample_nest(weir_int(1), JSON_DEFAULT_DEPTH + 1, items);
    ck_assert_int_eq(json_write(&deep, 0, 0, &out, &fault), WEIR_E_DATA);
    ck_assert_ptr_nonnull(strstr(fault, "deep"));
    ck_assert_int_eq(json_write(&deep, 0, 255, &out, &fault), WEIR_OK);
    deep = sample_nest(weir_int(1), 1000, items);
    buffer_clear(&out);
    ck_assert_int_eq(json_write(&deep, 0, 1000, &out, &fault), WEIR_OK);
    ck_assert_uint_eq(out.size, 2001);
    weir_value map = MAP(sample_member("a", weir_map_value(NULL, 0)));
    ck_assert_int_eq(json_write(&map, 0, 2, &out, &fault), WEIR_OK);
    ck_assert_int_eq(json_write(&map, 0, 1, &out, &fault), WEIR_E_DATA);
}
END_TEST

START_TEST(depth_is_limited_inside_sources_too)
{
    struct sourced rooms[2];
    weir_value inner[] = { weir_list_value(NULL, 0) };
    weir_value middle[] = { with_source(&rooms[0], "[[]]      ", weir_list_value(inner, 1)) };
    weir_value v = with_source(&rooms[1], "[[[]]      ]", weir_list_value(middle, 1));
    const char *fault = NULL;
    ck_assert_int_eq(json_write(&v, 0, 3, &out, &fault), WEIR_OK);
    ck_assert_str_eq(buffer_c_string(&out), "[[[]]      ]");
    ck_assert_int_eq(json_write(&v, 0, 2, &out, &fault), WEIR_E_DATA);
    weir_value around = LIST(v);
    ck_assert_int_eq(json_write(&around, 0, 3, &out, &fault), WEIR_E_DATA);
    ck_assert_int_eq(json_write(&around, 0, 4, &out, &fault), WEIR_OK);
}
END_TEST

/* Everything that asks for room, in one value. */
static weir_value rich_value(void)
{
    static weir_value items[5];
    static weir_member members[3];
    items[0] = sample_text("a text that is plain");
    items[1] = sample_text("one\nto escape");
    items[2] = weir_float(0.1);
    items[3] = sample_number("1.10");
    items[4] = sample_bytes("bytes");
    members[0] = sample_member("list", weir_list_value(items, 5));
    members[1] = sample_member("key \"quoted\"", weir_int(INT64_MIN));
    members[2] = sample_member("e", weir_map_value(NULL, 0));
    return weir_map_value(members, 3);
}

START_TEST(the_limit_of_the_buffer_is_exact)
{
    weir_value v = rich_value();
    char expected[300];
    snprintf(expected, sizeof expected, "%s", write_with(v, WEIR_JSON_BYTES_TAGGED));
    size_t size = strlen(expected);
    for (size_t limit = 0; limit <= size + 4; limit++) {
        weir_buffer small;
        buffer_init(&small, limit);
        ck_assert_int_eq(weir_buffer_append(&small, "ab", limit < 2 ? limit : 2), WEIR_OK);
        uint64_t before = small.size;
        weir_status st = json_write(&v, WEIR_JSON_BYTES_TAGGED, 0, &small, NULL);
        ck_assert_int_eq(st, limit < size + 2 ? WEIR_E_LIMIT : WEIR_OK);
        if (st == WEIR_OK) {
            ck_assert_str_eq(buffer_c_string(&small) + 2, expected);
        } else {
            ck_assert_uint_eq(small.size, before);
        }
        buffer_deinit(&small);
    }
}
END_TEST

START_TEST(no_memory_is_an_error_and_leaves_the_buffer)
{
    static weir_value many[1000];
    for (int i = 0; i < COUNT(many); i++) {
        many[i] = rich_value();
    }
    weir_value v = weir_list_value(many, COUNT(many));
    size_t failures = 0;
    for (size_t k = 1;; k++) {
        weir_buffer small;
        buffer_init(&small, 1 << 20);
        ck_assert_int_eq(buffer_text(&small, "ab"), WEIR_OK);
        memory_fail_from(k);
        weir_status st = json_write(&v, WEIR_JSON_BYTES_TAGGED, 0, &small, NULL);
        memory_fail_from(0);
        ck_assert(st == WEIR_OK || (st == WEIR_E_NOMEM && small.size == 2));
        ck_assert_int_eq(memcmp(small.data, "ab", 2), 0);
        buffer_deinit(&small);
        if (st == WEIR_OK) {
            break;
        }
        failures++;
    }
    ck_assert_uint_gt(failures, 5);
}
END_TEST

START_TEST(steady_writing_takes_no_memory)
{
    weir_value v = rich_value();
    (void)write_with(v, WEIR_JSON_BYTES_TAGGED);
    size_t before = memory_count();
    for (int i = 0; i < 100; i++) {
        (void)write_with(v, WEIR_JSON_BYTES_TAGGED);
    }
    ck_assert_uint_eq(memory_count(), before);
}
END_TEST

/* ---- random values, yyjson as reader ----------------------------------------------------------- */

static uint64_t seed = 7;

static unsigned pick(unsigned count)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(seed >> 33) % count;
}

static weir_value random_text(struct arena *arena)
{
    static const char *const pieces[] = {
        "a", "bcd", "\"", "\\", "\n", "\x01", "\xc3\xa9", "\xf0\x9f\x98\x80", "efghijklmnop", "\x7f"
    };
    size_t len = 0;
    char *text = arena_alloc(arena, 12 * 40);
    for (unsigned left = pick(40); left > 0; left--) {
        const char *piece = pieces[pick(COUNT(pieces))];
        memcpy(text + len, piece, strlen(piece));
        len += strlen(piece);
    }
    return weir_text_value(text, (uint32_t)len);
}

static weir_value random_value(struct arena *arena, unsigned levels)
{
    unsigned count = pick(6);
    switch (pick(levels > 0 ? 7 : 5)) {
    case 0:
        return weir_null();
    case 1:
        return weir_bool((int)pick(2));
    case 2:
        return weir_int((int64_t)seed >> pick(60));
    case 3:
        return weir_float((double)pick(100000) / 1000);
    case 4:
        return random_text(arena);
    case 5: {
        weir_value *items = arena_alloc(arena, count * sizeof *items);
        for (unsigned i = 0; i < count; i++) {
            items[i] = random_value(arena, levels - 1);
        }
        return weir_list_value(items, count);
    }
    default: {
        weir_member *members = arena_alloc(arena, count * sizeof *members);
        for (unsigned i = 0; i < count; i++) {
            weir_value key = random_text(arena);
            members[i] = (weir_member){ 0, key.len, key.as.text, random_value(arena, levels - 1) };
        }
        return weir_map_value(members, count);
    }
    }
}

static bool agrees(const weir_value *v, yyjson_val *read)
{
    switch (v->tag) {
    case WEIR_NULL:
        return yyjson_is_null(read);
    case WEIR_BOOL:
        return yyjson_is_bool(read) && yyjson_get_bool(read) == (v->as.i64 != 0);
    case WEIR_INT:
        return yyjson_is_int(read) && yyjson_get_sint(read) == v->as.i64;
    case WEIR_FLOAT:
        return yyjson_is_real(read) && !(yyjson_get_real(read) < v->as.f64) &&
               !(yyjson_get_real(read) > v->as.f64);
    case WEIR_TEXT:
        return yyjson_equals_strn(read, v->as.text, v->len);
    case WEIR_LIST: {
        bool is_alike = yyjson_arr_size(read) == v->len && yyjson_is_arr(read);
        for (uint32_t i = 0; is_alike && i < v->len; i++) {
            is_alike = agrees(&v->as.items[i], yyjson_arr_get(read, i));
        }
        return is_alike;
    }
    default: {
        bool is_alike = yyjson_obj_size(read) == v->len && yyjson_is_obj(read);
        yyjson_obj_iter iter = yyjson_obj_iter_with(read);
        for (uint32_t i = 0; is_alike && i < v->len; i++) {
            yyjson_val *key = yyjson_obj_iter_next(&iter);
            is_alike = yyjson_equals_strn(key, v->as.members[i].key, v->as.members[i].key_len) &&
                       agrees(&v->as.members[i].value, yyjson_obj_iter_get_val(key));
        }
        return is_alike;
    }
    }
}

START_TEST(a_foreign_reader_reads_what_was_written)
{
    struct arena arena;
    arena_init(&arena, 1 << 18);
    for (int i = 0; i < 20000; i++) {
        arena_reset(&arena);
        weir_value v = random_value(&arena, 5);
        buffer_clear(&out);
        ck_assert_int_eq(json_write(&v, 0, 0, &out, NULL), WEIR_OK);
        yyjson_doc *doc = yyjson_read((const char *)out.data, (size_t)out.size, 0);
        ck_assert_msg(doc != NULL && agrees(&v, yyjson_doc_get_root(doc)), "%s",
                      buffer_c_string(&out));
        yyjson_doc_free(doc);
    }
    arena_deinit(&arena);
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("json_write");
    TCase *tests = tcase_create("json_write");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, start, finish);
    tcase_add_test(tests, scalars_have_their_form);
    tcase_add_test(tests, containers_nest_and_keep_their_order);
    tcase_add_test(tests, what_is_there_stays_in_front);
    tcase_add_test(tests, an_escape_is_found_at_every_place_of_every_length);
    tcase_add_test(tests, text_that_is_not_utf8_is_an_error);
    tcase_add_test(tests, a_text_of_ours_is_written_whatever_it_holds);
    tcase_add_test(tests, long_texts_are_escaped_whole);
    tcase_add_test(tests, plain_texts_and_keys_are_copied_unseen);
    tcase_add_test(tests, sources_are_copied_byte_for_byte);
    tcase_add_test(tests, a_form_made_anew_depends_on_the_value_alone);
    tcase_add_test(tests, flags_on_kinds_that_cannot_have_them_mean_nothing);
    tcase_add_loop_test(tests, bytes_are_an_error_or_tagged, 0, COUNT(base64));
    tcase_add_test(tests, nan_is_null_or_an_error);
    tcase_add_test(tests, unknown_kinds_are_an_error);
    tcase_add_test(tests, depth_is_limited);
    tcase_add_test(tests, depth_is_limited_inside_sources_too);
    tcase_add_test(tests, the_limit_of_the_buffer_is_exact);
    tcase_add_test(tests, no_memory_is_an_error_and_leaves_the_buffer);
    tcase_add_test(tests, steady_writing_takes_no_memory);
    tcase_add_test(tests, a_foreign_reader_reads_what_was_written);
    suite_add_tcase(suite, tests);
    return suite;
}
