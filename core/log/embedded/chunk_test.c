/* SPDX-License-Identifier: MIT */
/* Packing and unpacking; what is damaged is told, never read. */
#include "log/embedded/chunk.h"

#include "log/embedded/chunk_pool.h"
#include "log/log_fixture.h"

static struct chunk_pool pool;
static struct arena arena;

static void setup(void)
{
    chunk_pool_init(&pool, false);
    arena_init(&arena, 0);
}

static void teardown(void)
{
    arena_deinit(&arena);
    chunk_pool_deinit(&pool);
}

/* Samples number base to base + count - 1 at offsets of the same number. */
static struct chunk *make_chunk(int64_t base, uint32_t count)
{
    struct chunk *chunk = chunk_pool_take(&pool, 1);
    chunk_clear(chunk, base, INT64_MIN);
    for (uint32_t i = 0; i < count; i++) {
        struct sample s;
        sample_make(&s, base + i);
        uint64_t size = chunk_message_size(&s.message);
        ck_assert(chunk_has_room(chunk, size));
        chunk_add(chunk, &s.message, size);
    }
    return chunk;
}

/* A run from number `index` on, copied; returns how many messages. *ret_bytes: their packed size */
static uint32_t take(struct chunk *chunk, uint32_t index, uint32_t max_count, uint64_t max_bytes,
                     struct log_message *messages, uint64_t *ret_bytes)
{
    struct chunk_run run = chunk_run_at(chunk, index, max_count, max_bytes);
    const uint8_t *bytes = chunk_copy(chunk, &run, &arena);
    ck_assert_ptr_nonnull(bytes);
    ck_assert(chunk_unpack(chunk, &run, bytes, &arena, messages));
    *ret_bytes = run.size;
    return run.count;
}

static void check_copy(struct chunk *chunk, int64_t offset, uint32_t max_count)
{
    struct log_message messages[300];
    uint64_t bytes = 0;
    uint32_t left = (uint32_t)(chunk->end - offset);
    uint32_t index = chunk_index(chunk, offset);
    uint32_t count = take(chunk, index, max_count, UINT64_MAX, messages, &bytes);
    ck_assert_uint_eq(count, left < max_count ? left : max_count);
    for (uint32_t i = 0; i < count; i++) {
        ck_assert_int_eq(messages[i].offset, offset + i);
        ck_assert(is_sample(&messages[i], offset + i));
    }
    arena_reset(&arena);
}

START_TEST(gives_back_what_was_packed_from_any_offset)
{
    struct chunk *chunk = make_chunk(7, 60);
    for (int64_t offset = 7; offset < 67; offset++) {
        for (uint32_t max_count = 1; max_count <= 61; max_count += 5) {
            check_copy(chunk, offset, max_count);
        }
    }
    for (int64_t offset = 66; offset >= 7; offset--) { /* against the hint's direction */
        check_copy(chunk, offset, 2);
    }
}
END_TEST

START_TEST(tells_null_from_empty)
{
    struct chunk *chunk = chunk_pool_take(&pool, 1);
    chunk_clear(chunk, 0, INT64_MIN);
    const struct log_message given[] = { message_of(NULL, NULL, 1), message_of("", "", 2),
                                         message_of(NULL, "", 3), message_of("", NULL, 4) };
    for (size_t i = 0; i < 4; i++) {
        chunk_add(chunk, &given[i], chunk_message_size(&given[i]));
    }
    struct log_message got[4];
    uint64_t bytes = 0;
    ck_assert_uint_eq(take(chunk, 0, 4, UINT64_MAX, got, &bytes), 4);
    for (size_t i = 0; i < 4; i++) {
        ck_assert_uint_eq(got[i].key.size, given[i].key.size);
        ck_assert_uint_eq(got[i].value.size, given[i].value.size);
    }
}
END_TEST

START_TEST(stops_at_the_byte_limit_but_gives_one)
{
    struct chunk *chunk = make_chunk(0, 100);
    struct log_message messages[100];
    uint64_t bytes = 0;
    ck_assert_uint_eq(take(chunk, 0, 100, 1, messages, &bytes), 1);
    uint32_t count = take(chunk, 0, 100, 500, messages, &bytes);
    ck_assert_uint_gt(count, 1);
    ck_assert_uint_lt(count, 100);
    ck_assert_uint_ge(bytes, 500);
    ck_assert_uint_lt(bytes, 500 + 300);
}
END_TEST

START_TEST(takes_no_more_than_fits)
{
    struct chunk *chunk = chunk_pool_take(&pool, 1);
    chunk_clear(chunk, 0, INT64_MIN);
    struct log_message small = message_of("k", "v", 0);
    uint64_t size = chunk_message_size(&small);
    while (chunk_has_room(chunk, size)) {
        chunk_add(chunk, &small, size);
    }
    ck_assert_uint_eq(chunk->count, CHUNK_MESSAGES);

    char *big = calloc(1, 100 * 1024);
    struct log_message large = { .value = { (const uint8_t *)big, 100 * 1024 } };
    size = chunk_message_size(&large);
    chunk_clear(chunk, 0, INT64_MIN);
    while (chunk_has_room(chunk, size)) {
        chunk_add(chunk, &large, size);
    }
    ck_assert_uint_eq(chunk->count, 2);
    ck_assert_uint_le(chunk->size, chunk->capacity);
    free(big);
}
END_TEST

START_TEST(refuses_sizes_that_no_message_has)
{
    struct log_header headers[] = { { .name = "h", .name_len = 1, .value = { NULL, 600u << 20 } },
                                    { .name = "h", .name_len = 1, .value = { NULL, 600u << 20 } } };
    const struct log_message messages[] = {
        { .value = { NULL, CHUNK_MESSAGE_LIMIT } },
        { .key = { NULL, UINT64_MAX - 1 }, .value = { NULL, 100 } },
        { .key = { NULL, 600u << 20 }, .value = { NULL, 600u << 20 } },
        { .headers = headers, .header_count = 2 },
    };
    for (size_t i = 0; i < sizeof messages / sizeof messages[0]; i++) {
        ck_assert_uint_gt(chunk_message_size(&messages[i]), CHUNK_MESSAGE_LIMIT);
    }
    struct log_message fits = { .value = { NULL, CHUNK_MESSAGE_LIMIT - CHUNK_MESSAGE_HEAD } };
    ck_assert_uint_eq(chunk_message_size(&fits), CHUNK_MESSAGE_LIMIT);
}
END_TEST

START_TEST(truncates_to_what_was_there)
{
    struct chunk *chunk = make_chunk(0, 50);
    check_copy(chunk, 40, 5); /* the hint lies behind what stays */
    struct chunk *shorter = make_chunk(0, 20);
    chunk_truncate(chunk, 20, shorter->peak);
    ck_assert_uint_eq(chunk->size, shorter->size);
    check_copy(chunk, 0, 50);
    struct sample s;
    sample_make(&s, 20);
    chunk_add(chunk, &s.message, chunk_message_size(&s.message));
    check_copy(chunk, 19, 50);
}
END_TEST

START_TEST(finds_the_first_message_of_a_time)
{
    struct chunk *chunk = chunk_pool_take(&pool, 1);
    chunk_clear(chunk, 10, INT64_MIN);
    const int64_t times[] = { 5, 3, 9, 7, 9 };
    for (size_t i = 0; i < 5; i++) {
        struct log_message message = message_of("k", "v", times[i]);
        chunk_add(chunk, &message, chunk_message_size(&message));
    }
    ck_assert_int_eq(chunk->peak, 9);
    ck_assert_int_eq(chunk_find_time(chunk, 10, INT64_MIN), 10);
    ck_assert_int_eq(chunk_find_time(chunk, 10, 6), 12);
    ck_assert_int_eq(chunk_find_time(chunk, 13, 8), 14);
    ck_assert_int_eq(chunk_find_time(chunk, 10, 10), 15);
}
END_TEST

/* ---- thinning out -------------------------------------------------------------------------------- */

/* The samples of [base, base + count) whose number is a multiple of three. */
static struct chunk *make_sparse(int64_t base, uint32_t count)
{
    uint32_t offsets[CHUNK_MESSAGES];
    struct chunk *whole = make_chunk(base, count);
    struct chunk *chunk = chunk_pool_take(&pool, 1);
    struct chunk_walk walk = chunk_walk_start(whole);
    struct chunk_message message;
    chunk_clear(chunk, base, INT64_MIN);
    while (chunk_walk_next(&walk, &message)) {
        if (message.offset % 3 == 0) {
            chunk_take(chunk, offsets, whole, &message);
        }
    }
    chunk_close(chunk, offsets, whole->end, whole->peak);
    return chunk;
}

static void check_sparse(struct chunk *chunk, int64_t first, int64_t end)
{
    struct log_message messages[CHUNK_MESSAGES];
    uint64_t bytes = 0;
    for (int64_t offset = first; offset < end; offset++) {
        int64_t next = (offset + 2) / 3 * 3;
        uint32_t index = chunk_index(chunk, offset);
        if (next >= end) {
            ck_assert_uint_eq(index, chunk->count);
            ck_assert_int_eq(chunk_find_time(chunk, offset, INT64_MIN), end);
            continue;
        }
        ck_assert_int_eq(chunk_find_time(chunk, offset, 1000 + next + 1),
                         next + 3 < end ? next + 3 : end);
        uint32_t count = take(chunk, index, 4, UINT64_MAX, messages, &bytes);
        ck_assert_uint_gt(count, 0);
        for (uint32_t i = 0; i < count; i++) {
            ck_assert_int_eq(messages[i].offset, next + 3 * i);
            ck_assert(is_sample(&messages[i], next + 3 * i));
        }
        arena_reset(&arena);
    }
}

START_TEST(a_sparse_chunk_keeps_offsets)
{
    struct chunk *chunk = make_sparse(10, 100);
    ck_assert_uint_eq(chunk->count, 33);
    ck_assert_int_eq(chunk->end, 110);
    check_sparse(chunk, 10, 110);
    chunk_seal(chunk);
    ck_assert_ptr_null(chunk_fault(chunk->image, chunk->size, 10));
    struct chunk *loaded = chunk_pool_take(&pool, chunk->size);
    chunk_load(loaded, chunk->image, chunk->size);
    ck_assert_int_eq(loaded->end, 110);
    ck_assert_uint_eq(loaded->table, chunk->table);
    check_sparse(loaded, 10, 110);
}
END_TEST

START_TEST(a_sparse_chunk_may_be_empty)
{
    struct chunk *chunk = chunk_pool_take(&pool, 1);
    chunk_clear(chunk, 5, INT64_MIN);
    chunk_close(chunk, NULL, 9, 77);
    chunk_seal(chunk);
    ck_assert_ptr_null(chunk_fault(chunk->image, chunk->size, 5));
    ck_assert_uint_eq(chunk_index(chunk, 5), 0);
    ck_assert_int_eq(chunk_find_time(chunk, 5, 0), 9);
}
END_TEST

START_TEST(damage_of_a_sparse_chunk_is_told)
{
    struct chunk *chunk = make_sparse(0, 30);
    chunk_seal(chunk);
    uint8_t *copy = malloc(chunk->size);
    for (uint64_t i = 0; i < chunk->size * 8; i++) {
        struct log_message messages[CHUNK_MESSAGES];
        uint64_t bytes = 0;
        memcpy(copy, chunk->image, chunk->size);
        copy[i / 8] ^= (uint8_t)(1u << (i % 8));
        chunk_stamp(copy, chunk->size);
        if (chunk_fault(copy, chunk->size, 0) != NULL) {
            continue;
        }
        struct chunk *loaded = chunk_pool_take(&pool, chunk->size);
        chunk_load(loaded, copy, chunk->size);
        for (int64_t offset = 0; offset < 30; offset++) {
            ck_assert_uint_le(chunk_index(loaded, offset), loaded->count);
        }
        ck_assert_uint_gt(take(loaded, 0, CHUNK_MESSAGES, UINT64_MAX, messages, &bytes), 0);
        arena_reset(&arena);
        chunk_pool_give(&pool, loaded);
    }
    uint64_t first = chunk->size - chunk->table;
    memcpy(copy, chunk->image, chunk->size);
    copy[first + 4] = 0; /* the second offset is the first's */
    chunk_stamp(copy, chunk->size);
    ck_assert_str_eq(chunk_fault(copy, chunk->size, 0), "its offsets do not rise");
    free(copy);
}
END_TEST

/* ---- damage -------------------------------------------------------------------------------------- */

START_TEST(loads_its_own_image)
{
    struct chunk *chunk = make_chunk(1000, 30);
    chunk_seal(chunk);
    ck_assert_ptr_null(chunk_fault(chunk->image, chunk->size, 1000));
    struct chunk *loaded = chunk_pool_take(&pool, chunk->size);
    chunk_load(loaded, chunk->image, chunk->size);
    ck_assert_int_eq(loaded->base, 1000);
    ck_assert_int_eq(loaded->peak, chunk->peak);
    check_copy(loaded, 1000, 100);
}
END_TEST

static const struct damage {
    size_t at;
    uint8_t byte;
    const char *fault;
} damages[] = {
    { 0, 1, "format" },
    { 1, 1, "count" },                /* sparse, though no offset is missing */
    { 4, 0, "count" },                /* fewer than offsets */
    { 5, 200, "count" },              /* too many */
    { 8, 1, "offset" },               /* base */
    { 16, 5, "count" },               /* end */
    { 32, 1, "size" },                /* bytes */
    { CHUNK_HEAD, 23, "sizes" },      /* a message smaller than its head */
    { CHUNK_HEAD + 3, 1, "sizes" },   /* a message larger than the chunk */
    { CHUNK_HEAD + 4, 200, "sizes" }, /* key */
    { CHUNK_HEAD + 11, 1, "sizes" },  /* value */
    { CHUNK_HEAD + 12, 9, "sizes" },  /* headers */
};

START_TEST(tells_damage)
{
    struct chunk *chunk = make_chunk(3, 3);
    chunk_seal(chunk);
    chunk->image[damages[_i].at] = damages[_i].byte;
    const char *fault = chunk_fault(chunk->image, chunk->size, 3);
    ck_assert_ptr_nonnull(fault);
    /* Also where the checksum is right, which a defect of ours could bring about. */
    chunk_stamp(chunk->image, chunk->size);
    fault = chunk_fault(chunk->image, chunk->size, 3);
    ck_assert_ptr_nonnull(fault);
    ck_assert_msg(strstr(fault, damages[_i].fault) != NULL, "%s", fault);
}
END_TEST

/* A flipped bit or a cut is a fault; with a right checksum it is one, or gives messages that can be read. */
START_TEST(survives_any_flipped_byte_and_any_cut)
{
    struct chunk *chunk = make_chunk(3, 12);
    chunk_seal(chunk);
    for (uint64_t size = 0; size < chunk->size; size++) {
        uint8_t *cut = malloc(size + 1);
        memcpy(cut, chunk->image, size);
        ck_assert_ptr_nonnull(chunk_fault(cut, size, 3));
        free(cut);
    }
    uint8_t *copy = malloc(chunk->size); /* of exact size, so that a sanitizer sees its end */
    struct chunk *loaded = chunk_pool_take(&pool, chunk->size);
    struct log_message messages[CHUNK_MESSAGES];
    for (uint64_t i = 0; i < chunk->size * 8; i++) {
        memcpy(copy, chunk->image, chunk->size);
        copy[i / 8] ^= (uint8_t)(1u << (i % 8));
        ck_assert_ptr_nonnull(chunk_fault(copy, chunk->size, 3));
        chunk_stamp(copy, chunk->size);
        if (chunk_fault(copy, chunk->size, 3) == NULL) {
            uint64_t bytes = 0;
            chunk_load(loaded, copy, chunk->size);
            ck_assert_uint_gt(take(loaded, 0, CHUNK_MESSAGES, UINT64_MAX, messages, &bytes), 0);
            arena_reset(&arena);
        }
    }
    free(copy);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("chunk");
    TCase *tc = tcase_create("chunk");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, gives_back_what_was_packed_from_any_offset);
    tcase_add_test(tc, tells_null_from_empty);
    tcase_add_test(tc, stops_at_the_byte_limit_but_gives_one);
    tcase_add_test(tc, takes_no_more_than_fits);
    tcase_add_test(tc, refuses_sizes_that_no_message_has);
    tcase_add_test(tc, truncates_to_what_was_there);
    tcase_add_test(tc, finds_the_first_message_of_a_time);
    tcase_add_test(tc, a_sparse_chunk_keeps_offsets);
    tcase_add_test(tc, a_sparse_chunk_may_be_empty);
    tcase_add_test(tc, damage_of_a_sparse_chunk_is_told);
    tcase_add_test(tc, loads_its_own_image);
    tcase_add_loop_test(tc, tells_damage, 0, (int)(sizeof damages / sizeof damages[0]));
    tcase_add_test(tc, survives_any_flipped_byte_and_any_cut);
    suite_add_tcase(s, tc);
    return s;
}
