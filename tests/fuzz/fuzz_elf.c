/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a shared object: what `weir plugin check` reads of a file before it is loaded. What is told of
 * it must lie in the file.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cli/plugin_elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_right)
{
    if (!is_right) {
        abort();
    }
}

/* NUL-terminated inside the bytes; the length is read, so that the sanitizer sees it too. */
static void check_text(const char *text, const uint8_t *data, size_t size)
{
    const uint8_t *at = (const uint8_t *)text;
    require(at >= data && at < data + size);
    require(memchr(at, 0, (size_t)(data + size - at)) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct plugin_elf elf = { .needed = NULL };
    const char *fault = NULL;
    arena_init(&arena, 0);
    if (plugin_elf_read(data, size, &arena, &elf, &fault)) {
        for (size_t i = 0; i < elf.needed_count; i++) {
            check_text(elf.needed[i], data, size);
        }
        for (size_t i = 0; i < elf.export_count; i++) {
            check_text(elf.exports[i], data, size);
        }
        if (elf.search_path != NULL) {
            check_text(elf.search_path, data, size);
        }
    } else {
        require(fault != NULL && fault[0] != 0);
    }
    arena_deinit(&arena);
    return 0;
}
