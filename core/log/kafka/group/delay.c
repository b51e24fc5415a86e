/* SPDX-License-Identifier: MIT */
#include "log/kafka/group/delay.h"

#include "base/logger.h"

/* TELL_MS: between two lines about it */
enum { PAUSE_MS = 100, DOUBLINGS = 4, TELL_MS = 10000 };

bool kafka_delay_is_on(const struct kafka_delay *delay, int64_t now_ns)
{
    return now_ns < delay->next_ns;
}

static void tell(const struct kafka_delay *delay, int64_t limit_ms, const struct error *why)
{
    if (limit_ms == 0) {
        logger_write(LOGGER_INFO, "kafka", "%s; tried again", why->message);
        return;
    }
    int64_t left_ms = limit_ms - (delay->told_ns - delay->doubted_ns) / 1000000;
    logger_write(LOGGER_WARNING, "kafka",
                 "%s; what the brokers have told may be outdated, they are asked again for %.1f s",
                 why->message, (double)left_ms / 1e3);
}

bool kafka_delay_put_off(struct kafka_delay *delay, int64_t now_ns, int64_t limit_ms,
                         const struct error *why)
{
    uint32_t doublings = delay->attempts < DOUBLINGS ? delay->attempts : DOUBLINGS;
    bool is_news = delay->attempts == 0 || now_ns - delay->told_ns >= TELL_MS * INT64_C(1000000);
    if (delay->attempts == 0) {
        delay->since_ns = now_ns;
    }
    if (limit_ms > 0 && delay->doubted_ns == 0) {
        delay->doubted_ns = now_ns;
        is_news = true;
    }
    if (limit_ms > 0 && now_ns - delay->doubted_ns >= limit_ms * INT64_C(1000000)) {
        return false;
    }
    delay->attempts++;
    delay->why = *why;
    delay->next_ns = now_ns + ((int64_t)PAUSE_MS << doublings) * INT64_C(1000000);
    if (is_news) {
        delay->told_ns = now_ns;
        tell(delay, limit_ms, why);
    }
    return true;
}

void kafka_delay_end(struct kafka_delay *delay, int64_t now_ns, bool is_begun)
{
    if (delay->attempts > 0 && is_begun) {
        logger_write(LOGGER_INFO, "kafka", "what has come is begun, after %.1f s",
                     (double)(now_ns - delay->since_ns) / 1e9);
    }
    *delay = (struct kafka_delay){ .attempts = 0 };
}
