/* SPDX-License-Identifier: MIT */
#include "json_loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yyjson.h>

enum { POOL = 256 * 1024 };

/* Three pools, begun anew for every record: nothing comes from the heap. */
static char read_pool[POOL];
static char copy_pool[POOL];
static char write_pool[POOL];

static void fail(const char *what)
{
    fprintf(stderr, "json_loop: could not %s\n", what);
    exit(1);
}

static yyjson_mut_doc *change(const yyjson_doc *doc, double temperature, double humidity)
{
    yyjson_alc alc;
    yyjson_alc_pool_init(&alc, copy_pool, sizeof copy_pool);
    yyjson_mut_doc *copy = yyjson_doc_mut_copy((yyjson_doc *)(uintptr_t)doc, &alc);
    if (copy == NULL) {
        fail("copy");
    }
    yyjson_mut_val *root = yyjson_mut_doc_get_root(copy);
    yyjson_mut_obj_add_real(copy, root, "fahrenheit", temperature * 9 / 5 + 32);
    yyjson_mut_obj_add_real(copy, root, "load", humidity * 2.5);
    return copy;
}

size_t json_loop(const struct records *in, char *out, size_t *ends)
{
    size_t count = 0;
    size_t size = 0;
    for (size_t i = 0; i < in->count; i++) {
        size_t length;
        const char *text = record_at(in, i, &length);
        yyjson_alc alc;
        yyjson_alc_pool_init(&alc, read_pool, sizeof read_pool);
        yyjson_doc *doc = yyjson_read_opts((char *)(uintptr_t)text, length, 0, &alc, NULL);
        if (doc == NULL) {
            fail("parse");
        }
        yyjson_val *root = yyjson_doc_get_root(doc);
        double temperature = yyjson_get_num(yyjson_obj_get(root, "temperature"));
        if (temperature < 0) {
            continue;
        }
        double humidity = yyjson_get_num(yyjson_obj_get(root, "humidity"));
        yyjson_mut_doc *copy = change(doc, temperature, humidity);
        yyjson_alc_pool_init(&alc, write_pool, sizeof write_pool);
        size_t written;
        char *json = yyjson_mut_write_opts(copy, 0, &alc, &written, NULL);
        if (json == NULL) {
            fail("write");
        }
        memcpy(out + size, json, written);
        size += written;
        ends[count++] = size;
    }
    return count;
}
