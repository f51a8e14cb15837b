/* SPDX-License-Identifier: MIT */
/*
 * Medians of 3 x 3. Called by rank_filter.c.
 *
 * A thread takes 16 bytes of a row (8 for u8) and walks down eight rows, two at a time. It reads its samples and the
 * halo on either side itself, through the L1 cache that adjacent threads share. So there is no shared memory and no
 * barrier, and no thread needs what another thread wrote.
 *
 * Words hold two 16-bit samples, of a row in the low half and of the row eight rows below in the high half. One
 * instruction then computes two minima, and neighbours need no shifting, whatever the number of channels. Words of f32
 * hold one sample. In each column the two middle rows are sorted, or added, once for the two windows that share them,
 * and the middles of two columns are sorted once.
 */
#include "kernels/cuda/device/launch_bounds.cuh"
#include "rank_pairs.cuh"

namespace
{

using namespace gf;

constexpr int strip_rows = 8; /* rows of words per thread */

/* A thread's part of a row of samples: `owned` samples, and a pixel on either side. */
template <class T, int C> struct line_of {
    static constexpr int bytes = sizeof(T);
    static constexpr bool pair = is_pair<T>;
    static constexpr int own_words = bytes == 1 ? 2 : 4; /* of a row, one vector */
    static constexpr int owned = own_words * 4 / bytes, columns = owned + 2 * C;
    static constexpr int side_words = C * bytes <= 4 ? 1 : C * bytes <= 8 ? 2 : 4; /* one vector */
    static constexpr int words = own_words + 2 * side_words;
    static constexpr int lead = side_words * 4 - C * bytes; /* bytes before the first sample */
    static constexpr int rows = strip_rows * (pair ? 2 : 1);
    /* resident blocks, as registers allow */
    static constexpr unsigned few_channels = C == 1 ? 2 : C == 2 ? 1 : 0;
    static constexpr unsigned on_sm_90 = bytes == 1 ? (C == 1 ? 5 : 4) : (bytes == 2 ? 3 : 4) + few_channels;
    static constexpr unsigned blocks = blocks_by_architecture(on_sm_90, !pair ? on_sm_90 : bytes == 2 && C > 2 ? 2 : 3);
};

/* Loads n words, or zeros where `there` is false. */
template <int n> __device__ __forceinline__ void load_words(uint32_t *to, const char *from, bool there)
{
    if constexpr (n == 4) {
        const uint4 v = there ? __ldg(reinterpret_cast<const uint4 *>(from)) : make_uint4(0, 0, 0, 0);
        to[0] = v.x;
        to[1] = v.y;
        to[2] = v.z;
        to[3] = v.w;
    } else if constexpr (n == 2) {
        const uint2 v = there ? __ldg(reinterpret_cast<const uint2 *>(from)) : make_uint2(0, 0);
        to[0] = v.x;
        to[1] = v.y;
    } else {
        to[0] = there ? __ldg(reinterpret_cast<const uint32_t *>(from)) : 0;
    }
}

__device__ __forceinline__ void store_vector(void *to, const uint32_t (&w)[4])
{
    __stwb(static_cast<uint4 *>(to), make_uint4(w[0], w[1], w[2], w[3]));
}

__device__ __forceinline__ void store_vector(void *to, const uint32_t (&w)[2])
{
    __stwb(static_cast<uint2 *>(to), make_uint2(w[0], w[1]));
}

/* Returns the index that a border maps to from just before the first of n elements or just after the last; -1 for the
 * constant. */
__device__ __forceinline__ int shown_beyond(uint32_t border, bool before, int n)
{
    if (border == GF_BORDER_CONSTANT)
        return -1;
    const int step = border == GF_BORDER_REFLECT101 && n > 1 ? 1 : 0;
    return before == (border == GF_BORDER_WRAP) ? n - 1 - step : step;
}

/* A thread's part of the picture. `inside`: everything that is read and written lies in the picture and in the row
 * chunk. */
template <class T, int C, bool inside> struct strip {
    using of = line_of<T, C>;
    const struct gf_cuda_ranking &r;
    int flat;
    const char *source; /* address of the part in row 0 of the source, and of the result */
    char *made;

    /* Returns the source row that the border maps row y to, -1 for the constant. Rows below the last row that the
     * chunk's windows read may not have been uploaded yet. No result depends on them, so the last uploaded row is read
     * in their place. */
    __device__ __forceinline__ int row_at(int y) const
    {
        if (inside)
            return y;
        y = min(y, r.end);
        return y >= 0 && y < r.height ? y : shown_beyond(r.border, y < 0, r.height);
    }

    /* Loads the vector of row y and the words on either side. Rows begin at multiples of 16 bytes, so their last
     * vectors are whole; nothing behind them is read. */
    __device__ __forceinline__ void load_line(int y, uint32_t (&w)[of::words]) const
    {
        const uint32_t row = inside ? y : max(row_at(y), 0);
        const char *from = source + row * r.src_pitch;
        load_words<of::side_words>(w, from - of::side_words * 4, inside || flat > 0);
        load_words<of::own_words>(w + of::side_words, from, true);
        load_words<of::side_words>(w + of::side_words + of::own_words, from + of::own_words * 4,
                                   inside || flat + of::owned < r.width * C);
    }

    /* Loads row y and, for pairs, the row `strip_rows` below. */
    __device__ __forceinline__ void load(int y, uint32_t (&low)[of::words], uint32_t (&high)[of::words]) const
    {
        load_line(y, low);
        if (of::pair)
            load_line(y + strip_rows, high);
    }

    /* Writes a border pixel into columns `first` to `first` + C - 1: pixel x of rows `low` and `high`; x = -1: the
     * constant. */
    __device__ __forceinline__ void show_pixel(int first, int x, int low, int high, uint32_t (&w)[of::columns]) const
    {
        uint32_t shown[C];
#pragma unroll
        for (int c = 0; c < C; c++) {
            const auto bits = [&](int y) {
                return x < 0 ? outside_bits<T>(r, c) : bits_of(__ldg(row_of<T>(r.src, r.src_pitch, y) + x * C + c));
            };
            shown[c] = word_of<T>(bits(low), of::pair ? bits(high) : 0);
        }
#pragma unroll
        for (int j = 0; j < of::columns; j++)
#pragma unroll
            for (int c = 0; c < C; c++)
                w[j] = j == first + c ? shown[c] : w[j];
    }

    /* Writes the border into the words of row y. */
    __device__ __forceinline__ void show_border(int y, uint32_t (&w)[of::columns]) const
    {
        const int low = row_at(y), high = of::pair ? row_at(y + strip_rows) : low;
        const int behind = r.width * C - flat + C; /* the first column right of the picture */
        if (flat == 0)
            show_pixel(0, shown_beyond(r.border, true, r.width), max(low, 0), max(high, 0), w);
        if (behind < of::columns)
            show_pixel(behind, shown_beyond(r.border, false, r.width), max(low, 0), max(high, 0), w);
        if (low >= 0 && high >= 0)
            return;
#pragma unroll
        for (int j = 0; j < of::columns; j++) { /* a row of the constant, or both; for f32 they are one */
            const uint32_t bits = outside_bits<T>(r, (flat + j) % C), outside = word_of<T>(bits, bits);
            w[j] = low >= 0    ? __byte_perm(w[j], outside, 0x7610)
                   : high >= 0 ? __byte_perm(w[j], outside, 0x3254)
                               : outside;
        }
    }

    /* Makes the words of row y from the loaded bytes. */
    __device__ __forceinline__ void make_words(int y, const uint32_t (&low)[of::words],
                                               const uint32_t (&high)[of::words], uint32_t (&w)[of::columns]) const
    {
#pragma unroll
        for (int j = 0; j < of::columns; j++) {
            const int at = of::lead + j * of::bytes, i = at / 4, place = at % 4;
            w[j] = of::bytes == 4   ? low[i]
                   : of::bytes == 2 ? ordered<T>(__byte_perm(low[i], high[i], place == 0 ? 0x5410 : 0x7632))
                                    : __byte_perm(low[i], high[i], 0x4400 + 0x1111 * place);
        }
        if (!inside)
            show_border(y, w);
    }

    /* Stores words of samples to row y. Samples past the end of the row are dropped. */
    __device__ __forceinline__ void store_line(int y, const uint32_t (&w)[of::own_words]) const
    {
        char *to = made + static_cast<uint32_t>(y) * r.dst_pitch;
        const int left = r.width * C - flat;
        if (!inside && y >= r.end)
            return;
        if (!inside && left < of::owned)
            store_end<T>(to, w, left);
        else
            store_vector(to, w);
    }

    /* Stores the medians of row y and, for pairs, of the row `strip_rows` below. */
    __device__ __forceinline__ void store(int y, uint32_t (&found)[of::owned]) const
    {
        uint32_t low[of::own_words], high[of::own_words];
#pragma unroll
        for (int j = 0; j < of::owned; j++)
            found[j] = stored<T>(found[j]);
#pragma unroll
        for (int i = 0; i < of::own_words; i++) {
            if constexpr (of::bytes == 4) {
                low[i] = found[i];
            } else if constexpr (of::bytes == 2) {
                low[i] = __byte_perm(found[2 * i], found[2 * i + 1], 0x5410);
                high[i] = __byte_perm(found[2 * i], found[2 * i + 1], 0x7632);
            } else {
                const uint32_t a = __byte_perm(found[4 * i], found[4 * i + 1], 0x6240);
                const uint32_t b = __byte_perm(found[4 * i + 2], found[4 * i + 3], 0x6240);
                low[i] = __byte_perm(a, b, 0x5410);
                high[i] = __byte_perm(a, b, 0x7632);
            }
        }
        store_line(y, low);
        if constexpr (of::pair)
            store_line(y + strip_rows, high);
    }
};

/* Sums of words, rank_pairs.cuh. f32 does not use them: every NaN would first have to be made the same. */
__device__ __forceinline__ uint32_t add(uint32_t a, uint32_t b, uint32_t one)
{
    return multiply_add(a, one, b);
}

__device__ __forceinline__ uint32_t subtract(uint32_t a, uint32_t b, uint32_t one)
{
    return multiply_add(b, 0u - one, a);
}

/* The rows of a column that two windows share, one window above the other: for f32 `a` and `b` sorted; for integers
 * `a`, `b` and their sum. */
struct shared_rows {
    uint32_t a, b, sum;
};

template <class T> __device__ __forceinline__ shared_rows share_rows(uint32_t a, uint32_t b, uint32_t one)
{
    if constexpr (std::is_same_v<T, float>)
        return {least<T>(a, b), greatest<T>(a, b), 0};
    return {a, b, add(a, b, one)};
}

/* Sorts a column: the two shared rows and a third. */
template <class T>
__device__ __forceinline__ void order_column(const shared_rows &both, uint32_t c, uint32_t one, uint32_t &low,
                                             uint32_t &middle, uint32_t &high)
{
    if constexpr (std::is_same_v<T, float>) {
        low = least<T>(both.a, c);
        high = greatest<T>(both.b, c);
        middle = greatest<T>(both.a, least<T>(both.b, c));
    } else {
        low = least<T>(least<T>(both.a, both.b), c);
        high = greatest<T>(greatest<T>(both.a, both.b), c);
        middle = subtract(subtract(add(c, both.sum, one), low, one), high, one);
    }
}

template <class T> __device__ __forceinline__ uint32_t middle3(uint32_t x, uint32_t y, uint32_t z, uint32_t one)
{
    if constexpr (std::is_same_v<T, float>)
        return greatest<T>(least<T>(x, y), least<T>(greatest<T>(x, y), z));
    const uint32_t low = least<T>(least<T>(x, y), z), high = greatest<T>(greatest<T>(x, y), z);
    return subtract(subtract(add(add(x, y, one), z, one), low, one), high, one);
}

/* Computes the medians of a row of windows, which consist of the two shared rows and row c. */
template <class T, int C, int owned, int columns>
__device__ __forceinline__ void find_medians(const shared_rows (&both)[columns], const uint32_t (&c)[columns],
                                             uint32_t one, uint32_t (&found)[owned])
{
    uint32_t low[columns], middle[columns], high[columns];
#pragma unroll
    for (int j = 0; j < columns; j++)
        order_column<T>(both[j], c[j], one, low[j], middle[j], high[j]);
#pragma unroll
    for (int j = 0; j < owned; j++) {
        if (j / C % 2 == 1)
            continue;
        /* The middles that this window shares with the next window of the channel. */
        const uint32_t p = least<T>(middle[j + C], middle[j + 2 * C]);
        const uint32_t q = greatest<T>(middle[j + C], middle[j + 2 * C]);
#pragma unroll
        for (int k = j; k < owned && k <= j + C; k += C) {
            const uint32_t x = greatest<T>(greatest<T>(low[k], low[k + C]), low[k + 2 * C]);
            const uint32_t y = greatest<T>(p, least<T>(q, middle[k == j ? j : j + 3 * C]));
            const uint32_t z = least<T>(least<T>(high[k], high[k + C]), high[k + 2 * C]);
            found[k] = middle3<T>(x, y, z, one);
        }
    }
}

/*
 * Computes the rows of a strip from y0 on. The inputs of the next two rows are loaded before the current two are
 * computed, so that no instruction waits for a load just issued.
 */
template <class T, int C, bool inside>
__device__ __forceinline__ void make_strip(const strip<T, C, inside> &part, int y0, uint32_t one)
{
    using of = line_of<T, C>;
    uint32_t row[4][of::columns], low[2][of::words], high[2][of::words];
    part.load(y0 - 1, low[0], high[0]);
    part.load(y0, low[1], high[1]);
    part.make_words(y0 - 1, low[0], high[0], row[0]);
    part.make_words(y0, low[1], high[1], row[1]);
    part.load(y0 + 1, low[0], high[0]);
    part.load(y0 + 2, low[1], high[1]);
#pragma unroll 1
    for (int y = y0; y < y0 + strip_rows; y += 2) {
        shared_rows both[of::columns];
        uint32_t found[of::owned];
        part.make_words(y + 1, low[0], high[0], row[2]);
        part.make_words(y + 2, low[1], high[1], row[3]);
        if (y + 2 < y0 + strip_rows) {
            part.load(y + 3, low[0], high[0]);
            part.load(y + 4, low[1], high[1]);
        }
#pragma unroll
        for (int j = 0; j < of::columns; j++)
            both[j] = share_rows<T>(row[1][j], row[2][j], one);
        find_medians<T, C>(both, row[0], one, found);
        part.store(y, found);
        find_medians<T, C>(both, row[3], one, found);
        part.store(y + 1, found);
#pragma unroll
        for (int j = 0; j < of::columns; j++) {
            row[0][j] = row[2][j];
            row[1][j] = row[3][j];
        }
    }
}

template <class T, int C>
__global__ void __launch_bounds__(threads, line_of<T, C>::blocks)
    median3_kernel(const __grid_constant__ struct gf_cuda_ranking r, const uint32_t one)
{
    using of = line_of<T, C>;
    const int lane = threadIdx.x % warp_lanes, warp = threadIdx.x / warp_lanes;
    const int flat = (blockIdx.x * warp_lanes + lane) * of::owned;
    const int y0 = r.first + (blockIdx.y * warps + warp) * of::rows, last = y0 + of::rows;
    if (flat >= r.width * C || y0 >= r.end)
        return;
    const char *source = row_of<char>(r.src, r.src_pitch, 0) + static_cast<size_t>(flat) * of::bytes;
    char *made = row_of<char>(r.dst, r.dst_pitch, 0) + static_cast<size_t>(flat) * of::bytes;
    /* Hides from the compiler that these are sums. A row's address is then one product and one sum on the multiply-add
     * units; otherwise it is a product and two sums on the units that compute minima. */
    asm("" : "+l"(source), "+l"(made));
    if (y0 > 0 && last <= r.end && last < r.height && flat > 0 && flat + of::owned + C <= r.width * C)
        make_strip(strip<T, C, true>{r, flat, source, made}, y0, one);
    else
        make_strip(strip<T, C, false>{r, flat, source, made}, y0, one);
}

template <class T, int C> cudaError_t launch(const struct gf_cuda_ranking *r, cudaStream_t stream)
{
    constexpr int span = warp_lanes * line_of<T, C>::owned, rows = warps * line_of<T, C>::rows;
    const dim3 grid((r->width * C + span - 1) / span, (r->end - r->first + rows - 1) / rows);
    median3_kernel<T, C><<<grid, threads, 0, stream>>>(*r, 1);
    return cudaPeekAtLastError();
}

} // namespace

extern "C" cudaError_t gf_cuda_rank_median3(const struct gf_cuda_ranking *r, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    gf_dispatch(r->dtype, [&](auto tag) {
        error = gf_dispatch_channels(r->channels, [&](auto c) { return launch<decltype(tag), c.value>(r, stream); });
    });
    return error;
}
