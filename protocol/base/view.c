/* SPDX-License-Identifier: MIT */
/* Sizes and checks of views; only this file multiplies dimensions. */
#include "view.h"

#include <inttypes.h>
#include <stdio.h>

#include "dtype.h"
#include "limits.h"

static uint64_t mul_saturating(uint64_t a, uint64_t b)
{
    uint64_t r;
    return gf_mul_u64(a, b, &r) ? r : UINT64_MAX;
}

struct gf_view gf_view_tight(uint32_t dtype, uint64_t width, uint64_t height, uint32_t channels)
{
    struct gf_view v = {.dtype = dtype, .channels = channels, .width = width, .height = height};
    v.pitch = gf_view_row_bytes(&v);
    return v;
}

uint64_t gf_view_row_bytes(const struct gf_view *v)
{
    return mul_saturating(v->width, (uint64_t)v->channels * gf_dtype_size(v->dtype));
}

uint64_t gf_view_bytes(const struct gf_view *v)
{
    uint64_t row, before, all;
    if (v->height == 0 || !gf_mul_u64(v->width, (uint64_t)v->channels * gf_dtype_size(v->dtype), &row) ||
        !gf_mul_u64(v->height - 1, v->pitch, &before) || !gf_add_u64(before, row, &all))
        return 0;
    return all;
}

uint64_t gf_view_samples(const struct gf_view *v)
{
    uint64_t row, all;
    if (v->height == 0)
        return 0;
    if (!gf_mul_u64(v->width, v->channels, &row) || !gf_mul_u64(row, v->height, &all))
        return UINT64_MAX;
    return all;
}

/* Checks the pitch and the total size of a view whose sides are valid. */
static enum gf_status check_pitch(const struct gf_view *v, const char *what, struct gf_error *err)
{
    uint64_t row = gf_view_row_bytes(v), bytes = gf_view_bytes(v);
    size_t element = gf_dtype_size(v->dtype);
    if (row > GF_MAX_PITCH || v->pitch > GF_MAX_PITCH)
        return gf_error_set(err, GF_E_TOO_LARGE, "%s: rows of %" PRIu64 " bytes; allowed: up to %" PRIu64, what,
                            row > v->pitch ? row : v->pitch, (uint64_t)GF_MAX_PITCH);
    if (v->pitch < row)
        return gf_error_set(err, GF_E_BAD_VIEW, "%s: pitch=%" PRIu64 " is less than a row of %" PRIu64 " bytes", what,
                            v->pitch, row);
    if (v->pitch % element != 0)
        return gf_error_set(err, GF_E_BAD_VIEW, "%s: pitch=%" PRIu64 " is not a multiple of the %zu bytes of %s", what,
                            v->pitch, element, gf_dtype_word(v->dtype));
    if (bytes == 0 || bytes > GF_MAX_BYTES)
        return gf_error_set(err, GF_E_TOO_LARGE,
                            "%s: %" PRIu64 " rows at pitch=%" PRIu64 " span more than %" PRIu64 " bytes", what,
                            v->height, v->pitch, (uint64_t)GF_MAX_BYTES);
    return GF_OK;
}

enum gf_status gf_view_check(const struct gf_view *v, const char *what, struct gf_error *err)
{
    if (!gf_dtype_known(v->dtype))
        return gf_error_set(err, GF_E_BAD_DTYPE, "%s: dtype %" PRIu32 " is not known", what, v->dtype);
    if (v->channels < 1 || v->channels > GF_MAX_CHANNELS)
        return gf_error_set(err, GF_E_BAD_VIEW, "%s: channels=%" PRIu32 " outside 1..%u", what, v->channels,
                            GF_MAX_CHANNELS);
    if (v->width == 0 || v->height == 0)
        return gf_error_set(err, GF_E_BAD_VIEW, "%s: %" PRIu64 "x%" PRIu64 " is empty; sides must be at least 1", what,
                            v->width, v->height);
    if (gf_view_samples(v) > GF_MAX_ELEMENTS)
        return gf_error_set(err, GF_E_TOO_LARGE,
                            "%s: %" PRIu64 "x%" PRIu64 "x%" PRIu32 " is more than %" PRIu64 " elements", what, v->width,
                            v->height, v->channels, (uint64_t)GF_MAX_ELEMENTS);
    return check_pitch(v, what, err);
}

enum gf_status gf_view_check_image(const struct gf_view *v, const char *what, struct gf_error *err)
{
    enum gf_status status = gf_view_check(v, what, err);
    if (status != GF_OK)
        return status;
    if ((GF_DT(v->dtype) & GF_DT_SAMPLES) == 0) {
        char set[GF_DTYPES_TEXT];
        return gf_error_set(err, GF_E_BAD_DTYPE, "%s: an image of %s; allowed: %s", what, gf_dtype_word(v->dtype),
                            gf_dtype_set_text(GF_DT_SAMPLES, set, sizeof set));
    }
    if (v->width > GF_MAX_SIDE || v->height > GF_MAX_SIDE)
        return gf_error_set(err, GF_E_TOO_LARGE, "%s: image of %" PRIu64 "x%" PRIu64 "; allowed: sides up to %u", what,
                            v->width, v->height, GF_MAX_SIDE);
    if (gf_view_samples(v) > GF_MAX_SAMPLES)
        return gf_error_set(err, GF_E_TOO_LARGE, "%s: image of %" PRIu64 " samples; allowed: up to %" PRIu64, what,
                            gf_view_samples(v), (uint64_t)GF_MAX_SAMPLES);
    return GF_OK;
}

bool gf_view_same_shape(const struct gf_view *a, const struct gf_view *b)
{
    return a->dtype == b->dtype && a->channels == b->channels && a->width == b->width && a->height == b->height;
}

const char *gf_view_text(const struct gf_view *v, char *text, size_t size)
{
    snprintf(text, size, "%" PRIu64 "x%" PRIu64 "x%" PRIu32 " %s", v->width, v->height, v->channels,
             gf_dtype_word(v->dtype));
    return text;
}
