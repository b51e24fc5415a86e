/* SPDX-License-Identifier: MIT */
/* What the plugins of tests/debug_host cannot do, since it is weir that would do it: wrong orders. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "plugin/debug/debug_host.h"
#include "plugin/debug/guard.h"
#include "plugin/debug/region.h"

static struct symbols symbols;
static struct services services = { .symbols = &symbols };
static struct arena arena;
static struct call call;
static struct instance *instance;

static weir_status take_context(void *self, weir_context *ctx)
{
    (void)self, (void)ctx;
    return WEIR_OK;
}

static weir_status take_slice(void *self, weir_context *ctx, weir_slice slice)
{
    (void)self, (void)ctx, (void)slice;
    return WEIR_OK;
}

static weir_status write_nothing(void *self, weir_context *ctx, const weir_batch *in)
{
    (void)self, (void)ctx, (void)in;
    return WEIR_OK;
}

static weir_status open_source(void *self, weir_context *ctx, weir_slice position, uint32_t flags)
{
    (void)self, (void)ctx, (void)position, (void)flags;
    return WEIR_OK;
}

static weir_status poll_nothing(void *self, weir_context *ctx, uint32_t max_records,
                                int64_t timeout_ms)
{
    (void)self, (void)ctx, (void)max_records, (void)timeout_ms;
    return WEIR_AGAIN;
}

static const weir_sink_vtable sink_vtable = { .struct_size = sizeof sink_vtable,
                                              .open = take_slice,
                                              .write = write_nothing,
                                              .publish = take_slice,
                                              .discard = take_context,
                                              .reset = take_context,
                                              .close = take_context };
static const weir_source_vtable source_vtable = { .struct_size = sizeof source_vtable,
                                                  .open = open_source,
                                                  .poll = poll_nothing,
                                                  .close = take_context };
static const weir_factory sink = {
    .struct_size = sizeof sink, .kind = WEIR_KIND_SINK, .name = "probe", .vtable = &sink_vtable
};
static const weir_factory source = { .struct_size = sizeof source,
                                     .kind = WEIR_KIND_SOURCE,
                                     .name = "probe",
                                     .vtable = &source_vtable };

static void make(const weir_factory *spec)
{
    struct error error = { .status = WEIR_OK };
    instance = instance_create(&services, spec, NULL, "probe", &error);
    ck_assert_msg(instance != NULL, "%s", error.message);
}

static void setup(void)
{
    arena_init(&arena, 0);
    symbols_init(&symbols);
    ck_assert(call_init(&call, 1));
}

static void teardown(void)
{
    instance_destroy(instance);
    call_deinit(&call);
    symbols_deinit(&symbols);
    arena_deinit(&arena);
}

/* One letter a call: o(pen) w(rite) p(ublish) d(iscard) r(eset) c(lose). */
static weir_status call_sink(char letter)
{
    const weir_sink_vtable *vtable = instance->spec->vtable;
    weir_record record = { 0 };
    weir_entry entry = { .record = &record };
    weir_batch batch = { .struct_size = sizeof batch, .count = 1, .entries = &entry };
    weir_slice token = { (const uint8_t *)"t", 1 };
    call_begin(&call, instance, &arena, letter == 'w' ? &batch : NULL);
    switch (letter) {
    case 'o':
        return vtable->open(instance->self, &call.context, token);
    case 'w':
        return vtable->write(instance->self, &call.context, &batch);
    case 'p':
        return vtable->publish(instance->self, &call.context, token);
    case 'd':
        return vtable->discard(instance->self, &call.context);
    case 'r':
        return vtable->reset(instance->self, &call.context);
    default:
        return vtable->close(instance->self, &call.context);
    }
}

static weir_status call_source(char letter)
{
    const weir_source_vtable *vtable = instance->spec->vtable;
    call_begin(&call, instance, &arena, NULL);
    switch (letter) {
    case 'o':
        return vtable->open(instance->self, &call.context, (weir_slice){ NULL, 0 }, 0);
    case 'w':
        return vtable->poll(instance->self, &call.context, 1, 0);
    default:
        return vtable->close(instance->self, &call.context);
    }
}

/* The last call of each must not be; all before it may. */
static const char *const sink_orders[] = { "w", "p", "d", "c", "oo", "or", "ocw", "ocp", "occ" };
static const char *const right_sink_orders[] = { "o", "ro", "opwpwdc" };
static const char *const source_orders[] = { "w", "c", "oo", "ocw", "owcc" };

static void play(const char *order, weir_status (*play_one)(char letter))
{
    size_t len = strlen(order);
    for (size_t i = 0; i + 1 < len; i++) {
        ck_assert_int_ge(play_one(order[i]), 0);
        call_end(&call);
    }
    ck_assert_int_eq(play_one(order[len - 1]), WEIR_E_INTERNAL);
    call_end(&call);
    ck_assert_ptr_nonnull(strstr(call.whole.message, "was called by weir where it may not be"));
}

START_TEST(a_sink_is_not_called_in_another_order)
{
    make(&sink);
    play(sink_orders[_i], call_sink);
}
END_TEST

START_TEST(a_sink_is_called_in_its_order)
{
    make(&sink);
    for (const char *at = right_sink_orders[_i]; *at != '\0'; at++) {
        ck_assert_int_eq(call_sink(*at), WEIR_OK);
        call_end(&call);
    }
    ck_assert_uint_eq(debug_host_breaches(), 0);
}
END_TEST

START_TEST(a_source_is_not_called_in_another_order)
{
    make(&source);
    play(source_orders[_i], call_source);
}
END_TEST

/* The same seed gives the same pieces; each is at least one record and no more than there are. */
START_TEST(pieces_follow_the_seed)
{
    uint32_t sizes[100];
    make(&sink);
    for (uint32_t i = 0; i < 100; i++) {
        sizes[i] = guard_piece(instance->guard, i + 1);
        ck_assert_uint_ge(sizes[i], 1);
        ck_assert_uint_le(sizes[i], i + 1);
    }
    instance_destroy(instance);
    make(&sink);
    for (uint32_t i = 0; i < 100; i++) {
        ck_assert_uint_eq(guard_piece(instance->guard, i + 1), sizes[i]);
    }
}
END_TEST

/* More than the window has room for, while one region lives all the time. */
START_TEST(the_window_comes_round_past_what_lives)
{
    enum { SIZE = 256 << 20 };
    ck_assert(debug_host_is_on());
    struct region *living = region_open(REGION_INSTANCE, 1, "p", "l");
    ck_assert_ptr_nonnull(living);
    living->base[0] = 42;
    for (int i = 0; i < 100; i++) {
        struct region *region = region_open(REGION_BATCH, SIZE, "p", "l");
        ck_assert_ptr_nonnull(region);
        ck_assert(!region_holds(region, living->base));
        region->base[0] = 1;
        const uint8_t *base = region->base;
        region_retire(region);
        ck_assert(region_is_ours(base));
        ck_assert(region_find(base)->is_retired);
    }
    ck_assert_uint_eq(living->base[0], 42);
    ck_assert_ptr_null(region_open(REGION_BATCH, (size_t)5 << 30, "p", "l"));
    region_retire(living);
}
END_TEST

Suite *suite(void)
{
    setenv("WEIR_CHECK_ABI", "1:9", 1);
    Suite *suite = suite_create("guard");
    TCase *orders = tcase_create("orders");
    tcase_add_checked_fixture(orders, setup, teardown);
    tcase_add_loop_test(orders, a_sink_is_not_called_in_another_order, 0,
                        sizeof sink_orders / sizeof sink_orders[0]);
    tcase_add_loop_test(orders, a_sink_is_called_in_its_order, 0,
                        sizeof right_sink_orders / sizeof right_sink_orders[0]);
    tcase_add_loop_test(orders, a_source_is_not_called_in_another_order, 0,
                        sizeof source_orders / sizeof source_orders[0]);
    tcase_add_test(orders, pieces_follow_the_seed);
    suite_add_tcase(suite, orders);
    TCase *regions = tcase_create("regions");
    tcase_add_test(regions, the_window_comes_round_past_what_lives);
    suite_add_tcase(suite, regions);
    return suite;
}
