/* SPDX-License-Identifier: MIT */
/* Trace contexts as text and as an attribute; see trace_context.h. */
#include "trace_context.h"

#include <stdio.h>
#include <string.h>

#include "records.h"

#define DIGITS "0123456789abcdef"
#define TRACE_AT 3
#define SPAN_AT (TRACE_AT + 2 * GF_TRACE_ID + 1)
#define FLAGS_AT (SPAN_AT + 2 * GF_SPAN_ID + 1)

static bool any(const uint8_t *bytes, size_t n)
{
    uint8_t all = 0;
    for (size_t i = 0; i < n; i++)
        all |= bytes[i];
    return all != 0;
}

bool gf_trace_context_valid(const struct gf_trace_context *c)
{
    return any(c->trace, sizeof(c->trace)) && any(c->span, sizeof(c->span));
}

/* Reads 2 n digits, which are there. */
static void read_digits(const char *text, size_t n, uint8_t *ret)
{
    for (size_t i = 0; i < n; i++)
        ret[i] = (uint8_t)((strchr(DIGITS, text[2 * i]) - DIGITS) << 4 | (strchr(DIGITS, text[2 * i + 1]) - DIGITS));
}

bool gf_traceparent_read(const char *text, struct gf_trace_context *ret)
{
    struct gf_trace_context c;
    if (strlen(text) != FLAGS_AT + 2 || strncmp(text, "00-", TRACE_AT) != 0 ||
        strspn(text + TRACE_AT, DIGITS) != 2 * GF_TRACE_ID || text[SPAN_AT - 1] != '-' ||
        strspn(text + SPAN_AT, DIGITS) != 2 * GF_SPAN_ID || text[FLAGS_AT - 1] != '-' ||
        strspn(text + FLAGS_AT, DIGITS) != 2)
        return false;
    read_digits(text + TRACE_AT, GF_TRACE_ID, c.trace);
    read_digits(text + SPAN_AT, GF_SPAN_ID, c.span);
    if (!gf_trace_context_valid(&c))
        return false;
    *ret = c;
    return true;
}

const char *gf_traceparent_text(const struct gf_trace_context *c, char text[GF_TRACEPARENT_TEXT])
{
    char trace[GF_TRACE_TEXT], span[GF_SPAN_TEXT];
    snprintf(text, GF_TRACEPARENT_TEXT, "00-%s-%s-01", gf_hex_text(c->trace, GF_TRACE_ID, trace),
             gf_hex_text(c->span, GF_SPAN_ID, span));
    return text;
}

const char *gf_hex_text(const uint8_t *bytes, size_t n, char *text)
{
    for (size_t i = 0; i < n; i++) {
        text[2 * i] = DIGITS[bytes[i] >> 4];
        text[2 * i + 1] = DIGITS[bytes[i] & 15];
    }
    text[2 * n] = '\0';
    return text;
}

void gf_trace_context_encode(struct gf_writer *w, const struct gf_trace_context *c)
{
    uint8_t r[GF_RECORD_TRACE_CONTEXT];
    if (!gf_trace_context_valid(c))
        return;
    memcpy(r, c->trace, GF_TRACE_ID);
    memcpy(r + GF_TRACE_ID, c->span, GF_SPAN_ID);
    gf_put(w, GF_ATTR_TRACE_CONTEXT, GF_TYPE_BYTES, r, sizeof(r));
}

enum gf_status gf_trace_context_read(const struct gf_attr *a, struct gf_trace_context *ret, struct gf_error *err)
{
    struct gf_trace_context c;
    enum gf_status status = gf_attr_record(a, GF_RECORD_TRACE_CONTEXT, err);
    if (status != GF_OK)
        return status;
    memcpy(c.trace, a->value, GF_TRACE_ID);
    memcpy(c.span, a->value + GF_TRACE_ID, GF_SPAN_ID);
    if (!gf_trace_context_valid(&c))
        return gf_error_set(err, GF_E_BAD_REQUEST,
                            "attribute TRACE_CONTEXT (%u): the id of the trace, or that of the span, has only zeros",
                            a->id);
    *ret = c;
    return GF_OK;
}

void gf_trace_context_decode(const uint8_t *body, size_t size, struct gf_trace_context *ret)
{
    struct gf_reader reader = {.data = body, .size = size};
    struct gf_attr a;
    *ret = (struct gf_trace_context){{0}, {0}};
    if (gf_attr_next(&reader, &a, NULL) > 0 && a.id == GF_ATTR_TRACE_CONTEXT)
        (void)gf_trace_context_read(&a, ret, NULL);
}
