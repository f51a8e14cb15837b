/* SPDX-License-Identifier: MIT */
/*
 * Any rank in any window, by histograms. A thread walks down a column of samples and keeps counters of the highest 8
 * bits of the keys in its window: a row enters, a row leaves, and the search for the counter with the wanted key
 * continues from its last position. For bytes that is the result. For wider keys the remaining bits are found 4 at a
 * time, by going over the window and counting the keys that share the bits found so far. Called by rank_filter.c.
 *
 * Counters have 16 bits, two in a word of shared memory. The words of the threads of a warp lie in different banks, and
 * no thread accesses the counters of another, so there is no barrier. Samples are read through the L1 cache, which
 * holds a row of the windows of a block.
 */
#include "rank_keys.cuh"

namespace
{

using namespace gf;

constexpr int digit_threads = 64;
constexpr int top_bits = 8, low_bits = 4;
constexpr int top_words = (1 << top_bits) / 2, low_words = (1 << low_bits) / 2;
constexpr int strip_rows = 64; /* or twice the window's height, whose first window reads all its samples */

struct counters {
    uint32_t top[top_words][digit_threads]; /* 32 KiB */
    uint32_t low[low_words][digit_threads]; /* 2 KiB */
};

__device__ __forceinline__ uint32_t count_at(const uint32_t (*words)[digit_threads], uint32_t digit)
{
    return words[digit / 2][threadIdx.x] >> (16 * (digit % 2)) & 0xFFFFu;
}

/* Counts a sample that enters (1) or leaves (-1). A window has at most 65025 samples, so the halves of a word never
 * overflow into each other. */
__device__ __forceinline__ void count(uint32_t (*words)[digit_threads], uint32_t digit, uint32_t one)
{
    words[digit / 2][threadIdx.x] += one << (16 * (digit % 2));
}

template <class Load> struct window {
    const struct gf_cuda_ranking &r;
    Load load;
    int x, c;   /* pixel of the result, channel */
    bool inner; /* no column of the block's windows is outside */

    /* Calls f(key) for the window's samples of source row y, which may be outside. */
    template <class F> __device__ __forceinline__ void walk_row(int y, F &&f) const
    {
        const int row = border_index(r.border, y, r.height), x0 = x - r.anchor_x;
        if (row < 0) {
            for (int i = 0; i < r.window_x; i++)
                f(r.outside[c]);
        } else if (inner) {
#pragma unroll 4
            for (int i = 0; i < r.window_x; i++)
                f(load(row, (x0 + i) * r.channels + c));
        } else {
            for (int i = 0; i < r.window_x; i++) {
                const int column = border_index(r.border, x0 + i, r.width);
                f(column < 0 ? r.outside[c] : load(row, column * r.channels + c));
            }
        }
    }
};

/* Finds the bits below the highest. `k` samples with the same highest bits come before the wanted one. */
template <int bits, class Load>
__device__ __forceinline__ uint32_t find_low_bits(const window<Load> &w, uint32_t (*low)[digit_threads], int y,
                                                  uint32_t found, uint32_t k)
{
#pragma unroll 1
    for (int shift = bits - top_bits - low_bits; shift >= 0; shift -= low_bits) {
        for (int i = 0; i < low_words; i++)
            low[i][threadIdx.x] = 0;
        for (int i = 0; i < w.r.window_y; i++)
            w.walk_row(y - w.r.anchor_y + i, [&](uint32_t key) {
                if (key >> (shift + low_bits) == found)
                    count(low, key >> shift & ((1u << low_bits) - 1), 1u);
            });
        uint32_t digit = 0, here = count_at(low, 0);
        while (k >= here) {
            k -= here;
            here = count_at(low, ++digit);
        }
        found = found << low_bits | digit;
    }
    return found;
}

template <int bits, class Load, class Store>
__device__ __forceinline__ void rank_column(const window<Load> &w, struct counters &n, int first, int end,
                                            Store &&store)
{
    const struct gf_cuda_ranking &r = w.r;
    uint32_t digit = 0, before = 0; /* the last digit of the wanted key, and the number of samples with lower digits */
    const auto change = [&](uint32_t key, uint32_t one) {
        const uint32_t top = key >> (bits - top_bits);
        count(n.top, top, one);
        before += top < digit ? one : 0u;
    };
    for (int i = 0; i < top_words; i++)
        n.top[i][threadIdx.x] = 0;
    for (int i = 0; i < r.window_y - 1; i++)
        w.walk_row(first - r.anchor_y + i, [&](uint32_t key) { change(key, 1u); });
    for (int y = first; y < end; y++) {
        w.walk_row(y - r.anchor_y + r.window_y - 1, [&](uint32_t key) { change(key, 1u); });
        while (before > r.index)
            before -= count_at(n.top, --digit);
        for (uint32_t here = count_at(n.top, digit); before + here <= r.index; here = count_at(n.top, digit)) {
            before += here;
            digit++;
        }
        store(y, bits == top_bits ? digit : find_low_bits<bits>(w, n.low, y, digit, r.index - before));
        w.walk_row(y - r.anchor_y, [&](uint32_t key) { change(key, ~0u); });
    }
}

/* For samples of 1, 2 or 4 bytes. The 2-byte type is selected at run time. */
template <int bits>
__global__ void __launch_bounds__(digit_threads)
    digits_kernel(const __grid_constant__ struct gf_cuda_ranking r, int rows)
{
    __shared__ struct counters n;
    const int samples = r.width * r.channels, flat0 = blockIdx.x * digit_threads, flat = flat0 + threadIdx.x;
    if (flat >= samples)
        return;
    const int first = r.first + blockIdx.y * rows, end = min(first + rows, r.end);
    const int x0 = flat0 / r.channels, x1 = min(flat0 + digit_threads - 1, samples - 1) / r.channels;
    const bool inner = x0 - r.anchor_x >= 0 && x1 - r.anchor_x + r.window_x <= r.width;
    const int x = flat / r.channels, c = flat - x * r.channels;
    gf_dispatch(r.dtype, [&](auto tag) {
        using T = decltype(tag);
        if constexpr (sizeof(T) * 8 == bits) {
            const auto load = [&](int row, int at) { return key_of(__ldg(row_of<T>(r.src, r.src_pitch, row) + at)); };
            const window<decltype(load)> w = {r, load, x, c, inner};
            rank_column<bits>(w, n, first, end,
                              [&](int y, uint32_t key) { row_of<T>(r.dst, r.dst_pitch, y)[flat] = of_key(T{}, key); });
        }
    });
}

int rows_of_strip(const struct gf_cuda_ranking *r)
{
    return r->window_y * 2 > strip_rows ? r->window_y * 2 : strip_rows;
}

template <int bits> cudaError_t launch(const struct gf_cuda_ranking *r, cudaStream_t stream)
{
    const int rows = rows_of_strip(r), samples = r->width * r->channels;
    const dim3 grid((samples + digit_threads - 1) / digit_threads, (r->end - r->first + rows - 1) / rows);
    digits_kernel<bits><<<grid, digit_threads, 0, stream>>>(*r, rows);
    return cudaPeekAtLastError();
}

} // namespace

extern "C" cudaError_t gf_cuda_rank_digits(const struct gf_cuda_ranking *r, cudaStream_t stream)
{
    const size_t size = gf_dtype_size(r->dtype);
    return size == 1 ? launch<8>(r, stream) : size == 2 ? launch<16>(r, stream) : launch<32>(r, stream);
}

extern "C" double gf_cuda_rank_digits_cost(const struct gf_cuda_ranking *r)
{
    const double row = 12.0 * r->window_x, window = 12.0 * r->window_x * r->window_y;
    const double levels = (static_cast<double>(gf_dtype_size(r->dtype)) * 8 - top_bits) / low_bits;
    return 256.0 + 2 * row + window / rows_of_strip(r) + levels * (window + 100.0);
}
