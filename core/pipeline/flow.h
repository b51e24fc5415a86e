/* SPDX-License-Identifier: MIT */
/*
 * Types on their way through a pipeline: what topics declare, what steps make of it, and whether the
 * expressions of steps and ends fit. Works on a pipeline that is resolved; changes nothing in it.
 */
#ifndef PIPELINE_FLOW_H
#define PIPELINE_FLOW_H

#include "pipeline/resolver.h"

/* `fields:` into topic->type. */
void fields_read(struct resolver *resolver, const struct node *fields, struct topic *topic);
/* Reports where values of this type break what the one topic of an end declares. */
struct type_room;
void written_type_check(struct resolver *resolver, struct type_room *room, const struct end *end,
                        const weir_type *value);
/* What comes back of such values from a topic of JSON, or as they are, where they need not go through it. */
const weir_type *written_type_back(struct type_room *room, const weir_type *type);
/* Judges every expression of the file, streams in the order in which records reach them. */
void flow_check(struct resolver *resolver);

#endif
