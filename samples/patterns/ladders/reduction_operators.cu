/* SPDX-License-Identifier: MIT */
/*
 * A reduction is a tree for every operator that is associative and has a neutral element to pad with. The operators of
 * this ladder are ever more demanding: min, max and the product of integers also commute; the product of matrices does
 * not; the last one is user-defined and returns an index. All rungs take the same array. Grids are the same as in the
 * ladder `reduction`.
 */
#include "samples/patterns/kernel.h"

/* The operators, for the kernels and for the reference. */
enum {
    OP_MIN,
    OP_MAX,
    OP_PRODUCT,  /* modulo 2^32 */
    OP_MATRIX,   /* the product of [[x, 1], [1, 0]] for each number x, in order, modulo 2^32 */
    OP_FARTHEST, /* three numbers are a point; the result is the index of the point farthest from the origin, the
                  * lowest if equal */
};

enum {
    BLOCK = 256,
    LARGE = 1024,      /* threads of a block that works alone */
    TILE = 16 * BLOCK, /* the fewest numbers per block of a grid */
    GRID = 1024,
};

static unsigned fixed_grid(size_t n)
{
    return blocks_up_to(GRID, n, TILE);
}

/*
 * The operator is an argument: all threads take the same branch, which costs little beside a load. In C++ it would be a
 * template parameter, with one kernel for each operator.
 */
static __device__ int combine(unsigned op, int a, int b)
{
    if (op == OP_MIN)
        return min(a, b);
    if (op == OP_MAX)
        return max(a, b);
    return (int)((unsigned)a * (unsigned)b); /* unsigned wraps; int overflow is undefined */
}

static __device__ int neutral(unsigned op)
{
    if (op == OP_MIN)
        return INT32_MAX;
    return op == OP_MAX ? INT32_MIN : 1;
}

/*
 * single-warp: each lane combines every 32nd number, then the lanes combine their results: five shuffles, no shared
 * memory, no barrier of a block. A lane without a number holds the neutral element, which is not 0 for any of these
 * operators. Limited by latency: one warp has a few loads in flight.
 */
static __device__ int warp_combine(unsigned op, int v)
{
    for (unsigned step = 16; step > 0; step /= 2)
        v = combine(op, v, __shfl_down_sync(~0u, v, step));
    return v; /* in lane 0 */
}

static __global__ void single_warp(const int *in, int *out, size_t n, unsigned op)
{
    int v = neutral(op);
    for (size_t i = threadIdx.x; i < n; i += 32)
        v = combine(op, v, in[i]);
    v = warp_combine(op, v);
    if (threadIdx.x == 0)
        *out = v;
}

RUNG_IS(operators_single_warp, RUN(single_warp, 1, 32, call->in[0], call->out, call->n, call->parameter))

/*
 * single-block: 32 warps instead of one, which exchange results through shared memory. The tree combines t and
 * t + step, which permutes the numbers, so the operator must commute. Limited by one multiprocessor's share of memory
 * bandwidth.
 */
static __global__ void single_block(const int *in, int *out, size_t n, unsigned op)
{
    __shared__ int s[LARGE];
    unsigned t = threadIdx.x;
    int v = neutral(op);
    for (size_t i = t; i < n; i += LARGE)
        v = combine(op, v, in[i]);
    s[t] = v;
    __syncthreads();
    for (unsigned step = LARGE / 2; step > 0; step /= 2) {
        if (t < step)
            s[t] = combine(op, s[t], s[t + step]);
        __syncthreads();
    }
    if (t == 0)
        *out = s[0];
}

RUNG_IS(operators_single_block, RUN(single_block, 1, LARGE, call->in[0], call->out, call->n, call->parameter))

/*
 * multi-block: a fixed grid leaves one partial result for each block, and the same kernel with one block combines them.
 * Loads of 16 bytes keep enough bytes in flight. Works for every operator that commutes, with an atomic or without.
 * Limited by memory.
 */
static __device__ int block_combine(unsigned op, int v)
{
    __shared__ int s[32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    v = warp_combine(op, v);
    if (lane == 0)
        s[warp] = v;
    __syncthreads();
    if (warp == 0)
        v = warp_combine(op, lane < blockDim.x / 32 ? s[lane] : neutral(op));
    return v; /* in thread 0 */
}

static __device__ int thread_combine(const int *in, size_t n, unsigned op)
{
    const int4 *fours = (const int4 *)in;
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x, threads = (size_t)gridDim.x * BLOCK;
    int all = neutral(op);
    if (i < n % 4)
        all = in[n - 1 - i];
    for (; i < n / 4; i += threads) {
        int4 v = fours[i];
        all = combine(op, all, combine(op, combine(op, v.x, v.y), combine(op, v.z, v.w)));
    }
    return all;
}

static __global__ void multi_block(const int *in, int *partials, size_t n, unsigned op)
{
    int v = block_combine(op, thread_combine(in, n, op));
    if (threadIdx.x == 0)
        partials[blockIdx.x] = v;
}

RUNG(operators_multi_block)
{
    unsigned blocks = fixed_grid(call->n);
    RUN(multi_block, blocks, BLOCK, call->in[0], call->temp, call->n, call->parameter);
    RUN(multi_block, 1, BLOCK, call->temp, call->out, blocks, call->parameter);
}

/*
 * min-atomic: each block combines its result with the final one by itself, without a second launch. Unlike an addition
 * of floats, min gives the same bits in every order. The result must hold the neutral element before any block runs: a
 * copy of four bytes takes the place of the second launch.
 */
static __global__ void min_atomic(const int *in, int *out, size_t n)
{
    int v = block_combine(OP_MIN, thread_combine(in, n, OP_MIN));
    if (threadIdx.x == 0)
        atomicMin(out, v);
}

RUNG(operators_min_atomic)
{
    int first = INT32_MAX;
    copy_from_host(call, call->out, &first, sizeof(first));
    RUN(min_atomic, fixed_grid(call->n), BLOCK, call->in[0], call->out, call->n);
}

/*
 * multiply-compare-and-swap: there is no atomic product, but compare-and-swap makes any operator on 32 or 64 bits
 * atomic: compute the new value from the value that was seen, store it if the old value is still there, otherwise try
 * again with the value that is there now. A try fails only because another block's try succeeded, so some block always
 * makes progress. Limited by memory; with one try for each number it would be limited by the tries.
 */
static __global__ void multiply_compare_and_swap(const int *in, unsigned *out, size_t n)
{
    unsigned v = (unsigned)block_combine(OP_PRODUCT, thread_combine(in, n, OP_PRODUCT));
    if (threadIdx.x == 0) {
        unsigned seen = 1, found; /* a guess: a wrong one costs a try */
        while ((found = atomicCAS(out, seen, seen * v)) != seen)
            seen = found;
    }
}

RUNG(operators_multiply_compare_and_swap)
{
    unsigned first = 1;
    copy_from_host(call, call->out, &first, sizeof(first));
    RUN(multiply_compare_and_swap, fixed_grid(call->n), BLOCK, call->in[0], call->out, call->n);
}

/* A matrix [[a, b], [c, d]]. */
struct matrix {
    unsigned a, b, c, d;
};

static __device__ struct matrix identity(void)
{
    struct matrix m = {1, 0, 0, 1};
    return m;
}

static __device__ struct matrix times(struct matrix x, struct matrix y)
{
    struct matrix m = {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
    return m;
}

/* Returns m [[x, 1], [1, 0]]. The product of all such matrices solves the recurrence
 * h[k] = x[k] h[k - 1] + h[k - 2]. */
static __device__ struct matrix append(struct matrix m, unsigned x)
{
    struct matrix product = {m.a * x + m.b, m.a, m.c * x + m.d, m.c};
    return product;
}

/*
 * matrix-single-warp: the product of matrices is associative but does not commute: brackets may be placed freely, the
 * order must stay. Steps 16, 8, ... give lane 0 the matrices 0, 16, 8, 24, ...: right for min, wrong here. Steps 1, 2,
 * ... pair neighbours: after each step, lane t has the product of lanes t to t + 2 * step - 1, as far as the warp
 * reaches, and at the end lane 0 has the product of all 32. (Lanes whose range leaves the warp hold values that are
 * never used.) Lanes may not take every 32nd number either, so the warp reduces 32 neighbours at a time and appends the
 * product. Limited by latency, like single-warp, and by a tree for every 32 numbers.
 */
static __device__ struct matrix warp_product(struct matrix m)
{
    for (unsigned step = 1; step < 32; step *= 2) {
        struct matrix next;
        next.a = __shfl_down_sync(~0u, m.a, step);
        next.b = __shfl_down_sync(~0u, m.b, step);
        next.c = __shfl_down_sync(~0u, m.c, step);
        next.d = __shfl_down_sync(~0u, m.d, step);
        m = times(m, next);
    }
    return m; /* in lane 0 */
}

static __global__ void matrix_single_warp(const unsigned *in, struct matrix *out, size_t n)
{
    struct matrix all = identity();
    for (size_t first = 0; first < n; first += 32) {
        size_t i = first + threadIdx.x;
        struct matrix m = identity();
        if (i < n)
            m = append(m, in[i]);
        all = times(all, warp_product(m));
    }
    if (threadIdx.x == 0)
        *out = all;
}

RUNG_IS(operators_matrix_single_warp, RUN(matrix_single_warp, 1, 32, call->in[0], call->out, call->n))

/*
 * matrix-chunks: each thread multiplies a chunk of neighbours, in order; then threads are paired with their neighbours.
 * This is the addressing of interleaved-modulo, which is slow for a sum but keeps the order. Consecutive blocks take
 * consecutive parts of the array, so their partial products are in order, too. Limited by how chunks are read: at any
 * time the 32 lanes of a warp read 32 lines, four bytes of each, and unless caches keep these lines they are read again
 * for the next number.
 */
static __device__ struct matrix block_product(struct matrix m)
{
    __shared__ struct matrix s[BLOCK];
    unsigned t = threadIdx.x;
    s[t] = m;
    __syncthreads();
    for (unsigned step = 1; step < BLOCK; step *= 2) {
        if (t % (2 * step) == 0)
            s[t] = times(s[t], s[t + step]);
        __syncthreads();
    }
    return s[0];
}

static __global__ void matrix_chunks(const unsigned *in, struct matrix *partials, size_t n, size_t chunk)
{
    size_t first = ((size_t)blockIdx.x * BLOCK + threadIdx.x) * chunk;
    struct matrix m = identity();
    for (size_t i = first; i < first + chunk && i < n; i++)
        m = append(m, in[i]);
    m = block_product(m);
    if (threadIdx.x == 0)
        partials[blockIdx.x] = m;
}

/* Multiplies the partial products: the same tree, on matrices from memory. */
static __global__ void matrix_finish(const struct matrix *partials, struct matrix *out, size_t n)
{
    size_t chunk = (n + BLOCK - 1) / BLOCK, first = threadIdx.x * chunk;
    struct matrix m = identity();
    for (size_t i = first; i < first + chunk && i < n; i++)
        m = times(m, partials[i]);
    m = block_product(m);
    if (threadIdx.x == 0)
        *out = m;
}

RUNG(operators_matrix_chunks)
{
    unsigned blocks = fixed_grid(call->n);
    size_t threads = (size_t)blocks * BLOCK;
    RUN(matrix_chunks, blocks, BLOCK, call->in[0], call->temp, call->n, (call->n + threads - 1) / threads);
    RUN(matrix_finish, 1, BLOCK, call->temp, call->out, blocks);
}

/*
 * matrix-in-order: the chunk belongs to a warp, not to a thread. The warp walks through it 128 numbers at a time: each
 * lane loads four neighbours with one instruction, next to the four of the neighbouring lane, and multiplies them; the
 * tree of matrix-single-warp follows. Every line is read once, whole, and the loop has no barrier. Limited by shuffles:
 * 20 for every 128 numbers, where a sum has none.
 */
static __device__ struct matrix product_of_four(const unsigned *in, size_t i, size_t n)
{
    struct matrix m = identity();
    if (i + 4 <= n) {
        uint4 v = *(const uint4 *)(in + i);
        return append(append(append(append(m, v.x), v.y), v.z), v.w);
    }
    for (; i < n; i++)
        m = append(m, in[i]);
    return m;
}

/* chunk must be a multiple of 128. */
static __global__ void matrix_in_order(const unsigned *in, struct matrix *partials, size_t n, size_t chunk)
{
    __shared__ struct matrix s[BLOCK / 32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    size_t first = ((size_t)blockIdx.x * (BLOCK / 32) + warp) * chunk;
    struct matrix all = identity();
    for (size_t i = first; i < first + chunk && i < n; i += 128) /* uniform over the warp: all lanes reach
                                                                  * warp_product */
        all = times(all, warp_product(product_of_four(in, i + lane * 4, n)));
    if (lane == 0)
        s[warp] = all;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned i = 1; i < BLOCK / 32; i++)
            all = times(all, s[i]);
        partials[blockIdx.x] = all;
    }
}

RUNG(operators_matrix_in_order)
{
    unsigned blocks = fixed_grid(call->n);
    size_t warps = (size_t)blocks * (BLOCK / 32);
    RUN(matrix_in_order, blocks, BLOCK, call->in[0], call->temp, call->n,
        (call->n + warps * 128 - 1) / (warps * 128) * 128);
    RUN(matrix_finish, 1, BLOCK, call->temp, call->out, blocks);
}

/* A point's index and its squared distance from the origin. The neutral element is nearer than any point. */
struct candidate {
    unsigned distance, index;
};

static __device__ struct candidate nobody(void)
{
    struct candidate c = {0, ~0u};
    return c;
}

static __device__ unsigned distance_of(const int *point)
{
    int x = point[0], y = point[1], z = point[2];
    return (unsigned)(x * x + y * y + z * z);
}

/*
 * user-defined: the point farthest from the origin. The type that is reduced differs from the type that is loaded: a
 * thread makes a candidate of each point, and the operator takes the better of two candidates. Of points at the same
 * distance it takes the lowest index; without this rule it would not commute, and the result would depend on the grid.
 * Points lie in memory as x y z: a warp loads three lines with three instructions, each of which touches all three; the
 * cache serves the second and the third. Each step takes two shuffles. Limited by memory, with 12 bytes in flight per
 * thread.
 */
static __device__ struct candidate farther(struct candidate a, struct candidate b)
{
    bool better = b.distance > a.distance || (b.distance == a.distance && b.index < a.index);
    return better ? b : a;
}

static __device__ struct candidate warp_farthest(struct candidate c)
{
    for (unsigned step = 16; step > 0; step /= 2) {
        struct candidate other;
        other.distance = __shfl_down_sync(~0u, c.distance, step);
        other.index = __shfl_down_sync(~0u, c.index, step);
        c = farther(c, other);
    }
    return c; /* in lane 0 */
}

static __device__ struct candidate block_farthest(struct candidate c)
{
    __shared__ struct candidate s[32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    c = warp_farthest(c);
    if (lane == 0)
        s[warp] = c;
    __syncthreads();
    if (warp == 0)
        c = warp_farthest(lane < blockDim.x / 32 ? s[lane] : nobody());
    return c; /* in thread 0 */
}

static __global__ void user_defined(const int *points, struct candidate *partials, size_t n)
{
    struct candidate best = nobody();
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (size_t)gridDim.x * BLOCK) {
        struct candidate c = {distance_of(points + 3 * i), (unsigned)i};
        best = farther(best, c);
    }
    best = block_farthest(best);
    if (threadIdx.x == 0)
        partials[blockIdx.x] = best;
}

static __global__ void user_defined_finish(const struct candidate *partials, unsigned *out, size_t n)
{
    struct candidate best = nobody();
    for (size_t i = threadIdx.x; i < n; i += BLOCK)
        best = farther(best, partials[i]);
    best = block_farthest(best);
    if (threadIdx.x == 0)
        *out = best.index;
}

RUNG(operators_user_defined)
{
    unsigned blocks = fixed_grid(call->n);
    RUN(user_defined, blocks, BLOCK, call->in[0], call->temp, call->n / 3);
    RUN(user_defined_finish, 1, BLOCK, call->temp, call->out, blocks);
}

/*
 * user-defined-key: the same order, as the order of one number. The distance is in the upper 32 bits, the complement of
 * the index in the lower: the greater key is farther, or as far and earlier. The operator becomes max, for which the
 * hardware has an atomic, and there is one value instead of two to keep, exchange and write. At the end one thread
 * extracts the index.
 */
static __global__ void user_defined_key(const int *points, unsigned long long *key, size_t n)
{
    __shared__ unsigned long long s[BLOCK / 32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned long long best = 0;
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (size_t)gridDim.x * BLOCK)
        best = max(best, (unsigned long long)distance_of(points + 3 * i) << 32 | ~(unsigned)i);
    for (unsigned step = 16; step > 0; step /= 2) {
        unsigned long long other = __shfl_down_sync(~0u, best, step);
        best = max(best, other);
    }
    if (lane == 0)
        s[warp] = best;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned i = 1; i < BLOCK / 32; i++)
            best = max(best, s[i]);
        atomicMax(key, best);
    }
}

static __global__ void index_of_key(const unsigned long long *key, unsigned *out)
{
    *out = ~(unsigned)*key;
}

RUNG(operators_user_defined_key)
{
    set_bytes(call, call->temp, 0, sizeof(unsigned long long));
    RUN(user_defined_key, fixed_grid(call->n), BLOCK, call->in[0], call->temp, call->n / 3);
    RUN(index_of_key, 1, 1, call->temp, call->out);
}
