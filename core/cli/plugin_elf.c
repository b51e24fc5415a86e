/* SPDX-License-Identifier: MIT */
/*
 * Program headers give the dynamic section, that gives strings and symbols, and a hash table tells how
 * many symbols there are. Sections are not used: a stripped file has none.
 */
#include "cli/plugin_elf.h"

#include <elf.h>
#include <string.h>

enum { MAX_SEGMENTS = 256, MAX_DYNAMIC = 4096, MAX_SYMBOLS = 1 << 20 };

struct reader {
    const unsigned char *bytes;
    size_t size;
    Elf64_Phdr segments[MAX_SEGMENTS];
    size_t segment_count;
    Elf64_Dyn dynamic[MAX_DYNAMIC];
    size_t dynamic_count;
    const char *strings;
    size_t strings_size;
    const char *fault;
};

static bool fail(struct reader *reader, const char *fault)
{
    reader->fault = fault;
    return false;
}

/* Copies what lies at an offset of the file. */
static bool take(struct reader *reader, uint64_t offset, void *ret, size_t size)
{
    if (offset > reader->size || size > reader->size - offset) {
        return fail(reader, "the file is cut off");
    }
    memcpy(ret, reader->bytes + offset, size);
    return true;
}

/* The offset of what is mapped at an address. */
static bool find_address(struct reader *reader, uint64_t address, uint64_t *ret_offset)
{
    for (size_t i = 0; i < reader->segment_count; i++) {
        const Elf64_Phdr *segment = &reader->segments[i];
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
            address - segment->p_vaddr < segment->p_filesz && segment->p_offset <= reader->size) {
            *ret_offset = segment->p_offset + (address - segment->p_vaddr);
            return true;
        }
    }
    return fail(reader, "an address in it lies outside of what is loaded");
}

static bool read_segments(struct reader *reader)
{
    Elf64_Ehdr header;
    size_t known = reader->size < SELFMAG ? reader->size : SELFMAG;
    if (reader->size == 0) {
        return fail(reader, "the file is empty");
    }
    if (memcmp(reader->bytes, ELFMAG, known) != 0) {
        return fail(reader, "it is not an ELF file");
    }
    if (!take(reader, 0, &header, sizeof header)) {
        return false;
    }
    if (header.e_ident[EI_CLASS] != ELFCLASS64) {
        return fail(reader, "it is an ELF file, but not one of 64 bits");
    }
    if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum > MAX_SEGMENTS) {
        return fail(reader, "its program headers have an unknown form");
    }
    reader->segment_count = header.e_phnum;
    return take(reader, header.e_phoff, reader->segments,
                reader->segment_count * sizeof(Elf64_Phdr));
}

static const Elf64_Phdr *find_segment(const struct reader *reader, uint32_t type)
{
    for (size_t i = 0; i < reader->segment_count; i++) {
        if (reader->segments[i].p_type == type) {
            return &reader->segments[i];
        }
    }
    return NULL;
}

static bool read_dynamic(struct reader *reader)
{
    const Elf64_Phdr *segment = find_segment(reader, PT_DYNAMIC);
    if (segment == NULL) {
        return fail(reader, "it has no dynamic section");
    }
    size_t count = segment->p_filesz / sizeof(Elf64_Dyn);
    reader->dynamic_count = count < MAX_DYNAMIC ? count : MAX_DYNAMIC;
    return take(reader, segment->p_offset, reader->dynamic,
                reader->dynamic_count * sizeof(Elf64_Dyn));
}

/* The value of the first entry with this tag, from an index on. */
static const Elf64_Dyn *find_dynamic(const struct reader *reader, int64_t tag, size_t from)
{
    for (size_t i = from; i < reader->dynamic_count && reader->dynamic[i].d_tag != DT_NULL; i++) {
        if (reader->dynamic[i].d_tag == tag) {
            return &reader->dynamic[i];
        }
    }
    return NULL;
}

static uint64_t dynamic_value(const struct reader *reader, int64_t tag)
{
    const Elf64_Dyn *entry = find_dynamic(reader, tag, 0);
    return entry != NULL ? entry->d_un.d_val : 0;
}

static bool read_strings(struct reader *reader)
{
    uint64_t offset;
    uint64_t size = dynamic_value(reader, DT_STRSZ);
    if (!find_address(reader, dynamic_value(reader, DT_STRTAB), &offset)) {
        return false;
    }
    if (offset > reader->size || size > reader->size - offset || size == 0) {
        return fail(reader, "its names lie outside of the file");
    }
    reader->strings = (const char *)reader->bytes + offset;
    reader->strings_size = (size_t)size;
    return reader->strings[size - 1] == '\0' || fail(reader, "its names are not ended");
}

/* Strings are ended, so the name is too. */
static bool read_name(struct reader *reader, uint64_t at, const char **ret_name)
{
    if (at >= reader->strings_size) {
        return fail(reader, "a name in it lies outside of its names");
    }
    *ret_name = reader->strings + at;
    return true;
}

static bool read_needed(struct reader *reader, struct arena *arena, struct plugin_elf *elf)
{
    elf->needed = arena_alloc(arena, (reader->dynamic_count + 1) * sizeof *elf->needed);
    if (elf->needed == NULL) {
        return fail(reader, "out of memory");
    }
    const Elf64_Dyn *entry = find_dynamic(reader, DT_NEEDED, 0);
    while (entry != NULL) {
        if (!read_name(reader, entry->d_un.d_val, &elf->needed[elf->needed_count++])) {
            return false;
        }
        entry = find_dynamic(reader, DT_NEEDED, (size_t)(entry - reader->dynamic) + 1);
    }
    return true;
}

/* ---- symbols ---------------------------------------------------------------------------------- */

/* The GNU hash table holds the symbols from `first` on, in chains whose last has its lowest bit set: the
 * last of all ends the chain of the highest bucket. */
static bool count_by_gnu_hash(struct reader *reader, uint64_t at, uint32_t *ret_count)
{
    uint32_t head[4]; /* buckets, first symbol, words of the filter, shift */
    if (!take(reader, at, head, sizeof head)) {
        return false;
    }
    uint64_t buckets = at + sizeof head + (uint64_t)head[2] * 8;
    uint32_t last = 0;
    for (uint32_t i = 0; i < head[0]; i++) {
        uint32_t bucket;
        if (!take(reader, buckets + (uint64_t)i * 4, &bucket, sizeof bucket)) {
            return false;
        }
        last = bucket > last ? bucket : last;
    }
    *ret_count = head[1];
    if (last < head[1]) {
        return true;
    }
    uint32_t link = 0;
    for (; (link & 1) == 0; last++) {
        uint64_t chain = buckets + (uint64_t)head[0] * 4 + (uint64_t)(last - head[1]) * 4;
        if (!take(reader, chain, &link, sizeof link)) {
            return false;
        }
    }
    *ret_count = last;
    return true;
}

static bool count_symbols(struct reader *reader, uint32_t *ret_count)
{
    uint64_t at;
    uint32_t head[2]; /* buckets, symbols */
    const Elf64_Dyn *gnu = find_dynamic(reader, DT_GNU_HASH, 0);
    const Elf64_Dyn *old = find_dynamic(reader, DT_HASH, 0);
    if (gnu != NULL) {
        return find_address(reader, gnu->d_un.d_ptr, &at) &&
               count_by_gnu_hash(reader, at, ret_count);
    }
    if (old == NULL) {
        return fail(reader, "it has no hash table of its symbols");
    }
    if (!find_address(reader, old->d_un.d_ptr, &at) || !take(reader, at, head, sizeof head)) {
        return false;
    }
    *ret_count = head[1];
    return true;
}

static bool is_export(const Elf64_Sym *symbol)
{
    unsigned binding = ELF64_ST_BIND(symbol->st_info);
    unsigned visibility = ELF64_ST_VISIBILITY(symbol->st_other);
    bool is_global = binding == STB_GLOBAL || binding == STB_WEAK || binding == STB_GNU_UNIQUE;
    return is_global && symbol->st_shndx != SHN_UNDEF &&
           (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

static bool read_exports(struct reader *reader, struct arena *arena, struct plugin_elf *elf)
{
    uint64_t table;
    uint32_t count;
    if (!count_symbols(reader, &count) ||
        !find_address(reader, dynamic_value(reader, DT_SYMTAB), &table)) {
        return false;
    }
    if (count > MAX_SYMBOLS || count > reader->size / sizeof(Elf64_Sym)) {
        return fail(reader, "it has more symbols than the file has room for");
    }
    elf->exports = arena_alloc(arena, ((size_t)count + 1) * sizeof *elf->exports);
    if (elf->exports == NULL) {
        return fail(reader, "out of memory");
    }
    for (uint32_t i = 0; i < count; i++) {
        Elf64_Sym symbol;
        if (!take(reader, table + (uint64_t)i * sizeof symbol, &symbol, sizeof symbol)) {
            return false;
        }
        if (is_export(&symbol) &&
            !read_name(reader, symbol.st_name, &elf->exports[elf->export_count++])) {
            return false;
        }
    }
    return true;
}

/* ---- the whole -------------------------------------------------------------------------------- */

static bool read_search_path(struct reader *reader, struct plugin_elf *elf)
{
    const Elf64_Dyn *path = find_dynamic(reader, DT_RUNPATH, 0);
    path = path != NULL ? path : find_dynamic(reader, DT_RPATH, 0);
    return path == NULL || read_name(reader, path->d_un.d_val, &elf->search_path);
}

static void read_flags(const struct reader *reader, struct plugin_elf *elf)
{
    uint64_t flags = dynamic_value(reader, DT_FLAGS);
    uint64_t flags_1 = dynamic_value(reader, DT_FLAGS_1);
    const Elf64_Phdr *stack = find_segment(reader, PT_GNU_STACK);
    elf->has_nodelete = (flags_1 & DF_1_NODELETE) != 0;
    elf->is_bound_now = (flags & DF_BIND_NOW) != 0 || (flags_1 & DF_1_NOW) != 0 ||
                        find_dynamic(reader, DT_BIND_NOW, 0) != NULL;
    elf->has_text_relocations =
        (flags & DF_TEXTREL) != 0 || find_dynamic(reader, DT_TEXTREL, 0) != NULL;
    elf->has_executable_stack = stack == NULL || (stack->p_flags & PF_X) != 0;
    elf->has_relro = find_segment(reader, PT_GNU_RELRO) != NULL;
}

bool plugin_elf_read(const void *bytes, size_t size, struct arena *arena, struct plugin_elf *elf,
                     const char **ret_fault)
{
    *elf = (struct plugin_elf){ 0 };
    *ret_fault = "out of memory";
    struct reader *reader = arena_zeroed(arena, sizeof *reader);
    if (reader == NULL) {
        return false;
    }
    reader->bytes = bytes;
    reader->size = size;
    bool is_read = read_segments(reader) && read_dynamic(reader) && read_strings(reader) &&
                   read_needed(reader, arena, elf) && read_exports(reader, arena, elf) &&
                   read_search_path(reader, elf);
    if (is_read) {
        read_flags(reader, elf);
    }
    *ret_fault = reader->fault;
    return is_read;
}
