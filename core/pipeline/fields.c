/* SPDX-License-Identifier: MIT */
/*
 * `fields:` of a topic: a type from YAML's maps, lists and scalars. A scalar is read as text, so that
 * `text?` and, in quotes, `[text]?` mean what they say.
 */
#include "expr/type.h"
#include "pipeline/flow.h"

struct field_reader {
    struct resolver *resolver;
    struct type_room *room;
    const char *origin;
    const char *closed_by;
};

static const weir_type *read_type(const struct field_reader *reader, const struct node *node);

static const weir_type *read_text(const struct field_reader *reader, const struct node *node)
{
    struct type_fault fault;
    if (node->is_empty) {
        resolver_fault(reader->resolver, node->place,
                       "the type is missing here; write int, text?, [float], {name: TYPE} or any");
        return &type_any;
    }
    const weir_type *type = type_parse(reader->room, node->text, node->text_len, reader->origin,
                                       reader->closed_by, &fault);
    if (type == NULL) {
        resolver_fault(reader->resolver, node_text_place(node, fault.from, fault.to), "%s",
                       fault.message);
        return &type_any;
    }
    return type;
}

static const weir_type *read_list(const struct field_reader *reader, const struct node *node)
{
    if (node->count != 1) {
        resolver_fault(reader->resolver, node->place,
                       "the type of a list names the type of its items, as in [text]; for items of "
                       "several types write list");
        return &type_any;
    }
    const weir_type *items = read_type(reader, node->items[0]);
    return type_from(reader->room, type_list(reader->room, items), reader->origin);
}

static const weir_type *read_map(const struct field_reader *reader, const struct node *node)
{
    struct type_member *members = resolver_alloc(reader->resolver, node->count, sizeof *members);
    for (size_t i = 0; members != NULL && i < node->count; i++) {
        const struct node_pair *pair = &node->pairs[i];
        members[i] = (struct type_member){ pair->key->text, (uint32_t)pair->key->text_len,
                                           read_type(reader, pair->value) };
    }
    return members == NULL ? &type_any
                           : type_map(reader->room, members, (uint32_t)node->count, reader->origin,
                                      reader->closed_by);
}

/* The depth of the file is limited, and so is this. */
static const weir_type *read_type(const struct field_reader *reader, const struct node *node)
{
    switch (node->kind) {
    case NODE_SCALAR:
        return read_text(reader, node);
    case NODE_LIST:
        return read_list(reader, node);
    default:
        return read_map(reader, node);
    }
}

void fields_read(struct resolver *resolver, const struct node *fields, struct topic *topic)
{
    if (fields->kind != NODE_MAP) {
        resolver_fault(resolver, fields->place,
                       "'fields' is a map of names to types, such as {id: int, note: text?}");
        return;
    }
    struct type_room room = { &resolver->pipeline->arena, TYPE_BUDGET, true };
    const struct field_reader reader = {
        resolver, &room, resolver_text(resolver, " in topic '%s'", topic->name),
        resolver_text(resolver, "is not declared in topic '%s'", topic->name)
    };
    if (reader.origin != NULL && reader.closed_by != NULL) {
        topic->type = read_map(&reader, fields);
    }
}
