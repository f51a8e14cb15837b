/* SPDX-License-Identifier: MIT */
/*
 * Copies from global to shared memory that run beside the threads: by element, in batches of the thread that asked for
 * them, and in bulk (from sm_90 on), which arrive at a barrier in shared memory. Used by filters and scans.
 */
#ifndef GF_CUDA_ASYNC_COPY_CUH
#define GF_CUDA_ASYNC_COPY_CUH

#include <cuda_pipeline.h>

#include "sync.cuh"

/* Starts to copy 4, 8 or 16 bytes, at multiples of as many. */
__device__ __forceinline__ void gf_copy_async(void *shared, const void *from, size_t bytes)
{
    __pipeline_memcpy_async(shared, from, bytes);
}

/* Ends this thread's batch of copies. */
__device__ __forceinline__ void gf_commit_copies()
{
    __pipeline_commit();
    gf_jitter(gf_jitter_often);
}

/* Waits for all of this thread's batches but the `later` last ones. Other threads see what they brought after the next
 * barrier of both. */
__device__ __forceinline__ void gf_wait_for_copies(int later)
{
    gf_jitter(gf_jitter_often);
    __pipeline_wait_prior(later);
    gf_jitter(gf_jitter_often);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
constexpr bool gf_has_bulk_copies = true;
#else
constexpr bool gf_has_bulk_copies = false;
#endif

__device__ __forceinline__ unsigned gf_shared_address(const void *p)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

/*
 * Barriers of bulk copies. A phase ends when one thread has arrived, saying how many bytes will, and those have; its
 * parity is 0 for the first, then 1, and so on alternately. A thread that has waited for the end of a phase sees the
 * bytes. Copies write through a proxy of their own: threads that wrote a tile, and then let copies write there, call
 * gf_fence_for_bulk_copies() and meet in between. Threads that only read it just meet.
 */

/* Prepares N barriers; the block has to meet before it uses them. */
template <int N> __device__ __forceinline__ void gf_init_copy_barriers(uint64_t (&barriers)[N])
{
    if constexpr (gf_has_bulk_copies) {
        if (threadIdx.x == 0) {
#pragma unroll
            for (int i = 0; i < N; i++)
                asm volatile("mbarrier.init.shared.b64 [%0], 1;" : : "r"(gf_shared_address(&barriers[i])) : "memory");
            asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
        }
        gf_jitter(gf_jitter_often);
    }
}

/* Arrives at a barrier, once per phase, and says how many bytes will; the copies may come before or after it. */
__device__ __forceinline__ void gf_expect_tx(uint64_t *barrier, int bytes)
{
    gf_jitter(gf_jitter_often);
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                 :
                 : "r"(gf_shared_address(barrier)), "r"(bytes)
                 : "memory");
    gf_jitter(gf_jitter_often);
}

/* Starts to copy a multiple of 16 bytes, from and to multiples of 16. */
__device__ __forceinline__ void gf_copy_bulk(unsigned char *shared, const char *from, int bytes, uint64_t *barrier)
{
    gf_jitter(gf_jitter_often);
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :
                 : "r"(gf_shared_address(shared)), "l"(from), "r"(bytes), "r"(gf_shared_address(barrier))
                 : "memory");
}

/* Waits for the end of the phase of this parity. */
__device__ __forceinline__ void gf_wait_for_phase(uint64_t *barrier, unsigned parity)
{
    if constexpr (gf_has_bulk_copies) {
        gf_jitter(gf_jitter_often);
        asm volatile("{\n"
                     ".reg .pred done;\n"
                     "AGAIN:\n"
                     "mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
                     "@!done bra AGAIN;\n"
                     "}"
                     :
                     : "r"(gf_shared_address(barrier)), "r"(parity)
                     : "memory");
        gf_jitter(gf_jitter_often);
    }
}

/* Puts this thread's accesses to shared memory before bulk copies that somebody starts after the next barrier. */
__device__ __forceinline__ void gf_fence_for_bulk_copies()
{
    if constexpr (gf_has_bulk_copies)
        asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
    gf_jitter(gf_jitter_often);
}

#endif
