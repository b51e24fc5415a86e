/* SPDX-License-Identifier: MIT */
#include "support/testing/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "pipeline/pipeline.h"
#include "plugin/debug/debug_host.h"
#include "value/json.h"
#include "value/record_line.h"

static int64_t now_ms(void *self)
{
    return ((const struct fixture *)self)->now_ms;
}

static int64_t monotonic_ns(void *self)
{
    return ((const struct fixture *)self)->monotonic_ns;
}

static const char *get_env(void *self, const char *name)
{
    (void)self;
    return getenv(name);
}

/* ---- making ------------------------------------------------------------------------------------ */

static const weir_factory *load(struct fixture *f, const char *plugin)
{
    const char *build = getenv("WEIR_BUILD");
    struct error error = { .status = WEIR_OK };
    ck_assert_msg(build != NULL, "WEIR_BUILD is not set");
    char *path = arena_printf(&f->config_arena, "%s/lib/weir/plugins/%s.so", build, plugin);
    weir_status st = registry_load_file(&f->registry, path, NULL, &error);
    ck_assert_msg(st == WEIR_OK, "%s: %s", path, error.message);
    const char *kinds[] = { WEIR_KIND_OPERATOR, WEIR_KIND_SOURCE, WEIR_KIND_SINK,
                            WEIR_KIND_SERIALIZER };
    const char *name = strchr(plugin, '_') + 1;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const struct factory *factory = registry_find(&f->registry, kinds[i], name, strlen(name));
        if (factory != NULL) {
            return factory->spec;
        }
    }
    ck_abort_msg("%s has no factory '%s'", path, name);
}

/* NULL: refused. */
static void *read_options(struct fixture *f, const weir_factory *spec, const char *body)
{
    struct document_file *file = arena_zeroed(&f->config_arena, sizeof *file);
    void *config = arena_zeroed(&f->config_arena, spec->config_size + 1);
    const struct node *node = NULL;
    *file = (struct document_file){ .name = "test", .text = body == NULL ? "" : body };
    file->size = strlen(file->text);
    if (body != NULL) {
        node = yaml_parse(file, &f->config_arena, &f->diagnostics);
        ck_assert_msg(node != NULL, "the options are no YAML: %s", body);
    }
    struct expr_env env = {
        .symbols = &f->symbols, .arena = &f->config_arena, .get_env = get_env, .self = f
    };
    struct expr_env *kept = arena_zeroed(&f->config_arena, sizeof *kept);
    *kept = env;
    struct options_scope scope = { &f->config_arena, &f->diagnostics, kept, "/", NULL };
    struct place place = { file, 0, 0 };
    if (spec->options == NULL && node == NULL) {
        return config;
    }
    return options_fill(&scope, spec->name, place, spec->options, node, config) ? config : NULL;
}

/* What `weir check` does after the table: options that depend on each other. */
static bool validate(struct fixture *f, const weir_factory *spec, const void *config)
{
    weir_error_info fault = { .struct_size = sizeof fault, .record_index = -1 };
    if (spec->validate == NULL || spec->validate(config, &fault) == WEIR_OK) {
        return true;
    }
    snprintf(f->complaint, sizeof f->complaint, "%s", fault.message);
    return false;
}

/* Fewer than two names: one output without a name. */
static void name_outputs(struct fixture *f, const weir_factory *spec, const void *config)
{
    uint32_t count = 0;
    weir_text name;
    while (spec->output_name != NULL && spec->output_name(config, count, &name) == WEIR_OK) {
        ck_assert_uint_lt(count, FIXTURE_OUTPUTS);
        f->outputs[count++] = arena_printf(&f->config_arena, "%.*s", (int)name.size, name.data);
    }
    f->output_count = count < 2 ? 1 : count;
}

static void complain(struct fixture *f, const char *message)
{
    snprintf(f->complaint, sizeof f->complaint, "%s", message);
}

bool fixture_init(struct fixture *f, const char *plugin, const char *body)
{
    memset(f, 0, sizeof *f);
    arena_init(&f->config_arena, 0);
    arena_init(&f->batch_arena, 0);
    symbols_init(&f->symbols);
    diagnostics_init(&f->diagnostics, &f->config_arena);
    registry_init(&f->registry);
    buffer_init(&f->text, 1 << 28);
    f->now_ms = 1000000;
    f->services = (struct services){ &f->symbols, now_ms, monotonic_ns, f };
    const weir_factory *spec = load(f, plugin);
    void *config = read_options(f, spec, body);
    if (config == NULL) {
        complain(f, f->diagnostics.list[0].message);
        return false;
    }
    if (!validate(f, spec, config)) {
        return false;
    }
    name_outputs(f, spec, config);
    struct error error = { .status = WEIR_OK };
    f->instance = instance_create(&f->services, spec, config, plugin, &error);
    if (f->instance == NULL) {
        complain(f, error.message);
        return false;
    }
    symbols_seal(&f->symbols);
    f->vtable = f->instance->spec->vtable;
    json_decoder_init(&f->decoder, &f->instance->host, 0);
    ck_assert(call_init(&f->call, f->output_count));
    return true;
}

/* Rules that were broken outside of calls with a context have been told in the log. */
void fixture_deinit(struct fixture *f)
{
    if (f->instance != NULL) {
        call_deinit(&f->call);
        json_decoder_deinit(&f->decoder);
        instance_destroy(f->instance);
    }
    registry_deinit(&f->registry);
    diagnostics_deinit(&f->diagnostics);
    symbols_deinit(&f->symbols);
    buffer_deinit(&f->text);
    arena_deinit(&f->batch_arena);
    arena_deinit(&f->config_arena);
    memset(f, 0, sizeof *f);
    ck_assert_uint_eq(debug_host_breaches(), 0);
}

void fixture_refuse(struct fixture *f, const char *plugin, const char *body, const char *part)
{
    bool was_taken = fixture_init(f, plugin, body);
    ck_assert_msg(!was_taken, "%s: %s was taken", plugin, body);
    ck_assert_msg(strstr(f->complaint, part) != NULL, "%s", f->complaint);
    fixture_deinit(f);
}

void fixture_retire(struct fixture *f)
{
    arena_reset(&f->batch_arena);
}

/* ---- records ----------------------------------------------------------------------------------- */

static uint32_t count_lines(const char *lines)
{
    uint32_t count = 0;
    for (const char *p = lines; *p != '\0'; p++) {
        count += *p == '\n' || p[1] == '\0';
    }
    return count;
}

weir_value *fixture_values(struct fixture *f, const char *lines, uint32_t *ret_count)
{
    uint32_t count = count_lines(lines);
    weir_value *values = arena_zeroed(&f->batch_arena, (count + 1) * sizeof *values);
    char *copy = arena_copy(&f->batch_arena, lines, strlen(lines));
    call_begin(&f->call, f->instance, &f->batch_arena, NULL);
    for (uint32_t i = 0; i < count; i++) {
        struct json_fault fault = { 0 };
        size_t len = strcspn(copy, "\n");
        weir_slice line = { (const uint8_t *)copy, len };
        weir_status st = json_decode(&f->decoder, &f->call.context, line, &values[i], &fault);
        ck_assert_msg(st == WEIR_OK, "%.*s: %s", (int)len, copy, fault.message);
        copy += len + 1;
    }
    call_end(&f->call);
    *ret_count = count;
    return values;
}

static weir_batch make_batch(struct fixture *f, uint32_t count, weir_record **ret_records,
                             weir_entry **ret_entries, weir_origin **ret_origins)
{
    weir_record *records = arena_zeroed(&f->batch_arena, (count + 1) * sizeof *records);
    weir_entry *entries = arena_zeroed(&f->batch_arena, (count + 1) * sizeof *entries);
    weir_origin *origins = arena_zeroed(&f->batch_arena, (count + 1) * sizeof *origins);
    for (uint32_t i = 0; i < count; i++) {
        entries[i].record = &records[i];
        entries[i].ordinal = i;
    }
    *ret_records = records;
    *ret_entries = entries;
    *ret_origins = origins;
    return (weir_batch){ sizeof(weir_batch), count, entries, origins, count, 0 };
}

weir_batch fixture_batch(struct fixture *f, const char *lines)
{
    uint32_t count;
    weir_value *values = fixture_values(f, lines, &count);
    weir_record *records;
    weir_entry *entries;
    weir_origin *origins;
    weir_batch batch = make_batch(f, count, &records, &entries, &origins);
    origins[0] = (weir_origin){ "in", 2, 0 };
    batch.origin_count = 1;
    for (uint32_t i = 0; i < count; i++) {
        records[i].value = values[i];
        records[i].timestamp = i;
        records[i].offset = i;
    }
    return batch;
}

weir_batch fixture_messages(struct fixture *f, const char *lines)
{
    uint32_t count;
    weir_value *values = fixture_values(f, lines, &count);
    weir_record *records;
    weir_entry *entries;
    weir_origin *origins;
    weir_batch batch = make_batch(f, count, &records, &entries, &origins);
    for (uint32_t i = 0; i < count; i++) {
        struct record_line line;
        struct error error = { .status = WEIR_OK };
        weir_status st = record_line_read(&values[i], &f->batch_arena, &line, &error);
        ck_assert_msg(st == WEIR_OK, "%s", error.message);
        records[i] = line.record;
        origins[i] = (weir_origin){ line.topic, line.topic_len, line.partition };
        entries[i].origin = (uint16_t)i;
    }
    return batch;
}

/* ---- calls ------------------------------------------------------------------------------------- */

weir_context *fixture_begin(struct fixture *f, const weir_batch *batch)
{
    call_begin(&f->call, f->instance, &f->batch_arena, batch);
    return &f->call.context;
}

void fixture_tell(struct fixture *f, uint32_t base)
{
    const struct call *call = &f->call;
    for (uint32_t k = 0; k < f->output_count; k++) {
        for (uint32_t i = 0; i < call->outputs[k].count; i++) {
            const weir_value *v = &call->outputs[k].entries[i].record->value;
            if (f->output_count > 1) {
                buffer_printf(&f->text, "%s: ", f->outputs[k]);
            }
            ck_assert_int_eq(json_write(v, WEIR_JSON_BYTES_TAGGED, 1000, &f->text, NULL), WEIR_OK);
            buffer_text(&f->text, "\n");
        }
    }
    for (uint32_t i = 0; i < call->failure_count; i++) {
        buffer_printf(&f->text, "! %u: %s\n", base + call->failures[i].index,
                      call->failures[i].message);
    }
    if (call->whole.status != WEIR_OK) {
        buffer_printf(&f->text, "!! %s\n", call->whole.message);
    }
}

const char *fixture_end(struct fixture *f, weir_status st)
{
    call_end(&f->call);
    ck_assert_msg((st < 0) == (f->call.whole.status != WEIR_OK),
                  "status %d does not fit what was reported", (int)st);
    call_sort_failures(&f->call);
    buffer_clear(&f->text);
    fixture_tell(f, 0);
    return buffer_c_string(&f->text);
}
