/* SPDX-License-Identifier: MIT */
/*
 * Counters of 16 bits, two in a word of shared memory, for more bins than words fit. An addition gives what was there
 * before, so whichever lane fills a counter up moves 65536 to its sum in global memory; where that is the lower one of
 * a word, it takes back what went over into the upper one, and what that in turn may have filled up.
 *
 * Additions of a warp to one word or one bank wait for each other. So words are not in order, for bins that lie a power
 * of two apart would share a bank; and where neighbouring lanes have the same bins, bins are looked up in a small table
 * of those met first, each with a counter whose increments the hardware merges. Included by count_pairs.cu.
 */
#ifndef GF_CUDA_COUNT_PAIRS_CUH
#define GF_CUDA_COUNT_PAIRS_CUH

#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/step/samples.cuh"

namespace gf
{

/* Counters i and half + i share word i; their sums are the halves of sums[i], which are 0 at first. */
struct Pairs {
    uint32_t *words;
    uint32_t half;
    uint32_t entries;     /* of the table, a power of 2 */
    uint32_t *tags, *met; /* bin + 1, 0 where there is none yet; how often */
    unsigned long long *sums;
    uint32_t n_vectors; /* vectors of this tile so far */
    bool alike;         /* as its first one says */
    static constexpr bool by_vector = true, rolled = true;

    __device__ __forceinline__ uint32_t word_of(uint32_t i) const
    {
        return i < half ? i : i - half;
    }

    /*
     * What counts one in counter i, 1 in its half of the word, and the bits of that half. As products, since the units
     * for logic have the most to do; the compiler would select.
     */
    __device__ __forceinline__ uint32_t one_of(uint32_t i) const
    {
        const int32_t is_lower = static_cast<int32_t>(i - half) >> 31; /* -1 or 0 */
        uint32_t one;
        asm("mad.lo.s32 %0, %1, 65535, 65536;" : "=r"(one) : "r"(is_lower));
        return one;
    }
    static __device__ __forceinline__ uint32_t bits_of_one(uint32_t one)
    {
        uint32_t bits;
        asm("mul.lo.u32 %0, %1, 65535;" : "=r"(bits) : "r"(one));
        return bits;
    }

    /* Where the word of counter i is: among its 32 neighbours at a place that higher bits change. */
    __device__ __forceinline__ uint32_t *word_at(uint32_t i) const
    {
        const uint32_t at = min(4 * i, 4 * i - 4 * half); /* below 0: above all */
        return reinterpret_cast<uint32_t *>(reinterpret_cast<char *>(words) + (at ^ (at >> 10 & (4 * lanes - 4u))));
    }

    /* The entry of the table for a bin. */
    __device__ __forceinline__ uint32_t entry_of(uint32_t i) const
    {
        return i * 0x9E3779B1u >> (__clz(static_cast<int>(entries)) + 1);
    }

    __device__ __forceinline__ void add_to_sum(uint32_t i, unsigned long long n) const
    {
        gf_atomic_add(sums + word_of(i), i < half ? n : n << 32);
    }

    /* After an addition to counter i: its word was `before`. What went over from the lower counter is taken back; the
     * upper one may have gone over with it, and may since have been 0. */
    __device__ __forceinline__ void settle(uint32_t i, uint32_t before) const
    {
        if ((~before & bits_of_one(one_of(i))) != 0)
            return;
        if (i >= half) {
            add_to_sum(i, 65536);
            return;
        }
        const bool over = before == UINT32_MAX, under = gf_atomic_sub(word_at(i), 65536u) < 65536u;
        gf_atomic_add(sums + i, 65536ull + (over ? 65536ull << 32 : 0) - (under ? 65536ull << 32 : 0));
    }

    __device__ __forceinline__ void count(uint32_t i) const
    {
        settle(i, gf_atomic_add(word_at(i), one_of(i)));
    }

    /* Whether a sixth of the lanes that have a bin share it with the third lane after them, which is of the same
     * channel whatever their number. */
    static __device__ __forceinline__ bool are_alike(uint32_t i, bool is_there)
    {
        if (__activemask() != 0xFFFFFFFFu)
            return false;
        const uint32_t beside = gf_shuffle_down(i, 3);
        const unsigned there = gf_ballot(is_there);
        const unsigned alike = gf_ballot(is_there && beside == i) & 0x1FFFFFFFu;
        return __popc(alike) * 6 > __popc(there);
    }

    __device__ __forceinline__ uint32_t tag_at(uint32_t entry) const
    {
        return gf_look_shared(tags + entry);
    }

    template <int N>
    __device__ __forceinline__ void count_by_table(const uint32_t (&at)[N], const bool (&is_there)[N]) const
    {
        uint32_t tag[N], left = 0;
#pragma unroll
        for (int j = 0; j < N; j++)
            tag[j] = is_there[j] ? tag_at(entry_of(at[j])) : 0;
#pragma unroll
        for (int j = 0; j < N; j++) {
            if (is_there[j] && tag[j] == at[j] + 1)
                gf_atomic_add(met + entry_of(at[j]), 1u);
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
            /* One lane claims an entry at a time, since those that claim the same wait for each other. */
            const uint32_t entry = entry_of(i), is_mine = i + 1, together = __activemask();
            if (tag_at(entry) == 0) {
                if (threadIdx.x % lanes == __ffs(static_cast<int>(__activemask())) - 1u)
                    gf_atomic_cas(tags + entry, 0u, is_mine);
            }
            gf_sync_warp(together);
            if (tag_at(entry) == is_mine)
                gf_atomic_add(met + entry, 1u);
            else
                count(i);
        }
    }

    template <int N> __device__ __forceinline__ void count_vector(const uint32_t (&at)[N], const bool (&is_there)[N])
    {
        uint32_t before[N], left_to_full = UINT32_MAX;
        if (n_vectors++ == 0)
            alike = are_alike(at[0], is_there[0]);
        if (alike) {
            count_by_table(at, is_there);
            return;
        }
#pragma unroll
        for (int j = 0; j < N; j++) {
            const uint32_t one = one_of(at[j]);
            before[j] = 0;
            if (is_there[j])
                before[j] = gf_atomic_add(word_at(at[j]), one);
            left_to_full = min(left_to_full, ~before[j] & bits_of_one(one));
        }
        if (left_to_full != 0)
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
        n_vectors = 0;
    }

    __device__ __forceinline__ uint32_t rotated(uint32_t k, uint32_t first) const
    {
        return k < half - first ? k + first : k - (half - first);
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
        constexpr uint32_t at_once = 8;
#pragma unroll 1
        for (uint32_t start = threadIdx.x; start < half; start += at_once * blockDim.x) {
            uint32_t pair[at_once];
#pragma unroll
            for (uint32_t u = 0; u < at_once; u++) {
                const uint32_t k = start + u * blockDim.x;
                pair[u] = k < half ? *word_at(rotated(k, first)) : 0;
            }
#pragma unroll
            for (uint32_t u = 0; u < at_once; u++)
                if (pair[u] != 0)
                    gf_atomic_add(sums + rotated(start + u * blockDim.x, first),
                                  (pair[u] & 0xFFFFu) | static_cast<unsigned long long>(pair[u] >> 16) << 32);
        }
        for (uint32_t i = threadIdx.x; i < entries; i += blockDim.x)
            if (met[i] != 0)
                add_to_sum(tags[i] - 1, met[i]);
    }
};

} // namespace gf

#endif
