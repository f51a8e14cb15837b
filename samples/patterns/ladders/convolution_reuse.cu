/* SPDX-License-Identifier: MIT */
/*
 * Counts how often an element of a tile in shared memory is reused. The kernels are tiled-output of convolution_1d.cu
 * and convolution_2d.cu for any mask up to 9 and any tile. Each thread counts the elements that it loads from global
 * memory and adds the count to the ladder's total. The total is the result of this ladder: the atomics cost more than
 * the loads that they count, so the times of these rungs mean nothing.
 *
 * A tile of T results takes T + M - 1 elements for T * M taps, so each load serves T * M / (T + M - 1) taps. In two
 * dimensions, for T * T results and M * M taps, the factor is squared. The basic kernel is a tile of one result: factor
 * 1.
 */
#include "samples/patterns/kernel.h"

enum { MAX_MASK = 9, MAX_TILE_1D = 256, MAX_TILE_2D = 64, SIDE = 32, HEAD = 32 };

static __constant__ float g_mask[MAX_MASK * MAX_MASK];

/* A rung's parameter: the results per side of a tile, 2^16 times the mask's size, and the dimensions. */
enum { DIMENSIONS_1d = 0, DIMENSIONS_2d = 1 << 24 };

static inline unsigned tile_of(unsigned parameter)
{
    return parameter & 0xffff;
}

static inline unsigned mask_of(unsigned parameter)
{
    return parameter >> 16 & 0xff;
}

/* The output begins with the count; results start on the next line of memory. */
static inline unsigned long long *count_of(struct call *call)
{
    return call->out;
}

static inline float *results_of(struct call *call)
{
    return (float *)call->out + HEAD;
}

static inline void prepare(struct call *call)
{
    SET_SYMBOL(g_mask, call->in[1], sizeof(g_mask));
    set_bytes(call, call->out, 0, HEAD * sizeof(float));
}

/* basic, in one dimension: every tap inside the array is a load. */
static __global__ void basic_1d(const float *in, float *out, unsigned long long *loads, size_t n, unsigned mask)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    unsigned own = 0;
    for (unsigned k = 0; k < mask; k++) {
        size_t j = i + k - mask / 2;
        if (j < n) {
            sum += in[j] * g_mask[k];
            own++;
        }
    }
    out[i] = sum;
    atomicAdd(loads, own);
}

RUNG(reuse_1d_basic)
{
    prepare(call);
    RUN(basic_1d, blocks_for(call->n, MAX_TILE_1D), MAX_TILE_1D, call->in[0], results_of(call), count_of(call), call->n,
        mask_of(call->parameter));
}

/* tile-N, in one dimension: a block has one thread per result. */
static __global__ void tiled_1d(const float *in, float *out, unsigned long long *loads, size_t n, unsigned mask)
{
    __shared__ float tile[MAX_TILE_1D + MAX_MASK - 1];
    size_t begin = (size_t)blockIdx.x * blockDim.x, i = begin + threadIdx.x;
    unsigned own = 0;
    for (unsigned t = threadIdx.x; t < blockDim.x + mask - 1; t += blockDim.x) {
        size_t j = begin + t - mask / 2;
        tile[t] = 0;
        if (j < n) {
            tile[t] = in[j];
            own++;
        }
    }
    __syncthreads(); /* taps read what other threads loaded */
    float sum = 0;
    for (unsigned k = 0; k < mask; k++)
        sum += tile[threadIdx.x + k] * g_mask[k];
    if (i < n)
        out[i] = sum;
    atomicAdd(loads, own);
}

RUNG(reuse_1d_tiled)
{
    prepare(call);
    RUN(tiled_1d, blocks_for(call->n, tile_of(call->parameter)), tile_of(call->parameter), call->in[0],
        results_of(call), count_of(call), call->n, mask_of(call->parameter));
}

/* basic, in two dimensions. */
static __global__ void basic_2d(const float *in, float *out, unsigned long long *loads, unsigned side, unsigned mask)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side)
        return;
    float sum = 0;
    unsigned own = 0;
    for (unsigned ky = 0; ky < mask; ky++)
        for (unsigned kx = 0; kx < mask; kx++) {
            unsigned from_x = x + kx - mask / 2, from_y = y + ky - mask / 2;
            if (from_x < side && from_y < side) {
                sum += in[(size_t)from_y * side + from_x] * g_mask[ky * mask + kx];
                own++;
            }
        }
    out[(size_t)y * side + x] = sum;
    atomicAdd(loads, own);
}

RUNG(reuse_2d_basic)
{
    prepare(call);
    RUN(basic_2d, tiles_for(call->n, SIDE, SIDE), plane(SIDE, SIDE), call->in[0], results_of(call), count_of(call),
        (unsigned)call->n, mask_of(call->parameter));
}

/*
 * tile-N, in two dimensions: a block has at most 32 x 32 threads, so a tile of 64 gives each thread four results.
 * Shared memory limits the tile: a tile of 64 under a mask of 9 takes 20 KiB of 48.
 */
static __global__ void tiled_2d(const float *in, float *out, unsigned long long *loads, unsigned side, unsigned size,
                                unsigned mask)
{
    __shared__ float tile[MAX_TILE_2D + MAX_MASK - 1][MAX_TILE_2D + MAX_MASK - 1];
    unsigned first_x = blockIdx.x * size, first_y = blockIdx.y * size, own = 0;
    for (unsigned row = threadIdx.y; row < size + mask - 1; row += blockDim.y)
        for (unsigned col = threadIdx.x; col < size + mask - 1; col += blockDim.x) {
            unsigned x = first_x + col - mask / 2, y = first_y + row - mask / 2;
            tile[row][col] = 0;
            if (x < side && y < side) {
                tile[row][col] = in[(size_t)y * side + x];
                own++;
            }
        }
    __syncthreads(); /* taps read what other threads loaded */
    for (unsigned row = threadIdx.y; row < size && first_y + row < side; row += blockDim.y)
        for (unsigned col = threadIdx.x; col < size && first_x + col < side; col += blockDim.x) {
            float sum = 0;
            for (unsigned ky = 0; ky < mask; ky++)
                for (unsigned kx = 0; kx < mask; kx++)
                    sum += tile[row + ky][col + kx] * g_mask[ky * mask + kx];
            out[(size_t)(first_y + row) * side + first_x + col] = sum;
        }
    atomicAdd(loads, own);
}

RUNG(reuse_2d_tiled)
{
    unsigned tile = tile_of(call->parameter), threads = tile < SIDE ? tile : (unsigned)SIDE;
    prepare(call);
    RUN(tiled_2d, tiles_for(call->n, tile, tile), plane(threads, threads), call->in[0], results_of(call),
        count_of(call), (unsigned)call->n, tile, mask_of(call->parameter));
}
