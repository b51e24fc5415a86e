/* SPDX-License-Identifier: MIT */
#include "cli/plugin_rules.h"

#include <stdarg.h>
#include <string.h>

#include <weir/plugin.h>

enum { SHOWN_BYTES = 400 };

const struct plugin_rule plugin_rules[RULE_COUNT] = {
    [RULE_LOADS] = { "loads", GRADE_LOADS,
                     "It loads, and its entry, factories and option tables are right" },
    [RULE_ONE_SYMBOL] = { "one-symbol", GRADE_CONFORMS,
                          "It exports " WEIR_PLUGIN_SYMBOL " and nothing else" },
    [RULE_LIBRARIES] = { "libraries", GRADE_CONFORMS,
                         "It needs no allocator and no sanitizer, which would replace the "
                         "program's" },
    [RULE_NODELETE] = { "nodelete", GRADE_CONFORMS,
                        "It is linked with -z nodelete, since plugins stay loaded" },
    [RULE_STACK] = { "stack", GRADE_CONFORMS, "Its stack is not executable" },
    [RULE_TEXT_RELOCATIONS] = { "text-relocations", GRADE_CONFORMS,
                                "Its code is not changed when it is loaded" },
    [RULE_LICENCE] = { "licence", GRADE_CONFORMS,
                       "Its licence has the form of an SPDX expression" },
    [RULE_VERSION] = { "version", GRADE_CONFORMS,
                       "Its version is that of Semantic Versioning: MAJOR.MINOR.PATCH" },
    [RULE_NAMES] = { "names", GRADE_CONFORMS,
                     "No other plugin that is found here has its names, which then would not tell "
                     "which is meant" },
    [RULE_READ_ONLY] = { "read-only", GRADE_EXEMPLARY,
                         "It is linked with -z relro -z now, so that its tables cannot be "
                         "changed" },
    [RULE_SEARCH_PATH] = { "search-path", GRADE_EXEMPLARY,
                           "It holds no search path for libraries (RPATH, RUNPATH)" },
    [RULE_DOCUMENTED] = { "documented", GRADE_EXEMPLARY,
                          "All that it brings has a documentation, and functions an example" },
    [RULE_SUMMARIES] = { "summaries", GRADE_EXEMPLARY,
                         "Summaries have at most 120 bytes and end without a full stop" },
};

static const char *const grades[] = { [GRADE_NONE] = "none",
                                      [GRADE_LOADS] = "loads",
                                      [GRADE_CONFORMS] = "conforms",
                                      [GRADE_EXEMPLARY] = "exemplary" };

const char *grade_text(enum rule_grade grade)
{
    return grades[grade];
}

bool grade_find(const char *text, enum rule_grade *ret)
{
    for (int grade = GRADE_LOADS; grade <= GRADE_EXEMPLARY; grade++) {
        if (strcmp(text, grades[grade]) == 0) {
            *ret = (enum rule_grade)grade;
            return true;
        }
    }
    return false;
}

/* ---- collecting ------------------------------------------------------------------------------- */

void judgement_add(struct judgement *judgement, enum rule_id rule, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(judgement->arena, format, args);
    va_end(args);
    const char *before = judgement->found[rule];
    if (text != NULL && before != NULL) {
        size_t len = strlen(before);
        bool is_full = len > SHOWN_BYTES || strcmp(before + len - 3, "...") == 0;
        text = is_full ? before
               : len + strlen(text) > SHOWN_BYTES
                   ? arena_printf(judgement->arena, "%s, ...", before)
                   : arena_printf(judgement->arena, "%s, %s", before, text);
    }
    judgement->found[rule] = text != NULL ? text : "out of memory";
}

void judgement_add_named(struct judgement *judgement, const char *id, const char *found)
{
    for (int rule = 0; rule < RULE_COUNT; rule++) {
        if (strcmp(plugin_rules[rule].id, id) == 0) {
            judgement_add(judgement, (enum rule_id)rule, "%s", found);
        }
    }
}

static bool is_forbidden(const char *library)
{
    static const char *const beginnings[] = {
        "libjemalloc", "libtcmalloc", "libmimalloc", "libsnmalloc", "librpmalloc",
        "libhoard",    "libumem",     "libasan",     "libhwasan",   "liblsan",
        "libmsan",     "libtsan",     "libubsan",    "libclang_rt",
    };
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
        if (strncmp(library, beginnings[i], strlen(beginnings[i])) == 0) {
            return true;
        }
    }
    return false;
}

static void judge_exports(struct judgement *judgement, const struct plugin_elf *elf)
{
    bool has_entry = false;
    for (size_t i = 0; i < elf->export_count; i++) {
        bool is_entry = strcmp(elf->exports[i], WEIR_PLUGIN_SYMBOL) == 0;
        has_entry |= is_entry;
        if (!is_entry) {
            judgement_add(judgement, RULE_ONE_SYMBOL, "it exports '%s'", elf->exports[i]);
        }
    }
    if (!has_entry) {
        judgement_add(judgement, RULE_ONE_SYMBOL, "it does not export " WEIR_PLUGIN_SYMBOL);
    }
}

void judge_elf(struct judgement *judgement, const struct plugin_elf *elf)
{
    judge_exports(judgement, elf);
    for (size_t i = 0; i < elf->needed_count; i++) {
        if (is_forbidden(elf->needed[i])) {
            judgement_add(judgement, RULE_LIBRARIES, "it needs '%s'", elf->needed[i]);
        }
    }
    if (!elf->has_nodelete) {
        judgement_add(judgement, RULE_NODELETE, "it may be unloaded");
    }
    if (elf->has_executable_stack) {
        judgement_add(judgement, RULE_STACK, "it asks for an executable stack");
    }
    if (elf->has_text_relocations) {
        judgement_add(judgement, RULE_TEXT_RELOCATIONS,
                      "it has text relocations; compile it with -fPIC");
    }
    if (!elf->has_relro || !elf->is_bound_now) {
        judgement_add(judgement, RULE_READ_ONLY, "it is linked without %s",
                      elf->has_relro ? "-z now" : "-z relro");
    }
    if (elf->search_path != NULL) {
        judgement_add(judgement, RULE_SEARCH_PATH, "it searches '%s'", elf->search_path);
    }
}

/* ---- judging ---------------------------------------------------------------------------------- */

bool judgement_has(const struct judgement *judgement, enum rule_id rule)
{
    switch (rule) {
    case RULE_LOADS:
        return true;
    case RULE_LICENCE:
    case RULE_VERSION:
    case RULE_NAMES:
    case RULE_DOCUMENTED:
    case RULE_SUMMARIES:
        return judgement->is_loaded;
    default:
        return judgement->is_read;
    }
}

enum rule_grade judgement_grade(const struct judgement *judgement)
{
    int grade = GRADE_EXEMPLARY;
    for (int rule = 0; rule < RULE_COUNT; rule++) {
        bool is_kept =
            judgement_has(judgement, (enum rule_id)rule) && judgement->found[rule] == NULL;
        if (!is_kept && grade >= (int)plugin_rules[rule].grade) {
            grade = (int)plugin_rules[rule].grade - 1;
        }
    }
    return (enum rule_grade)grade;
}
