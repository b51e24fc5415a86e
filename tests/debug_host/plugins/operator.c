/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <weir/field.h>
#include <weir/operator.h>

#include "bad.h"

struct self {
    const weir_host *host;
    const struct config *config;
    const weir_memory_api *memory;
    const weir_symbols_api *symbols;
    const weir_expressions_api *expressions;
    const weir_metrics_api *metrics;
    const weir_log_api *log;
    uint8_t *block; /* 24 bytes of the instance */
};

/* What a deed gets: the first record of a batch, and where to put it. */
struct scene {
    struct self *self;
    weir_context *ctx;
    const weir_batch *in;
    const weir_entry *entry;
};

static weir_status pass(const struct scene *s)
{
    return weir_pass(s->ctx, 0, s->entry);
}

static weir_status emit(const struct scene *s, weir_value value)
{
    return weir_emit_value(s->ctx, 0, s->entry, value);
}

static weir_record *copy(const struct scene *s)
{
    return weir_record_with(s->ctx, s->entry->record, s->entry->record->value);
}

static void *writable(const void *memory)
{
    return (void *)(uintptr_t)memory;
}

/* ---- memory ------------------------------------------------------------------------------------ */

static weir_status write_input(const struct scene *s)
{
    ((weir_record *)writable(s->entry->record))->timestamp = 1;
    return pass(s);
}

static weir_status write_value(const struct scene *s)
{
    ((weir_member *)writable(s->entry->record->value.as.members))->key_len = 1;
    return pass(s);
}

static weir_status write_config(const struct scene *s)
{
    ((struct config *)writable(s->self->config))->expression = NULL;
    return pass(s);
}

/* The first byte of a text, whatever it is. */
static weir_status write_text(const struct scene *s, const char *text)
{
    *(char *)writable(text) = 'X';
    return pass(s);
}

static weir_status write_config_text(const struct scene *s)
{
    return write_text(s, s->self->config->act.data);
}

static weir_status write_config_list(const struct scene *s)
{
    ((weir_option_value *)writable(s->self->config->texts.items))->text.size = 0;
    return pass(s);
}

static weir_status write_config_item(const struct scene *s)
{
    return write_text(s, s->self->config->texts.items[0].text.data);
}

static weir_status write_config_map(const struct scene *s)
{
    ((weir_option_pair *)writable(s->self->config->map.items))->value.text.size = 0;
    return pass(s);
}

static weir_status write_config_key(const struct scene *s)
{
    return write_text(s, s->self->config->map.items[0].key.text.data);
}

static weir_status write_config_struct(const struct scene *s)
{
    ((struct inner *)writable(s->self->config->inner))->name.size = 0;
    return pass(s);
}

static weir_status write_config_value(const struct scene *s)
{
    return write_text(s, s->self->config->any.as.items[0].as.text);
}

static weir_status write_config_target(const struct scene *s)
{
    return write_text(s, s->self->config->target->steps[0].name);
}

static weir_status write_host(const struct scene *s)
{
    ((weir_host *)writable(s->self->host))->abi_minor = 0;
    return pass(s);
}

static weir_status keep_input(const struct scene *s)
{
    static const weir_record *kept;
    if (kept != NULL && kept->timestamp == 1) {
        return WEIR_E_DATA;
    }
    kept = s->entry->record;
    return pass(s);
}

static weir_status keep_context(const struct scene *s)
{
    static weir_context *kept;
    weir_context *now = kept == NULL ? s->ctx : kept;
    kept = s->ctx;
    return weir_pass(now, 0, s->entry);
}

static weir_status keep_memory(const struct scene *s)
{
    static int *kept;
    if (kept == NULL) {
        kept = weir_alloc(s->ctx, sizeof *kept);
    }
    ++*kept;
    return pass(s);
}

static weir_status emit_kept(const struct scene *s)
{
    static char *kept;
    char *now = weir_alloc(s->ctx, 1);
    *now = 'x';
    weir_record *record = copy(s);
    record->key = weir_text_value(kept == NULL ? now : kept, 1);
    kept = now;
    return weir_emit(s->ctx, 0, s->entry, record);
}

static weir_status emit_stack(const struct scene *s)
{
    char text[4] = "abc";
    return emit(s, weir_text_value(text, 3));
}

static weir_status emit_nowhere(const struct scene *s)
{
    return emit(s, weir_text_value((const char *)writable((const void *)(uintptr_t)4096), 3));
}

static weir_status write_beyond(const struct scene *s)
{
    char *memory = weir_alloc(s->ctx, 20);
    memory[20] = 'x';
    return pass(s);
}

static weir_status write_beyond_instance(const struct scene *s)
{
    s->self->block[24] = 1;
    return pass(s);
}

static weir_status ignore_refusal(const struct scene *s)
{
    (void)weir_alloc(s->ctx, 16);
    return WEIR_OK;
}

/* ---- context and entries ----------------------------------------------------------------------- */

static weir_status change_context(const struct scene *s)
{
    s->ctx->output_count = 7;
    return pass(s);
}

static weir_status change_output(const struct scene *s)
{
    s->ctx->outputs[0].count = 9;
    return WEIR_OK;
}

static weir_status emit_elsewhere(const struct scene *s)
{
    (void)weir_pass(s->ctx, 3, s->entry);
    return WEIR_OK;
}

static weir_status emit_foreign(const struct scene *s)
{
    weir_entry entry = *s->entry;
    entry.ordinal += 1000;
    return weir_pass(s->ctx, 0, &entry);
}

static weir_status emit_nothing(const struct scene *s)
{
    return weir_emit(s->ctx, 0, s->entry, NULL);
}

static weir_status change_offset(const struct scene *s)
{
    weir_record *record = copy(s);
    record->offset = 99;
    return weir_emit(s->ctx, 0, s->entry, record);
}

static weir_status take_timestamp(const struct scene *s)
{
    weir_record *record = copy(s);
    record->timestamp = WEIR_NO_TIMESTAMP;
    return weir_emit(s->ctx, 0, s->entry, record);
}

static weir_status set_record_flags(const struct scene *s)
{
    weir_record *record = copy(s);
    record->flags = 4;
    return weir_emit(s->ctx, 0, s->entry, record);
}

static weir_status set_header(const struct scene *s)
{
    weir_record *record = copy(s);
    weir_member *header = weir_alloc(s->ctx, sizeof *header);
    *header = (weir_member){ 0, 1, "h", weir_int(1) };
    record->headers = header;
    record->header_count = 1;
    return weir_emit(s->ctx, 0, s->entry, record);
}

static weir_status lose_headers(const struct scene *s)
{
    weir_record *record = copy(s);
    record->headers = NULL;
    record->header_count = 2;
    return weir_emit(s->ctx, 0, s->entry, record);
}

static weir_status set_key(const struct scene *s)
{
    weir_record *record = copy(s);
    record->key = weir_text_value("\xff", 1);
    return weir_emit(s->ctx, 0, s->entry, record);
}

/* ---- values ------------------------------------------------------------------------------------ */

static weir_status emit_raw(const struct scene *s, uint8_t tag, uint8_t flags, uint16_t aux,
                            uint64_t bits)
{
    weir_value value = { .tag = tag, .flags = flags, .aux = aux };
    value.as.bits = bits;
    return emit(s, value);
}

static weir_status unknown_tag(const struct scene *s)
{
    return emit_raw(s, 77, 0, 0, 0);
}

static weir_status error_tag(const struct scene *s)
{
    return emit_raw(s, WEIR_TAG_MISSING, 0, 0, 0);
}

static weir_status flag_of_int(const struct scene *s)
{
    return emit_raw(s, WEIR_INT, WEIR_VALUE_PLAIN, 0, 1);
}

static weir_status aux_of_int(const struct scene *s)
{
    return emit_raw(s, WEIR_INT, 0, 3, 1);
}

static weir_status bits_of_null(const struct scene *s)
{
    return emit_raw(s, WEIR_NULL, 0, 0, 1);
}

static weir_status bool_of_two(const struct scene *s)
{
    return emit_raw(s, WEIR_BOOL, 0, 0, 2);
}

static weir_status time_of_four_digits(const struct scene *s)
{
    return emit_raw(s, WEIR_TIMESTAMP, 0, 4, 1);
}

static weir_status bad_text(const struct scene *s)
{
    return emit(s, weir_text_value("caf\xe9", 4));
}

static weir_status bad_number(const struct scene *s)
{
    weir_value value = weir_text_value("01", 2);
    value.tag = WEIR_NUMBER;
    return emit(s, value);
}

static weir_status not_plain(const struct scene *s)
{
    weir_value value = weir_text_value("\"", 1);
    value.flags = WEIR_VALUE_PLAIN;
    return emit(s, value);
}

static weir_status null_items(const struct scene *s)
{
    return emit(s, weir_list_value(NULL, 2));
}

/* A changed copy that keeps the flags of what it was made from. */
static weir_status stale_source(const struct scene *s)
{
    struct made {
        weir_slice source;
        weir_value items[1];
    } *made = weir_alloc(s->ctx, sizeof *made);
    made->source = (weir_slice){ (const uint8_t *)"[1]", 3 };
    made->items[0] = weir_int(2);
    weir_value value = weir_list_value(made->items, 1);
    value.flags = WEIR_VALUE_SOURCE;
    return emit(s, value);
}

static weir_status emit_member(const struct scene *s, uint32_t symbol, const char *key,
                               uint32_t key_len, uint32_t count)
{
    weir_member *members = weir_alloc(s->ctx, count * sizeof *members);
    for (uint32_t i = 0; i < count; i++) {
        members[i] = (weir_member){ symbol, key_len, key, weir_int(i) };
    }
    return emit(s, weir_map_value(members, count));
}

static weir_status symbol_of_another(const struct scene *s)
{
    uint32_t symbol = s->self->symbols->lookup(s->self->host, "n", 1);
    return emit_member(s, symbol, "m", 1, 1);
}

static weir_status plain_symbol(const struct scene *s)
{
    return emit_member(s, WEIR_SYMBOL_PLAIN, "n", 1, 1);
}

static weir_status plain_key(const struct scene *s)
{
    return emit_member(s, WEIR_SYMBOL_PLAIN, "\n", 1, 1);
}

static weir_status bad_key(const struct scene *s)
{
    return emit_member(s, WEIR_SYMBOL_NONE, "\xff", 1, 1);
}

static weir_status key_twice(const struct scene *s)
{
    return emit_member(s, WEIR_SYMBOL_NONE, "k", 1, 2);
}

static weir_status too_deep(const struct scene *s)
{
    enum { LEVELS = 1100 };
    weir_value *levels = weir_alloc(s->ctx, LEVELS * sizeof *levels);
    levels[0] = weir_int(1);
    for (int i = 1; i < LEVELS; i++) {
        levels[i] = weir_list_value(&levels[i - 1], 1);
    }
    return emit(s, levels[LEVELS - 1]);
}

static weir_status deep_inside(const struct scene *s)
{
    weir_value *items = weir_alloc(s->ctx, 2 * sizeof *items);
    weir_member *members = weir_alloc(s->ctx, 2 * sizeof *members);
    items[0] = weir_int(0);
    items[1] = weir_text_value("\xc0\x80", 2);
    members[0] = (weir_member){ 0, 1, "a", weir_int(0) };
    members[1] = (weir_member){ 0, 1, "b", weir_list_value(items, 2) };
    return emit(s, weir_map_value(members, 2));
}

/* ---- faults ------------------------------------------------------------------------------------ */

static weir_status fail_beyond(const struct scene *s)
{
    weir_fail_class(s->ctx, s->in->count, WEIR_E_DATA, WEIR_CLASS_DATA, "no", NULL);
    return WEIR_OK;
}

static weir_status fail_twice(const struct scene *s)
{
    weir_fail(s->ctx, "no");
    weir_fail(s->ctx, "no");
    return WEIR_OK;
}

static weir_status fail_and_emit(const struct scene *s)
{
    weir_fail(s->ctx, "no");
    return pass(s);
}

static weir_status fail_silently(const struct scene *s)
{
    weir_fail_class(s->ctx, 0, WEIR_E_DATA, WEIR_CLASS_DATA, NULL, NULL);
    return WEIR_OK;
}

static weir_status fail_with_stop(const struct scene *s)
{
    weir_fail(s->ctx, "It is wrong.");
    return WEIR_OK;
}

static weir_status fail_of_no_class(const struct scene *s)
{
    weir_fail_class(s->ctx, 0, WEIR_E_DATA, 99, "no", NULL);
    return WEIR_OK;
}

static weir_status fail_with_success(const struct scene *s)
{
    weir_fail_class(s->ctx, 0, WEIR_OK, WEIR_CLASS_DATA, "no", NULL);
    return WEIR_OK;
}

static weir_status fail_without_error(const struct scene *s)
{
    weir_value value = weir_int(1);
    s->ctx->api->fail_value(s->ctx, 0, &value);
    return WEIR_OK;
}

static weir_status fail_and_succeed(const struct scene *s)
{
    weir_fail_class(s->ctx, -1, WEIR_E_IO, WEIR_CLASS_NETWORK, "the peer is away", NULL);
    return WEIR_OK;
}

static weir_status return_again(const struct scene *s)
{
    (void)s;
    return WEIR_AGAIN;
}

static weir_status return_unknown(const struct scene *s)
{
    (void)s;
    return -99;
}

/* ---- services ---------------------------------------------------------------------------------- */

static weir_status intern_late(const struct scene *s)
{
    (void)s->self->symbols->intern(s->self->host, "late", 4);
    return pass(s);
}

static weir_status count_late(const struct scene *s)
{
    (void)s->self->metrics->counter(s->self->host, "late", NULL);
    return pass(s);
}

static weir_status log_lines(const struct scene *s)
{
    s->self->log->write(s->self->host, WEIR_LOG_INFO, "one\ntwo");
    return pass(s);
}

static weir_status evaluate_foreign(const struct scene *s)
{
    weir_entry entry = *s->entry;
    weir_value value;
    entry.origin = 7;
    (void)s->self->expressions->evaluate(s->ctx, s->self->config->expression, &entry, 1, &value);
    return pass(s);
}

static weir_status evaluate_nothing(const struct scene *s)
{
    weir_value value;
    (void)s->self->expressions->evaluate(s->ctx, NULL, s->entry, 1, &value);
    return pass(s);
}

static void *alloc_of_instance(void *argument)
{
    const struct scene *s = argument;
    (void)s->self->memory->alloc(s->self->host, 1);
    return NULL;
}

static void *alloc_of_batch(void *argument)
{
    const struct scene *s = argument;
    (void)s->ctx->api->alloc(s->ctx, 1);
    return NULL;
}

static weir_status in_a_thread(const struct scene *s, void *(*act)(void *))
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, act, writable(s)) == 0) {
        pthread_join(thread, NULL);
    }
    return pass(s);
}

static weir_status alloc_in_thread(const struct scene *s)
{
    return in_a_thread(s, alloc_of_instance);
}

static weir_status context_in_thread(const struct scene *s)
{
    return in_a_thread(s, alloc_of_batch);
}

/* ---- the operator ------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    weir_status (*act)(const struct scene *scene);
} deeds[] = {
    { "well", pass },
    { "write_input", write_input },
    { "write_value", write_value },
    { "write_config", write_config },
    { "write_config_text", write_config_text },
    { "write_config_list", write_config_list },
    { "write_config_item", write_config_item },
    { "write_config_map", write_config_map },
    { "write_config_key", write_config_key },
    { "write_config_struct", write_config_struct },
    { "write_config_value", write_config_value },
    { "write_config_target", write_config_target },
    { "write_host", write_host },
    { "keep_input", keep_input },
    { "keep_context", keep_context },
    { "keep_memory", keep_memory },
    { "emit_kept", emit_kept },
    { "emit_stack", emit_stack },
    { "emit_nowhere", emit_nowhere },
    { "write_beyond", write_beyond },
    { "write_beyond_instance", write_beyond_instance },
    { "ignore_refusal", ignore_refusal },
    { "change_context", change_context },
    { "change_output", change_output },
    { "emit_elsewhere", emit_elsewhere },
    { "emit_foreign", emit_foreign },
    { "emit_nothing", emit_nothing },
    { "change_offset", change_offset },
    { "take_timestamp", take_timestamp },
    { "set_record_flags", set_record_flags },
    { "set_header", set_header },
    { "lose_headers", lose_headers },
    { "set_key", set_key },
    { "unknown_tag", unknown_tag },
    { "error_tag", error_tag },
    { "flag_of_int", flag_of_int },
    { "aux_of_int", aux_of_int },
    { "bits_of_null", bits_of_null },
    { "bool_of_two", bool_of_two },
    { "time_of_four_digits", time_of_four_digits },
    { "bad_text", bad_text },
    { "bad_number", bad_number },
    { "not_plain", not_plain },
    { "null_items", null_items },
    { "stale_source", stale_source },
    { "symbol_of_another", symbol_of_another },
    { "plain_symbol", plain_symbol },
    { "plain_key", plain_key },
    { "bad_key", bad_key },
    { "key_twice", key_twice },
    { "too_deep", too_deep },
    { "deep_inside", deep_inside },
    { "fail_beyond", fail_beyond },
    { "fail_twice", fail_twice },
    { "fail_and_emit", fail_and_emit },
    { "fail_silently", fail_silently },
    { "fail_with_stop", fail_with_stop },
    { "fail_of_no_class", fail_of_no_class },
    { "fail_with_success", fail_with_success },
    { "fail_without_error", fail_without_error },
    { "fail_and_succeed", fail_and_succeed },
    { "return_again", return_again },
    { "return_unknown", return_unknown },
    { "intern_late", intern_late },
    { "count_late", count_late },
    { "log_lines", log_lines },
    { "evaluate_foreign", evaluate_foreign },
    { "evaluate_nothing", evaluate_nothing },
    { "alloc_in_thread", alloc_in_thread },
    { "context_in_thread", context_in_thread },
    { "create_again", pass },
    { "use_host_after_destroy", pass },
};

static weir_status create(const weir_host *host, const void *config, void **ret_self)
{
    const weir_memory_api *memory = host->get_extension(host, WEIR_MEMORY);
    struct self *self = memory->alloc(host, sizeof *self);
    if (self == NULL) {
        return WEIR_E_NOMEM;
    }
    *self = (struct self){ .host = host,
                           .config = config,
                           .memory = memory,
                           .symbols = host->get_extension(host, WEIR_SYMBOLS),
                           .expressions = host->get_extension(host, WEIR_EXPRESSIONS),
                           .metrics = host->get_extension(host, WEIR_METRICS),
                           .log = host->get_extension(host, WEIR_LOG),
                           .block = memory->alloc(host, 24) };
    *ret_self = self;
    return is_act(config, "create_again") ? WEIR_AGAIN : WEIR_OK;
}

static void destroy(void *self_data)
{
    static const weir_host *first;
    struct self *self = self_data;
    if (is_act(self->config, "use_host_after_destroy")) {
        if (first != NULL) {
            (void)first->get_extension(first, WEIR_LOG);
        }
        first = self->host;
    }
}

static weir_status process(void *self_data, weir_context *ctx, const weir_batch *in)
{
    struct self *self = self_data;
    for (size_t i = 0; i < COUNT_OF(deeds); i++) {
        struct scene scene = { self, ctx, in, in->entries };
        if (is_act(self->config, deeds[i].name)) {
            weir_status st = WEIR_OK;
            WEIR_EACH(ctx, in, entry) {
                scene.entry = entry;
                st = st == WEIR_OK ? deeds[i].act(&scene) : st;
            }
            return st;
        }
    }
    return WEIR_E_UNSUPPORTED;
}

static const weir_operator_vtable vtable = {
    .struct_size = sizeof vtable, .create = create, .destroy = destroy, .process = process
};

const weir_factory bad_operator = { .struct_size = sizeof bad_operator,
                                    .kind = WEIR_KIND_OPERATOR,
                                    .name = "bad",
                                    .summary = "Breaks a rule of operators",
                                    .options = bad_options,
                                    .config_size = sizeof(struct config),
                                    .vtable = &vtable };
