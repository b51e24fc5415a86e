/* SPDX-License-Identifier: MIT */
#include "kafka/address.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/units.h"

#define DEFAULT_PORT "9092"

enum { HOST_MAX = 255, BROKERS_MAX = 8 << 10, MESSAGE_MAX = 512 };
static const char scheme[] = "kafka:";

/* What is being read: the list goes to `brokers`, faults to whom it may concern. */
struct reading {
    weir_buffer brokers;
    kafka_address_fault *fault;
    void *self;
    bool is_faulty;
};

/* One of the list, cut into its parts; none is ended by a NUL. */
struct broker {
    const char *host; /* with the brackets of IPv6 */
    size_t host_len;
    const char *port;
    size_t port_len;
};

static void report(struct reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void report(struct reading *reading, const char *format, ...)
{
    weir_buffer message;
    va_list args;
    reading->is_faulty = true;
    if (reading->fault == NULL) {
        return;
    }
    buffer_init(&message, MESSAGE_MAX);
    va_start(args, format);
    weir_status st = buffer_vprintf(&message, format, args);
    va_end(args);
    const char *text = st == WEIR_OK ? buffer_c_string(&message) : NULL;
    reading->fault(reading->self, text != NULL ? text : "the address of the brokers is too long");
    buffer_deinit(&message);
}

bool kafka_address_is_meant(const char *url)
{
    return strncmp(url, scheme, strlen(scheme)) == 0;
}

/* ---- one broker ---------------------------------------------------------------------------------- */

static bool is_host_name(const char *host, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (!isalnum((unsigned char)host[i]) && strchr("-._", host[i]) == NULL) {
            return false;
        }
    }
    return true;
}

/* inside: what stands in the brackets */
static bool is_ip6(const char *inside, size_t len)
{
    char text[INET6_ADDRSTRLEN + 1];
    struct in6_addr address;
    if (len >= sizeof text) {
        return false;
    }
    memcpy(text, inside, len);
    text[len] = '\0';
    return inet_pton(AF_INET6, text, &address) == 1;
}

static bool check_host(struct reading *reading, const struct broker *broker)
{
    const char *host = broker->host;
    int shown = (int)broker->host_len;
    if (broker->host_len == 0) {
        report(reading, "a broker has no host; write HOST:PORT");
    } else if (broker->host_len > HOST_MAX) {
        report(reading, "the name of a broker is too long; at most %d bytes", HOST_MAX);
    } else if (host[0] == '[') {
        if (is_ip6(host + 1, broker->host_len - 2)) {
            return true;
        }
        report(reading, "'%.*s' is no address of IPv6; write one such as [2001:db8::1]:9092", shown,
               host);
    } else if (is_host_name(host, broker->host_len)) {
        return true;
    } else {
        report(reading, "'%.*s' is no host; write a name such as broker1.example.com", shown, host);
    }
    return false;
}

static bool check_port(struct reading *reading, const struct broker *broker)
{
    int64_t port = 0;
    bool is_number = broker->port_len > 0 && isdigit((unsigned char)broker->port[0]) &&
                     units_int(broker->port, broker->port_len, &port, NULL);
    if (is_number && port >= 1 && port <= 65535) {
        return true;
    }
    if (broker->port_len == 0) {
        report(reading, "the port of '%.*s' is missing; write HOST:PORT, or HOST alone for port %s",
               (int)broker->host_len, broker->host, DEFAULT_PORT);
    } else {
        report(reading, "'%.*s' is no port; write a number from 1 to 65535", (int)broker->port_len,
               broker->port);
    }
    return false;
}

/* Where the host ends: at the last bracket, else at the first colon; NULL after a report. */
static const char *host_end(struct reading *reading, const char *text, const char *end)
{
    if (text < end && text[0] == '[') {
        const char *bracket = memchr(text, ']', (size_t)(end - text));
        if (bracket == NULL || (bracket + 1 < end && bracket[1] != ':')) {
            report(reading,
                   "'%.*s' is no broker; write an address of IPv6 as in [2001:db8::1]:9092",
                   (int)(end - text), text);
            return NULL;
        }
        return bracket + 1;
    }
    const char *colon = memchr(text, ':', (size_t)(end - text));
    if (colon != NULL && memchr(colon + 1, ':', (size_t)(end - colon - 1)) != NULL) {
        report(reading, "'%.*s' has several colons; write an address of IPv6 in brackets",
               (int)(end - text), text);
        return NULL;
    }
    return colon != NULL ? colon : end;
}

static bool has_broker(const weir_buffer *brokers, const char *broker, size_t len)
{
    const char *text = (const char *)brokers->data;
    for (size_t at = 0; at + len <= brokers->size; at++) {
        bool is_begin = at == 0 || text[at - 1] == ',';
        bool is_end = at + len == brokers->size || text[at + len] == ',';
        if (is_begin && is_end && strncasecmp(text + at, broker, len) == 0) {
            return true;
        }
    }
    return false;
}

static void add_broker(struct reading *reading, const struct broker *broker)
{
    char text[HOST_MAX + sizeof ":65535"];
    int len = snprintf(text, sizeof text, "%.*s:%.*s", (int)broker->host_len, broker->host,
                       (int)broker->port_len, broker->port);
    if (has_broker(&reading->brokers, text, (size_t)len)) {
        report(reading, "the broker '%s' stands twice; remove one of them", text);
        return;
    }
    weir_status st =
        buffer_printf(&reading->brokers, "%s%s", reading->brokers.size > 0 ? "," : "", text);
    if (st != WEIR_OK) {
        report(reading,
               "there are too many brokers; a few of a cluster are enough to find the others");
    }
}

static void read_broker(struct reading *reading, const char *text, const char *end)
{
    const char *host_to = host_end(reading, text, end);
    if (host_to == NULL) {
        return;
    }
    struct broker broker = { text, (size_t)(host_to - text), DEFAULT_PORT, strlen(DEFAULT_PORT) };
    if (host_to < end) {
        broker.port = host_to + 1;
        broker.port_len = (size_t)(end - broker.port);
    }
    bool is_host = check_host(reading, &broker);
    if (check_port(reading, &broker) && is_host) {
        add_broker(reading, &broker);
    }
}

/* ---- the list ------------------------------------------------------------------------------------ */

/* What an address of another kind may have and this one has not. False after a report. */
static bool check_form(struct reading *reading, const char *list)
{
    if (strchr(list, '@') != NULL) {
        report(reading, "the log's address names a user; write 'sasl.username' and "
                        "'sasl.password' under 'kafka'");
    } else if (strstr(list, "://") != NULL) {
        report(reading, "the scheme stands more than once; write kafka://HOST:PORT,HOST:PORT");
    } else if (strpbrk(list, "?#") != NULL) {
        report(reading, "the log's address has options; write them under 'kafka'");
    } else if (strchr(list, '/') != NULL) {
        report(reading, "the log's address has a path; topics are named under 'topics', so write "
                        "kafka://HOST:PORT alone");
    } else if (strpbrk(list, " \t\r\n") != NULL) {
        report(reading, "the log's address has blanks; write kafka://HOST:PORT,HOST:PORT");
    } else {
        return true;
    }
    return false;
}

static void read_list(struct reading *reading, const char *list)
{
    if (!check_form(reading, list)) {
        return;
    }
    if (list[0] == '\0') {
        report(reading, "the brokers are missing; write kafka://HOST:PORT");
        return;
    }
    for (const char *text = list; text != NULL;) {
        const char *end = strchr(text, ',');
        read_broker(reading, text, end != NULL ? end : text + strlen(text));
        text = end != NULL ? end + 1 : NULL;
    }
}

const char *kafka_brokers(const char *url, struct arena *arena, kafka_address_fault *fault,
                          void *self)
{
    struct reading reading = { .fault = fault, .self = self };
    const char *brokers = NULL;
    buffer_init(&reading.brokers, BROKERS_MAX);
    if (strncmp(url, "kafka://", strlen("kafka://")) == 0) {
        read_list(&reading, url + strlen("kafka://"));
    } else {
        report(&reading, "the log's address needs two slashes; write kafka://HOST:PORT");
    }
    if (!reading.is_faulty) {
        brokers = arena_copy(arena, reading.brokers.data, (size_t)reading.brokers.size);
    }
    buffer_deinit(&reading.brokers);
    return brokers;
}
