/* SPDX-License-Identifier: MIT */
/*
 * Instances of factories and the services that they are lent. A service gets the host that it was
 * called with and finds the instance by its address, since the host stands first in it. Nothing
 * here is global: two pipelines in one process do not see each other.
 */
#include "plugin/instance.h"

#include <assert.h>
#include <string.h>

#include <weir/operator.h>
#include <weir/serializer.h>
#include <weir/sink.h>
#include <weir/source.h>

#include "base/clock.h"
#include "base/logger.h"
#include "base/memory.h"
#include "base/version.h"
#include "expr/expr.h"
#include "plugin/debug/debug_host.h"
#include "plugin/debug/guard.h"
#include "value/event_time.h"
#include "value/json.h"
#include "value/value.h"

/* What the tables of all kinds with instances begin with. */
typedef weir_operator_vtable life_vtable;
#define BEGINS_ALIKE(type)                                                                         \
 static_assert(offsetof(type, create) == offsetof(life_vtable, create) &&                          \
                   offsetof(type, destroy) == offsetof(life_vtable, destroy),                      \
               "tables with instances begin alike")
BEGINS_ALIKE(weir_source_vtable);
BEGINS_ALIKE(weir_sink_vtable);
BEGINS_ALIKE(weir_serializer_vtable);

/* The host is const for the plugin; the instance behind it is the core's own and never const. */
static struct instance *instance_of(const weir_host *host)
{
    return ((const struct lent_host *)(const void *)host)->instance;
}

/* ---- services ------------------------------------------------------------------------------- */

static void *memory_service_alloc(const weir_host *host, uint64_t size)
{
    return size <= PTRDIFF_MAX ? arena_zeroed(&instance_of(host)->memory, (size_t)size) : NULL;
}

static uint32_t symbols_service_intern(const weir_host *host, const char *name, uint32_t len)
{
    return symbols_intern(instance_of(host)->services->symbols, name, len);
}

static uint32_t symbols_service_lookup(const weir_host *host, const char *name, uint32_t len)
{
    return symbols_lookup(instance_of(host)->services->symbols, name, len);
}

static int32_t values_service_equal(const weir_value *a, const weir_value *b)
{
    return value_equal(a, b);
}

static weir_status values_service_compare(const weir_value *a, const weir_value *b,
                                          int32_t *ret_order)
{
    enum value_order order = value_compare(a, b);
    if (order == ORDER_NONE) {
        return WEIR_E_DATA;
    }
    *ret_order = (int32_t)order;
    return WEIR_OK;
}

static weir_status values_service_number(const weir_value *v, weir_value *ret)
{
    return value_number(v, ret) ? WEIR_OK : WEIR_E_DATA;
}

static weir_status values_service_event_time(const weir_value *v, int64_t *ret_ms,
                                             const char **ret_fault)
{
    const char *fault = NULL;
    if (event_time_ms(v, ret_ms, &fault)) {
        return WEIR_OK;
    }
    if (ret_fault != NULL) {
        *ret_fault = fault;
    }
    return WEIR_E_DATA;
}

static int32_t expressions_service_is_truthy(const weir_value *v)
{
    return value_is_truthy(v);
}

static void log_service_write(const weir_host *host, uint32_t level, const char *message)
{
    const struct instance *instance = instance_of(host);
    char room[SECRETS_ROOM];
    message = instance_message(instance, message, room);
    if (level == WEIR_LOG_ERROR && instance->complaint != NULL &&
        instance->complaint->status == WEIR_OK) {
        error_set(instance->complaint, WEIR_E_INVALID, WEIR_CLASS_CONFIG, "%s", message);
        return;
    }
    enum logger_level known =
        level >= WEIR_LOG_ERROR && level <= WEIR_LOG_DEBUG ? (enum logger_level)level : LOGGER_INFO;
    logger_write(known, instance->label, "%s", message);
}

static uint64_t *metrics_service_counter(const weir_host *host, const char *name, const char *help)
{
    struct instance *instance = instance_of(host);
    struct instance_counter **link = &instance->counters;
    for (; *link != NULL; link = &(*link)->next) {
        if (strcmp((*link)->name, name) == 0) {
            return &(*link)->value;
        }
    }
    struct instance_counter *counter = arena_zeroed(&instance->memory, sizeof *counter);
    if (counter == NULL) {
        return NULL;
    }
    counter->name = arena_copy(&instance->memory, name, strlen(name));
    counter->help = help != NULL ? arena_copy(&instance->memory, help, strlen(help)) : "";
    if (counter->name == NULL || counter->help == NULL) {
        return NULL;
    }
    *link = counter;
    return &counter->value;
}

static int64_t clock_service_now_ms(const weir_host *host)
{
    const struct services *services = instance_of(host)->services;
    return services->now_ms != NULL ? services->now_ms(services->self) : clock_wall_ms();
}

static int64_t clock_service_monotonic_ns(const weir_host *host)
{
    const struct services *services = instance_of(host)->services;
    return services->monotonic_ns != NULL ? services->monotonic_ns(services->self)
                                          : clock_monotonic_ns();
}

static const weir_memory_api memory_service = { .struct_size = sizeof memory_service,
                                                .alloc = memory_service_alloc };
static const weir_symbols_api symbols_service = { .struct_size = sizeof symbols_service,
                                                  .intern = symbols_service_intern,
                                                  .lookup = symbols_service_lookup };
static const weir_values_api values_service = { .struct_size = sizeof values_service,
                                                .equal = values_service_equal,
                                                .compare = values_service_compare,
                                                .hash = value_hash,
                                                .write_json = json_write,
                                                .number = values_service_number,
                                                .event_time = values_service_event_time };
static const weir_expressions_api expressions_service = { .struct_size = sizeof expressions_service,
                                                          .evaluate = expr_evaluate,
                                                          .is_truthy =
                                                              expressions_service_is_truthy,
                                                          .text = expr_text };
static const weir_log_api log_service = { .struct_size = sizeof log_service,
                                          .write = log_service_write };
static const weir_metrics_api metrics_service = { .struct_size = sizeof metrics_service,
                                                  .counter = metrics_service_counter };
static const weir_clock_api clock_service = { .struct_size = sizeof clock_service,
                                              .now_ms = clock_service_now_ms,
                                              .monotonic_ns = clock_service_monotonic_ns };

static const void *find_extension(const weir_host *host, const char *id)
{
    static const struct {
        const char *id;
        const void *table;
    } extensions[] = {
        { WEIR_MEMORY, &memory_service },
        { WEIR_SYMBOLS, &symbols_service },
        { WEIR_VALUES, &values_service },
        { WEIR_LOG, &log_service },
        { WEIR_EXPRESSIONS, &expressions_service },
        { WEIR_METRICS, &metrics_service },
        { WEIR_CLOCK, &clock_service },
    };
    (void)host;
    for (size_t i = 0; i < sizeof extensions / sizeof extensions[0]; i++) {
        if (strcmp(extensions[i].id, id) == 0) {
            return extensions[i].table;
        }
    }
    return NULL;
}

/* ---- life ----------------------------------------------------------------------------------- */

void instance_init_host(struct instance *instance, const struct services *services,
                        const char *label)
{
    memset(instance, 0, sizeof *instance);
    instance->host = (weir_host){ .struct_size = sizeof instance->host,
                                  .abi_major = WEIR_ABI_MAJOR,
                                  .abi_minor = WEIR_ABI_MINOR,
                                  .host_version = WEIR_VERSION,
                                  .get_extension = find_extension };
    instance->lent.instance = instance;
    instance->services = services;
    instance->label = label;
    arena_init(&instance->memory, 4096);
}

void instance_deinit_host(struct instance *instance)
{
    arena_deinit(&instance->memory);
    instance->counters = NULL;
}

struct status_meaning {
    weir_status status;
    uint32_t error_class;
    const char *text;
};

static const struct status_meaning *meaning_of(weir_status status)
{
    static const struct status_meaning meanings[] = {
        { WEIR_E_INVALID, WEIR_CLASS_CONFIG, "its configuration is not valid" },
        { WEIR_E_DATA, WEIR_CLASS_DATA, "data that it needs cannot be used" },
        { WEIR_E_LIMIT, WEIR_CLASS_RESOURCE, "a limit is exceeded" },
        { WEIR_E_NOMEM, WEIR_CLASS_RESOURCE, "out of memory" },
        { WEIR_E_IO, WEIR_CLASS_RESOURCE, "a file, a device or a peer failed" },
        { WEIR_E_UNSUPPORTED, WEIR_CLASS_CONFIG, "what is asked for is not supported" },
        { WEIR_E_BACKPRESSURE, WEIR_CLASS_RESOURCE, "a peer is overloaded" },
        { WEIR_E_NOT_FOUND, WEIR_CLASS_NOT_FOUND, "something that it needs does not exist" },
        { WEIR_E_TIMEOUT, WEIR_CLASS_NETWORK, "a deadline passed" },
        { WEIR_E_INTERNAL, WEIR_CLASS_BUG, "the plugin reports a defect of its own" },
    };
    size_t count = sizeof meanings / sizeof meanings[0];
    for (size_t i = 0; i < count; i++) {
        if (meanings[i].status == status) {
            return &meanings[i];
        }
    }
    return &meanings[count - 1];
}

static void report_create(const char *label, weir_status status, const struct error *complaint,
                          struct error *error)
{
    const struct status_meaning *meaning = meaning_of(status);
    bool has_reason = complaint->status != WEIR_OK;
    error_set(error, meaning->status, meaning->error_class, "could not create %s: %s", label,
              has_reason ? complaint->message : meaning->text);
}

/* `create` has no context to fail: the first error line that it logs is taken as the reason. */
static weir_status call_create(struct instance *instance, const life_vtable *vtable,
                               const void *config, struct error *error)
{
    struct error complaint = { .status = WEIR_OK };
    instance->complaint = &complaint;
    weir_status st = vtable->create(&instance->host, config, &instance->self);
    instance->complaint = NULL;
    if (st != WEIR_OK) {
        report_create(instance->label, st, &complaint, error);
    } else if (complaint.status != WEIR_OK) {
        logger_write(LOGGER_ERROR, instance->label, "%s", complaint.message);
    }
    return st;
}

static bool has_instances(const weir_factory *spec)
{
    return strcmp(spec->kind, WEIR_KIND_OPERATOR) == 0 ||
           strcmp(spec->kind, WEIR_KIND_SOURCE) == 0 || strcmp(spec->kind, WEIR_KIND_SINK) == 0 ||
           strcmp(spec->kind, WEIR_KIND_SERIALIZER) == 0;
}

struct instance *instance_create(const struct services *services, const weir_factory *spec,
                                 const void *config, const char *label, struct error *error)
{
    if (!has_instances(spec)) {
        error_set(error, WEIR_E_UNSUPPORTED, WEIR_CLASS_BUG,
                  "could not create %s: the kind '%s' has no instances", label, spec->kind);
        return NULL;
    }
    struct instance *instance = memory_alloc(sizeof *instance);
    if (instance == NULL) {
        error_no_memory(error);
        return NULL;
    }
    instance_init_host(instance, services, label);
    instance->spec = debug_host_is_on() ? guard_factory(instance, spec) : spec;
    if (instance->spec == NULL) {
        instance_deinit_host(instance);
        memory_free(instance);
        error_no_memory(error);
        return NULL;
    }
    if (secrets_stand_in(spec->options, config)) {
        instance->options = spec->options;
        instance->config = config;
    }
    const life_vtable *vtable = instance->spec->vtable;
    if (vtable->create == NULL) {
        instance->self = (void *)(uintptr_t)config;
    } else if (call_create(instance, vtable, config, error) != WEIR_OK) {
        instance_deinit_host(instance);
        memory_free(instance);
        return NULL;
    }
    return instance;
}

const char *instance_message(const struct instance *instance, const char *message,
                             char room[SECRETS_ROOM])
{
    return instance->config == NULL
               ? message
               : secrets_hide(instance->options, instance->config, message, room);
}

void instance_destroy(struct instance *instance)
{
    if (instance == NULL) {
        return;
    }
    const life_vtable *vtable = instance->spec->vtable;
    if (vtable->create != NULL && vtable->destroy != NULL) {
        vtable->destroy(instance->self);
    }
    instance_deinit_host(instance);
    memory_free(instance);
}
