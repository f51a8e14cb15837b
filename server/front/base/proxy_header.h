/* SPDX-License-Identifier: MIT */
/*
 * The header of the PROXY protocol, version 2, with which a proxy begins a connection: whose certificate it has
 * checked, in the TLVs that HAProxy's send-proxy-v2-ssl-cn writes. Reads bytes in memory, nothing else; addresses,
 * checksums and TLVs of other types are passed over. Called by session/proxied.c, and by connection_read.c to recognise
 * one.
 */
#ifndef GF_FRONT_PROXY_HEADER_H
#define GF_FRONT_PROXY_HEADER_H

#include "protocol/base/error.h"

#define GF_PROXY_HEAD_SIZE 16u  /* up to the length of the rest */
#define GF_PROXY_MAX_SIZE 2048u /* of the header as a whole */
#define GF_PROXY_SIGNATURE_SIZE 12u

struct gf_proxy_header {
    bool local;       /* the proxy speaks for itself */
    const char *name; /* else the common name of the client's certificate: in the header's bytes, not ended by a null */
    size_t name_size; /* 0 where `local` */
};

/* Whether these first bytes of a connection, GF_PROXY_SIGNATURE_SIZE or more, begin a PROXY protocol header of version
 * 1 or 2. */
bool gf_proxy_header_begins(const uint8_t *data, size_t size);

/* How many bytes the header has in all, from as many of them as are there; up to GF_PROXY_HEAD_SIZE while that is not
 * known. BAD_FRAME as soon as they cannot be a header, or for one that is longer than GF_PROXY_MAX_SIZE. */
enum gf_status gf_proxy_header_size(const uint8_t *data, size_t size, size_t *ret_size, struct gf_error *err);

/* Reads a header of the size that gf_proxy_header_size tells. BAD_FRAME where it is malformed, NOT_PERMITTED where it
 * names no client whose certificate was verified; the text says what is wrong. */
enum gf_status gf_proxy_header_decode(const uint8_t *data, size_t size, struct gf_proxy_header *ret,
                                      struct gf_error *err);

#endif
