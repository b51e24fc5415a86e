/* SPDX-License-Identifier: MIT */
/*
 * An operator with an OpenSSL of its own inside, beside the one by which weir speaks to brokers. It adds the SHA-256
 * of each record's text, and holds a TLS context while it lives.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>
#include <weir/operator.h>
#include <weir/plugin.h>

enum { DIGEST_BYTES = 32 };

/* What another library finds under the name is not what this one has. */
static int is_apart(void)
{
    void *theirs = dlsym(RTLD_DEFAULT, "SSL_CTX_new");
    return theirs != NULL && theirs != (void *)SSL_CTX_new;
}

static weir_status create(const weir_host *host, const void *config, void **ret_self)
{
    (void)host;
    (void)config;
    *ret_self = SSL_CTX_new(TLS_client_method());
    return *ret_self != NULL && is_apart() ? WEIR_OK : WEIR_E_INTERNAL;
}

static void destroy(void *self)
{
    SSL_CTX_free(self);
}

static weir_value digest_of(weir_context *ctx, const weir_value *value)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char digest[DIGEST_BYTES];
    char *text = weir_alloc(ctx, 2 * DIGEST_BYTES);
    unsigned int size = 0;
    if (text == NULL ||
        EVP_Digest(value->as.text, value->len, digest, &size, EVP_sha256(), NULL) != 1) {
        return weir_null();
    }
    for (unsigned int i = 0; i < size; i++) {
        text[2 * i] = digits[digest[i] >> 4];
        text[2 * i + 1] = digits[digest[i] & 15];
    }
    return weir_text_value(text, 2 * size);
}

static weir_status process(void *self, weir_context *ctx, const weir_batch *in)
{
    weir_status st = WEIR_OK;
    (void)self;
    WEIR_EACH(ctx, in, entry) {
        if (st == WEIR_OK) {
            st = weir_emit_value(ctx, 0, entry, digest_of(ctx, &entry->record->value));
        }
    }
    return st;
}

static const weir_operator_vtable vtable = {
    .struct_size = sizeof vtable, .create = create, .destroy = destroy, .process = process
};
static const weir_factory factory = { .struct_size = sizeof factory,
                                      .kind = WEIR_KIND_OPERATOR,
                                      .name = "digest",
                                      .summary = "SHA-256 of a text",
                                      .vtable = &vtable };
static const weir_factory *const factories[] = { &factory, NULL };

WEIR_PLUGIN(.id = "org.example.digest", .name = "digest", .version = "1.0.0", .vendor = "Example",
            .license = "MIT", .url = "https://example.org", .summary = "For tests",
            .factories = factories);
