/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "plugin/debug/rule.h"

/* A header as one line: no comment marks, single blanks. */
static char *read_header(struct arena *arena, const char *name)
{
    const char *root = getenv("WEIR_SOURCE");
    struct error error = { .status = WEIR_OK };
    ck_assert_ptr_nonnull(root);
    char *path = arena_printf(arena, "%s/sdk/include/%s", root, name);
    char *text = NULL;
    size_t size = 0;
    ck_assert_msg(file_read(path, 1 << 20, arena, &text, &size, &error) == WEIR_OK, "%s",
                  error.message);
    char *line = arena_alloc(arena, size + 1);
    size_t made = 0;
    for (size_t i = 0; i < size; i++) {
        bool is_mark = text[i] == '*' || text[i] == '\n' || text[i] == ' ' || text[i] == '/';
        bool is_slash = text[i] == '/' && i > 0 && text[i - 1] != '*' && text[i + 1] != '*';
        if (!is_mark || is_slash) {
            line[made++] = text[i];
        } else if (made > 0 && line[made - 1] != ' ') {
            line[made++] = ' ';
        }
    }
    line[made] = '\0';
    return line;
}

START_TEST(stands_in_its_header)
{
    struct arena arena;
    arena_init(&arena, 0);
    const struct rule *rule = &rules[_i];
    ck_assert_ptr_nonnull(rule->header);
    ck_assert_msg(strstr(read_header(&arena, rule->header), rule->words) != NULL,
                  "%s does not say: %s", rule->header, rule->words);
    arena_deinit(&arena);
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("rule");
    TCase *tests = tcase_create("rule");
    tcase_add_loop_test(tests, stands_in_its_header, 0, RULE_COUNT);
    suite_add_tcase(suite, tests);
    return suite;
}
