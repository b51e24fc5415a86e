/* SPDX-License-Identifier: MIT */
/*
 * librdkafka has no interface that lists its properties; it writes the page of its documentation
 * (rd_kafka_conf_properties_show), whose rows are read here.
 */
#include "kafka/properties.h"

#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"

enum { COLUMNS = 6, PAGE_MAX = 4 << 20 };
static const char column_end[] = " | ";
static const char type_mark[] = "<br>*Type: ";

/* ---- the page ------------------------------------------------------------------------------------ */

static ssize_t take_page(void *cookie, const char *bytes, size_t size)
{
    return weir_buffer_append(cookie, bytes, size) == WEIR_OK ? (ssize_t)size : 0;
}

/* Into an empty buffer. */
static weir_status write_page(weir_buffer *page, struct error *error)
{
    FILE *file = fopencookie(page, "w", (cookie_io_functions_t){ .write = take_page });
    if (file == NULL) {
        return error_no_memory(error);
    }
    rd_kafka_conf_properties_show(file);
    bool is_whole = ferror(file) == 0;
    is_whole &= fclose(file) == 0;
    return is_whole && buffer_c_string(page) != NULL ? WEIR_OK : error_no_memory(error);
}

/* ---- one row ------------------------------------------------------------------------------------- */

static char *trim(char *text)
{
    size_t len = strlen(text);
    while (len > 0 && text[len - 1] == ' ') {
        text[--len] = '\0';
    }
    return text + strspn(text, " ");
}

/* Cuts the line into its columns. False: it is no row of a table. */
static bool cut_row(char *line, char *columns[COLUMNS])
{
    for (size_t i = 0; i + 1 < COLUMNS; i++) {
        char *end = strstr(line, column_end);
        if (end == NULL) {
            return false;
        }
        *end = '\0';
        columns[i] = trim(line);
        line = end + strlen(column_end);
    }
    columns[COLUMNS - 1] = line;
    return true;
}

static uint8_t clients_of(const char *column)
{
    switch (column[0]) {
    case 'C':
        return column[1] == '\0' ? KAFKA_FOR_CONSUMER : 0;
    case 'P':
        return KAFKA_FOR_PRODUCER;
    case '*':
        return KAFKA_FOR_CONSUMER | KAFKA_FOR_PRODUCER;
    default:
        return 0;
    }
}

/* Takes the type off the end of the description. What is not known is judged by the library alone. */
static enum kafka_type take_type(char *about)
{
    static const struct {
        const char *text;
        enum kafka_type type;
    } types[] = {
        { "integer*", KAFKA_INTEGER }, { "float*", KAFKA_FLOAT },
        { "boolean*", KAFKA_BOOLEAN }, { "enum value*", KAFKA_ENUM },
        { "CSV flags*", KAFKA_LIST },  { "see dedicated API*", KAFKA_POINTER },
    };
    char *mark = strstr(about, type_mark);
    if (mark == NULL) {
        return KAFKA_TEXT;
    }
    *mark = '\0';
    (void)trim(about);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(mark + strlen(type_mark), types[i].text) == 0) {
            return types[i].type;
        }
    }
    return KAFKA_TEXT;
}

/* "Alias for `linger.ms`: ...": the name, taken out of the description; NULL: it is none. */
static const char *take_alias(char **about)
{
    static const char mark[] = "Alias for `";
    char *name = strstr(*about, mark);
    char *end = name != NULL ? strstr(name, "`: ") : NULL;
    if (end == NULL) {
        return NULL;
    }
    *end = '\0';
    *about = end + strlen("`: ");
    return name + strlen(mark);
}

static bool has_part(const char *name, const char *const *parts)
{
    while (*parts != NULL && strstr(name, *parts) == NULL) {
        parts++;
    }
    return *parts != NULL;
}

/* The library does not tell which of its texts are secrets and which are paths; their names do. */
static bool is_secret(const char *name)
{
    static const char *const parts[] = { "password", "passphrase",         "secret",
                                         ".pem",     "oauthbearer.config", NULL };
    return has_part(name, parts);
}

static bool is_path(const char *name)
{
    static const char *const parts[] = { ".location", ".keytab", ".file", NULL };
    return has_part(name, parts);
}

static struct kafka_property_info read_row(char *const columns[COLUMNS])
{
    char *about = columns[COLUMNS - 1];
    bool is_deprecated = strstr(about, "**DEPRECATED**") != NULL;
    enum kafka_type type = take_type(about);
    const char *alias = take_alias(&about);
    return (struct kafka_property_info){ .name = columns[0],
                                         .range = columns[2],
                                         .default_text = columns[3],
                                         .about = about,
                                         .alias = alias,
                                         .type = type,
                                         .clients = clients_of(columns[1]),
                                         .is_deprecated = is_deprecated,
                                         .is_secret = is_secret(columns[0]),
                                         .is_path = type == KAFKA_TEXT && is_path(columns[0]) };
}

/* ---- all rows ------------------------------------------------------------------------------------ */

static struct kafka_property_info *find_row(struct kafka_property_info *items, size_t count,
                                            const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(items[i].name, name) == 0) {
            return &items[i];
        }
    }
    return NULL;
}

/* A property that stands in both tables is the one of the first, for the clients of both. */
static void add_row(struct kafka_property_info *items, size_t *count, char *const columns[COLUMNS])
{
    struct kafka_property_info info = read_row(columns);
    struct kafka_property_info *known = find_row(items, *count, info.name);
    if (info.clients == 0) {
        return; /* the head of a table */
    }
    if (known != NULL) {
        known->clients |= info.clients;
    } else {
        items[(*count)++] = info;
    }
}

static size_t count_lines(const char *text)
{
    size_t lines = 1;
    for (const char *end = strchr(text, '\n'); end != NULL; end = strchr(end + 1, '\n')) {
        lines++;
    }
    return lines;
}

static weir_status read_page(char *text, struct arena *arena, struct kafka_properties *ret,
                             struct error *error)
{
    struct kafka_property_info *items = arena_zeroed(arena, count_lines(text) * sizeof *items);
    if (items == NULL) {
        return error_no_memory(error);
    }
    size_t count = 0;
    char *columns[COLUMNS];
    for (char *line = text; line != NULL;) {
        char *end = strchr(line, '\n');
        if (end != NULL) {
            *end = '\0';
        }
        if (cut_row(line, columns)) {
            add_row(items, &count, columns);
        }
        line = end != NULL ? end + 1 : NULL;
    }
    if (count == 0) {
        return error_set(error, WEIR_E_INTERNAL, WEIR_CLASS_BUG,
                         "cannot read the list of properties of librdkafka %s",
                         rd_kafka_version_str());
    }
    *ret = (struct kafka_properties){ items, count };
    return WEIR_OK;
}

weir_status kafka_properties_read(struct arena *arena, struct kafka_properties *ret,
                                  struct error *error)
{
    weir_buffer page;
    buffer_init(&page, PAGE_MAX);
    weir_status st = write_page(&page, error);
    if (st == WEIR_OK) {
        char *text = arena_copy(arena, page.data, (size_t)page.size);
        st = text != NULL ? read_page(text, arena, ret, error) : error_no_memory(error);
    }
    buffer_deinit(&page);
    return st;
}

const struct kafka_property_info *kafka_property_find(const struct kafka_properties *properties,
                                                      const char *name)
{
    for (size_t i = 0; i < properties->count; i++) {
        if (strcmp(properties->items[i].name, name) == 0) {
            return &properties->items[i];
        }
    }
    return NULL;
}

void kafka_properties_offer(const struct kafka_properties *properties, struct nearest *search)
{
    for (size_t i = 0; i < properties->count; i++) {
        const struct kafka_property_info *info = &properties->items[i];
        if (info->type != KAFKA_POINTER && kafka_owned_find(info->name) == NULL) {
            nearest_offer(search, info->name);
        }
    }
}
