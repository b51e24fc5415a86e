/* SPDX-License-Identifier: MIT */
/* CSV: finding the end of a record, splitting it, writing fields. */
#include "support/csv.h"

#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "unit.h"

static const struct {
    const char *record;
    const char *expected; /* [field] or <quoted field>, or ! BYTE: message */
} splits[] = {
    { "a,b,c", "[a][b][c]" },
    { "", "[]" },
    { ",", "[][]" },
    { "a,b\r", "[a][b]" },
    { "\"a\",\"\",b", "<a><>[b]" },
    { "\"a,b\"\r", "<a,b>" },
    { "\"a\nb\",c", "<a\nb>[c]" },
    { "\"say \"\"hi\"\"\"", "<say \"hi\">" },
    { "\"\"\"\"", "<\">" },
    { " a , b", "[ a ][ b]" },
    { "a\"b,c", "! 1: a quote in a field without quotes; put the field in quotes and double it" },
    { "x, \"b\"", "! 3: a quote in a field without quotes; put the field in quotes and double it" },
    { "x,\"b", "! 2: the quote that begins here is never closed" },
    { "\"\"\"", "! 0: the quote that begins here is never closed" },
    { "x,\"b\"c,d", "! 5: expected the delimiter behind a closing quote" },
    { "\"b\"\r\r", "! 3: expected the delimiter behind a closing quote" },
};

static const char *split(const char *record, char delimiter, uint32_t limit)
{
    static char text[256];
    static char told[512];
    struct csv_field fields[16];
    struct csv_fault fault;
    uint32_t count = 0;
    memcpy(text, record, strlen(record) + 1);
    if (!csv_split(text, strlen(record), delimiter, fields, limit, &count, &fault)) {
        snprintf(told, sizeof told, "! %zu: %s", fault.byte, fault.message);
        return told;
    }
    told[0] = '\0';
    for (uint32_t i = 0; i < count && i < limit; i++) {
        size_t at = strlen(told);
        snprintf(told + at, sizeof told - at, fields[i].was_quoted ? "<%.*s>" : "[%.*s]",
                 (int)fields[i].size, fields[i].text);
    }
    if (count > limit) {
        size_t at = strlen(told);
        snprintf(told + at, sizeof told - at, " of %u", count);
    }
    return told;
}

START_TEST(splits_a_record)
{
    ck_assert_str_eq(split(splits[_i].record, ',', 16), splits[_i].expected);
}
END_TEST

START_TEST(splits_at_the_delimiter_given)
{
    ck_assert_str_eq(split("a,b;c", ';', 16), "[a,b][c]");
    ck_assert_str_eq(split("a\t\"b\tc\"", '\t', 16), "[a]<b\tc>");
}
END_TEST

START_TEST(counts_fields_beyond_the_room)
{
    ck_assert_str_eq(split("a,b,c,d", ',', 2), "[a][b] of 4");
}
END_TEST

/* Where records end, found in one go, and byte by byte. */
START_TEST(finds_the_end_outside_quotes)
{
    static const struct {
        const char *text;
        size_t end;
    } cases[] = {
        { "a,b\nc", 3 },     { "\"a\nb\"\nc", 5 }, { "\"a\"\"\n\"\n", 6 },
        { "a\"b\nc", 3 },    { "\"a\"b\"\nc", 5 }, { "x,\"\n\"\r\nd", 6 },
        { "\n", 0 },         { "\"\n\n\n", 4 },    { "abc", 3 },
        { ",\"\",\n\"", 4 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        enum csv_state state = CSV_START;
        size_t size = strlen(cases[i].text);
        ck_assert_uint_eq(csv_scan(cases[i].text, size, ',', &state), cases[i].end);
        state = CSV_START;
        size_t at = 0;
        while (at < size && csv_scan(cases[i].text + at, 1, ',', &state) == 1) {
            at++;
        }
        ck_assert_uint_eq(at, cases[i].end);
    }
}
END_TEST

START_TEST(quotes_what_needs_it)
{
    static const struct {
        const char *field;
        const char *expected;
    } cases[] = {
        { "plain", "plain" },   { "", "" },
        { "a,b", "\"a,b\"" },   { "a;b", "a;b" },
        { "a\nb", "\"a\nb\"" }, { "\r", "\"\r\"" },
        { " a", "\" a\"" },     { "a ", "\"a \"" },
        { "\"", "\"\"\"\"" },   { "a\"\"b", "\"a\"\"\"\"b\"" },
    };
    weir_buffer out;
    buffer_init(&out, 1024);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        buffer_clear(&out);
        uint32_t size = (uint32_t)strlen(cases[i].field);
        ck_assert_int_eq(csv_append(&out, cases[i].field, size, ',', false), WEIR_OK);
        ck_assert_str_eq(buffer_c_string(&out), cases[i].expected);
    }
    buffer_clear(&out);
    ck_assert_int_eq(csv_append(&out, "7", 1, ',', true), WEIR_OK);
    ck_assert_str_eq(buffer_c_string(&out), "\"7\"");
    buffer_deinit(&out);
}
END_TEST

START_TEST(knows_what_can_part_fields)
{
    ck_assert(csv_is_delimiter(",", 1) && csv_is_delimiter(";", 1) && csv_is_delimiter("\t", 1) &&
              csv_is_delimiter("|", 1));
    ck_assert(!csv_is_delimiter("", 0) && !csv_is_delimiter("\"", 1) &&
              !csv_is_delimiter("\n", 1) && !csv_is_delimiter("a", 1) &&
              !csv_is_delimiter("-", 1) && !csv_is_delimiter(",,", 2));
}
END_TEST

START_TEST(knows_what_a_field_looks_like)
{
    static const struct {
        enum csv_kind kind;
        const char *fields[12];
    } cases[] = {
        { CSV_NOTHING, { "" } },
        { CSV_TRUE, { "true" } },
        { CSV_FALSE, { "false" } },
        { CSV_NUMBER, { "0", "-0", "10", "1.5", "-0.25", "1e3", "1E+3", "1.0e-3" } },
        { CSV_TEXT,
          { "007", "1.", ".5", "-", "+1", "1e", "1e+", "0x1", "True", " 1", "1 ", "NaN" } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (size_t k = 0; k < 12 && cases[i].fields[k] != NULL; k++) {
            const char *field = cases[i].fields[k];
            ck_assert_msg(csv_kind(field, (uint32_t)strlen(field)) == cases[i].kind, "%s", field);
        }
    }
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("csv");
    TCase *tests = tcase_create("csv");
    tcase_add_loop_test(tests, splits_a_record, 0, sizeof splits / sizeof splits[0]);
    tcase_add_test(tests, splits_at_the_delimiter_given);
    tcase_add_test(tests, counts_fields_beyond_the_room);
    tcase_add_test(tests, finds_the_end_outside_quotes);
    tcase_add_test(tests, quotes_what_needs_it);
    tcase_add_test(tests, knows_what_can_part_fields);
    tcase_add_test(tests, knows_what_a_field_looks_like);
    suite_add_tcase(made, tests);
    return made;
}
