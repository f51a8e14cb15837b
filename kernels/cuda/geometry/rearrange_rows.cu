/* SPDX-License-Identifier: MIT */
/*
 * Rows that stay rows: windows, margins, mirrored rows. Called by rearrange.c.
 *
 * Lanes belong to a row: 32 or, where rows are short, fewer, and where they are few, more. A lane moves vectors of 16
 * bytes, up to four at once, 32 apart. A vector of the result begins anywhere in one of the source, but as far behind
 * its beginning in the whole launch: it is cut out of two vectors by the same shift. The second is the first of the
 * next lane, so it comes from the cache. Mirrored, vectors come from the end of the row, and their pixels change places
 * in registers. Pixels of 3, 6, 12 and 24 bytes do so in groups of three vectors, which whole pixels fill: each lane
 * makes a group, and the warp exchanges vectors through shared memory, so that neighbours store neighbours.
 *
 * What is not a whole vector of the source's row is moved sample by sample, by a loop of its own: margins, and the ends
 * of rows. Margins of a constant are vectors as well. Which vectors are which is the same in all rows, so the host
 * works it out.
 */
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/geometry/rearrange.h"
#include "kernels/cuda/step/places.cuh"
#include "protocol/ops/enums.h"

namespace
{

constexpr unsigned row_threads = 256, warp_lanes = 32;
constexpr unsigned max_grid_rows = 65535; /* of CUDA */
constexpr unsigned vector_bytes = 16;
constexpr unsigned per_lane = 4;                        /* vectors whose loads are in flight together */
constexpr unsigned reach = (per_lane - 1) * warp_lanes; /* from the first to the last of them */
constexpr unsigned group = 3;                           /* vectors that hold whole pixels of 3, 6, 12 and 24 bytes */
constexpr unsigned fills = 6;                           /* so many hold whole pixels of any size */

enum kind { straight, mirrored, mirrored_groups };

/* Blocks that a multiprocessor has registers for, at least. */
template <kind k, bool shifted> constexpr unsigned blocks = k == mirrored_groups || !shifted ? 5 : 4;

/* What all rows have in common. Vectors are counted from the beginning of a row of the result:
 *   0 .. whole              all that have 16 bytes
 *   begin .. end            come from the source's row as they are, or mirrored
 *   0 .. fill_end and fill_begin .. whole   are of a constant margin
 * The units of the others, and those behind the last whole vector, are moved one by one. */
struct rows {
    struct gf_cuda_rearranging r;
    uint4 fill[fills]; /* a row that is all of the constant */
    uint64_t whole, begin, end, fill_end, fill_begin;
    int64_t from;      /* the vector of the source's row in which vector 0 begins; mirrored, in which it ends */
    uint32_t shift;    /* how many bytes after its beginning a vector of the result begins in one of the source */
    uint32_t unit_log; /* of 1, 2, 4 or 8 bytes, which pixels have a whole number of: a unit is a sample or several */
    uint64_t units_left, units_right, units; /* moved one by one: before `begin`, up to fill_begin, in all */
    uint32_t spans;                          /* parts of a row: what its lanes move at once */
    uint32_t lanes_log;                      /* of the lanes of a row */
};

/* Where a border takes sample i of n from; -1 for a constant. Section 3. Margins are less than 2^32, so 32 bits count
 * how far outside i is. */
__device__ __forceinline__ int64_t border_place(uint32_t border, int64_t i, int64_t n)
{
    if (i >= 0 && i < n)
        return i;
    if (border == GF_BORDER_CONSTANT)
        return -1;
    const bool before = i < 0;
    if (border == GF_BORDER_REPLICATE || n == 1)
        return before ? 0 : n - 1;
    /* Wrap goes on from the other edge; reflect and reflect101 turn round at an edge, before or on its sample. */
    const int64_t period = border == GF_BORDER_WRAP ? n : border == GF_BORDER_REFLECT ? 2 * n : 2 * n - 2;
    const uint32_t out = static_cast<uint32_t>(before ? -1 - i : i - n) + (border == GF_BORDER_REFLECT101);
    const int64_t m = period > UINT32_MAX ? out : out % static_cast<uint32_t>(period);
    const int64_t from_edge = m < n ? m : border == GF_BORDER_REFLECT ? 2 * n - 1 - m : 2 * n - 2 - m;
    return before != (border == GF_BORDER_WRAP) ? from_edge : n - 1 - from_edge;
}

/* The row of the source that is seen in row y of the result; -1: none, it is all of a constant. */
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

/* The bytes from byte `shift` on, which is less than 16. */
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
        to[i] = __funnelshift_r(v[i], v[i + 1], shift * 8); /* modulo 32 */
}

/* The same of what was loaded without a shift. */
template <int words> __device__ __forceinline__ void cut(uint32_t, const uint32_t (&from)[words], uint32_t (&to)[words])
{
#pragma unroll
    for (int i = 0; i < words; i++)
        to[i] = from[i];
}

/* Turns the order of the pixels of a vector. Bytes are numbered from the lowest of v[0] on. */
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

/* Turns the order of the pixels of a group of three vectors: of pairs of pixels of 24 bytes; else of four times three
 * words, and of the pixels of 3 or 6 bytes in them. */
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

/* Vectors 0, 32, 64 and 96 from two places on: all, or those from number `begin` on and before `end`. */
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

/* How far vector `at` is behind `from`, 0 if it is before, at most what a lane reaches and one more. */
__device__ __forceinline__ unsigned distance(uint64_t from, uint64_t at)
{
    return at <= from ? 0 : at - from > reach ? reach + 1 : static_cast<unsigned>(at - from);
}

/* The part of a row that begins with vector `first` and is this lane's, as far as it comes from the source's row. Both
 * vectors that one is cut out of hold bytes of the row, so that they may be read. */
template <kind k, bool shifted>
__device__ __forceinline__ void move_vectors(const struct rows &a, const char *from, char *to, uint64_t first)
{
    const unsigned begin = distance(first, a.begin), end = distance(first, a.end);
    if (end <= begin)
        return;
    /* The two vectors of a pixel of 32 bytes keep their order. */
    const int64_t at =
        k == mirrored ? a.from - static_cast<int64_t>(first ^ (a.r.pixel == 32)) : a.from + static_cast<int64_t>(first);
    const char *source = from + at * static_cast<int64_t>(vector_bytes);
    char *target = to + first * vector_bytes;
    if (begin == 0 && end > reach)
        move_four<k, shifted, true>(a, source, target, begin, end);
    else
        move_four<k, shifted, false>(a, source, target, begin, end);
}

/* As many groups as a row has lanes in the warp, from group `first` on, of which each lane makes one. `from` is NULL
 * behind the last row: those lanes meet the others at the barriers. */
template <bool shifted>
__device__ __forceinline__ void move_groups(const struct rows &a, const char *from, char *to, uint64_t first,
                                            unsigned lanes)
{
    __shared__ uint4 stage[row_threads * group];
    const unsigned mine = threadIdx.x & (lanes - 1), some = lanes * group;
    const uint64_t vector = first * group;
    const uint64_t left = from == nullptr || vector >= a.end ? 0 : a.end - vector;
    const unsigned n = left < some ? static_cast<unsigned>(left) : some; /* vectors: those of whole groups */
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
        /* Eight lanes store at once; 12 words apart they meet no bank twice. */
#pragma unroll
        for (unsigned i = 0; i < group; i++)
            own[i] = vector_of(w + i * 4);
    }
    gf_sync_warp();    /* the vectors of all lanes are there before they are read */
    uint4 made[group]; /* what is behind the last group is anything, and not stored */
#pragma unroll
    for (unsigned i = 0; i < group; i++)
        made[i] = own[static_cast<int>(i * lanes + mine - mine * group)];
    gf_sync_warp(); /* they have been read before the next ones come */
    uint4 *target = reinterpret_cast<uint4 *>(to) + vector + mine;
#pragma unroll
    for (unsigned i = 0; i < group; i++)
        if (i * lanes + mine < n)
            target[i * lanes] = made[i];
}

/* Of the same part the vectors of a constant margin. */
__device__ __forceinline__ void fill_vectors(const struct rows &a, uint64_t fill_end, char *to, uint64_t first)
{
#pragma unroll 1
    for (unsigned u = 0; u < per_lane; u++, first += warp_lanes)
        if (first < fill_end || (first >= a.fill_begin && first < a.whole))
            *reinterpret_cast<uint4 *>(to + first * vector_bytes) = a.fill[first % fills];
}

/* Unit `at` of a row of the result; `from` is NULL in rows that are all of a constant. */
__device__ __forceinline__ void move_unit(const struct rows &a, const char *from, char *to, uint64_t at)
{
    const unsigned n = a.r.pixel >> a.unit_log; /* units of a pixel: 1, 2, 3, 4 */
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

/* The units that are moved one by one. The blocks at the end of a row begin, since they have the fewest vectors. */
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

/* What the lanes of a row move at once. Behind the last row there is nothing to move, but barriers to meet. */
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

/* Blocks take rows, and spans of them, until there are no more. Both loops are the same for all threads of a block, so
 * that whole warps exchange groups; no thread needs what one of another warp wrote. */
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

/* How many lanes a row gets, as a power of two: a vector or four units for each as far as they are in one warp, and
 * more warps only where there would be too few rows for a block. */
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

/* Which parts of a row are vectors of the source's row, of a constant, or neither. */
struct rows rows_of(const struct gf_cuda_rearranging *r)
{
    const uint64_t src_bytes = r->width * r->pixel, dst_bytes = r->dst_width * r->pixel;
    const bool groups = r->g.from_right && r->pixel % 3 == 0;
    const int64_t offset = r->g.left * static_cast<int64_t>(r->pixel);     /* where in the source's row byte 0 is */
    const uint64_t seen = offset < 0 ? static_cast<uint64_t>(-offset) : 0; /* bytes before it are of a margin */
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
