/* SPDX-License-Identifier: MIT */
/* Samples as exact numbers and the bins they fall into, one edge after the other. Called by the reference of tone ops.
 */
#include "reference_bins.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct gf_reference_value gf_reference_value_at(const struct gf_reference_buf *buf, uint64_t y, uint64_t x, uint32_t c)
{
    size_t size = gf_dtype_size(buf->view.dtype);
    const char *p = (const char *)buf->data + y * buf->view.pitch + (x * buf->view.channels + c) * size;
    float f32;
    double f64;
    uint64_t u = 0;
    memcpy(&u, p, size);
    memcpy(&f32, p, sizeof(f32) <= size ? sizeof(f32) : size);
    memcpy(&f64, p, sizeof(f64) <= size ? sizeof(f64) : size);
    if (buf->view.dtype == GF_F32)
        return (struct gf_reference_value){.is_float = true, .f = (double)f32};
    if (buf->view.dtype == GF_F64)
        return (struct gf_reference_value){.is_float = true, .f = f64};
    gf_reference_i128 i = (gf_reference_i128)u;
    if (gf_dtype_kind(buf->view.dtype) == GF_KIND_SINT && (u >> (8 * size - 1)) != 0)
        i -= (gf_reference_i128)1 << (8 * size);
    return (struct gf_reference_value){.i = i};
}

struct gf_reference_value gf_reference_luma_at(const struct gf_reference_buf *buf, uint64_t y, uint64_t x)
{
    struct gf_reference_value r = gf_reference_value_at(buf, y, x, 0), g = gf_reference_value_at(buf, y, x, 1),
                              b = gf_reference_value_at(buf, y, x, 2);
    if (!r.is_float)
        return (struct gf_reference_value){.i = (19595 * r.i + 38470 * g.i + 7471 * b.i + 32768) >> 16};
    float blue = 0.114f * (float)b.f;
    return (struct gf_reference_value){.is_float = true,
                                       .f = (double)fmaf(0.299f, (float)r.f, fmaf(0.587f, (float)g.f, blue))};
}

enum gf_status gf_reference_edges_init(double lo, double hi, uint32_t n, bool closed, uint32_t dtype,
                                       struct gf_reference_edges *ret, struct gf_error *err)
{
    double *e = malloc(((size_t)n + 1) * sizeof(*e));
    if (e == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for the edges of %u bins", n);
    lo += 0.0;
    hi += 0.0;
    double step = (hi - lo) / n, half_step = (hi / 2 - lo / 2) / n;
    for (uint32_t k = 0; k < n; k++) {
        e[k] = hi - lo <= DBL_MAX ? k * step + lo : 2 * (k * half_step + lo / 2);
        if (e[k] > hi)
            e[k] = hi;
    }
    e[n] = hi;
    for (uint32_t k = 0; k <= n && dtype == GF_F32; k++)
        e[k] = (double)(float)e[k];
    *ret = (struct gf_reference_edges){n, closed, e};
    return GF_OK;
}

void gf_reference_edges_deinit(struct gf_reference_edges *edges)
{
    free(edges->e);
}

/* e <= v, exactly. */
static bool reaches(struct gf_reference_value v, double e)
{
    if (v.is_float)
        return e <= v.f;
    if (fabs(e) > 0x1p100)
        return e < 0;
    return (gf_reference_i128)ceil(e) <= v.i;
}

static bool equals(struct gf_reference_value v, double e)
{
    if (v.is_float)
        return v.f == e;
    return fabs(e) <= 0x1p100 && ceil(e) == e && (gf_reference_i128)e == v.i;
}

uint32_t gf_reference_bin(const struct gf_reference_edges *edges, struct gf_reference_value v)
{
    uint32_t n = edges->n;
    if (v.is_float && isnan(v.f))
        return n + 2;
    if (!reaches(v, edges->e[0]))
        return n;
    if (reaches(v, edges->e[n]))
        return edges->closed && equals(v, edges->e[n]) ? n - 1 : n + 1;
    uint32_t lo = 0, hi = n; /* E[lo] <= v < E[hi] */
    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (reaches(v, edges->e[mid]))
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

void gf_reference_range_add(struct gf_reference_range *range, struct gf_reference_value v)
{
    if (v.is_float && !isfinite(v.f))
        return;
    double below = v.is_float ? v.f : (double)v.i, above = below;
    if (!v.is_float && (gf_reference_i128)below > v.i)
        below = nextafter(below, -INFINITY);
    if (!v.is_float && (gf_reference_i128)above < v.i)
        above = nextafter(above, INFINITY);
    range->lo = range->any && range->lo < below ? range->lo : below;
    range->hi = range->any && range->hi > above ? range->hi : above;
    range->any = true;
}
