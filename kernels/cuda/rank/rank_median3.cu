/* SPDX-License-Identifier: MIT */
/*
 * Medians of 3 x 3. Called by rank_filter.c.
 *
 * A thread has 16 bytes of a row and goes down eight rows of them, two at a time. It reads them and the samples on
 * either side itself, through the first-level cache, which its neighbours share. So there is no shared memory and no
 * barrier, and no thread needs what another one wrote.
 *
 * Words hold two keys of 16 bits, of a row in the low half and of the row eight further down in the high one, so that
 * one instruction finds two minima and neighbours lie in registers as they are, whatever the number of channels; those
 * of f32 hold one key. A byte stands twice in its half, which keeps its order. Of each column the two rows in the
 * middle are put in order once for the two windows that have them, and so are the middles of two columns.
 */
#include "rank_keys.cuh"
#include "rank_pairs.cuh"

namespace
{

using namespace gf;

constexpr int strip_rows = 8; /* of words, that a thread makes */
constexpr int own_words = 4;  /* of a row, one vector */

/* What a thread has of a row of samples of so many bytes: `owned` of them, and a pixel on either side. */
template <int bytes, int C> struct line_of {
    static constexpr bool pair = bytes < 4;
    static constexpr int owned = 16 / bytes, columns = owned + 2 * C;
    static constexpr int side_words = C * bytes <= 4 ? 1 : C * bytes <= 8 ? 2 : 4; /* as one vector */
    static constexpr int words = own_words + 2 * side_words;
    static constexpr int lead = side_words * 4 - C * bytes; /* bytes before the first sample */
    static constexpr int rows = strip_rows * (pair ? 2 : 1);
    /* That the registers of a multiprocessor hold. */
    static constexpr int blocks = bytes == 1 ? (C > 1 ? 3 : 4) : C == 1 ? 8 : bytes == 2 && C > 2 ? 4 : 6;
};

/* n words, 0 where they are not there. */
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

/* The vector of row y from flat index `flat` on and the words beside it. Rows begin at multiples of 16 bytes, so that
 * their last vectors are whole; what lies behind those is not read. */
template <int bytes, int C>
__device__ __forceinline__ void load_line(const struct gf_cuda_ranking &r, int y, int flat,
                                          uint32_t (&w)[line_of<bytes, C>::words])
{
    using of = line_of<bytes, C>;
    const int samples = r.width * C;
    const char *from = row_of<char>(r.src, r.src_pitch, y) + static_cast<size_t>(flat) * bytes;
    load_words<of::side_words>(w, from - of::side_words * 4, flat > 0);
    load_words<own_words>(w + of::side_words, from, flat < samples);
    load_words<of::side_words>(w + of::side_words + own_words, from + own_words * 4, flat + of::owned < samples);
}

/* A byte twice in each half; others as they are. */
template <int bytes> __device__ __forceinline__ uint32_t placed(uint32_t w)
{
    return bytes == 1 ? w * 0x0101u : w;
}

/* The word of a constant border's keys. */
template <int bytes> __device__ __forceinline__ uint32_t constant_key(const struct gf_cuda_ranking &r, int c)
{
    return bytes == 4 ? r.outside[c] : placed<bytes>(r.outside[c] * 0x00010001u);
}

/* Words of samples to words of keys. */
template <int bytes, int n> __device__ __forceinline__ void to_keys(uint32_t dtype, uint32_t (&w)[n])
{
    if (bytes == 2)
        make_keys(dtype, w);
    if (bytes == 4) {
#pragma unroll
        for (int j = 0; j < n; j++)
            w[j] = key_of(__uint_as_float(w[j]));
    }
}

/* What a border shows in columns `first` to `first` + C - 1: pixel x of rows `low` and `high`; -1 for the constant. */
template <int bytes, int C>
__device__ __forceinline__ void show_pixel(const struct gf_cuda_ranking &r, int first, int x, int low, int high,
                                           uint32_t (&key)[line_of<bytes, C>::columns])
{
    using of = line_of<bytes, C>;
    uint32_t shown[C];
#pragma unroll
    for (int c = 0; c < C; c++)
        gf_dispatch_size(bytes, [&](auto tag) {
            using T = decltype(tag);
            const uint32_t a = x < 0 ? 0 : __ldg(row_of<T>(r.src, r.src_pitch, low) + x * C + c);
            const uint32_t b = x < 0 || !of::pair ? 0 : __ldg(row_of<T>(r.src, r.src_pitch, high) + x * C + c);
            shown[c] = placed<bytes>(of::pair ? a | b << 16 : a);
        });
    to_keys<bytes>(r.dtype, shown);
#pragma unroll
    for (int c = 0; c < C; c++)
        shown[c] = x < 0 ? constant_key<bytes>(r, c) : shown[c];
#pragma unroll
    for (int j = 0; j < of::columns; j++)
#pragma unroll
        for (int c = 0; c < C; c++)
            key[j] = j == first + c ? shown[c] : key[j];
}

/*
 * The keys of row y, which may be outside, and of pairs those of the row `strip_rows` further down. Rows behind the
 * last one that a window of the row chunk has may not be there yet, and no result is made of them: that one is read.
 */
template <int bytes, int C>
__device__ __forceinline__ void load_keys(const struct gf_cuda_ranking &r, int y, int flat,
                                          uint32_t (&key)[line_of<bytes, C>::columns])
{
    using of = line_of<bytes, C>;
    const int low = border_index(r.border, min(y, r.end), r.height);
    const int high = of::pair ? border_index(r.border, min(y + strip_rows, r.end), r.height) : low;
    uint32_t a[of::words], b[of::words];
    load_line<bytes, C>(r, max(low, 0), flat, a);
    if (of::pair)
        load_line<bytes, C>(r, max(high, 0), flat, b);
#pragma unroll
    for (int j = 0; j < of::columns; j++) {
        const int at = of::lead + j * bytes, i = at / 4, place = at % 4;
        key[j] = bytes == 4   ? a[i]
                 : bytes == 2 ? __byte_perm(a[i], b[i], place == 0 ? 0x5410 : 0x7632)
                              : __byte_perm(a[i], b[i], 0x4400 + 0x1111 * place);
    }
    to_keys<bytes>(r.dtype, key);
    const int behind = r.width * C - flat + C; /* the first column behind the picture */
    if (flat == 0)
        show_pixel<bytes, C>(r, 0, border_index(r.border, -1, r.width), max(low, 0), max(high, 0), key);
    if (behind < of::columns)
        show_pixel<bytes, C>(r, behind, border_index(r.border, r.width, r.width), max(low, 0), max(high, 0), key);
    if (low >= 0 && high >= 0)
        return;
#pragma unroll
    for (int j = 0; j < of::columns; j++) { /* a row of the constant, or two; of f32 they are one */
        const uint32_t outside = constant_key<bytes>(r, (flat + j) % C);
        key[j] = low >= 0    ? __byte_perm(key[j], outside, 0x7610)
                 : high >= 0 ? __byte_perm(key[j], outside, 0x3254)
                             : outside;
    }
}

/* The medians of a row of windows: each column's keys are a <= b, in order, and c. */
template <bool pair, int C, int owned, int columns>
__device__ __forceinline__ void find_medians(const uint32_t (&a)[columns], const uint32_t (&b)[columns],
                                             const uint32_t (&c)[columns], uint32_t (&found)[owned])
{
    uint32_t low[columns], middle[columns], high[columns];
#pragma unroll
    for (int j = 0; j < columns; j++) {
        low[j] = least<pair>(a[j], c[j]);
        middle[j] = greatest<pair>(a[j], least<pair>(b[j], c[j]));
        high[j] = greatest<pair>(b[j], c[j]);
    }
#pragma unroll
    for (int j = 0; j < owned; j++) {
        if (j / C % 2 == 1)
            continue;
        /* The middles that this window and the next one of the channel have. */
        const uint32_t p = least<pair>(middle[j + C], middle[j + 2 * C]);
        const uint32_t q = greatest<pair>(middle[j + C], middle[j + 2 * C]);
#pragma unroll
        for (int k = j; k < owned && k <= j + C; k += C) {
            const uint32_t x = greatest<pair>(greatest<pair>(low[k], low[k + C]), low[k + 2 * C]);
            const uint32_t y = greatest<pair>(p, least<pair>(q, middle[k == j ? j : j + 3 * C]));
            const uint32_t z = least<pair>(least<pair>(high[k], high[k + C]), high[k + 2 * C]);
            found[k] = greatest<pair>(least<pair>(x, y), least<pair>(greatest<pair>(x, y), z));
        }
    }
}

/* Stores samples in words, of row y from flat index `flat` on; those behind the row's end are dropped. */
template <int bytes>
__device__ __forceinline__ void store_line(const struct gf_cuda_ranking &r, int y, int flat,
                                           const uint32_t (&w)[own_words])
{
    const int samples = r.width * r.channels, owned = own_words * 4 / bytes;
    if (y >= r.end)
        return;
    char *to = row_of<char>(r.dst, r.dst_pitch, y) + static_cast<size_t>(flat) * bytes;
    if (flat + owned <= samples) {
        *reinterpret_cast<uint4 *>(to) = make_uint4(w[0], w[1], w[2], w[3]);
        return;
    }
#pragma unroll
    for (int j = 0; j < owned; j++) {
        const uint32_t v = w[j * bytes / 4] >> j * bytes % 4 * 8;
        if (flat + j >= samples)
            break;
        if (bytes == 4)
            reinterpret_cast<uint32_t *>(to)[j] = v;
        else if (bytes == 2)
            reinterpret_cast<uint16_t *>(to)[j] = static_cast<uint16_t>(v);
        else
            reinterpret_cast<uint8_t *>(to)[j] = static_cast<uint8_t>(v);
    }
}

/* Stores what was found for row y, and of pairs for the row `strip_rows` further down. */
template <int bytes, int owned>
__device__ __forceinline__ void store_keys(const struct gf_cuda_ranking &r, int y, int flat,
                                           const uint32_t (&found)[owned])
{
    uint32_t low[own_words], high[own_words];
#pragma unroll
    for (int i = 0; i < own_words; i++) {
        if (bytes == 4) {
            low[i] = __float_as_uint(of_key(0.0f, found[i]));
        } else if (bytes == 2) {
            low[i] = __byte_perm(found[2 * i], found[2 * i + 1], 0x5410);
            high[i] = __byte_perm(found[2 * i], found[2 * i + 1], 0x7632);
        } else {
            const uint32_t a = __byte_perm(found[4 * i], found[4 * i + 1], 0x6240);
            const uint32_t b = __byte_perm(found[4 * i + 2], found[4 * i + 3], 0x6240);
            low[i] = __byte_perm(a, b, 0x5410);
            high[i] = __byte_perm(a, b, 0x7632);
        }
    }
    if (bytes == 2) {
        make_samples(r.dtype, low);
        make_samples(r.dtype, high);
    }
    store_line<bytes>(r, y, flat, low);
    if (bytes < 4)
        store_line<bytes>(r, y + strip_rows, flat, high);
}

template <int bytes, int C>
__global__ void __launch_bounds__(threads, line_of<bytes, C>::blocks)
    median3_kernel(const __grid_constant__ struct gf_cuda_ranking r)
{
    using of = line_of<bytes, C>;
    const int lane = threadIdx.x % warp_lanes, warp = threadIdx.x / warp_lanes;
    const int flat = (blockIdx.x * warp_lanes + lane) * of::owned;
    const int y0 = r.first + (blockIdx.y * warps + warp) * of::rows;
    if (flat >= r.width * C || y0 >= r.end)
        return;
    uint32_t row[4][of::columns];
    load_keys<bytes, C>(r, y0 - 1, flat, row[0]);
    load_keys<bytes, C>(r, y0, flat, row[1]);
#pragma unroll 1
    for (int y = y0; y < y0 + strip_rows; y += 2) {
        uint32_t a[of::columns], b[of::columns], found[of::owned];
        load_keys<bytes, C>(r, y + 1, flat, row[2]);
        load_keys<bytes, C>(r, y + 2, flat, row[3]);
#pragma unroll
        for (int j = 0; j < of::columns; j++) {
            a[j] = least<of::pair>(row[1][j], row[2][j]);
            b[j] = greatest<of::pair>(row[1][j], row[2][j]);
        }
        find_medians<of::pair, C>(a, b, row[0], found);
        store_keys<bytes>(r, y, flat, found);
        find_medians<of::pair, C>(a, b, row[3], found);
        store_keys<bytes>(r, y + 1, flat, found);
#pragma unroll
        for (int j = 0; j < of::columns; j++) {
            row[0][j] = row[2][j];
            row[1][j] = row[3][j];
        }
    }
}

template <int bytes, int C> cudaError_t launch(const struct gf_cuda_ranking *r, cudaStream_t stream)
{
    constexpr int span = warp_lanes * line_of<bytes, C>::owned, rows = warps * line_of<bytes, C>::rows;
    const dim3 grid((r->width * C + span - 1) / span, (r->end - r->first + rows - 1) / rows);
    median3_kernel<bytes, C><<<grid, threads, 0, stream>>>(*r);
    return cudaPeekAtLastError();
}

template <int bytes> cudaError_t launch(const struct gf_cuda_ranking *r, cudaStream_t stream)
{
    return r->channels == 1   ? launch<bytes, 1>(r, stream)
           : r->channels == 2 ? launch<bytes, 2>(r, stream)
           : r->channels == 3 ? launch<bytes, 3>(r, stream)
                              : launch<bytes, 4>(r, stream);
}

} // namespace

extern "C" cudaError_t gf_cuda_rank_median3(const struct gf_cuda_ranking *r, cudaStream_t stream)
{
    const size_t size = gf_dtype_size(r->dtype);
    return size == 1 ? launch<1>(r, stream) : size == 2 ? launch<2>(r, stream) : launch<4>(r, stream);
}
