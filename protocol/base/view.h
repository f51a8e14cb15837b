/* SPDX-License-Identifier: MIT */
/*
 * The shape of data: an image of interleaved channels, or a 1-D (height 1) or 2-D array (channels 1). Only this module
 * multiplies dimensions; it checks everything for overflow.
 */
#ifndef GF_PROTOCOL_VIEW_H
#define GF_PROTOCOL_VIEW_H

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gf_view {
    uint32_t dtype;    /* enum gf_dtype */
    uint32_t channels; /* 1..4, interleaved; 1 for arrays */
    uint64_t width;    /* pixels or elements of a row */
    uint64_t height;   /* rows */
    uint64_t pitch;    /* bytes from row to row; a multiple of the element size, at least one row */
};

/* A view without padding between rows. The sizes are not checked. */
struct gf_view gf_view_tight(uint32_t dtype, uint64_t width, uint64_t height, uint32_t channels);

/* Whether the view holds data: the view of an omitted input is all zero. */
static inline bool gf_view_given(const struct gf_view *v)
{
    return v->dtype != 0;
}

/* Bytes of one row without padding, saturating at UINT64_MAX. */
uint64_t gf_view_row_bytes(const struct gf_view *v);
/* Bytes from the first sample to the end of the last one, (height-1)*pitch + row; 0 for an unchecked view that
 * overflows. */
uint64_t gf_view_bytes(const struct gf_view *v);
/* width * height * channels, saturating. */
uint64_t gf_view_samples(const struct gf_view *v);

/* Checks the structure: dtype known, 1..4 channels, sides >= 1, pitch a multiple of the element size and at least a
 * row, counts within limits.h. BAD_VIEW, BAD_DTYPE or TOO_LARGE with the value and the limit; `what` names the view in
 * the text ("operand 0"). */
enum gf_status gf_view_check(const struct gf_view *v, const char *what, struct gf_error *err);
/* gf_view_check plus the limits of images: u8, u16, i16, f16 or f32, sides <= 65535, <= 2^31 samples. */
enum gf_status gf_view_check_image(const struct gf_view *v, const char *what, struct gf_error *err);

/* Whether two views are equal except for the pitch. */
bool gf_view_same_shape(const struct gf_view *a, const struct gf_view *b);

/* Writes "1920x1080x3 u8"; returns text. */
const char *gf_view_text(const struct gf_view *v, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
