/* SPDX-License-Identifier: MIT */
/*
 * What can be told of a plugin's file before it is mapped. A constructor in a shared object runs
 * while it is being loaded, so trust is decided here: by who may write the file and its folder, and
 * by its hash where the pipeline pins one. The ELF header is read for the sake of a good message.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/evp.h>

#include "plugin/refusal.h"
#include "plugin/registry.h"

#if defined(__x86_64__)
enum { OWN_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { OWN_MACHINE = EM_AARCH64 };
#elif defined(__riscv)
enum { OWN_MACHINE = EM_RISCV };
#elif defined(__powerpc64__)
enum { OWN_MACHINE = EM_PPC64 };
#elif defined(__s390x__)
enum { OWN_MACHINE = EM_S390 };
#else
# error "name this processor's ELF machine here"
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { OWN_BYTE_ORDER = ELFDATA2LSB };
#else
enum { OWN_BYTE_ORDER = ELFDATA2MSB };
#endif

static bool is_trusted_owner(const struct stat *status)
{
    return status->st_uid == 0 || status->st_uid == geteuid();
}

static weir_status check_file_rights(const char *path, const struct stat *status,
                                     const char **ret_warning, struct error *error)
{
    if (!S_ISREG(status->st_mode)) {
        return refuse_file(error, path, "it is not a regular file", NULL);
    }
    if ((status->st_mode & S_IWOTH) != 0) {
        return refuse_file(error, path, "everybody may write to it",
                           "take that right away with chmod o-w");
    }
    if (!is_trusted_owner(status)) {
        return refuse_file(error, path, "it belongs neither to root nor to you",
                           "copy it to a folder of your own");
    }
    if ((status->st_mode & S_IWGRP) != 0) {
        *ret_warning = "it can be written by its group";
    }
    return WEIR_OK;
}

static weir_status check_folder_rights(const char *path, const struct stat *status,
                                       const char **ret_warning, struct error *error)
{
    if ((status->st_mode & S_IWOTH) != 0) {
        return refuse_file(error, path, "everybody may write to its folder",
                           "move it to a folder that only you may write to");
    }
    if (!is_trusted_owner(status)) {
        return refuse_file(error, path, "its folder belongs neither to root nor to you",
                           "move it to a folder of your own");
    }
    if ((status->st_mode & S_IWGRP) != 0 && *ret_warning == NULL) {
        *ret_warning = "its folder can be written by its group";
    }
    return WEIR_OK;
}

/* The folder of a path without "." and ".." parts, in place. */
static void cut_to_folder(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash != NULL) {
        slash[slash == path ? 1 : 0] = '\0';
    }
}

static weir_status check_folder(const char *path, char *real, const char **ret_warning,
                                struct error *error)
{
    struct stat status;
    cut_to_folder(real);
    if (stat(real, &status) != 0) {
        return error_from_errno(error, "look at the folder of plugin", path);
    }
    return check_folder_rights(path, &status, ret_warning, error);
}

static weir_status check_elf(const char *path, int fd, struct error *error)
{
    Elf64_Ehdr header = { 0 };
    ssize_t size = pread(fd, &header, sizeof header, 0);
    if (size < 0) {
        return error_from_errno(error, "read plugin", path);
    }
    if ((size_t)size < EI_NIDENT || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
        return refuse_file(error, path, "it is not an ELF file", "a plugin is a shared object");
    }
    if (header.e_ident[EI_CLASS] != ELFCLASS64) {
        return refuse_file(error, path, "it is not built for 64 bits", NULL);
    }
    if (header.e_ident[EI_DATA] != OWN_BYTE_ORDER) {
        return refuse_file(error, path, "it is built for another byte order", NULL);
    }
    if ((size_t)size < sizeof header) {
        return refuse_file(error, path, "the file is cut off", NULL);
    }
    if (header.e_machine != OWN_MACHINE) {
        return refuse_file(error, path, "it is built for another processor", NULL);
    }
    if (header.e_type != ET_DYN) {
        return refuse_file(error, path, "it is not a shared object", "link it with -shared");
    }
    return WEIR_OK;
}

static weir_status check_open_file(const char *path, int fd, const char **ret_warning,
                                   struct error *error)
{
    struct stat status;
    if (fstat(fd, &status) != 0) {
        return error_from_errno(error, "look at plugin", path);
    }
    weir_status st = check_file_rights(path, &status, ret_warning, error);
    return st == WEIR_OK ? check_elf(path, fd, error) : st;
}

weir_status plugin_check_file(const char *path, const char **ret_warning, struct error *error)
{
    char real[PATH_MAX];
    const char *warning = NULL;
    if (realpath(path, real) == NULL) {
        return error_from_errno(error, "find plugin", path);
    }
    int fd = open(real, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not hold us up */
    if (fd < 0) {
        return error_from_errno(error, "open plugin", path);
    }
    weir_status st = check_open_file(path, fd, &warning, error);
    close(fd);
    if (st == WEIR_OK) {
        st = check_folder(path, real, &warning, error);
    }
    if (st == WEIR_OK) {
        *ret_warning = warning;
    }
    return st;
}

/* ---- pinned hash ----------------------------------------------------------------------------- */

static bool hash_file(int fd, EVP_MD_CTX *hash)
{
    unsigned char block[16384];
    for (;;) {
        ssize_t size = read(fd, block, sizeof block);
        if (size < 0 && errno == EINTR) {
            continue;
        }
        if (size <= 0) {
            return size == 0;
        }
        if (EVP_DigestUpdate(hash, block, (size_t)size) != 1) {
            errno = ENOMEM;
            return false;
        }
    }
}

/* hex: 65 bytes. False with errno. */
static bool sha256_of(int fd, char *hex)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    EVP_MD_CTX *hash = EVP_MD_CTX_new();
    bool has_hash = hash != NULL && EVP_DigestInit_ex(hash, EVP_sha256(), NULL) == 1;
    if (!has_hash) {
        errno = ENOMEM;
    }
    bool is_done = has_hash && hash_file(fd, hash) && EVP_DigestFinal_ex(hash, digest, &size) == 1;
    EVP_MD_CTX_free(hash);
    for (unsigned i = 0; is_done && i < size && i < 32; i++) {
        hex[i * 2] = digits[digest[i] >> 4];
        hex[i * 2 + 1] = digits[digest[i] & 15];
    }
    hex[64] = '\0';
    return is_done;
}

weir_status plugin_check_sha256(const char *path, const char *sha256, struct error *error)
{
    char hex[65];
    if (strlen(sha256) != 64 || strspn(sha256, "0123456789abcdefABCDEF") != 64) {
        return refuse_file(error, path, "its sha256 must be 64 hex digits", "sha256sum prints it");
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return error_from_errno(error, "open plugin", path);
    }
    bool is_read = sha256_of(fd, hex);
    weir_status st = is_read ? WEIR_OK : error_from_errno(error, "read plugin", path);
    close(fd);
    if (st == WEIR_OK && strcasecmp(hex, sha256) != 0) {
        st = refuse(error, "could not load plugin '%s': its sha256 is %s, not %s", path, hex,
                    sha256);
    }
    return st;
}
