/* SPDX-License-Identifier: MIT */
/*
 * What scans are for. Wherever the place or the value of an element depends on all elements before it, a scan turns the
 * loop of one thread into steps of many. All rungs use the same scan: blocks of 256 elements, their totals, and the
 * join, in three kernels. It is inclusive; a rung that needs an exclusive scan reads the sum of the element before. The
 * ladder `scan` has faster ones.
 */
#include "samples/patterns/kernel.h"

enum { BLOCK = 256, WARPS = BLOCK / 32 };
enum { SUM, PRODUCT };

/* The operator of a scan, which may be any associative one. Unsigned numbers wrap around at 2^32, which keeps sums and
 * products associative. */
static __device__ unsigned join(unsigned op, unsigned left, unsigned right)
{
    return op == SUM ? left + right : left * right;
}

/* Scans each block on its own: warps by shuffles, then joins the totals of the warps before. in and out may be the
 * same. */
static __global__ void scan_blocks(const unsigned *in, unsigned *out, unsigned *totals, size_t n, unsigned op)
{
    __shared__ unsigned of_warp[WARPS];
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned x = i < n ? in[i] : op == SUM ? 0 : 1;
    for (unsigned d = 1; d < 32; d *= 2) {
        unsigned left = __shfl_up_sync(~0u, x, d);
        if (lane >= d)
            x = join(op, left, x);
    }
    if (lane == 31)
        of_warp[warp] = x;
    __syncthreads();
    for (unsigned w = warp; w > 0; w--)
        x = join(op, of_warp[w - 1], x);
    if (i < n)
        out[i] = x;
    if (threadIdx.x == BLOCK - 1)
        totals[blockIdx.x] = x;
}

static __global__ void join_blocks(unsigned *out, const unsigned *totals, size_t n, unsigned op)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (blockIdx.x > 0 && i < n)
        out[i] = join(op, totals[blockIdx.x - 1], out[i]);
}

static void scan(struct call *call, const unsigned *in, unsigned *out, unsigned *totals, size_t n, unsigned op)
{
    unsigned blocks = blocks_for(n, BLOCK);
    RUN(scan_blocks, blocks, BLOCK, in, out, totals, n, op);
    if (blocks == 1)
        return;
    scan(call, totals, totals, totals + blocks, blocks, op);
    RUN(join_blocks, blocks, BLOCK, out, totals, n, op);
}

/* The place where element i begins, given the inclusive scan of the elements' sizes, which is where elements end. */
static __device__ unsigned start_of(const unsigned *ends, size_t i)
{
    return i > 0 ? ends[i - 1] : 0;
}

/*
 * cut-the-sandwich: each guest asks for a length, and the prefix sums say where to cut. All cuts can then be made at
 * once. The scan is the whole computation.
 */
RUNG_IS(scan_uses_cut_the_sandwich, scan(call, call->in[0], call->out, call->temp, call->n, SUM))

/*
 * compaction: keep the positive elements, in order. A flag marks each kept element; the exclusive scan of the flags
 * counts the kept elements before it, which is its place. A counter with atomicAdd would hand out places, too, but in
 * the order in which threads arrive. The kept elements of a warp are written side by side. Limited by memory: flags are
 * written, then read and written twice by the scan, and read once more; the daemon's kernel makes one pass of it.
 */
static __global__ void flag_positive(const int *in, unsigned *flags, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        flags[i] = in[i] > 0;
}

static __global__ void keep_positive(const int *in, const unsigned *ends, int *out, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n && in[i] > 0)
        out[start_of(ends, i)] = in[i];
}

RUNG(scan_uses_compaction)
{
    unsigned blocks = blocks_for(call->n, BLOCK), *flags = call->temp;
    const int *in = call->in[0];
    RUN(flag_positive, blocks, BLOCK, in, flags, call->n);
    scan(call, flags, flags, flags + call->n, call->n, SUM);
    set_bytes(call, call->out, 0, call->n * sizeof(int));
    RUN(keep_positive, blocks, BLOCK, in, flags, call->out, call->n);
}

/*
 * slots: every item asks for 0 to 4 consecutive slots of one buffer; the exclusive scan gives its first slot. Each item
 * then writes its number, counted from 1, into its slots, and no two items write to the same slot. The threads of a
 * warp run as many rounds as the item with the most slots.
 */
static __global__ void fill_slots(const unsigned *asked, const unsigned *ends, unsigned *out, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    unsigned start = start_of(ends, i);
    for (unsigned k = 0; k < asked[i]; k++)
        out[start + k] = (unsigned)i + 1;
}

RUNG(scan_uses_slots)
{
    const unsigned *asked = call->in[0];
    unsigned *ends = call->temp, *out = call->out;
    scan(call, asked, ends, ends + call->n, call->n, SUM);
    set_bytes(call, out, 0, 4 * call->n * sizeof(unsigned));
    RUN(fill_slots, blocks_for(call->n, BLOCK), BLOCK, asked, ends, out, call->n);
}

/*
 * polynomial: c[0] + c[1] x + c[2] x^2 + ... The powers of x are the scan of x, x, x, ... with products; what is left
 * is a sum of independent terms, a reduction. It takes more multiplications than Horner's scheme on the host, but
 * Horner's scheme is a chain of n steps. Limited by memory for the powers, which are written, then read and written
 * twice by the scan, and read once more.
 */
static __global__ void set_all(unsigned *out, size_t n, unsigned x)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = x;
}

static __global__ void sum_terms(const unsigned *c, const unsigned *powers, unsigned *out, size_t n)
{
    __shared__ unsigned of_warp[WARPS];
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    unsigned term = i < n ? c[i] * (i > 0 ? powers[i - 1] : 1) : 0;
    for (unsigned d = 16; d > 0; d /= 2)
        term += __shfl_down_sync(~0u, term, d);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = term;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned w = 1; w < WARPS; w++)
            term += of_warp[w];
        atomicAdd(out, term);
    }
}

RUNG(scan_uses_polynomial)
{
    unsigned blocks = blocks_for(call->n, BLOCK), *powers = call->temp, *out = call->out;
    RUN(set_all, blocks, BLOCK, powers, call->n, 3);
    scan(call, powers, powers, powers + call->n, call->n, PRODUCT);
    set_bytes(call, out, 0, sizeof(unsigned));
    RUN(sum_terms, blocks, BLOCK, call->in[1], powers, out, call->n);
}

/*
 * recurrence: x[i] = a[i] x[i-1] + b[i], from x[-1] = 0. Each step is a function x -> a x + b, and the composition of
 * two steps has the same form: x -> a2 (a1 x + b1) + b2 = (a2 a1) x + (a2 b1 + b2). Composition is associative, so a
 * scan composes all steps up to i; applied to 0, the composition gives its b. Composition does not commute: the left
 * operand is applied first. Memory moves two numbers per element instead of one.
 */
static __global__ void compose_blocks(const unsigned *a_in, const unsigned *b_in, unsigned *a_out, unsigned *b_out,
                                      unsigned *a_totals, unsigned *b_totals, size_t n)
{
    __shared__ unsigned a_of_warp[WARPS], b_of_warp[WARPS];
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned a = i < n ? a_in[i] : 1, b = i < n ? b_in[i] : 0;
    for (unsigned d = 1; d < 32; d *= 2) {
        unsigned a_left = __shfl_up_sync(~0u, a, d), b_left = __shfl_up_sync(~0u, b, d);
        if (lane >= d) {
            b += a * b_left;
            a *= a_left;
        }
    }
    if (lane == 31) {
        a_of_warp[warp] = a;
        b_of_warp[warp] = b;
    }
    __syncthreads();
    for (unsigned w = warp; w > 0; w--) {
        b += a * b_of_warp[w - 1];
        a *= a_of_warp[w - 1];
    }
    if (i < n) {
        a_out[i] = a;
        b_out[i] = b;
    }
    if (threadIdx.x == BLOCK - 1) {
        a_totals[blockIdx.x] = a;
        b_totals[blockIdx.x] = b;
    }
}

/* x after the previous blocks is the b of their composition, because x starts at 0. */
static __global__ void apply_blocks(const unsigned *a, unsigned *b, const unsigned *b_totals, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (blockIdx.x > 0 && i < n)
        b[i] += a[i] * b_totals[blockIdx.x - 1];
}

static void compose(struct call *call, const unsigned *a_in, const unsigned *b_in, unsigned *a, unsigned *b,
                    unsigned *totals, size_t n)
{
    unsigned blocks = blocks_for(n, BLOCK), *a_totals = totals, *b_totals = totals + blocks;
    RUN(compose_blocks, blocks, BLOCK, a_in, b_in, a, b, a_totals, b_totals, n);
    if (blocks == 1)
        return;
    compose(call, a_totals, b_totals, a_totals, b_totals, b_totals + blocks, blocks);
    RUN(apply_blocks, blocks, BLOCK, a, b, b_totals, n);
}

RUNG(scan_uses_recurrence)
{
    unsigned *a = call->temp;
    compose(call, call->in[2], call->in[0], a, call->out, a + call->n, call->n);
}

/*
 * radix-pass-1-bit: a stable pass of a radix sort, by the lowest bit. A key with bit 1 goes after all keys with bit 0
 * and after the ones before it. A key with bit 0 goes after the zeros before it, which are all keys before it except
 * the ones. One scan of the bits gives both numbers. 32 such passes sort, from the lowest bit to the highest, because a
 * pass keeps the order of keys with equal bits. Limited by memory: each bit takes 4 bytes, which pass memory as often
 * as the flags of compaction.
 */
static __global__ void take_bits(const unsigned *keys, unsigned *bits, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        bits[i] = keys[i] & 1;
}

static __global__ void split_by_bit(const unsigned *keys, const unsigned *ends, unsigned *out, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    size_t ones = start_of(ends, i), zeros = n - ends[n - 1];
    out[(keys[i] & 1) == 1 ? zeros + ones : i - ones] = keys[i];
}

RUNG(scan_uses_radix_pass_1_bit)
{
    unsigned blocks = blocks_for(call->n, BLOCK), *bits = call->temp;
    const unsigned *keys = call->in[1];
    RUN(take_bits, blocks, BLOCK, keys, bits, call->n);
    scan(call, bits, bits, bits + call->n, call->n, SUM);
    RUN(split_by_bit, blocks, BLOCK, keys, bits, call->out, call->n);
}

enum { DIGITS = 16 };

/*
 * radix-pass-4-bits: a digit has 4 bits, so 8 passes sort. Only counts are scanned, 16 for each block of 256 keys: all
 * blocks' counts of digit 0, then all blocks' counts of digit 1, and so on, so the scan gives the place where each
 * block's keys of each digit begin. Within its block a key comes after the earlier keys with the same digit: the keys
 * in previous warps, which have left counts, and the keys in its own warp, which a ballot finds. Limited by the
 * scattered writes: a block writes to 16 places, about 16 keys to each.
 */
static __global__ void count_digits(const unsigned *keys, unsigned *counts, size_t n)
{
    __shared__ unsigned of_block[DIGITS];
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (threadIdx.x < DIGITS)
        of_block[threadIdx.x] = 0;
    __syncthreads();
    if (i < n)
        atomicAdd(&of_block[keys[i] % DIGITS], 1u);
    __syncthreads();
    if (threadIdx.x < DIGITS)
        counts[(size_t)threadIdx.x * gridDim.x + blockIdx.x] = of_block[threadIdx.x];
}

static __global__ void scatter_by_digit(const unsigned *keys, const unsigned *ends, unsigned *out, size_t n)
{
    __shared__ unsigned of_warp[WARPS][DIGITS];
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, same = 0;
    unsigned digit = i < n ? keys[i] % DIGITS : DIGITS; /* threads past the end have no digit */
    for (unsigned d = 0; d < DIGITS; d++) {
        unsigned lanes = __ballot_sync(~0u, digit == d);
        if (digit == d)
            same = lanes;
        if (lane == d)
            of_warp[warp][d] = (unsigned)__popc(lanes);
    }
    __syncthreads(); /* the counts of all warps are written */
    if (i >= n)
        return;
    unsigned place = start_of(ends, (size_t)digit * gridDim.x + blockIdx.x);
    for (unsigned w = 0; w < warp; w++)
        place += of_warp[w][digit];
    out[place + (unsigned)__popc(same & ((1u << lane) - 1))] = keys[i];
}

RUNG(scan_uses_radix_pass_4_bits)
{
    unsigned blocks = blocks_for(call->n, BLOCK), *counts = call->temp;
    size_t n_counts = (size_t)DIGITS * blocks;
    const unsigned *keys = call->in[1];
    RUN(count_digits, blocks, BLOCK, keys, counts, call->n);
    scan(call, counts, counts, counts + n_counts, n_counts, SUM);
    RUN(scatter_by_digit, blocks, BLOCK, keys, counts, call->out, call->n);
}
