/* SPDX-License-Identifier: MIT */
/*
 * Asynchronous copies from global to shared memory: per element, in batches of the issuing thread, and in bulk (sm_90
 * and later), completing at a barrier in shared memory. Used by filters and scans.
 */
#ifndef GF_CUDA_ASYNC_COPY_CUH
#define GF_CUDA_ASYNC_COPY_CUH

#include <cuda_pipeline.h>

#include "sync.cuh"

/* Starts copying 4, 8 or 16 bytes; both addresses must be multiples of that size. */
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

/* Waits for all of this thread's batches except the last `later`. Other threads see the copied bytes after the next
 * barrier that they share with this thread. */
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
 * Barriers of bulk copies. A phase ends when one thread has arrived, announcing a number of bytes, and these bytes have
 * been copied. The parity of the phases alternates, beginning with 0. A thread that has waited for the end of a phase
 * sees the bytes. Copies write through a proxy of their own: threads that wrote a tile which copies are to overwrite
 * must call gf_fence_for_bulk_copies() and then synchronise. For threads that only read the tile, synchronising is
 * enough.
 */

/* Initialises N barriers. The block must synchronise before it uses them. */
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

/* Arrives at a barrier, once per phase, and announces the number of bytes. The copies may be issued before or after
 * it. */
__device__ __forceinline__ void gf_expect_tx(uint64_t *barrier, int bytes)
{
    gf_jitter(gf_jitter_often);
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                 :
                 : "r"(gf_shared_address(barrier)), "r"(bytes)
                 : "memory");
    gf_jitter(gf_jitter_often);
}

/* Starts copying a multiple of 16 bytes; both addresses must be multiples of 16. */
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

/* Orders this thread's accesses to shared memory before the bulk copies that any thread issues after the next
 * barrier. */
__device__ __forceinline__ void gf_fence_for_bulk_copies()
{
    if constexpr (gf_has_bulk_copies)
        asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
    gf_jitter(gf_jitter_often);
}

#endif
