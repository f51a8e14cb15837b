/* SPDX-License-Identifier: MIT */
/*
 * Copies all channels or one of them, docs/numerics.md, "copy". Called through the op's row.
 *
 * Every thread writes vectors of 16 bytes. To copy all channels it reads one source vector per result vector; to
 * extract one channel of n it reads n adjacent source vectors. The lanes of a warp read consecutive vectors, so each
 * cache line is fetched once. Vectors are numbered across rows, so that narrow rows fill the warps too; rows without
 * padding count as a single row. The kernels move bits, so all types of one size share a kernel; float NaNs become the
 * canonical NaN on the way.
 */
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/step/cuda_ops.h"
#include "kernels/cuda/step/places.cuh"
#include "kernels/cuda/step/row_chunks.h"
#include "protocol/ops/params/copy.h"

namespace
{

constexpr int copy_threads = 256;
constexpr unsigned vector_bytes = 16;
constexpr int words = vector_bytes / 4;

/* The size of the samples that a channel is extracted from: 8 or 16 bits (by byte permutes), 32 bits, 64 bits. */
enum kind { narrow, word, pair };

/* One row chunk. Pointers and pitches are multiples of a vector. */
struct copying {
    const char *src;
    char *dst;
    uint64_t src_pitch, dst_pitch;
    uint64_t src_vectors, dst_vectors; /* per row */
    uint64_t row_bytes, rows;          /* of the result */
    uint32_t channel;                  /* the channel to extract, from 0 */
    uint32_t low, high;                /* narrow: __byte_perm selectors that gather half a result word from two words */
    uint32_t nan;                      /* the size of a float whose NaNs must be made canonical; 0 for integers */
};

/* One vector of the result, or the n source vectors that it is made from. */
template <int n> union Vectors {
    uint4 raw[n];
    uint32_t v[n * words];
};

/* Extracts one channel: n source words yield one result word. */
template <kind k, int n>
__device__ __forceinline__ void pick(const struct copying &c, const Vectors<n> &in, Vectors<1> &out)
{
    constexpr int size = k == pair ? 2 : 1; /* words of a sample */
#pragma unroll
    for (int i = 0; i < words; i++) {
        if constexpr (k == narrow) {
            /* The low half of the result word comes from the first two of its n source words, the high half from the
             * last two. */
            const uint32_t *from = in.v + i * n;
            const uint32_t low = __byte_perm(from[0], from[1], c.low);
            const uint32_t high = __byte_perm(from[n - 2], from[n - 1], c.high);
            out.v[i] = __byte_perm(low, high, 0x5410);
        } else {
            const uint32_t *from = in.v + i / size * size * n + i % size;
            out.v[i] = from[0];
#pragma unroll
            for (unsigned q = 1; q < n; q++)
                out.v[i] = c.channel == q ? from[q * size] : out.v[i];
        }
    }
}

/* Stores the first `bytes` bytes of a vector, with bytes < 16. */
__device__ __forceinline__ void store_some(char *to, uint4 v, unsigned bytes)
{
    if (bytes & 8) {
        *reinterpret_cast<uint2 *>(to) = make_uint2(v.x, v.y);
        to += 8;
        v.x = v.z;
        v.y = v.w;
    }
    if (bytes & 4) {
        *reinterpret_cast<uint32_t *>(to) = v.x;
        to += 4;
        v.x = v.y;
    }
    if (bytes & 2) {
        *reinterpret_cast<uint16_t *>(to) = static_cast<uint16_t>(v.x);
        to += 2;
        v.x >>= 16;
    }
    if (bytes & 1)
        *to = static_cast<char>(v.x);
}

template <kind k, int n>
__global__ void __launch_bounds__(copy_threads) copy_kernel(const __grid_constant__ struct copying c)
{
    constexpr int per_thread = n == 1 ? 4 : 2; /* vectors per thread, which keep 4 to 8 loads in flight */
    constexpr unsigned tile = copy_threads * per_thread;
    const uint64_t all = c.dst_vectors * c.rows;
    for (uint64_t base = static_cast<uint64_t>(blockIdx.x) * tile; base < all;
         base += static_cast<uint64_t>(gridDim.x) * tile) {
        const uint64_t row = c.rows == 1 ? 0 : base / c.dst_vectors;
        const struct gf_place start = {row, base - row * c.dst_vectors};
        Vectors<n> in[per_thread];
        struct gf_place at[per_thread];
#pragma unroll
        for (int u = 0; u < per_thread; u++) {
            at[u] = gf_advance<tile>(start, u * copy_threads + threadIdx.x, c.dst_vectors);
            const uint4 *from = reinterpret_cast<const uint4 *>(c.src + at[u].row * c.src_pitch) + at[u].piece * n;
#pragma unroll
            for (int q = 0; q < n; q++)
                in[u].raw[q] = at[u].row < c.rows && at[u].piece * n + q < c.src_vectors ? __ldg(from + q)
                                                                                         : make_uint4(0, 0, 0, 0);
        }
#pragma unroll
        for (int u = 0; u < per_thread; u++) {
            if (at[u].row >= c.rows)
                continue;
            Vectors<1> out;
            if constexpr (n == 1)
                out.raw[0] = in[u].raw[0];
            else
                pick<k, n>(c, in[u], out);
            gf_make_canonical(c.nan, out.v);
            const uint64_t left = c.row_bytes - at[u].piece * vector_bytes;
            char *to = c.dst + at[u].row * c.dst_pitch + at[u].piece * vector_bytes;
            if (left >= vector_bytes)
                *reinterpret_cast<uint4 *>(to) = out.raw[0];
            else
                store_some(to, out.raw[0], static_cast<unsigned>(left));
        }
    }
}

template <kind k, int n> cudaError_t launch(const struct copying &c, cudaStream_t stream)
{
    const uint64_t tile = copy_threads * (n == 1 ? 4 : 2), blocks = (c.dst_vectors * c.rows + tile - 1) / tile;
    copy_kernel<k, n><<<gf_cuda_grid(blocks), copy_threads, 0, stream>>>(c);
    return cudaPeekAtLastError();
}

template <kind k> cudaError_t launch_pick(const struct copying &c, uint32_t channels, cudaStream_t stream)
{
    return channels == 2 ? launch<k, 2>(c, stream) : channels == 3 ? launch<k, 3>(c, stream) : launch<k, 4>(c, stream);
}

/* `channels` is the number of source channels to extract one from, or 1 to copy them all. */
cudaError_t launch_copy(const struct copying &c, uint32_t dtype, uint32_t channels, cudaStream_t stream)
{
    const size_t size = gf_dtype_size(dtype);
    return channels == 1 ? launch<word, 1>(c, stream)
           : size == 8   ? launch_pick<pair>(c, channels, stream)
           : size == 4   ? launch_pick<word>(c, channels, stream)
                         : launch_pick<narrow>(c, channels, stream);
}

/* The selector for bytes `from` and from + 1 of a result word, which lie in `channels` source words. __byte_perm
 * selects from two consecutive words, the first of which is number `first`. */
uint32_t selector(uint32_t from, uint32_t first, uint32_t size, uint32_t channels, uint32_t channel)
{
    uint32_t selected = 0;
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t byte = from + i, at = byte / size * size * channels + channel * size + byte % size;
        selected |= (at - 4 * first) << 4 * i;
    }
    return selected;
}

uint64_t vectors_of(uint64_t bytes)
{
    return (bytes + vector_bytes - 1) / vector_bytes;
}

/* The launch arguments for rows `first` to `end` - 1. */
struct copying copying_of(const struct gf_cuda_call *call, uint32_t channels, uint64_t first, uint64_t end)
{
    const struct gf_cuda_image *in = call->image[0], *out = &call->out[0];
    const uint32_t size = static_cast<uint32_t>(gf_dtype_size(in->view.dtype));
    struct copying c = {};
    c.src = static_cast<const char *>(in->data) + first * in->view.pitch;
    c.dst = static_cast<char *>(out->data) + first * out->view.pitch;
    c.src_pitch = in->view.pitch;
    c.dst_pitch = out->view.pitch;
    c.row_bytes = gf_view_row_bytes(&out->view);
    c.nan = gf_dtype_kind(in->view.dtype) == GF_KIND_FLOAT ? size : 0;
    c.rows = end - first;
    uint64_t src_bytes = gf_view_row_bytes(&in->view);
    if (src_bytes == c.src_pitch && c.row_bytes == c.dst_pitch) {
        src_bytes *= c.rows;
        c.row_bytes *= c.rows;
        c.rows = 1;
    }
    c.src_vectors = vectors_of(src_bytes);
    c.dst_vectors = vectors_of(c.row_bytes);
    if (channels > 1) {
        c.channel = gf_copy_params_get(&call->step->params).channel - 1;
        if (size <= 2) {
            c.low = selector(0, 0, size, channels, c.channel);
            c.high = selector(2, channels - 2, size, channels, c.channel);
        }
    }
    return c;
}

enum gf_status launch_rows(struct gf_cuda_call *call, void *, uint64_t first, uint64_t end, struct gf_error *err)
{
    const struct gf_view *in = &call->image[0]->view;
    const uint32_t channels = gf_copy_params_get(&call->step->params).channel == 0 ? 1 : in->channels;
    return gf_cuda_status(launch_copy(copying_of(call, channels, first, end), in->dtype, channels, call->exec->main),
                          "starting a copy", err);
}

} // namespace

extern "C" enum gf_status gf_cuda_copy(struct gf_cuda_call *call, struct gf_error *err)
{
    const struct gf_cuda_row_chunks row_chunks = gf_cuda_row_chunks(call, gf_view_bytes(&call->image[0]->view), 1);
    const struct gf_cuda_row_fns fns = {launch_rows, nullptr, nullptr};
    return gf_cuda_run_rows(call, &row_chunks, &fns, nullptr, err);
}
