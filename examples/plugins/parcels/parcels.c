/* SPDX-License-Identifier: MIT */
/*
 * Sink `parcels`: a file of JSON lines for each checkpoint, NUMBER.jsonl in a folder, exactly once. An
 * instance that gets one partition of the input alone puts TOPIC-PARTITION- in front of its names.
 *
 * Records go to NUMBER.WRITER.part, where each instance is a writer of its own: an old one that does not know
 * yet that its partition has gone writes to nobody's file. `flush` makes it durable, its token is NUMBER and WRITER;
 * `publish` renames it. What then has that number or a lower one can never be committed any more: it is removed.
 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weir/field.h>
#include <weir/plugin.h>
#include <weir/sink.h>

#define OWNER_ROOM (NAME_MAX - 60)

struct token {
    uint64_t number;
    uint64_t writer;
};

struct parcels {
    const weir_values_api *values;
    const weir_text *path;
    int folder;
    char owner[OWNER_ROOM]; /* the partition; empty: all of them */
    uint64_t number;        /* that the last token names */
    uint64_t writer;        /* this instance, by chance */
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
    ssize_t got = getrandom(&self->writer, sizeof self->writer, 0);
    return got == (ssize_t)sizeof self->writer ? WEIR_OK : WEIR_E_IO;
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

static const char *part_of(const struct parcels *self, uint64_t number, uint64_t writer,
                           char room[NAME_MAX])
{
    snprintf(room, NAME_MAX, "%s%08llu.%016llx.part", self->owner, (unsigned long long)number,
             (unsigned long long)writer);
    return room;
}

static weir_status assign(void *data, const weir_origin *origin)
{
    snprintf(((struct parcels *)data)->owner, OWNER_ROOM, "%.*s-%d-", (int)origin->topic_len,
             origin->topic, (int)origin->partition);
    return WEIR_OK;
}

/* The epoch's file is gone. */
static weir_status discard(void *data, weir_context *ctx)
{
    struct parcels *self = data;
    char name[NAME_MAX];
    int status = unlinkat(self->folder, part_of(self, self->number + 1, self->writer, name), 0);
    return status == 0 || errno == ENOENT ? WEIR_OK : fail(ctx, "remove a file");
}

static weir_status open_folder(void *data, weir_context *ctx, weir_slice token)
{
    struct parcels *self = data;
    struct token last = { 0, 0 };
    if (token.size == sizeof last) {
        memcpy(&last, token.data, sizeof last);
    }
    self->number = last.number;
    mkdir(self->path->data, 0777); /* it may be there */
    self->folder = open(self->path->data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return self->folder >= 0 ? WEIR_OK : fail(ctx, "open the folder");
}

/* The epoch's file. */
static int open_part(const struct parcels *self, int flags)
{
    char name[NAME_MAX];
    part_of(self, self->number + 1, self->writer, name);
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
    struct token token = { self->number + (file >= 0), self->writer };
    int has_failed = file < 0 ? errno != ENOENT : fsync(file) != 0 || fsync(self->folder) != 0;
    close(file);
    return has_failed ? fail(ctx, "flush") : weir_buffer_append(ret_token, &token, sizeof token);
}

/* Of this owner, with a number that has been committed: nobody will ever name it. */
static int is_stray(const struct parcels *self, const char *name, uint64_t number)
{
    size_t length = strlen(self->owner);
    unsigned long long found, writer;
    int end = 0;
    return strncmp(name, self->owner, length) == 0 &&
           sscanf(name + length, "%8llu.%16llx.part%n", &found, &writer, &end) == 2 && end > 0 &&
           name[length + (size_t)end] == '\0' && found <= number;
}

static void remove_strays(const struct parcels *self)
{
    DIR *folder = fdopendir(openat(self->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        if (is_stray(self, entry->d_name, self->number)) {
            unlinkat(self->folder, entry->d_name, 0);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
}

/* Done twice it does no harm, also where a successor was faster. */
static weir_status publish(void *data, weir_context *ctx, weir_slice token)
{
    struct parcels *self = data;
    struct token named;
    char part[NAME_MAX], name[NAME_MAX];
    memcpy(&named, token.data, sizeof named);
    self->number = named.number;
    snprintf(name, sizeof name, "%s%08llu.jsonl", self->owner, (unsigned long long)named.number);
    int status =
        renameat(self->folder, part_of(self, named.number, named.writer, part), self->folder, name);
    if (status != 0 && errno != ENOENT) {
        return fail(ctx, "publish");
    }
    remove_strays(self);
    return WEIR_OK;
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
