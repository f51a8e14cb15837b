/* SPDX-License-Identifier: MIT */
/*
 * 16-bit counters, two per word of shared memory, for more bins than 32-bit counters have room for. PackedCounters
 * holds the counters; MetTable counts the bins that a block met first; PairSink, the Sink of count_block.cuh, chooses
 * between them for each tile. Included by count_pairs.cu.
 */
#ifndef GF_CUDA_COUNT_PAIRS_CUH
#define GF_CUDA_COUNT_PAIRS_CUH

#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/step/samples.cuh"

namespace gf
{

/*
 * Counter i is the low half of word i, counter half + i the high half. What does not fit into 16 bits is added to
 * sums[i] in global memory, whose two 32-bit halves belong to the same two counters.
 *
 * Every change of a word is an atomic addition that returns the old word, so exactly one lane sees a half wrap around.
 * That lane adds 65536 to the sum. A high half wraps around by itself. A low half that wraps around carries one into
 * the high half, and the lane that saw it subtracts the carry again. So at any time
 *
 *     count of the high half = 65536 * (wraps upwards - wraps downwards) + its bits - carries not subtracted yet,
 *
 * where a carry may itself wrap the high half upwards, and its subtraction may wrap it downwards; carry() checks both.
 * Once all lanes have returned from their additions, no carry is left, and sum and bits make up the count. The order of
 * additions does not matter.
 *
 * A sum fits into 32 bits, since a launch counts fewer samples (count.c). A high half that wraps downwards first makes
 * its sum temporarily negative. That changes nothing else, because this sum is the upper half of the 64 bits.
 */
struct PackedCounters {
    uint32_t *words;
    uint32_t half; /* the number of words */
    unsigned long long *sums;

    __device__ __forceinline__ uint32_t word_of(uint32_t i) const
    {
        return i < half ? i : i - half;
    }

    /*
     * The addend that counts one in counter i: a 1 in its half of the word. mask_of() turns it into the mask of that
     * half. Both use multiplications, because the logic units are the bottleneck; the compiler would emit selects.
     */
    __device__ __forceinline__ uint32_t one_of(uint32_t i) const
    {
        const int32_t is_lower = static_cast<int32_t>(i - half) >> 31; /* -1 or 0 */
        uint32_t one;
        asm("mad.lo.s32 %0, %1, 65535, 65536;" : "=r"(one) : "r"(is_lower));
        return one;
    }
    static __device__ __forceinline__ uint32_t mask_of(uint32_t one)
    {
        uint32_t mask;
        asm("mul.lo.u32 %0, %1, 65535;" : "=r"(mask) : "r"(one));
        return mask;
    }

    /* The address of the word of counter i. Additions of a warp to one bank serialise, so the index within 32 words is
     * XORed with higher bits: bins a power of two apart are in different banks. */
    __device__ __forceinline__ uint32_t *word_at(uint32_t i) const
    {
        const uint32_t at = min(4 * i, 4 * i - 4 * half); /* the second is greater if i < half, since it wraps around */
        return reinterpret_cast<uint32_t *>(reinterpret_cast<char *>(words) + (at ^ (at >> 10 & (4 * lanes - 4u))));
    }

    __device__ __forceinline__ void add_to_sum(uint32_t i, unsigned long long n) const
    {
        gf_atomic_add(sums + word_of(i), i < half ? n : n << 32);
    }

    /* Handles wraps. Must be called after one_of(i) was added to the word of counter i, whose old value is `before`. */
    __device__ __forceinline__ void carry(uint32_t i, uint32_t before) const
    {
        if ((~before & mask_of(one_of(i))) != 0)
            return;
        if (i >= half) {
            add_to_sum(i, 65536);
            return;
        }
        const bool up = before == UINT32_MAX, down = gf_atomic_sub(word_at(i), 65536u) < 65536u;
        gf_atomic_add(sums + i, 65536ull + (up ? 65536ull << 32 : 0) - (down ? 65536ull << 32 : 0));
    }

    __device__ __forceinline__ void count(uint32_t i) const
    {
        carry(i, gf_atomic_add(word_at(i), one_of(i)));
    }

    /* Counts bin at[j] for each j with is_there[j]. The N additions are in flight together. */
    template <int N> __device__ __forceinline__ void count_all(const uint32_t (&at)[N], const bool (&is_there)[N]) const
    {
        uint32_t before[N], left_to_full = UINT32_MAX;
#pragma unroll
        for (int j = 0; j < N; j++) {
            const uint32_t one = one_of(at[j]);
            before[j] = 0; /* neither half is full */
            if (is_there[j])
                before[j] = gf_atomic_add(word_at(at[j]), one);
            left_to_full = min(left_to_full, ~before[j] & mask_of(one));
        }
        if (left_to_full != 0)
            return;
#pragma unroll 1
        for (int k = 0; k < N; k++) { /* not unrolled, because it is rare */
            uint32_t i = 0, full = 0;
#pragma unroll
            for (int j = 0; j < N; j++) {
                i = j == k ? at[j] : i;
                full = j == k ? before[j] : full;
            }
            carry(i, full);
        }
    }

    /* All threads of a block call clear() and flush(). A barrier must separate clear() from counting, and counting from
     * flush(). */
    __device__ __forceinline__ void clear() const
    {
        for (uint32_t i = threadIdx.x; i < half; i += blockDim.x)
            words[i] = 0;
    }

    /* Each block begins at a different counter, so that blocks do not contend for the same sums. */
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
    }

    __device__ __forceinline__ uint32_t rotated(uint32_t k, uint32_t first) const
    {
        return k < half - first ? k + first : k - (half - first);
    }
};

/*
 * The bins that a block met first, each with a 32-bit counter, in a hash table. Increments of these counters return
 * nothing, so the hardware merges the increments of a warp, whereas additions to a packed word would serialise.
 *
 * The tag of an entry changes once, from 0 to a bin, by compare-and-swap. So a lane that sees its bin in the tag may
 * count there, no matter when the tag was written. A lane that does not see it yet counts in the packed counters, which
 * gives the same sum.
 */
struct MetTable {
    uint32_t *tags, *met; /* bin + 1, or 0 for a free entry; the count */
    uint32_t entries;     /* a power of 2 */

    __device__ __forceinline__ uint32_t entry_of(uint32_t i) const
    {
        return i * 0x9E3779B1u >> (__clz(static_cast<int>(entries)) + 1);
    }

    __device__ __forceinline__ uint32_t tag_at(uint32_t entry) const
    {
        return gf_load_shared(tags + entry);
    }

    /* Counts bin i, after trying to claim its entry if that is free. Returns false if the entry has another bin. Of the
     * lanes that run together only one claims at a time, because compare-and-swaps of one entry serialise; the warp
     * barrier makes its claim visible to the others. */
    __device__ __forceinline__ bool claim(uint32_t i) const
    {
        const uint32_t entry = entry_of(i), is_mine = i + 1, together = __activemask();
        const uint32_t claiming = gf_ballot_of(together, tag_at(entry) == 0);
        if (threadIdx.x % lanes == __ffs(static_cast<int>(claiming)) - 1u)
            gf_atomic_cas(tags + entry, 0u, is_mine);
        gf_sync_warp(together);
        if (tag_at(entry) != is_mine)
            return false;
        gf_atomic_add(met + entry, 1u);
        return true;
    }

    template <int N>
    __device__ __forceinline__ void count_all(const uint32_t (&at)[N], const bool (&is_there)[N],
                                              const PackedCounters &others) const
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
            if (!claim(i))
                others.count(i);
        }
    }

    /* As in PackedCounters. */
    __device__ __forceinline__ void clear() const
    {
        for (uint32_t i = threadIdx.x; i < entries; i += blockDim.x)
            tags[i] = met[i] = 0;
    }
    __device__ __forceinline__ void flush(const PackedCounters &others) const
    {
        for (uint32_t i = threadIdx.x; i < entries; i += blockDim.x)
            if (met[i] != 0)
                others.add_to_sum(tags[i] - 1, met[i]);
    }
};

/* Whether more than a sixth of the lanes that have a bin share it with the lane three further, which has the same
 * channel for any number of channels. False for a diverged warp, because the votes need all lanes. */
__device__ __forceinline__ bool are_alike(uint32_t i, bool is_there)
{
    if (__activemask() != 0xFFFFFFFFu)
        return false;
    const uint32_t beside = gf_shuffle_down(i, 3);
    const unsigned there = gf_ballot(is_there);
    const unsigned alike = gf_ballot(is_there && beside == i) & 0x1FFFFFFFu;
    return __popc(alike) * 6 > __popc(there);
}

/* Counts a tile in the table or in the packed counters, as its first vector suggests. */
struct PairSink {
    PackedCounters counters;
    MetTable table;
    uint32_t n_vectors; /* counted in this tile so far */
    bool alike;         /* lanes had equal bins in the first vector */
    static constexpr bool by_vector = true, rolled = true;

    template <int N> __device__ __forceinline__ void count_vector(const uint32_t (&at)[N], const bool (&is_there)[N])
    {
        if (n_vectors++ == 0)
            alike = are_alike(at[0], is_there[0]);
        if (alike)
            table.count_all(at, is_there, counters);
        else
            counters.count_all(at, is_there);
    }

    /* Counts a brightness. */
    __device__ __forceinline__ void count(uint32_t i) const
    {
        counters.count(i);
    }

    __device__ __forceinline__ void end()
    {
        n_vectors = 0;
    }
};

} // namespace gf

#endif
