/* SPDX-License-Identifier: MIT */
/*
 * One plugin of every kind that moves records, which behaves as its options tell it: well, or in each
 * of the ways that a run must survive or explain. `do` names the behaviour, `n` is its number.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weir/operator.h>
#include <weir/plugin.h>
#include <weir/serializer.h>
#include <weir/sink.h>
#include <weir/source.h>

struct config {
    weir_text act;
    int64_t n;
    int64_t records;
};

/* calls, next: of a source; failed: calls that have failed for now; written: records, of a sink. */
struct self {
    const struct config *config;
    uint64_t calls;
    uint64_t next;
    int64_t failed;
    int64_t written;
};

static const weir_option options[] = { { .name = "do",
                                         .type = WEIR_OPTION_TEXT,
                                         .default_text = "well",
                                         .offset = offsetof(struct config, act),
                                         .summary = "How to behave" },
                                       { .name = "n",
                                         .type = WEIR_OPTION_INT,
                                         .default_text = "0",
                                         .min = INT32_MIN,
                                         .max = INT64_MAX,
                                         .offset = offsetof(struct config, n),
                                         .summary = "The number of the behaviour" },
                                       { .name = "records",
                                         .type = WEIR_OPTION_INT,
                                         .default_text = "10",
                                         .max = INT64_MAX,
                                         .offset = offsetof(struct config, records),
                                         .summary = "Records that the source has" },
                                       WEIR_OPTIONS_END };

static int does(const struct self *self, const char *act)
{
    return strcmp(self->config->act.data, act) == 0;
}

static _Noreturn void sleep_for_ever(void)
{
    for (;;) {
        pause();
    }
}

static weir_status create(const weir_host *host, const void *config, void **ret_self)
{
    const weir_memory_api *memory = host->get_extension(host, WEIR_MEMORY);
    struct self *self = memory->alloc(host, sizeof *self);
    if (self == NULL) {
        return WEIR_E_NOMEM;
    }
    self->config = config;
    *ret_self = self;
    return does(self, "fail create") ? WEIR_E_IO : WEIR_OK;
}

static int is_there(const char *file)
{
    return access(file, F_OK) == 0;
}

/* For now: n times, or as long as there is the file and n records were written. */
static int is_away(struct self *self)
{
    int is_counted = self->config->act.data[1] == 'w';
    return is_counted ? self->failed++ < self->config->n
                      : is_there("absent") && self->written >= self->config->n;
}

/*
 * The behaviours that every call shares: "fail WHAT", "say WHAT", "status WHAT", "hang WHAT", "wait WHAT" (as
 * long as there is a file named wait), "away WHAT" and "absent WHAT" (is_away), "reject WHAT" (its first
 * record).
 */
static weir_status behave(struct self *self, weir_context *ctx, const char *what)
{
    const char *act = self->config->act.data;
    const char *space = strchr(act, ' ');
    if (space == NULL || strcmp(space + 1, what) != 0) {
        return WEIR_OK;
    }
    if (strncmp(act, "hang", 4) == 0) {
        sleep_for_ever();
    }
    while (strncmp(act, "wait", 4) == 0 && is_there("wait")) {
        usleep(1000);
    }
    if (strncmp(act, "crash", 5) == 0) {
        abort();
    }
    if (strncmp(act, "sleep", 5) == 0) {
        usleep((useconds_t)(self->config->n * 1000));
    }
    if (strncmp(act, "sleep", 5) == 0 || strncmp(act, "wait", 4) == 0) {
        return WEIR_OK;
    }
    if (strncmp(act, "status", 6) == 0) {
        return (weir_status)self->config->n;
    }
    if (strncmp(act, "index", 5) == 0) {
        weir_fail_class(ctx, self->config->n, WEIR_E_DATA, WEIR_CLASS_DATA, "this one", NULL);
        return WEIR_OK;
    }
    if (strncmp(act, "reject", 6) == 0) {
        weir_fail(ctx, "nobody wants it");
        return WEIR_OK;
    }
    if (strncmp(act, "away", 4) == 0 || strncmp(act, "absent", 6) == 0) {
        if (!is_away(self)) {
            return WEIR_OK;
        }
        weir_fail_for_now(ctx, -1, WEIR_E_IO, WEIR_CLASS_NETWORK, 0, "the peer is away", "wake it");
        return WEIR_E_IO;
    }
    if (strncmp(act, "say", 3) == 0) {
        weir_fail_class(ctx, -1, WEIR_E_IO, WEIR_CLASS_NETWORK, "the peer is away", "wake it");
    }
    return WEIR_E_IO;
}

/* ---- operator ---------------------------------------------------------------------------------- */

static weir_value odd_value(const struct self *self, weir_value value)
{
    if (does(self, "give bad text")) {
        return weir_text_value("a\xff\xc3", 3);
    }
    if (does(self, "give unknown tag")) {
        value.tag = 77;
    }
    if (does(self, "give nan")) {
        return weir_float(__builtin_nan(""));
    }
    if (does(self, "give bytes")) {
        return weir_bytes_value("\xff", 1);
    }
    return value;
}

static weir_status process(void *instance, weir_context *ctx, const weir_batch *in)
{
    struct self *self = instance;
    weir_status st = behave(self, ctx, "process");
    if (st != WEIR_OK) {
        return st;
    }
    if (does(self, "take huge memory") && weir_alloc(ctx, (uint64_t)self->config->n) == NULL) {
        return WEIR_E_NOMEM;
    }
    int64_t copies = does(self, "emit many") ? self->config->n : 1;
    WEIR_EACH(ctx, in, entry) {
        for (int64_t i = 0; i < copies && st == WEIR_OK; i++) {
            st = weir_emit_value(ctx, 0, entry, odd_value(self, entry->record->value));
        }
        if (does(self, "fail each twice")) {
            weir_fail(ctx, "once");
            weir_fail(ctx, "twice");
        }
    }
    return st;
}

/* ---- source ------------------------------------------------------------------------------------ */

static weir_status source_open(void *instance, weir_context *ctx, weir_slice position,
                               uint32_t flags)
{
    struct self *self = instance;
    (void)flags;
    if (position.size == sizeof self->next) {
        memcpy(&self->next, position.data, sizeof self->next);
    }
    return behave(self, ctx, "open");
}

static weir_status produce(struct self *self, weir_context *ctx)
{
    weir_record *record = weir_alloc(ctx, sizeof *record);
    char *text = weir_alloc(ctx, 32);
    if (record == NULL || text == NULL) {
        return WEIR_E_NOMEM;
    }
    int length = snprintf(text, 32, "%" PRIu64, self->next);
    *record = (weir_record){ .timestamp = WEIR_NO_TIMESTAMP, .offset = WEIR_NO_OFFSET };
    record->value = weir_text_value(text, (uint32_t)length);
    if (does(self, "give huge records")) {
        char *huge = weir_alloc(ctx, (uint64_t)self->config->n);
        if (huge == NULL) {
            return WEIR_E_NOMEM;
        }
        memset(huge, 'x', (size_t)self->config->n);
        memcpy(huge, text, (size_t)length);
        record->value = weir_text_value(huge, (uint32_t)self->config->n);
    }
    self->next++;
    return weir_produce(ctx, record);
}

static weir_status poll(void *instance, weir_context *ctx, uint32_t max_records, int64_t timeout_ms)
{
    struct self *self = instance;
    (void)timeout_ms;
    weir_status st = self->next >= 5 ? behave(self, ctx, "poll") : WEIR_OK;
    for (uint32_t i = 0; st == WEIR_OK && i < max_records; i++) {
        if ((int64_t)self->next >= self->config->records) {
            return does(self, "never end") ? WEIR_AGAIN : WEIR_END;
        }
        if (does(self, "rest") && (int64_t)self->next >= self->config->n && is_there("rest")) {
            return WEIR_AGAIN; /* as long as there is that file, after n records */
        }
        if (self->next == 5 && i > 0 && self->calls++ == 0) {
            return WEIR_OK; /* so that five records are there before the behaviour */
        }
        st = produce(self, ctx);
    }
    return st;
}

static weir_status position(void *instance, weir_context *ctx, weir_buffer *out)
{
    struct self *self = instance;
    weir_status st = behave(self, ctx, "position");
    return st != WEIR_OK ? st : weir_buffer_append(out, &self->next, sizeof self->next);
}

static weir_status source_close(void *instance, weir_context *ctx)
{
    return behave(instance, ctx, "close");
}

static weir_status describe(void *instance, weir_context *ctx, weir_buffer *out)
{
    (void)out;
    return behave(instance, ctx, "describe");
}

/* ---- sink: writes texts to a file named out.txt, plainly ---------------------------------------- */

static weir_status sink_open(void *instance, weir_context *ctx, weir_slice token)
{
    (void)token;
    return behave(instance, ctx, "open");
}

static weir_status sink_write(void *instance, weir_context *ctx, const weir_batch *in)
{
    struct self *self = instance;
    weir_status st = behave(self, ctx, "write");
    if (st != WEIR_OK) {
        return st;
    }
    FILE *file = fopen("out.txt", "a");
    if (file == NULL) {
        return WEIR_E_IO;
    }
    WEIR_EACH(ctx, in, entry) {
        const weir_value *v = &entry->record->value;
        fprintf(file, "%.*s\n", v->tag == WEIR_TEXT ? (int)(v->len < 32 ? v->len : 32) : 0,
                v->as.text);
        self->written++;
    }
    return fclose(file) == 0 ? WEIR_OK : WEIR_E_IO;
}

static weir_status discard(void *instance, weir_context *ctx)
{
    (void)ctx;
    FILE *file = fopen("discarded.txt", "a");
    return instance == NULL || file == NULL || fclose(file) != 0 ? WEIR_E_IO : WEIR_OK;
}

static weir_status flush(void *instance, weir_context *ctx, int64_t deadline_ns, uint32_t flags,
                         weir_buffer *ret_token)
{
    (void)deadline_ns;
    (void)flags;
    weir_status st = behave(instance, ctx, "flush");
    return st != WEIR_OK ? st : weir_buffer_append(ret_token, "t", 1);
}

static weir_status publish(void *instance, weir_context *ctx, weir_slice token)
{
    (void)token;
    return behave(instance, ctx, "publish");
}

static weir_status sink_close(void *instance, weir_context *ctx)
{
    return behave(instance, ctx, "close");
}

/* ---- serializer: text as it is ------------------------------------------------------------------ */

static weir_status decode(void *instance, weir_context *ctx, const weir_slice *payloads,
                          uint32_t count, weir_value *out)
{
    struct self *self = instance;
    if (does(self, "leave decoded values unset")) {
        return WEIR_OK;
    }
    for (uint32_t i = 0; i < count; i++) {
        out[i] = payloads[i].size == WEIR_ABSENT
                     ? weir_null()
                     : weir_text_value((const char *)payloads[i].data, (uint32_t)payloads[i].size);
    }
    return behave(self, ctx, "decode");
}

static weir_status encode(void *instance, weir_context *ctx, const weir_value *const *values,
                          uint32_t count, weir_buffer *out, uint64_t *ends)
{
    struct self *self = instance;
    for (uint32_t i = 0; i < count; i++) {
        weir_status st = values[i]->tag == WEIR_TEXT
                             ? weir_buffer_append(out, values[i]->as.text, values[i]->len)
                             : WEIR_OK;
        if (st != WEIR_OK) {
            return st;
        }
        if (!does(self, "leave ends unset")) {
            ends[i] = out->size;
        }
    }
    if (does(self, "end beyond")) {
        ends[count - 1] = out->size + 1000000000;
    } else if (does(self, "end decreasing") && count > 1) {
        ends[count - 1] = 0;
    }
    return behave(self, ctx, "encode");
}

static const weir_operator_vtable operator_vtable = { .struct_size = sizeof operator_vtable,
                                                      .create = create,
                                                      .process = process };
static const weir_source_vtable source_vtable = { .struct_size = sizeof source_vtable,
                                                  .create = create,
                                                  .open = source_open,
                                                  .poll = poll,
                                                  .position = position,
                                                  .close = source_close,
                                                  .describe = describe };
static const weir_sink_vtable sink_vtable = { .struct_size = sizeof sink_vtable,
                                              .create = create,
                                              .open = sink_open,
                                              .write = sink_write,
                                              .flush = flush,
                                              .publish = publish,
                                              .discard = discard,
                                              .close = sink_close };
static const weir_serializer_vtable serializer_vtable = {
    .struct_size = sizeof serializer_vtable, .create = create, .decode = decode, .encode = encode
};

#define RUDE(variable, kind_id, factory_name, table)                                               \
 static const weir_factory variable = { .struct_size = sizeof variable,                            \
                                        .kind = kind_id,                                           \
                                        .name = factory_name,                                      \
                                        .summary = "Behaves as it is told",                        \
                                        .options = options,                                        \
                                        .config_size = sizeof(struct config),                      \
                                        .vtable = &table }

RUDE(rude_operator, WEIR_KIND_OPERATOR, "rude", operator_vtable);
RUDE(rude_source, WEIR_KIND_SOURCE, "rude", source_vtable);
RUDE(rude_sink, WEIR_KIND_SINK, "rude", sink_vtable);
RUDE(rude_serializer, WEIR_KIND_SERIALIZER, "rude", serializer_vtable);

static const weir_factory *const factories[] = { &rude_operator, &rude_source, &rude_sink,
                                                 &rude_serializer, NULL };

WEIR_PLUGIN(.id = "org.example.rude", .name = "rude", .version = "1.0.0", .vendor = "Example",
            .license = "MIT", .summary = "Behaves as it is told", .factories = factories);
