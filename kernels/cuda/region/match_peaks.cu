/* SPDX-License-Identifier: MIT */
/*
 * The peaks of match: scores that are local maxima become keys (peak_kernel), and one block sorts the best keys
 * (best_kernel). Keys contain the place and hence differ, so the order in which they are found does not matter. Called
 * by match.cu.
 */
#include "kernels/cuda/device/sync.cuh"
#include "match.cuh"

namespace
{

using namespace gf;
using namespace gf::match;

constexpr uint32_t most_rows = 4096; /* of the table of peaks, see match.def */
constexpr uint32_t best_threads = 1024;

__device__ __forceinline__ float score_at(const Args &a, uint32_t y, uint32_t x)
{
    return reinterpret_cast<const float *>(a.dst + y * a.dst_pitch)[x];
}

/* Whether the score at (x, y) beats `score`. An equal score wins if it comes `before`. */
__device__ __forceinline__ bool beats(const Args &a, uint32_t y, uint32_t x, float score, bool before)
{
    const float other = score_at(a, y, x);
    return a.sign * other > a.sign * score || (before && other == score);
}

/* As in kernels/cpu/region/match.c: looks at rings of growing distance, so that most scores fail after few looks. */
__device__ __forceinline__ bool is_peak(const Args &a, uint32_t x, uint32_t y)
{
    const uint32_t reach_x = max(1u, a.w / 2), reach_y = max(1u, a.h / 2);
    const float score = score_at(a, y, x);
    for (uint32_t d = 1; d <= max(reach_x, reach_y); d++) {
        const uint32_t left = min(x, min(d, reach_x)), right = min(a.width - 1 - x, min(d, reach_x));
        const uint32_t above = min(y, min(d - 1, reach_y)), below = min(a.height - 1 - y, min(d - 1, reach_y));
        for (uint32_t i = x - left; d <= reach_y && i <= x + right; i++)
            if ((d <= y && beats(a, y - d, i, score, true)) || (d < a.height - y && beats(a, y + d, i, score, false)))
                return false;
        for (uint32_t i = y - above; d <= reach_x && i <= y + below; i++)
            if ((d <= x && beats(a, i, x - d, score, i <= y)) || (d < a.width - x && beats(a, i, x + d, score, i < y)))
                return false;
    }
    return true;
}

/* A key that is greater for a better score, and among equal scores for an earlier place. */
__device__ __forceinline__ u64 key_of(const Args &a, float score, uint64_t place)
{
    uint32_t bits = __float_as_uint(score);
    bits = (bits >> 31) != 0 ? ~bits : bits | 1u << 31;
    bits = a.method == GF_MATCH_SQDIFF ? ~bits : bits;
    return static_cast<u64>(bits) << 32 | (UINT32_MAX - static_cast<uint32_t>(place));
}

/* Writes the keys of all peaks. One score per thread, in a grid-stride loop. */
__global__ void __launch_bounds__(threads) peak_kernel(const __grid_constant__ Args a, const Range range)
{
    for (uint64_t i = range.first + blockIdx.x * threads + threadIdx.x; i < range.end; i += gridDim.x * threads) {
        const uint32_t x = static_cast<uint32_t>(i % a.width), y = static_cast<uint32_t>(i / a.width);
        const float score = score_at(a, y, x);
        if ((a.has_threshold != 0 && a.sign * score < a.sign * a.threshold) || !is_peak(a, x, y))
            continue;
        const u64 at = gf_atomic_add(a.count, u64{1});
        if (at < a.n_keys) /* always true, unless a client changes scores in the meantime */
            a.keys[at] = key_of(a, score, i);
    }
}

/* Shared memory of best_kernel. */
struct Best {
    u64 keys[most_rows];
    uint32_t counters[256];
    u64 prefix, wanted; /* the leading digits of the last wanted key; its rank, from 1, among keys with these digits */
    uint32_t n;
};

/* Finds the last wanted key of n keys, which are more than a.rows: radix selection from the highest digit down. */
__device__ __forceinline__ u64 last_key(const Args &a, Best *b, u64 n)
{
    u64 mask = 0;
    if (threadIdx.x == 0) {
        b->prefix = 0;
        b->wanted = a.rows;
    }
    for (int shift = 56; shift >= 0; shift -= 8) {
        if (threadIdx.x < 256)
            b->counters[threadIdx.x] = 0;
        gf_sync_block(); /* counters are 0; prefix and wanted are written, before the loop or by the previous digit */
        const u64 prefix = b->prefix, wanted = b->wanted;
        for (u64 i = threadIdx.x; i < n; i += best_threads)
            if ((a.keys[i] & mask) == prefix)
                gf_atomic_add(&b->counters[a.keys[i] >> shift & 255], 1u);
        gf_sync_block(); /* all keys are counted, and all threads have read prefix and wanted */
        if (threadIdx.x < 256) {
            u64 greater = 0;
            for (uint32_t d = threadIdx.x + 1; d < 256; d++)
                greater += b->counters[d];
            if (greater < wanted && wanted <= greater + b->counters[threadIdx.x]) { /* true in exactly one thread */
                b->prefix = prefix | static_cast<u64>(threadIdx.x) << shift;
                b->wanted = wanted - greater;
            }
        }
        gf_sync_block(); /* prefix is written, and all threads have read the counters */
        mask |= u64{255} << shift;
    }
    return b->prefix;
}

/* Sorts `size` keys in shared memory, a power of two padded with zeros, in descending order, by a bitonic network. */
__device__ __forceinline__ void sort_keys(Best *b, uint32_t size)
{
    for (uint32_t length = 2; length <= size; length *= 2)
        for (uint32_t distance = length / 2; distance > 0; distance /= 2) {
            gf_sync_block(); /* keys are written, by the caller or the previous step; each pair belongs to one thread */
            for (uint32_t i = threadIdx.x; i < size; i += best_threads) {
                const uint32_t k = i ^ distance;
                const bool descends = (i & length) == 0;
                if (k > i && (b->keys[i] < b->keys[k]) == descends) {
                    const u64 key = b->keys[i];
                    b->keys[i] = b->keys[k];
                    b->keys[k] = key;
                }
            }
        }
    gf_sync_block(); /* all keys are in place */
}

/* Makes the table of peaks in one block: the sorted best keys, decoded to places and scores. */
__global__ void __launch_bounds__(best_threads) best_kernel(const __grid_constant__ Args a)
{
    __shared__ Best b;
    const u64 n = min(*a.count, static_cast<u64>(a.n_keys));
    const u64 last = n > a.rows ? last_key(a, &b, n) : 0;
    if (threadIdx.x == 0)
        b.n = 0;
    gf_sync_block(); /* b.n is 0 */
    for (u64 i = threadIdx.x; i < n; i += best_threads) {
        const u64 key = a.keys[i];
        const uint32_t at = key >= last ? gf_atomic_add(&b.n, 1u) : most_rows;
        if (at < most_rows)
            b.keys[at] = key;
    }
    gf_sync_block(); /* the best keys are written, at most a.rows of them */
    const uint32_t found = min(b.n, a.rows);
    uint32_t size = 1;
    while (size < found)
        size *= 2;
    for (uint32_t i = found + threadIdx.x; i < size; i += best_threads)
        b.keys[i] = 0;
    sort_keys(&b, size);
    for (uint32_t i = threadIdx.x; i < a.rows; i += best_threads) {
        const uint32_t place = UINT32_MAX - static_cast<uint32_t>(b.keys[i < found ? i : 0]);
        const uint32_t x = place % a.width, y = place / a.width;
        const bool is_there = i < found && y < a.height;
        const double none = __longlong_as_double(0x7FF8000000000000);
        a.found[3 * i] = is_there ? static_cast<double>(x) : none;
        a.found[3 * i + 1] = is_there ? static_cast<double>(y) : none;
        a.found[3 * i + 2] = is_there ? static_cast<double>(score_at(a, y, x)) : none;
    }
}

} // namespace

enum gf_status gf::match::start_peaks(struct gf_cuda_call *call, const Args &a, struct gf_error *err)
{
    enum gf_status status = start(call, peak_kernel, a, static_cast<uint64_t>(a.width) * a.height, threads, 64, err);
    if (status == GF_OK)
        status = gf_cuda_throttle(call->exec, call->job, 8 * a.n_keys, err);
    if (status != GF_OK)
        return status;
    best_kernel<<<1, best_threads, 0, call->exec->main>>>(a);
    return gf_cuda_status(cudaPeekAtLastError(), "starting to sort peaks", err);
}
