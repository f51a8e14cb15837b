/* SPDX-License-Identifier: MIT */
/*
 * The header of the PROXY protocol, version 2, which a proxy sends at the start of a connection. It names the client
 * whose certificate the proxy verified, in the TLVs that HAProxy's send-proxy-v2-ssl-cn writes. The parser only reads
 * bytes in memory and skips addresses, checksums and other TLVs. Called by session/proxied.c, and by connection_read.c
 * to recognise a header.
 */
#ifndef GF_FRONT_PROXY_HEADER_H
#define GF_FRONT_PROXY_HEADER_H

#include "protocol/base/error.h"

#define GF_PROXY_HEAD_SIZE 16u  /* up to and including the length of the rest */
#define GF_PROXY_MAX_SIZE 2048u /* of the whole header */
#define GF_PROXY_SIGNATURE_SIZE 12u

struct gf_proxy_header {
    bool local;       /* the proxy itself is the client */
    const char *name; /* otherwise the common name of the client's certificate, within the header and not
                       * null-terminated */
    size_t name_size; /* 0 if `local` */
};

/* Whether the first bytes of a connection, at least GF_PROXY_SIGNATURE_SIZE of them, begin a PROXY protocol header of
 * version 1 or 2. */
bool gf_proxy_header_begins(const uint8_t *data, size_t size);

/* The total size of the header, computed from the bytes received so far; at most GF_PROXY_HEAD_SIZE while the size is
 * unknown. BAD_FRAME as soon as the bytes cannot be a header, or if the header is longer than GF_PROXY_MAX_SIZE. */
enum gf_status gf_proxy_header_size(const uint8_t *data, size_t size, size_t *ret_size, struct gf_error *err);

/* Decodes a header of the size that gf_proxy_header_size returned. BAD_FRAME if it is malformed; NOT_PERMITTED if it
 * names no client with a verified certificate. The error text says what is wrong. */
enum gf_status gf_proxy_header_decode(const uint8_t *data, size_t size, struct gf_proxy_header *ret,
                                      struct gf_error *err);

#endif
