/* SPDX-License-Identifier: MIT */
/*
 * A mask of 5 x 5 over a picture: out(y, x) is the sum of in(y + ky - 2, x + kx - 2) * mask(ky, kx). Pixels outside the
 * picture, the ghost cells, are 0. One comparison finds them: coordinates are unsigned, so a coordinate below 0 wraps
 * to a number greater than the picture's side. A block has 32 x 16 threads: each warp lies along a row.
 */
#include "samples/patterns/kernel.h"

enum { RADIUS = 2, MASK = 2 * RADIUS + 1, COLS = 32, ROWS = 16, EACH = 8 };

static __constant__ float g_mask[MASK * MASK];

/* Runs a kernel that reads the mask from constant memory, in blocks of `cols` x `rows` results. */
static void with_mask(struct call *call, void (*kernel)(const float *in, float *out, unsigned side), size_t cols,
                      size_t rows)
{
    SET_SYMBOL(g_mask, call->in[1], sizeof(g_mask));
    RUN(kernel, tiles_for(call->n, cols, rows), plane(COLS, ROWS), call->in[0], call->out, (unsigned)call->n);
}

static __device__ __forceinline__ float pixel(const float *in, unsigned side, unsigned x, unsigned y)
{
    return x < side && y < side ? in[(size_t)y * side + x] : 0;
}

/*
 * basic: one thread per result. Every tap loads a pixel and a coefficient: 50 loads for 25 multiply-adds. The loads of
 * a warp are neighbours in a row. A pixel that 25 threads need comes from memory about once, since L1 and L2 keep it.
 * Limited by the number of loads that an SM issues.
 */
static __global__ void basic(const float *in, const float *mask, float *out, unsigned side)
{
    unsigned x = blockIdx.x * COLS + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;
    if (x >= side || y >= side)
        return;
    float sum = 0;
    for (unsigned ky = 0; ky < MASK; ky++)
        for (unsigned kx = 0; kx < MASK; kx++) {
            unsigned from_x = x + kx - RADIUS, from_y = y + ky - RADIUS;
            if (from_x < side && from_y < side)
                sum += in[(size_t)from_y * side + from_x] * mask[ky * MASK + kx];
        }
    out[(size_t)y * side + x] = sum;
}

RUNG_IS(convolution_2d_basic, RUN(basic, tiles_for(call->n, COLS, ROWS), plane(COLS, ROWS), call->in[0], call->in[1],
                                  call->out, (unsigned)call->n))

/* constant-mask: the mask lies in constant memory, as in convolution_1d.cu: 25 loads are left. */
static __global__ void constant_mask(const float *in, float *out, unsigned side)
{
    unsigned x = blockIdx.x * COLS + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;
    if (x >= side || y >= side)
        return;
    float sum = 0;
    for (unsigned ky = 0; ky < MASK; ky++)
        for (unsigned kx = 0; kx < MASK; kx++)
            sum += pixel(in, side, x + kx - RADIUS, y + ky - RADIUS) * g_mask[ky * MASK + kx];
    out[(size_t)y * side + x] = sum;
}

RUNG_IS(convolution_2d_constant_mask, with_mask(call, constant_mask, COLS, ROWS))

/*
 * tiled-output: a block loads the input of its 32 x 16 results, 36 x 20 pixels with the halo, into shared memory; some
 * threads load four pixels. That is 1.4 loads from global memory per result instead of 25, and ghost cells become zeros
 * in the tile, so the taps need no test. A warp reads 32 neighbouring words of a row of the tile, one from each bank.
 * Each thread still makes 25 reads, now from shared memory, and they are the limit.
 */
static __global__ void tiled_output(const float *in, float *out, unsigned side)
{
    __shared__ float tile[ROWS + 2 * RADIUS][COLS + 2 * RADIUS];
    unsigned first_x = blockIdx.x * COLS, first_y = blockIdx.y * ROWS;
    for (unsigned row = threadIdx.y; row < ROWS + 2 * RADIUS; row += ROWS)
        for (unsigned col = threadIdx.x; col < COLS + 2 * RADIUS; col += COLS)
            tile[row][col] = pixel(in, side, first_x + col - RADIUS, first_y + row - RADIUS);
    __syncthreads(); /* taps read what other threads loaded */
    unsigned x = first_x + threadIdx.x, y = first_y + threadIdx.y;
    if (x >= side || y >= side)
        return;
    float sum = 0;
    for (unsigned ky = 0; ky < MASK; ky++)
        for (unsigned kx = 0; kx < MASK; kx++)
            sum += tile[threadIdx.y + ky][threadIdx.x + kx] * g_mask[ky * MASK + kx];
    out[(size_t)y * side + x] = sum;
}

RUNG_IS(convolution_2d_tiled_output, with_mask(call, tiled_output, COLS, ROWS))

/*
 * tiled-input: every thread loads one pixel, and the 28 x 12 threads with all neighbours in the tile compute a result.
 * The load is one line of code. The price: a third of the threads only load, namely four lanes of each warp and four
 * warps of a block. Warps start at multiples of 28 pixels, so most of their accesses touch two lines.
 */
static __global__ void tiled_input(const float *in, float *out, unsigned side)
{
    __shared__ float tile[ROWS][COLS];
    unsigned x = blockIdx.x * (COLS - 2 * RADIUS) + threadIdx.x - RADIUS;
    unsigned y = blockIdx.y * (ROWS - 2 * RADIUS) + threadIdx.y - RADIUS;
    tile[threadIdx.y][threadIdx.x] = pixel(in, side, x, y);
    __syncthreads(); /* taps read what other threads loaded */
    if (x >= side || y >= side || threadIdx.x < RADIUS || threadIdx.x >= COLS - RADIUS || threadIdx.y < RADIUS ||
        threadIdx.y >= ROWS - RADIUS)
        return;
    float sum = 0;
    for (unsigned ky = 0; ky < MASK; ky++)
        for (unsigned kx = 0; kx < MASK; kx++)
            sum += tile[threadIdx.y + ky - RADIUS][threadIdx.x + kx - RADIUS] * g_mask[ky * MASK + kx];
    out[(size_t)y * side + x] = sum;
}

RUNG_IS(convolution_2d_tiled_input, with_mask(call, tiled_input, COLS - 2 * RADIUS, ROWS - 2 * RADIUS))

/*
 * odd-width and row-pitch: tiled-output again, on a picture that is one pixel narrower; row y begins at y * pitch. In
 * odd-width the pitch is the width: rows begin at any word of a line, so a warp's load or store of 128 bytes usually
 * touches two lines, in five sectors of 32 bytes instead of four. In row-pitch each row is padded to a multiple of 128
 * bytes, as cudaMallocPitch does, so it begins on a line. To profit from the pitch, a warp first loads the 32 pixels
 * at the positions of its results, aligned, and then four lanes load the halo. The padding of a row is written with
 * zeros, so that every store is a whole line.
 *
 * The gain is small: memory delivers sectors, and the fifth sector of a warp is in the cache for the next warp. A pitch
 * matters more for loads of 16 bytes, which must be aligned in every row. A picture with rows of a multiple of
 * 128 bytes has this pitch already and gains nothing.
 */
static __global__ void with_pitch(const float *in, float *out, unsigned width, unsigned height, unsigned pitch)
{
    __shared__ float tile[ROWS + 2 * RADIUS][COLS + 2 * RADIUS];
    unsigned x = blockIdx.x * COLS + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;
    for (unsigned row = threadIdx.y; row < ROWS + 2 * RADIUS; row += ROWS) {
        unsigned from_y = blockIdx.y * ROWS + row - RADIUS;
        tile[row][RADIUS + threadIdx.x] = x < width && from_y < height ? in[(size_t)from_y * pitch + x] : 0;
        if (threadIdx.x < 2 * RADIUS) {
            unsigned col = threadIdx.x < RADIUS ? threadIdx.x : COLS + threadIdx.x;
            unsigned from_x = blockIdx.x * COLS + col - RADIUS;
            tile[row][col] = from_x < width && from_y < height ? in[(size_t)from_y * pitch + from_x] : 0;
        }
    }
    __syncthreads(); /* taps read what other threads loaded */
    if (x >= pitch || y >= height)
        return;
    float sum = 0;
    for (unsigned ky = 0; ky < MASK; ky++)
        for (unsigned kx = 0; kx < MASK; kx++)
            sum += tile[threadIdx.y + ky][threadIdx.x + kx] * g_mask[ky * MASK + kx];
    out[(size_t)y * pitch + x] = x < width ? sum : 0;
}

/* The picture is one pixel narrower than high; its rows are padded to multiples of `line` pixels. */
static void run_with_pitch(struct call *call, unsigned line)
{
    unsigned height = (unsigned)call->n, width = height > 0 ? height - 1 : 0, pitch = (width + line - 1) / line * line;
    dim3 grid = plane(blocks_for(pitch, COLS), blocks_for(height, ROWS));
    SET_SYMBOL(g_mask, call->in[1], sizeof(g_mask));
    RUN(with_pitch, grid, plane(COLS, ROWS), call->in[0], call->out, width, height, pitch);
}

RUNG_IS(convolution_2d_odd_width, run_with_pitch(call, 1))

RUNG_IS(convolution_2d_row_pitch, run_with_pitch(call, 32))

/*
 * register-tiled: a thread computes 8 results, one below the other, and keeps their sums in registers. It walks down 12
 * rows and loads five pixels of each, which contribute to up to five of the sums. 60 loads for 8 results are 7.5 per
 * result instead of 25, without shared memory and without a barrier: lanes share pixels through L1. The loops have
 * constant bounds and are unrolled, so every sum has a register of its own. Still limited by loads, which L1 serves.
 */
static __global__ void register_tiled(const float *in, float *out, unsigned side)
{
    unsigned x = blockIdx.x * COLS + threadIdx.x, first_y = (blockIdx.y * ROWS + threadIdx.y) * EACH;
    if (x >= side)
        return;
    float sums[EACH] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (unsigned row = 0; row < EACH + 2 * RADIUS; row++) {
        float pixels[MASK];
        for (unsigned kx = 0; kx < MASK; kx++)
            pixels[kx] = pixel(in, side, x + kx - RADIUS, first_y + row - RADIUS);
        for (unsigned o = 0; o < EACH; o++)
            if (row - o < MASK) /* the mask's row for this sum */
                for (unsigned kx = 0; kx < MASK; kx++)
                    sums[o] += pixels[kx] * g_mask[(row - o) * MASK + kx];
    }
    for (unsigned o = 0; o < EACH && first_y + o < side; o++)
        out[(size_t)(first_y + o) * side + x] = sums[o];
}

RUNG_IS(convolution_2d_register_tiled, with_mask(call, register_tiled, COLS, (size_t)ROWS *EACH))
