/* SPDX-License-Identifier: MIT */
/*
 * Tiles of stored samples: how they are copied into shared memory, how a thread reads the samples of its window, and
 * how it stores its results. No light, no alpha. Included by raw_mask.cuh and fused_tile.cuh.
 */
#ifndef GF_CUDA_RAW_TILE_CUH
#define GF_CUDA_RAW_TILE_CUH

#include <type_traits>

#include "kernels/cuda/device/async_copy.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "tile.cuh"

namespace gf
{

constexpr int chunk = 16; /* bytes per copy */

template <class T> constexpr int per_word = static_cast<int>(sizeof(uint32_t) / sizeof(T));

/* A row of a tile: V samples for each lane of `Across` adjacent warps, padded on both sides by whole chunks for a mask
 * of side K. A lane reads whole words. */
template <class T, int C, int K, int V, int Across> struct raw_row {
    static constexpr int size = static_cast<int>(sizeof(T));
    static constexpr int reach = K / 2 * C;                          /* samples that the mask reaches to each side */
    static constexpr int pad = round_up(reach * size, chunk) / size; /* reach in whole chunks */
    static constexpr int own = Across * warp_lanes * V;
    static constexpr int samples = own + 2 * pad;
    static constexpr int bytes = samples * size;
    static constexpr int lead = round_up(reach * size, 4) / 4; /* words of a window before the lane's own words */
    static constexpr int own_words = V * size / 4;
    static constexpr int words = own_words + 2 * lead;
    static constexpr int skip = lead * per_word<T> - reach; /* from a window's first sample to its first used one */
};

/* Starts bulk copies (TMA) of rows of Row::bytes, all inside the image, the first one at `corner`. The whole block must
 * call it. */
template <class Row>
__device__ __forceinline__ void bulk_copy_rows(unsigned char *tile, const void *corner, size_t pitch, int rows,
                                               uint64_t *barrier)
{
    if (threadIdx.x >= warp_lanes)
        return;
    if (threadIdx.x == 0)
        gf_expect_tx(barrier, rows * Row::bytes);
    gf_sync_warp();
    for (int r = threadIdx.x; r < rows; r += warp_lanes)
        gf_copy_bulk(tile + r * Row::bytes, row_of<char>(corner, pitch, r), Row::bytes, barrier);
}

/* Starts bulk copies at the edges of the image: `bytes` bytes of each row that the border maps to a source row. `from`
 * points to the first of them in source row 0. */
template <class Row>
__device__ __forceinline__ void bulk_copy_edge(unsigned char *tile, const void *from, const struct gf_cuda_source &src,
                                               int y0, int rows, int bytes, uint64_t *barrier)
{
    if (threadIdx.x >= warp_lanes)
        return;
    const int outside = max(-y0, 0) + max(y0 + rows - src.height, 0);
    const int there = bytes == 0 ? 0 : src.border == GF_BORDER_CONSTANT ? max(rows - outside, 0) : rows;
    if (threadIdx.x == 0)
        gf_expect_tx(barrier, there * bytes);
    gf_sync_warp();
    for (int r = threadIdx.x; r < rows && there > 0; r += warp_lanes) {
        const int y = border_index(src.border, y0 + r, src.height);
        if (y >= 0)
            gf_copy_bulk(tile + r * Row::bytes, row_of<char>(from, src.pitch, y), bytes, barrier);
    }
}

/* How a tile arrives: by asynchronous copies; by bulk copies (TMA), which complete a phase of the barrier; or by bulk
 * copies and threads. Except after bulk copies alone, the block must synchronise. */
enum class copy_mode { async, bulk, bulk_and_threads };

/* Starts filling `rows` rows of a tile from row y0 and sample flat0 on, both possibly outside the image. Bulk selects
 * bulk copies. Samples beyond the reach of the mask are not written. */
template <class T, int C, class Row, bool Bulk>
__device__ __forceinline__ copy_mode begin_fill(unsigned char *tile, const struct gf_cuda_source &src, int y0,
                                                int flat0, int rows, uint64_t *barrier)
{
    constexpr int per = chunk / Row::size;
    const int samples = src.width * C;
    if (flat0 >= 0 && flat0 + Row::samples <= samples && y0 >= 0 && y0 + rows <= src.height) {
        const T *corner = row_of<T>(src.data, src.pitch, y0) + flat0;
        if constexpr (Bulk) {
            bulk_copy_rows<Row>(tile, corner, src.pitch, rows, barrier);
        } else {
            constexpr int chunks = Row::bytes / chunk;
#pragma unroll 4
            for (int i = threadIdx.x; i < rows * chunks; i += threads)
                gf_copy_async(tile + i * chunk, row_of<T>(corner, src.pitch, i / chunks) + i % chunks * per, chunk);
        }
        return Bulk ? copy_mode::bulk : copy_mode::async;
    }
    /* First the chunks inside the row, one row per lane or warp, then the samples to both sides that the mask
     * reaches. */
    T *out = reinterpret_cast<T *>(tile);
    const int first = min(max(-flat0, 0), Row::samples) / per * per;
    const int end = max(min(samples - flat0, Row::samples) / per * per, first);
    const int lane = threadIdx.x % warp_lanes;
    if constexpr (Bulk)
        bulk_copy_edge<Row>(tile + first * Row::size, static_cast<const T *>(src.data) + flat0 + first, src, y0, rows,
                            (end - first) * Row::size, barrier);
#pragma unroll 1
    for (int r = threadIdx.x / warp_lanes; r < rows && !(Bulk && src.border != GF_BORDER_CONSTANT); r += warps) {
        const int y = border_index(src.border, y0 + r, src.height);
        if (y < 0)
#pragma unroll 1
            for (int at = first + lane; at < end; at += warp_lanes)
                out[r * Row::samples + at] = static_cast<T>(src.outside[flat0 + at - pixel_of<C>(flat0 + at) * C]);
        else if (!Bulk)
#pragma unroll 1
            for (int at = first + lane * per; at < end; at += warp_lanes * per)
                gf_copy_async(out + r * Row::samples + at, row_of<T>(src.data, src.pitch, y) + flat0 + at, chunk);
    }
    const int left = min(first, Row::reach);
    const int beside = left + min(Row::samples, samples - flat0 + Row::reach) - end;
#pragma unroll 2
    for (int i = threadIdx.x; i < rows * beside; i += threads) {
        const int r = i / beside, k = i % beside, at = k < left ? first - left + k : end - left + k;
        const int px = pixel_of<C>(flat0 + at), c = flat0 + at - px * C;
        const int x = border_index(src.border, px, src.width), y = border_index(src.border, y0 + r, src.height);
        out[r * Row::samples + at] =
            (x | y) < 0 ? static_cast<T>(src.outside[c]) : __ldg(row_of<T>(src.data, src.pitch, y) + x * C + c);
    }
    if constexpr (Bulk)
        gf_fence_for_bulk_copies(); /* later bulk copies may overwrite these samples */
    return Bulk ? copy_mode::bulk_and_threads : copy_mode::async;
}

/* Waits until all but the last `later` batches of all threads have arrived. Bulk copies may overwrite the tile
 * afterwards. */
__device__ __forceinline__ void meet_copies(int later)
{
    gf_wait_for_copies(later);
    gf_fence_for_bulk_copies();
    gf_sync_block();
}

/* Fills a tile and waits for it. */
template <class T, int C, class Row, bool Bulk>
__device__ __forceinline__ void fill_raw(unsigned char *tile, const struct gf_cuda_source &src, int y0, int flat0,
                                         int rows)
{
    __shared__ uint64_t barrier[1];
    if constexpr (Bulk) {
        gf_init_copy_barriers(barrier);
        gf_sync_block();
    }
    const copy_mode mode = begin_fill<T, C, Row, Bulk>(tile, src, y0, flat0, rows, barrier);
    if (mode == copy_mode::async) {
        gf_commit_copies();
        meet_copies(0);
        return;
    }
    gf_wait_for_phase(barrier, 0);
    if (mode == copy_mode::bulk_and_threads)
        gf_sync_block();
}

/* Reads words At to End - 1 of a window. `own` points to word Lead, which is aligned to Align words. */
template <int At, int End, int Lead, int Align>
__device__ __forceinline__ void read_words(uint32_t (&w)[End], const uint32_t *own)
{
    if constexpr (At < End) {
        constexpr int from = At - Lead, mod = (from % 4 + 4) % 4;
        if constexpr (Align % 4 == 0 && mod == 0 && End - At >= 4) {
            const uint4 v = *reinterpret_cast<const uint4 *>(own + from);
            w[At] = v.x;
            w[At + 1] = v.y;
            w[At + 2] = v.z;
            w[At + 3] = v.w;
            read_words<At + 4, End, Lead, Align>(w, own);
        } else if constexpr (Align % 2 == 0 && mod % 2 == 0 && End - At >= 2) {
            const uint2 v = *reinterpret_cast<const uint2 *>(own + from);
            w[At] = v.x;
            w[At + 1] = v.y;
            read_words<At + 2, End, Lead, Align>(w, own);
        } else {
            w[At] = own[from];
            read_words<At + 1, End, Lead, Align>(w, own);
        }
    }
}

/*
 * Returns a sample of a word as f32. An integer is not converted but placed in bits 8 to 23 of the float. There it is
 * denormal or in the lowest binade, which continues the denormals, so the float is exactly the sample times 2^-133 (u8)
 * or 2^-141 (u16). The weights compensate: GF_CUDA_BYTE_BITS and GF_CUDA_SHORT_BITS.
 */

__device__ __forceinline__ float sample_of(uint8_t, uint32_t word, int i)
{
    return __uint_as_float(__byte_perm(word, 0, 0x4044 | i << 8));
}

__device__ __forceinline__ float sample_of(uint16_t, uint32_t word, int i)
{
    return __uint_as_float(__byte_perm(word, 0, i == 0 ? 0x4104 : 0x4324));
}

__device__ __forceinline__ float sample_of(float, uint32_t word, int)
{
    return __uint_as_float(word);
}

/* Returns bytes i, i + C, i + 2 C and i + 3 C of a window as a word. Only the first N are needed. All indices are
 * constants. */
template <int C, int N, int Words> __device__ __forceinline__ uint32_t gather_bytes(const uint32_t (&w)[Words], int i)
{
    const int word = i / 4, last = (i + (N - 1) * C) / 4;
    if (C == 1 && i % 4 == 0)
        return w[word];
    unsigned places = 0; /* selectors into this word and the next */
    int done = 0;
#pragma unroll
    for (int n = 0; n < N; n++)
        if (i % 4 + n * C < 8) {
            places |= static_cast<unsigned>(i % 4 + n * C) << 4 * n;
            done = n + 1;
        }
    uint32_t bytes = __byte_perm(w[word], w[last > word ? word + 1 : word], places);
#pragma unroll
    for (int n = 1; n < N; n++)
        if (n >= done) {
            const int at = i + n * C;
            bytes = __byte_perm(bytes, w[at / 4], (0x3210u & ~(0xFu << 4 * n)) | (4u + at % 4) << 4 * n);
        }
    return bytes;
}

/* Returns `sum` plus four products of bytes, unsigned by signed. */
__device__ __forceinline__ int dot_bytes(uint32_t samples, uint32_t weights, int sum)
{
    int result;
    asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(samples), "r"(weights), "r"(sum));
    return result;
}

/* The initial value of an integer sum. Read as f32 it is 1.5 * 2^23, and adding a sum below 2^22 increases the float by
 * that sum. */
constexpr int sum_base = 0x4B400000;

__device__ __forceinline__ float float_of_sum(int sum)
{
    return __fadd_rn(__int_as_float(sum), -12582912.0f);
}

/* Pack results to a word of stored samples. The conversions round to even, saturate, and map NaN to 0. */
__device__ __forceinline__ uint32_t pack(uint8_t, const float *v)
{
    uint32_t high, word;
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, 0;" : "=r"(high) : "r"(__float2int_rn(v[3])), "r"(__float2int_rn(v[2])));
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;"
        : "=r"(word)
        : "r"(__float2int_rn(v[1])), "r"(__float2int_rn(v[0])), "r"(high));
    return word;
}

__device__ __forceinline__ uint32_t pack(uint16_t, const float *v)
{
    uint32_t word;
    asm("cvt.pack.sat.u16.s32 %0, %1, %2;" : "=r"(word) : "r"(__float2int_rn(v[1])), "r"(__float2int_rn(v[0])));
    return word;
}

__device__ __forceinline__ uint32_t pack(int16_t, const float *v)
{
    uint32_t word;
    asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(word) : "r"(__float2int_rn(v[1])), "r"(__float2int_rn(v[0])));
    return word;
}

__device__ __forceinline__ uint32_t pack(__half tag, const float *v)
{
    return __half_as_ushort(to_stored(tag, v[0])) | static_cast<uint32_t>(__half_as_ushort(to_stored(tag, v[1]))) << 16;
}

/* Compared as integers, the NaN that arithmetic produces, 0x7FFFFFFF, is above the stored NaN, and everything else is
 * below. */
__device__ __forceinline__ uint32_t pack(float, const float *v)
{
    return static_cast<uint32_t>(min(__float_as_int(v[0]), 0x7FC00000));
}

/* Stores N adjacent results, or only the first `left` where that is fewer. NaN results must come from arithmetic. */
template <class T, int N> __device__ __forceinline__ void store_run(T *out, int left, const float (&v)[N])
{
    constexpr int words = N / per_word<T>;
    uint32_t w[words];
#pragma unroll
    for (int i = 0; i < words; i++)
        w[i] = pack(T{}, v + i * per_word<T>);
    if (left >= N) {
        if constexpr (words % 4 == 0) {
#pragma unroll
            for (int i = 0; i < words; i += 4)
                reinterpret_cast<uint4 *>(out)[i / 4] = make_uint4(w[i], w[i + 1], w[i + 2], w[i + 3]);
        } else if constexpr (words == 2) {
            *reinterpret_cast<uint2 *>(out) = make_uint2(w[0], w[1]);
        }
        static_assert(words % 4 == 0 || words == 2, "a thread must store whole vectors");
        return;
    }
#pragma unroll
    for (int i = 0; i < N - 1; i++)
        if (i < left) {
            if constexpr (std::is_same_v<T, float>)
                out[i] = __uint_as_float(w[i]);
            else
                out[i] = static_cast<T>(w[i / per_word<T>] >> i % per_word<T> * 8 * static_cast<int>(sizeof(T)));
        }
}

} // namespace gf

#endif
