/* SPDX-License-Identifier: MIT */
/*
 * Numbers as text (number.h).
 *
 * A float is first tried as a whole number of thousandths, then of as many decimal places as make 15
 * digits. Two decimals of at most 15 digits never share a float64, so one that divides back to the
 * same float is the only one that short, and with its zeros cut it is the shortest. What fails (17
 * digits and the rim of the range) gets its digits from yyjson and its form from us.
 */
#include "value/number.h"

#include <string.h>

#include <yyjson.h>

#include "value/powers.h"

const double powers_of_ten[MOST_POWER + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

static const char digit_pairs[200] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546"
    "4748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293"
    "949596979899";

static inline void put_pair(char *room, uint32_t below_100)
{
    memcpy(room, digit_pairs + (size_t)below_100 * 2, 2);
}

static inline void put_4(char *room, uint32_t below_10000)
{
    put_pair(room, below_10000 / 100);
    put_pair(room + 2, below_10000 % 100);
}

static inline char *put_8(char *room, uint32_t below_1e8)
{
    put_4(room, below_1e8 / 10000);
    put_4(room + 4, below_1e8 % 10000);
    return room + 8;
}

/* Without leading zeros; 0 is "0". */
static inline char *put_short(char *room, uint32_t below_1e8)
{
    if (below_1e8 < 10000) {
        if (below_1e8 < 100) {
            if (below_1e8 < 10) {
                *room = (char)('0' + below_1e8);
                return room + 1;
            }
            put_pair(room, below_1e8);
            return room + 2;
        }
        uint32_t high = below_1e8 / 100;
        char *at = room;
        if (high < 10) {
            *at++ = (char)('0' + high);
        } else {
            put_pair(at, high);
            at += 2;
        }
        put_pair(at, below_1e8 % 100);
        return at + 2;
    }
    char *at = put_short(room, below_1e8 / 10000);
    put_4(at, below_1e8 % 10000);
    return at + 4;
}

static inline char *put_unsigned(char *room, uint64_t number)
{
    enum { GROUP = 100000000 };
    if (number < GROUP) {
        return put_short(room, (uint32_t)number);
    }
    uint64_t high = number / GROUP;
    char *at;
    if (high < GROUP) {
        at = put_short(room, (uint32_t)high);
    } else {
        at = put_short(room, (uint32_t)(high / GROUP));
        at = put_8(at, (uint32_t)(high % GROUP));
    }
    return put_8(at, (uint32_t)(number % GROUP));
}

size_t number_write_int(int64_t i, char *room)
{
    char *at = room;
    uint64_t magnitude = (uint64_t)i;
    if (i < 0) {
        *at++ = '-';
        magnitude = 0 - magnitude;
    }
    return (size_t)(put_unsigned(at, magnitude) - room);
}

/* ---- floats ------------------------------------------------------------------------------------ */

static const uint64_t whole_powers[] = {
    UINT64_C(1),
    UINT64_C(10),
    UINT64_C(100),
    UINT64_C(1000),
    UINT64_C(10000),
    UINT64_C(100000),
    UINT64_C(1000000),
    UINT64_C(10000000),
    UINT64_C(100000000),
    UINT64_C(1000000000),
    UINT64_C(10000000000),
    UINT64_C(100000000000),
    UINT64_C(1000000000000),
    UINT64_C(10000000000000),
    UINT64_C(100000000000000),
    UINT64_C(1000000000000000),
    UINT64_C(10000000000000000),
    UINT64_C(100000000000000000),
    UINT64_C(1000000000000000000),
    UINT64_C(10000000000000000000),
};

#define LARGEST_SCALED 1e15
#define SMALLEST_PLAIN 1e-5

/* f as a whole number of 10^-places that divides back to f; 0 where there is none below 1e15. */
static inline uint64_t scaled(double f, unsigned places)
{
    double product = f * powers_of_ten[places];
    if (product >= LARGEST_SCALED) {
        return 0;
    }
    uint64_t whole = (uint64_t)(product + 0.5);
    /* Far from a whole number: spare the division. Both roundings together are below 2 ulp. */
    double distance = product - (double)whole;
    if (distance > product * 0x1p-51 || distance < product * -0x1p-51) {
        return 0;
    }
    return (double)whole / powers_of_ten[places] == f ? whole : 0;
}

/* Cuts zeros at the end of the fraction, which is not zero: there are fewer than places. */
static inline uint64_t cut_zeros(uint64_t number, unsigned *places)
{
    if (*places > 8 && number % 100000000 == 0) {
        number /= 100000000;
        *places -= 8;
    }
    if (*places > 4 && number % 10000 == 0) {
        number /= 10000;
        *places -= 4;
    }
    if (number % 100 == 0) {
        number /= 100;
        *places -= 2;
    }
    if (number % 10 == 0) {
        number /= 10;
        *places -= 1;
    }
    return number;
}

/*
 * A number of 10^-places with a fraction. whole: that of the float. It is the decimal's too, since
 * a whole number between the two would be nearer to the decimal than the float is.
 */
static char *put_scaled(char *room, uint64_t whole, uint64_t number, unsigned places)
{
    number = cut_zeros(number, &places);
    uint64_t fraction = number - whole * whole_powers[places];
    char *at = put_unsigned(room, whole);
    *at = '.';
    char *end = at + 1 + places;
    char *digit = end;
    for (; digit > at + 2; fraction /= 100) {
        digit -= 2;
        put_pair(digit, (uint32_t)(fraction % 100));
    }
    if (digit > at + 1) {
        at[1] = (char)('0' + fraction);
    }
    return end;
}

/* Decimal places that make 15 digits of f, at least one. f: 1e-5 to 1e15. */
static unsigned places_for_15_digits(double f)
{
    uint64_t bits;
    memcpy(&bits, &f, sizeof bits);
    int exponent = (int)(bits >> 52) - 1023;
    /* log10(2) is 1233 / 4096; rounding down finds the right place or one too many. */
    int places = 14 - (exponent * 1233 >> 12);
    if (f * powers_of_ten[places] >= LARGEST_SCALED) {
        places--;
    }
    return places < 1 ? 1 : (unsigned)places;
}

/* Digits without zeros at either end, and the power of ten of the first. */
struct shortest {
    char digits[32];
    int count;
    int exponent;
};

static void *lend_stack(void *ctx, size_t size)
{
    enum { STACK_ROOM = 512 };
    return size <= STACK_ROOM ? ctx : NULL;
}

static void *refuse_resize(void *ctx, void *memory, size_t old_size, size_t size)
{
    (void)old_size;
    return memory == ctx ? lend_stack(ctx, size) : NULL;
}

static void keep(void *ctx, void *memory)
{
    (void)ctx;
    (void)memory;
}

static void read_shortest(const char *text, size_t len, struct shortest *ret)
{
    int exponent = -1;
    bool has_point = false;
    ret->count = 0;
    size_t at = 0;
    for (; at < len && text[at] != 'e' && text[at] != 'E'; at++) {
        if (text[at] == '.') {
            has_point = true;
            continue;
        }
        bool is_leading = ret->count == 0 && text[at] == '0';
        if (!is_leading) {
            ret->digits[ret->count++] = text[at];
        }
        exponent += is_leading ? (has_point ? -1 : 0) : (has_point ? 0 : 1);
    }
    if (at < len) {
        bool is_negative = text[at + 1] == '-';
        int power = 0;
        for (at += text[at + 1] == '-' || text[at + 1] == '+' ? 2 : 1; at < len; at++) {
            power = power * 10 + (text[at] - '0');
        }
        exponent += is_negative ? -power : power;
    }
    while (ret->count > 1 && ret->digits[ret->count - 1] == '0') {
        ret->count--;
    }
    ret->exponent = exponent;
}

/* f: positive and finite. */
static void find_shortest(double f, struct shortest *ret)
{
    _Alignas(16) char stack[512];
    yyjson_alc lender = { lend_stack, refuse_resize, keep, stack };
    yyjson_val number = { 0 };
    number.tag = YYJSON_TYPE_NUM | YYJSON_SUBTYPE_REAL;
    number.uni.f64 = f;
    size_t len = 0;
    const char *text = yyjson_val_write_opts(&number, 0, &lender, &len, NULL);
    if (text == NULL) { /* not with 512 bytes; but never nonsense */
        text = "0";
        len = 1;
    }
    read_shortest(text, len, ret);
}

static char *put_exponent_form(char *room, const struct shortest *shortest)
{
    char *at = room;
    *at++ = shortest->digits[0];
    if (shortest->count > 1) {
        *at++ = '.';
        memcpy(at, shortest->digits + 1, (size_t)shortest->count - 1);
        at += shortest->count - 1;
    }
    *at++ = 'e';
    *at++ = shortest->exponent < 0 ? '-' : '+';
    return put_unsigned(
        at, (uint64_t)(shortest->exponent < 0 ? -shortest->exponent : shortest->exponent));
}

static char *put_plain_form(char *room, const struct shortest *shortest)
{
    char *at = room;
    if (shortest->exponent < 0) {
        size_t zeros = (size_t)(-shortest->exponent - 1);
        memcpy(at, "0.0000", 2 + zeros);
        memcpy(at + 2 + zeros, shortest->digits, (size_t)shortest->count);
        return at + 2 + zeros + shortest->count;
    }
    int whole = shortest->exponent + 1;
    for (int i = 0; i < whole; i++) {
        *at++ = i < shortest->count ? shortest->digits[i] : '0';
    }
    *at++ = '.';
    if (whole >= shortest->count) {
        *at++ = '0';
        return at;
    }
    memcpy(at, shortest->digits + whole, (size_t)(shortest->count - whole));
    return at + (shortest->count - whole);
}

static char *put_shortest(char *room, double f)
{
    enum { LAST_PLAIN = 15, FIRST_PLAIN = -5 };
    struct shortest shortest;
    find_shortest(f, &shortest);
    bool is_plain = shortest.exponent >= FIRST_PLAIN && shortest.exponent <= LAST_PLAIN;
    return is_plain ? put_plain_form(room, &shortest) : put_exponent_form(room, &shortest);
}

static char *put_positive(char *room, double f)
{
    if (f >= SMALLEST_PLAIN && f < LARGEST_SCALED) {
        uint64_t whole = (uint64_t)f;
        if ((double)whole == f) {
            char *end = put_unsigned(room, whole);
            memcpy(end, ".0", 2);
            return end + 2;
        }
        unsigned places = 3;
        uint64_t number = scaled(f, places);
        if (number == 0) {
            places = places_for_15_digits(f);
            number = scaled(f, places);
        }
        if (number != 0) {
            return put_scaled(room, whole, number, places);
        }
    }
    return put_shortest(room, f);
}

size_t number_write_float(double f, char *room)
{
    char *at = room;
    if (__builtin_signbit(f)) {
        *at++ = '-';
        f = -f;
    }
    if (f == 0) {
        memcpy(at, "0.0", 3);
        return (size_t)(at + 3 - room);
    }
    return (size_t)(put_positive(at, f) - room);
}
