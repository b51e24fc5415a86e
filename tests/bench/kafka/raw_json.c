/* SPDX-License-Identifier: MIT */
#include "raw_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <yyjson.h>

enum { POOL = 16 * 1024, RESULT = 1024 };

/* Pools that are begun anew for every record: nothing comes from the heap. */
static char read_pool[POOL];
static char build_pool[POOL];
static char results[FORWARD_MOST][RESULT];

static void fail(const char *what)
{
    fprintf(stderr, "bench_kafka_loop: could not %s a record\n", what);
    exit(1);
}

struct fields {
    yyjson_val *device;
    yyjson_val *ts;
    double temperature;
    double humidity;
};

static struct fields read_fields(yyjson_val *root)
{
    struct fields fields = {
        .device = yyjson_obj_get(root, "device"),
        .ts = yyjson_obj_get(root, "ts"),
        .temperature = yyjson_get_num(yyjson_obj_get(root, "temperature")),
        .humidity = yyjson_get_num(yyjson_obj_get(root, "humidity")),
    };
    return fields;
}

static yyjson_mut_doc *build(const struct fields *fields)
{
    yyjson_alc alc;
    yyjson_alc_pool_init(&alc, build_pool, sizeof build_pool);
    yyjson_mut_doc *doc = yyjson_mut_doc_new(&alc);
    yyjson_mut_val *root = doc == NULL ? NULL : yyjson_mut_obj(doc);
    if (root == NULL) {
        fail("build");
    }
    yyjson_mut_doc_set_root(doc, root);
    yyjson_mut_obj_add_strn(doc, root, "device", yyjson_get_str(fields->device),
                            yyjson_get_len(fields->device));
    yyjson_mut_obj_add_uint(doc, root, "ts", yyjson_get_uint(fields->ts));
    yyjson_mut_obj_add_real(doc, root, "temperature", fields->temperature);
    yyjson_mut_obj_add_real(doc, root, "fahrenheit", fields->temperature * 9 / 5 + 32);
    yyjson_mut_obj_add_real(doc, root, "load", fields->humidity * 2.5);
    return doc;
}

bool json_work(struct bytes in, struct bytes *ret_out)
{
    static int slot;
    yyjson_alc alc;
    yyjson_alc_pool_init(&alc, read_pool, sizeof read_pool);
    yyjson_doc *doc = yyjson_read_opts((char *)(uintptr_t)in.data, in.size, 0, &alc, NULL);
    if (doc == NULL) {
        fail("parse");
    }
    struct fields fields = read_fields(yyjson_doc_get_root(doc));
    if (fields.temperature < 0) {
        return false;
    }
    slot = (slot + 1) % FORWARD_MOST;
    yyjson_alc_pool_init(&alc, results[slot], RESULT);
    ret_out->data = yyjson_mut_write_opts(build(&fields), 0, &alc, &ret_out->size, NULL);
    if (ret_out->data == NULL) {
        fail("write");
    }
    return true;
}
