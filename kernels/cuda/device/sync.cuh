/* SPDX-License-Identifier: MIT */
/*
 * How the threads of a kernel synchronise and exchange values: barriers, shuffles, atomics, the last block, and words
 * that blocks publish for each other. All kernels use these functions in place of CUDA's own, which lint.words rejects
 * elsewhere. So the properties that several kernels rely on are proved once, here, and a build with GF_CUDA_JITTER
 * delays threads at each of them (jitter.cuh). Asynchronous copies are in async_copy.cuh.
 */
#ifndef GF_CUDA_SYNC_CUH
#define GF_CUDA_SYNC_CUH

#ifndef __CUDACC_RTC__ /* NVRTC has no headers */
#include <cstdint>
#endif

#include "jitter.cuh"

constexpr unsigned gf_all_lanes = 0xFFFFFFFFu;

/* Barriers. Writes to shared or global memory before a barrier are visible to the other threads after it. */

__device__ __forceinline__ void gf_sync_block()
{
    gf_jitter(gf_jitter_often);
    __syncthreads();
    gf_jitter(gf_jitter_often);
}

/* Also returns whether p is true for any thread. p is evaluated before the barrier, so it must not be a value that the
 * barrier is to order. */
__device__ __forceinline__ bool gf_sync_block_or(bool p)
{
    gf_jitter(gf_jitter_often);
    const bool any = __syncthreads_or(p) != 0;
    gf_jitter(gf_jitter_often);
    return any;
}

__device__ __forceinline__ void gf_sync_warp(unsigned of_lanes = gf_all_lanes)
{
    gf_jitter(gf_jitter_seldom);
    __syncwarp(of_lanes);
    gf_jitter(gf_jitter_seldom);
}

/* Shuffles and votes of all 32 lanes. They order no memory accesses. */

template <class T> __device__ __forceinline__ T gf_shuffle(T v, int lane)
{
    gf_jitter(gf_jitter_seldom);
    return __shfl_sync(gf_all_lanes, v, lane);
}

template <class T> __device__ __forceinline__ T gf_shuffle_up(T v, unsigned distance)
{
    gf_jitter(gf_jitter_seldom);
    return __shfl_up_sync(gf_all_lanes, v, distance);
}

template <class T> __device__ __forceinline__ T gf_shuffle_down(T v, unsigned distance)
{
    gf_jitter(gf_jitter_seldom);
    return __shfl_down_sync(gf_all_lanes, v, distance);
}

template <class T> __device__ __forceinline__ T gf_shuffle_xor(T v, int lanes)
{
    gf_jitter(gf_jitter_seldom);
    return __shfl_xor_sync(gf_all_lanes, v, lanes);
}

__device__ __forceinline__ unsigned gf_ballot(bool p)
{
    gf_jitter(gf_jitter_seldom);
    return __ballot_sync(gf_all_lanes, p);
}

/* The lanes of `lanes`, all of which must call this, for which p holds. */
__device__ __forceinline__ unsigned gf_ballot_of(unsigned lanes, bool p)
{
    gf_jitter(gf_jitter_seldom);
    return __ballot_sync(lanes, p);
}

__device__ __forceinline__ bool gf_any_lane(bool p)
{
    gf_jitter(gf_jitter_seldom);
    return __any_sync(gf_all_lanes, p) != 0;
}

__device__ __forceinline__ bool gf_all_lanes_true(bool p)
{
    gf_jitter(gf_jitter_seldom);
    return __all_sync(gf_all_lanes, p) != 0;
}

/* Relaxed atomics on shared or global memory: each is indivisible, and none orders other accesses. */

template <class T> __device__ __forceinline__ T gf_atomic_add(T *to, T v)
{
    gf_jitter(gf_jitter_seldom);
    const T before = atomicAdd(to, v);
    gf_jitter(gf_jitter_seldom);
    return before;
}

template <class T> __device__ __forceinline__ T gf_atomic_sub(T *to, T v)
{
    gf_jitter(gf_jitter_seldom);
    const T before = atomicSub(to, v);
    gf_jitter(gf_jitter_seldom);
    return before;
}

template <class T> __device__ __forceinline__ T gf_atomic_min(T *to, T v)
{
    gf_jitter(gf_jitter_seldom);
    const T before = atomicMin(to, v);
    gf_jitter(gf_jitter_seldom);
    return before;
}

template <class T> __device__ __forceinline__ T gf_atomic_max(T *to, T v)
{
    gf_jitter(gf_jitter_seldom);
    const T before = atomicMax(to, v);
    gf_jitter(gf_jitter_seldom);
    return before;
}

template <class T> __device__ __forceinline__ T gf_atomic_cas(T *to, T expected, T v)
{
    gf_jitter(gf_jitter_seldom);
    const T before = atomicCAS(to, expected, v);
    gf_jitter(gf_jitter_seldom);
    return before;
}

/*
 * The last block: returns true, in all threads of a block, if this block is the last of n blocks to call it. The last
 * block sees everything that the other blocks wrote before their calls. `arrived` must be 0 at first and is 0 again
 * after the last block's call. Whole blocks must call it.
 *
 * Proof. The first barrier orders every store and atomic of the block before thread 0's increment, which releases them
 * to the device, since a release covers what the thread has observed through a barrier. The increments of n blocks form
 * one chain of atomics; the one that finds n - 1 acquires what each of the others released. The second barrier orders
 * the reads of the last block's threads after thread 0's acquire. Both barriers are needed: an increment evaluated as
 * the operand of a single barrier would precede the stores of warps that have not yet arrived there.
 */
__device__ __forceinline__ bool gf_is_last_block(uint32_t *arrived, uint32_t n)
{
    uint32_t before = 0;
    gf_sync_block();
    if (threadIdx.x == 0)
        asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                     : "=r"(before)
                     : "l"(arrived), "r"(n - 1)
                     : "memory");
    return gf_sync_block_or(threadIdx.x == 0 && before == n - 1);
}

/*
 * Published words, for look-back: blocks of one launch publish their aggregates and prefixes for each other. A word is
 * 0 until it is published. The word itself says whether it is published; a value that may be 0 is stored with a flag in
 * the same word. Each word is written and read by one access that the device does not split, so a reader sees all of it
 * or nothing. No other memory is read on the strength of a word, so the accesses are relaxed and need no fence: the
 * implication "flag visible, therefore value visible", which would require release and acquire, does not occur.
 *
 * That 128 bits are one access: ld and st take the scalar type .b128 since PTX 8.3, on sm_70 and later, unlike a vector
 * of two words, whose elements PTX may access in any order. PTX's chapter on memory consistency still speaks of scalars
 * of up to 64 bits, so the certainty comes from below: ptxas makes one instruction of each, STG.E.128.STRONG.GPU and
 * LDG.E.128.STRONG.GPU, on sm_75, 80, 90, 100 and 120 (CUDA 13.0), and NVIDIA's cuda::atomic_ref of 16 bytes uses the
 * same two.
 *
 * A waiting block may wait for ever unless the block that publishes the word runs. Blocks therefore take their work by
 * tickets, an atomic counter: the owners of earlier tickets have started (tile_state.cuh).
 */
struct __align__(16) gf_published
{
    uint64_t value, ready;
};

__device__ __forceinline__ void gf_publish(struct gf_published *word, uint64_t value)
{
    gf_jitter(gf_jitter_often);
    asm volatile("{\n\t.reg .b128 both;\n\tmov.b128 both, {%1, %2};\n\tst.relaxed.gpu.global.b128 [%0], both;\n\t}"
                 :
                 : "l"(word), "l"(value), "l"(static_cast<uint64_t>(1))
                 : "memory");
    gf_jitter(gf_jitter_often);
}

__device__ __forceinline__ void gf_publish(uint32_t *word, uint32_t value)
{
    gf_jitter(gf_jitter_often);
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" : : "l"(word), "r"(value) : "memory");
    gf_jitter(gf_jitter_often);
}

/* Returns false where the word is not published yet. */
__device__ __forceinline__ bool gf_load_published(const struct gf_published *word, uint64_t *ret_value)
{
    uint64_t value, ready;
    gf_jitter(gf_jitter_often);
    asm volatile("{\n\t.reg .b128 both;\n\tld.relaxed.gpu.global.b128 both, [%2];\n\tmov.b128 {%0, %1}, both;\n\t}"
                 : "=l"(value), "=l"(ready)
                 : "l"(word)
                 : "memory");
    *ret_value = value;
    return ready != 0;
}

__device__ __forceinline__ uint32_t gf_load_published(const uint32_t *word)
{
    uint32_t value;
    gf_jitter(gf_jitter_often);
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}

__device__ __forceinline__ unsigned long long gf_load_published(const unsigned long long *word)
{
    unsigned long long value;
    gf_jitter(gf_jitter_often);
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    return value;
}

/* Reads a word of shared memory that other threads may change concurrently, each by a single access. */
__device__ __forceinline__ uint32_t gf_load_shared(const uint32_t *word)
{
    gf_jitter(gf_jitter_seldom);
    return *const_cast<volatile const uint32_t *>(word);
}

/* Calls look() once in every lane that has not `got` its value, then again in the lanes where it returned false, until
 * it has returned true in all. Whole warps must call it. */
template <class F> __device__ __forceinline__ void gf_wait_until(bool got, F &&look)
{
    while (!gf_all_lanes_true(got))
        if (!got)
            got = look();
}

#ifndef __CUDACC_RTC__
/*
 * Programmatic dependent launch (sm_90 and later): a kernel may begin before the previous kernel in the stream has
 * ended. gf_launch_next_early() lets the next kernel begin. Before gf_wait_for_previous(), a kernel must not read what
 * earlier kernels wrote, nor write what they read or write. gf_wait_for_previous() returns when all earlier kernels
 * have finished and their writes are visible.
 */
__device__ __forceinline__ void gf_launch_next_early()
{
    gf_jitter(gf_jitter_often);
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

__device__ __forceinline__ void gf_wait_for_previous()
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
    gf_jitter(gf_jitter_often);
}

#endif

#endif
