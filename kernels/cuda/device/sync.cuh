/* SPDX-License-Identifier: MIT */
/*
 * How the threads of a kernel wait for each other and exchange values: barriers, shuffles, atomics, the last block, and
 * words that blocks publish for each other. All kernels use these in place of CUDA's own, which lint.words refuses
 * elsewhere, so that what several kernels rely on is proved once, here, and that a build with GF_CUDA_JITTER delays
 * threads at each of them (jitter.cuh). Copies that run beside the threads are in async_copy.cuh.
 */
#ifndef GF_CUDA_SYNC_CUH
#define GF_CUDA_SYNC_CUH

#ifndef __CUDACC_RTC__ /* has no headers */
#include <cstdint>
#endif

#include "jitter.cuh"

constexpr unsigned gf_all_lanes = 0xFFFFFFFFu;

/* Barriers. What a thread wrote before one, to shared or global memory, the others read after it. */

__device__ __forceinline__ void gf_sync_block()
{
    gf_jitter(gf_jitter_often);
    __syncthreads();
    gf_jitter(gf_jitter_often);
}

/* Also: whether p is true for any thread. p is worked out before the barrier: it must not itself be what the barrier
 * is to order. */
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

/* Shuffles and votes, of all 32 lanes. They order no memory. */

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

__device__ __forceinline__ bool gf_any_lane(bool p)
{
    gf_jitter(gf_jitter_seldom);
    return __any_sync(gf_all_lanes, p) != 0;
}

__device__ __forceinline__ bool gf_every_lane(bool p)
{
    gf_jitter(gf_jitter_seldom);
    return __all_sync(gf_all_lanes, p) != 0;
}

/* Atomics on shared or global memory, relaxed: each is whole, and none orders anything else. */

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
 * The last block: true, for all its threads, in the one of n blocks that comes here last; it sees all that the others
 * wrote before they came. `arrived` is 0 at first and 0 again when the last block has come. Called by whole blocks.
 *
 * Why this holds: the first barrier puts every store and atomic of the block before thread 0's increment, which
 * releases them to the device, since a release covers what the thread has observed through a barrier. The increments
 * of n blocks are one chain of atomics; the one that finds n - 1 acquires what each of the others released. The second
 * barrier orders the reads of the last block's threads after thread 0's acquire. Both barriers are needed: an increment
 * worked out in the operand of one barrier would precede the stores of warps that have yet to arrive there.
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
 * Published words, for look-back: blocks of one launch tell each other what stands before them. A word is 0 until it is
 * published and says itself whether it was; a value that may be 0 comes with a flag in the same word. Each is written
 * and read by one access that the device does not split, so a reader has all of it or nothing. No other memory is read
 * on the strength of a word, so its accesses are relaxed and no fence is needed: the relation that would need a release
 * and an acquire, "flag there, hence value there", does not occur.
 *
 * Who waits for a word may wait for ever unless the block that publishes it runs. Blocks therefore take their work by
 * tickets (an atomic counter), and wait only for words of earlier tickets: their owners have begun, and the earliest of
 * them waits for nobody.
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

/* False where it is not published yet. */
__device__ __forceinline__ bool gf_look(const struct gf_published *word, uint64_t *ret_value)
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

__device__ __forceinline__ uint32_t gf_look(const uint32_t *word)
{
    uint32_t value;
    gf_jitter(gf_jitter_often);
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}

__device__ __forceinline__ unsigned long long gf_look(const unsigned long long *word)
{
    unsigned long long value;
    gf_jitter(gf_jitter_often);
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    return value;
}

/* A word of shared memory that other threads may change meanwhile, by one access each. */
__device__ __forceinline__ uint32_t gf_look_shared(const uint32_t *word)
{
    gf_jitter(gf_jitter_seldom);
    return *const_cast<volatile const uint32_t *>(word);
}

/* Calls look() in every lane, once, unless it has `got` what it looks for, then in those where it was false until it is
 * true in all. By whole warps. */
template <class F> __device__ __forceinline__ void gf_wait_until(bool got, F &&look)
{
    while (!gf_every_lane(got))
        if (!got)
            got = look();
}

#ifndef __CUDACC_RTC__
/*
 * Kernels that begin before the one before them in the stream has ended (from sm_90 on). gf_begin_next() lets the next
 * one begin; that one reads nothing which kernels before it wrote, and writes nothing which they read or write, before
 * gf_wait_for_previous(), which returns when all of them are through and their writes are there.
 */
__device__ __forceinline__ void gf_begin_next()
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
