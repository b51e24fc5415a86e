/* SPDX-License-Identifier: MIT */
/*
 * The config of an instance with all that it points to, by the table of its options. Expressions are the
 * engine's own: a plugin sees nothing of them but their address.
 */
#include "plugin/debug/copy.h"

#include <string.h>

#include "plugin/debug/packer.h"

static void pack_table(struct packer *packer, const weir_option *table, const void *from, void *to);

/* With its NUL. An option that was not given has no data. */
static void pack_text(struct packer *packer, const weir_text *from, weir_text *to)
{
    const char *text =
        from->data == NULL ? NULL : packer_take_bytes(packer, from->data, from->size + 1);
    if (to != NULL) {
        to->data = text;
    }
}

static void pack_any(struct packer *packer, const weir_value *from, weir_value *to)
{
    weir_value value = pack_value(packer, from);
    if (to != NULL) {
        *to = value;
    }
}

static void pack_target(struct packer *packer, const weir_target *from, const weir_target **to)
{
    if (from == NULL) {
        return;
    }
    weir_target *made = packer_take_bytes(packer, from, sizeof *from);
    weir_target_step *steps =
        packer_take_bytes(packer, from->steps, from->step_count * sizeof *from->steps);
    pack_text(packer, &from->text, made == NULL ? NULL : &made->text);
    for (uint32_t i = 0; i < from->step_count; i++) {
        const weir_target_step *step = &from->steps[i];
        const char *name =
            step->name == NULL ? NULL : packer_take_bytes(packer, step->name, step->name_len);
        if (steps != NULL) {
            steps[i].name = name;
        }
    }
    if (made != NULL) {
        made->steps = steps;
        *to = made;
    }
}

static void pack_fields(struct packer *packer, const weir_option *option, const void *from,
                        const void **to)
{
    if (from == NULL) {
        return;
    }
    void *made = packer_take_bytes(packer, from, option->fields_size);
    pack_table(packer, option->fields, from, made);
    if (made != NULL) {
        *to = made;
    }
}

static const weir_option_value *pack_items(struct packer *packer, const weir_option *element,
                                           const weir_option_value *from, uint64_t count);

/* to: a copy of *from, whose pointers are to be replaced; NULL while measuring. */
static void pack_element(struct packer *packer, const weir_option *element,
                         const weir_option_value *from, weir_option_value *to)
{
    const weir_option_value *items = NULL;
    switch (element->type) {
    case WEIR_OPTION_TEXT:
    case WEIR_OPTION_BYTES:
    case WEIR_OPTION_SECRET:
    case WEIR_OPTION_STREAM:
        pack_text(packer, &from->text, to == NULL ? NULL : &to->text);
        break;
    case WEIR_OPTION_ANY:
        pack_any(packer, &from->any, to == NULL ? NULL : &to->any);
        break;
    case WEIR_OPTION_TARGET:
        pack_target(packer, from->target, to == NULL ? NULL : &to->target);
        break;
    case WEIR_OPTION_STRUCT:
        pack_fields(packer, element, from->fields, to == NULL ? NULL : &to->fields);
        break;
    case WEIR_OPTION_LIST:
        items = pack_items(packer, element->element, from->list.items, from->list.count);
        if (to != NULL) {
            to->list.items = items;
        }
        break;
    default:
        break;
    }
}

static const weir_option_value *pack_items(struct packer *packer, const weir_option *element,
                                           const weir_option_value *from, uint64_t count)
{
    if (from == NULL) {
        return NULL;
    }
    weir_option_value *items = packer_take_bytes(packer, from, count * sizeof *from);
    for (uint64_t i = 0; i < count; i++) {
        pack_element(packer, element, &from[i], items == NULL ? NULL : &items[i]);
    }
    return items;
}

static void pack_map(struct packer *packer, const weir_option *option, const weir_option_map *from,
                     weir_option_map *to)
{
    if (from->items == NULL) {
        return;
    }
    const weir_option key = { .type = option->key_type };
    weir_option_pair *items =
        packer_take_bytes(packer, from->items, from->count * sizeof *from->items);
    for (uint64_t i = 0; i < from->count; i++) {
        const weir_option_pair *pair = &from->items[i];
        pack_element(packer, &key, &pair->key, items == NULL ? NULL : &items[i].key);
        pack_element(packer, option->element, &pair->value, items == NULL ? NULL : &items[i].value);
    }
    if (to != NULL) {
        to->items = items;
    }
}

/* What a field is of the type's own struct; elements of lists and maps are a union instead. */
static void pack_field(struct packer *packer, const weir_option *option, const void *from, void *to)
{
    if ((option->flags & WEIR_OPTION_NULLABLE) != 0) {
        const weir_option_value *value = *(const weir_option_value *const *)from;
        const void *made = value == NULL ? NULL : packer_take_bytes(packer, value, sizeof *value);
        if (to != NULL) {
            *(const void **)to = made;
        }
        return;
    }
    switch (option->type) {
    case WEIR_OPTION_TEXT:
    case WEIR_OPTION_BYTES:
    case WEIR_OPTION_SECRET:
    case WEIR_OPTION_STREAM:
        pack_text(packer, from, to);
        break;
    case WEIR_OPTION_ANY:
        pack_any(packer, from, to);
        break;
    case WEIR_OPTION_TARGET:
        pack_target(packer, *(const weir_target *const *)from, to);
        break;
    case WEIR_OPTION_STRUCT:
        pack_fields(packer, option, *(const void *const *)from, to);
        break;
    case WEIR_OPTION_LIST: {
        const weir_option_list *list = from;
        const weir_option_value *items =
            pack_items(packer, option->element, list->items, list->count);
        if (to != NULL) {
            ((weir_option_list *)to)->items = items;
        }
        break;
    }
    case WEIR_OPTION_MAP:
        pack_map(packer, option, from, to);
        break;
    default:
        break;
    }
}

static void pack_table(struct packer *packer, const weir_option *table, const void *from, void *to)
{
    for (const weir_option *option = table; option != NULL && option->name != NULL; option++) {
        pack_field(packer, option, (const char *)from + option->offset,
                   to == NULL ? NULL : (char *)to + option->offset);
    }
}

static void *pack_config(struct packer *packer, const weir_factory *factory, const void *config)
{
    void *made = packer_take_bytes(packer, config, factory->config_size);
    pack_table(packer, factory->options, config, made);
    return made;
}

struct region *copy_config_in(const struct visitee *who, const weir_factory *factory,
                              const void *config)
{
    struct packer packer = { NULL, 0 };
    (void)pack_config(&packer, factory, config);
    struct region *region = region_open(REGION_CONFIG, packer.size, who->plugin, who->label);
    if (region != NULL) {
        packer = (struct packer){ region->base, 0 };
        (void)pack_config(&packer, factory, config);
        region_seal(region);
    }
    return region;
}
