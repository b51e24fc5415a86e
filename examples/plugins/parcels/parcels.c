/* SPDX-License-Identifier: MIT */
/*
 * Sink `parcels`: a file of JSON lines for each checkpoint, NUMBER.jsonl in a folder, exactly once. An
 * instance that gets one partition of the input alone puts TOPIC-PARTITION- in front of its names.
 *
 * Records go to NUMBER.part. `flush` makes it durable, its token is NUMBER; `publish` renames it. A crash
 * before the commit leaves a .part that the stored token does not reach: `open` removes it.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weir/field.h>
#include <weir/plugin.h>
#include <weir/sink.h>

struct parcels {
    const weir_values_api *values;
    const weir_text *path;
    int folder;
    const weir_origin *origin; /* NULL: the records of all partitions */
    uint64_t number;           /* that the last token names */
    weir_buffer lines;         /* of a batch */
};

static weir_status grow(weir_buffer *buffer, uint64_t more)
{
    uint8_t *data = realloc(buffer->data, (buffer->size + more) * 2);
    if (data != NULL) {
        buffer->data = data;
        buffer->capacity = (buffer->size + more) * 2;
    }
    return data != NULL ? WEIR_OK : WEIR_E_NOMEM;
}

static weir_status create(const weir_host *host, const void *config, void **ret_self)
{
    struct parcels *self = weir_instance_alloc(host, sizeof *self);
    if (self == NULL) {
        return WEIR_E_NOMEM;
    }
    self->values = host->get_extension(host, WEIR_VALUES);
    self->path = config;
    self->folder = -1;
    self->lines = (weir_buffer){ .limit = UINT32_MAX, .grow = grow };
    *ret_self = self;
    return WEIR_OK;
}

static void destroy(void *data)
{
    struct parcels *self = data;
    close(self->folder);
    free(self->lines.data);
}

static weir_status fail(weir_context *ctx, const char *what)
{
    char message[200];
    snprintf(message, sizeof message, "could not %s: %s", what, strerror(errno));
    weir_fail_class(ctx, -1, WEIR_E_IO, WEIR_CLASS_RESOURCE, message, NULL);
    return WEIR_E_IO;
}

enum { ROOM = 300 };

static const char *name_of(const struct parcels *self, uint64_t number, const char *end,
                           char room[ROOM])
{
    const weir_origin *own = self->origin;
    int size = own == NULL ? 0
                           : snprintf(room, ROOM, "%.*s-%d-", (int)own->topic_len, own->topic,
                                      (int)own->partition);
    snprintf(room + size, ROOM - (size_t)size, "%08llu.%s", (unsigned long long)number, end);
    return room;
}

static weir_status assign(void *data, const weir_origin *origin)
{
    struct parcels *self = data;
    self->origin = origin;
    return origin->topic_len < ROOM - 60 ? WEIR_OK : WEIR_E_LIMIT;
}

/* The epoch's file is gone, whether it was just written or a crash has left it. */
static weir_status discard(void *data, weir_context *ctx)
{
    struct parcels *self = data;
    char name[ROOM];
    int status = unlinkat(self->folder, name_of(self, self->number + 1, "part", name), 0);
    return status == 0 || errno == ENOENT ? WEIR_OK : fail(ctx, "remove a file");
}

static weir_status open_folder(void *data, weir_context *ctx, weir_slice token)
{
    struct parcels *self = data;
    if (token.size == sizeof self->number) {
        memcpy(&self->number, token.data, sizeof self->number);
    }
    mkdir(self->path->data, 0777); /* it may be there */
    self->folder = open(self->path->data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return self->folder >= 0 ? discard(self, ctx) : fail(ctx, "open the folder");
}

static weir_status add_line(struct parcels *self, weir_context *ctx, const weir_value *value)
{
    const char *fault = NULL;
    uint64_t start = self->lines.size;
    weir_status st = self->values->write_json(value, 0, 0, &self->lines, &fault);
    if (st != WEIR_E_DATA) {
        return st == WEIR_OK ? weir_buffer_append(&self->lines, "\n", 1) : st;
    }
    self->lines.size = start;
    weir_fail(ctx, "cannot write the value as JSON: %s", fault); /* rejected; the others go on */
    return WEIR_OK;
}

/* The epoch's file. */
static int open_part(const struct parcels *self, int flags)
{
    char name[ROOM];
    return openat(self->folder, name_of(self, self->number + 1, "part", name), flags | O_CLOEXEC,
                  0666);
}

static weir_status write_batch(void *data, weir_context *ctx, const weir_batch *in)
{
    struct parcels *self = data;
    weir_status st = WEIR_OK;
    self->lines.size = 0;
    WEIR_EACH(ctx, in, entry) {
        st = st == WEIR_OK ? add_line(self, ctx, &entry->record->value) : st;
    }
    int file = st == WEIR_OK ? open_part(self, O_WRONLY | O_CREAT | O_APPEND) : -1;
    for (uint64_t done = 0; st == WEIR_OK && done < self->lines.size;) {
        ssize_t size = write(file, self->lines.data + done, self->lines.size - done);
        st = size >= 0 ? WEIR_OK : fail(ctx, "write");
        done += (uint64_t)(size >= 0 ? size : 0);
    }
    close(file);
    return st;
}

/* Always a token, so that numbers go on where nothing was written. */
static weir_status flush(void *data, weir_context *ctx, int64_t deadline_ns, uint32_t flags,
                         weir_buffer *ret_token)
{
    const struct parcels *self = data;
    (void)deadline_ns, (void)flags;
    int file = open_part(self, O_WRONLY);
    uint64_t number = self->number + (file >= 0);
    int has_failed = file < 0 ? errno != ENOENT : fsync(file) != 0 || fsync(self->folder) != 0;
    weir_status st =
        has_failed ? fail(ctx, "flush") : weir_buffer_append(ret_token, &number, sizeof number);
    close(file);
    return st;
}

/* Done twice it does no harm. */
static weir_status publish(void *data, weir_context *ctx, weir_slice token)
{
    struct parcels *self = data;
    char part[ROOM], name[ROOM];
    memcpy(&self->number, token.data, sizeof self->number);
    int status = renameat(self->folder, name_of(self, self->number, "part", part), self->folder,
                          name_of(self, self->number, "jsonl", name));
    return status == 0 || errno == ENOENT ? WEIR_OK : fail(ctx, "publish");
}

static const weir_option options[] = {
    { .name = "folder",
      .type = WEIR_OPTION_TEXT,
      .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY | WEIR_OPTION_PATH,
      .summary = "The folder to write to; it is made if need be" },
    WEIR_OPTIONS_END,
};

static const weir_sink_vtable vtable = {
    .struct_size = sizeof vtable,
    .create = create,
    .destroy = destroy,
    .open = open_folder,
    .write = write_batch,
    .flush = flush,
    .publish = publish,
    .discard = discard,
    .assign = assign,
};
static const weir_factory factory = { .struct_size = sizeof factory,
                                      .flags = WEIR_SINK_TRANSACTIONAL,
                                      .kind = WEIR_KIND_SINK,
                                      .name = "parcels",
                                      .summary = "Writes a file for each checkpoint",
                                      .options = options,
                                      .config_size = sizeof(weir_text),
                                      .vtable = &vtable };
static const weir_factory *const factories[] = { &factory, NULL };

WEIR_PLUGIN(.id = "org.example.parcels", .name = "parcels", .version = "1.0.0", .vendor = "Example",
            .license = "MIT", .summary = "Writes a file for each checkpoint",
            .factories = factories);
