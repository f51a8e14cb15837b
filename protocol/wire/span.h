/* SPDX-License-Identifier: MIT */
/*
 * Spans of time in the processing of one request; together they form its trace. Recorded by backends and front if the
 * request asks for a trace, sent in RESULT.
 */
#ifndef GF_PROTOCOL_SPAN_H
#define GF_PROTOCOL_SPAN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GF_MAX_SPANS 256u  /* of one answer; further ones are dropped */
#define GF_RECORD_SPAN 24u /* bytes of a span on the wire */
#define GF_NO_STEP 0xFFFFu

enum gf_stage { GF_STAGE_QUEUE = 1, GF_STAGE_COPY_IN = 2, GF_STAGE_KERNEL = 3, GF_STAGE_COPY_OUT = 4 };

struct gf_span {
    uint16_t stage;
    uint16_t step;          /* of the program, or GF_NO_STEP */
    uint64_t begin, length; /* nanoseconds; begin on CLOCK_MONOTONIC of the server */
};

struct gf_spans {
    uint32_t n;
    struct gf_span rows[GF_MAX_SPANS];
};

/* Adds a span; does nothing if `s` is NULL or full. */
static inline void gf_spans_add(struct gf_spans *s, enum gf_stage stage, uint32_t step, uint64_t begin, uint64_t end)
{
    if (s && s->n < GF_MAX_SPANS && end >= begin) {
        struct gf_span *row = &s->rows[s->n++];
        row->stage = (uint16_t)stage;
        row->step = (uint16_t)step;
        row->begin = begin;
        row->length = end - begin;
    }
}

#ifdef __cplusplus
}
#endif
#endif
