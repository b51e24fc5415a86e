/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/plugin_words.h"
#include "unit.h"

static const struct {
    const char *text;
    bool is_right;
} versions[] = {
    { "0.1.0", true },        { "1.2.3", true },
    { "10.20.30", true },     { "1.0.0-rc.1", true },
    { "1.0.0-0a.x-y", true }, { "1.0.0+01.build", true },
    { "1.0.0-a+b", true },    { "", false },
    { "1", false },           { "1.2", false },
    { "1.2.3.4", false },     { "01.2.3", false },
    { "1.2.03", false },      { "v1.2.3", false },
    { "1.2.3-", false },      { "1.2.3-01", false },
    { "1.2.3-a..b", false },  { "1.2.3+", false },
    { "1.2.3 ", false },      { "1..3", false },
};

START_TEST(tells_versions)
{
    ck_assert_msg(word_is_version(versions[_i].text) == versions[_i].is_right, "'%s'",
                  versions[_i].text);
}
END_TEST

static const struct {
    const char *text;
    bool is_right;
} licences[] = {
    { "MIT", true },
    { "Apache-2.0", true },
    { "GPL-2.0+", true },
    { "MIT OR Apache-2.0", true },
    { "MIT AND (0BSD OR Zlib)", true },
    { "GPL-2.0-only WITH Classpath-exception-2.0", true },
    { "LicenseRef-Acme", true },
    { "DocumentRef-a:LicenseRef-b", true },
    { "((MIT))", true },
    { "", false },
    { "MIT License", false },
    { "MIT, Apache-2.0", false },
    { "MIT/Apache-2.0", false },
    { "MIT OR", false },
    { "OR MIT", false },
    { "MIT or Zlib", false },
    { "(MIT", false },
    { "MIT)", false },
    { "MIT WITH", false },
    { "()", false },
    { "Acme (all rights reserved)", false },
};

START_TEST(tells_spdx_expressions)
{
    ck_assert_msg(word_is_spdx(licences[_i].text) == licences[_i].is_right, "'%s'",
                  licences[_i].text);
}
END_TEST

START_TEST(refuses_endless_parentheses)
{
    char text[4096];
    memset(text, '(', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    ck_assert(!word_is_spdx(text));
}
END_TEST

Suite *suite(void)
{
    Suite *all = suite_create("plugin_words");
    TCase *group = tcase_create("forms");
    tcase_add_loop_test(group, tells_versions, 0, sizeof versions / sizeof versions[0]);
    tcase_add_loop_test(group, tells_spdx_expressions, 0, sizeof licences / sizeof licences[0]);
    tcase_add_test(group, refuses_endless_parentheses);
    suite_add_tcase(all, group);
    return all;
}
