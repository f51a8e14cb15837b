/* SPDX-License-Identifier: MIT */
/*
 * The span of a distributed trace to which a request belongs, so that lines of the daemon's log can be joined with the
 * spans of its client. Its text is the traceparent of https://www.w3.org/TR/trace-context/, version 00.
 */
#ifndef GF_PROTOCOL_TRACE_CONTEXT_H
#define GF_PROTOCOL_TRACE_CONTEXT_H

#include "frame.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_TRACE_ID 16 /* bytes */
#define GF_SPAN_ID 8
#define GF_TRACE_TEXT (2 * GF_TRACE_ID + 1) /* room for the digits of an id */
#define GF_SPAN_TEXT (2 * GF_SPAN_ID + 1)
#define GF_TRACEPARENT_TEXT 56 /* room for a traceparent */
#define GF_TRACEPARENT_FORM "00-TRACE-SPAN-FLAGS of 32, 16 and 2 lower-case hexadecimal digits, no id only zeros"

struct gf_trace_context {
    uint8_t trace[GF_TRACE_ID], span[GF_SPAN_ID]; /* in the order of their digits; all zero: none */
};

/* Whether neither id is zero, as the definition demands. */
bool gf_trace_context_valid(const struct gf_trace_context *c);
/* False if the text is not GF_TRACEPARENT_FORM; *ret is unchanged then. */
bool gf_traceparent_read(const char *text, struct gf_trace_context *ret);
/* Writes the traceparent of a span that is recorded. Returns text. */
const char *gf_traceparent_text(const struct gf_trace_context *c, char text[GF_TRACEPARENT_TEXT]);

/* The attribute of a RUN. It is no part of the program, and precedes it. encode writes none that is not valid. read
 * refuses one that is not (BAD_REQUEST). decode finds none in a body whose first attribute is not a valid one. */
void gf_trace_context_encode(struct gf_writer *w, const struct gf_trace_context *c);
enum gf_status gf_trace_context_read(const struct gf_attr *a, struct gf_trace_context *ret, struct gf_error *err);
void gf_trace_context_decode(const uint8_t *body, size_t size, struct gf_trace_context *ret);

/* Writes n bytes as 2 n digits and a terminator. Returns text. */
const char *gf_hex_text(const uint8_t *bytes, size_t n, char *text);

#ifdef __cplusplus
}
#endif
#endif
