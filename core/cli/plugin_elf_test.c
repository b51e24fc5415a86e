/* SPDX-License-Identifier: MIT */
/*
 * Reads a plugin of the build, whole, cut off everywhere, and with bytes changed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/plugin_elf.h"
#include "unit.h"

static struct arena arena;
static char *bytes;
static size_t size;

static void setup(void)
{
    char path[1024];
    struct error error = { 0 };
    arena_init(&arena, 0);
    snprintf(path, sizeof path, "%s/lib/weir/plugins/sink_file.so", getenv("WEIR_BUILD"));
    ck_assert_msg(file_read(path, 64 << 20, &arena, &bytes, &size, &error) == WEIR_OK, "%s",
                  error.message);
}

static void teardown(void)
{
    arena_deinit(&arena);
}

START_TEST(reads_a_plugin)
{
    struct plugin_elf elf;
    const char *fault = NULL;
    ck_assert_msg(plugin_elf_read(bytes, size, &arena, &elf, &fault), "%s", fault);
    ck_assert_uint_eq(elf.export_count, 1);
    ck_assert_str_eq(elf.exports[0], "weir_plugin_entry_v1");
    bool has_libc = false;
    for (size_t i = 0; i < elf.needed_count; i++) {
        has_libc |= strcmp(elf.needed[i], "libc.so.6") == 0;
    }
    ck_assert(has_libc);
    ck_assert(elf.has_nodelete && elf.is_bound_now && elf.has_relro);
    ck_assert(!elf.has_text_relocations && !elf.has_executable_stack);
}
END_TEST

/* In a block of its own size, so that a sanitizer sees what lies behind. */
static bool read_part(size_t part, const char **ret_fault)
{
    struct plugin_elf elf;
    struct arena scratch;
    char *copy = malloc(part > 0 ? part : 1);
    require(copy != NULL, "no memory");
    memcpy(copy, bytes, part);
    arena_init(&scratch, 0);
    bool is_read = plugin_elf_read(copy, part, &scratch, &elf, ret_fault);
    arena_deinit(&scratch);
    free(copy);
    return is_read;
}

START_TEST(refuses_what_is_cut_off)
{
    for (size_t part = 0; part < 1024; part++) {
        const char *fault = NULL;
        ck_assert(!read_part(part, &fault));
        ck_assert_ptr_nonnull(fault);
    }
    for (size_t part = 1024; part < size; part += size / 97) {
        const char *fault = NULL;
        ck_assert(read_part(part, &fault) || fault != NULL);
    }
}
END_TEST

START_TEST(survives_changed_bytes)
{
    for (size_t i = 0; i < size; i += i < 4096 ? 1 : 61) {
        static const char values[] = { 0, 1, 0x7f, (char)0xff };
        char kept = bytes[i];
        const char *fault = NULL;
        bytes[i] = values[i % sizeof values];
        require(read_part(size, &fault) || fault != NULL, "byte %zu", i);
        bytes[i] = kept;
    }
}
END_TEST

START_TEST(refuses_other_files)
{
    static const char script[] = "#!/bin/sh\n";
    static const char small[64] = "\x7f"
                                  "ELF\x01";
    static const struct {
        const char *bytes;
        size_t size;
        const char *fault;
    } files[] = {
        { "", 0, "the file is empty" },
        { script, 1, "it is not an ELF file" },
        { script, sizeof script, "it is not an ELF file" },
        { small, 3, "the file is cut off" },
        { small, 20, "the file is cut off" },
        { small, sizeof small, "it is an ELF file, but not one of 64 bits" },
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct plugin_elf elf;
        const char *fault = NULL;
        ck_assert(!plugin_elf_read(files[i].bytes, files[i].size, &arena, &elf, &fault));
        ck_assert_str_eq(fault, files[i].fault);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *all = suite_create("plugin_elf");
    TCase *group = tcase_create("reading");
    tcase_add_checked_fixture(group, setup, teardown);
    tcase_set_timeout(group, 60);
    tcase_add_test(group, reads_a_plugin);
    tcase_add_test(group, refuses_what_is_cut_off);
    tcase_add_test(group, survives_changed_bytes);
    tcase_add_test(group, refuses_other_files);
    suite_add_tcase(all, group);
    return all;
}
