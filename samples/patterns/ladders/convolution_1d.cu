/* SPDX-License-Identifier: MIT */
/*
 * A mask of 9 over an array: out[i] is the sum of in[i + k - 4] * mask[k]. Elements outside the array, the ghost cells,
 * are 0. One comparison finds them: indices are unsigned, so an index below 0 wraps to a number greater than n.
 */
#include "samples/patterns/kernel.h"

enum { BLOCK = 256, RADIUS = 4, MASK = 2 * RADIUS + 1 };

static __constant__ float g_mask[MASK];

/* Runs a kernel that reads the mask from constant memory, in blocks of `each` results. */
static void with_mask(struct call *call, void (*kernel)(const float *in, float *out, size_t n), size_t each)
{
    SET_SYMBOL(g_mask, call->in[1], sizeof(g_mask));
    RUN(kernel, blocks_for(call->n, each), BLOCK, call->in[0], call->out, call->n);
}

/*
 * basic: one thread per result. Every tap loads an element and a coefficient: 18 loads for 9 multiply-adds.
 * Neighbouring threads load neighbouring elements, so each load of a warp is coalesced. An element that 9 threads need
 * comes from memory once and from L1 eight times. Limited by the number of loads that an SM issues, not by memory. The
 * test for ghost cells costs little: all threads but the array's first and last four take the same branch.
 */
static __global__ void basic(const float *in, const float *mask, float *out, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (unsigned k = 0; k < MASK; k++) {
        size_t j = i + k - RADIUS;
        if (j < n)
            sum += in[j] * mask[k];
    }
    out[i] = sum;
}

RUNG_IS(convolution_1d_basic,
        RUN(basic, blocks_for(call->n, BLOCK), BLOCK, call->in[0], call->in[1], call->out, call->n))

/*
 * constant-mask: the mask lies in constant memory. All threads of a warp need the same coefficient at the same time,
 * which is what the constant cache is made for: a multiply-add takes it as an operand, without a load. 9 loads are
 * left.
 */
static __global__ void constant_mask(const float *in, float *out, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (unsigned k = 0; k < MASK; k++) {
        size_t j = i + k - RADIUS;
        if (j < n)
            sum += in[j] * g_mask[k];
    }
    out[i] = sum;
}

RUNG_IS(convolution_1d_constant_mask, with_mask(call, constant_mask, BLOCK))

/*
 * read-only-mask: the mask is an argument again, but one that the compiler knows to be read-only: __restrict__ promises
 * that `out` does not overlap it. The compiler may then load it at any time and through the read-only path, which __ldg
 * requests explicitly. There are 18 loads again. Unlike constant memory, this path takes a mask of any size, and lanes
 * may read different coefficients at once.
 */
static __global__ void read_only_mask(const float *__restrict__ in, const float *__restrict__ mask,
                                      float *__restrict__ out, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (unsigned k = 0; k < MASK; k++) {
        size_t j = i + k - RADIUS;
        if (j < n)
            sum += in[j] * __ldg(&mask[k]);
    }
    out[i] = sum;
}

RUNG_IS(convolution_1d_read_only_mask,
        RUN(read_only_mask, blocks_for(call->n, BLOCK), BLOCK, call->in[0], call->in[1], call->out, call->n))

/*
 * tiled-output: a block loads the input of its 256 results, 264 elements with the halo, into shared memory; 8 threads
 * load two elements each. Each element is loaded from global memory once (the halo twice), and the taps read shared
 * memory, where the lanes of a warp use 32 different banks. Ghost cells become zeros in the tile, so the taps need no
 * test. L1 has the same bandwidth as shared memory, so the 9 reads cost as much as before. The tile saves the tests and
 * address computations, and adds a store and a barrier.
 */
static __global__ void tiled_output(const float *in, float *out, size_t n)
{
    __shared__ float tile[BLOCK + 2 * RADIUS];
    size_t begin = (size_t)blockIdx.x * BLOCK;
    for (unsigned t = threadIdx.x; t < BLOCK + 2 * RADIUS; t += BLOCK) {
        size_t j = begin + t - RADIUS;
        tile[t] = j < n ? in[j] : 0;
    }
    __syncthreads(); /* taps read what other threads loaded */
    size_t i = begin + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (unsigned k = 0; k < MASK; k++)
        sum += tile[threadIdx.x + k] * g_mask[k];
    out[i] = sum;
}

RUNG_IS(convolution_1d_tiled_output, with_mask(call, tiled_output, BLOCK))

/*
 * tiled-input: every thread loads one element, and the 248 threads with all neighbours in the tile compute a result. No
 * thread loads twice, and no thread has to find its part of the halo. The price: 8 threads of 256 only load, and tiles
 * of 248 do not start at multiples of 32, so the accesses of most warps touch two lines.
 */
static __global__ void tiled_input(const float *in, float *out, size_t n)
{
    __shared__ float tile[BLOCK];
    size_t i = (size_t)blockIdx.x * (BLOCK - 2 * RADIUS) + threadIdx.x - RADIUS;
    tile[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads(); /* taps read what other threads loaded */
    if (i >= n || threadIdx.x < RADIUS || threadIdx.x >= BLOCK - RADIUS)
        return;
    float sum = 0;
    for (unsigned k = 0; k < MASK; k++)
        sum += tile[threadIdx.x - RADIUS + k] * g_mask[k];
    out[i] = sum;
}

RUNG_IS(convolution_1d_tiled_input, with_mask(call, tiled_input, BLOCK - 2 * RADIUS))

/*
 * halo-from-cache: the tile holds the block's own 256 elements, loaded by aligned warps. The halo is read from global
 * memory, and most likely from L2, because the neighbouring blocks load it as their own elements. All threads load once
 * and all compute. Each tap must test where its element is, and the first and the last warp of a block diverge.
 */
static __global__ void halo_from_cache(const float *in, float *out, size_t n)
{
    __shared__ float tile[BLOCK];
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    tile[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads(); /* taps read what other threads loaded */
    if (i >= n)
        return;
    float sum = 0;
    for (unsigned k = 0; k < MASK; k++) {
        unsigned t = threadIdx.x + k - RADIUS;
        size_t j = i + k - RADIUS;
        if (t < BLOCK)
            sum += tile[t] * g_mask[k];
        else if (j < n)
            sum += in[j] * g_mask[k];
    }
    out[i] = sum;
}

RUNG_IS(convolution_1d_halo_from_cache, with_mask(call, halo_from_cache, BLOCK))

/* Loads four elements, starting at a multiple of 4; elements outside the array are zeros. */
static __device__ __forceinline__ float4 four_at(const float *in, size_t i, size_t n)
{
    float4 four = {0, 0, 0, 0};
    if (i < n && n - i >= 4)
        return *(const float4 *)(const void *)&in[i];
    if (i < n)
        four.x = in[i];
    if (i < n && n - i > 1)
        four.y = in[i + 1];
    if (i < n && n - i > 2)
        four.z = in[i + 2];
    return four;
}

/*
 * register-tiled: a thread keeps the 12 elements that four results need in registers, with 3 loads of 16 bytes instead
 * of 36 of 4, and stores the four results at once. Registers have more bandwidth than shared memory or L1, and there is
 * no barrier. The mask's radius is a multiple of 4, which keeps the wide loads aligned. Limited by memory.
 */
static __global__ void register_tiled(const float *in, float *out, size_t n)
{
    size_t i = ((size_t)blockIdx.x * BLOCK + threadIdx.x) * 4;
    if (i >= n)
        return;
    float4 left = four_at(in, i - 4, n), own = four_at(in, i, n), right = four_at(in, i + 4, n);
    const float x[12] = {left.x, left.y, left.z,  left.w,  own.x,   own.y,
                         own.z,  own.w,  right.x, right.y, right.z, right.w};
    float sums[4] = {0, 0, 0, 0};
    for (unsigned o = 0; o < 4; o++)
        for (unsigned k = 0; k < MASK; k++)
            sums[o] += x[o + k] * g_mask[k];
    if (n - i >= 4) {
        float4 four = {sums[0], sums[1], sums[2], sums[3]};
        *(float4 *)(void *)&out[i] = four;
        return;
    }
    out[i] = sums[0];
    if (n - i > 1)
        out[i + 1] = sums[1];
    if (n - i > 2)
        out[i + 2] = sums[2];
}

RUNG_IS(convolution_1d_register_tiled, with_mask(call, register_tiled, (size_t)4 * BLOCK))
