/* SPDX-License-Identifier: MIT */
/*
 * Counters of 16 bits, two in a word of shared memory, for more bins than words fit. An addition gives what was there
 * before, so whichever lane fills a counter up moves 65536 to its sum in global memory; where that is the lower one of
 * a word, it takes back what went over into the upper one, and what that in turn may have filled up.
 *
 * Additions of a warp to one word wait for each other. So where neighbouring lanes have the same bins, bins are looked
 * up in a small table of those met first, each with a counter whose increments the hardware merges. Included by
 * count_pairs.cu.
 */
#ifndef GF_CUDA_COUNT_PAIRS_CUH
#define GF_CUDA_COUNT_PAIRS_CUH

#include "samples.cuh"

namespace gf
{

/* Counters i and half + i share word i; their sums are the halves of sums[i], which are 0 at first. */
struct Pairs {
    uint32_t *words;
    uint32_t half;
    uint32_t entries;     /* of the table, a power of 2 */
    uint32_t *tags, *met; /* bin + 1, 0 where there is none yet; how often */
    unsigned long long *sums;
    uint32_t turn; /* vectors of this tile so far */
    bool alike;    /* as its first one says */
    static constexpr bool by_vector = true, rolled = true;

    __device__ __forceinline__ uint32_t word_of(uint32_t i) const
    {
        return i < half ? i : i - half;
    }

    /* The bits of a counter in its word. */
    __device__ __forceinline__ uint32_t bits_of(uint32_t i) const
    {
        return i < half ? 0x0000FFFFu : 0xFFFF0000u;
    }

    __device__ __forceinline__ void add_to_sum(uint32_t i, unsigned long long n) const
    {
        atomicAdd(sums + word_of(i), i < half ? n : n << 32);
    }

    /* After an addition to counter i: its word was `before`. What went over from the lower counter is taken back; the
     * upper one may have gone over with it, and may since have been 0. */
    __device__ __forceinline__ void settle(uint32_t i, uint32_t before) const
    {
        if ((~before & bits_of(i)) != 0)
            return;
        if (i >= half) {
            add_to_sum(i, 65536);
            return;
        }
        const bool over = before == UINT32_MAX, under = atomicSub(words + i, 65536u) < 65536u;
        atomicAdd(sums + i, 65536ull + (over ? 65536ull << 32 : 0) - (under ? 65536ull << 32 : 0));
    }

    __device__ __forceinline__ void count(uint32_t i) const
    {
        settle(i, atomicAdd(words + word_of(i), bits_of(i) & 0x00010001u));
    }

    /* Whether a quarter of the lanes that have a bin share it with the third lane after them, which is of the same
     * channel whatever their number. */
    static __device__ __forceinline__ bool are_alike(uint32_t i, bool is_there)
    {
        if (__activemask() != 0xFFFFFFFFu)
            return false;
        const uint32_t beside = __shfl_down_sync(0xFFFFFFFFu, i, 3);
        const unsigned there = __ballot_sync(0xFFFFFFFFu, is_there);
        const unsigned alike = __ballot_sync(0xFFFFFFFFu, is_there && beside == i) & 0x1FFFFFFFu;
        return __popc(alike) * 4 > __popc(there);
    }

    template <int N>
    __device__ __forceinline__ void count_by_table(const uint32_t (&at)[N], const bool (&is_there)[N]) const
    {
        uint32_t tag[N], left = 0;
#pragma unroll
        for (int j = 0; j < N; j++)
            tag[j] = is_there[j] ? *const_cast<volatile uint32_t *>(tags + (at[j] & (entries - 1))) : 0;
#pragma unroll
        for (int j = 0; j < N; j++) {
            if (is_there[j] && tag[j] == at[j] + 1)
                atomicAdd(met + (at[j] & (entries - 1)), 1u);
            else
                left |= is_there[j] ? 1u << j : 0;
        }
#pragma unroll 1
        for (int k = 0; left >> k != 0; k++) {
            uint32_t i = 0;
#pragma unroll
            for (int j = 0; j < N; j++)
                i = j == k ? at[j] : i;
            if ((left >> k & 1) == 0)
                continue;
            const uint32_t before = atomicCAS(tags + (i & (entries - 1)), 0u, i + 1);
            if (before == 0 || before == i + 1)
                atomicAdd(met + (i & (entries - 1)), 1u);
            else
                count(i);
        }
    }

    template <int N> __device__ __forceinline__ void count_vector(const uint32_t (&at)[N], const bool (&is_there)[N])
    {
        uint32_t before[N], room = UINT32_MAX;
        if (turn++ == 0)
            alike = are_alike(at[0], is_there[0]);
        if (alike) {
            count_by_table(at, is_there);
            return;
        }
#pragma unroll
        for (int j = 0; j < N; j++) {
            const uint32_t bits = bits_of(at[j]);
            before[j] = 0;
            if (is_there[j])
                before[j] = atomicAdd(words + word_of(at[j]), bits & 0x00010001u);
            room = min(room, ~before[j] & bits);
        }
        if (room != 0)
            return;
#pragma unroll 1
        for (int k = 0; k < N; k++) { /* seldom, so with little code */
            uint32_t i = 0, full = 0;
#pragma unroll
            for (int j = 0; j < N; j++) {
                i = j == k ? at[j] : i;
                full = j == k ? before[j] : full;
            }
            settle(i, full); /* 0 for a sample that is not there is not full */
        }
    }

    __device__ __forceinline__ void end()
    {
        turn = 0;
    }

    /* By all threads of a block, before and after; blocks add to the sums from different places on. */
    __device__ __forceinline__ void clear() const
    {
        for (uint32_t i = threadIdx.x; i < half; i += blockDim.x)
            words[i] = 0;
        for (uint32_t i = threadIdx.x; i < entries; i += blockDim.x)
            tags[i] = met[i] = 0;
    }
    __device__ __forceinline__ void flush() const
    {
        const uint32_t first = static_cast<uint32_t>(static_cast<uint64_t>(half) * blockIdx.x / gridDim.x);
        for (uint32_t k = threadIdx.x; k < half; k += blockDim.x) {
            const uint32_t i = k < half - first ? k + first : k - (half - first), pair = words[i];
            if (pair != 0)
                atomicAdd(sums + i, (pair & 0xFFFFu) | static_cast<unsigned long long>(pair >> 16) << 32);
        }
        for (uint32_t i = threadIdx.x; i < entries; i += blockDim.x)
            if (met[i] != 0)
                add_to_sum(tags[i] - 1, met[i]);
    }
};

} // namespace gf

#endif
