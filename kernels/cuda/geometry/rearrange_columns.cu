/* SPDX-License-Identifier: MIT */
/*
 * Columns that become rows: rotations by a quarter and transpositions. Called by rearrange.c.
 *
 * A block takes tiles of side x side pixels: rows of the source are read word by word into shared memory, then rows of
 * the result are put together from its columns and stored word by word. Tiles begin at multiples of a side both in the
 * rows of the source and in those of the result, and a side has 128 bytes or more; what is counted from the last row or
 * column on only changes which row is read or written. So every access of a warp is to neighbouring words.
 *
 * Where the lanes of a warp gather a row of the result, lane after lane goes down a column of the tile. Word j of row r
 * therefore lies at j + r * pixel / 4, modulo the row: the lanes' words are then in banks side by side, 32 of them, as
 * a row has a multiple of 32 words. Pixels of 3 and 6 bytes, whose rows meet in words, meet a bank twice at most.
 */
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/geometry/rearrange.h"
#include "kernels/cuda/step/places.cuh"

namespace
{

constexpr int column_threads = 256;

/* Pixels of a tile in both directions. */
constexpr unsigned side_of(unsigned pixel)
{
    return pixel == 1 ? 128 : pixel <= 4 ? 64 : pixel <= 16 ? 32 : 16;
}

/* Units are what is read, stored and gathered at once: pairs of words where pixels have a whole number of them, so that
 * f64 is whole, else words. */
template <unsigned pixel> struct Tile {
    static constexpr unsigned side = side_of(pixel), words = pixel % 8 == 0 ? 2 : 1, unit = 4 * words;
    static constexpr unsigned row_units = side * pixel / unit;
    static constexpr unsigned row_words = (side * pixel / 4 + 31) / 32 * 32;             /* in shared memory */
    static constexpr unsigned piece = pixel % unit == 0 ? unit : pixel % 2 == 0 ? 2 : 1; /* that is never split */
    static_assert(side * pixel % 128 == 0 || side * pixel == 192, "a tile's rows are whole sectors");
    static_assert(side * row_units % column_threads == 0, "all threads have as many units");
};

/* Where word j of row r lies in shared memory. (side - 1) * pixel / 4 and j are less than a row, so one subtraction
 * brings their sum back into it. Pairs of words stay pairs: r * pixel / 4 and rows are even where pixels have such. */
template <unsigned pixel> __device__ __forceinline__ unsigned shared_place(unsigned r, unsigned j)
{
    const unsigned turned = j + r * pixel / 4, row = Tile<pixel>::row_words;
    return r * row + (turned >= row ? turned - row : turned);
}

/* A unit of the source, any NaN as the one that is stored. */
template <unsigned pixel>
__device__ __forceinline__ void load_unit(const char *from, uint32_t nan, uint32_t (&v)[Tile<pixel>::words])
{
    if constexpr (Tile<pixel>::words == 2) {
        const uint2 pair = __ldg(reinterpret_cast<const uint2 *>(from));
        v[0] = pair.x;
        v[1] = pair.y;
    } else
        v[0] = __ldg(reinterpret_cast<const uint32_t *>(from));
    gf_make_canonical<Tile<pixel>::words>(nan, v);
}

/* Rows row.. of the result's columns, that is of the source, and its columns from `column` on, into shared memory.
 * What lies beyond the picture is left as it is and never stored. */
template <unsigned pixel>
__device__ __forceinline__ void load_tile(const struct gf_cuda_rearranging &r, uint64_t row, uint64_t column,
                                          uint32_t *tile)
{
    using T = Tile<pixel>;
    constexpr unsigned n = T::side * T::row_units / column_threads;
    const uint64_t src_bytes = r.width * pixel;
#pragma unroll(n <= 16 ? n : 16)
    for (unsigned k = 0; k < n; k++) {
        const unsigned i = k * column_threads + threadIdx.x, line = i / T::row_units, unit = i % T::row_units;
        const uint64_t at = column * pixel + unit * T::unit;
        if (row + line >= r.height ||
            at >= src_bytes) /* the last unit of a row is whole: pitches are multiples of 16 */
            continue;
        const uint64_t y = r.g.from_bottom ? r.height - 1 - (row + line) : row + line;
        uint32_t v[T::words];
        load_unit<pixel>(r.src + y * r.src_pitch + at, r.nan, v);
#pragma unroll
        for (unsigned w = 0; w < T::words; w++)
            tile[shared_place<pixel>(line, unit * T::words + w)] = v[w];
    }
}

/* Unit `unit` of the row of the result that is column `column` of the tile. */
template <unsigned pixel>
__device__ __forceinline__ void gather_unit(const uint32_t *tile, unsigned column, unsigned unit,
                                            uint32_t (&v)[Tile<pixel>::words])
{
    using T = Tile<pixel>;
    if constexpr (T::piece == T::unit) {
        const unsigned byte = unit * T::unit, line = byte / pixel, word = (column * pixel + byte % pixel) / 4;
#pragma unroll
        for (unsigned w = 0; w < T::words; w++)
            v[w] = tile[shared_place<pixel>(line, word + w)];
    } else {
        v[0] = 0;
#pragma unroll
        for (unsigned k = 0; k < 4; k += T::piece) {
            const unsigned byte = unit * 4 + k, line = byte / pixel, at = column * pixel + byte % pixel;
            const uint32_t *word = tile + shared_place<pixel>(line, at / 4);
            const uint32_t part = T::piece == 1 ? reinterpret_cast<const uint8_t *>(word)[at % 4]
                                                : reinterpret_cast<const uint16_t *>(word)[at % 4 / 2];
            v[0] |= part << 8 * k;
        }
    }
}

template <unsigned pixel>
__device__ __forceinline__ void store_unit(char *to, uint64_t bytes, const uint32_t (&v)[Tile<pixel>::words])
{
    if constexpr (Tile<pixel>::words == 2) /* rows are whole pairs */
        *reinterpret_cast<uint2 *>(to) = make_uint2(v[0], v[1]);
    else if (bytes >= 4)
        *reinterpret_cast<uint32_t *>(to) = v[0];
    else
        for (unsigned k = 0; k < bytes; k++)
            to[k] = static_cast<char>(v[0] >> 8 * k);
}

/* Columns of the tile that begins at this row and column of the source (row as counted in the result) to rows. */
template <unsigned pixel>
__device__ __forceinline__ void store_tile(const struct gf_cuda_rearranging &r, uint64_t row, uint64_t column,
                                           const uint32_t *tile)
{
    using T = Tile<pixel>;
    constexpr unsigned n = T::side * T::row_units / column_threads;
    const uint64_t dst_bytes = r.height * pixel;
#pragma unroll(n <= 8 ? n : 8)
    for (unsigned k = 0; k < n; k++) {
        const unsigned i = k * column_threads + threadIdx.x, line = i / T::row_units, unit = i % T::row_units;
        const uint64_t at = row * pixel + unit * T::unit;
        if (column + line >= r.width || at >= dst_bytes)
            continue;
        const uint64_t y = r.g.from_right ? r.width - 1 - (column + line) : column + line;
        uint32_t v[T::words];
        gather_unit<pixel>(tile, line, unit, v);
        store_unit<pixel>(r.dst + y * r.dst_pitch + at, dst_bytes - at, v);
    }
}

/* Each block takes tiles until there are no more. */
template <unsigned pixel>
__global__ void __launch_bounds__(column_threads) columns_kernel(const __grid_constant__ struct gf_cuda_rearranging r)
{
    using T = Tile<pixel>;
    __shared__ __align__(16) uint32_t tile[T::side * T::row_words];
    const uint64_t across = (r.height + T::side - 1) / T::side, strips = (r.width + T::side - 1) / T::side;
    const uint64_t all = across * (r.end - r.first);
    for (uint64_t i = blockIdx.x; i < all; i += gridDim.x) {
        const uint64_t strip = r.first + i / across, row = i % across * T::side;
        const uint64_t column = (r.g.from_right ? strips - 1 - strip : strip) * T::side;
        load_tile<pixel>(r, row, column, tile);
        gf_sync_block(); /* the tile is there before it is gathered */
        store_tile<pixel>(r, row, column, tile);
        gf_sync_block(); /* it has been gathered before the next one comes */
    }
}

template <unsigned pixel> cudaError_t launch(const struct gf_cuda_rearranging *r, cudaStream_t stream)
{
    const uint64_t tiles = (r->height + side_of(pixel) - 1) / side_of(pixel) * (r->end - r->first);
    columns_kernel<pixel><<<gf_cuda_grid(tiles), column_threads, 0, stream>>>(*r);
    return cudaPeekAtLastError();
}

} // namespace

uint32_t gf_cuda_strip_columns(uint32_t pixel)
{
    return side_of(pixel);
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
