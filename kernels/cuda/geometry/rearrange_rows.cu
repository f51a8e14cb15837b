/* SPDX-License-Identifier: MIT */
/*
 * Copies rows that stay rows: crops, margins, mirrored rows. Called by rearrange.c.
 *
 * A row has 32 lanes; fewer if rows are short, more if there are few rows. A lane moves up to four vectors of 16 bytes
 * at a time, 32 vectors apart, so that four loads are in flight. A result vector may begin anywhere within a source
 * vector, but the offset is the same in the whole launch: two source vectors are shifted by it. The second of them is
 * the first of the next lane, so it comes from the cache. If rows are mirrored, vectors come from the end of the row,
 * and their pixels are reversed in registers. Pixels of 3, 6, 12 and 24 bytes are reversed in groups of three vectors,
 * which have whole pixels: each lane makes a group, and the warp exchanges vectors through shared memory, so that
 * adjacent lanes store adjacent vectors.
 *
 * A separate loop moves sample by sample where a vector is not wholly inside the source row: margins, and the ends of
 * rows. Margins of a constant are stored as vectors. The split is the same in all rows, so the host computes it.
 */
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/launch_bounds.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/geometry/rearrange.h"
#include "kernels/cuda/step/places.cuh"
#include "protocol/ops/enums.h"

namespace
{

constexpr unsigned row_threads = 256, warp_lanes = 32;
constexpr unsigned max_grid_rows = 65535; /* CUDA's limit of gridDim.y */
constexpr unsigned vector_bytes = 16;
constexpr unsigned per_lane = 4;                        /* vectors per lane whose loads are in flight together */
constexpr unsigned reach = (per_lane - 1) * warp_lanes; /* the distance from the first to the last of these vectors */
constexpr unsigned group = 3;                           /* vectors that have whole pixels of 3, 6, 12 or 24 bytes */
constexpr unsigned fills = 6;                           /* vectors that have whole pixels of any size */

enum kind { straight, mirrored, mirrored_groups };

/* The number of blocks per multiprocessor that must fit, which limits the registers. */
template <kind k, bool shifted>
constexpr unsigned blocks = gf::blocks_that_fit(row_threads, k == mirrored_groups || !shifted ? 5 : 4);

/* What all rows have in common. Vectors are counted from the beginning of a result row:   0 .. whole
 * vectors of full size   begin .. end            copied from the source row, or mirrored   0 .. fill_end and fill_begin
 * .. whole   a constant margin The units of the remaining vectors, and the units after the last full vector, are moved
 * one by one. */
struct rows {
    struct gf_cuda_rearranging r;
    uint4 fill[fills]; /* a row of the constant */
    uint64_t whole, begin, end, fill_end, fill_begin;
    int64_t from;      /* the source vector in which result vector 0 begins; in which it ends, if mirrored */
    uint32_t shift;    /* the offset in bytes of a result vector within a source vector */
    uint32_t unit_log; /* log2 of a unit: 1, 2, 4 or 8 bytes, of which a pixel has a whole number */
    uint64_t units_left, units_right, units; /* units to move one by one: before `begin`, before fill_begin, all */
    uint32_t spans;                          /* parts of a row; the lanes of a row move one at a time */
    uint32_t lanes_log;                      /* log2 of the lanes per row */
};

/* The source index of sample i of n under a border mode (docs/numerics.md, "Borders"); -1 for a constant. Margins are
 * below 2^32, so 32 bits hold the distance from the picture. */
__device__ __forceinline__ int64_t border_place(uint32_t border, int64_t i, int64_t n)
{
    if (i >= 0 && i < n)
        return i;
    if (border == GF_BORDER_CONSTANT)
        return -1;
    const bool before = i < 0;
    if (border == GF_BORDER_REPLICATE || n == 1)
        return before ? 0 : n - 1;
    /* Wrap continues from the other edge. reflect and reflect101 turn back at the edge, with or without repeating its
     * sample. */
    const int64_t period = border == GF_BORDER_WRAP ? n : border == GF_BORDER_REFLECT ? 2 * n : 2 * n - 2;
    const uint32_t out = static_cast<uint32_t>(before ? -1 - i : i - n) + (border == GF_BORDER_REFLECT101);
    const int64_t m = period > UINT32_MAX ? out : out % static_cast<uint32_t>(period);
    const int64_t from_edge = m < n ? m : border == GF_BORDER_REFLECT ? 2 * n - 1 - m : 2 * n - 2 - m;
    return before != (border == GF_BORDER_WRAP) ? from_edge : n - 1 - from_edge;
}

/* The source row of result row y; -1 for a row of the constant. */
__device__ __forceinline__ int64_t line_of(const struct gf_cuda_rearranging &r, uint64_t y)
{
    const int64_t height = static_cast<int64_t>(r.height), at = static_cast<int64_t>(y);
    return r.g.from_bottom ? height - 1 - at : border_place(r.g.border, at + r.g.top, height);
}

__device__ __forceinline__ void load(const char *from, uint32_t *to)
{
    const uint4 vector = __ldg(reinterpret_cast<const uint4 *>(from));
    to[0] = vector.x;
    to[1] = vector.y;
    to[2] = vector.z;
    to[3] = vector.w;
}

__device__ __forceinline__ uint4 vector_of(const uint32_t *v)
{
    return make_uint4(v[0], v[1], v[2], v[3]);
}

/* Extracts the bytes from byte `shift` on, where shift < 16. */
template <int words>
__device__ __forceinline__ void cut(uint32_t shift, const uint32_t (&from)[words + 4], uint32_t (&to)[words])
{
    const bool by_two = (shift & 8) != 0, by_one = (shift & 4) != 0;
    uint32_t w[words + 2], v[words + 1];
#pragma unroll
    for (int i = 0; i < words + 2; i++)
        w[i] = by_two ? from[i + 2] : from[i];
#pragma unroll
    for (int i = 0; i < words + 1; i++)
        v[i] = by_one ? w[i + 1] : w[i];
#pragma unroll
    for (int i = 0; i < words; i++)
        to[i] = __funnelshift_r(v[i], v[i + 1], shift * 8); /* the instruction takes the shift modulo 32 */
}

/* The same for vectors that were loaded without a shift. */
template <int words> __device__ __forceinline__ void cut(uint32_t, const uint32_t (&from)[words], uint32_t (&to)[words])
{
#pragma unroll
    for (int i = 0; i < words; i++)
        to[i] = from[i];
}

/* Reverses the pixels of a vector. Bytes are numbered from the lowest byte of v[0]. */
__device__ __forceinline__ void mirror_vector(uint32_t pixel, uint32_t *w)
{
    const uint32_t selector = pixel == 1 ? 0x0123 : pixel == 2 ? 0x1032 : 0x3210;
    const uint32_t v[4] = {__byte_perm(w[0], 0, selector), __byte_perm(w[1], 0, selector),
                           __byte_perm(w[2], 0, selector), __byte_perm(w[3], 0, selector)};
    const uint32_t turn = pixel <= 4 ? 3 : pixel == 8 ? 2 : 0; /* word i comes from word i ^ turn */
    w[0] = turn == 3 ? v[3] : turn == 2 ? v[2] : v[0];
    w[1] = turn == 3 ? v[2] : turn == 2 ? v[3] : v[1];
    w[2] = turn == 3 ? v[1] : turn == 2 ? v[0] : v[2];
    w[3] = turn == 3 ? v[0] : turn == 2 ? v[1] : v[3];
}

/* Reverses the pixels of a group of three vectors. Pixels of 24 bytes are swapped as a pair. Otherwise the four triples
 * of words are reversed, and then the pixels of 3 or 6 bytes within each triple. */
__device__ __forceinline__ void mirror_group(uint32_t pixel, uint32_t *w)
{
    uint32_t v[12];
    if (pixel == 24) {
#pragma unroll
        for (int i = 0; i < 12; i++)
            v[i] = w[(i + 6) % 12];
    } else {
#pragma unroll
        for (int i = 0; i < 12; i += 3) {
            const uint32_t x = w[9 - i], y = w[10 - i], z = w[11 - i];
            v[i] = x;
            v[i + 1] = y;
            v[i + 2] = z;
        }
        if (pixel == 3) {
#pragma unroll
            for (int i = 0; i < 12; i += 3) {
                const uint32_t x = v[i], y = v[i + 1], z = v[i + 2];
                v[i] = __byte_perm(y, z, 0x2765);                                                     /* 9 10 11 6 */
                v[i + 1] = __byte_perm(__byte_perm(y, z, 0x4343), __byte_perm(x, y, 0x4343), 0x5410); /* 7 8 3 4 */
                v[i + 2] = __byte_perm(x, y, 0x2105);                                                 /* 5 0 1 2 */
            }
        } else if (pixel == 6) {
#pragma unroll
            for (int i = 0; i < 12; i += 3) {
                const uint32_t x = v[i], y = v[i + 1], z = v[i + 2];
                v[i] = __byte_perm(y, z, 0x5432);     /* 6 7 8 9 */
                v[i + 1] = __byte_perm(z, x, 0x5432); /* 10 11 0 1 */
                v[i + 2] = __byte_perm(x, y, 0x5432); /* 2 3 4 5 */
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 12; i++)
        w[i] = v[i];
}

/* Moves vectors 0, 32, 64 and 96: all four, or only the numbers `begin` to `end` - 1. */
template <kind k, bool shifted, bool all>
__device__ __forceinline__ void move_four(const struct rows &a, const char *source, char *target, unsigned begin,
                                          unsigned end)
{
    constexpr int step = (k == mirrored ? -1 : 1) * static_cast<int>(warp_lanes * vector_bytes);
    uint32_t v[per_lane][shifted ? 8 : 4];
#pragma unroll
    for (unsigned u = 0; u < per_lane; u++)
        if (all || (u * warp_lanes >= begin && u * warp_lanes < end)) {
            const char *from = source + static_cast<int>(u) * step;
            load(from, v[u]);
            if constexpr (shifted)
                load(from + vector_bytes, v[u] + 4);
        }
#pragma unroll
    for (unsigned u = 0; u < per_lane; u++)
        if (all || (u * warp_lanes >= begin && u * warp_lanes < end)) {
            uint32_t w[4];
            cut<4>(a.shift, v[u], w);
            if constexpr (k == mirrored)
                mirror_vector(a.r.pixel, w);
            if (a.r.nan != 0)
                gf_make_canonical(a.r.nan, w);
            *reinterpret_cast<uint4 *>(target + u * warp_lanes * vector_bytes) = vector_of(w);
        }
}

/* The distance from vector `from` to vector `at`, clamped to 0 .. reach + 1. */
__device__ __forceinline__ unsigned distance(uint64_t from, uint64_t at)
{
    return at <= from ? 0 : at - from > reach ? reach + 1 : static_cast<unsigned>(at - from);
}

/* Moves the lane's vectors of the part of a row that begins with vector `first`, as far as they come from the source
 * row. Both source vectors of a result vector have bytes of the row, so both may be read. */
template <kind k, bool shifted>
__device__ __forceinline__ void move_vectors(const struct rows &a, const char *from, char *to, uint64_t first)
{
    const unsigned begin = distance(first, a.begin), end = distance(first, a.end);
    if (end <= begin)
        return;
    /* A pixel of 32 bytes is two vectors, which keep their order. */
    const int64_t at =
        k == mirrored ? a.from - static_cast<int64_t>(first ^ (a.r.pixel == 32)) : a.from + static_cast<int64_t>(first);
    const char *source = from + at * static_cast<int64_t>(vector_bytes);
    char *target = to + first * vector_bytes;
    if (begin == 0 && end > reach)
        move_four<k, shifted, true>(a, source, target, begin, end);
    else
        move_four<k, shifted, false>(a, source, target, begin, end);
}

/* Moves one group per lane, from group `first` on. `from` is NULL for lanes past the last row, which only take part in
 * the barriers. */
template <bool shifted>
__device__ __forceinline__ void move_groups(const struct rows &a, const char *from, char *to, uint64_t first,
                                            unsigned lanes)
{
    __shared__ uint4 stage[row_threads * group];
    const unsigned mine = threadIdx.x & (lanes - 1), some = lanes * group;
    const uint64_t vector = first * group;
    const uint64_t left = from == nullptr || vector >= a.end ? 0 : a.end - vector;
    const unsigned n = left < some ? static_cast<unsigned>(left) : some; /* vectors, in whole groups */
    uint4 *own = stage + threadIdx.x * group;
    if (mine * group < n) {
        const char *source =
            from + (a.from - static_cast<int64_t>(vector + mine * group)) * static_cast<int64_t>(vector_bytes);
        uint32_t v[shifted ? 16 : 12], w[12];
#pragma unroll
        for (unsigned i = 0; i < group + shifted; i++)
            load(source + i * vector_bytes, v + i * 4);
        cut<12>(a.shift, v, w);
        mirror_group(a.r.pixel, w);
        gf_make_canonical(a.r.nan, w);
        /* Eight lanes store at once, 12 words apart, so there are no bank conflicts. */
#pragma unroll
        for (unsigned i = 0; i < group; i++)
            own[i] = vector_of(w + i * 4);
    }
    gf_sync_warp();    /* all lanes have written their vectors before any lane reads */
    uint4 made[group]; /* undefined past the last group, and not stored there */
#pragma unroll
    for (unsigned i = 0; i < group; i++)
        made[i] = own[static_cast<int>(i * lanes + mine - mine * group)];
    gf_sync_warp(); /* all lanes have read before the next groups overwrite the vectors */
    uint4 *target = reinterpret_cast<uint4 *>(to) + vector + mine;
#pragma unroll
    for (unsigned i = 0; i < group; i++)
        if (i * lanes + mine < n)
            target[i * lanes] = made[i];
}

/* Stores the vectors of a constant margin in the lane's part of a row. */
__device__ __forceinline__ void fill_vectors(const struct rows &a, uint64_t fill_end, char *to, uint64_t first)
{
#pragma unroll 1
    for (unsigned u = 0; u < per_lane; u++, first += warp_lanes)
        if (first < fill_end || (first >= a.fill_begin && first < a.whole))
            *reinterpret_cast<uint4 *>(to + first * vector_bytes) = a.fill[first % fills];
}

/* Moves unit `at` of a result row. `from` is NULL for a row of the constant. */
__device__ __forceinline__ void move_unit(const struct rows &a, const char *from, char *to, uint64_t at)
{
    const unsigned n = a.r.pixel >> a.unit_log; /* units per pixel: 1, 2, 3 or 4 */
    const uint64_t x = n == 3 ? at / 3 : at >> n / 2, byte = (at - x * n) << a.unit_log;
    const int64_t width = static_cast<int64_t>(a.r.width), column = static_cast<int64_t>(x);
    int64_t source = -1;
    if (from != nullptr)
        source = a.r.g.from_right ? width - 1 - column : border_place(a.r.g.border, column + a.r.g.left, width);
    const char *place =
        source < 0 ? reinterpret_cast<const char *>(a.fill) : from + static_cast<uint64_t>(source) * a.r.pixel;
    place += byte;
    to += at << a.unit_log;
    uint32_t v[2] = {};
    if (a.unit_log == 3) {
        const uint2 pair = *reinterpret_cast<const uint2 *>(place);
        v[0] = pair.x;
        v[1] = pair.y;
    } else {
        v[0] = a.unit_log == 2   ? *reinterpret_cast<const uint32_t *>(place)
               : a.unit_log == 1 ? *reinterpret_cast<const uint16_t *>(place)
                                 : *reinterpret_cast<const uint8_t *>(place);
    }
    gf_make_canonical(a.r.nan, v);
    if (a.unit_log == 3)
        *reinterpret_cast<uint2 *>(to) = make_uint2(v[0], v[1]);
    else if (a.unit_log == 2)
        *reinterpret_cast<uint32_t *>(to) = v[0];
    else if (a.unit_log == 1)
        *reinterpret_cast<uint16_t *>(to) = static_cast<uint16_t>(v[0]);
    else
        *reinterpret_cast<uint8_t *>(to) = static_cast<uint8_t>(v[0]);
}

/* Moves the units that are moved one by one, beginning with the blocks at the end of a row, which have the fewest
 * vectors. */
__device__ __forceinline__ void move_units(const struct rows &a, const char *from, char *to, unsigned lane)
{
    const uint64_t ahead = static_cast<uint64_t>(gridDim.x - 1 - blockIdx.x) << a.lanes_log;
    const unsigned vector_units = vector_bytes >> a.unit_log;
#pragma unroll 1
    for (uint64_t i = (from == nullptr ? a.units_right : 0) + ahead + lane; i < a.units;
         i += static_cast<uint64_t>(gridDim.x) << a.lanes_log) {
        const uint64_t at = i < a.units_left    ? a.fill_end * vector_units + i
                            : i < a.units_right ? a.end * vector_units + (i - a.units_left)
                                                : a.whole * vector_units + (i - a.units_right);
        move_unit(a, from, to, at);
    }
}

/* Moves one span of a row. Lanes past the last row move nothing, but take part in the barriers. */
template <kind k, bool shifted>
__device__ __forceinline__ void move_span(const struct rows &a, const char *from, char *to, bool live, uint32_t span,
                                          unsigned lane)
{
    const uint64_t warp_first = (static_cast<uint64_t>(span) << a.lanes_log) + (lane & ~(warp_lanes - 1));
    if constexpr (k == mirrored_groups) {
        move_groups<shifted>(a, from, to, warp_first, a.lanes_log < 5 ? 1u << a.lanes_log : warp_lanes);
    } else {
        const uint64_t first = warp_first * per_lane + lane % warp_lanes;
        if (from != nullptr)
            move_vectors<k, shifted>(a, from, to, first);
        if (k == straight && live && (from == nullptr || first < a.fill_end || first + reach >= a.fill_begin))
            fill_vectors(a, from == nullptr ? a.whole : a.fill_end, to, first);
    }
}

/* Blocks walk over rows, and over the spans of a row, in grid-stride loops. All threads of a block make the same trips,
 * so that whole warps exchange groups. No thread reads what another warp wrote. */
template <kind k, bool shifted>
__global__ void __launch_bounds__(row_threads, blocks<k, shifted>) rows_kernel(const __grid_constant__ struct rows a)
{
    const unsigned block_rows = row_threads >> a.lanes_log, lane = threadIdx.x & ((1u << a.lanes_log) - 1);
    for (uint64_t base = a.r.first + static_cast<uint64_t>(blockIdx.y) * block_rows; base < a.r.end;
         base += static_cast<uint64_t>(gridDim.y) * block_rows) {
        const uint64_t y = base + (threadIdx.x >> a.lanes_log);
        const int64_t line = y < a.r.end ? line_of(a.r, y) : -1;
        const char *from = line < 0 ? nullptr : a.r.src + static_cast<uint64_t>(line) * a.r.src_pitch;
        char *to = a.r.dst + y * a.r.dst_pitch;
        for (uint32_t span = blockIdx.x; span < a.spans; span += gridDim.x)
            move_span<k, shifted>(a, from, to, y < a.r.end, span, lane);
        if (y < a.r.end)
            move_units(a, from, to, lane);
    }
}

/* log2 of the number of lanes per row: up to one warp, a lane for each vector or four units; more warps only if there
 * are too few rows to fill a block. */
uint32_t lanes_log_of(const struct rows *a, uint64_t pieces)
{
    const uint64_t n_rows = a->r.end - a->r.first;
    uint32_t log = 0;
    while (log < 5 && (1u << log) < pieces)
        log++;
    while (log >= 5 && (row_threads >> log) > n_rows)
        log++;
    return log;
}

/* Splits a row into vectors from the source row, vectors of the constant, and the remaining units. */
struct rows rows_of(const struct gf_cuda_rearranging *r)
{
    const uint64_t src_bytes = r->width * r->pixel, dst_bytes = r->dst_width * r->pixel;
    const bool groups = r->g.from_right && r->pixel % 3 == 0;
    const int64_t offset = r->g.left * static_cast<int64_t>(r->pixel);     /* the source byte of result byte 0 */
    const uint64_t seen = offset < 0 ? static_cast<uint64_t>(-offset) : 0; /* the width of the left margin in bytes */
    const uint64_t seen_end = min(dst_bytes, static_cast<uint64_t>(static_cast<int64_t>(src_bytes) - offset));
    struct rows a = {};
    a.r = *r;
    for (uint32_t i = 0; i < sizeof a.fill; i++)
        reinterpret_cast<unsigned char *>(a.fill)[i] = r->g.outside[i % r->pixel];
    a.whole = dst_bytes / vector_bytes;
    a.begin = min((seen + vector_bytes - 1) / vector_bytes, a.whole);
    a.end = max(groups ? src_bytes / vector_bytes / group * group : seen_end / vector_bytes, a.begin);
    a.fill_begin = a.whole;
    if (r->g.border == GF_BORDER_CONSTANT) {
        a.fill_end = seen / vector_bytes;
        a.fill_begin = min((seen_end + vector_bytes - 1) / vector_bytes, a.whole);
    }
    const uint64_t vectors = groups ? group : 1;
    a.from =
        r->g.from_right ? static_cast<int64_t>(src_bytes / vector_bytes) - static_cast<int64_t>(vectors) : offset >> 4;
    a.shift = static_cast<uint32_t>((r->g.from_right ? src_bytes : static_cast<uint64_t>(offset)) % vector_bytes);
    a.unit_log = r->pixel % 8 == 0 ? 3 : r->pixel % 4 == 0 ? 2 : r->pixel % 2 == 0 ? 1 : 0;
    const uint64_t vector_units = vector_bytes >> a.unit_log;
    a.units_left = (a.begin - a.fill_end) * vector_units;
    a.units_right = a.units_left + (a.fill_begin - a.end) * vector_units;
    a.units = a.units_right + ((dst_bytes - a.whole * vector_bytes) >> a.unit_log);
    const uint64_t pieces = (a.whole + vectors - 1) / vectors;
    a.lanes_log = lanes_log_of(&a, max(pieces, (a.units + 3) / 4));
    const uint64_t span = (groups ? 1 : per_lane) << a.lanes_log;
    a.spans = static_cast<uint32_t>(pieces == 0 ? 1 : (pieces + span - 1) / span);
    return a;
}

template <kind k, bool shifted> cudaError_t launch(const struct rows &a, cudaStream_t stream)
{
    const uint64_t block_rows = row_threads >> a.lanes_log;
    const uint64_t row_blocks = (a.r.end - a.r.first + block_rows - 1) / block_rows;
    const unsigned all = gf_cuda_grid(row_blocks * a.spans), across = min(a.spans, all);
    const unsigned down =
        static_cast<unsigned>(min(row_blocks, static_cast<uint64_t>(min(all / across, max_grid_rows))));
    rows_kernel<k, shifted><<<dim3(across, down), row_threads, 0, stream>>>(a);
    return cudaPeekAtLastError();
}

template <kind k> cudaError_t launch(const struct rows &a, cudaStream_t stream)
{
    return a.shift == 0 ? launch<k, false>(a, stream) : launch<k, true>(a, stream);
}

} // namespace

cudaError_t gf_cuda_rearrange_rows(const struct gf_cuda_rearranging *r, cudaStream_t stream)
{
    const struct rows a = rows_of(r);
    if (!r->g.from_right)
        return launch<straight>(a, stream);
    return r->pixel % 3 == 0 ? launch<mirrored_groups>(a, stream) : launch<mirrored>(a, stream);
}
