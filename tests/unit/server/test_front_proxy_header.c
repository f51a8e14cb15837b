/* SPDX-License-Identifier: MIT */
/* Headers of the PROXY protocol, whole and malformed in every way that its fields allow. */
#include "server/front/base/proxy_header.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

/* A header under construction. The parser gets exact copies of it, so that a sanitizer detects reads past the end. */
static struct {
    uint8_t data[70000];
    size_t size;
} h;

static void put(const void *data, size_t size)
{
    memcpy(h.data + h.size, data, size);
    h.size += size;
}

static void put_u16(size_t at, size_t value)
{
    h.data[at] = (uint8_t)(value >> 8);
    h.data[at + 1] = (uint8_t)value;
}

/* The first bytes; the length is set by end(). */
static void begin(uint8_t version_command, uint8_t family)
{
    static const uint8_t zeros[216];
    static const size_t addresses[] = {0, 12, 36, 216};
    h.size = 0;
    put("\r\n\r\n\0\r\nQUIT\n", 12);
    put((uint8_t[]){version_command, family, 0, 0}, 4);
    if (family >> 4 < 4)
        put(zeros, addresses[family >> 4]);
}

static size_t begin_tlv(uint8_t type)
{
    put((uint8_t[]){type, 0, 0}, 3);
    return h.size;
}

static void end_tlv(size_t at)
{
    put_u16(at - 2, h.size - at);
}

static void put_tlv(uint8_t type, const char *text)
{
    size_t at = begin_tlv(type);
    put(text, strlen(text));
    end_tlv(at);
}

/* The TLVs that HAProxy writes for a client: version, name, cipher. */
static void put_ssl(uint8_t client, uint32_t verify, const char *name)
{
    size_t at = begin_tlv(0x20);
    put((uint8_t[]){client, (uint8_t)(verify >> 24), (uint8_t)(verify >> 16), (uint8_t)(verify >> 8), (uint8_t)verify},
        5);
    put_tlv(0x21, "TLSv1.3");
    if (name)
        put_tlv(0x22, name);
    put_tlv(0x23, "TLS_AES_256_GCM_SHA384");
    end_tlv(at);
}

static void end(void)
{
    put_u16(14, h.size - 16);
}

/* Decodes a copy of just so many bytes. */
static enum gf_status decode(size_t size, struct gf_proxy_header *ret, char name[256], struct gf_error *err)
{
    uint8_t *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, h.data, size);
    enum gf_status status = gf_proxy_header_decode(copy, size, ret, err);
    if (status == GF_OK && ret->name_size > 0) {
        assert_true(ret->name_size < 256);
        memcpy(name, ret->name, ret->name_size);
    }
    free(copy);
    return status;
}

static void check_name(const char *expected)
{
    struct gf_proxy_header got;
    struct gf_error err = {0};
    char name[256] = "";
    end();
    assert_int_equal(decode(h.size, &got, name, &err), GF_OK);
    assert_false(got.local);
    assert_string_equal(name, expected);
}

static void check_refused(enum gf_status expected, const char *text)
{
    struct gf_proxy_header got;
    struct gf_error err = {0};
    char name[256];
    assert_int_equal(decode(h.size, &got, name, &err), expected);
    assert_string_equal(err.text, text);
}

static void the_name_is_found_for_every_family(void **state)
{
    UNUSED(state);
    static const uint8_t families[] = {0x00, 0x11, 0x12, 0x21, 0x22, 0x31, 0x32};
    for (size_t i = 0; i < sizeof(families); i++) {
        begin(0x21, families[i]);
        put_tlv(0x02, "node1"); /* an authority */
        put_tlv(0x04, "");
        put_ssl(7, 0, "alice");
        put_tlv(0xea, "whatever");
        check_name("alice");
    }
    for (uint8_t client = 3; client <= 5; client = (uint8_t)(client + 2)) { /* certificate now, or of the session */
        begin(0x21, 0x11);
        put_ssl(client, 0, "bob");
        check_name("bob");
    }
}

static void a_local_one_names_nobody(void **state)
{
    UNUSED(state);
    struct gf_proxy_header got;
    struct gf_error err = {0};
    char name[256];
    for (uint8_t family = 0; family < 255; family++) { /* which is to be passed over, as is all that follows */
        begin(0x20, family);
        put("\x20\xff\xff no TLV", 10);
        end();
        assert_int_equal(decode(h.size, &got, name, &err), GF_OK);
        assert_true(got.local);
        assert_int_equal(got.name_size, 0);
    }
}

static void the_head_tells_the_size(void **state)
{
    UNUSED(state);
    size_t size = 0;
    struct gf_error err = {0};
    begin(0x21, 0x11);
    put_ssl(7, 0, "alice");
    end();
    for (size_t n = 0; n <= h.size; n++) {
        assert_int_equal(gf_proxy_header_size(h.data, n, &size, &err), GF_OK);
        assert_int_equal(size, n < GF_PROXY_HEAD_SIZE ? GF_PROXY_HEAD_SIZE : h.size);
        assert_int_equal(gf_proxy_header_begins(h.data, n), n >= 12);
    }
    put_u16(14, GF_PROXY_MAX_SIZE - 16);
    assert_int_equal(gf_proxy_header_size(h.data, 16, &size, &err), GF_OK);
    assert_int_equal(size, GF_PROXY_MAX_SIZE);
    put_u16(14, GF_PROXY_MAX_SIZE - 15);
    assert_int_equal(gf_proxy_header_size(h.data, 16, &size, &err), GF_E_BAD_FRAME);
    assert_string_equal(err.text, "a PROXY protocol header of 2049 bytes; allowed: up to 2048");
    put_u16(14, 65535);
    assert_int_equal(gf_proxy_header_size(h.data, 16, &size, &err), GF_E_BAD_FRAME);
}

static void what_is_no_header_is_known_at_its_first_wrong_byte(void **state)
{
    UNUSED(state);
    size_t size;
    struct gf_error err = {0};
    begin(0x21, 0x11);
    for (size_t i = 0; i < 12; i++) {
        h.data[i] ^= 1;
        for (size_t n = i + 1; n <= 16; n++)
            assert_int_equal(gf_proxy_header_size(h.data, n, &size, &err), GF_E_BAD_FRAME);
        assert_string_equal(err.text, "the connection does not begin with a PROXY protocol header");
        assert_false(gf_proxy_header_begins(h.data, 16));
        h.data[i] ^= 1;
    }
    static const uint8_t v1[] = "PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n";
    assert_int_equal(gf_proxy_header_size(v1, 12, &size, &err), GF_E_BAD_FRAME);
    assert_string_equal(err.text, "a PROXY protocol header of version 1; must be version 2 with the certificate's "
                                  "name (send-proxy-v2-ssl-cn)");
    assert_true(gf_proxy_header_begins(v1, 12));
    assert_false(gf_proxy_header_begins((const uint8_t *)"GFPW\1\0\1\0\0\0\0\0", 12));
}

static void version_command_and_family(void **state)
{
    UNUSED(state);
    for (uint32_t v = 0; v < 16; v++) {
        char text[96];
        if (v == 2)
            continue;
        begin((uint8_t)(v << 4 | 1), 0x11);
        put_ssl(7, 0, "alice");
        end();
        snprintf(text, sizeof(text), "a PROXY protocol header of version %u; must be version 2", v);
        check_refused(GF_E_BAD_FRAME, text);
    }
    for (uint32_t command = 2; command < 16; command++) {
        char text[96];
        begin((uint8_t)(0x20 | command), 0x11);
        put_ssl(7, 0, "alice");
        end();
        snprintf(text, sizeof(text), "malformed PROXY protocol header: command %u; allowed: 0 and 1", command);
        check_refused(GF_E_BAD_FRAME, text);
    }
    for (uint32_t family = 0; family < 256; family++) {
        char text[96];
        if (family >> 4 < 4 && (family & 15) < 3)
            continue;
        begin(0x21, (uint8_t)family);
        put_ssl(7, 0, "alice");
        end();
        snprintf(text, sizeof(text),
                 "malformed PROXY protocol header: family and transport 0x%02x; allowed: 0..3 and 0..2", family);
        check_refused(GF_E_BAD_FRAME, text);
    }
    for (uint8_t family = 1; family < 4; family++) {
        begin(0x21, (uint8_t)(family << 4 | 1));
        h.size--;
        end();
        check_refused(GF_E_BAD_FRAME, "malformed PROXY protocol header: its addresses are truncated");
    }
}

static void lengths_that_lie(void **state)
{
    UNUSED(state);
    begin(0x21, 0x11);
    put_ssl(7, 0, "alice");
    end();
    size_t whole = h.size;
    for (h.size = 16; h.size < whole; h.size++) /* less than the head says */
        check_refused(GF_E_BAD_FRAME, "malformed PROXY protocol header: it is incomplete");
    put("x", 1);
    h.size++; /* and more */
    check_refused(GF_E_BAD_FRAME, "malformed PROXY protocol header: it is incomplete");
    for (size_t cut = 1; cut < whole - 28; cut++) { /* the head agrees, the TLV does not */
        h.size = whole - cut;
        end();
        check_refused(GF_E_BAD_FRAME, "malformed PROXY protocol header: TLV 0x20 extends past its container");
    }
    begin(0x21, 0x11);
    put_ssl(7, 0, "alice");
    put("\x04", 1); /* a TLV of one byte, and of two */
    end();
    check_refused(GF_E_BAD_FRAME, "malformed PROXY protocol header: TLV 0x04 extends past its container");
    put("\0", 1);
    end();
    check_refused(GF_E_BAD_FRAME, "malformed PROXY protocol header: TLV 0x04 extends past its container");
}

static void tlvs_inside_the_tlv(void **state)
{
    UNUSED(state);
    for (uint8_t size = 0; size < 5; size++) {
        begin(0x21, 0x11);
        size_t at = begin_tlv(0x20);
        put("\7\0\0\0\0", size);
        end_tlv(at);
        end();
        check_refused(GF_E_BAD_FRAME, "malformed PROXY protocol header: TLV 0x20 is too short");
    }
    begin(0x21, 0x11); /* a name that ends after its TLV but inside the header */
    size_t at = begin_tlv(0x20);
    put("\7\0\0\0\0", 5);
    size_t name = begin_tlv(0x22);
    put("alice", 5);
    end_tlv(at);
    put_u16(name - 2, 9);
    put_tlv(0x04, "padding");
    end();
    check_refused(GF_E_BAD_FRAME, "malformed PROXY protocol header: TLV 0x22 extends past its container");
    begin(0x21, 0x11); /* a rest that is no TLV */
    at = begin_tlv(0x20);
    put("\7\0\0\0\0", 5);
    put_tlv(0x22, "alice");
    put("\x21\0", 2);
    end_tlv(at);
    end();
    check_refused(GF_E_BAD_FRAME, "malformed PROXY protocol header: TLV 0x21 extends past its container");
}

static void twice_is_once_too_often(void **state)
{
    UNUSED(state);
    begin(0x21, 0x11);
    put_ssl(7, 0, "alice");
    put_ssl(7, 0, "alice");
    end();
    check_refused(GF_E_BAD_FRAME, "malformed PROXY protocol header: TLV 0x20 appears twice");
    begin(0x21, 0x11);
    size_t at = begin_tlv(0x20);
    put("\7\0\0\0\0", 5);
    put_tlv(0x22, "");
    put_tlv(0x22, "alice");
    end_tlv(at);
    end();
    check_refused(GF_E_BAD_FRAME, "malformed PROXY protocol header: TLV 0x22 appears twice");
}

static void who_is_not_verified_has_no_name(void **state)
{
    UNUSED(state);
    begin(0x21, 0x11);
    put_tlv(0x22, "alice"); /* a name outside of what is said of TLS */
    end();
    check_refused(GF_E_NOT_PERMITTED,
                  "the PROXY protocol header does not describe a TLS connection (no TLV 0x20); the proxy needs "
                  "send-proxy-v2-ssl-cn");
    begin(0x21, 0x11);
    put_ssl(6, 0, "alice");
    end();
    check_refused(GF_E_NOT_PERMITTED, "the PROXY protocol header describes a client without TLS");
    begin(0x21, 0x11);
    put_ssl(1, 0, "alice");
    end();
    check_refused(GF_E_NOT_PERMITTED,
                  "the PROXY protocol header describes a client without a certificate; the proxy needs "
                  "verify required");
    for (uint32_t bit = 0; bit < 32; bit++) {
        char text[120];
        begin(0x21, 0x11);
        put_ssl(7, 1u << bit, "alice");
        end();
        snprintf(text, sizeof(text),
                 "the PROXY protocol header describes a certificate that failed verification: error %u", 1u << bit);
        check_refused(GF_E_NOT_PERMITTED, text);
    }
    static const char *const names[] = {NULL, ""};
    for (size_t i = 0; i < 2; i++) {
        begin(0x21, 0x11);
        put_ssl(7, 0, names[i]);
        end();
        check_refused(GF_E_NOT_PERMITTED, "the PROXY protocol header has no common name (TLV 0x22); the proxy needs "
                                          "send-proxy-v2-ssl-cn");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_name_is_found_for_every_family),
        cmocka_unit_test(a_local_one_names_nobody),
        cmocka_unit_test(the_head_tells_the_size),
        cmocka_unit_test(what_is_no_header_is_known_at_its_first_wrong_byte),
        cmocka_unit_test(version_command_and_family),
        cmocka_unit_test(lengths_that_lie),
        cmocka_unit_test(tlvs_inside_the_tlv),
        cmocka_unit_test(twice_is_once_too_often),
        cmocka_unit_test(who_is_not_verified_has_no_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
