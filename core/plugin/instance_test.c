/* SPDX-License-Identifier: MIT */
/* Life of an instance and every service that it is lent. */
#include "plugin/instance.h"

#include <string.h>

#include <weir/function.h>
#include <weir/operator.h>
#include <weir/sink.h>

#include "base/memory.h"
#include "unit.h"

static struct symbols symbols;
static struct error error;
static int destroyed;

static int64_t fixed_now(void *self)
{
    return *(const int64_t *)self;
}

static int64_t fixed_monotonic(void *self)
{
    return *(const int64_t *)self * 2;
}

static int64_t now = 1234;
static const struct services services = {
    .symbols = &symbols, .now_ms = fixed_now, .monotonic_ns = fixed_monotonic, .self = &now
};

static void setup(void)
{
    symbols_init(&symbols);
    memset(&error, 0, sizeof error);
    destroyed = 0;
}

static void teardown(void)
{
    symbols_deinit(&symbols);
}

struct config {
    weir_status create_status;
    const char *complaint;
};

static weir_status create(const weir_host *host, const void *config, void **ret_self)
{
    const struct config *wanted = config;
    const weir_memory_api *memory = host->get_extension(host, WEIR_MEMORY);
    *ret_self = memory->alloc(host, 100);
    if (*ret_self == NULL) {
        return WEIR_E_NOMEM;
    }
    if (wanted->complaint != NULL) {
        const weir_log_api *log = host->get_extension(host, WEIR_LOG);
        log->write(host, WEIR_LOG_ERROR, wanted->complaint);
    }
    return wanted->create_status;
}

static void destroy(void *self)
{
    ck_assert_ptr_nonnull(self);
    destroyed++;
}

static weir_status process(void *self, weir_context *ctx, const weir_batch *in)
{
    (void)self;
    (void)ctx;
    (void)in;
    return WEIR_OK;
}

static const weir_operator_vtable vtable = {
    .struct_size = sizeof vtable, .create = create, .destroy = destroy, .process = process
};
static const weir_factory factory = {
    .struct_size = sizeof factory, .kind = WEIR_KIND_OPERATOR, .name = "probe", .vtable = &vtable
};
static const weir_operator_vtable plain_vtable = { .struct_size = sizeof plain_vtable,
                                                   .destroy = destroy,
                                                   .process = process };
static const weir_factory plain_factory = { .struct_size = sizeof plain_factory,
                                            .kind = WEIR_KIND_OPERATOR,
                                            .name = "plain",
                                            .vtable = &plain_vtable };

START_TEST(creates_and_destroys)
{
    struct config config = { .create_status = WEIR_OK };
    struct instance *instance = instance_create(&services, &factory, &config, "step", &error);
    ck_assert_ptr_nonnull(instance);
    ck_assert_ptr_nonnull(instance->self);
    ck_assert_ptr_eq(instance->spec, &factory);
    ck_assert_uint_eq(instance->host.abi_major, WEIR_ABI_MAJOR);
    ck_assert_ptr_nonnull(instance->host.host_version);
    instance_destroy(instance);
    ck_assert_int_eq(destroyed, 1);
    instance_destroy(NULL);
}
END_TEST

START_TEST(takes_the_config_as_self_without_create)
{
    int config = 5;
    struct instance *instance = instance_create(&services, &plain_factory, &config, "x", &error);
    ck_assert_ptr_eq(instance->self, &config);
    instance_destroy(instance);
    ck_assert_int_eq(destroyed, 0);
}
END_TEST

START_TEST(refuses_a_kind_without_instances)
{
    static const weir_factory function = { .struct_size = sizeof function,
                                           .kind = WEIR_KIND_FUNCTION,
                                           .name = "upper" };
    ck_assert_ptr_null(instance_create(&services, &function, NULL, "upper", &error));
    ck_assert_int_eq(error.status, WEIR_E_UNSUPPORTED);
}
END_TEST

static const struct {
    struct config config;
    weir_status status;
    uint32_t error_class;
    const char *message;
} failures[] = {
    { { WEIR_E_INVALID, NULL },
      WEIR_E_INVALID,
      WEIR_CLASS_CONFIG,
      "could not create streams.a.steps[0] (probe): its configuration is not valid" },
    { { WEIR_E_INVALID, "low is above high" },
      WEIR_E_INVALID,
      WEIR_CLASS_CONFIG,
      "could not create streams.a.steps[0] (probe): low is above high" },
    { { WEIR_E_NOT_FOUND, NULL },
      WEIR_E_NOT_FOUND,
      WEIR_CLASS_NOT_FOUND,
      "could not create streams.a.steps[0] (probe): something that it needs does not exist" },
    { { WEIR_E_NOMEM, NULL },
      WEIR_E_NOMEM,
      WEIR_CLASS_RESOURCE,
      "could not create streams.a.steps[0] (probe): out of memory" },
    { { -999, NULL },
      WEIR_E_INTERNAL,
      WEIR_CLASS_BUG,
      "could not create streams.a.steps[0] (probe): the plugin reports a defect of its own" },
    { { WEIR_AGAIN, NULL },
      WEIR_E_INTERNAL,
      WEIR_CLASS_BUG,
      "could not create streams.a.steps[0] (probe): the plugin reports a defect of its own" },
};

START_TEST(explains_a_failed_create)
{
    struct instance *instance = instance_create(&services, &factory, &failures[_i].config,
                                                "streams.a.steps[0] (probe)", &error);
    ck_assert_ptr_null(instance);
    ck_assert_int_eq(error.status, failures[_i].status);
    ck_assert_uint_eq(error.error_class, failures[_i].error_class);
    ck_assert_str_eq(error.message, failures[_i].message);
    ck_assert_int_eq(destroyed, 0);
}
END_TEST

START_TEST(survives_every_failing_allocation)
{
    struct config config = { .create_status = WEIR_OK };
    struct instance *instance = NULL;
    size_t k = 1;
    for (; instance == NULL; k++) {
        ck_assert_uint_lt(k, 50);
        memset(&error, 0, sizeof error);
        memory_fail_from(k);
        instance = instance_create(&services, &factory, &config, "step", &error);
        memory_fail_from(0);
        ck_assert(instance != NULL || error.status == WEIR_E_NOMEM);
    }
    ck_assert_uint_gt(k, 2);
    instance_destroy(instance);
}
END_TEST

static struct instance host_instance;

static const void *extension(const char *id)
{
    const void *table = host_instance.host.get_extension(&host_instance.host, id);
    ck_assert_ptr_nonnull(table);
    return table;
}

static void setup_host(void)
{
    setup();
    instance_init_host(&host_instance, &services, "host");
}

static void teardown_host(void)
{
    instance_deinit_host(&host_instance);
    teardown();
}

START_TEST(knows_no_other_extension)
{
    static const char *const unknown[] = { "weir.memory/2", "weir.memory/1 ", "weir.memory", "",
                                           "weir.state/1" };
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        ck_assert_ptr_null(host_instance.host.get_extension(&host_instance.host, unknown[i]));
    }
}
END_TEST

START_TEST(states_the_size_of_every_table)
{
    static const struct {
        const char *id;
        size_t size;
    } tables[] = { { WEIR_MEMORY, sizeof(weir_memory_api) },
                   { WEIR_SYMBOLS, sizeof(weir_symbols_api) },
                   { WEIR_VALUES, sizeof(weir_values_api) },
                   { WEIR_EXPRESSIONS, sizeof(weir_expressions_api) },
                   { WEIR_LOG, sizeof(weir_log_api) },
                   { WEIR_METRICS, sizeof(weir_metrics_api) },
                   { WEIR_CLOCK, sizeof(weir_clock_api) } };
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        ck_assert_uint_eq(*(const uint32_t *)extension(tables[i].id), tables[i].size);
    }
}
END_TEST

START_TEST(lends_zeroed_aligned_memory)
{
    const weir_memory_api *memory = extension(WEIR_MEMORY);
    for (size_t size = 1; size < 3000; size += 700) {
        unsigned char *block = memory->alloc(&host_instance.host, size);
        ck_assert_ptr_nonnull(block);
        ck_assert_uint_eq((uintptr_t)block % 16, 0);
        for (size_t i = 0; i < size; i++) {
            ck_assert_uint_eq(block[i], 0);
        }
        memset(block, 0xff, size);
    }
    ck_assert_ptr_null(memory->alloc(&host_instance.host, UINT64_MAX));
}
END_TEST

START_TEST(numbers_names_until_they_are_sealed)
{
    const weir_symbols_api *api = extension(WEIR_SYMBOLS);
    const weir_host *host = &host_instance.host;
    uint32_t a = api->intern(host, "delay", 5);
    ck_assert_uint_ge(a, WEIR_SYMBOL_FIRST);
    ck_assert_uint_eq(api->intern(host, "delay", 5), a);
    ck_assert_uint_eq(api->lookup(host, "delay", 5), a);
    ck_assert_uint_eq(api->lookup(host, "other", 5), WEIR_SYMBOL_NONE);
    symbols_seal(&symbols);
    ck_assert_uint_eq(api->intern(host, "other", 5), WEIR_SYMBOL_NONE);
    ck_assert_uint_eq(api->lookup(host, "delay", 5), a);
}
END_TEST

START_TEST(compares_and_hashes_values)
{
    const weir_values_api *api = extension(WEIR_VALUES);
    weir_value one = weir_int(1);
    weir_value one_float = weir_float(1.0);
    weir_value two = weir_int(2);
    weir_value nan_value = weir_float(__builtin_nan(""));
    weir_value text = weir_text_value("1.10", 4);
    int32_t order = 9;
    ck_assert_int_eq(api->equal(&one, &one_float), 1);
    ck_assert_int_eq(api->equal(&one, &two), 0);
    ck_assert_uint_eq(api->hash(&one), api->hash(&one_float));
    ck_assert_int_eq(api->compare(&one, &two, &order), WEIR_OK);
    ck_assert_int_eq(order, -1);
    ck_assert_int_eq(api->compare(&two, &one, &order), WEIR_OK);
    ck_assert_int_eq(order, 1);
    ck_assert_int_eq(api->compare(&one, &nan_value, &order), WEIR_OK);
    ck_assert_int_eq(order, 2);
    order = 9;
    ck_assert_int_eq(api->compare(&one, &text, &order), WEIR_E_DATA);
    ck_assert_int_eq(order, 9);
}
END_TEST

START_TEST(reads_numbers)
{
    const weir_values_api *api = extension(WEIR_VALUES);
    weir_value number = { .tag = WEIR_NUMBER, .len = 4, .as.text = "1.10" };
    weir_value text = weir_text_value("1.10", 4);
    weir_value read = weir_null();
    ck_assert_int_eq(api->number(&number, &read), WEIR_OK);
    ck_assert_uint_eq(read.tag, WEIR_FLOAT);
    ck_assert_double_eq(read.as.f64, 1.10);
    ck_assert_int_eq(api->number(&text, &read), WEIR_E_DATA);
}
END_TEST

START_TEST(judges_truth)
{
    const weir_expressions_api *api = extension(WEIR_EXPRESSIONS);
    weir_value zero = weir_int(0);
    weir_value text = weir_text_value("no", 2);
    ck_assert_int_eq(api->is_truthy(&zero), 0);
    ck_assert_int_eq(api->is_truthy(&text), 1);
}
END_TEST

START_TEST(keeps_one_cell_per_counter)
{
    const weir_metrics_api *api = extension(WEIR_METRICS);
    const weir_host *host = &host_instance.host;
    char name[] = "rows";
    uint64_t *rows = api->counter(host, name, "Rows written");
    uint64_t *bytes = api->counter(host, "bytes", NULL);
    ck_assert_ptr_nonnull(rows);
    ck_assert_ptr_ne(rows, bytes);
    *rows += 7;
    name[0] = 'X';
    ck_assert_ptr_eq(api->counter(host, "rows", "again"), rows);
    ck_assert_uint_eq(host_instance.counters->value, 7);
    ck_assert_str_eq(host_instance.counters->name, "rows");
    ck_assert_str_eq(host_instance.counters->help, "Rows written");
    ck_assert_str_eq(host_instance.counters->next->name, "bytes");
    ck_assert_ptr_null(host_instance.counters->next->next);
}
END_TEST

START_TEST(shows_the_clocks_of_the_pipeline)
{
    const weir_clock_api *api = extension(WEIR_CLOCK);
    now = 99;
    ck_assert_int_eq(api->now_ms(&host_instance.host), 99);
    ck_assert_int_eq(api->monotonic_ns(&host_instance.host), 198);
}
END_TEST

START_TEST(shows_the_real_clocks_by_default)
{
    static const struct services real = { .symbols = &symbols };
    const weir_clock_api *api = extension(WEIR_CLOCK);
    host_instance.services = &real;
    ck_assert_int_gt(api->now_ms(&host_instance.host), 1500000000000);
    int64_t before = api->monotonic_ns(&host_instance.host);
    ck_assert_int_ge(api->monotonic_ns(&host_instance.host), before);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("instance");
    TCase *life = tcase_create("life");
    tcase_add_checked_fixture(life, setup, teardown);
    tcase_add_test(life, creates_and_destroys);
    tcase_add_test(life, takes_the_config_as_self_without_create);
    tcase_add_test(life, refuses_a_kind_without_instances);
    tcase_add_loop_test(life, explains_a_failed_create, 0,
                        (int)(sizeof failures / sizeof failures[0]));
    tcase_add_test(life, survives_every_failing_allocation);
    suite_add_tcase(s, life);
    TCase *lent = tcase_create("services");
    tcase_add_checked_fixture(lent, setup_host, teardown_host);
    tcase_add_test(lent, knows_no_other_extension);
    tcase_add_test(lent, states_the_size_of_every_table);
    tcase_add_test(lent, lends_zeroed_aligned_memory);
    tcase_add_test(lent, numbers_names_until_they_are_sealed);
    tcase_add_test(lent, compares_and_hashes_values);
    tcase_add_test(lent, reads_numbers);
    tcase_add_test(lent, judges_truth);
    tcase_add_test(lent, keeps_one_cell_per_counter);
    tcase_add_test(lent, shows_the_clocks_of_the_pipeline);
    tcase_add_test(lent, shows_the_real_clocks_by_default);
    suite_add_tcase(s, lent);
    return s;
}
