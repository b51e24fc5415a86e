/* SPDX-License-Identifier: MIT */
/*
 * `weir plugin list` and `weir plugin inspect`. This process never loads a plugin (see probe.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/page.h"
#include "cli/plugin_check.h"
#include "cli/plugin_listing.h"
#include "cli/probe.h"

static int fault_memory(void)
{
    fprintf(stderr, "weir: out of memory\n");
    return EXIT_FAULT;
}

/* ---- list -------------------------------------------------------------------------------------
 */

static int kind_rank(const char *kind)
{
    static const char *const order[] = { "source", "operator", "sink", "serializer", "function" };
    int rank = 0;
    while (rank < 5 && strcmp(order[rank], kind) != 0) {
        rank++;
    }
    return rank;
}

static int compare_rows(const void *left, const void *right)
{
    const struct row *a = left;
    const struct row *b = right;
    int ranks = kind_rank(a->kind) - kind_rank(b->kind);
    int kinds = ranks != 0 ? ranks : strcmp(a->kind, b->kind);
    return kinds != 0 ? kinds : strcmp(a->name, b->name);
}

static size_t widest(const struct listing *listing, size_t offset, const char *title)
{
    size_t width = strlen(title);
    for (size_t i = 0; i < listing->row_count; i++) {
        const char *text = *(const char *const *)((const char *)&listing->rows[i] + offset);
        size_t len = strlen(text);
        width = len > width ? len : width;
    }
    return width;
}

static void list_text(const struct listing *listing)
{
    int kind = (int)widest(listing, offsetof(struct row, kind), "KIND");
    int name = (int)widest(listing, offsetof(struct row, name), "NAME");
    int id = (int)widest(listing, offsetof(struct row, id), "PLUGIN");
    int version = (int)widest(listing, offsetof(struct row, version), "VERSION");
    int license = (int)widest(listing, offsetof(struct row, license), "LICENCE");
    output_printf("%-*s  %-*s  %-*s  %-*s  %-*s  FILE\n", kind, "KIND", name, "NAME", id, "PLUGIN",
                  version, "VERSION", license, "LICENCE");
    for (size_t i = 0; i < listing->row_count; i++) {
        const struct row *row = &listing->rows[i];
        output_printf("%-*s  %-*s  %-*s  %-*s  %-*s  %s%s%s%s\n", kind, row->kind, name, row->name,
                      id, row->id, version, row->version, license, row->license, row->path,
                      row->warning[0] != '\0' ? " (" : "", row->warning,
                      row->warning[0] != '\0' ? ")" : "");
    }
    if (listing->problem_count > 0) {
        output_printf("\nnot loaded:\n");
    }
    for (size_t i = 0; i < listing->problem_count; i++) {
        output_printf("  %s: %s\n", listing->problems[i].path, listing->problems[i].message);
    }
}

static void put_member(struct page *page, const char *before, const char *name, const char *text)
{
    page_printf(page, "%s\"%s\":", before, name);
    page_json(page, text);
}

static void put_row(struct page *page, const struct row *row)
{
    put_member(page, "{", "kind", row->kind);
    put_member(page, ",", "name", row->name);
    put_member(page, ",", "plugin", row->id);
    put_member(page, ",", "version", row->version);
    put_member(page, ",", "license", row->license);
    put_member(page, ",", "file", row->path);
    if (row->warning[0] != '\0') {
        put_member(page, ",", "warning", row->warning);
    }
    page_text(page, "}");
}

static void put_problems(struct page *page, const struct listing *listing)
{
    page_text(page, "\"problems\":[");
    for (size_t i = 0; i < listing->problem_count; i++) {
        put_member(page, i > 0 ? ",{" : "{", "file", listing->problems[i].path);
        put_member(page, ",", "message", listing->problems[i].message);
        page_text(page, "}");
    }
    page_text(page, "]");
}

static void list_json(const struct listing *listing, struct page *page)
{
    page_text(page, "{\"plugins\":[");
    for (size_t i = 0; i < listing->row_count; i++) {
        page_text(page, i > 0 ? ",\n" : "\n");
        put_row(page, &listing->rows[i]);
    }
    page_text(page, "],\n");
    put_problems(page, listing);
    page_text(page, "}\n");
}

/* Writes a page and gives its memory back. */
static int finish_page(struct page *page)
{
    bool is_whole = page->status == WEIR_OK;
    if (is_whole) {
        output_write(page->out->data, page->out->size);
    }
    buffer_deinit(page->out);
    return is_whole ? EXIT_DONE : fault_memory();
}

static int list_plugins(const struct args *args, struct listing *listing)
{
    weir_buffer out;
    struct page page = { .out = &out };
    if (!listing_gather(listing)) {
        return fault_memory();
    }
    qsort(listing->rows, listing->row_count, sizeof *listing->rows, compare_rows);
    if (!args->is_json) {
        list_text(listing);
        return EXIT_DONE;
    }
    buffer_init(&out, UINT64_MAX);
    list_json(listing, &page);
    return finish_page(&page);
}

/* ---- inspect ----------------------------------------------------------------------------------
 */

/* What is asked for, and what has been found of it. */
struct inspection {
    const struct args *args;
    struct listing *listing;
    enum description_format format;
    const char *kind; /* NULL: all */
    size_t count;     /* of plugins shown */
    struct page page;
};

/* Adds the description of one file. False: no memory. */
static bool show_file(struct inspection *inspection, const char *path, const char *name)
{
    static const char *const before[][2] = { [DESCRIBE_TEXT] = { "", "\n" },
                                             [DESCRIBE_JSON] = { "\n", ",\n" },
                                             [DESCRIBE_MARKDOWN] = { "", "\n" } };
    struct probe probe;
    if (!probe_plugin(&probe, path, inspection->format, inspection->kind, name,
                      inspection->listing->arena)) {
        return false;
    }
    if (probe.fault != NULL) {
        listing_add_problem(inspection->listing, path, probe.fault);
        return true;
    }
    page_text(&inspection->page, before[inspection->format][inspection->count > 0]);
    page_bytes(&inspection->page, probe.text, probe.size);
    inspection->count++;
    return inspection->page.status == WEIR_OK;
}

/* Every plugin that has something of this name. False: no memory. */
static bool show_named(struct inspection *inspection, const char *name)
{
    const struct listing *listing = inspection->listing;
    const char *last = NULL; /* rows of one file stand together */
    for (size_t i = 0; i < listing->row_count; i++) {
        const struct row *row = &listing->rows[i];
        if (row->path == last || !row_is_named(row, inspection->kind, name)) {
            continue;
        }
        last = row->path;
        if (!show_file(inspection, row->path, name)) {
            return false;
        }
    }
    return true;
}

static int inspect_name(struct inspection *inspection, const char *name)
{
    if (!listing_gather(inspection->listing) || !show_named(inspection, name)) {
        return fault_memory();
    }
    if (inspection->count > 0) {
        return EXIT_DONE;
    }
    listing_report_no(inspection->listing, "inspect", inspection->kind, name);
    return EXIT_FAULT;
}

static int inspect_file(struct inspection *inspection, const char *path)
{
    struct problem room;
    inspection->listing->problems = &room;
    if (!show_file(inspection, path, NULL)) {
        return fault_memory();
    }
    if (inspection->count == 0) {
        fprintf(stderr, "weir plugin inspect: '%s': %s\n", path, room.message);
        return EXIT_FAULT;
    }
    return EXIT_DONE;
}

static int inspect(const struct args *args, struct listing *listing)
{
    const char *name = args->operands[0];
    bool is_file = plugin_is_path(name);
    weir_buffer out;
    struct inspection inspection = { .args = args,
                                     .listing = listing,
                                     .format = args->is_json ? DESCRIBE_JSON : DESCRIBE_TEXT,
                                     .kind = args_text(args, "kind"),
                                     .page = { .out = &out } };
    buffer_init(&out, UINT64_MAX);
    if (args_has(args, "markdown")) {
        inspection.format = DESCRIBE_MARKDOWN;
    }
    if (inspection.format == DESCRIBE_JSON) {
        page_text(&inspection.page, "{\"plugins\":[");
    }
    int status = is_file ? inspect_file(&inspection, name) : inspect_name(&inspection, name);
    if (status != EXIT_DONE) {
        buffer_deinit(&out);
        return status;
    }
    if (inspection.format == DESCRIBE_JSON) {
        page_text(&inspection.page, "]}\n");
    }
    return finish_page(&inspection.page);
}

int command_plugin(int argc, char **argv)
{
    struct args args;
    struct arena arena;
    int status = EXIT_DONE;
    if (!args_parse(&args, commands, argc, argv, &status)) {
        return status;
    }
    if (strcmp(args.command->name, "plugin check") == 0) {
        return plugin_check(&args);
    }
    arena_init(&arena, 0);
    struct listing listing = { .arena = &arena };
    status = strcmp(args.command->name, "plugin list") == 0 ? list_plugins(&args, &listing)
                                                            : inspect(&args, &listing);
    arena_deinit(&arena);
    return status;
}
