/* SPDX-License-Identifier: MIT */
/*
 * Prefix sums: out[i] = in[0] + ... + in[i], or without in[i] (exclusive). First for one block of 512 elements, where
 * rungs differ in additions, steps and barriers; then for any length, where they differ in passes over memory. The
 * minimum traffic is one read and one write per element.
 */
#include "samples/patterns/kernel.h"

enum { BLOCK = 512, HALF = BLOCK / 2, WARPS = BLOCK / 32 };

/*
 * one-thread-per-output: every thread adds up its whole prefix. No thread waits for another, but all prefixes together
 * hold n (n + 1) / 2 elements. A warp reads one address at a time, which is broadcast to all lanes, and other warps
 * find it in the cache. Limited by this work; the last thread alone takes as many steps as the host's loop.
 */
static __global__ void sum_own_prefix(const float *in, float *out, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    if (i >= n)
        return;
    for (size_t k = 0; k <= i; k++)
        sum += in[k];
    out[i] = sum;
}

RUNG_IS(scan_one_thread_per_output,
        RUN(sum_own_prefix, blocks_for(call->n, BLOCK), BLOCK, call->in[0], call->out, call->n))

/*
 * kogge-stone: threads share partial sums. Before the step of distance d, s[t] holds the sum of the d elements that end
 * at t; adding s[t - d] doubles their number. log2 512 = 9 steps suffice, with N log2 N - (N - 1) additions. The scan
 * works in place and needs two barriers per step: after the first, all writes of the last step are visible; at the
 * second, all threads have read before any of them overwrites. Limited by the latency of 18 barriers.
 */
static __global__ void kogge_stone(const float *in, float *out, size_t n)
{
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    s[t] = t < n ? in[t] : 0;
    for (unsigned d = 1; d < BLOCK; d *= 2) {
        __syncthreads();
        float left = t >= d ? s[t - d] : 0;
        __syncthreads();
        if (t >= d)
            s[t] += left;
    }
    if (t < n)
        out[t] = s[t];
}

RUNG_IS(scan_kogge_stone, RUN(kogge_stone, 1, BLOCK, call->in[0], call->out, call->n))

/*
 * kogge-stone-double-buffer: a step reads one array and writes the other, so it overwrites nothing that another thread
 * still reads in this step. The one barrier left covers both directions: after it, all writes of the last step are
 * visible, and all its reads, from the array that this step writes, are done. Twice the shared memory for half the
 * barriers. The kernel works on any number of blocks, each on its own, and writes their totals, which a later rung
 * uses.
 */
static __global__ void kogge_stone_double_buffer(const float *in, float *out, float *totals, size_t n)
{
    __shared__ float s[2][BLOCK];
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    unsigned t = threadIdx.x, from = 0;
    s[0][t] = i < n ? in[i] : 0;
    for (unsigned d = 1; d < BLOCK; d *= 2) {
        __syncthreads();
        s[1 - from][t] = t >= d ? s[from][t - d] + s[from][t] : s[from][t];
        from = 1 - from;
    }
    if (i < n)
        out[i] = s[from][t]; /* written by this thread itself */
    if (t == BLOCK - 1)
        totals[blockIdx.x] = s[from][t];
}

RUNG_IS(scan_kogge_stone_double_buffer,
        RUN(kogge_stone_double_buffer, 1, BLOCK, call->in[0], call->out, call->temp, call->n))

/* The prefix sums of a warp's values. A shuffle reads all lanes before any of them goes on, so it needs neither a
 * barrier nor memory. */
static __device__ float scan_warp(float x)
{
    unsigned lane = threadIdx.x % 32;
    for (unsigned d = 1; d < 32; d *= 2) {
        float left = __shfl_up_sync(~0u, x, d);
        if (lane >= d)
            x += left;
    }
    return x;
}

/*
 * warp-shuffles: Kogge-Stone within each warp, from register to register, then on the totals of the 16 warps, then one
 * addition of the total before the warp. Two barriers are left: one before the totals are read, one before their prefix
 * sums are read. While warp 0 scans the totals, the other warps are idle.
 */
static __global__ void scan_by_warps(const float *in, float *out, size_t n)
{
    __shared__ float totals[WARPS];
    unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
    float x = scan_warp(t < n ? in[t] : 0);
    if (lane == 31)
        totals[warp] = x;
    __syncthreads();
    if (warp == 0) {
        float total = scan_warp(lane < WARPS ? totals[lane] : 0);
        if (lane < WARPS)
            totals[lane] = total;
    }
    __syncthreads();
    if (warp > 0)
        x += totals[warp - 1];
    if (t < n)
        out[t] = x;
}

RUNG_IS(scan_warp_shuffles, RUN(scan_by_warps, 1, BLOCK, call->in[0], call->out, call->n))

/*
 * brent-kung: fewer additions, more steps. On the way up, pairs become sums of 2, of 4, ... of 512 elements, each at
 * the place of its last element. On the way down, each finished prefix sum at k completes the half-finished one at
 * k + d. 2 (N - 1) - log2 N additions, a quarter of Kogge-Stone's here, in 2 log2 N - 1 steps. One barrier per step
 * suffices: apart from the element that a thread updates itself, a step writes no place that it also reads. Half the
 * threads suffice; thread t takes the t-th pair, so the working threads fill the first warps. Limited by the steps of
 * few threads, and by bank conflicts: places are 2 d words apart, which makes conflicts of up to 16 ways.
 */
static __global__ void brent_kung(const float *in, float *out, float *totals, size_t n)
{
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + t;
    s[t] = i < n ? in[i] : 0;
    s[t + HALF] = i + HALF < n ? in[i + HALF] : 0;
    for (unsigned d = 1; d < BLOCK; d *= 2) {
        unsigned k = 2 * d * (t + 1) - 1;
        __syncthreads();
        if (k < BLOCK)
            s[k] += s[k - d];
    }
    for (unsigned d = BLOCK / 4; d > 0; d /= 2) {
        unsigned k = 2 * d * (t + 1) - 1;
        __syncthreads();
        if (k + d < BLOCK)
            s[k + d] += s[k];
    }
    __syncthreads(); /* other threads wrote most of t and t + HALF */
    if (i < n)
        out[i] = s[t];
    if (i + HALF < n)
        out[i + HALF] = s[t + HALF];
    if (t == 0)
        totals[blockIdx.x] = s[BLOCK - 1];
}

RUNG_IS(scan_brent_kung, RUN(brent_kung, 1, HALF, call->in[0], call->out, call->temp, call->n))

/*
 * exclusive-by-shifted-load: an exclusive scan is the inclusive scan of the elements shifted right by one, with a zero
 * in front. Only the load differs. Subtracting in[i] from the inclusive sums would not do: it keeps their rounding
 * errors, and an operator like the maximum cannot be undone at all.
 */
static __global__ void exclusive(const float *in, float *out, size_t n)
{
    __shared__ float s[2][BLOCK];
    unsigned t = threadIdx.x, from = 0;
    s[0][t] = t > 0 && t < n ? in[t - 1] : 0;
    for (unsigned d = 1; d < BLOCK; d *= 2) {
        __syncthreads();
        s[1 - from][t] = t >= d ? s[from][t - d] + s[from][t] : s[from][t];
        from = 1 - from;
    }
    if (t < n)
        out[t] = s[from][t];
}

RUNG_IS(scan_exclusive_by_shifted_load, RUN(exclusive, 1, BLOCK, call->in[0], call->out, call->n))

/* A kernel that scans blocks of elements, each on its own, and writes their totals. in and out may be the same. */
typedef void (*block_scan)(const float *in, float *out, float *totals, size_t n);

/* Adds to each block the total of all blocks before it; `sums` are the prefix sums of the blocks' totals. */
static __global__ void add_sums(float *out, const float *sums, size_t n, unsigned each)
{
    size_t begin = (size_t)blockIdx.x * each;
    if (blockIdx.x == 0)
        return;
    for (unsigned k = threadIdx.x; k < each && begin + k < n; k += blockDim.x)
        out[begin + k] += sums[blockIdx.x - 1];
}

/*
 * Scans blocks, then the blocks' totals, then adds the totals to the blocks. Only the end of a launch is a barrier
 * between all blocks, hence three kernels. Totals that fill more than a block are scanned recursively: 2^28 elements
 * have 2^19 totals, which have 2^10 totals, which have 2.
 */
static void in_three_kernels(struct call *call, block_scan scan, unsigned each, unsigned threads, const float *in,
                             float *out, float *totals, size_t n)
{
    unsigned blocks = blocks_for(n, each);
    RUN(scan, blocks, threads, in, out, totals, n);
    if (blocks == 1)
        return;
    in_three_kernels(call, scan, each, threads, totals, totals, totals + blocks, blocks);
    RUN(add_sums, blocks, threads, out, totals, n, each);
}

/*
 * three-kernel-kogge-stone: any length, by the kernel of kogge-stone-double-buffer. Every element is read and written
 * twice, so the rate is half of a copy's at best. Below that, limited by barriers: with one element per thread, a block
 * waits for its slowest warp nine times.
 */
RUNG_IS(scan_three_kernel_kogge_stone,
        in_three_kernels(call, kogge_stone_double_buffer, BLOCK, BLOCK, call->in[0], call->out, call->temp, call->n))

/*
 * three-kernel-brent-kung: any length, by the kernel of brent-kung. A quarter of the additions and half the threads,
 * but twice the barriers, and bank conflicts: additions are not the bottleneck of a scan on a GPU.
 */
RUNG_IS(scan_three_kernel_brent_kung,
        in_three_kernels(call, brent_kung, BLOCK, HALF, call->in[0], call->out, call->temp, call->n))

/*
 * From here on a block takes a tile: 15 consecutive elements, a row, for each of 256 threads. The tile passes through
 * shared memory: the block's accesses to global memory are coalesced, and each thread walks along its own row. 15 is
 * odd, so lanes at a distance of 15 words use 32 different banks.
 */
enum { THREADS = 256, ROW = 15, TILE = THREADS * ROW };

static __device__ void load_tile(const float *in, size_t n, size_t begin, float *s)
{
    for (unsigned k = threadIdx.x; k < TILE; k += THREADS)
        s[k] = begin + k < n ? in[begin + k] : 0;
    __syncthreads(); /* other threads loaded this thread's row */
}

static __device__ void store_tile(const float *s, float *out, size_t n, size_t begin)
{
    __syncthreads(); /* other threads finished the rows that this thread stores */
    for (unsigned k = threadIdx.x; k < TILE && begin + k < n; k += THREADS)
        out[begin + k] = s[k];
}

static __device__ float sum_row(const float *s)
{
    float sum = 0;
    for (unsigned k = 0; k < ROW; k++)
        sum += s[threadIdx.x * ROW + k];
    return sum;
}

/* Turns the row into prefix sums. */
static __device__ void scan_row(float *s, float before)
{
    for (unsigned k = 0; k < ROW; k++) {
        before += s[threadIdx.x * ROW + k];
        s[threadIdx.x * ROW + k] = before;
    }
}

/* Returns the sum of x over the threads before this one, and in *ret_total over all. Call it once per block: `totals`
 * is written once. */
static __device__ float sum_before(float x, float *ret_total)
{
    __shared__ float totals[THREADS / 32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float upto = scan_warp(x), in_warp = __shfl_up_sync(~0u, upto, 1), before = 0, total = 0;
    if (lane == 31)
        totals[warp] = upto;
    __syncthreads();
    for (unsigned w = 0; w < THREADS / 32; w++) {
        before = w == warp ? total : before;
        total += totals[w];
    }
    *ret_total = total;
    return lane > 0 ? before + in_warp : before;
}

/*
 * three-kernel-rows: each thread adds up its row, the sums of the rows are scanned, and each thread scans its row from
 * there. About two additions per element, as few as Brent-Kung's, with three barriers per tile of 3840 elements.
 * Limited by memory, which all data still passes twice, and by the phases of a tile.
 */
static __global__ void scan_tiles(const float *in, float *out, float *totals, size_t n)
{
    __shared__ float s[TILE];
    size_t begin = (size_t)blockIdx.x * TILE;
    float total;
    load_tile(in, n, begin, s);
    float before = sum_before(sum_row(s), &total);
    scan_row(s, before);
    store_tile(s, out, n, begin);
    if (threadIdx.x == 0)
        totals[blockIdx.x] = total;
}

RUNG_IS(scan_three_kernel_rows,
        in_three_kernels(call, scan_tiles, TILE, THREADS, call->in[0], call->out, call->temp, call->n))

/*
 * single-pass: one kernel, and every element is read once and written once. The block of a tile waits until the block
 * of the previous tile has published its inclusive prefix.
 *
 * Why it ends: blocks may start in any order, so the tile of a block is not blockIdx but a ticket. A block waits only
 * for blocks with earlier tickets, which are therefore running; the first block waits for none.
 *
 * Why a block reads the right prefix: the prefix is written before the fence, and the flag after it. A thread that has
 * seen the flag and then fences sees the prefix. volatile makes each iteration read memory again. It is the old form:
 * C++ promises nothing about it between threads, although nvcc makes a relaxed access in the scope of the whole system
 * of it. The daemon's kernels say what they need, a relaxed access in the scope of the device: st.relaxed.gpu and
 * ld.relaxed.gpu, in C++ cuda::atomic_ref.
 *
 * Limited by this chain: each of 69906 tiles adds a write, a fence and a read through the L2 cache, one after the
 * other, however fast memory is meanwhile.
 */
static __global__ void scan_in_turn(const float *in, float *out, unsigned *next, volatile unsigned *ready,
                                    volatile float *prefixes, size_t n)
{
    __shared__ float s[TILE];
    __shared__ unsigned ticket;
    __shared__ float before_tile;
    float total;
    if (threadIdx.x == 0)
        ticket = atomicAdd(next, 1u);
    __syncthreads();
    unsigned tile = ticket;
    load_tile(in, n, (size_t)tile * TILE, s);
    float before = sum_before(sum_row(s), &total);
    if (threadIdx.x == 0) {
        before_tile = 0;
        if (tile > 0) {
            while (ready[tile - 1] == 0) {
            }
            __threadfence();
            before_tile = prefixes[tile - 1];
        }
        prefixes[tile] = before_tile + total;
        __threadfence();
        ready[tile] = 1;
    }
    __syncthreads(); /* before_tile is written */
    scan_row(s, before_tile + before);
    store_tile(s, out, n, (size_t)tile * TILE);
}

RUNG(scan_single_pass)
{
    unsigned tiles = blocks_for(call->n, TILE), *next = call->temp, *ready = next + 1;
    set_bytes(call, next, 0, (1 + (size_t)tiles) * sizeof(*next));
    RUN(scan_in_turn, tiles, THREADS, call->in[0], call->out, next, ready, (float *)(ready + tiles), call->n);
}

/* What is known of a tile: nothing, its own total, or the sum of all elements up to its end. State and number are one
 * word of 64 bits, written at once: a thread that sees the state has the number, so no fence is needed. */
enum { NOTHING, TOTAL, PREFIX };

static __device__ unsigned long long word_of(unsigned state, float x)
{
    return (unsigned long long)state << 32 | __float_as_uint(x);
}

static __device__ unsigned state_of(unsigned long long word)
{
    return (unsigned)(word >> 32);
}

static __device__ float number_of(unsigned long long word)
{
    return __uint_as_float((unsigned)word);
}

/*
 * single-pass-look-back: the decoupled look-back. A block publishes its tile's total as soon as it has it. Then it
 * walks back over the previous tiles, adds up their totals, and stops at the first prefix. Totals depend on no other
 * tile, so the chain is gone; the walk ends because of the tickets, as before. Limited by the walk: one thread reads
 * one word at a time, each a round trip to the L2 cache, while about a thousand tiles are in flight.
 */
static __global__ void scan_with_look_back(const float *in, float *out, unsigned *next,
                                           volatile unsigned long long *words, size_t n)
{
    __shared__ float s[TILE];
    __shared__ unsigned ticket;
    __shared__ float before_tile;
    float total;
    if (threadIdx.x == 0)
        ticket = atomicAdd(next, 1u);
    __syncthreads();
    unsigned tile = ticket;
    load_tile(in, n, (size_t)tile * TILE, s);
    float before = sum_before(sum_row(s), &total);
    if (threadIdx.x == 0) {
        float sum = 0;
        words[tile] = word_of(TOTAL, total);
        for (unsigned k = tile; k > 0; k--) {
            unsigned long long word = words[k - 1];
            while (state_of(word) == NOTHING)
                word = words[k - 1];
            sum = number_of(word) + sum;
            if (state_of(word) == PREFIX)
                break;
        }
        words[tile] = word_of(PREFIX, sum + total);
        before_tile = sum;
    }
    __syncthreads(); /* before_tile is written */
    scan_row(s, before_tile + before);
    store_tile(s, out, n, (size_t)tile * TILE);
}

/* Launches a kernel with a ticket counter of 0 and all tiles' words set to NOTHING. */
static void look_back(struct call *call, void (*scan)(const float *in, float *out, unsigned *next,
                                                      volatile unsigned long long *words, size_t n))
{
    unsigned tiles = blocks_for(call->n, TILE);
    unsigned long long *words = call->temp;
    set_bytes(call, words, 0, (1 + (size_t)tiles) * sizeof(*words));
    RUN(scan, tiles, THREADS, call->in[0], call->out, (unsigned *)words, words + 1, call->n);
}

RUNG_IS(scan_single_pass_look_back, look_back(call, scan_with_look_back))

/*
 * single-pass-warp-look-back: a whole warp looks back, at 32 tiles at a time. Lane 0 has the nearest tile. The warp
 * adds the tiles up to and including the nearest prefix; without a prefix it goes on with the 32 tiles before. A prefix
 * of 0 stands before tile 0. Limited by the phases of a tile, which follow each other; the daemon's kernel loads the
 * next tile meanwhile.
 */
static __global__ void scan_with_warp_look_back(const float *in, float *out, unsigned *next,
                                                volatile unsigned long long *words, size_t n)
{
    __shared__ float s[TILE];
    __shared__ unsigned ticket;
    __shared__ float before_tile;
    unsigned lane = threadIdx.x % 32;
    float total;
    if (threadIdx.x == 0)
        ticket = atomicAdd(next, 1u);
    __syncthreads();
    unsigned tile = ticket;
    load_tile(in, n, (size_t)tile * TILE, s);
    float before = sum_before(sum_row(s), &total);
    if (threadIdx.x == 0)
        words[tile] = word_of(TOTAL, total);
    if (threadIdx.x < 32) {
        unsigned prefixes = 0, end = tile; /* end: the tiles before it are not yet added */
        float sum = 0;
        while (prefixes == 0) {
            unsigned long long word = word_of(PREFIX, 0);
            do {
                if (lane < end)
                    word = words[end - 1 - lane];
            } while (__any_sync(~0u, state_of(word) == NOTHING));
            prefixes = __ballot_sync(~0u, state_of(word) == PREFIX);
            bool counts = prefixes == 0 || lane < (unsigned)__ffs((int)prefixes); /* __ffs counts lanes from 1 */
            float x = counts ? number_of(word) : 0;
            for (unsigned d = 16; d > 0; d /= 2)
                x += __shfl_xor_sync(~0u, x, d);
            sum = x + sum;
            end -= end < 32 ? end : 32;
        }
        if (lane == 0) {
            words[tile] = word_of(PREFIX, sum + total);
            before_tile = sum;
        }
    }
    __syncthreads(); /* before_tile is written */
    scan_row(s, before_tile + before);
    store_tile(s, out, n, (size_t)tile * TILE);
}

RUNG_IS(scan_single_pass_warp_look_back, look_back(call, scan_with_warp_look_back))
