/* SPDX-License-Identifier: MIT */
/*
 * format_time: a moment as text. An int has three digits of the second, a timestamp its own count.
 */
#include "civil.h"
#include "time_format.h"
#include "time_functions.h"

/* What the letters print. fraction: the digits behind the second's point, `digits` of them. */
struct shown {
    struct civil civil;
    int zone_minutes;
    int digits;
    int64_t fraction;
};

static weir_status read_time(weir_call *call, uint32_t lane, struct shown *ret)
{
    const weir_value *v = lane_arg(call, 0, lane);
    int64_t ms = 0;
    weir_status st = civil_arg_ms(call, lane, "format_time", v, &ms);
    if (st == WEIR_OK) {
        st = civil_arg_zone(call, lane, "format_time", 2, &ret->zone_minutes);
    }
    if (st == WEIR_OK) {
        st = civil_shift(call, lane, "format_time", ms, ret->zone_minutes, &ms);
    }
    if (st != WEIR_OK) {
        return st;
    }
    ret->civil = civil_from_ms(ms);
    ret->digits = v->tag == WEIR_TIMESTAMP ? v->aux : 3;
    ret->fraction = ret->civil.millis;
    if (ret->digits > 3) {
        int64_t unit = ret->digits == 6 ? 1000000 : 1000000000;
        ret->fraction = civil_modulo(v->as.i64, unit);
    }
    return WEIR_OK;
}

static weir_status append_text(weir_buffer *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static weir_status append_text(weir_buffer *out, const char *format, ...)
{
    char room[40];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(room, sizeof room, format, args);
    va_end(args);
    return weir_buffer_append(out, room, (uint64_t)len);
}

static weir_status append_zone(const struct shown *shown, weir_buffer *out)
{
    int minutes = shown->zone_minutes;
    int size = minutes < 0 ? -minutes : minutes;
    return append_text(out, "%c%02d:%02d", minutes < 0 ? '-' : '+', size / 60, size % 60);
}

static weir_status append_letter(const struct shown *shown, char letter, weir_buffer *out)
{
    const struct civil *c = &shown->civil;
    switch (letter) {
    case 'Y':
        return append_text(out, c->year < 0 ? "%05lld" : "%04lld", (long long)c->year);
    case 'm':
        return append_text(out, "%02d", c->month);
    case 'd':
        return append_text(out, "%02d", c->day);
    case 'H':
        return append_text(out, "%02d", c->hour);
    case 'M':
        return append_text(out, "%02d", c->minute);
    case 'S':
        return append_text(out, "%02d", c->second);
    case 'f':
        return shown->digits == 0
                   ? append_text(out, "000")
                   : append_text(out, "%0*lld", shown->digits, (long long)shown->fraction);
    case 'j':
        return append_text(out, "%03d", c->day_of_year);
    case 'a':
        return append_text(out, "%s", civil_weekday_names[c->weekday - 1]);
    case 'b':
        return append_text(out, "%s", civil_month_names[c->month - 1]);
    case 'z':
        return append_zone(shown, out);
    default: /* %% */
        return append_text(out, "%%");
    }
}

static weir_status append_format(const struct shown *shown, const weir_value *format,
                                 weir_buffer *out)
{
    weir_status st = WEIR_OK;
    for (uint32_t i = 0; st == WEIR_OK && i < format->len; i++) {
        if (format->as.text[i] == '%') {
            st = append_letter(shown, format->as.text[++i], out);
        } else {
            st = weir_buffer_append(out, &format->as.text[i], 1);
        }
    }
    return st;
}

static weir_status append_rfc3339(weir_call *call, uint32_t lane, const struct shown *shown,
                                  weir_buffer *out)
{
    const struct civil *c = &shown->civil;
    if (c->year < 0 || c->year > 9999) {
        return lane_fail(call, lane,
                         "format_time: the year %lld has no RFC 3339 form; give a format",
                         (long long)c->year);
    }
    weir_status st = append_text(out, "%04d-%02d-%02dT%02d:%02d:%02d", (int)c->year, c->month,
                                 c->day, c->hour, c->minute, c->second);
    if (st == WEIR_OK && shown->digits > 0) {
        st = append_text(out, ".%0*lld", shown->digits, (long long)shown->fraction);
    }
    return st == WEIR_OK ? append_text(out, "Z") : st;
}

static weir_status format_time_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    struct shown shown;
    struct lane_buffer buffer;
    lane_buffer_init(&buffer, call->ctx);
    weir_status st = read_time(call, lane, &shown);
    if (st == WEIR_OK && call->arg_count > 1) {
        st = time_format_check(call, lane, "format_time", lane_arg(call, 1, lane));
    }
    if (st != WEIR_OK) {
        return st;
    }
    if (call->arg_count > 1) {
        st = append_format(&shown, lane_arg(call, 1, lane), &buffer.base);
        st = lane_buffer_status(call, lane, "format_time", st);
    } else {
        st = append_rfc3339(call, lane, &shown, &buffer.base);
    }
    if (st == WEIR_OK) {
        *ret = lane_buffer_text(&buffer);
    }
    return st;
}

static weir_status evaluate_format_time(weir_call *call)
{
    return lanes_evaluate(call, format_time_lane);
}

static weir_status prepare_format_time(const weir_host *host, const weir_value *const *literals,
                                       uint32_t count, void **ret_state, weir_error_info *fault)
{
    (void)ret_state;
    weir_status st = time_format_prepare(host, literals, count, 1, fault);
    return st == WEIR_OK ? civil_prepare_zone(host, literals, count, 2, fault) : st;
}

const weir_factory format_time_function = {
    FUNCTION(
        "format_time", "A time as text",
        "Without a format in the form of RFC 3339, in UTC; an int is milliseconds and shows "
        "three digits of the second. Formats: `%Y %m %d %H %M %S`, `%f` digits of the second, "
        "`%z` the zone as `+02:00`, `%j` day of the year, `%a` and `%b` English names of three "
        "letters, `%%`. A third argument is the zone to show it in."),
    .vtable =
        FUNCTION_TABLE(.signature = "(time[, text[, text]]) text",
                       .example = "format_time(981173106000, \"%d %b %Y %H:%M %z\", \"-05:00\")",
                       .example_result = "\"02 Feb 2001 23:05 -05:00\"",
                       .prepare = prepare_format_time, .evaluate = evaluate_format_time),
};
