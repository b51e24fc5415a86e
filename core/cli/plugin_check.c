/* SPDX-License-Identifier: MIT */
/*
 * `weir plugin check`: reads the file, has it loaded in a process of its own, compares its names with
 * those of the plugins that are found, and shows each rule with what breaks it.
 */
#include "cli/plugin_check.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/file.h"
#include "cli/cli.h"
#include "cli/json_writer.h"
#include "cli/output.h"
#include "cli/plugin_files.h"
#include "cli/plugin_listing.h"
#include "cli/plugin_rules.h"
#include "cli/probe.h"

enum { MAX_FILE = 512 << 20 };

struct checking {
    const char *path;
    struct judgement judgement;
    struct probe rows; /* what it brings */
};

/* ---- its file --------------------------------------------------------------------------------- */

static void check_file(struct checking *checking)
{
    struct arena *arena = checking->judgement.arena;
    struct plugin_elf elf;
    struct stat info;
    struct error error = { 0 };
    const char *fault = NULL;
    char *bytes = NULL;
    size_t size = 0;
    /* What is no file, cannot be read or is no ELF file does not load either, which is told there. */
    if (stat(checking->path, &info) != 0 || !S_ISREG(info.st_mode)) {
        return;
    }
    if (file_read(checking->path, MAX_FILE, arena, &bytes, &size, &error) == WEIR_OK &&
        plugin_elf_read(bytes, size, arena, &elf, &fault)) {
        checking->judgement.is_read = true;
        judge_elf(&checking->judgement, &elf);
    } else if (fault != NULL) {
        judgement_add(&checking->judgement, RULE_LOADS, "%s", fault);
    }
}

/* ---- its tables ------------------------------------------------------------------------------- */

/* The next text of a probe; NULL at the end. */
static const char *next_text(const struct probe *probe, size_t *at)
{
    const char *text = probe->text + *at;
    if (*at >= probe->size) {
        return NULL;
    }
    *at += strlen(text) + 1;
    return text;
}

/* False: no memory. */
static bool check_tables(struct checking *checking)
{
    struct arena *arena = checking->judgement.arena;
    struct probe faults;
    size_t at = 0;
    if (!probe_plugin(&faults, checking->path, DESCRIBE_FAULTS, NULL, NULL, arena) ||
        !probe_plugin(&checking->rows, checking->path, DESCRIBE_ROWS, NULL, NULL, arena)) {
        return false;
    }
    const char *fault = faults.fault != NULL ? faults.fault : checking->rows.fault;
    checking->judgement.is_loaded = fault == NULL;
    if (fault != NULL && checking->judgement.found[RULE_LOADS] == NULL) {
        judgement_add(&checking->judgement, RULE_LOADS, "%s", fault);
    }
    while (fault == NULL) {
        const char *id = next_text(&faults, &at);
        const char *found = id != NULL ? next_text(&faults, &at) : NULL;
        if (found == NULL) {
            break;
        }
        judgement_add_named(&checking->judgement, id, found);
    }
    return true;
}

/* ---- its names -------------------------------------------------------------------------------- */

/* One row of a probe: kind, name, id and what else there is. False: no more. */
static bool next_row(const struct probe *probe, size_t *at, const char *row[DESCRIPTION_FIELDS])
{
    for (size_t i = 0; i < DESCRIPTION_FIELDS; i++) {
        row[i] = next_text(probe, at);
    }
    return row[DESCRIPTION_FIELDS - 1] != NULL;
}

static void compare_names(struct checking *checking, const struct probe *other)
{
    const char *own[DESCRIPTION_FIELDS];
    const char *row[DESCRIPTION_FIELDS];
    size_t at = 0;
    while (next_row(&checking->rows, &at, own)) {
        size_t other_at = 0;
        while (next_row(other, &other_at, row)) {
            bool is_copy = strcmp(own[2], row[2]) == 0; /* another file of the same plugin */
            if (!is_copy && strcmp(own[0], row[0]) == 0 && strcmp(own[1], row[1]) == 0) {
                judgement_add(&checking->judgement, RULE_NAMES, "%s '%s' is also one of '%s'",
                              own[0], own[1], row[2]);
            }
        }
    }
}

/* False: no memory. */
static bool check_names(struct checking *checking)
{
    struct plugin_files files;
    struct stat own = { 0 };
    (void)stat(checking->path, &own); /* it has been loaded */
    if (!plugin_files_find(&files, checking->judgement.arena)) {
        return false;
    }
    for (size_t i = 0; i < files.count; i++) {
        const struct plugin_file *file = &files.files[i];
        struct probe probe;
        bool is_own = file->inode == own.st_ino && file->device == own.st_dev;
        if (file->fault != NULL || is_own) {
            continue;
        }
        if (!probe_plugin(&probe, file->path, DESCRIBE_ROWS, NULL, NULL,
                          checking->judgement.arena)) {
            return false;
        }
        if (probe.fault == NULL) {
            compare_names(checking, &probe);
        }
    }
    return true;
}

/* ---- the answer ------------------------------------------------------------------------------- */

static const char *result_of(const struct judgement *judgement, enum rule_id rule)
{
    if (judgement->found[rule] != NULL) {
        return "broken";
    }
    return judgement_has(judgement, rule) ? "kept" : "unknown";
}

static void write_text(const struct checking *checking)
{
    output_printf("%s: %s\n", checking->path, grade_text(judgement_grade(&checking->judgement)));
    for (int rule = 0; rule < RULE_COUNT; rule++) {
        const char *found = checking->judgement.found[rule];
        output_printf(
            "  %-8s %-9s  %-16s  %s%s%s\n", result_of(&checking->judgement, (enum rule_id)rule),
            grade_text(plugin_rules[rule].grade), plugin_rules[rule].id,
            plugin_rules[rule].sentence, found != NULL ? ": " : "", found != NULL ? found : "");
    }
}

/* False: no memory. */
static bool write_json(const struct checking *checking)
{
    weir_buffer out;
    struct json_writer json = { .page = { .out = &out } };
    buffer_init(&out, UINT64_MAX);
    json_begin_object(&json, NULL);
    json_text(&json, "file", checking->path);
    json_text(&json, "grade", grade_text(judgement_grade(&checking->judgement)));
    json_begin_list(&json, "rules");
    for (int rule = 0; rule < RULE_COUNT; rule++) {
        json_begin_object(&json, NULL);
        json_text(&json, "id", plugin_rules[rule].id);
        json_text(&json, "grade", grade_text(plugin_rules[rule].grade));
        json_text(&json, "result", result_of(&checking->judgement, (enum rule_id)rule));
        json_text(&json, "rule", plugin_rules[rule].sentence);
        if (checking->judgement.found[rule] != NULL) {
            json_text(&json, "found", checking->judgement.found[rule]);
        }
        json_end_object(&json);
    }
    json_end_list(&json);
    json_end_object(&json);
    page_text(&json.page, "\n");
    bool is_whole = json.page.status == WEIR_OK;
    if (is_whole) {
        output_write(out.data, (size_t)out.size);
    }
    buffer_deinit(&out);
    return is_whole;
}

/* False: no memory. */
static bool check(struct checking *checking, bool is_json)
{
    check_file(checking);
    if (!check_tables(checking) || (checking->judgement.is_loaded && !check_names(checking))) {
        return false;
    }
    if (is_json) {
        return write_json(checking);
    }
    write_text(checking);
    return true;
}

/* ---- which file ------------------------------------------------------------------------------- */

/* The file of the one plugin that has something of this name. NULL after a report. */
static const char *find_file(const char *name, struct arena *arena)
{
    struct listing listing = { .arena = arena };
    const struct row *found = NULL;
    if (!listing_gather(&listing)) {
        fprintf(stderr, "weir: out of memory\n");
        return NULL;
    }
    for (size_t i = 0; i < listing.row_count; i++) {
        const struct row *row = &listing.rows[i];
        if (!row_is_named(row, NULL, name) || (found != NULL && found->path == row->path)) {
            continue;
        }
        if (found != NULL) {
            fprintf(
                stderr,
                "weir plugin check: several plugins have something called '%s'; write an id, such "
                "as '%s' or '%s'\n",
                name, found->id, row->id);
            return NULL;
        }
        found = row;
    }
    if (found == NULL) {
        listing_report_no(&listing, "check", NULL, name);
    }
    return found != NULL ? found->path : NULL;
}

static int check_path(const struct args *args, const char *path, enum rule_grade wanted,
                      struct arena *arena)
{
    struct checking checking = { .path = path, .judgement = { .arena = arena } };
    if (!check(&checking, args->is_json)) {
        fprintf(stderr, "weir: out of memory\n");
        return EXIT_FAULT;
    }
    return judgement_grade(&checking.judgement) >= wanted ? EXIT_DONE : EXIT_FAULT;
}

int plugin_check(const struct args *args)
{
    struct arena arena;
    enum rule_grade wanted = GRADE_CONFORMS;
    const char *grade = args_text(args, "grade");
    if (grade != NULL && !grade_find(grade, &wanted)) {
        return args_fault(args, "write loads, conforms or exemplary", "there is no grade '%s'",
                          grade);
    }
    arena_init(&arena, 0);
    const char *name = args->operands[0];
    const char *path = plugin_is_path(name) ? name : find_file(name, &arena);
    int status = path != NULL ? check_path(args, path, wanted, &arena) : EXIT_FAULT;
    arena_deinit(&arena);
    return status;
}
