/* SPDX-License-Identifier: MIT */
/*
 * Extrema under rectangles, docs/numerics.md, "Morphology", by the method of van Herk and of Gil and Werman: three
 * comparisons per sample and axis, for any size of the rectangle. Called by morphology.c. Passes rectangles of up to 16
 * x 16 on to small_rectangle.cu.
 *
 * A line is cut into blocks as long as the rectangle. A window that begins in a block consists of a suffix of that
 * block and a prefix of the next one. A thread makes all windows that begin in one block: it computes the suffixes
 * backwards and keeps them in shared memory, then computes the prefixes while it walks along the next block.
 *
 * Thread blocks load tiles with their halo in a grid-stride loop. Along rows, a word must hold samples of different
 * rows, so that adjacent samples are in different words. So squares of one word by n rows, n being the samples per
 * word, are transposed on their way into shared memory (A); windows along rows (B) are transposed back (A); windows
 * along columns are made from whole words (B keeps the suffixes) and stored.
 *
 * Transposed lines of A and B have groups + 1 words, a multiple of 32 plus one, so the 32 / n x n squares of a warp
 * have no bank conflicts. Neither have the squares of untransposed rows, whose pitch is 32 / (n n) modulo 32 / n, nor
 * lanes that walk along adjacent lines.
 */
#include <math.h>

#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/shared_limit.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "words.cuh"

namespace
{

using namespace gf;

constexpr int threads = 256, warps = threads / 32;
constexpr int groups_step = 32;

/* The sizes of a tile, on host and device. A word has n samples. */
template <int n> struct Layout {
    int32_t rows, columns, words; /* rows and samples, both with the halo; words per row of the result */
    int32_t line, pitch;          /* in words: of a transposed line, of a row */

    __host__ __device__ explicit Layout(const struct gf_cuda_morphology &m)
    {
        const int32_t channels = static_cast<int32_t>(m.channels);
        rows = m.tile_height + m.height - 1;
        columns = ((m.tile_width + m.width - 1) * channels + 2 * (n - 1)) / n * n; /* with padding to whole words */
        words = m.tile_width * channels / n;
        line = m.groups + 1;
        pitch = n == 4 ? (words + 7) / 8 * 8 + 2 : n == 2 ? (words + 15) / 16 * 16 + 8 : words;
    }
    __host__ __device__ int32_t a_words(const struct gf_cuda_morphology &m) const
    {
        const int32_t transposed = columns * line, back = m.groups * n * pitch;
        return transposed > back ? transposed : back;
    }
    __host__ __device__ int32_t b_words(const struct gf_cuda_morphology &m) const
    {
        const int32_t transposed = words * n * line, back = m.tile_height * pitch;
        return transposed > back ? transposed : back;
    }
};

/* Calls f(word column, group of rows) for all squares. A warp has 32 / n columns of n groups. */
template <int n, class F> __device__ __forceinline__ void for_squares(int32_t words, int32_t groups, F &&f)
{
    constexpr int across = 32 / n;
    const int32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, x = lane % across, y = lane / across;
    for (int32_t g = (warp % 2) * n + y; g < groups; g += 2 * n)
        for (int32_t w = (warp / 2) * across + x; w < words; w += warps / 2 * across)
            f(w, g);
}

/* Makes all windows of `length` that begin at samples `first` to first + length - 1, below `end`. Samples are `step`
 * words apart in `from`, suffixes in `to`. Calls made(place, window) for each window. Only the thread that wrote a
 * suffix reads it. */
template <int n, bool dilate, class F>
__device__ __forceinline__ void make_windows(const uint32_t *from, uint32_t *to, int32_t step, int32_t length,
                                             int32_t first, int32_t end, F &&made)
{
    const int32_t next = first + length, last = next < end ? next : end;
    Extremum<n, dilate> ends, begins;
    ends.set(from[(next - 1) * step]);
    if (next - 1 < end)
        to[(next - 1) * step] = ends.get();
    for (int32_t i = next - 2; i >= first; i--) {
        ends.add(from[i * step]);
        if (i < end)
            to[i * step] = ends.get();
    }
    made(first, ends.get());
    if (first + 1 >= last)
        return;
    begins.set(from[next * step]);
    for (int32_t i = first + 1; i < last; i++) {
        if (i > first + 1)
            begins.add(from[(i + length - 1) * step]);
        Extremum<n, dilate> window = begins;
        window.add(to[i * step]);
        made(i, window.get());
    }
}

template <int n, bool dilate>
__global__ void __launch_bounds__(threads) rectangle_kernel(const __grid_constant__ struct gf_cuda_morphology m)
{
    extern __shared__ uint32_t shared[];
    const Layout<n> l(m);
    uint32_t *a = shared, *b = shared + l.a_words(m);
    const int32_t channels = static_cast<int32_t>(m.channels), lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int32_t across = (m.picture_width + m.tile_width - 1) / m.tile_width;
    const int32_t down = (m.end - m.first + m.tile_height - 1) / m.tile_height, samples = m.picture_width * channels;
    for (int32_t tile = blockIdx.x; tile < across * down; tile += gridDim.x) {
        const int32_t x = tile % across * m.tile_width, y = m.first + tile / across * m.tile_height;
        const int32_t begin = (x - m.anchor_x) * channels;
        const int32_t lead = begin & (n - 1), aligned = begin - lead; /* also correct for a negative begin */
        const int32_t words = (lead + (m.tile_width + m.width - 1) * channels + n - 1) / n;
        /* A, transposed: sample s of row group g is at s * line + g. words * n is at most `columns`. Rows below the
         * halo only complete a group; they are cut off when squares are transposed back. */
        for_squares<n>(words, (l.rows + n - 1) / n, [&](int32_t w, int32_t g) {
            uint32_t v[n];
#pragma unroll
            for (int k = 0; k < n; k++)
                v[k] = fetch<n>(m, y - m.anchor_y + g * n + k, aligned + w * n);
            transpose<n>(v);
#pragma unroll
            for (int k = 0; k < n; k++)
                a[(w * n + k) * l.line + g] = v[k];
        });
        gf_sync_block(); /* A is written before it is read */
        /* B, transposed: windows along rows. A lane has a group of rows, a warp a channel and a block of windows. */
        const int32_t blocks_x = (m.tile_width + m.width - 1) / m.width, sets = m.groups / groups_step;
        for (int32_t i = warp; i < sets * channels * blocks_x; i += warps) {
            const int32_t g = i % sets * groups_step + lane, c = i / sets % channels, j = i / sets / channels;
            uint32_t *to = b + c * l.line + g;
            make_windows<n, dilate>(a + (lead + c) * l.line + g, to, channels * l.line, m.width, j * m.width,
                                    m.tile_width, [&](int32_t at, uint32_t v) { to[at * channels * l.line] = v; });
        }
        gf_sync_block(); /* B is written before it is read; A has been read before it is overwritten */
        /* A, not transposed: word w of row r is at r * pitch + w. */
        for_squares<n>(l.words, (l.rows + n - 1) / n, [&](int32_t w, int32_t g) {
            uint32_t v[n];
#pragma unroll
            for (int k = 0; k < n; k++)
                v[k] = b[(w * n + k) * l.line + g];
            transpose<n>(v);
#pragma unroll
            for (int k = 0; k < n; k++)
                a[(g * n + k) * l.pitch + w] = v[k];
        });
        gf_sync_block(); /* A is written before it is read; B has been read before it is overwritten */
        /* B keeps suffixes; windows along columns go to the result. */
        const int32_t blocks_y = (m.tile_height + m.height - 1) / m.height, strips = (l.words + 31) / 32;
        for (int32_t i = warp; i < strips * blocks_y; i += warps) {
            const int32_t w = i % strips * 32 + lane, j = i / strips, at = x * channels + w * n;
            if (w < l.words && at < samples && y + j * m.height < m.end)
                make_windows<n, dilate>(a + w, b + w, l.pitch, m.height, j * m.height, m.tile_height,
                                        [&](int32_t row, uint32_t v) {
                                            if (y + row < m.end)
                                                finish<n>(m, y + row, at, v);
                                        });
        }
        gf_sync_block(); /* all threads have read A and B before the next tile overwrites them */
    }
}

template <int n> size_t shared_bytes(const struct gf_cuda_morphology &m)
{
    const Layout<n> l(m);
    return static_cast<size_t>(l.a_words(m) + l.b_words(m)) * sizeof(uint32_t);
}

/* Finds the tile with the least halo for its size: first among tiles of which two or more blocks fit a multiprocessor,
 * then, for the largest rectangles, among tiles of which one fits. */
template <int n> bool plan(struct gf_cuda_morphology *m)
{
    const int32_t channels = static_cast<int32_t>(m->channels), per_word = n; /* 4 pixels fill whole words */
    const size_t most = gf_cuda_shared_memory_max(), limits[2] = {most < 72 * 1024 ? most : 72 * 1024, most};
    /* The limit of samples computed per sample needed: beyond it, two passes cost less. A pass along a single axis
     * cannot be split, so it has no limit. */
    double least = m->width == 1 || m->height == 1 ? HUGE_VAL : 2.5;
    for (int i = 0; i < 2; i++) {
        for (int32_t groups = groups_step; groups <= 384; groups += groups_step)
            for (int32_t words = 32; words <= 256; words += 32) {
                struct gf_cuda_morphology p = *m;
                p.groups = groups;
                p.tile_height = groups * per_word - m->height + 1;
                p.tile_width = words * per_word / channels / 4 * 4;
                if (p.tile_height < 1 || p.tile_width < 4 || shared_bytes<n>(p) > limits[i])
                    continue;
                const double needed = static_cast<double>(p.tile_height) * p.tile_width;
                const double made = static_cast<double>(groups * per_word) * (p.tile_width + m->width - 1);
                if (made / needed < least) {
                    least = made / needed;
                    *m = p;
                }
            }
        if (m->groups != 0)
            return true;
    }
    return false;
}

template <int n, bool dilate> cudaError_t launch(const struct gf_cuda_morphology *m, cudaStream_t stream)
{
    const uint64_t across = (m->picture_width + m->tile_width - 1) / m->tile_width;
    const uint64_t down = (m->end - m->first + m->tile_height - 1) / m->tile_height;
    rectangle_kernel<n, dilate><<<gf_cuda_grid(across * down), threads, shared_bytes<n>(*m), stream>>>(*m);
    return cudaPeekAtLastError();
}

bool is_small(const struct gf_cuda_morphology &m)
{
    return m.width <= GF_CUDA_SMALL_RECTANGLE && m.height <= GF_CUDA_SMALL_RECTANGLE;
}

} // namespace

extern "C" bool gf_cuda_rectangle_plan(struct gf_cuda_morphology *m)
{
    m->groups = 0;
    if (is_small(*m) && gf_cuda_small_rectangle_plan(m))
        return true;
    return with_kind(*m, [&](auto kind) { return plan<kind.n>(m); });
}

extern "C" cudaError_t gf_cuda_rectangle(const struct gf_cuda_morphology *m, cudaStream_t stream)
{
    if (m->groups == 0)
        return gf_cuda_small_rectangle(m, stream);
    return with_kind(*m, [&](auto kind) { return launch<kind.n, kind.dilate>(m, stream); });
}

extern "C" cudaError_t gf_cuda_rectangle_prepare(void)
{
    const cudaError_t error = gf_cuda_small_rectangle_prepare();
    if (error != cudaSuccess)
        return error;
    return raise_shared_limit(gf_cuda_shared_memory_max(), rectangle_kernel<4, true>, rectangle_kernel<2, true>,
                              rectangle_kernel<1, true>, rectangle_kernel<1, false>);
}
