/* SPDX-License-Identifier: MIT */
/*
 * Durations and sizes as people write them.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"

struct unit {
    const char *name;
    int64_t size;
};

/* Units from large to small; the last is 1. */
static void format(int64_t number, const struct unit *units, char room[UNITS_ROOM])
{
    while (units->size > 1 && number % units->size != 0) {
        units++;
    }
    if (number == 0) {
        snprintf(room, UNITS_ROOM, "0");
    } else {
        snprintf(room, UNITS_ROOM, "%" PRId64 "%s", number / units->size, units->name);
    }
}

void units_format_duration(int64_t ms, char room[UNITS_ROOM])
{
    static const struct unit units[] = {
        { "d", 86400000 }, { "h", 3600000 }, { "m", 60000 }, { "s", 1000 }, { "ms", 1 }
    };
    format(ms, units, room);
}

void units_format_size(int64_t bytes, char room[UNITS_ROOM])
{
    static const struct unit units[] = { { "TiB", INT64_C(1) << 40 },
                                         { "GiB", 1 << 30 },
                                         { "MiB", 1 << 20 },
                                         { "KiB", 1 << 10 },
                                         { "B", 1 } };
    format(bytes, units, room);
}
