/* SPDX-License-Identifier: MIT */
#include "plugin/secrets.h"

/*
 * One walk over the secrets of a config.
 *
 * text, len  where the message is looked at, and what is left of it; NULL: any secret will do
 * longest    bytes of the longest secret that stands there
 */
struct search {
    const char *text;
    size_t len;
    size_t longest;
};

static void try_secret(struct search *search, weir_text secret)
{
    if (secret.data == NULL || secret.size < SECRET_MIN) {
        return;
    }
    size_t size = (size_t)secret.size;
    if (search->text != NULL) {
        size = redact_match(search->text, search->len, secret.data, size);
    }
    search->longest = size > search->longest ? size : search->longest;
}

static void search_table(struct search *search, const weir_option *table, const void *config);

static void search_element(struct search *search, const weir_option *element,
                           const weir_option_value *value)
{
    if (element->type == WEIR_OPTION_SECRET) {
        try_secret(search, value->text);
    } else if (element->type == WEIR_OPTION_STRUCT && value->fields != NULL) {
        search_table(search, element->fields, value->fields);
    } else if (element->type == WEIR_OPTION_LIST) {
        for (uint64_t i = 0; i < value->list.count; i++) {
            search_element(search, element->element, &value->list.items[i]);
        }
    }
}

static void search_option(struct search *search, const weir_option *option, const void *field)
{
    if (option->type == WEIR_OPTION_SECRET) {
        try_secret(search, *(const weir_text *)field);
    } else if (option->type == WEIR_OPTION_STRUCT) {
        const weir_option_value value = { .fields = *(const void *const *)field };
        search_element(search, option, &value);
    } else if (option->type == WEIR_OPTION_LIST) {
        const weir_option_list *list = field;
        for (uint64_t i = 0; i < list->count; i++) {
            search_element(search, option->element, &list->items[i]);
        }
    } else if (option->type == WEIR_OPTION_MAP) {
        const weir_option_map *map = field;
        for (uint64_t i = 0; i < map->count; i++) {
            search_element(search, option->element, &map->items[i].value);
        }
    }
}

static void search_table(struct search *search, const weir_option *table, const void *config)
{
    for (const weir_option *option = table; option != NULL && option->name != NULL; option++) {
        search_option(search, option, (const char *)config + option->offset);
    }
}

static size_t secret_at(const weir_option *table, const void *config, const char *text, size_t len)
{
    struct search search = { .text = text, .len = len };
    search_table(&search, table, config);
    return search.longest;
}

bool secrets_stand_in(const weir_option *table, const void *config)
{
    return config != NULL && secret_at(table, config, NULL, 0) > 0;
}

struct table_secrets {
    const weir_option *table;
    const void *config;
};

static size_t find_secret(const void *self, const char *text, size_t len)
{
    const struct table_secrets *secrets = self;
    return secret_at(secrets->table, secrets->config, text, len);
}

const char *secrets_hide(const weir_option *table, const void *config, const char *message,
                         char room[SECRETS_ROOM])
{
    const struct table_secrets secrets = { table, config };
    return redact(find_secret, &secrets, message, room);
}
