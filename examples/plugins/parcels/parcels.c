/* SPDX-License-Identifier: MIT */
/*
 * Sink `parcels`: a file of JSON lines for each checkpoint, NUMBER.jsonl in a folder, exactly once. An
 * instance that gets one partition of the input alone puts TOPIC-PARTITION- in front of its names.
 *
 * Records go to NUMBER.WRITER.part, where each instance is a writer of its own: an old one that does not know
 * yet that its partition has gone writes to nobody's file. `flush` makes it durable, and its name is the token;
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

struct config {
    weir_text folder;
};

struct parcels {
    const weir_values_api *values;
    const char *path;
    int folder;
    char owner[OWNER_ROOM]; /* the partition; empty: all of them */
    uint64_t number;        /* that the last token names */
    uint64_t writer;        /* this instance, by chance */
    weir_buffer lines;      /* of a batch */
};

static weir_status create(const weir_host *host, const void *config, void **ret_self)
{
    struct parcels *self = weir_instance_alloc(host, sizeof *self);
    if (self == NULL) {
        return WEIR_E_NOMEM;
    }
    self->values = host->get_extension(host, WEIR_VALUES);
    self->path = ((const struct config *)config)->folder.data;
    self->folder = -1;
    self->lines = (weir_buffer){ .limit = INT_MAX, .grow = weir_heap_grow };
    *ret_self = self;
    return getrandom(&self->writer, sizeof self->writer, 0) > 0 ? WEIR_OK : WEIR_E_IO;
}

static void destroy(void *data)
{
    close(((struct parcels *)data)->folder);
    free(((struct parcels *)data)->lines.data);
}

static weir_status assign(void *data, const weir_origin *origin)
{
    snprintf(((struct parcels *)data)->owner, OWNER_ROOM, "%.*s-%d-", (int)origin->topic_len,
             origin->topic, (int)origin->partition);
    return WEIR_OK;
}

/* The file of the epoch under way is that of the next number. */
static const char *part_of(const struct parcels *self, uint64_t writer, char room[NAME_MAX])
{
    snprintf(room, NAME_MAX, "%s%08llu.%016llx.part", self->owner,
             (unsigned long long)self->number + 1, (unsigned long long)writer);
    return room;
}

static int open_part(const struct parcels *self, int flags, char name[NAME_MAX])
{
    return openat(self->folder, part_of(self, self->writer, name), flags | O_CLOEXEC, 0666);
}

/* The name that a token holds; self->number becomes its. */
static const char *take_token(struct parcels *self, weir_slice token, char room[NAME_MAX])
{
    snprintf(room, NAME_MAX, "%.*s", (int)token.size, (const char *)token.data);
    self->number = strtoull(room + (token.size > 0 ? strlen(self->owner) : 0), NULL, 10);
    return room;
}

static weir_status discard(void *data, weir_context *ctx)
{
    struct parcels *self = data;
    char name[NAME_MAX];
    int status = unlinkat(self->folder, part_of(self, self->writer, name), 0);
    return status == 0 || errno == ENOENT ? WEIR_OK : weir_fail_errno(ctx, "remove a file");
}

static weir_status open_folder(void *data, weir_context *ctx, weir_slice token)
{
    struct parcels *self = data;
    char name[NAME_MAX];
    take_token(self, token, name);
    mkdir(self->path, 0777); /* it may be there */
    self->folder = open(self->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return self->folder >= 0 ? WEIR_OK : weir_fail_errno(ctx, "open the folder");
}

static weir_status write_batch(void *data, weir_context *ctx, const weir_batch *in)
{
    struct parcels *self = data;
    char name[NAME_MAX];
    self->lines.size = 0;
    WEIR_EACH(ctx, in, entry) {
        const char *fault = NULL;
        uint64_t start = self->lines.size;
        weir_status st =
            self->values->write_json(&entry->record->value, 0, 0, &self->lines, &fault);
        if (st == WEIR_E_DATA) {
            self->lines.size = start;
            weir_fail(ctx, "cannot write the value as JSON: %s", fault); /* the others go on */
        } else if (st != WEIR_OK || weir_buffer_append(&self->lines, "\n", 1) != WEIR_OK) {
            return WEIR_E_NOMEM;
        }
    }
    int file = open_part(self, O_WRONLY | O_CREAT | O_APPEND, name);
    int size = dprintf(file, "%.*s", (int)self->lines.size, (const char *)self->lines.data);
    close(file);
    return size >= 0 ? WEIR_OK : weir_fail_errno(ctx, "write");
}

/* Always a token, also where nothing was written: there is no file of that name then. */
static weir_status flush(void *data, weir_context *ctx, int64_t deadline_ns, uint32_t flags,
                         weir_buffer *ret_token)
{
    const struct parcels *self = data;
    (void)deadline_ns, (void)flags;
    char name[NAME_MAX];
    int file = open_part(self, O_WRONLY, name);
    int has_failed = file < 0 ? errno != ENOENT : fsync(file) != 0 || fsync(self->folder) != 0;
    close(file);
    return has_failed ? weir_fail_errno(ctx, "flush")
                      : weir_buffer_append(ret_token, name, strlen(name));
}

/* Parts of this owner with a number that has been committed: nobody will ever name them. */
static void remove_strays(const struct parcels *self)
{
    char next[NAME_MAX];
    size_t length = strlen(part_of(self, 0, next));
    DIR *folder = opendir(self->path);
    struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        const char *name = entry->d_name;
        if (strlen(name) == length && strncmp(name, self->owner, strlen(self->owner)) == 0 &&
            strcmp(name, next) < 0) {
            unlinkat(self->folder, name, 0);
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
    char part[NAME_MAX], name[NAME_MAX];
    take_token(self, token, part);
    snprintf(name, sizeof name, "%s%08llu.jsonl", self->owner, (unsigned long long)self->number);
    if (renameat(self->folder, part, self->folder, name) != 0 && errno != ENOENT) {
        return weir_fail_errno(ctx, "publish");
    }
    remove_strays(self);
    return WEIR_OK;
}

static const weir_option options[] = {
    WEIR_OPTION(struct config, folder, WEIR_OPTION_TEXT,
                WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY | WEIR_OPTION_PATH, NULL,
                "The folder to write to; it is made if need be"),
    WEIR_OPTIONS_END,
};

static const weir_sink_vtable vtable = { .struct_size = sizeof vtable,
                                         .create = create,
                                         .destroy = destroy,
                                         .open = open_folder,
                                         .write = write_batch,
                                         .flush = flush,
                                         .publish = publish,
                                         .discard = discard,
                                         .assign = assign };

WEIR_SINK_PLUGIN(WEIR_SINK_TRANSACTIONAL, "org.example.parcels", "parcels", "1.0.0", "Example",
                 "MIT", "Writes a file for each checkpoint", options, sizeof(struct config),
                 &vtable);
