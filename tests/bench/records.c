/* SPDX-License-Identifier: MIT */
#include "records.h"

#include <stdio.h>
#include <stdlib.h>

enum { FLAT_ROOM = 256, NESTED_ROOM = 8192, FLAT_BYTES = 194 };

static struct records make(size_t count, size_t room)
{
    struct records r = { .bytes = malloc(count * room),
                         .ends = malloc(count * sizeof *r.ends),
                         .count = count };
    if (r.bytes == NULL || r.ends == NULL) {
        fprintf(stderr, "bench: out of memory\n");
        exit(1);
    }
    return r;
}

void records_free(struct records *records)
{
    free(records->bytes);
    free(records->ends);
}

/* Tenths, so that every float has few digits; never a whole number. */
static double temperature_of(size_t i)
{
    double tenths = (double)(i * 37 % 800 * 10 + 3);
    return (i % 10 == 9 ? -tenths : tenths) / 100.0;
}

static int write_head(char *at, size_t room, size_t i)
{
    return snprintf(at, room,
                    "{\"ts\":%zu,\"device\":\"sensor-%04zu\",\"site\":\"plant-%zu/line-3\","
                    "\"temperature\":%.2f,\"humidity\":%zu.%zu,\"pressure\":101%zu.25,"
                    "\"seq\":%zu,\"status\":\"%s\"",
                    1700000000000 + i * 997, i % 10000, i % 8, temperature_of(i), 30 + i % 60,
                    1 + i % 9, i % 10, 1000000 + i, i % 3 == 0 ? "running" : "standby");
}

struct records records_flat(size_t count)
{
    struct records r = make(count, FLAT_ROOM);
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        char *at = r.bytes + size;
        int head = write_head(at, FLAT_ROOM, i);
        int note = FLAT_BYTES - head - 11; /* ,"note":""} */
        int tail = snprintf(
            at + head, FLAT_ROOM - (size_t)head, ",\"note\":\"%.*s\"}", note < 0 ? 0 : note,
            "calibrated within tolerance, next visit is due in spring of next year");
        size += (size_t)(head + tail);
        r.ends[i] = size;
    }
    return r;
}

static int write_channel(char *at, size_t room, size_t i, int channel)
{
    return snprintf(at, room,
                    "%s{\"name\":\"channel-%02d\",\"unit\":\"millimetres per second\","
                    "\"value\":%zu.%02zu7,\"limits\":[%d.5,%d.25,%d],\"state\":{\"ok\":%s,"
                    "\"since\":%zu,\"by\":\"operator %zu of the night shift\"}}",
                    channel == 0 ? "" : ",", channel, 10 + i % 90, (i * 7 + (size_t)channel) % 100,
                    channel, channel + 10, channel + 100, channel % 2 == 0 ? "true" : "false",
                    1690000000000 + i * 31, i % 17);
}

struct records records_nested(size_t count)
{
    struct records r = make(count, NESTED_ROOM);
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        char *at = r.bytes + size;
        size_t length = (size_t)write_head(at, NESTED_ROOM, i);
        length += (size_t)snprintf(at + length, NESTED_ROOM - length, ",\"channels\":[");
        for (int channel = 0; length < 3950; channel++) {
            length += (size_t)write_channel(at + length, NESTED_ROOM - length, i, channel);
        }
        length += (size_t)snprintf(at + length, NESTED_ROOM - length, "]}");
        size += length;
        r.ends[i] = size;
    }
    return r;
}
