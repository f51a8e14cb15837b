/* SPDX-License-Identifier: MIT */
/* Loads samples of any dtype as numbers. Called by count.c and histogram2d.c. */
#include "values.h"

typedef void load_fn(const void *p, size_t stride, uint32_t n, struct gf_cpu_values *ret);

static void load_u8(const void *p, size_t stride, uint32_t n, struct gf_cpu_values *ret)
{
    const uint8_t *in = p;
    for (uint32_t i = 0; i < n; i++) {
        ret->v[i] = in[i * stride];
        ret->bits[i] = in[i * stride];
    }
}

static void load_i8(const void *p, size_t stride, uint32_t n, struct gf_cpu_values *ret)
{
    const int8_t *in = p;
    for (uint32_t i = 0; i < n; i++) {
        ret->v[i] = in[i * stride];
        ret->bits[i] = (uint64_t)(int64_t)in[i * stride];
    }
}

static void load_u16(const void *p, size_t stride, uint32_t n, struct gf_cpu_values *ret)
{
    const uint16_t *in = p;
    for (uint32_t i = 0; i < n; i++) {
        ret->v[i] = in[i * stride];
        ret->bits[i] = in[i * stride];
    }
}

static void load_i16(const void *p, size_t stride, uint32_t n, struct gf_cpu_values *ret)
{
    const int16_t *in = p;
    for (uint32_t i = 0; i < n; i++) {
        ret->v[i] = in[i * stride];
        ret->bits[i] = (uint64_t)(int64_t)in[i * stride];
    }
}

static void load_u32(const void *p, size_t stride, uint32_t n, struct gf_cpu_values *ret)
{
    const uint32_t *in = p;
    for (uint32_t i = 0; i < n; i++) {
        ret->v[i] = in[i * stride];
        ret->bits[i] = in[i * stride];
    }
}

static void load_i32(const void *p, size_t stride, uint32_t n, struct gf_cpu_values *ret)
{
    const int32_t *in = p;
    for (uint32_t i = 0; i < n; i++) {
        ret->v[i] = in[i * stride];
        ret->bits[i] = (uint64_t)(int64_t)in[i * stride];
    }
}

static void load_u64(const void *p, size_t stride, uint32_t n, struct gf_cpu_values *ret)
{
    const uint64_t *in = p;
    for (uint32_t i = 0; i < n; i++) {
        ret->v[i] = (double)in[i * stride];
        ret->bits[i] = in[i * stride];
    }
}

static void load_i64(const void *p, size_t stride, uint32_t n, struct gf_cpu_values *ret)
{
    const int64_t *in = p;
    for (uint32_t i = 0; i < n; i++) {
        ret->v[i] = (double)in[i * stride];
        ret->bits[i] = (uint64_t)in[i * stride];
    }
}

static void load_f32(const void *p, size_t stride, uint32_t n, struct gf_cpu_values *ret)
{
    const float *in = p;
    for (uint32_t i = 0; i < n; i++)
        ret->v[i] = (double)in[i * stride];
}

static void load_f64(const void *p, size_t stride, uint32_t n, struct gf_cpu_values *ret)
{
    const double *in = p;
    for (uint32_t i = 0; i < n; i++)
        ret->v[i] = in[i * stride];
}

static load_fn *const loads[] = {
    [GF_U8] = load_u8,   [GF_I8] = load_i8,   [GF_U16] = load_u16, [GF_I16] = load_i16, [GF_U32] = load_u32,
    [GF_I32] = load_i32, [GF_U64] = load_u64, [GF_I64] = load_i64, [GF_F32] = load_f32, [GF_F64] = load_f64};

enum gf_bins_kind gf_cpu_values_kind(uint32_t dtype)
{
    if (gf_dtype_kind(dtype) == GF_KIND_FLOAT)
        return GF_BINS_FLOAT;
    if (gf_dtype_size(dtype) < 8)
        return GF_BINS_INT;
    return gf_dtype_kind(dtype) == GF_KIND_SINT ? GF_BINS_S64 : GF_BINS_U64;
}

void gf_cpu_values_load(const struct gf_cpu_planes *source, uint32_t plane, uint64_t y, uint64_t x, uint32_t n,
                        struct gf_cpu_values *ret)
{
    const struct gf_view *view = &source->buf->view;
    size_t size = gf_dtype_size(view->dtype), channels = view->channels;
    const char *p = (const char *)source->buf->data + y * view->pitch + (x * channels + plane) * size;
    loads[view->dtype](p, channels, n, ret);
}
