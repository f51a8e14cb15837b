/* SPDX-License-Identifier: MIT */
/*
 * Text histogram: how many letters of a text are a-d, e-h, i-l, m-p, q-t, u-x, and y-z; other characters do not count.
 * With 7 bins even the lanes of one warp meet in most additions, so each rung adds less often or in more places.
 */
#include "samples/patterns/kernel.h"

enum {
    BLOCK = 256,
    WARPS = BLOCK / 32,
    GRID = 1024,     /* blocks at most: with BLOCK, about as many threads as a large GPU holds at once */
    PER_THREAD = 16, /* characters at least; with less, the end of a block would dominate */
    BINS = 7,
    OTHER = 7,   /* the bin of characters that do not count */
    VECTOR = 16, /* characters of a uint4 */
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

static __device__ unsigned bin_of(unsigned character)
{
    unsigned letter = character - 'a'; /* wraps to a large number for characters before 'a' */
    return letter < 26 ? letter / 4 : (unsigned)OTHER;
}

/*
 * sections: the sequential loop, cut into a contiguous section for each thread. The threads share the bins, so
 * additions must be atomic. The lanes of a warp read characters that are a section apart: 32 lines for 32 bytes.
 * Limited by these lines and by the atomics, which all go to 7 addresses.
 */
static __global__ void sections(const unsigned char *text, unsigned *bins, size_t n)
{
    size_t threads = (size_t)gridDim.x * blockDim.x, thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t section = (n + threads - 1) / threads, begin = thread * section;
    size_t end = begin + section < n ? begin + section : n;
    for (size_t i = begin; i < end; i++) {
        unsigned bin = bin_of(text[i]);
        if (bin < BINS)
            atomicAdd(&bins[bin], 1u);
    }
}

RUNG_IS(text_histogram_sections, count(call, sections, grid_for(call->n)))

/*
 * non-atomic: sections without the atomic. Wrong: threads that load the same count all store that count plus one. The
 * fewer the bins, the more threads are between the load and the store of the same bin, and nearly all increments are
 * lost.
 */
static __global__ void non_atomic(const unsigned char *text, unsigned *bins, size_t n)
{
    size_t threads = (size_t)gridDim.x * blockDim.x, thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t section = (n + threads - 1) / threads, begin = thread * section;
    size_t end = begin + section < n ? begin + section : n;
    for (size_t i = begin; i < end; i++) {
        unsigned bin = bin_of(text[i]);
        if (bin < BINS)
            bins[bin]++;
    }
}

RUNG_IS(text_histogram_non_atomic, count(call, non_atomic, grid_for(call->n)))

/*
 * interleaved: sections with a grid-stride loop. The lanes of a warp read 32 neighbouring characters, one sector. The
 * atomics are the same, and now they are the only limit.
 */
static __global__ void interleaved(const unsigned char *text, unsigned *bins, size_t n)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        unsigned bin = bin_of(text[i]);
        if (bin < BINS)
            atomicAdd(&bins[bin], 1u);
    }
}

RUNG_IS(text_histogram_interleaved, count(call, interleaved, grid_for(call->n)))

/*
 * shared-privatised: interleaved with a copy of the bins for each block, in shared memory; at the end a block adds 7
 * counts to global memory. Limited by the block's 8 warps, which meet in these 7 counters.
 */
static __global__ void shared_privatised(const unsigned char *text, unsigned *bins, size_t n)
{
    __shared__ unsigned own[BINS];
    size_t stride = (size_t)gridDim.x * blockDim.x;
    if (threadIdx.x < BINS)
        own[threadIdx.x] = 0;
    __syncthreads(); /* all counts are 0 before any thread counts */
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        unsigned bin = bin_of(text[i]);
        if (bin < BINS)
            atomicAdd(&own[bin], 1u);
    }
    __syncthreads(); /* all threads have counted */
    if (threadIdx.x < BINS)
        atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

RUNG_IS(text_histogram_shared_privatised, count(call, shared_privatised, grid_for(call->n)))

/*
 * warp-copies: shared-privatised with a copy for each warp. Warps no longer meet, but the lanes of a warp still do: 32
 * characters go to 7 counters, and additions to the same counter are serialized.
 */
static __global__ void warp_copies(const unsigned char *text, unsigned *bins, size_t n)
{
    __shared__ unsigned own[WARPS * BINS];
    size_t stride = (size_t)gridDim.x * blockDim.x;
    unsigned copy = threadIdx.x / 32 * BINS;
    if (threadIdx.x < WARPS * BINS)
        own[threadIdx.x] = 0;
    __syncthreads(); /* all counts are 0 before any thread counts */
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        unsigned bin = bin_of(text[i]);
        if (bin < BINS)
            atomicAdd(&own[copy + bin], 1u);
    }
    __syncthreads(); /* all threads have counted */
    if (threadIdx.x < BINS) {
        unsigned sum = 0;
        for (unsigned warp = 0; warp < WARPS; warp++)
            sum += own[warp * BINS + threadIdx.x];
        atomicAdd(&bins[threadIdx.x], sum);
    }
}

RUNG_IS(text_histogram_warp_copies, count(call, warp_copies, grid_for(call->n)))

/* Returns character k of a vector, in memory order. */
static __device__ unsigned character_of(uint4 vector, unsigned k)
{
    unsigned word = k < 4 ? vector.x : k < 8 ? vector.y : k < 12 ? vector.z : vector.w;
    return word >> 8 * (k % 4) & 255;
}

/* Counts the characters after the last whole vector, each by one thread of the grid. */
static __device__ void count_rest(const unsigned char *text, unsigned *own, size_t n)
{
    size_t i = n / VECTOR * VECTOR + (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned bin = i < n ? bin_of(text[i]) : (unsigned)OTHER;
    if (bin < BINS)
        atomicAdd(&own[bin], 1u);
}

/*
 * aggregated: shared-privatised, but a thread counts a run of characters of one bin in a register and adds its length
 * once. Runs consist of neighbours, so a thread takes 16 neighbouring characters by one load. Characters that do not
 * count end no run. In a text few runs are longer than two. Limited by divergence: the runs of different lanes end at
 * different characters.
 */
static __global__ void aggregated(const unsigned char *text, unsigned *bins, size_t n)
{
    __shared__ unsigned own[BINS];
    const uint4 *vectors = (const uint4 *)text;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    if (threadIdx.x < BINS)
        own[threadIdx.x] = 0;
    __syncthreads(); /* all counts are 0 before any thread counts */
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n / VECTOR; i += stride) {
        uint4 vector = vectors[i];
        unsigned bin = OTHER, run = 0;
        for (unsigned k = 0; k < VECTOR; k++) {
            unsigned next = bin_of(character_of(vector, k));
            if (next != OTHER && next != bin) {
                if (run > 0)
                    atomicAdd(&own[bin], run);
                bin = next;
                run = 0;
            }
            run += next != OTHER;
        }
        if (run > 0)
            atomicAdd(&own[bin], run);
    }
    count_rest(text, own, n);
    __syncthreads(); /* all threads have counted */
    if (threadIdx.x < BINS)
        atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

RUNG_IS(text_histogram_aggregated, count(call, aggregated, grid_for(call->n)))

/*
 * register-copies: a copy for each thread, in registers, and no atomic before the end. Registers cannot be indexed by
 * data, but 8 counts of 8 bits fit in one 64-bit number, and a shift selects one of them. The eighth count is the bin
 * of characters that do not count, so no lane branches. After 16 characters no count exceeds 16, and the counts move to
 * counters of 32 bits. Limited by the arithmetic for each character.
 */
static __global__ void register_copies(const unsigned char *text, unsigned *bins, size_t n)
{
    __shared__ unsigned own[BINS];
    const uint4 *vectors = (const uint4 *)text;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    unsigned counts[BINS] = {0};
    if (threadIdx.x < BINS)
        own[threadIdx.x] = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n / VECTOR; i += stride) {
        uint4 vector = vectors[i];
        unsigned long long packed = 0;
        for (unsigned k = 0; k < VECTOR; k++)
            packed += 1ull << 8 * bin_of(character_of(vector, k));
        for (unsigned b = 0; b < BINS; b++)
            counts[b] += (unsigned)(packed >> 8 * b) & 255;
    }
    __syncthreads(); /* all of own is 0 before any thread adds */
    for (unsigned b = 0; b < BINS; b++)
        atomicAdd(&own[b], counts[b]);
    count_rest(text, own, n);
    __syncthreads(); /* all threads have added */
    if (threadIdx.x < BINS)
        atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

RUNG_IS(text_histogram_register_copies, count(call, register_copies, grid_for(call->n)))
