/* SPDX-License-Identifier: MIT */
/*
 * The sum of an array, from the tree that everyone writes first to a single pass at the speed of memory. A sum takes
 * n - 1 additions in any order, and a tree does them in log2(n) steps. One addition for four bytes is nothing to a GPU,
 * so the bound is the time to read the array once. Each rung removes something that takes longer.
 *
 * No barrier spans a grid: each block leaves one partial sum, and the partial sums must be added, too. The rungs up to
 * registers-only leave this second part to finish(), always with the same kernel, so they differ only in the kernel
 * that reads the array. The later rungs are about the second part, and global-atomic and the rungs for few numbers do
 * without it.
 */
#include "samples/patterns/kernel.h"

enum {
    BLOCK = 256,       /* threads; the trees below rely on it */
    TILE = 16 * BLOCK, /* numbers that a block of fold takes, and the fewest per block of a fixed grid */
    GRID = 1024,       /* blocks of a fixed grid: 4 to 8 for each multiprocessor of a large GPU */
    LARGE = 1024,      /* threads of the largest block */
};

/*
 * recursive: one kernel reduces the whole array. Each block reduces a tile to one number; the kernel then runs on these
 * numbers, and again until one is left. The end of a launch is the barrier between levels: its stores are visible to
 * the next launch. 2^28 numbers take three launches. Results go to new memory, since the block of another tile may
 * still be reading the old one. Each thread adds 16 numbers before the tree, which is the tree of
 * sequential-addressing. Limited by memory, and for few numbers by the launches.
 */
static __global__ void fold(const float *in, float *out, size_t n)
{
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    size_t first = (size_t)blockIdx.x * TILE + t;
    float sum = 0;
    for (unsigned k = 0; k < TILE; k += BLOCK)
        sum += first + k < n ? in[first + k] : 0;
    s[t] = sum;
    __syncthreads();
    for (unsigned step = BLOCK / 2; step > 0; step /= 2) {
        if (t < step)
            s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

/* Sums n numbers to call->out. `room` is scratch memory for partial sums. */
static void fold_all(struct call *call, const float *in, size_t n, float *room)
{
    unsigned blocks;
    while ((blocks = blocks_for(n, TILE)) > 1) {
        RUN(fold, blocks, BLOCK, in, room, n);
        in = room;
        n = blocks;
        room += blocks;
    }
    RUN(fold, 1, BLOCK, in, call->out, n);
}

/* Adds the partial sums of `blocks` blocks at the start of call->temp. */
static void finish(struct call *call, unsigned blocks)
{
    fold_all(call, call->temp, blocks, (float *)call->temp + blocks);
}

/* Runs a kernel that leaves a partial sum for each block, then finish(). */
static void in_two_steps(struct call *call, void (*kernel)(const float *in, float *partials, size_t n), unsigned blocks)
{
    RUN(kernel, blocks, BLOCK, call->in[0], call->temp, call->n);
    finish(call, blocks);
}

RUNG_IS(reduction_recursive, fold_all(call, call->in[0], call->n, call->temp))

/*
 * interleaved-modulo: each thread loads one number, then the block adds neighbours, neighbours of neighbours and so on:
 * step 1, 2, 4, ... The threads that add are 0, 2, 4, ..., then 0, 4, 8, ...: up to step 16 every warp stays busy with
 * fewer and fewer of its threads, and takes as long as if all its threads added. A remainder by a number that is known
 * only at run time costs tens of instructions. Limited by instructions, not by memory.
 */
static __global__ void interleaved_modulo(const float *in, float *partials, size_t n)
{
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        if (t % (2 * step) == 0)
            s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0)
        partials[blockIdx.x] = s[0];
}

RUNG_IS(reduction_interleaved_modulo, in_two_steps(call, interleaved_modulo, blocks_for(call->n, BLOCK)))

/*
 * strided-index: the same additions, by the first threads of the block. Thread k takes the k-th pair, so whole warps
 * add or rest, and the remainder is gone. Now the threads of a warp read words 2 * step apart. Shared memory has 32
 * banks, word w in bank w % 32: a warp uses only 16 banks, then 8, and at steps 4 to 16 eight threads need the same
 * bank and are served one after the other. Limited by these bank conflicts.
 */
static __global__ void strided_index(const float *in, float *partials, size_t n)
{
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
        unsigned k = 2 * step * t;
        if (k < blockDim.x)
            s[k] += s[k + step];
        __syncthreads();
    }
    if (t == 0)
        partials[blockIdx.x] = s[0];
}

RUNG_IS(reduction_strided_index, in_two_steps(call, strided_index, blocks_for(call->n, BLOCK)))

/*
 * sequential-addressing: thread t adds the number at t + step, with steps 128, 64, ..., 1. Neighbouring threads read
 * neighbouring words, each in its own bank, and the first threads of the block still do the additions. The order of the
 * additions has changed, so the operator must commute. Limited by idle threads: half of them only load.
 */
static __global__ void sequential_addressing(const float *in, float *partials, size_t n)
{
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
        if (t < step)
            s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0)
        partials[blockIdx.x] = s[0];
}

RUNG_IS(reduction_sequential_addressing, in_two_steps(call, sequential_addressing, blocks_for(call->n, BLOCK)))

/*
 * first-add-on-load: each thread loads two numbers and does the first addition in a register. Half the blocks do the
 * same work, no thread rests before the second level, and each thread has two loads in flight. Limited by the
 * instructions of the tree: at its end one warp works and seven wait at barriers.
 */
static __global__ void first_add_on_load(const float *in, float *partials, size_t n)
{
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * (2 * BLOCK) + t;
    s[t] = (i < n ? in[i] : 0) + (i + BLOCK < n ? in[i + BLOCK] : 0);
    __syncthreads();
    for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
        if (t < step)
            s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0)
        partials[blockIdx.x] = s[0];
}

RUNG_IS(reduction_first_add_on_load, in_two_steps(call, first_add_on_load, blocks_for(call->n, 2 * BLOCK)))

/*
 * unrolled-last-warp: from 64 numbers on only one warp adds, and a warp needs no barrier of the block. All its lanes
 * add at every step, without a test: lanes 0 to step - 1 have the right sums, and the other lanes' sums are never read
 * again.
 *
 * Old code has no barrier here at all: it declares s volatile and relies on the lanes of a warp running in lockstep.
 * volatile makes each access go to memory but does not order the lanes, and since compute capability 7.0 each lane may
 * run on its own. At step 16 lane 0 reads s[16], which lane 16 writes: if lane 16 comes first, lane 0 also adds s[32].
 * A step is therefore: all lanes read, __syncwarp, all lanes write, __syncwarp, which also makes the writes visible.
 */
static __device__ void last_warp(float *s, unsigned t)
{
    for (unsigned step = 32; step > 0; step /= 2) { /* unrolled, because the bounds are constant */
        float sum = s[t] + s[t + step];
        __syncwarp(~0u); /* all reads of this step are done before any write */
        s[t] = sum;
        __syncwarp(~0u); /* all writes are visible before the reads of the next step */
    }
}

static __global__ void unrolled_last_warp(const float *in, float *partials, size_t n)
{
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * (2 * BLOCK) + t;
    s[t] = (i < n ? in[i] : 0) + (i + BLOCK < n ? in[i + BLOCK] : 0);
    __syncthreads();
    for (unsigned step = blockDim.x / 2; step > 32; step /= 2) {
        if (t < step)
            s[t] += s[t + step];
        __syncthreads();
    }
    if (t < 32)
        last_warp(s, t);
    if (t == 0)
        partials[blockIdx.x] = s[0];
}

RUNG_IS(reduction_unrolled_last_warp, in_two_steps(call, unrolled_last_warp, blocks_for(call->n, 2 * BLOCK)))

/*
 * fully-unrolled: the size of the block is a constant, so no loop is left: no counter, no comparison, and addresses
 * that the compiler computes. In C++ the size would be a template parameter, to serve several sizes. Limited by all
 * that a block does besides loading: it starts, loads two numbers per thread, passes three barriers and ends.
 */
static __device__ void tree(float *s, unsigned t)
{
    if (t < 128)
        s[t] += s[t + 128];
    __syncthreads();
    if (t < 64)
        s[t] += s[t + 64];
    __syncthreads();
    if (t < 32)
        last_warp(s, t);
}

static __global__ void fully_unrolled(const float *in, float *partials, size_t n)
{
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * (2 * BLOCK) + t;
    s[t] = (i < n ? in[i] : 0) + (i + BLOCK < n ? in[i + BLOCK] : 0);
    __syncthreads();
    tree(s, t);
    if (t == 0)
        partials[blockIdx.x] = s[0];
}

RUNG_IS(reduction_fully_unrolled, in_two_steps(call, fully_unrolled, blocks_for(call->n, 2 * BLOCK)))

/* The blocks of the rungs below: about as many as fill a large GPU, but fewer where a thread would have less than 16
 * numbers. */
static unsigned fixed_grid(size_t n)
{
    return blocks_up_to(GRID, n, TILE);
}

/*
 * grid-stride: the grid no longer grows with n. A thread adds numbers that are the width of the grid apart, in a
 * register, and the tree runs only once at the end, so its cost no longer matters: at 2^28 numbers a thread adds 1024.
 * A thread issues four loads before it adds the first number: with one load in flight per thread, the multiprocessor
 * would mostly wait for memory. The grid has as many blocks as the GPU holds at once, which the runtime computes from
 * the kernel's registers and shared memory (its occupancy); a program asks once. Blocks beyond them would start when
 * others end, with fewer numbers for each. The rungs below take a thousand, which is about as many on a large GPU.
 * Limited by the number of loads, of four bytes each.
 */
static __device__ float strided_sum(const float *in, size_t n)
{
    float sum = 0;
    for (size_t i = (size_t)blockIdx.x * (4 * BLOCK) + threadIdx.x; i < n; i += (size_t)gridDim.x * (4 * BLOCK))
        for (unsigned k = 0; k < 4 * BLOCK; k += BLOCK) /* unrolled: always four rounds */
            sum += i + k < n ? in[i + k] : 0;
    return sum;
}

static __global__ void grid_stride(const float *in, float *partials, size_t n)
{
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    s[t] = strided_sum(in, n);
    __syncthreads();
    tree(s, t);
    if (t == 0)
        partials[blockIdx.x] = s[0];
}

RUNG_IS(reduction_grid_stride,
        in_two_steps(call, grid_stride, blocks_up_to(RESIDENT_BLOCKS(grid_stride, BLOCK), call->n, TILE)))

/*
 * warp-shuffles: the last warp exchanges registers. A shuffle reads another lane's register and waits for all lanes of
 * its mask: one instruction instead of a store, a load and two barriers of the warp. It saves the tail of the tree,
 * which is little once the tree runs once per block. Limited like grid-stride.
 */
static __device__ float warp_sum(float v)
{
    for (unsigned step = 16; step > 0; step /= 2)
        v += __shfl_down_sync(~0u, v, step);
    return v; /* in lane 0 */
}

static __global__ void warp_shuffles(const float *in, float *partials, size_t n)
{
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    s[t] = strided_sum(in, n);
    __syncthreads();
    if (t < 128)
        s[t] += s[t + 128];
    __syncthreads();
    if (t < 64)
        s[t] += s[t + 64];
    __syncthreads();
    if (t < 32) {
        float sum = warp_sum(s[t] + s[t + 32]);
        if (t == 0)
            partials[blockIdx.x] = sum;
    }
}

RUNG_IS(reduction_warp_shuffles, in_two_steps(call, warp_shuffles, fixed_grid(call->n)))

/*
 * registers-only: a load takes 16 bytes instead of four, a quarter of the instructions for the same bytes, and a thread
 * issues two loads at once. The loaded numbers go to four independent sums. Every warp then reduces itself by shuffles.
 * Shared memory holds one word for each warp, 32 at most, and one barrier is left. Limited by memory.
 */
static __device__ float thread_sum(const float *in, size_t n)
{
    const float4 *fours = (const float4 *)in; /* allocators align memory for float4 */
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, threads = (size_t)gridDim.x * blockDim.x;
    float a = 0, b = 0, c = 0, d = 0;
    if (i < n % 4)
        a = in[n - 1 - i];
    for (; i < n / 4; i += 2 * threads) {
        float4 v = fours[i], w = {0, 0, 0, 0};
        if (i + threads < n / 4)
            w = fours[i + threads];
        a += v.x + w.x;
        b += v.y + w.y;
        c += v.z + w.z;
        d += v.w + w.w;
    }
    return (a + b) + (c + d);
}

static __device__ float block_sum(float v)
{
    __shared__ float s[32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    v = warp_sum(v);
    if (lane == 0)
        s[warp] = v;
    __syncthreads();
    if (warp == 0)
        v = warp_sum(lane < blockDim.x / 32 ? s[lane] : 0);
    return v; /* in thread 0 */
}

static __global__ void registers_only(const float *in, float *partials, size_t n)
{
    float sum = block_sum(thread_sum(in, n));
    if (threadIdx.x == 0)
        partials[blockIdx.x] = sum;
}

RUNG_IS(reduction_registers_only, in_two_steps(call, registers_only, fixed_grid(call->n)))

/*
 * two-kernels: the same kernel again, with one block, for the partial sums of the first launch; a thread adds at most
 * four of them. Two launches at every size, and the second cannot start before the last block of the first has ended.
 */
RUNG(reduction_two_kernels)
{
    unsigned blocks = fixed_grid(call->n);
    RUN(registers_only, blocks, BLOCK, call->in[0], call->temp, call->n);
    RUN(registers_only, 1, BLOCK, call->temp, call->out, blocks);
}

/*
 * last-block: one launch. Each block counts itself when its partial sum is written. The block that counts last adds all
 * partial sums. It waits for no other block, so neither the order of the blocks nor the number that fit at once
 * matters.
 *
 * Two fences order what the last block reads: last-block-guard in blocks.cu says why it sees every partial sum.
 * atomicInc sets the counter back to 0 at the last block, for the next launch. This rung saves a launch; the rest is
 * the same.
 */
static __device__ unsigned g_blocks_done;

static __global__ void last_block(const float *in, float *partials, float *out, size_t n)
{
    __shared__ bool is_last;
    float sum = block_sum(thread_sum(in, n));
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicInc(&g_blocks_done, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads(); /* is_last is written, and warp 0 has read the words of block_sum, which is called again below */
    if (!is_last)
        return;
    sum = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += BLOCK)
        sum += partials[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        *out = sum;
}

RUNG_IS(reduction_last_block, RUN(last_block, fixed_grid(call->n), BLOCK, call->in[0], call->temp, call->out, call->n))

/*
 * host-finish: the host adds the partial sums. The second kernel is gone, but a copy must wait for the first, and the
 * GPU is idle until the host returns. This is the right choice only where the host needs the sum anyway; here it copies
 * the sum back to where the other rungs leave it. Limited by the latency of two copies.
 */
RUNG(reduction_host_finish)
{
    float partials[GRID], sum = 0;
    unsigned blocks = fixed_grid(call->n);
    RUN(registers_only, blocks, BLOCK, call->in[0], call->temp, call->n);
    copy_to_host(call, partials, call->temp, blocks * sizeof(*partials));
    for (unsigned i = 0; i < blocks; i++)
        sum += partials[i];
    copy_from_host(call, call->out, &sum, sizeof(sum));
}

/*
 * global-atomic: each block adds its sum to the result by itself. Additions to one address are serialized in the L2
 * cache; a thousand of them, spread over the time in which blocks end, hide behind the loads. Their order differs from
 * run to run, so where additions round, each run may give another sum. The numbers of this ladder are small integers,
 * so every order is exact. The result must be 0 before the launch, and the operator must have an atomic.
 */
static __global__ void global_atomic(const float *in, float *out, size_t n)
{
    float sum = block_sum(thread_sum(in, n));
    if (threadIdx.x == 0)
        atomicAdd(out, sum);
}

RUNG(reduction_global_atomic)
{
    set_bytes(call, call->out, 0, sizeof(float));
    RUN(global_atomic, fixed_grid(call->n), BLOCK, call->in[0], call->out, call->n);
}

/*
 * padded-single-warp: up to 64 numbers, one warp. Missing numbers are padded with 0, which changes no sum, so no step
 * tests whether a number exists or whether a lane has work: idle lanes add numbers that are never read. More additions
 * than needed, but fewer instructions. Limited by the latency of six dependent steps.
 */
static __global__ void padded_single_warp(const float *in, float *out, size_t n)
{
    __shared__ float s[64];
    unsigned t = threadIdx.x;
    s[t] = t < n ? in[t] : 0;
    s[t + 32] = t + 32 < n ? in[t + 32] : 0;
    last_warp(s, t); /* no barrier before it: its first step reads what the lane itself wrote */
    if (t == 0)
        *out = s[0];
}

RUNG_IS(reduction_padded_single_warp, RUN(padded_single_warp, 1, 32, call->in[0], call->out, call->n))

/*
 * warps-in-block: one block of 32 warps. Each warp reduces what it has read; the first warp then reduces the 32 sums,
 * one per lane. One launch, no scratch memory, one barrier, and the whole sum in one place: the right choice for a few
 * thousand numbers. Limited by one multiprocessor, which cannot keep enough loads in flight to saturate the memory of a
 * GPU.
 */
static __global__ void warps_in_block(const float *in, float *out, size_t n)
{
    __shared__ float s[LARGE / 32];
    unsigned t = threadIdx.x;
    float sum = 0;
    for (size_t i = t; i < n; i += LARGE)
        sum += in[i];
    sum = warp_sum(sum);
    if (t % 32 == 0)
        s[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        sum = warp_sum(s[t]);
        if (t == 0)
            *out = sum;
    }
}

RUNG_IS(reduction_warps_in_block, RUN(warps_in_block, 1, LARGE, call->in[0], call->out, call->n))
