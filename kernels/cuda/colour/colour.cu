/* SPDX-License-Identifier: MIT */
/*
 * Conversions between channels, docs/numerics.md, "Colour": one kernel for gray, matrix, ycbcr, hsv, rgb, flatten,
 * merge and normalize. Called through the ops' rows.
 *
 * A block takes a tile, up to tile_pixels pixels of a row, in three phases. It loads vectors of 16 bytes of every input
 * into shared memory, unconverted. Threads read their pixels from shared memory, sample by sample, and write the
 * result's samples to shared memory too. The block stores vectors of 16 bytes of the result. So all global accesses are
 * coalesced, whatever the types and the numbers of channels on both sides, which only phase two knows. Samples of 1 or
 * 3 channels have no bank conflicts; f32 samples of 2 or 4 channels have some, which the latency of global memory
 * hides. Rows without padding count as one row; other rows that are much shorter than a tile leave threads idle.
 *
 * A switch, uniform across all threads, selects the conversion, so there is one kernel per input type.
 */
#include "kernels/shared/colour/colour.h"

#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/device/extremes.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/filter/tile.cuh"
#include "kernels/cuda/step/cuda_ops.h"
#include "kernels/cuda/step/row_chunks.h"

namespace
{

using namespace gf;

constexpr int colour_threads = 256;
constexpr int tile_pixels = 1024; /* four pixels per thread: 3 to 16 KiB of shared memory on each side */
constexpr uint32_t vector_bytes = 16;
constexpr uint32_t tile_unit = 16; /* pixels, of any size, that fill whole vectors */

/* The rows of a row chunk in one input. Pointer and pitch are multiples of a vector. */
struct plane_source {
    const char *data;
    uint64_t pitch;
    uint32_t pixel;  /* bytes per pixel */
    uint32_t offset; /* of its tile in shared memory; a multiple of a vector */
};

struct colouring {
    struct gf_colour k;
    struct plane_source in[GF_MAX_CHANNELS];
    uint32_t n_inputs;
    /* Sample c of pixel i is sample first[c] + i * step[c] of shared memory. For PASS, c counts the colours of the
     * result, and step is 0 if the sample is the greatest value of the type. */
    uint32_t first[GF_MAX_CHANNELS], step[GF_MAX_CHANNELS];
    char *dst;
    uint64_t dst_pitch;
    uint32_t dst_pixel, dst_offset; /* bytes per pixel; of its tile in shared memory */
    uint64_t rows, pixels;          /* pixels per row */
    uint32_t per_tile;              /* pixels per tile, a multiple of tile_unit */
    uint64_t tiles;                 /* per row */
};

/* A tile in shared memory. */
template <class T, class Out> struct Tile {
    const struct colouring &c;
    const T *in;
    Out *out;

    __device__ __forceinline__ T raw(int channel, uint32_t i) const
    {
        return in[c.first[channel] + i * c.step[channel]];
    }

    __device__ __forceinline__ float at(int channel, uint32_t i) const
    {
        return static_cast<float>(raw(channel, i));
    }

    __device__ __forceinline__ void put(uint32_t channel, uint32_t i, float v) const
    {
        out[i * c.k.made + channel] = to_stored(Out{}, v);
    }
};

/* Copies a sample, with the canonical NaN if it is a float. */
template <class T> __device__ __forceinline__ T passed(T v)
{
    if constexpr (sizeof(T) < sizeof(float))
        return v;
    else
        return to_stored(T{}, v);
}

template <class T> __device__ __forceinline__ void pass(const Tile<T, T> &t, uint32_t i)
{
#pragma unroll
    for (int r = 0; r < static_cast<int>(GF_MAX_CHANNELS); r++)
        if (r < t.c.k.colours) {
            const T greatest = static_cast<T>(t.c.k.unit);
            t.out[i * t.c.k.made + r] = t.c.step[r] == 0 ? greatest : passed(t.raw(r, i));
        }
}

template <class T> __device__ __forceinline__ void luma(const Tile<T, T> &t, uint32_t i)
{
    if constexpr (sizeof(T) < sizeof(float)) {
        const uint32_t *w = t.c.k.weights;
        const uint32_t sum = w[0] * t.raw(0, i) + w[1] * t.raw(1, i) + w[2] * t.raw(2, i) + 32768u;
        t.out[i * t.c.k.made] = static_cast<T>(sum >> 16);
    }
}

/* Sums are at most 1.5 times the square of the greatest sample, so they fit 32 bits. */
template <class T> __device__ __forceinline__ void over(const Tile<T, T> &t, uint32_t i)
{
    if constexpr (sizeof(T) < sizeof(float)) {
        constexpr uint32_t max = sizeof(T) == 1 ? 255 : 65535;
#pragma unroll
        for (int r = 0; r < 3; r++)
            if (r < t.c.k.colours) {
                const uint32_t a = t.in[t.c.first[0] + i * t.c.step[0] + t.c.k.colours];
                const uint32_t sum = t.raw(r, i) * a + t.c.k.behind[r] * (max - a);
                t.out[i * t.c.k.made + r] = static_cast<T>((sum + max / 2) / max);
            }
    }
}

template <class T> __device__ __forceinline__ void over_f32(const Tile<T, T> &t, uint32_t i)
{
    if constexpr (sizeof(T) == sizeof(float)) {
        const float a = t.in[t.c.first[0] + i * t.c.step[0] + t.c.k.colours];
#pragma unroll
        for (int r = 0; r < 3; r++)
            if (r < t.c.k.colours)
                t.put(r, i, __fmaf_rn(t.at(r, i), a, __fmul_rn(t.c.k.after[r], __fsub_rn(1.0f, a))));
    }
}

template <class T, class Out> __device__ __forceinline__ void linear(const Tile<T, Out> &t, uint32_t i)
{
    constexpr int n = static_cast<int>(GF_MAX_CHANNELS);
    const struct gf_colour &k = t.c.k;
    float x[n] = {};
#pragma unroll
    for (int c = 0; c < n; c++)
        if (c < k.channels)
            x[c] = __fsub_rn(t.at(c, i), k.before[c]);
#pragma unroll
    for (int r = 0; r < n; r++)
        if (r < k.colours) {
            float v = k.after[r];
#pragma unroll
            for (int c = n - 1; c >= 0; c--)
                if (k.matrix[r][c] != 0.0f) /* 0 for channels that do not exist */
                    v = __fmaf_rn(k.matrix[r][c], x[c], v);
            t.put(r, i, v);
        }
}

template <class T> __device__ __forceinline__ void scale(const Tile<T, float> &t, uint32_t i)
{
    const struct gf_colour &k = t.c.k;
#pragma unroll
    for (int c = 0; c < static_cast<int>(GF_MAX_CHANNELS); c++)
        if (c < k.channels) {
            const float x = k.unit != 1.0f ? __fdiv_rn(t.at(c, i), k.unit) : t.at(c, i);
            t.put(c, i, __fdiv_rn(__fsub_rn(x, k.before[c]), k.after[c]));
        }
}

template <class T> __device__ __forceinline__ void to_hsv(const Tile<T, T> &t, uint32_t i)
{
    const struct gf_colour &k = t.c.k;
    const float r = t.at(0, i), g = t.at(1, i), b = t.at(2, i);
    const float v = maximum(maximum(r, g), b), d = __fsub_rn(v, minimum(minimum(r, g), b));
    const float difference = v == r ? __fsub_rn(g, b) : v == g ? __fsub_rn(b, r) : __fsub_rn(r, g);
    const float base = v == r ? 0.0f : __fmul_rn(v == g ? 2.0f : 4.0f, k.sixth);
    float h = __fmaf_rn(__fdiv_rn(difference, d), k.sixth, base);
    if (sizeof(T) < sizeof(float))
        h = rintf(h);
    h = h < 0.0f ? __fadd_rn(h, k.turn) : h;
    t.put(0, i, d == 0.0f ? 0.0f : h);
    t.put(1, i, d == 0.0f || v == 0.0f ? 0.0f : __fdiv_rn(__fmul_rn(d, k.unit), v));
    t.put(2, i, v);
}

template <class T> __device__ __forceinline__ void from_hsv(const Tile<T, T> &t, uint32_t i)
{
    const struct gf_colour &k = t.c.k;
    const float x = __fdiv_rn(t.at(0, i), k.sixth), s = __fdiv_rn(t.at(1, i), k.unit), v = t.at(2, i);
    const float whole = floorf(x), f = __fsub_rn(x, whole);
    const float j = __fmaf_rn(-6.0f, floorf(__fdiv_rn(whole, 6.0f)), whole);
    const float p = __fmul_rn(v, __fsub_rn(1.0f, s)), q = __fmul_rn(v, __fmaf_rn(-s, f, 1.0f));
    const float u = __fmul_rn(v, __fmaf_rn(-s, __fsub_rn(1.0f, f), 1.0f));
    const int sixth = j < 1.0f ? 0 : j < 2.0f ? 1 : j < 3.0f ? 2 : j < 4.0f ? 3 : j < 5.0f ? 4 : 5; /* NaN: 5 */
    t.put(0, i, sixth == 0 || sixth == 5 ? v : sixth == 1 ? q : sixth == 4 ? u : p);
    t.put(1, i, sixth == 1 || sixth == 2 ? v : sixth == 0 ? u : sixth == 3 ? q : p);
    t.put(2, i, sixth == 3 || sixth == 4 ? v : sixth == 2 ? u : sixth == 5 ? q : p);
}

/* Calls f(i) for this thread's pixels of a tile. */
template <class F> __device__ __forceinline__ void walk(uint32_t pixels, F &&f)
{
#pragma unroll 4
    for (uint32_t i = threadIdx.x; i < pixels; i += colour_threads)
        f(i);
}

/* Phase two. Alpha, if it is copied, is the last sample of a pixel and follows the colours. */
template <class T> __device__ __forceinline__ void colour_tile(const struct colouring &c, char *shared, uint32_t pixels)
{
    const T *in = reinterpret_cast<const T *>(shared);
    const Tile<T, T> t = {c, in, reinterpret_cast<T *>(shared + c.dst_offset)};
    switch (c.k.kind) {
    case GF_COLOUR_PASS:
        walk(pixels, [&](uint32_t i) { pass(t, i); });
        break;
    case GF_COLOUR_LUMA:
        walk(pixels, [&](uint32_t i) { luma(t, i); });
        break;
    case GF_COLOUR_OVER:
        walk(pixels, [&](uint32_t i) { over(t, i); });
        break;
    case GF_COLOUR_OVER_F32:
        walk(pixels, [&](uint32_t i) { over_f32(t, i); });
        break;
    case GF_COLOUR_TO_HSV:
        walk(pixels, [&](uint32_t i) { to_hsv(t, i); });
        break;
    case GF_COLOUR_FROM_HSV:
        walk(pixels, [&](uint32_t i) { from_hsv(t, i); });
        break;
    case GF_COLOUR_SCALE: {
        const Tile<T, float> wide = {c, in, reinterpret_cast<float *>(shared + c.dst_offset)};
        walk(pixels, [&](uint32_t i) { scale(wide, i); });
        break;
    }
    default:
        gf_dispatch(c.k.to, [&](auto tag) {
            using Out = decltype(tag);
            const Tile<T, Out> other = {c, in, reinterpret_cast<Out *>(shared + c.dst_offset)};
            walk(pixels, [&](uint32_t i) { linear(other, i); });
        });
    }
    if (c.k.made > c.k.colours)
        walk(pixels, [&](uint32_t i) {
            t.out[i * c.k.made + c.k.colours] = passed(t.in[c.first[0] + i * c.step[0] + c.k.channels - 1]);
        });
}

__device__ __forceinline__ void load_tile(const struct colouring &c, char *shared, uint64_t row, uint64_t first,
                                          uint32_t pixels)
{
    for (uint32_t k = 0; k < c.n_inputs; k++) {
        const struct plane_source &s = c.in[k];
        const uint4 *from = reinterpret_cast<const uint4 *>(s.data + row * s.pitch + first * s.pixel);
        uint4 *to = reinterpret_cast<uint4 *>(shared + s.offset);
        const uint32_t vectors = (pixels * s.pixel + vector_bytes - 1) / vector_bytes;
#pragma unroll 4
        for (uint32_t v = threadIdx.x; v < vectors; v += colour_threads)
            to[v] = __ldg(from + v);
    }
}

__device__ __forceinline__ void store_tile(const struct colouring &c, const char *shared, uint64_t row, uint64_t first,
                                           uint32_t pixels)
{
    char *to = c.dst + row * c.dst_pitch + first * c.dst_pixel;
    const char *from = shared + c.dst_offset;
    const uint32_t bytes = pixels * c.dst_pixel, vectors = bytes / vector_bytes;
#pragma unroll 4
    for (uint32_t v = threadIdx.x; v < vectors; v += colour_threads)
        reinterpret_cast<uint4 *>(to)[v] = reinterpret_cast<const uint4 *>(from)[v];
    const uint32_t rest = vectors * vector_bytes + threadIdx.x;
    if (rest < bytes) /* less than a vector, at the end of a row */
        to[rest] = from[rest];
}

/*
 * Blocks walk over tiles in a grid-stride loop, with a barrier after phases one and two. The next tile's phase one
 * overwrites what this tile's phase two has read: the barrier after phase two is in between. The next tile's phase two
 * overwrites what this tile's phase three reads: the next tile's first barrier is in between.
 */
template <class T>
__global__ void __launch_bounds__(colour_threads) colour_kernel(const __grid_constant__ struct colouring c)
{
    extern __shared__ uint4 shared_vectors[];
    char *shared = reinterpret_cast<char *>(shared_vectors);
    const uint64_t all = c.tiles * c.rows;
    for (uint64_t tile = blockIdx.x; tile < all; tile += gridDim.x) {
        const uint64_t row = c.rows == 1 ? 0 : tile / c.tiles, first = (tile - row * c.tiles) * c.per_tile;
        const uint64_t left = c.pixels - first;
        const uint32_t pixels = left < c.per_tile ? static_cast<uint32_t>(left) : c.per_tile;
        load_tile(c, shared, row, first, pixels);
        gf_sync_block(); /* the tile is loaded, and the previous result is stored */
        colour_tile<T>(c, shared, pixels);
        gf_sync_block(); /* the result is complete, and all threads have read the tile */
        store_tile(c, shared, row, first, pixels);
    }
}

cudaError_t launch(const struct colouring &c, cudaStream_t stream)
{
    const unsigned blocks = gf_cuda_grid(c.tiles * c.rows);
    const size_t shared = c.dst_offset + static_cast<size_t>(c.per_tile) * c.dst_pixel;
    if (c.k.from == GF_U8)
        colour_kernel<uint8_t><<<blocks, colour_threads, shared, stream>>>(c);
    else if (c.k.from == GF_U16)
        colour_kernel<uint16_t><<<blocks, colour_threads, shared, stream>>>(c);
    else if (c.k.from == GF_I16)
        colour_kernel<int16_t><<<blocks, colour_threads, shared, stream>>>(c);
    else
        colour_kernel<float><<<blocks, colour_threads, shared, stream>>>(c);
    return cudaPeekAtLastError();
}

/* Cuts a row into tiles of equal size. */
void cut_rows(struct colouring &c)
{
    const uint64_t tiles = (c.pixels + tile_pixels - 1) / tile_pixels, even = (c.pixels + tiles - 1) / tiles;
    c.per_tile = static_cast<uint32_t>((even + tile_unit - 1) / tile_unit * tile_unit);
    c.tiles = (c.pixels + c.per_tile - 1) / c.per_tile;
}

/* Lays out a tile in shared memory: one input after another. */
void place_samples(struct colouring &c, const struct gf_cuda_call *call)
{
    const uint32_t size = static_cast<uint32_t>(gf_dtype_size(c.k.from));
    uint32_t offset = 0, sample = 0, first[GF_MAX_CHANNELS] = {}, step[GF_MAX_CHANNELS] = {};
    for (uint32_t i = 0, n = 0; i < call->step->op->n_inputs; i++) {
        if (call->image[i] == nullptr)
            continue;
        const uint32_t channels = call->image[i]->view.channels;
        c.in[n].offset = offset;
        c.in[n].pixel = channels * size;
        for (uint32_t q = 0; q < channels; q++, sample++) {
            first[sample] = offset / size + q;
            step[sample] = channels;
        }
        offset += c.per_tile * c.in[n++].pixel;
    }
    for (uint32_t r = 0; r < GF_MAX_CHANNELS; r++) {
        const uint32_t from = c.k.pick[r];
        c.first[r] = from == GF_COLOUR_FULL ? 0 : first[from];
        c.step[r] = from == GF_COLOUR_FULL ? 0 : step[from];
    }
    c.dst_offset = offset;
}

bool is_tight(const struct gf_cuda_image *image)
{
    return image->view.pitch == gf_view_row_bytes(&image->view);
}

/* The launch arguments for rows `first` to `end` - 1. */
struct colouring colouring_of(const struct gf_cuda_call *call, const struct gf_colour &k, uint64_t first, uint64_t end)
{
    const struct gf_cuda_image *out = &call->out[0];
    struct colouring c = {};
    bool tight = is_tight(out);
    c.k = k;
    c.dst = static_cast<char *>(out->data) + first * out->view.pitch;
    c.dst_pitch = out->view.pitch;
    c.dst_pixel = out->view.channels * static_cast<uint32_t>(gf_dtype_size(out->view.dtype));
    for (uint32_t i = 0; i < call->step->op->n_inputs; i++) {
        const struct gf_cuda_image *in = call->image[i];
        if (in == nullptr)
            continue;
        c.in[c.n_inputs].data = static_cast<const char *>(in->data) + first * in->view.pitch;
        c.in[c.n_inputs++].pitch = in->view.pitch;
        tight = tight && is_tight(in);
    }
    c.rows = tight ? 1 : end - first;
    c.pixels = out->view.width * (tight ? end - first : 1);
    cut_rows(c);
    place_samples(c, call);
    return c;
}

enum gf_status launch_rows(struct gf_cuda_call *call, void *op, uint64_t first, uint64_t end, struct gf_error *err)
{
    const struct gf_colour &k = *static_cast<const struct gf_colour *>(op);
    return gf_cuda_status(launch(colouring_of(call, k, first, end), call->exec->main), "changing colours", err);
}

} // namespace

extern "C" enum gf_status gf_cuda_colour(struct gf_cuda_call *call, struct gf_error *err)
{
    struct gf_colour k;
    const enum gf_status status = gf_colour_init(&k, call->step, &call->image[0]->view, call->coefs[1], err);
    const struct gf_cuda_row_chunks row_chunks = gf_cuda_row_chunks(call, gf_view_bytes(&call->out[0].view), 1);
    const struct gf_cuda_row_fns fns = {launch_rows, nullptr, nullptr};
    return status == GF_OK ? gf_cuda_run_rows(call, &row_chunks, &fns, &k, err) : status;
}
