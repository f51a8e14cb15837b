/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: the first bytes of a proxy's connection. They arrive one by one and at once, with the same outcome. An
 * accepted header names a client by bytes of the header itself, or stands for the proxy. No read leaves the header.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "server/front/base/proxy_header.h"
#include "server/front/base/users.h"

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* The size of the header by its first `n` bytes, read from an exact copy; 0 if they are not a header. */
static size_t size_of(const uint8_t *data, size_t n)
{
    struct gf_error err = {0};
    size_t size = 0;
    uint8_t *copy = malloc(n + 1);
    must(copy != NULL);
    memcpy(copy + 1, data, n);
    enum gf_status status = gf_proxy_header_size(copy + 1, n, &size, &err);
    must(status == GF_OK ? err.status == GF_OK : status == GF_E_BAD_FRAME && err.text[0] != '\0');
    must(status != GF_OK || (size >= GF_PROXY_HEAD_SIZE && size <= GF_PROXY_MAX_SIZE));
    free(copy);
    return status == GF_OK ? size : 0;
}

static void take(const uint8_t *data, size_t size)
{
    static struct gf_users users;
    struct gf_proxy_header header;
    struct gf_error err = {0};
    enum gf_status status = gf_proxy_header_decode(data, size, &header, &err);
    if (status != GF_OK) {
        must((status == GF_E_BAD_FRAME || status == GF_E_NOT_PERMITTED) && err.status == status && err.text[0] != '\0');
        return;
    }
    must(header.local == (header.name_size == 0));
    if (header.local)
        return;
    const uint8_t *name = (const uint8_t *)header.name;
    must(name > data + GF_PROXY_HEAD_SIZE && header.name_size <= (size_t)(data + size - name));
    gf_user_id user, forgotten;
    if (gf_user_named(&users, header.name, header.name_size, &user, &forgotten, &err) != GF_OK)
        return;
    char text[GF_USER_TEXT];
    gf_user_text(&users, user, text);
    must(memcmp(text + 3, header.name, header.name_size) == 0 && text[3 + header.name_size] == '\0');
    gf_user_unref(&users, user);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t told = GF_PROXY_HEAD_SIZE;
    size_t n = 0;
    while (told > 0 && n < told && n < size)
        told = size_of(data, ++n);
    if (told == 0) {
        struct gf_proxy_header header;
        struct gf_error err;
        must(gf_proxy_header_decode(data, size, &header, &err) == GF_E_BAD_FRAME);
        return 0;
    }
    uint8_t *copy = malloc(n + 1);
    must(copy != NULL);
    memcpy(copy + 1, data, n);
    take(copy + 1, n);
    free(copy);
    return 0;
}
