/* SPDX-License-Identifier: MIT */
/*
 * The rules for plugins, from their table to a judgement. What breaks a rule is found in three places:
 * in the file (plugin_elf.h), in the tables of the loaded plugin (DESCRIBE_FAULTS, in a process of its
 * own), and among the other plugins.
 */
#ifndef CLI_PLUGIN_RULES_H
#define CLI_PLUGIN_RULES_H

#include "base/arena.h"
#include "cli/plugin_elf.h"

enum rule_grade { GRADE_NONE, GRADE_LOADS, GRADE_CONFORMS, GRADE_EXEMPLARY };

enum rule_id {
    RULE_LOADS,
    RULE_ONE_SYMBOL,
    RULE_LIBRARIES,
    RULE_NODELETE,
    RULE_STACK,
    RULE_TEXT_RELOCATIONS,
    RULE_LICENCE,
    RULE_VERSION,
    RULE_NAMES,
    RULE_READ_ONLY,
    RULE_SEARCH_PATH,
    RULE_DOCUMENTED,
    RULE_SUMMARIES,
    RULE_COUNT
};

/* sentence: what is so where the rule is kept */
struct plugin_rule {
    const char *id;
    enum rule_grade grade;
    const char *sentence;
};

extern const struct plugin_rule plugin_rules[RULE_COUNT];

/* found: by rule, what breaks it; NULL: nothing does. */
struct judgement {
    struct arena *arena;
    bool is_loaded; /* else rules about its tables were not judged */
    bool is_read;   /* else rules about its file were not judged */
    const char *found[RULE_COUNT];
};

/* "none" to "exemplary". */
const char *grade_text(enum rule_grade grade);
/* False: no such grade. */
bool grade_find(const char *text, enum rule_grade *ret);

/* Adds what breaks a rule; the first few are kept, in one line. */
void judgement_add(struct judgement *judgement, enum rule_id rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same by the rule's name, as DESCRIBE_FAULTS writes it; unknown names are passed over. */
void judgement_add_named(struct judgement *judgement, const char *id, const char *found);
/* Judges the file. */
void judge_elf(struct judgement *judgement, const struct plugin_elf *elf);
/* False: what it needs is not there to look at. */
bool judgement_has(const struct judgement *judgement, enum rule_id rule);
/* The highest grade all of whose rules, and of those below, are kept. */
enum rule_grade judgement_grade(const struct judgement *judgement);

#endif
