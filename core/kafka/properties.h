/* SPDX-License-Identifier: MIT */
/*
 * The properties that the installed librdkafka knows, by what it tells about itself. Nothing here is a
 * list of ours but what weir sets itself (owned.c): another version of the library brings its own
 * names, ranges and descriptions.
 */
#ifndef KAFKA_PROPERTIES_H
#define KAFKA_PROPERTIES_H

#include "base/arena.h"
#include "base/error.h"
#include "base/nearest.h"
#include "kafka/settings.h"

/* As its documentation puts it. */
enum kafka_type {
    KAFKA_TEXT,
    KAFKA_INTEGER,
    KAFKA_FLOAT,
    KAFKA_BOOLEAN,
    KAFKA_ENUM,
    KAFKA_LIST,    /* "a,b,c" */
    KAFKA_POINTER, /* a function or object of the program; no text can set it */
};

/*
 * range  "0 .. 900000", "none, gzip, snappy"; may be empty
 * about  its description, with some HTML; ends before the type
 * alias  the name of the property that it is another name of; NULL: none
 */
struct kafka_property_info {
    const char *name;
    const char *range;
    const char *default_text;
    const char *about;
    const char *alias;
    enum kafka_type type;
    uint8_t clients; /* KAFKA_FOR_... */
    bool is_deprecated;
    bool is_secret;
    bool is_path;
};

struct kafka_properties {
    const struct kafka_property_info *items;
    size_t count;
};

/* Asks the library; everything is in the arena. WEIR_E_NOMEM, or WEIR_E_INTERNAL where its answer cannot
 * be read. */
weir_status kafka_properties_read(struct arena *arena, struct kafka_properties *ret,
                                  struct error *error);
/* NULL: the library has no such property. */
const struct kafka_property_info *kafka_property_find(const struct kafka_properties *properties,
                                                      const char *name);
/* Offers all names that a user may set. */
void kafka_properties_offer(const struct kafka_properties *properties, struct nearest *search);

/*
 * A property that weir sets itself.
 *
 * consumer, producer  what it is set to; NULL: depends on the run, or is not set
 * cure                what to write instead, behind "weir sets 'x' itself; "
 */
struct kafka_owned {
    const char *name;
    const char *consumer;
    const char *producer;
    const char *cure;
};
/* Ended by a NULL name. */
extern const struct kafka_owned kafka_owned_properties[];
/* NULL: the user's to set. */
const struct kafka_owned *kafka_owned_find(const char *name);

#endif
