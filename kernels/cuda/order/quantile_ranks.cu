/* SPDX-License-Identifier: MIT */
/*
 * Finds the elements of given ranks digit by digit, from the highest digit of their keys on. Counters of the digit are
 * in shared memory: for each rank, the counters of the keys that share the digits found so far. A short sequence has
 * one thread block, which finds all digits. The blocks of a long line add their counters in global memory, and a launch
 * with one block per sequence finds the digit. Called by quantile.c. One instance per sample size.
 *
 * Every index is a digit of the key that was loaded, and a rank beyond the counted keys takes the last digit. A client
 * that changes its memory between two digits therefore changes results, and nothing else.
 */
#include <type_traits>

#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/dispatch.cuh"
#include "kernels/cuda/device/shared_limit.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/device/warp_reduce.cuh"
#include "quantile.h"

namespace
{

using u64 = unsigned long long;

constexpr uint32_t lanes = 32;
constexpr uint32_t max_ranks = GF_QUANTILE_RANKS;
constexpr uint32_t block_threads = max_ranks * lanes; /* of a block that finds digits: one warp per rank */
constexpr uint32_t block_bits = 8;                    /* of a digit where one block finds all digits */
constexpr uint32_t count_threads = 512;
constexpr uint32_t at_once = 4; /* elements that a thread loads before it counts the first */
constexpr uint32_t blocks_per_unit = 2;

/* A key in the narrowest type that registers have. */
template <class U> using Key = std::conditional_t<sizeof(U) == 8, u64, uint32_t>;

/* Converts samples to keys: gf_quantile_key in the width of the sample. */
template <class U> struct Keys {
    Key<U> flip; /* for integers */
    bool real;

    __device__ __forceinline__ Keys(uint32_t dtype)
        : flip(gf_is_signed(dtype) ? Key<U>{1} << (8 * sizeof(U) - 1) : Key<U>{0}), real(gf_is_float(dtype))
    {
    }
    static constexpr __device__ Key<U> nan()
    {
        return static_cast<U>(~U{0});
    }
    __device__ __forceinline__ Key<U> operator()(U sample) const
    {
        constexpr Key<U> sign = Key<U>{1} << (8 * sizeof(U) - 1);
        constexpr Key<U> infinity = static_cast<Key<U>>(sizeof(U) == 8 ? 0x7FF0000000000000ull : 0x7F800000ull);
        if (!real)
            return sample ^ flip;
        if ((sample & (sign - 1)) > infinity)
            return nan();
        return (sample & sign) != 0 ? static_cast<U>(~sample) : sample | sign;
    }
};

/* Locates the elements of a line, in its first channel. */
struct Line {
    const char *base;
    uint64_t n, step;      /* number of elements; bytes from one to the next */
    uint64_t first, width; /* width != 0: rows with padding; `first` counts from base, and step is a row */

    __device__ __forceinline__ const char *at(uint64_t i, uint32_t pixel) const
    {
        if (width == 0)
            return base + i * step;
        const uint64_t element = first + i;
        if (element >> 32 == 0 && width >> 32 == 0) {
            const uint32_t y = static_cast<uint32_t>(element) / static_cast<uint32_t>(width);
            return base + y * step + static_cast<uint64_t>(static_cast<uint32_t>(element) - y * width) * pixel;
        }
        return base + element / width * step + element % width * pixel;
    }
};

__device__ __forceinline__ Line line_at(const struct gf_cuda_quantile &a, uint64_t first, uint64_t n)
{
    const uint32_t pixel = a.channels * a.size;
    if (a.axis == GF_AXIS_COLS)
        return {a.src + first * pixel, n, a.pitch, 0, 0};
    if (a.axis == GF_AXIS_ROWS)
        return {a.src + first / a.width * a.pitch, n, pixel, 0, 0};
    if (a.height == 1)
        return {a.src + first * pixel, n, pixel, 0, 0};
    return {a.src, n, a.pitch, first, a.width};
}

__device__ __forceinline__ Line line_of(const struct gf_cuda_quantile &a, uint64_t index)
{
    if (a.offsets != nullptr)
        return line_at(a, a.offsets[index], a.offsets[index + 1] - a.offsets[index]);
    if (a.axis == GF_AXIS_ROWS)
        return line_at(a, index * a.width, a.width);
    return line_at(a, index, a.axis == GF_AXIS_COLS ? a.height : a.width * a.height);
}

/* Ranks that share a prefix share a set of counters. Returns the set of rank r. Prefixes ascend. */
__device__ __forceinline__ uint32_t slot_of(const struct gf_cuda_rank_search &s, uint32_t r)
{
    uint32_t slot = 0;
    for (uint32_t i = 1; i <= r; i++)
        slot += s.prefix[i] != s.prefix[i - 1] ? 1 : 0;
    return slot;
}

/* Counts the digit of a key, which lies above the lowest `shift` bits. */
template <class K>
__device__ __forceinline__ void count_key(K key, bool first, uint32_t left, uint32_t shift, uint32_t digit_bits,
                                          const K *prefix, uint32_t n_slots, uint32_t *counts)
{
    const uint32_t digit = static_cast<uint32_t>(key >> shift) & ((1u << digit_bits) - 1);
    if (first) {
        gf_atomic_add(&counts[digit], 1u);
        return;
    }
    for (uint32_t k = 0; k < n_slots; k++)
        if (key >> left == prefix[k])
            gf_atomic_add(&counts[(k << digit_bits) + digit], 1u);
}

/* Returns the digit that holds `rank` among the counted keys, and the number of keys with lower digits. Whole warps
 * must call it. */
template <class C>
__device__ __forceinline__ uint32_t find_digit(const C *counts, uint32_t digits, uint64_t rank, uint64_t *ret_below)
{
    const uint32_t lane = threadIdx.x % lanes, share = (digits + lanes - 1) / lanes;
    const uint32_t from = min(lane * share, digits), to = min(from + share, digits);
    u64 own = 0;
    for (uint32_t i = from; i < to; i++)
        own += counts[i];
    const u64 sum = gf_warp_running_sum(own);
    const unsigned beyond = gf_ballot(rank < sum);
    const uint32_t owner =
        beyond != 0 ? static_cast<uint32_t>(__ffs(static_cast<int>(beyond))) - 1 : (digits - 1) / share;
    u64 below = sum - own;
    uint32_t digit = from;
    if (lane == owner)
        while (digit + 1 < to && rank >= below + counts[digit])
            below += counts[digit++];
    *ret_below = gf_shuffle(below, static_cast<int>(owner));
    return gf_shuffle(digit, static_cast<int>(owner));
}

/* Starts the search for the ranks among n elements. Called by one thread. */
__device__ __forceinline__ void begin_search(const struct gf_cuda_quantile &a, uint64_t n,
                                             struct gf_cuda_rank_search *s)
{
    const uint64_t present = n - (s->nans < n ? s->nans : n);
    s->n = present == 0 ? 0 : gf_quantile_ranks(a.method, a.q, a.n_q, present, s->rank);
    for (uint32_t r = 0; r < max_ranks; r++)
        s->prefix[r] = s->before[r] = 0;
}

/*
 * Takes the next digit of each rank. Called by a block of block_threads threads, a warp per rank. The caller's barrier
 * separates the writes of counters and search from the reads here. The barrier here separates all reads of prefixes
 * from the writes that follow, each warp writing its own. The caller's next barrier precedes the next reads.
 */
template <class C>
__device__ __forceinline__ void take_digit(const C *counts, uint32_t digit_bits, struct gf_cuda_rank_search *s)
{
    const uint32_t r = threadIdx.x / lanes;
    uint64_t below = 0;
    uint32_t digit = 0;
    if (r < s->n) {
        const uint64_t rank = s->rank[r] - s->before[r];
        digit =
            find_digit(counts + (static_cast<size_t>(slot_of(*s, r)) << digit_bits), 1u << digit_bits, rank, &below);
    }
    gf_sync_block();
    if (r < s->n && threadIdx.x % lanes == 0) {
        s->prefix[r] = s->prefix[r] << digit_bits | digit;
        s->before[r] += below;
    }
}

/* Stores quantile i of a sequence whose ranks have been found. */
__device__ __forceinline__ void store(const struct gf_cuda_quantile &a, const struct gf_cuda_rank_search &s,
                                      uint64_t index, uint32_t channel, uint64_t n, uint32_t i)
{
    const bool down = a.axis == GF_AXIS_COLS || a.offsets != nullptr; /* a row per q */
    const uint64_t y = down ? i : index, x = down ? index : i;
    const uint64_t present = n - (s.nans < n ? s.nans : n);
    double v = __longlong_as_double(0x7FF8000000000000ll);
    if (present != 0 && (s.nans == 0 || a.nan == GF_NAN_OMIT)) {
        const struct gf_quantile_place place = gf_quantile_place(a.method, a.q[i], present);
        uint64_t lower = 0, upper = 0;
        for (uint32_t r = 0; r < s.n; r++) {
            lower = s.rank[r] == place.lower ? s.prefix[r] : lower;
            upper = s.rank[r] == place.upper ? s.prefix[r] : upper;
        }
        v = gf_quantile_between(a.dtype, 8 * a.size, lower, upper, place.weight);
    }
    reinterpret_cast<double *>(a.out + y * a.out_pitch)[x * a.channels + channel] = v;
}

/*
 * One sequence at a time, all digits. Barriers in a round of the loop over digits: counters are cleared, and thread 0
 * makes slots and their prefixes; barrier; all threads count; barrier; thread 0 makes the ranks in the first round;
 * barrier; take_digit reads counters and prefixes, has a barrier, and writes prefixes; barrier, before the next round
 * clears counters and thread 0 reads prefixes. After the last round that barrier precedes the reads of store(). One
 * more barrier precedes the next sequence, whose first round writes what store() reads.
 */
template <class U>
__global__ void __launch_bounds__(block_threads)
    short_kernel(const __grid_constant__ struct gf_cuda_quantile a, uint64_t first_line, uint64_t end_line)
{
    __shared__ uint32_t counts[max_ranks << block_bits];
    __shared__ struct gf_cuda_rank_search search;
    __shared__ Key<U> prefix[max_ranks];
    __shared__ uint32_t n_slots, nans;
    const Keys<U> keys(a.dtype);
    const uint32_t pixel = a.channels * a.size;
    for (uint64_t unit = first_line * a.channels + blockIdx.x; unit < end_line * a.channels; unit += gridDim.x) {
        const uint64_t index = unit / a.channels;
        const uint32_t channel = static_cast<uint32_t>(unit - index * a.channels);
        const Line line = line_of(a, index);
        if (line.n > GF_CUDA_FEW_ELEMENTS) /* uniform across the block */
            continue;
        for (uint32_t left = 8 * sizeof(U); left > 0; left -= block_bits) {
            const bool first = left == 8 * sizeof(U);
            if (threadIdx.x == 0) {
                uint32_t n = 1;
                for (uint32_t r = 0; !first && r < search.n; r++) {
                    n = slot_of(search, r) + 1;
                    prefix[n - 1] = static_cast<Key<U>>(search.prefix[r]);
                }
                n_slots = n;
                nans = first ? 0 : nans;
            }
            for (uint32_t i = threadIdx.x; i < max_ranks << block_bits; i += block_threads)
                counts[i] = 0;
            gf_sync_block();
            for (uint64_t i = threadIdx.x; i < line.n; i += block_threads) {
                const Key<U> key = keys(__ldg(reinterpret_cast<const U *>(line.at(i, pixel)) + channel));
                if (first && keys.real && key == keys.nan())
                    gf_atomic_add(&nans, 1u);
                count_key(key, first, left, left - block_bits, block_bits, prefix, n_slots, counts);
            }
            gf_sync_block();
            if (first && threadIdx.x == 0) {
                search.nans = nans;
                begin_search(a, line.n, &search);
            }
            gf_sync_block();
            take_digit(counts, block_bits, &search);
            gf_sync_block();
        }
        if (threadIdx.x < a.n_q)
            store(a, search, index, channel, line.n, threadIdx.x);
        gf_sync_block();
    }
}

extern __shared__ uint32_t counters[];

/*
 * Counts elements begin ... end - 1 of a long line, in `planes` channels from blockIdx.y * planes on: in shared memory,
 * then added to the counters in global memory. Barriers: one between the writes of counters, prefixes and numbers of
 * slots and the counting; one between the counting and the reads of counters. In between a block takes many tiles of
 * elements.
 */
template <class U>
__global__ void __launch_bounds__(count_threads)
    count_kernel(const __grid_constant__ struct gf_cuda_quantile a, const __grid_constant__ struct gf_cuda_rank_pass p,
                 uint64_t begin, uint64_t end)
{
    __shared__ Key<U> prefix[GF_MAX_CHANNELS][max_ranks];
    __shared__ uint32_t n_slots[GF_MAX_CHANNELS], nans[GF_MAX_CHANNELS];
    const uint32_t start = blockIdx.y * p.planes, planes = min(p.planes, a.channels - start);
    const uint32_t stride = p.ranks << p.digit_bits, pixel = a.channels * a.size;
    const bool first = p.left == 8 * sizeof(U);
    const Keys<U> keys(a.dtype);
    if (threadIdx.x < planes) {
        const struct gf_cuda_rank_search &s = p.searches[start + threadIdx.x];
        uint32_t n = first ? 1 : 0;
        for (uint32_t r = 0; !first && r < s.n; r++) {
            n = slot_of(s, r) + 1;
            prefix[threadIdx.x][n - 1] = static_cast<Key<U>>(s.prefix[r]);
        }
        n_slots[threadIdx.x] = n;
        nans[threadIdx.x] = 0;
    }
    for (uint32_t i = threadIdx.x; i < planes * stride; i += count_threads)
        counters[i] = 0;
    gf_sync_block();
    const Line line = line_at(a, p.first, p.elements);
    constexpr uint64_t tile = static_cast<uint64_t>(count_threads) * at_once;
    for (uint64_t at = begin + blockIdx.x * tile; at < end; at += gridDim.x * tile) {
        const U *from[at_once];
#pragma unroll
        for (uint32_t j = 0; j < at_once; j++) {
            const uint64_t i = at + j * count_threads + threadIdx.x;
            from[j] = i < end ? reinterpret_cast<const U *>(line.at(i, pixel)) + start : nullptr;
        }
        for (uint32_t c = 0; c < planes; c++) {
            U sample[at_once];
#pragma unroll
            for (uint32_t j = 0; j < at_once; j++)
                sample[j] = from[j] != nullptr ? __ldg(from[j] + c) : U{0};
#pragma unroll
            for (uint32_t j = 0; j < at_once; j++) {
                const Key<U> key = keys(sample[j]);
                if (from[j] == nullptr)
                    continue;
                if (first && keys.real && key == keys.nan())
                    gf_atomic_add(&nans[c], 1u);
                count_key(key, first, p.left, p.left - p.digit_bits, p.digit_bits, prefix[c], n_slots[c],
                          counters + c * stride);
            }
        }
    }
    gf_sync_block();
    u64 *to = reinterpret_cast<u64 *>(p.counts) + static_cast<size_t>(start) * stride;
    for (uint32_t i = threadIdx.x; i < planes * stride; i += count_threads)
        if (counters[i] != 0)
            gf_atomic_add(to + i, static_cast<u64>(counters[i]));
    if (threadIdx.x < planes && nans[threadIdx.x] != 0)
        gf_atomic_add(reinterpret_cast<u64 *>(&p.searches[start + threadIdx.x].nans),
                      static_cast<u64>(nans[threadIdx.x]));
}

/* Takes the digit of channel blockIdx.x. Barriers: one after thread 0 has begun the search; one in take_digit; one
 * between its reads of counters and their clearing, and between its writes of prefixes and their reads. */
__global__ void __launch_bounds__(block_threads)
    take_kernel(const __grid_constant__ struct gf_cuda_quantile a, const __grid_constant__ struct gf_cuda_rank_pass p)
{
    struct gf_cuda_rank_search *s = p.searches + blockIdx.x;
    const uint32_t stride = p.ranks << p.digit_bits;
    uint64_t *counts = p.counts + static_cast<size_t>(blockIdx.x) * stride;
    if (p.left == 8 * a.size && threadIdx.x == 0)
        begin_search(a, p.elements, s);
    gf_sync_block();
    take_digit(counts, p.digit_bits, s);
    gf_sync_block();
    for (uint32_t i = threadIdx.x; i < stride; i += block_threads)
        counts[i] = 0;
    if (p.left == p.digit_bits && threadIdx.x < a.n_q)
        store(a, *s, p.index, blockIdx.x, p.elements, threadIdx.x);
}

/* Returns the shared memory for counters, without the few kilobytes that the kernel itself needs. */
size_t counter_bytes()
{
    constexpr size_t own = 2048, most = 96 * 1024;
    const size_t room = gf_cuda_shared_memory_max() - own;
    return room < most ? room : most;
}

} // namespace

extern "C" cudaError_t gf_cuda_quantile_short(const struct gf_cuda_quantile *a, uint64_t first, uint64_t end,
                                              cudaStream_t stream)
{
    const uint64_t units = (end - first) * a->channels, most = static_cast<uint64_t>(gf_cuda_units()) * 8;
    const unsigned grid = gf_cuda_grid(units < most ? units : most);
    gf_dispatch_size(
        a->size, [&](auto zero) { short_kernel<decltype(zero)><<<grid, block_threads, 0, stream>>>(*a, first, end); });
    return cudaPeekAtLastError();
}

extern "C" void gf_cuda_quantile_layout(uint32_t ranks, uint32_t channels, uint32_t *ret_digit_bits,
                                        uint32_t *ret_planes)
{
    const size_t room = counter_bytes() / sizeof(uint32_t);
    uint32_t bits = 11;
    while (bits > block_bits && static_cast<size_t>(ranks) << bits > room)
        bits--;
    const size_t planes = room / (static_cast<size_t>(ranks) << bits);
    *ret_digit_bits = bits;
    *ret_planes = planes < channels ? static_cast<uint32_t>(planes) : channels;
}

extern "C" cudaError_t gf_cuda_quantile_count(const struct gf_cuda_quantile *a, const struct gf_cuda_rank_pass *pass,
                                              uint64_t begin, uint64_t end, cudaStream_t stream)
{
    const uint64_t tile = static_cast<uint64_t>(count_threads) * at_once, tiles = (end - begin + tile - 1) / tile;
    const uint64_t most = static_cast<uint64_t>(gf_cuda_units()) * blocks_per_unit;
    const dim3 grid(gf_cuda_grid(tiles < most ? tiles : most), (a->channels + pass->planes - 1) / pass->planes);
    const size_t bytes = (static_cast<size_t>(pass->planes) * pass->ranks << pass->digit_bits) * sizeof(uint32_t);
    gf_dispatch_size(a->size, [&](auto zero) {
        count_kernel<decltype(zero)><<<grid, count_threads, bytes, stream>>>(*a, *pass, begin, end);
    });
    return cudaPeekAtLastError();
}

extern "C" cudaError_t gf_cuda_quantile_take(const struct gf_cuda_quantile *a, const struct gf_cuda_rank_pass *pass,
                                             cudaStream_t stream)
{
    take_kernel<<<a->channels, block_threads, 0, stream>>>(*a, *pass);
    return cudaPeekAtLastError();
}

extern "C" cudaError_t gf_cuda_quantile_prepare(void)
{
    return gf::raise_shared_limit(counter_bytes(), count_kernel<uint8_t>, count_kernel<uint16_t>,
                                  count_kernel<uint32_t>, count_kernel<uint64_t>);
}
