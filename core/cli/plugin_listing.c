/* SPDX-License-Identifier: MIT */
#include "cli/plugin_listing.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/describe.h"
#include "cli/plugin_files.h"
#include "cli/probe.h"

enum { ROW_LIMIT = 16384 };

void listing_add_problem(struct listing *listing, const char *path, const char *message)
{
    listing->problems[listing->problem_count++] = (struct problem){ path, message };
}

/* Another file with this id that came before; NULL: none. */
static const char *taken_by(const struct listing *listing, const char *id)
{
    for (size_t i = 0; i < listing->row_count; i++) {
        if (strcmp(listing->rows[i].id, id) == 0) {
            return listing->rows[i].path;
        }
    }
    return NULL;
}

/* The next text of a probe's rows; NULL at their end. */
static const char *next_field(const struct probe *probe, size_t *at)
{
    const char *field = probe->text + *at;
    if (*at >= probe->size) {
        return NULL;
    }
    *at += strlen(field) + 1;
    return field;
}

static void add_rows(struct listing *listing, const char *path, const struct probe *probe)
{
    size_t at = 0;
    const char *fields[DESCRIPTION_FIELDS];
    bool is_first = true;
    for (;;) {
        for (size_t i = 0; i < DESCRIPTION_FIELDS; i++) {
            fields[i] = next_field(probe, &at);
        }
        if (fields[DESCRIPTION_FIELDS - 1] == NULL || listing->row_count == ROW_LIMIT) {
            return;
        }
        const char *owner = is_first ? taken_by(listing, fields[2]) : NULL;
        if (owner != NULL) {
            const char *message = arena_printf(
                listing->arena, "its id '%s' is already that of '%s'", fields[2], owner);
            listing_add_problem(listing, path, message != NULL ? message : "its id is taken");
            return;
        }
        is_first = false;
        listing->rows[listing->row_count++] =
            (struct row){ fields[0], fields[1], fields[2], fields[3],
                          fields[4], fields[5], fields[6], path };
    }
}

/* False: no memory. */
static bool gather_file(struct listing *listing, const char *path)
{
    struct probe probe;
    if (!probe_plugin(&probe, path, DESCRIBE_ROWS, NULL, NULL, listing->arena)) {
        return false;
    }
    if (probe.fault != NULL) {
        listing_add_problem(listing, path, probe.fault);
    } else {
        add_rows(listing, path, &probe);
    }
    return true;
}

bool listing_gather(struct listing *listing)
{
    struct plugin_files files;
    if (!plugin_files_find(&files, listing->arena)) {
        return false;
    }
    listing->rows = arena_alloc(listing->arena, ROW_LIMIT * sizeof *listing->rows);
    listing->problems = arena_alloc(listing->arena, (files.count + 1) * sizeof *listing->problems);
    if (listing->rows == NULL || listing->problems == NULL) {
        return false;
    }
    for (size_t i = 0; i < files.count; i++) {
        const struct plugin_file *file = &files.files[i];
        if (file->fault != NULL) {
            listing_add_problem(listing, file->path, file->fault);
        } else if (!gather_file(listing, file->path)) {
            return false;
        }
    }
    return true;
}

bool row_is_named(const struct row *row, const char *kind, const char *name)
{
    return (kind == NULL || strcmp(kind, row->kind) == 0) &&
           (strcmp(name, row->name) == 0 || strcmp(name, row->id) == 0 ||
            strcmp(name, row->plugin) == 0);
}

void listing_report_no(const struct listing *listing, const char *command, const char *kind,
                       const char *name)
{
    struct nearest search;
    nearest_start(&search, name, strlen(name));
    for (size_t i = 0; i < listing->row_count; i++) {
        const struct row *row = &listing->rows[i];
        if (kind == NULL || strcmp(kind, row->kind) == 0) {
            nearest_offer(&search, row->name);
            nearest_offer(&search, row->id);
        }
    }
    const char *near = nearest_found(&search);
    fprintf(stderr, "weir plugin %s: no %s '%s' is found", command, kind != NULL ? kind : "plugin",
            name);
    if (near != NULL) {
        fprintf(stderr, "; did you mean '%s'?", near);
    }
    fprintf(stderr, "\n");
    for (size_t i = 0; i < listing->problem_count; i++) {
        fprintf(stderr, "hint: '%s' was not loaded: %s\n", listing->problems[i].path,
                listing->problems[i].message);
    }
    if (listing->problem_count == 0) {
        fprintf(stderr, "hint: 'weir plugin list' shows all; a file is named with its path\n");
    }
}

bool plugin_is_path(const char *text)
{
    size_t len = strlen(text);
    return strchr(text, '/') != NULL || (len > 3 && strcmp(text + len - 3, ".so") == 0);
}
