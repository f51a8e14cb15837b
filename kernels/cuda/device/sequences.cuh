/* SPDX-License-Identifier: MIT */
/* How scans find the sequence of a block or row: division, the search for a segment, short sequences that share a warp.
 * Used by the scans, and by reduce and scan with op=user. */
#ifndef GF_CUDA_SEQUENCES_CUH
#define GF_CUDA_SEQUENCES_CUH

#ifndef __CUDACC_RTC__ /* NVRTC has no headers */
#include <cstdint>
#endif

#include "sync.cuh"
#include "warp_reduce.cuh"

namespace gf
{

/* Division that is fast for numbers of 32 bits, which are the common case. */
__device__ __forceinline__ uint64_t divide(uint64_t a, uint64_t b, uint64_t *ret_rest)
{
    if ((a | b) >> 32 == 0) {
        const uint32_t q = static_cast<uint32_t>(a) / static_cast<uint32_t>(b);
        *ret_rest = static_cast<uint32_t>(a) - q * static_cast<uint32_t>(b);
        return q;
    }
    const uint64_t q = a / b;
    *ret_rest = a - q * b;
    return q;
}

/* Returns the segment of a block, which is counted through all n segments: the last segment with at most `block` blocks
 * before it. Whole warps must call it: in each step, each lane compares with one of 32 candidates. */
__device__ __forceinline__ uint64_t find_segment(const uint64_t *first_blocks, uint64_t n, uint64_t block)
{
    uint64_t first = 0, count = n;
    while (count > 1) {
        const uint64_t step = (count + 31) / 32, at = threadIdx.x % 32 * step;
        const bool before = at < count && first_blocks[first + at] <= block;
        const uint64_t last = static_cast<uint64_t>(31 - __clz(static_cast<int>(gf_ballot(before)))) * step;
        first += last;
        count = count - last < step ? count - last : step;
    }
    return first;
}

/* A thread's row, where short sequences share a warp: row `number` of the sequence of lane `owner`. */
struct packed_row {
    int owner, number;
    bool there;
};

/* Each lane has a sequence of 0 to 32 rows. Calls f, with each thread's packed_row, for as many consecutive sequences
 * at a time as fit the warp's 32 rows. Whole warps must call it, and f runs in whole warps. */
template <class F> __device__ __forceinline__ void pack_rows(int rows, F &&f)
{
    const int lane = threadIdx.x % 32;
#pragma unroll 1
    for (int next = 0; next < 32;) {
        const int end = gf_warp_running_sum(lane >= next ? rows : 0); /* of the sequences from `next` on */
        next = __popc(gf_ballot(end <= 32));
        const int total = gf_shuffle(end, next - 1);
        if (total == 0)
            continue;
        int owner = 0; /* the first lane whose `end` exceeds this lane */
#pragma unroll
        for (int step = 16; step > 0; step /= 2)
            if (gf_shuffle(end, owner + step - 1) <= lane)
                owner += step;
        f(packed_row{owner, lane - gf_shuffle(end - rows, owner), lane < total});
    }
}

} // namespace gf

#endif
