/* SPDX-License-Identifier: MIT */
/*
 * Turns columns into rows: quarter rotations and transpositions. Called by rearrange.c.
 *
 * A block takes tiles of the source, in three steps: - Load: a thread reads groups of 16 bytes from some adjacent rows;
 * groups of 12 bytes if pixels have 3, 6, 12 or 24
 *   bytes, so that a group has whole pixels. No load depends on another: there are no branches between them. Threads
 *   outside the picture read a group at its edge, which is never stored.
 * - Turn: the thread assembles pieces of columns in registers and writes them to shared memory. A row of bytes in
 * shared
 *   memory is a column of the tile, hence a row of the result.
 * - Store: vectors of 16 bytes go from shared memory to the result. Tiles begin at multiples of their size in source
 * and result. A mirrored axis only changes the first row's address and the sign of the step between rows. A tile has at
 * least 128 bytes of every row. A multiprocessor has at least four blocks, so that some load while another stores; a
 * block has its whole tile in flight at once, at least 12 KiB.
 *
 * In one store a warp writes the pieces of 8 adjacent groups, each of 4 consecutive pieces of a column. Vector i of a
 * row of shared memory is at i ^ g, where g is the row's group modulo 8, so the eight groups are in adjacent banks.
 * Pieces of 12 bytes are written word by word; the words of four neighbours have different positions in their vectors.
 * So neither these writes nor the reads of consecutive vectors have bank conflicts.
 */
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/geometry/rearrange.h"
#include "kernels/cuda/step/places.cuh"

namespace
{

constexpr unsigned column_threads = 256;

/* The width of a tile, and of a strip of the source, for pixels of `pixel` bytes. */
constexpr unsigned columns_of(unsigned pixel)
{
    return pixel == 1 ? 128 : pixel <= 6 ? 64 : 32;
}

template <unsigned pixel> struct Tile {
    static constexpr unsigned rows = pixel <= 3 ? 128 : pixel <= 8 ? 64 : pixel <= 16 ? 32 : 16; /* of the source */
    static constexpr unsigned columns = columns_of(pixel);

    /* A group has whole pixels, or half of a pixel of 24 or 32 bytes. A part is a pixel or that half. */
    static constexpr unsigned group = pixel % 3 == 0 ? 12 : 16, group_words = group / 4;
    static constexpr unsigned part = pixel < group ? pixel : group, parts = group / part;
    static constexpr unsigned lines = pixel <= 4 ? 4 : pixel <= 8 ? 2 : 1; /* rows whose parts make a piece */
    static constexpr unsigned piece_words = lines * part / 4;

    static constexpr unsigned row_groups = columns * pixel / group;
    static constexpr unsigned row_words = rows * pixel / 4, row_vectors = row_words / 4; /* of shared memory */
    static constexpr unsigned loads = rows / lines * row_groups / column_threads; /* per thread, each of `lines` rows */
    static constexpr unsigned stores = columns * row_vectors / column_threads;
    static_assert(columns * pixel % 16 == 0, "a tile must begin at a vector of the source row");
    static_assert(columns <= column_threads, "every row of the result needs a thread");
    static_assert(row_vectors % 8 == 0, "swapped vectors must stay in their row");
    static_assert(row_groups % 8 == 0 && rows / lines % 4 == 0, "a warp reads 8 groups from 4 times `lines` rows");
    static_assert(rows / lines * row_groups % column_threads == 0, "all threads must have equally many loads");
    static_assert(columns % (column_threads / 8) == 0, "all threads must have equally many stores");
};

/* The groups of a tile that a thread reads. */
template <unsigned pixel> using Groups = uint32_t[Tile<pixel>::loads][Tile<pixel>::lines][Tile<pixel>::group_words];

/* The launch arguments. Rows of either picture are numbered as the columns of the other picture. */
struct turning {
    const char *src; /* row 0; each further row is src_step bytes away */
    int64_t src_step;
    char *dst;
    int64_t dst_step;
    uint64_t width, height;    /* of the source */
    uint64_t strips;           /* the number of strips to make, */
    int64_t strip, strip_step; /* from number `strip` on */
    uint32_t nan;
};

/* The addresses of a tile in both pictures, and its size in the source. */
struct window {
    const char *src;
    char *dst;
    unsigned rows, columns;
};

template <unsigned pixel>
__device__ __forceinline__ struct window window_of(const struct turning &t, int64_t strip, uint64_t row)
{
    using T = Tile<pixel>;
    const int64_t column = (t.strip + strip * t.strip_step) * T::columns;
    const uint64_t rows = t.height - row, columns = t.width - static_cast<uint64_t>(column);
    return {t.src + static_cast<int64_t>(row) * t.src_step + column * pixel, t.dst + column * t.dst_step + row * pixel,
            static_cast<unsigned>(rows < T::rows ? rows : T::rows),
            static_cast<unsigned>(columns < T::columns ? columns : T::columns)};
}

/* Loads a group. `bytes`, a multiple of 4, is the distance to the end of the row's last vector. */
__device__ __forceinline__ void load_group(const char *from, unsigned, uint32_t (&v)[4])
{
    const uint4 vector = __ldg(reinterpret_cast<const uint4 *>(from));
    v[0] = vector.x;
    v[1] = vector.y;
    v[2] = vector.z;
    v[3] = vector.w;
}

__device__ __forceinline__ void load_group(const char *from, unsigned bytes, uint32_t (&v)[3])
{
    const uint32_t *words = reinterpret_cast<const uint32_t *>(from);
    v[0] = __ldg(words);
    v[1] = bytes > 4 ? __ldg(words + 1) : 0;
    v[2] = bytes > 8 ? __ldg(words + 2) : 0;
}

/* A thread reads the same group of a tile's row in all its loads, and in each load another piece of the column. A warp
 * reads 8 groups and 4 pieces. */
template <unsigned pixel> __device__ __forceinline__ unsigned thread_group()
{
    return threadIdx.x / 32 % (Tile<pixel>::row_groups / 8) * 8 + threadIdx.x % 8;
}

template <unsigned pixel> __device__ __forceinline__ unsigned thread_piece(unsigned load)
{
    using T = Tile<pixel>;
    return load * (column_threads / T::row_groups) + threadIdx.x / 32 / (T::row_groups / 8) * 4 + threadIdx.x / 8 % 4;
}

template <unsigned pixel>
__device__ __forceinline__ void load_groups(const struct window &w, int64_t step, Groups<pixel> &v)
{
    using T = Tile<pixel>;
    const unsigned bytes = w.columns * pixel, last = (bytes - 1) / T::group * T::group;
    const unsigned at = min(thread_group<pixel>() * T::group, last), left = (bytes + 15) / 16 * 16 - at;
#pragma unroll
    for (unsigned i = 0; i < T::loads; i++)
#pragma unroll
        for (unsigned k = 0; k < T::lines; k++) {
            const unsigned line = min(thread_piece<pixel>(i) * T::lines + k, w.rows - 1);
            load_group(w.src + line * step + at, left, v[i][k]);
        }
}

/* Turns a group of `lines` rows into pieces of columns. Bytes are numbered from the lowest byte of a word. */
template <unsigned pixel>
__device__ __forceinline__ void turn(const uint32_t (&in)[Tile<pixel>::lines][Tile<pixel>::group_words],
                                     uint32_t (&out)[Tile<pixel>::parts][Tile<pixel>::piece_words])
{
    using T = Tile<pixel>;
    if constexpr (pixel == 1) {
#pragma unroll
        for (unsigned w = 0; w < 4; w++) {
            const uint32_t low_above = __byte_perm(in[0][w], in[1][w], 0x5140); /* columns 0 0 1 1, rows 0 1 0 1 */
            const uint32_t low_below = __byte_perm(in[2][w], in[3][w], 0x5140);
            const uint32_t high_above = __byte_perm(in[0][w], in[1][w], 0x7362);
            const uint32_t high_below = __byte_perm(in[2][w], in[3][w], 0x7362);
            out[4 * w][0] = __byte_perm(low_above, low_below, 0x5410);
            out[4 * w + 1][0] = __byte_perm(low_above, low_below, 0x7632);
            out[4 * w + 2][0] = __byte_perm(high_above, high_below, 0x5410);
            out[4 * w + 3][0] = __byte_perm(high_above, high_below, 0x7632);
        }
    } else if constexpr (pixel == 2) {
#pragma unroll
        for (unsigned w = 0; w < 4; w++)
#pragma unroll
            for (unsigned k = 0; k < 2; k++) {
                out[2 * w][k] = __byte_perm(in[2 * k][w], in[2 * k + 1][w], 0x5410);
                out[2 * w + 1][k] = __byte_perm(in[2 * k][w], in[2 * k + 1][w], 0x7632);
            }
    } else if constexpr (pixel == 3) {
        uint32_t v[4][4]; /* one pixel per word, in the low bytes */
#pragma unroll
        for (unsigned k = 0; k < 4; k++) {
            v[0][k] = in[k][0];
            v[1][k] = __byte_perm(in[k][0], in[k][1], 0x6543);
            v[2][k] = __byte_perm(in[k][1], in[k][2], 0x5432);
            v[3][k] = in[k][2] >> 8;
        }
#pragma unroll
        for (unsigned p = 0; p < 4; p++) {
            out[p][0] = __byte_perm(v[p][0], v[p][1], 0x4210);
            out[p][1] = __byte_perm(v[p][1], v[p][2], 0x5421);
            out[p][2] = __byte_perm(v[p][2], v[p][3], 0x6542);
        }
    } else if constexpr (pixel == 6) {
        out[0][0] = in[0][0];
        out[0][1] = __byte_perm(in[0][1], in[1][0], 0x5410);
        out[0][2] = __byte_perm(in[1][0], in[1][1], 0x5432);
        out[1][0] = __byte_perm(in[0][1], in[0][2], 0x5432);
        out[1][1] = __byte_perm(in[0][2], in[1][1], 0x7632);
        out[1][2] = in[1][2];
    } else {
        constexpr unsigned words = T::part / 4;
#pragma unroll
        for (unsigned i = 0; i < T::lines * T::group_words; i++) {
            const unsigned k = i / T::group_words, w = i % T::group_words;
            out[w / words][k * words + w % words] = in[k][w];
        }
    }
}

/* The position in shared memory of word i of a row. */
template <unsigned pixel> __device__ __forceinline__ unsigned shared_place(unsigned row, unsigned i)
{
    using T = Tile<pixel>;
    const unsigned group = pixel <= T::group ? row / T::parts : row * (pixel / T::group);
    return row * T::row_words + ((i / 4) ^ (group % 8)) * 4 + i % 4;
}

template <unsigned words> __device__ __forceinline__ void put_words(uint32_t *to, const uint32_t *v)
{
    if constexpr (words == 4)
        *reinterpret_cast<uint4 *>(to) = make_uint4(v[0], v[1], v[2], v[3]);
    else if constexpr (words == 2)
        *reinterpret_cast<uint2 *>(to) = make_uint2(v[0], v[1]);
    else
        *to = v[0];
}

template <unsigned pixel> __device__ __forceinline__ void put_pieces(const Groups<pixel> &v, uint32_t *tile)
{
    using T = Tile<pixel>;
    constexpr unsigned step = T::piece_words == 3 ? 1 : T::piece_words; /* words of a piece within one vector */
    const unsigned byte = thread_group<pixel>() * T::group;
#pragma unroll
    for (unsigned i = 0; i < T::loads; i++) {
        uint32_t pieces[T::parts][T::piece_words];
        turn<pixel>(v[i], pieces);
        const unsigned first = (thread_piece<pixel>(i) * T::lines * pixel + byte % pixel) / 4;
#pragma unroll
        for (unsigned w = 0; w < T::piece_words; w += step) {
            uint32_t *to = tile + shared_place<pixel>(byte / pixel, first + w); /* the same in all rows of a group */
#pragma unroll
            for (unsigned p = 0; p < T::parts; p++)
                put_words<step>(to + p * T::row_words, pieces[p] + w);
        }
    }
}

/* Reads a vector of a row of shared memory. */
template <unsigned pixel>
__device__ __forceinline__ void take_vector(const uint32_t *tile, unsigned row, unsigned i, uint32_t *v)
{
    const uint4 vector = *reinterpret_cast<const uint4 *>(tile + shared_place<pixel>(row, 4 * i));
    v[0] = vector.x;
    v[1] = vector.y;
    v[2] = vector.z;
    v[3] = vector.w;
}

/* Stores rows of shared memory as rows of the result, with canonical NaNs, except for vectors that cross the end of a
 * row. A warp stores 8 vectors of 4 rows at a time. */
template <unsigned pixel>
__device__ __forceinline__ void store_vectors(const struct window &w, int64_t step, uint32_t nan, const uint32_t *tile)
{
    using T = Tile<pixel>;
    constexpr unsigned spans = T::row_vectors / 8;
    const unsigned first_row = threadIdx.x / 8, first = threadIdx.x % 8, vectors = w.rows * pixel / 16;
    uint32_t v[T::stores * 4];
#pragma unroll
    for (unsigned k = 0; k < T::stores; k++)
        take_vector<pixel>(tile, first_row + k / spans * (column_threads / 8), first + k % spans * 8, v + 4 * k);
    gf_make_canonical<T::stores * 4>(nan, v);
    char *to = w.dst + first_row * step + first * 16;
#pragma unroll
    for (unsigned k = 0; k < T::stores; k++) {
        const unsigned row = k / spans * (column_threads / 8), i = k % spans * 8; /* relative to first_row, first */
        if (first_row + row < w.columns && first + i < vectors)
            *reinterpret_cast<uint4 *>(to + row * step + i * 16) =
                make_uint4(v[4 * k], v[4 * k + 1], v[4 * k + 2], v[4 * k + 3]);
    }
}

/* Stores the part within the row of vectors that cross its end. Each thread has one row. */
template <unsigned pixel>
__device__ __forceinline__ void store_ends(const struct window &w, int64_t step, uint32_t nan, const uint32_t *tile)
{
    const unsigned vectors = w.rows * pixel / 16, bytes = w.rows * pixel % 16;
    if (bytes == 0 || threadIdx.x >= w.columns)
        return;
    uint32_t v[4];
    take_vector<pixel>(tile, threadIdx.x, vectors, v);
    gf_make_canonical<4>(nan, v);
    char *to = w.dst + threadIdx.x * step + vectors * 16;
#pragma unroll 1
    for (unsigned k = 0; k < bytes; k++) { /* stores the lowest byte, then shifts */
        to[k] = static_cast<char>(v[0]);
        v[0] = __funnelshift_r(v[0], v[1], 8);
        v[1] = __funnelshift_r(v[1], v[2], 8);
        v[2] = __funnelshift_r(v[2], v[3], 8);
        v[3] >>= 8;
    }
}

/* Blocks walk over the tiles in grid-stride loops. */
template <unsigned pixel>
__global__ void __launch_bounds__(column_threads) columns_kernel(const __grid_constant__ struct turning t)
{
    using T = Tile<pixel>;
    const uint32_t nan = pixel % 2 == 0 ? t.nan : 0; /* pixels of odd size have no floats */
    __shared__ __align__(16) uint32_t tile[T::columns * T::row_words];
    for (uint64_t strip = blockIdx.y; strip < t.strips; strip += gridDim.y)
        for (uint64_t row = static_cast<uint64_t>(blockIdx.x) * T::rows; row < t.height;
             row += static_cast<uint64_t>(gridDim.x) * T::rows) {
            const struct window w = window_of<pixel>(t, static_cast<int64_t>(strip), row);
            Groups<pixel> v;
            load_groups<pixel>(w, t.src_step, v);
            put_pieces<pixel>(v, tile);
            gf_sync_block(); /* the tile is complete before any thread reads it */
            store_vectors<pixel>(w, t.dst_step, nan, tile);
            store_ends<pixel>(w, t.dst_step, nan, tile);
            gf_sync_block(); /* all threads have read the tile before the next one overwrites it */
        }
}

template <unsigned pixel> cudaError_t launch(const struct gf_cuda_rearranging *r, cudaStream_t stream)
{
    using T = Tile<pixel>;
    const uint64_t strips = (r->width + T::columns - 1) / T::columns, made = r->end - r->first;
    const int64_t src_pitch = static_cast<int64_t>(r->src_pitch), dst_pitch = static_cast<int64_t>(r->dst_pitch);
    const struct turning t = {r->g.from_bottom ? r->src + (r->height - 1) * r->src_pitch : r->src,
                              r->g.from_bottom ? -src_pitch : src_pitch,
                              r->g.from_right ? r->dst + (r->width - 1) * r->dst_pitch : r->dst,
                              r->g.from_right ? -dst_pitch : dst_pitch,
                              r->width,
                              r->height,
                              made,
                              static_cast<int64_t>(r->g.from_right ? strips - 1 - r->first : r->first),
                              r->g.from_right ? -1 : 1,
                              r->nan};
    const dim3 grid(gf_cuda_grid((r->height + T::rows - 1) / T::rows), gf_cuda_grid(made < 65535 ? made : 65535));
    columns_kernel<pixel><<<grid, column_threads, 0, stream>>>(t);
    return cudaPeekAtLastError();
}

} // namespace

uint32_t gf_cuda_strip_columns(uint32_t pixel)
{
    return columns_of(pixel);
}

cudaError_t gf_cuda_rearrange_columns(const struct gf_cuda_rearranging *r, cudaStream_t stream)
{
    switch (r->pixel) {
    case 1:
        return launch<1>(r, stream);
    case 2:
        return launch<2>(r, stream);
    case 3:
        return launch<3>(r, stream);
    case 4:
        return launch<4>(r, stream);
    case 6:
        return launch<6>(r, stream);
    case 8:
        return launch<8>(r, stream);
    case 12:
        return launch<12>(r, stream);
    case 16:
        return launch<16>(r, stream);
    case 24:
        return launch<24>(r, stream);
    default:
        return launch<32>(r, stream);
    }
}
