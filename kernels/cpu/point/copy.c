/* SPDX-License-Identifier: MIT */
/*
 * Copies all channels, or one, on the CPU in chunks of rows. Floats are copied with every NaN replaced by the stored
 * NaN. Called through the op's row.
 */
#include <string.h>

#include "kernels/cpu/device/tiles.h"
#include "protocol/ops/params/copy.h"

/* Bytes of the result per task. */
#define TASK_BYTES (256u * 1024u)
/* Elements that are picked before NaNs among them are replaced: a block stays in the L1 cache. */
#define BLOCK 2048u

#define VECTOR 16u
typedef float f32s __attribute__((vector_size(VECTOR)));
typedef double f64s __attribute__((vector_size(VECTOR)));
typedef uint16_t u16s __attribute__((vector_size(VECTOR)));
typedef int32_t i32s
    __attribute__((vector_size(VECTOR))); /* the type of a comparison's result: all ones or all zeros */
typedef int64_t i64s __attribute__((vector_size(VECTOR)));

/* The rows to copy: elements lie `size` bytes apart in the result and `step` bytes apart in the source. */
struct copying {
    const struct gf_cpu_call *call;
    const unsigned char *src;
    unsigned char *dst;
    uint64_t src_pitch, dst_pitch;
    size_t size, step;
};

static void vector_f32(const unsigned char *from, unsigned char *to)
{
    f32s v;
    memcpy(&v, from, sizeof v);
    i32s number = v == v, bits = ((i32s)v & number) | (~number & 0x7FC00000);
    memcpy(to, &bits, sizeof bits);
}

static void vector_f16(const unsigned char *from, unsigned char *to)
{
    u16s v;
    memcpy(&v, from, sizeof v);
    u16s nan = (u16s)((v & 0x7FFF) > 0x7C00), bits = (v & ~nan) | (nan & 0x7E00);
    memcpy(to, &bits, sizeof bits);
}

static void vector_f64(const unsigned char *from, unsigned char *to)
{
    f64s v;
    memcpy(&v, from, sizeof v);
    i64s number = v == v, bits = ((i64s)v & number) | (~number & 0x7FF8000000000000);
    memcpy(to, &bits, sizeof bits);
}

/* Copies floats and replaces every NaN by the stored one. `to` may be `from`. */
static inline __attribute__((always_inline)) void copy_vectors(void (*vector)(const unsigned char *, unsigned char *),
                                                               const unsigned char *from, unsigned char *to,
                                                               size_t bytes)
{
    unsigned char last[VECTOR] = {0};
    size_t i = 0;
    for (; i + VECTOR <= bytes; i += VECTOR)
        vector(from + i, to + i);
    if (i == bytes)
        return;
    memcpy(last, from + i, bytes - i);
    vector(last, last);
    memcpy(to + i, last, bytes - i);
}

static void copy_tight(uint32_t dtype, const unsigned char *from, unsigned char *to, size_t bytes)
{
    if (dtype == GF_F32)
        copy_vectors(vector_f32, from, to, bytes);
    else if (dtype == GF_F64)
        copy_vectors(vector_f64, from, to, bytes);
    else if (dtype == GF_F16)
        copy_vectors(vector_f16, from, to, bytes);
    else if (from != to)
        memcpy(to, from, bytes);
}

static inline __attribute__((always_inline)) void pick_size(size_t size, size_t step, const unsigned char *from,
                                                            unsigned char *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        memcpy(to + i * size, from + i * step, size);
}

static void pick(size_t size, size_t step, const unsigned char *from, unsigned char *to, size_t n)
{
    if (size == 1)
        pick_size(1, step, from, to, n);
    else if (size == 2)
        pick_size(2, step, from, to, n);
    else if (size == 4)
        pick_size(4, step, from, to, n);
    else
        pick_size(8, step, from, to, n);
}

/* Copies n elements of row y from element x on. */
static void copy_chunk(const struct copying *c, uint64_t y, uint64_t x, size_t n)
{
    const unsigned char *from = c->src + y * c->src_pitch + x * c->step;
    unsigned char *to = c->dst + y * c->dst_pitch + x * c->size;
    uint32_t dtype = c->call->out[0].view.dtype;
    if (c->step == c->size) {
        copy_tight(dtype, from, to, n * c->size);
        return;
    }
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t block = n - i < BLOCK ? n - i : BLOCK;
        pick(c->size, c->step, from + i * c->step, to + i * c->size, block);
        copy_tight(dtype, to + i * c->size, to + i * c->size, block * c->size);
    }
}

static void run_tile(void *context, const struct gf_cpu_tile *tile)
{
    for (uint64_t y = tile->y; y < tile->y + tile->height; y++)
        copy_chunk(context, y, tile->x, (size_t)tile->width);
}

static struct copying copying_of(const struct gf_cpu_call *call)
{
    const struct gf_view *src = &call->in[0].view, *dst = &call->out[0].view;
    uint32_t channel = gf_copy_params_get(&call->step->params).channel;
    size_t size = gf_dtype_size(src->dtype), skip = channel == 0 ? 0 : channel - 1;
    return (struct copying){.call = call,
                            .src = (const unsigned char *)call->in[0].data + skip * size,
                            .dst = call->out[0].data,
                            .src_pitch = src->pitch,
                            .dst_pitch = dst->pitch,
                            .size = size,
                            .step = channel == 0 ? size : size * src->channels};
}

enum gf_status gf_cpu_copy(const struct gf_cpu_call *call, struct gf_error *err)
{
    struct copying c = copying_of(call);
    const struct gf_view *dst = &call->out[0].view;
    const struct gf_tiles tiles =
        gf_cpu_cut_rows(gf_cpu_rows_are_one(call), dst->width * dst->channels, dst->height, TASK_BYTES / c.size);
    return gf_cpu_tiles_run(call, &tiles, run_tile, &c, err);
}
