/* SPDX-License-Identifier: MIT */
/*
 * affine and matmul2 of reduce (docs/numerics.md, "affine, matmul2"). Along rows a warp composes a chunk, each thread
 * four adjacent elements of every row of 128; further launches compose chunks of the partials. Down columns a thread
 * composes 64 rows, and a second kernel composes the partials. Called by reduction.c.
 */
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/shared/compose.h"
#include "reduce_segments.h"

namespace
{

constexpr int warp = 32;
constexpr int threads = 256;

template <class T, uint32_t channels> struct alignas(channels * sizeof(T) < 16 ? channels * sizeof(T) : 16) pixel {
    T v[channels];
};

template <class T, uint32_t channels> __device__ __forceinline__ struct gf_compose_map load_map(const char *p)
{
    const pixel<T, channels> e = *reinterpret_cast<const pixel<T, channels> *>(p);
    struct gf_compose_map m = {{0.0, 0.0, 0.0, 0.0}};
#pragma unroll
    for (uint32_t c = 0; c < channels; c++)
        m.v[c] = static_cast<double>(e.v[c]);
    return m;
}

/* Composes elements 0 ... n - 1, at most 4096; get(index) returns an element. Thread 0 has the result. */
template <uint32_t channels, uint32_t batch, class F>
__device__ __forceinline__ struct gf_compose_map compose_chunk(uint32_t n, F &&get)
{
    const uint32_t thread = threadIdx.x % warp;
    struct gf_compose_map all = gf_compose_identity(channels);
    for (uint32_t first = 0; first < n; first += batch * GF_TREE_LANES) {
        struct gf_compose_map row[batch];
#pragma unroll
        for (uint32_t k = 0; k < batch; k++) {
            const uint32_t at = first + k * GF_TREE_LANES + thread * GF_COMPOSE_QUAD;
            if (at < n)
                row[k] = get(at);
#pragma unroll
            for (uint32_t i = 1; i < GF_COMPOSE_QUAD; i++)
                if (at + i < n) {
                    const struct gf_compose_map next = get(at + i);
                    row[k] = gf_compose_then(channels, &row[k], &next);
                }
        }
#pragma unroll
        for (uint32_t k = 0; k < batch; k++) {
            const uint32_t start = first + k * GF_TREE_LANES;
#pragma unroll
            for (uint32_t d = 1; d < GF_COMPOSE_THREADS; d *= 2) {
                struct gf_compose_map next;
#pragma unroll
                for (uint32_t c = 0; c < channels; c++)
                    next.v[c] = gf_shuffle_down(row[k].v[c], d);
                if (thread % (2 * d) == 0 && start + (thread + d) * GF_COMPOSE_QUAD < n)
                    row[k] = gf_compose_then(channels, &row[k], &next);
            }
            if (start == 0)
                all = row[k];
            else if (start < n)
                all = gf_compose_then(channels, &all, &row[k]);
        }
    }
    return all;
}

template <uint32_t channels>
__device__ void emit_map(const struct gf_cuda_sequences &s, uint64_t line, const struct gf_compose_map &m)
{
    for (uint32_t c = 0; c < channels; c++) {
        const uint64_t sample = line * channels + c;
        gf_reduce_put(&s.target, 0, sample % s.target.row, sample / s.target.row, gf_reduced_f64(m.v[c]));
    }
}

template <uint32_t channels>
__device__ __forceinline__ struct gf_compose_map load_word_map(const uint64_t *words, uint64_t total, uint64_t index)
{
    struct gf_compose_map m = {{0.0, 0.0, 0.0, 0.0}};
#pragma unroll
    for (uint32_t c = 0; c < channels; c++)
        m.v[c] = __longlong_as_double(
            static_cast<long long>(__ldcg(reinterpret_cast<const unsigned long long *>(words + c * total + index))));
    return m;
}

/* A level along lines: `n` elements or partials per line become `made` partials, or, where `made` is 1, the results. */
struct level {
    const uint64_t *in; /* partials; NULL: the data */
    uint64_t n, made;
    uint64_t *out;
};

/* Composes n elements at `data` from index `start` on. */
template <class T, uint32_t channels>
__device__ __forceinline__ struct gf_compose_map compose_data(const struct gf_cuda_sequences &s, const char *data,
                                                              uint64_t start, uint32_t n)
{
    constexpr uint32_t size = channels * sizeof(T), batch = size >= 32 ? 1 : 32 / size;
    const uint64_t y = start < s.width ? 0 : start / s.width, x = start - y * s.width;
    if (x + n <= s.width) {
        const char *from = data + y * s.pitch + x * size;
        return compose_chunk<channels, batch>(n, [&](uint32_t i) { return load_map<T, channels>(from + i * size); });
    }
    return compose_chunk<channels, 1>(n, [&](uint32_t i) {
        const uint64_t e = start + i, row = e / s.width;
        return load_map<T, channels>(data + row * s.pitch + (e - row * s.width) * size);
    });
}

/* Item: a chunk of a line, per warp. */
template <class T, uint32_t channels>
__global__ void __launch_bounds__(threads)
    lines_kernel(const __grid_constant__ struct gf_cuda_sequences s, const __grid_constant__ struct level l)
{
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * (threads / warp), items = l.made * s.lines;
    for (uint64_t item = static_cast<uint64_t>(blockIdx.x) * (threads / warp) + threadIdx.x / warp; item < items;
         item += step) {
        const uint64_t line = item / l.made, start = (item - line * l.made) * GF_TREE_CHUNK, left = l.n - start;
        const uint32_t n = left < GF_TREE_CHUNK ? static_cast<uint32_t>(left) : GF_TREE_CHUNK;
        const char *data = s.a + line * s.pitch;
        struct gf_compose_map m;
        if (l.in)
            m = compose_chunk<channels, 1>(
                n, [&](uint32_t i) { return load_word_map<channels>(l.in, l.n * s.lines, line * l.n + start + i); });
        else
            m = compose_data<T, channels>(s, data, start, n);
        if (threadIdx.x % warp != 0)
            continue;
        if (l.made == 1)
            emit_map<channels>(s, line, m);
        else
            for (uint32_t c = 0; c < channels; c++)
                l.out[c * items + item] = gf_word_of(m.v[c]);
    }
}

/* Item: a place in a level of long segments, per warp. On level 0 the segments come first, each an item if it has a
 * single chunk. */
template <class T, uint32_t channels>
__global__ void __launch_bounds__(threads) segments_kernel(const __grid_constant__ struct gf_cuda_sequences s,
                                                           const __grid_constant__ struct gf_cuda_cut_level l)
{
    const struct gf_reduce_cut &cut = s.cut;
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * (threads / warp);
    const uint64_t shorts = l.level == 0 ? cut.n : 0, items = shorts + l.out_n;
    for (uint64_t item = static_cast<uint64_t>(blockIdx.x) * (threads / warp) + threadIdx.x / warp; item < items;
         item += step) {
        const bool is_short = item < shorts;
        const uint64_t place = item - shorts, j = is_short ? 0 : gf_cut_at(&cut, place, l.level);
        const uint64_t segment = is_short ? item : cut.longs[j];
        const uint64_t first = is_short ? 0 : (place - gf_cut_base(&cut, j, l.level)) * GF_TREE_CHUNK;
        const uint64_t all = l.level == 0 ? gf_cut_length(&cut, segment) : gf_cut_partials(&cut, j, l.level - 1);
        if (is_short ? all > GF_TREE_CHUNK : first >= all || all == 1)
            continue; /* a long segment, an unused place, or a finished segment */
        const uint32_t n = all - first < GF_TREE_CHUNK ? static_cast<uint32_t>(all - first) : GF_TREE_CHUNK;
        struct gf_compose_map m;
        if (l.level == 0) {
            m = compose_data<T, channels>(s, s.a, cut.offsets[segment] + first, n);
        } else {
            const uint64_t *in = static_cast<const uint64_t *>(l.in), at = gf_cut_base(&cut, j, l.level - 1) + first;
            m = compose_chunk<channels, 1>(n, [&](uint32_t i) { return load_word_map<channels>(in, l.in_n, at + i); });
        }
        if (threadIdx.x % warp != 0)
            continue;
        if (all <= GF_TREE_CHUNK)
            emit_map<channels>(s, segment, m);
        else
            for (uint32_t c = 0; c < channels; c++)
                static_cast<uint64_t *>(l.out)[c * l.out_n + place] = gf_word_of(m.v[c]);
    }
}

/* Item: 64 rows of a column, per thread. */
template <class T, uint32_t channels>
__global__ void __launch_bounds__(threads) blocks_kernel(const __grid_constant__ struct gf_cuda_sequences s)
{
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * threads, items = s.chunks * s.lines;
    for (uint64_t item = static_cast<uint64_t>(blockIdx.x) * threads + threadIdx.x; item < items; item += step) {
        const uint64_t y = item / s.lines * GF_TREE_ROWS;
        const char *p = s.a + y * s.pitch + item % s.lines * channels * sizeof(T);
        const uint32_t n = s.n - y < GF_TREE_ROWS ? static_cast<uint32_t>(s.n - y) : GF_TREE_ROWS;
        struct gf_compose_map m = load_map<T, channels>(p);
#pragma unroll 8
        for (uint32_t i = 1; i < n; i++) {
            const struct gf_compose_map next = load_map<T, channels>(p + i * s.pitch);
            m = gf_compose_then(channels, &m, &next);
        }
        for (uint32_t c = 0; c < channels; c++)
            s.partials[c * items + item] = gf_word_of(m.v[c]);
    }
}

/* Item: a column, per thread. Composes the output of blocks_kernel 64 at a time, then the results 64 at a time, and so
 * on. */
template <uint32_t channels>
__global__ void __launch_bounds__(threads) columns_kernel(const __grid_constant__ struct gf_cuda_sequences s)
{
    constexpr uint32_t levels = 7;
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * threads, total = s.chunks * s.lines;
    for (uint64_t item = static_cast<uint64_t>(blockIdx.x) * threads + threadIdx.x; item < s.lines; item += step) {
        struct gf_compose_map level[levels], m = {};
        uint32_t filled[levels] = {};
        const auto push = [&](uint32_t to) {
            level[to] = filled[to]++ == 0 ? m : gf_compose_then(channels, &level[to], &m);
        };
        for (uint64_t block = 0; block < s.chunks; block++) {
            m = load_word_map<channels>(s.partials, total, block * s.lines + item);
            push(0);
            for (uint32_t full = 0; filled[full] == GF_TREE_ROWS; full++) {
                m = level[full];
                filled[full] = 0;
                push(full + 1);
            }
        }
        uint32_t top = levels - 1;
        while (filled[top] == 0)
            top--;
        for (uint32_t i = 0; i < top; i++)
            if (filled[i] > 0) {
                m = level[i];
                push(i + 1);
            }
        emit_map<channels>(s, item, level[top]);
    }
}

unsigned blocks_for(uint64_t items, uint64_t per_block)
{
    return gf_cuda_grid((items + per_block - 1) / per_block);
}

template <class T, uint32_t channels> cudaError_t launch(const struct gf_cuda_sequences *s, cudaStream_t stream)
{
    if (!s->columns) {
        struct level l = {nullptr, s->n, s->chunks, s->partials};
        uint64_t *other = s->partials + s->chunks * s->lines * channels;
        for (;;) {
            lines_kernel<T, channels><<<blocks_for(l.made * s->lines, threads / warp), threads, 0, stream>>>(*s, l);
            const cudaError_t error = cudaPeekAtLastError();
            if (error != cudaSuccess || l.made == 1)
                return error;
            uint64_t *made = l.out;
            l = {made, l.made, (l.made - 1) / GF_TREE_CHUNK + 1, other};
            other = made;
        }
    }
    blocks_kernel<T, channels><<<blocks_for(s->chunks * s->lines, threads), threads, 0, stream>>>(*s);
    const cudaError_t error = cudaPeekAtLastError();
    if (error != cudaSuccess)
        return error;
    columns_kernel<channels><<<blocks_for(s->lines, threads), threads, 0, stream>>>(*s);
    return cudaPeekAtLastError();
}

template <class T, uint32_t channels>
cudaError_t launch_segments(const struct gf_cuda_sequences *s, const struct gf_cuda_cut_level *l, cudaStream_t stream)
{
    const uint64_t items = l->out_n + (l->level == 0 ? s->cut.n : 0);
    segments_kernel<T, channels><<<blocks_for(items, threads / warp), threads, 0, stream>>>(*s, *l);
    return cudaPeekAtLastError();
}

} // namespace

extern "C" cudaError_t gf_cuda_compose_launch(uint32_t dtype, const struct gf_cuda_sequences *s, cudaStream_t stream)
{
    if (s->r.op == GF_REDUCTION_AFFINE)
        return dtype == GF_F32 ? launch<float, 2>(s, stream) : launch<double, 2>(s, stream);
    return dtype == GF_F32 ? launch<float, 4>(s, stream) : launch<double, 4>(s, stream);
}

extern "C" cudaError_t gf_cuda_compose_segments_launch(uint32_t dtype, const struct gf_cuda_sequences *s,
                                                       const struct gf_cuda_cut_level *level, cudaStream_t stream)
{
    if (s->r.op == GF_REDUCTION_AFFINE)
        return dtype == GF_F32 ? launch_segments<float, 2>(s, level, stream)
                               : launch_segments<double, 2>(s, level, stream);
    return dtype == GF_F32 ? launch_segments<float, 4>(s, level, stream) : launch_segments<double, 4>(s, level, stream);
}
