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
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weir/field.h>
#include <weir/plugin.h>
#include <weir/sink.h>

#define OWNER_ROOM (NAME_MAX - 40)

struct parcels {
    const weir_values_api *values;
    const weir_text *path;
    int folder;
    char owner[OWNER_ROOM]; /* the partition; empty: all of them */
    uint64_t number;        /* that the last token names */
    weir_buffer lines;      /* of a batch */
};

static weir_status grow(weir_buffer *buffer, uint64_t more)
{
    uint64_t capacity = (buffer->size + more) * 2;
    uint8_t *data = realloc(buffer->data, capacity);
    buffer->capacity = data != NULL ? capacity : buffer->capacity;
    buffer->data = data != NULL ? data : buffer->data;
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
    close(((struct parcels *)data)->folder);
    free(((struct parcels *)data)->lines.data);
}

static weir_status fail(weir_context *ctx, const char *what)
{
    char message[200];
    snprintf(message, sizeof message, "could not %s: %s", what, strerror(errno));
    weir_fail_class(ctx, -1, WEIR_E_IO, WEIR_CLASS_RESOURCE, message, NULL);
    return WEIR_E_IO;
}

static const char *name_of(const struct parcels *self, uint64_t number, const char *end,
                           char room[NAME_MAX])
{
    snprintf(room, NAME_MAX, "%s%08llu.%s", self->owner, (unsigned long long)number, end);
    return room;
}

static weir_status assign(void *data, const weir_origin *origin)
{
    snprintf(((struct parcels *)data)->owner, OWNER_ROOM, "%.*s-%d-", (int)origin->topic_len,
             origin->topic, (int)origin->partition);
    return WEIR_OK;
}

/* The epoch's file is gone, whether it was just written or a crash has left it. */
static weir_status discard(void *data, weir_context *ctx)
{
    struct parcels *self = data;
    char name[NAME_MAX];
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

/* The epoch's file. */
static int open_part(const struct parcels *self, int flags)
{
    char name[NAME_MAX];
    name_of(self, self->number + 1, "part", name);
    return openat(self->folder, name, flags | O_CLOEXEC, 0666);
}

static weir_status write_batch(void *data, weir_context *ctx, const weir_batch *in)
{
    struct parcels *self = data;
    self->lines.size = 0;
    WEIR_EACH(ctx, in, entry) {
        const char *fault = NULL;
        uint64_t start = self->lines.size;
        const weir_value *value = &entry->record->value;
        weir_status st = self->values->write_json(value, 0, 0, &self->lines, &fault);
        if (st == WEIR_E_DATA) {
            self->lines.size = start;
            weir_fail(ctx, "cannot write the value as JSON: %s", fault); /* the others go on */
        } else if (st != WEIR_OK || weir_buffer_append(&self->lines, "\n", 1) != WEIR_OK) {
            return WEIR_E_NOMEM;
        }
    }
    int file = open_part(self, O_WRONLY | O_CREAT | O_APPEND);
    ssize_t size = 0;
    for (uint64_t done = 0; size >= 0 && done < self->lines.size; done += (uint64_t)size) {
        size = write(file, self->lines.data + done, self->lines.size - done);
    }
    close(file);
    return size >= 0 ? WEIR_OK : fail(ctx, "write");
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
    close(file);
    return has_failed ? fail(ctx, "flush") : weir_buffer_append(ret_token, &number, sizeof number);
}

/* Done twice it does no harm. */
static weir_status publish(void *data, weir_context *ctx, weir_slice token)
{
    struct parcels *self = data;
    char part[NAME_MAX], name[NAME_MAX];
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

WEIR_PLUGIN(.id = "org.example.parcels", .name = "parcels", .version = "1.0.0", .vendor = "Example",
            .license = "MIT", .summary = "Writes a file for each checkpoint",
            .factories = (const weir_factory *const[]){ &factory, NULL });
