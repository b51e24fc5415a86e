/* SPDX-License-Identifier: MIT */
/*
 * Sink `print`: records on standard output, for people as a table, for programs as JSON lines.
 *
 * The first rows of a table wait for each other, at most until the next checkpoint, so that columns
 * get a fitting width; from then on every call writes what it was given.
 */
#include <string.h>

#include <weir/plugin.h>
#include <weir/sink.h>

#include "output.h"
#include "support/fault.h"
#include "support/heap_buffer.h"
#include "support/kind.h"
#include "support/message_line.h"
#include "table.h"

enum { FORMAT_TABLE, FORMAT_JSON };
enum { WRITE_SIZE = 1 << 20 };

struct config {
    int64_t format;
    int64_t limit;
    weir_option_list columns;
    weir_text title;
    uint8_t has_metadata;
};

/*
 * out        what is to be written at the end of the call
 * cell       one value as JSON
 * slots      where the steps of chosen columns were found last time, one array per column
 * shown      records that were printed, or wait in the table
 * is_closed  nobody reads standard output any more
 */
struct print {
    const struct config *config;
    const weir_values_api *values;
    struct table table;
    weir_buffer out;
    weir_buffer cell;
    uint32_t **slots;
    int64_t shown;
    bool is_closed;
};

static bool make_slots(struct print *self, const weir_host *host, const weir_memory_api *memory)
{
    const weir_option_list *columns = &self->config->columns;
    self->slots = memory->alloc(host, (columns->count + 1) * sizeof(uint32_t *));
    for (uint64_t i = 0; self->slots != NULL && i < columns->count; i++) {
        const weir_target *target = columns->items[i].target;
        self->slots[i] = memory->alloc(host, (target->step_count + 1u) * sizeof(uint32_t));
        if (self->slots[i] == NULL) {
            return false;
        }
    }
    return self->slots != NULL;
}

static void warn_of_idle_options(const weir_host *host, const struct config *config)
{
    const weir_log_api *log = host->get_extension(host, WEIR_LOG);
    if (log != NULL && config->format == FORMAT_JSON &&
        (config->columns.count > 0 || config->title.data != NULL)) {
        log->write(host, WEIR_LOG_WARNING,
                   "options 'columns' and 'title' mean nothing with 'format: json'");
    }
}

static weir_status create(const weir_host *host, const void *config, void **ret_self)
{
    const weir_memory_api *memory = host->get_extension(host, WEIR_MEMORY);
    const weir_values_api *values = host->get_extension(host, WEIR_VALUES);
    if (memory == NULL || values == NULL) {
        return WEIR_E_UNSUPPORTED;
    }
    struct print *self = memory->alloc(host, sizeof *self);
    if (self == NULL) {
        return WEIR_E_NOMEM;
    }
    self->config = config;
    self->values = values;
    if (!make_slots(self, host, memory)) {
        return WEIR_E_NOMEM;
    }
    warn_of_idle_options(host, config);
    table_init(&self->table);
    heap_buffer_init(&self->out, UINT32_MAX);
    heap_buffer_init(&self->cell, UINT32_MAX);
    *ret_self = self;
    return WEIR_OK;
}

static void destroy(void *data)
{
    struct print *self = data;
    table_deinit(&self->table);
    heap_buffer_deinit(&self->out);
    heap_buffer_deinit(&self->cell);
}

static weir_status open_sink(void *data, weir_context *ctx, weir_slice token)
{
    (void)data;
    (void)ctx;
    (void)token;
    return WEIR_OK;
}

/* ---- cells ------------------------------------------------------------------------------------- */

static weir_status put_cell(struct print *self, uint32_t column, const weir_value *v)
{
    if (v->tag == WEIR_TEXT) {
        return table_put(&self->table, column, v->as.text, v->len, false);
    }
    self->cell.size = 0;
    weir_status st = self->values->write_json(v, WEIR_JSON_BYTES_TAGGED, 1000, &self->cell, NULL);
    if (st != WEIR_OK) {
        return st == WEIR_E_DATA ? WEIR_OK : st; /* nothing to show */
    }
    const char *text = (const char *)self->cell.data;
    uint64_t len = self->cell.size;
    if (v->tag == WEIR_TIMESTAMP && len >= 2) { /* without the quotes */
        text++;
        len -= 2;
    }
    return table_put(&self->table, column, text, len, kind_is_number(v));
}

static weir_status put_named(struct print *self, const char *name, uint64_t len, uint32_t hint,
                             const weir_value *v)
{
    uint32_t column = table_column(&self->table, name, len, hint);
    return column == TABLE_COLUMNS ? WEIR_OK : put_cell(self, column, v);
}

static weir_status put_metadata(struct print *self, const weir_record *record,
                                const weir_origin *origin)
{
    weir_value timestamp = { WEIR_TIMESTAMP, 0, 3, 0, { record->timestamp } };
    const struct {
        const char *name;
        weir_value value;
        bool is_there;
    } cells[] = {
        { "$key", record->key, record->key.tag != WEIR_NULL },
        { "$timestamp", timestamp, record->timestamp != WEIR_NO_TIMESTAMP },
        { "$topic", weir_text_value(origin->topic, origin->topic_len), true },
        { "$partition", weir_int(origin->partition), true },
        { "$offset", weir_int(record->offset), record->offset >= 0 },
    };
    for (uint32_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        uint32_t column = table_column(&self->table, cells[i].name, strlen(cells[i].name), i);
        weir_status st = cells[i].is_there ? put_cell(self, column, &cells[i].value) : WEIR_OK;
        if (st != WEIR_OK) {
            return st;
        }
    }
    return WEIR_OK;
}

/* NULL: there is nothing in this place. */
static const weir_value *find_place(const weir_value *v, const weir_target *target, uint32_t *slots)
{
    for (uint32_t i = 0; i < target->step_count; i++) {
        const weir_target_step *step = &target->steps[i];
        if (step->name != NULL && v->tag == WEIR_MAP) {
            const weir_member *m =
                weir_map_find(v, step->symbol, step->name, step->name_len, &slots[i]);
            if (m == NULL) {
                return NULL;
            }
            v = &m->value;
        } else if (step->name == NULL && v->tag == WEIR_LIST) {
            int64_t index = step->index < 0 ? step->index + (int64_t)v->len : step->index;
            if (index < 0 || index >= (int64_t)v->len) {
                return NULL;
            }
            v = &v->as.items[index];
        } else {
            return NULL;
        }
    }
    return v;
}

static weir_status put_chosen(struct print *self, const weir_value *value)
{
    const weir_option_list *columns = &self->config->columns;
    for (uint64_t i = 0; i < columns->count; i++) {
        const weir_target *target = columns->items[i].target;
        const weir_value *v = find_place(value, target, self->slots[i]);
        uint32_t column = table_column(&self->table, target->text.data, target->text.size,
                                       self->config->has_metadata ? (uint32_t)i + 5 : (uint32_t)i);
        weir_status st = v == NULL || column == TABLE_COLUMNS ? WEIR_OK : put_cell(self, column, v);
        if (st != WEIR_OK) {
            return st;
        }
    }
    return WEIR_OK;
}

static weir_status put_members(struct print *self, const weir_value *value)
{
    if (value->tag != WEIR_MAP) {
        return put_named(self, "value", 5, 0, value);
    }
    for (uint32_t i = 0; i < value->len; i++) {
        const weir_member *m = &value->as.members[i];
        weir_status st =
            put_named(self, m->key, m->key_len, self->config->has_metadata ? i + 5 : i, &m->value);
        if (st != WEIR_OK) {
            return st;
        }
    }
    return WEIR_OK;
}

/* ---- records ----------------------------------------------------------------------------------- */

static weir_status render(struct print *self)
{
    return table_render(&self->table, self->config->title.data, &self->out);
}

static weir_status print_row(struct print *self, const weir_record *record,
                             const weir_origin *origin)
{
    weir_status st = table_is_full(&self->table) ? render(self) : WEIR_OK;
    if (st != WEIR_OK) {
        return st;
    }
    table_add_row(&self->table);
    if (self->config->has_metadata) {
        st = put_metadata(self, record, origin);
    }
    if (st != WEIR_OK) {
        return st;
    }
    return self->config->columns.items != NULL ? put_chosen(self, &record->value)
                                               : put_members(self, &record->value);
}

/* WEIR_E_DATA: the record under the cursor has failed and that has been reported. */
static weir_status print_line(struct print *self, weir_context *ctx, const weir_record *record,
                              const weir_origin *origin)
{
    const char *why = "it has no form in JSON";
    struct message_fault fault;
    uint64_t begin = self->out.size;
    weir_status st;
    if (self->config->has_metadata) {
        st = message_line_write(self->values, record, origin, &self->out, &fault);
        why = fault.message;
    } else {
        st = self->values->write_json(&record->value, 0, 0, &self->out, &why);
    }
    if (st == WEIR_E_DATA) {
        self->out.size = begin;
        weir_fail(ctx, "cannot print the value as JSON: %s", why);
    }
    return st == WEIR_OK ? weir_buffer_append(&self->out, "\n", 1) : st;
}

static weir_status write_out(struct print *self, weir_context *ctx)
{
    weir_status st = output_write(&self->out);
    self->is_closed = st == WEIR_END;
    return st == WEIR_E_IO ? fault_errno(ctx, "write to", "standard output") : st;
}

static weir_status print_entry(struct print *self, weir_context *ctx, const weir_entry *entry,
                               const weir_origin *origin)
{
    weir_status st = self->config->format == FORMAT_JSON
                         ? print_line(self, ctx, entry->record, origin)
                         : print_row(self, entry->record, origin);
    if (st == WEIR_E_DATA) {
        return WEIR_OK;
    }
    self->shown++;
    return st == WEIR_OK && self->out.size >= WRITE_SIZE ? write_out(self, ctx) : st;
}

static bool has_reached_limit(const struct print *self)
{
    return self->config->limit > 0 && self->shown >= self->config->limit;
}

static weir_status write_batch(void *data, weir_context *ctx, const weir_batch *in)
{
    struct print *self = data;
    if (self->is_closed) {
        return WEIR_END;
    }
    WEIR_EACH(ctx, in, entry) {
        if (has_reached_limit(self)) {
            break;
        }
        weir_status st = print_entry(self, ctx, entry, &in->origins[entry->origin]);
        if (st != WEIR_OK) {
            return st;
        }
    }
    bool is_due =
        self->table.headed_count > 0 || has_reached_limit(self) || table_is_full(&self->table);
    weir_status st = is_due ? render(self) : WEIR_OK;
    return st == WEIR_OK ? write_out(self, ctx) : st;
}

/* What waits in the table. A reader that has gone is told to the next write. */
static weir_status write_rest(struct print *self, weir_context *ctx)
{
    weir_status st = self->is_closed ? WEIR_END : render(self);
    if (st == WEIR_OK) {
        st = write_out(self, ctx);
    }
    return st == WEIR_END ? WEIR_OK : st;
}

static weir_status flush(void *data, weir_context *ctx, int64_t deadline_ns, uint32_t flags,
                         weir_buffer *ret_token)
{
    (void)deadline_ns;
    (void)flags;
    (void)ret_token;
    return write_rest(data, ctx);
}

/* What was printed is gone: there is nothing to take back, and nothing to warn about. */
static weir_status reset(void *data, weir_context *ctx)
{
    (void)data;
    (void)ctx;
    return WEIR_OK;
}

static weir_status close_sink(void *data, weir_context *ctx)
{
    return write_rest(data, ctx);
}

/* ---- the table of options ---------------------------------------------------------------------- */

static const char *const format_names[] = { "table", "json", NULL };

static const weir_option column_element = {
    .name = "column",
    .type = WEIR_OPTION_TARGET,
    .summary = "A field, or a path to one",
};

static const weir_option options[] = {
    { .name = "format",
      .type = WEIR_OPTION_ENUM,
      .offset = offsetof(struct config, format),
      .default_text = "table",
      .enum_names = format_names,
      .summary = "A table for people, or a JSON value a line" },
    { .name = "limit",
      .type = WEIR_OPTION_INT,
      .offset = offsetof(struct config, limit),
      .default_text = "0",
      .min = 0,
      .max = INT64_MAX,
      .summary = "Print so many records and then no more; 0: all",
      .doc = "Further records are taken and counted all the same." },
    { .name = "columns",
      .type = WEIR_OPTION_LIST,
      .offset = offsetof(struct config, columns),
      .element = &column_element,
      .summary = "The columns of the table",
      .doc = "Left out, every field gets a column, in the order of first appearance. A field that "
             "a record does not have leaves its cell empty." },
    { .name = "title",
      .type = WEIR_OPTION_TEXT,
      .offset = offsetof(struct config, title),
      .summary = "A line above the table" },
    { .name = "metadata",
      .type = WEIR_OPTION_BOOL,
      .offset = offsetof(struct config, has_metadata),
      .default_text = "false",
      .summary = "Show key, timestamp, topic, partition and offset too",
      .doc =
          "As first columns of the table; as JSON the record line, which the source `file` reads "
          "with `content: record`." },
    WEIR_OPTIONS_END
};

static const weir_sink_vtable vtable = {
    .struct_size = sizeof vtable,
    .create = create,
    .destroy = destroy,
    .open = open_sink,
    .write = write_batch,
    .flush = flush,
    .reset = reset,
    .close = close_sink,
};

static const weir_factory print_factory = {
    .struct_size = sizeof print_factory,
    .flags = WEIR_SINK_AT_LEAST_ONCE | WEIR_SINK_SHARED,
    .kind = WEIR_KIND_SINK,
    .name = "print",
    .summary = "Shows records on standard output",
    .doc = "```yaml\nto: print\nto: {print: {columns: [origin, delay], limit: 20}}\n```\n\n"
           "A table's header comes again when a field joins that was not there before. Cells are "
           "cut after 40 characters, control characters are shown as escapes. When nobody reads "
           "standard output any more (`| head`), the sink is finished and the run goes on if it "
           "has other ends.",
    .options = options,
    .config_size = sizeof(struct config),
    .vtable = &vtable,
};

static const weir_factory *const factories[] = { &print_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.sink.print", .name = "print", .version = "0.1.0", .vendor = "weir",
            .license = "MIT", .url = NULL, .summary = "Shows records on standard output",
            .factories = factories);
