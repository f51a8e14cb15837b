/* SPDX-License-Identifier: MIT */
/*
 * Histogram: how often each of 256 values occurs among n bytes. Reading is easy to parallelize; counting is not,
 * because all threads add to the same 256 counters. The last rungs count 65536 values of 16 bits.
 */
#include "samples/patterns/kernel.h"

enum {
    BLOCK = 256,
    GRID = 1024,     /* blocks at most: with BLOCK, about as many threads as a large GPU holds at once */
    PER_THREAD = 16, /* bytes at least; with less, the end of a block would dominate */
    BINS = 256,
    LANES = 32,
    VECTOR = 16,      /* bytes of a uint4 */
    PAIR_BINS = 8192, /* the bins, out of 65536, that fit in a block's shared memory */
};

static unsigned grid_for(size_t n)
{
    return blocks_up_to(GRID, n, BLOCK * PER_THREAD);
}

/* Clears the bins and counts bytes by one kernel. */
static void count(struct call *call, void (*kernel)(const unsigned char *in, unsigned *bins, size_t n), unsigned blocks)
{
    set_bytes(call, call->out, 0, BINS * sizeof(unsigned));
    RUN(kernel, blocks, BLOCK, call->in[0], call->out, call->n);
}

/*
 * sections: the sequential loop, cut into a contiguous section for each thread. All sections count in the same bins, so
 * additions must be atomic. Neighbouring lanes read bytes that are a section apart: every load of a warp touches 32
 * lines for 32 bytes, and a line must be fetched again if the cache evicts it before its thread has reached its end.
 * Limited by these fetches and by the atomics.
 */
static __global__ void sections(const unsigned char *in, unsigned *bins, size_t n)
{
    size_t threads = (size_t)gridDim.x * blockDim.x, thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t section = (n + threads - 1) / threads, begin = thread * section;
    size_t end = begin + section < n ? begin + section : n;
    for (size_t i = begin; i < end; i++)
        atomicAdd(&bins[in[i]], 1u);
}

RUNG_IS(histogram_sections, count(call, sections, grid_for(call->n)))

/*
 * non-atomic: sections without the atomic. Wrong: an increment is a load, an addition and a store, and between the load
 * and the store of one thread other threads load the same count. All of them store that count plus one, and all
 * increments but one are lost.
 */
static __global__ void non_atomic(const unsigned char *in, unsigned *bins, size_t n)
{
    size_t threads = (size_t)gridDim.x * blockDim.x, thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t section = (n + threads - 1) / threads, begin = thread * section;
    size_t end = begin + section < n ? begin + section : n;
    for (size_t i = begin; i < end; i++)
        bins[in[i]]++;
}

RUNG_IS(histogram_non_atomic, count(call, non_atomic, grid_for(call->n)))

/*
 * interleaved: sections in another order of the bytes. Thread t reads the bytes t, t + threads, t + 2 threads, ...: a
 * grid-stride loop. The lanes of a warp read 32 neighbouring bytes, one sector, at a time, and each line is fetched
 * once. Limited by the atomics: one for each byte, and atomics on the same bin are serialized in the L2 cache. In a
 * picture neighbours are alike, so even the lanes of a warp meet in a bin.
 */
static __global__ void interleaved(const unsigned char *in, unsigned *bins, size_t n)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&bins[in[i]], 1u);
}

RUNG_IS(histogram_interleaved, count(call, interleaved, grid_for(call->n)))

/*
 * global-atomics: interleaved without the loop, one thread per byte. The parallelism is at its maximum, and the atomics
 * are as many and go to as few addresses as before: more threads wait, but the L2 cache serves no more of them. The
 * next rung therefore changes where threads add.
 */
static __global__ void global_atomics(const unsigned char *in, unsigned *bins, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[in[i]], 1u);
}

RUNG_IS(histogram_global_atomics, count(call, global_atomics, blocks_for(call->n, BLOCK)))

/*
 * shared-privatised: interleaved with a private copy of the bins for each block, in shared memory. Only the threads of
 * one block meet there, the atomics stay in the multiprocessor, and at the end a block adds each of its counts to
 * global memory once: 256 atomics for 256 KiB of input. Limited by the instructions per byte, above all its load, and
 * by lanes that meet in a counter or a bank, whose atomics are serialized.
 */
static __global__ void shared_privatised(const unsigned char *in, unsigned *bins, size_t n)
{
    __shared__ unsigned own[BINS];
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (unsigned b = threadIdx.x; b < BINS; b += BLOCK)
        own[b] = 0;
    __syncthreads(); /* all counts are 0 before any thread counts */
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&own[in[i]], 1u);
    __syncthreads(); /* all threads have counted */
    for (unsigned b = threadIdx.x; b < BINS; b += BLOCK)
        atomicAdd(&bins[b], own[b]);
}

RUNG_IS(histogram_shared_privatised, count(call, shared_privatised, grid_for(call->n)))

/* Returns byte k of a vector, in memory order. */
static __device__ unsigned byte_of(uint4 vector, unsigned k)
{
    unsigned word = k < 4 ? vector.x : k < 8 ? vector.y : k < 12 ? vector.z : vector.w;
    return word >> 8 * (k % 4) & 255;
}

/* Counts the bytes after the last whole vector, each by one thread of the grid. */
static __device__ void count_rest(const unsigned char *in, unsigned *own, size_t n)
{
    size_t i = n / VECTOR * VECTOR + (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&own[in[i]], 1u);
}

/*
 * wide-loads: shared-privatised with 16 bytes per load. A warp requests 512 neighbouring bytes by one instruction
 * instead of 32 bytes, so few instructions keep enough bytes in flight. The loop over the bytes of a vector is
 * unrolled, so k is a constant. Limited by the atomics in shared memory and by lanes that meet in a bin.
 */
static __global__ void wide_loads(const unsigned char *in, unsigned *bins, size_t n)
{
    __shared__ unsigned own[BINS];
    const uint4 *vectors = (const uint4 *)in;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (unsigned b = threadIdx.x; b < BINS; b += BLOCK)
        own[b] = 0;
    __syncthreads(); /* all counts are 0 before any thread counts */
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n / VECTOR; i += stride) {
        uint4 vector = vectors[i];
        for (unsigned k = 0; k < VECTOR; k++)
            atomicAdd(&own[byte_of(vector, k)], 1u);
    }
    count_rest(in, own, n);
    __syncthreads(); /* all threads have counted */
    for (unsigned b = threadIdx.x; b < BINS; b += BLOCK)
        atomicAdd(&bins[b], own[b]);
}

RUNG_IS(histogram_wide_loads, count(call, wide_loads, grid_for(call->n)))

/*
 * aggregated: wide-loads, but a thread counts a run of equal bytes in a register and adds its length once. Where the
 * picture is flat, a thread makes one atomic for 16 bytes. Elsewhere each byte is a run of its own and costs one more
 * comparison, and lanes whose runs end at different bytes diverge. The gain depends on the data.
 */
static __global__ void aggregated(const unsigned char *in, unsigned *bins, size_t n)
{
    __shared__ unsigned own[BINS];
    const uint4 *vectors = (const uint4 *)in;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (unsigned b = threadIdx.x; b < BINS; b += BLOCK)
        own[b] = 0;
    __syncthreads(); /* all counts are 0 before any thread counts */
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n / VECTOR; i += stride) {
        uint4 vector = vectors[i];
        unsigned value = byte_of(vector, 0), run = 1;
        for (unsigned k = 1; k < VECTOR; k++) {
            unsigned next = byte_of(vector, k);
            if (next != value) {
                atomicAdd(&own[value], run);
                value = next;
                run = 0;
            }
            run++;
        }
        atomicAdd(&own[value], run);
    }
    count_rest(in, own, n);
    __syncthreads(); /* all threads have counted */
    for (unsigned b = threadIdx.x; b < BINS; b += BLOCK)
        atomicAdd(&bins[b], own[b]);
}

RUNG_IS(histogram_aggregated, count(call, aggregated, grid_for(call->n)))

/*
 * lane-copies: wide-loads with 32 copies of the bins in a block, one for each lane. Copy r of a bin lies in bank r, so
 * the lanes of a warp never meet in a counter or in a bank, whatever the data: an atomic of a warp takes the same time
 * for a flat picture and for noise. The warps of a block share the copies, so the addition must still be atomic. It
 * costs 32 KiB of shared memory, which limits occupancy, and 32 additions per bin at the end.
 */
static __global__ void lane_copies(const unsigned char *in, unsigned *bins, size_t n)
{
    __shared__ unsigned own[BINS * LANES];
    const uint4 *vectors = (const uint4 *)in;
    size_t stride = (size_t)gridDim.x * blockDim.x, thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lane = threadIdx.x % LANES;
    for (unsigned b = threadIdx.x; b < BINS * LANES; b += BLOCK)
        own[b] = 0;
    __syncthreads(); /* all counts are 0 before any thread counts */
    for (size_t i = thread; i < n / VECTOR; i += stride) {
        uint4 vector = vectors[i];
        for (unsigned k = 0; k < VECTOR; k++)
            atomicAdd(&own[byte_of(vector, k) * LANES + lane], 1u);
    }
    if (thread < n % VECTOR)
        atomicAdd(&own[in[n / VECTOR * VECTOR + thread] * LANES + lane], 1u);
    __syncthreads(); /* all threads have counted */
    for (unsigned b = threadIdx.x; b < BINS; b += BLOCK) {
        unsigned sum = 0;
        for (unsigned r = 0; r < LANES; r++)
            sum += own[b * LANES + (r + lane) % LANES]; /* each lane begins in another bank */
        atomicAdd(&bins[b], sum);
    }
}

RUNG_IS(histogram_lane_copies, count(call, lane_copies, grid_for(call->n)))

/*
 * pairs-global: interleaved over values of 16 bits, two neighbouring bytes each. 65536 bins spread the atomics over
 * many addresses, so fewer threads meet, but there is still one atomic per value, in global memory. The bins take
 * 256 KiB, more shared memory than a block has, so a private copy of all bins is not possible.
 */
static __global__ void pairs_global(const unsigned short *in, unsigned *bins, size_t n)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&bins[in[i]], 1u);
}

static void count_pairs(struct call *call, void (*kernel)(const unsigned short *in, unsigned *bins, size_t n))
{
    size_t n = call->n / 2;
    set_bytes(call, call->out, 0, 65536 * sizeof(unsigned));
    RUN(kernel, grid_for(n), BLOCK, call->in[0], call->out, n);
}

RUNG_IS(histogram_pairs_global, count_pairs(call, pairs_global))

/*
 * partly-privatised: pairs-global with a private copy of the first 8192 bins in shared memory; the remaining bins stay
 * in global memory. In a mostly dark picture the first bins hold a large part of all values, and the fullest bins are
 * among them, so the most contended bins are private. At the end of a block most of its counts are 0 and cost no
 * atomic. Limited by the values outside the private bins, and by the split, which must suit the data.
 */
static __global__ void partly_privatised(const unsigned short *in, unsigned *bins, size_t n)
{
    __shared__ unsigned own[PAIR_BINS];
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (unsigned b = threadIdx.x; b < PAIR_BINS; b += BLOCK)
        own[b] = 0;
    __syncthreads(); /* all counts are 0 before any thread counts */
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        unsigned value = in[i];
        if (value < PAIR_BINS)
            atomicAdd(&own[value], 1u);
        else
            atomicAdd(&bins[value], 1u);
    }
    __syncthreads(); /* all threads have counted */
    for (unsigned b = threadIdx.x; b < PAIR_BINS; b += BLOCK)
        if (own[b] != 0)
            atomicAdd(&bins[b], own[b]);
}

RUNG_IS(histogram_partly_privatised, count_pairs(call, partly_privatised))
