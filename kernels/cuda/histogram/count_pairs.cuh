/* SPDX-License-Identifier: MIT */
/*
 * Counters of 16 bits, two in a word of shared memory, for more bins than there is room for words. PackedCounters holds
 * them, MetTable counts the bins that a block met first, and PairSink, which count_block.cuh counts with, takes one or
 * the other for a tile. Included by count_pairs.cu.
 */
#ifndef GF_CUDA_COUNT_PAIRS_CUH
#define GF_CUDA_COUNT_PAIRS_CUH

#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/step/samples.cuh"

namespace gf
{

/*
 * Counter i is the low half of word i, counter half + i the high half. What the 16 bits cannot hold goes to sums[i] in
 * global memory, whose halves of 32 bits belong to the same two counters.
 *
 * Every change of a word is an atomic addition that tells its lane what was there before, so exactly one lane sees a
 * half go around, and that lane adds 65536 to the sum. A high half goes around by itself. A low half carries one into
 * the high half, and its lane takes that one back. So at any time
 *
 *     count of the high half = 65536 * (times it went up around - times it went down around) + its bits - carries that
 *     are yet to be taken back,
 *
 * where the carry may be what takes it up around, and taking back what takes it down; carry() looks at both. Once all
 * lanes have returned from their additions, no carry is left, and sum and bits make the count. The order of additions
 * plays no part.
 *
 * A sum has 32 bits, since a launch counts fewer samples (count.c). A high half that went down around first makes its
 * sum negative meanwhile; it is the upper half of the 64 bits, so that disturbs nothing.
 */
struct PackedCounters {
    uint32_t *words;
    uint32_t half; /* words */
    unsigned long long *sums;

    __device__ __forceinline__ uint32_t word_of(uint32_t i) const
    {
        return i < half ? i : i - half;
    }

    /*
     * What counts one in counter i, 1 in its half of the word, and the mask of that half. As products, since the units
     * for logic have the most to do; the compiler would select.
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

    /* Where the word of counter i is. Additions of a warp to one bank wait for each other, so a word lies among its 32
     * neighbours at a place that higher bits change: bins a power of two apart do not share a bank. */
    __device__ __forceinline__ uint32_t *word_at(uint32_t i) const
    {
        const uint32_t at = min(4 * i, 4 * i - 4 * half); /* below 0: above all */
        return reinterpret_cast<uint32_t *>(reinterpret_cast<char *>(words) + (at ^ (at >> 10 & (4 * lanes - 4u))));
    }

    __device__ __forceinline__ void add_to_sum(uint32_t i, unsigned long long n) const
    {
        gf_atomic_add(sums + word_of(i), i < half ? n : n << 32);
    }

    /* To be called after one_of(i) was added to the word of counter i, which was `before`. */
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

    /* Counts bin at[j] where is_there[j]; the N additions are under way at once. */
    template <int N> __device__ __forceinline__ void count_all(const uint32_t (&at)[N], const bool (&is_there)[N]) const
    {
        uint32_t before[N], left_to_full = UINT32_MAX;
#pragma unroll
        for (int j = 0; j < N; j++) {
            const uint32_t one = one_of(at[j]);
            before[j] = 0; /* is not full */
            if (is_there[j])
                before[j] = gf_atomic_add(word_at(at[j]), one);
            left_to_full = min(left_to_full, ~before[j] & mask_of(one));
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
            carry(i, full);
        }
    }

    /* By all threads of a block: a barrier stands between clear() and counting, and between that and flush(). */
    __device__ __forceinline__ void clear() const
    {
        for (uint32_t i = threadIdx.x; i < half; i += blockDim.x)
            words[i] = 0;
    }

    /* Each block begins elsewhere, so that blocks do not wait for each other's additions. */
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
 * Bins that a block met first, each with a counter of 32 bits. Its increments have no result, so the hardware merges
 * those of a warp, where additions to a packed word would wait for each other.
 *
 * The tag of an entry goes from 0 to a bin, by compare-and-swap, and stays; so a lane that sees its bin there may count
 * there, whenever that was written. A lane that does not see it yet counts in the packed counters, which is as right.
 */
struct MetTable {
    uint32_t *tags, *met; /* bin + 1, 0 where there is none yet; how often */
    uint32_t entries;     /* a power of 2 */

    __device__ __forceinline__ uint32_t entry_of(uint32_t i) const
    {
        return i * 0x9E3779B1u >> (__clz(static_cast<int>(entries)) + 1);
    }

    __device__ __forceinline__ uint32_t tag_at(uint32_t entry) const
    {
        return gf_look_shared(tags + entry);
    }

    /* Counts bin i, for which its lane may claim the entry. False: the entry is another's. One lane of those together
     * claims at a time, since claims of one entry wait for each other; the barrier shows the others its claim. */
    __device__ __forceinline__ bool claim(uint32_t i) const
    {
        const uint32_t entry = entry_of(i), is_mine = i + 1, together = __activemask();
        if (tag_at(entry) == 0) {
            if (threadIdx.x % lanes == __ffs(static_cast<int>(__activemask())) - 1u)
                gf_atomic_cas(tags + entry, 0u, is_mine);
        }
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

    /* As those of PackedCounters. */
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

/* Whether a sixth of the lanes that have a bin share it with the third lane after them, which is of the same channel
 * whatever their number. False where a warp is not together: the votes need all its lanes. */
__device__ __forceinline__ bool are_alike(uint32_t i, bool is_there)
{
    if (__activemask() != 0xFFFFFFFFu)
        return false;
    const uint32_t beside = gf_shuffle_down(i, 3);
    const unsigned there = gf_ballot(is_there);
    const unsigned alike = gf_ballot(is_there && beside == i) & 0x1FFFFFFFu;
    return __popc(alike) * 6 > __popc(there);
}

/* The first vector of a tile says how all of it is counted. */
struct PairSink {
    PackedCounters counters;
    MetTable table;
    uint32_t n_vectors; /* of this tile so far */
    bool alike;         /* lanes of the first one were */
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

    /* A brightness. */
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
