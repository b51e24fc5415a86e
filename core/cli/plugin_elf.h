/* SPDX-License-Identifier: MIT */
/*
 * What a shared object says about itself in its ELF headers, read without mapping it: every offset is
 * checked against the file's size, so a file that lies is refused and not followed.
 */
#ifndef CLI_PLUGIN_ELF_H
#define CLI_PLUGIN_ELF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/*
 * needed       names of the libraries that it needs
 * exports      names of the symbols that it defines for others
 * search_path  RPATH or RUNPATH; NULL: none
 */
struct plugin_elf {
    const char **needed;
    size_t needed_count;
    const char **exports;
    size_t export_count;
    const char *search_path;
    bool has_nodelete;
    bool has_text_relocations;
    bool has_executable_stack; /* also where nothing is said about the stack */
    bool is_bound_now;
    bool has_relro;
};

/* Texts point into `bytes`. False: *ret_fault says why ("the file is cut off"). */
bool plugin_elf_read(const void *bytes, size_t size, struct arena *arena, struct plugin_elf *elf,
                     const char **ret_fault);

#endif
