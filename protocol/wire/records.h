/* SPDX-License-Identifier: MIT */
/*
 * Shared by the codecs of this folder: the record of a view, and bodies that are a set of single attributes. Internal
 * to protocol/.
 */
#ifndef GF_PROTOCOL_RECORDS_H
#define GF_PROTOCOL_RECORDS_H

#include "frame.h"
#include "protocol/base/view.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_RECORD_OPERAND 56u
#define GF_RECORD_STEP 8u /* plus 4 for each input */
#define GF_RECORD_REF 4u
#define GF_RECORD_RESULT 32u
#define GF_RECORD_OUTPUT 48u
#define GF_RECORD_TIMES 40u
#define GF_RECORD_LIMIT 16u
#define GF_RECORD_OP_ROW 8u
#define GF_RECORD_HANDLE 48u
#define GF_RECORD_PART 8u
#define GF_RECORD_TRACE_CONTEXT 24u
#define GF_RECORD_EXPRESSIONS 64u
#define GF_RECORD_REVISION 8u
#define GF_RECORD_KEY 8u
#define GF_RECORD_COMPILE_TIME 16u

/* dtype u8, channels u8, zero u16, zero u32, width u64, height u64, pitch u64. */
void gf_record_view_store(uint8_t *p, const struct gf_view *view);
/* False if a reserved byte is not 0; the view itself is not checked. */
bool gf_record_view_load(const uint8_t *p, struct gf_view *ret);

/* Hands every attribute of a body to `take`, until one fails. BAD_REQUEST for a malformed body; the errors of `take`.
 */
typedef enum gf_status gf_attr_taker(const struct gf_attr *a, void *ret, struct gf_error *err);
enum gf_status gf_attrs_take(const uint8_t *body, size_t size, gf_attr_taker *take, void *ret, struct gf_error *err);
/* BAD_REQUEST: the body must not have this attribute. */
enum gf_status gf_attr_foreign(const struct gf_attr *a, struct gf_error *err);

/* A single attribute of a request and the destination of its value. Strings have room for GF_MAX_DEVICE_NAME bytes. */
struct gf_field {
    uint16_t id;
    bool optional;
    enum gf_attr_type type; /* U32, U64 or STRING */
    void *ret;              /* uint32_t, uint64_t or char[GF_MAX_DEVICE_NAME + 1] */
};

/* Decodes a body of these attributes, each at most once, in any order, and no others. BAD_REQUEST names an unknown,
 * repeated, malformed or missing attribute. On error, values that were already decoded stay written. */
enum gf_status gf_fields_decode(const uint8_t *body, size_t size, const struct gf_field *fields, uint32_t n,
                                struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
