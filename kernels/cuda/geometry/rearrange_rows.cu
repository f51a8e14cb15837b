/* SPDX-License-Identifier: MIT */
/*
 * Rows that stay rows: windows, margins, mirrored rows. Called by rearrange.c.
 *
 * A thread makes groups of 16 bytes of a row; where pixels of 3, 6 and 12 bytes are mirrored, groups of 12, which whole
 * pixels fill, and of 24 bytes, of 24. A group comes from as many neighbouring bytes of a row of the source: these
 * begin anywhere, so it is cut out of one word more, by shifts in registers; mirrored, its pixels change places there.
 * Only groups that reach into a margin are put together byte by byte. Groups are numbered through all rows.
 */
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/geometry/rearrange.h"
#include "kernels/cuda/step/places.cuh"
#include "protocol/ops/enums.h"

namespace
{

constexpr int row_threads = 256;

/* The groups of a thread whose loads are in flight together. */
template <int words> constexpr int per_thread = words == 6 ? 2 : 4;

/* Where a border takes sample i of n from; -1 for a constant. Section 3, and what is near without a division. */
__device__ __forceinline__ int64_t border_place(uint32_t border, int64_t i, int64_t n)
{
    if (i >= 0 && i < n)
        return i;
    if (border == GF_BORDER_CONSTANT)
        return -1;
    if (border == GF_BORDER_REPLICATE || n == 1)
        return i < 0 ? 0 : n - 1;
    const int64_t period = border == GF_BORDER_WRAP ? n : border == GF_BORDER_REFLECT ? 2 * n : 2 * n - 2;
    int64_t m = i < 0 ? i + period : i;
    if (m < 0 || m >= period) {
        m = i % period;
        m = m < 0 ? m + period : m;
    }
    return m < n ? m : border == GF_BORDER_REFLECT ? 2 * n - 1 - m : 2 * n - 2 - m;
}

/* A word of a row of the source; those before and behind it are not read. */
__device__ __forceinline__ uint32_t word_at(const char *row, int64_t i, uint64_t row_words)
{
    return static_cast<uint64_t>(i) < row_words ? __ldg(reinterpret_cast<const uint32_t *>(row) + i) : 0;
}

/* The bytes of a row from byte `at` on, which may lie before it; bytes outside the row are anything. Rows begin at
 * multiples of 16 bytes, so that their last words are whole, and so are vectors at multiples of 16. */
template <int words>
__device__ __forceinline__ void fetch(const char *row, uint64_t row_words, int64_t at, uint32_t (&v)[words])
{
    const int64_t first = at >> 2;
    const unsigned shift = static_cast<unsigned>(at & 3) * 8;
    if constexpr (words == 4)
        if ((at & 15) == 0 && static_cast<uint64_t>(first) < row_words) {
            const uint4 vector = __ldg(reinterpret_cast<const uint4 *>(row + at));
            v[0] = vector.x;
            v[1] = vector.y;
            v[2] = vector.z;
            v[3] = vector.w;
            return;
        }
    uint32_t w[words + 1];
#pragma unroll
    for (int i = 0; i < words; i++)
        w[i] = word_at(row, first + i, row_words);
    w[words] = shift != 0 ? word_at(row, first + words, row_words) : 0;
#pragma unroll
    for (int i = 0; i < words; i++)
        v[i] = __funnelshift_r(w[i], w[i + 1], shift);
}

/* Turns the order of the pixels of a group. Bytes are numbered from the lowest of w[0] on. */
template <int words> __device__ __forceinline__ void mirror(uint32_t pixel, uint32_t (&w)[words])
{
    if constexpr (words == 4) {
        const uint32_t selector = pixel == 1 ? 0x0123 : pixel == 2 ? 0x1032 : 0x3210;
        const uint32_t v[4] = {__byte_perm(w[0], 0, selector), __byte_perm(w[1], 0, selector),
                               __byte_perm(w[2], 0, selector), __byte_perm(w[3], 0, selector)};
        const uint32_t turn = pixel <= 4 ? 3 : pixel == 8 ? 2 : 0; /* word i comes from word i ^ turn */
        w[0] = turn == 3 ? v[3] : turn == 2 ? v[2] : v[0];
        w[1] = turn == 3 ? v[2] : turn == 2 ? v[3] : v[1];
        w[2] = turn == 3 ? v[1] : turn == 2 ? v[0] : v[2];
        w[3] = turn == 3 ? v[0] : turn == 2 ? v[1] : v[3];
    } else if constexpr (words == 3) {
        const uint32_t a = w[0], b = w[1], c = w[2];
        if (pixel == 3) {
            w[0] = __byte_perm(b, c, 0x2765);                                                 /* 9 10 11 6 */
            w[1] = __byte_perm(__byte_perm(b, c, 0x4343), __byte_perm(a, b, 0x4343), 0x5410); /* 7 8 3 4 */
            w[2] = __byte_perm(a, b, 0x2105);                                                 /* 5 0 1 2 */
        } else if (pixel == 6) {
            w[0] = __byte_perm(b, c, 0x5432); /* 6 7 8 9 */
            w[1] = __byte_perm(c, a, 0x5432); /* 10 11 0 1 */
            w[2] = __byte_perm(a, b, 0x5432); /* 2 3 4 5 */
        }
    }
}

/* Lets a byte in at the upper end of a vector, and the lowest one out. */
template <int words> __device__ __forceinline__ void move_up(uint32_t (&v)[words], uint32_t byte)
{
#pragma unroll
    for (int i = 0; i < words - 1; i++)
        v[i] = __funnelshift_r(v[i], v[i + 1], 8);
    v[words - 1] = v[words - 1] >> 8 | byte << 24;
}

/* A group with pixels of a margin, byte by byte; `row` is NULL in rows that are all of a constant. Few groups are such:
 * bytes go through a vector that moves, so that there is one loop and little code to jump over. */
__device__ __forceinline__ void gather(const struct gf_cuda_rearranging &r, const char *row, uint64_t at,
                                       uint32_t (&v)[4])
{
    uint64_t x = at / r.pixel;
    uint32_t q = static_cast<uint32_t>(at - x * r.pixel);
    const int64_t width = static_cast<int64_t>(r.width);
    int64_t from = -1;
    bool next = true;
#pragma unroll 1
    for (int i = 0; i < 16; i++) {
        if (next && row != nullptr)
            from = border_place(r.g.border, static_cast<int64_t>(x) + r.g.left, width);
        const uint32_t byte =
            from < 0 ? r.g.outside[q] : static_cast<uint8_t>(__ldg(row + static_cast<uint64_t>(from) * r.pixel + q));
        move_up(v, byte);
        next = ++q == r.pixel;
        q = next ? 0 : q;
        x += next ? 1 : 0;
    }
}

/* The first `bytes` of a group; `to` is a multiple of 4. */
template <int words> __device__ __forceinline__ void store(char *to, uint64_t bytes, uint32_t (&v)[words])
{
    if (bytes >= words * 4) {
        if constexpr (words == 4) {
            *reinterpret_cast<uint4 *>(to) = make_uint4(v[0], v[1], v[2], v[3]);
        } else {
#pragma unroll
            for (int i = 0; i < words; i++)
                *reinterpret_cast<uint32_t *>(to + 4 * i) = v[i];
        }
        return;
    }
#pragma unroll 1
    for (uint64_t k = 0; k < bytes; k++) { /* the end of a row */
        to[k] = static_cast<char>(v[0]);
        move_up(v, 0);
    }
}

/* The row of the source that is seen in row y of the result; -1: none, it is all of a constant. */
__device__ __forceinline__ int64_t line_of(const struct gf_cuda_rearranging &r, uint64_t y)
{
    const int64_t height = static_cast<int64_t>(r.height), at = static_cast<int64_t>(y);
    return r.g.from_bottom ? height - 1 - at : border_place(r.g.border, at + r.g.top, height);
}

/* Each block takes tiles of groups until there are no more; no thread needs what another one wrote. */
template <int words>
__global__ void __launch_bounds__(row_threads) rows_kernel(const __grid_constant__ struct gf_cuda_rearranging r)
{
    constexpr int n = per_thread<words>;
    constexpr unsigned tile = row_threads * n, group = words * 4;
    const uint64_t src_bytes = r.width * r.pixel, dst_bytes = r.dst_width * r.pixel, src_words = (src_bytes + 3) / 4;
    const uint64_t row_groups = (dst_bytes + group - 1) / group, rows = r.end - r.first, all = row_groups * rows;
    for (uint64_t base = static_cast<uint64_t>(blockIdx.x) * tile; base < all;
         base += static_cast<uint64_t>(gridDim.x) * tile) {
        const uint64_t row = rows == 1 ? 0 : base / row_groups;
        const struct gf_place start = {row, base - row * row_groups};
        uint32_t v[n][words];
        struct gf_place at[n];
        unsigned whole = 0, in_margin = 0; /* bits of groups */
#pragma unroll
        for (int u = 0; u < n; u++) {
            at[u] = gf_advance<tile>(start, u * row_threads + threadIdx.x, row_groups);
            if (at[u].row >= rows)
                continue;
            const int64_t line = line_of(r, r.first + at[u].row);
            const uint64_t first = at[u].piece * group, past = first + group < dst_bytes ? first + group : dst_bytes;
            /* Mirrored, group i comes from the i-th from the end, and the two of a pixel of 32 bytes keep their order.
             */
            const int64_t begin = r.g.from_right
                                      ? static_cast<int64_t>(src_bytes - group * ((at[u].piece ^ (r.pixel == 32)) + 1))
                                      : static_cast<int64_t>(first) + r.g.left * static_cast<int64_t>(r.pixel);
            if (line >= 0 && (r.g.from_right || (begin >= 0 && begin + (past - first) <= src_bytes))) {
                whole |= 1u << u;
                fetch<words>(r.src + static_cast<uint64_t>(line) * r.src_pitch, src_words, begin, v[u]);
            } else {
                in_margin |= 1u << u;
            }
        }
#pragma unroll
        for (int u = 0; u < n; u++) {
            if ((whole >> u & 1) == 0)
                continue;
            const uint64_t first = at[u].piece * group;
            if (r.g.from_right)
                mirror<words>(r.pixel, v[u]);
            gf_make_canonical<words>(r.nan, v[u]);
            store<words>(r.dst + (r.first + at[u].row) * r.dst_pitch + first, dst_bytes - first, v[u]);
        }
        if constexpr (words == 4) {
#pragma unroll 1
            for (; in_margin != 0; in_margin &= in_margin - 1) {
                const unsigned ahead = (__ffs(in_margin) - 1) * row_threads + threadIdx.x;
                const struct gf_place place = gf_advance<tile>(start, ahead, row_groups);
                const uint64_t y = r.first + place.row, first = place.piece * group;
                const int64_t line = line_of(r, y);
                uint32_t made[4] = {};
                gather(r, line < 0 ? nullptr : r.src + static_cast<uint64_t>(line) * r.src_pitch, first, made);
                gf_make_canonical<words>(r.nan, made);
                store<words>(r.dst + y * r.dst_pitch + first, dst_bytes - first, made);
            }
        }
    }
}

template <int words> cudaError_t launch(const struct gf_cuda_rearranging *r, cudaStream_t stream)
{
    const uint64_t group = words * 4, groups = (r->dst_width * r->pixel + group - 1) / group * (r->end - r->first);
    const uint64_t tile = row_threads * per_thread<words>;
    rows_kernel<words><<<gf_cuda_grid((groups + tile - 1) / tile), row_threads, 0, stream>>>(*r);
    return cudaPeekAtLastError();
}

} // namespace

cudaError_t gf_cuda_rearrange_rows(const struct gf_cuda_rearranging *r, cudaStream_t stream)
{
    if (r->g.from_right && r->pixel == 24)
        return launch<6>(r, stream);
    if (r->g.from_right && r->pixel % 3 == 0)
        return launch<3>(r, stream);
    return launch<4>(r, stream);
}
