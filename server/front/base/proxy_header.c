/* SPDX-License-Identifier: MIT */
/* PROXY protocol, version 2; see proxy_header.h. Numbers are big-endian. */
#include "proxy_header.h"

#include <string.h>

#define V1_BEGIN "PROXY "
#define TLV_HEAD 3u /* type, and a length of two bytes */
#define SSL_HEAD 5u /* flags, and the result of the verification in four bytes */

enum { COMMAND_LOCAL = 0, COMMAND_PROXY = 1 };
enum { TYPE_SSL = 0x20, TYPE_SSL_CN = 0x22 }; /* a TYPE_SSL_CN lies inside a TYPE_SSL */
enum { OVER_SSL = 1, CERT_NOW = 2, CERT_IN_SESSION = 4 };

static const uint8_t g_signature[GF_PROXY_SIGNATURE_SIZE] = "\r\n\r\n\0\r\nQUIT\n";

/* Size of the addresses by family: none, IPv4, IPv6, Unix. */
static const uint32_t g_addresses[] = {0, 12, 36, 216};

struct bytes {
    const uint8_t *at;
    size_t size;
};

static uint32_t load_u16(const uint8_t *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t load_u32(const uint8_t *p)
{
    return load_u16(p) << 16 | load_u16(p + 2);
}

static bool begins_with(const uint8_t *data, size_t size, const void *what, size_t length)
{
    return memcmp(data, what, size < length ? size : length) == 0;
}

bool gf_proxy_header_begins(const uint8_t *data, size_t size)
{
    return size >= GF_PROXY_SIGNATURE_SIZE && (begins_with(data, size, g_signature, sizeof(g_signature)) ||
                                               begins_with(data, size, V1_BEGIN, strlen(V1_BEGIN)));
}

enum gf_status gf_proxy_header_size(const uint8_t *data, size_t size, size_t *ret_size, struct gf_error *err)
{
    *ret_size = GF_PROXY_HEAD_SIZE;
    if (size > 0 && begins_with(data, size, V1_BEGIN, strlen(V1_BEGIN)))
        return gf_error_set(err, GF_E_BAD_FRAME,
                            "a PROXY protocol header of version 1; must be version 2 with the certificate's name "
                            "(send-proxy-v2-ssl-cn)");
    if (!begins_with(data, size, g_signature, sizeof(g_signature)))
        return gf_error_set(err, GF_E_BAD_FRAME, "the connection does not begin with a PROXY protocol header");
    if (size < GF_PROXY_HEAD_SIZE)
        return GF_OK;
    *ret_size += load_u16(data + 14);
    if (*ret_size > GF_PROXY_MAX_SIZE)
        return gf_error_set(err, GF_E_BAD_FRAME, "a PROXY protocol header of %zu bytes; allowed: up to %u", *ret_size,
                            GF_PROXY_MAX_SIZE);
    return GF_OK;
}

static enum gf_status fail(struct gf_error *err, const char *what)
{
    return gf_error_set(err, GF_E_BAD_FRAME, "malformed PROXY protocol header: %s", what);
}

static enum gf_status refuse(struct gf_error *err, const char *what)
{
    return gf_error_set(err, GF_E_NOT_PERMITTED, "the PROXY protocol header %s", what);
}

/* Finds the only TLV of a type; ret->at is NULL if there is none. BAD_FRAME if a TLV extends past its container or the
 * type appears twice. */
static enum gf_status find(struct bytes in, uint8_t type, struct bytes *ret, struct gf_error *err)
{
    *ret = (struct bytes){NULL, 0};
    while (in.size > 0) {
        if (in.size < TLV_HEAD || load_u16(in.at + 1) > in.size - TLV_HEAD)
            return gf_error_set(err, GF_E_BAD_FRAME,
                                "malformed PROXY protocol header: TLV 0x%02x extends past its container", in.at[0]);
        struct bytes value = {in.at + TLV_HEAD, load_u16(in.at + 1)};
        if (in.at[0] == type && ret->at)
            return gf_error_set(err, GF_E_BAD_FRAME, "malformed PROXY protocol header: TLV 0x%02x appears twice", type);
        if (in.at[0] == type)
            *ret = value;
        in = (struct bytes){value.at + value.size, in.size - TLV_HEAD - value.size};
    }
    return GF_OK;
}

/* Takes the common name from the TLV about TLS. */
static enum gf_status decode_tlvs(struct bytes tlvs, struct gf_proxy_header *ret, struct gf_error *err)
{
    struct bytes ssl, name;
    enum gf_status status = find(tlvs, TYPE_SSL, &ssl, err);
    if (status != GF_OK)
        return status;
    if (!ssl.at)
        return refuse(err, "does not describe a TLS connection (no TLV 0x20); the proxy needs send-proxy-v2-ssl-cn");
    if (ssl.size < SSL_HEAD)
        return fail(err, "TLV 0x20 is too short");
    uint32_t verify = load_u32(ssl.at + 1);
    status = find((struct bytes){ssl.at + SSL_HEAD, ssl.size - SSL_HEAD}, TYPE_SSL_CN, &name, err);
    if (status != GF_OK)
        return status;
    if (!(ssl.at[0] & OVER_SSL))
        return refuse(err, "describes a client without TLS");
    if (!(ssl.at[0] & (CERT_NOW | CERT_IN_SESSION)))
        return refuse(err, "describes a client without a certificate; the proxy needs verify required");
    if (verify != 0)
        return gf_error_set(err, GF_E_NOT_PERMITTED,
                            "the PROXY protocol header describes a certificate that failed verification: error %u",
                            verify);
    if (!name.at || name.size == 0)
        return refuse(err, "has no common name (TLV 0x22); the proxy needs send-proxy-v2-ssl-cn");
    ret->name = (const char *)name.at;
    ret->name_size = name.size;
    return GF_OK;
}

enum gf_status gf_proxy_header_decode(const uint8_t *data, size_t size, struct gf_proxy_header *ret,
                                      struct gf_error *err)
{
    *ret = (struct gf_proxy_header){.name = NULL};
    size_t needed;
    enum gf_status status = gf_proxy_header_size(data, size, &needed, err);
    if (status != GF_OK)
        return status;
    if (size != needed)
        return fail(err, "it is incomplete");
    uint32_t version = data[12] >> 4, command = data[12] & 15, family = data[13] >> 4, transport = data[13] & 15;
    if (version != 2)
        return gf_error_set(err, GF_E_BAD_FRAME, "a PROXY protocol header of version %u; must be version 2", version);
    if (command == COMMAND_LOCAL) {
        ret->local = true; /* ignore the remaining bytes */
        return GF_OK;
    }
    if (command != COMMAND_PROXY)
        return gf_error_set(err, GF_E_BAD_FRAME, "malformed PROXY protocol header: command %u; allowed: 0 and 1",
                            command);
    if (family >= GF_ARRAY_LEN(g_addresses) || transport > 2)
        return gf_error_set(err, GF_E_BAD_FRAME,
                            "malformed PROXY protocol header: family and transport 0x%02x; allowed: 0..3 and 0..2",
                            data[13]);
    size_t rest = size - GF_PROXY_HEAD_SIZE;
    if (rest < g_addresses[family])
        return fail(err, "its addresses are truncated");
    const uint8_t *tlvs = data + GF_PROXY_HEAD_SIZE + g_addresses[family];
    return decode_tlvs((struct bytes){tlvs, rest - g_addresses[family]}, ret, err);
}
