/* SPDX-License-Identifier: MIT */
/*
 * Atomics: what one costs, depending on the operation, on how many threads meet in a word, and on the memory that holds
 * the word. Operation i of n goes to word i modulo the number of words, so the lanes of a warp go to one word or to 32
 * consecutive words. There are three limits:
 *  - one word: its operations are serialized, however many threads there are;
 *  - few words, 32 of them: each lane of a warp has its own, but all warps share them;
 *  - many words, one for each thread: no thread waits for another, and the limit is the rate of the atomic units.
 *    Atomics on global memory are done in the L2 cache, atomics on shared memory in the multiprocessor: nearer, and by
 *    as many units as there are multiprocessors, but only on the words of the block itself.
 */
#include "samples/patterns/kernel.h"

enum { ATOMICS_BLOCK = 256, ATOMICS_GRID = 1024, ATOMICS_PER_THREAD = 4 };

/* A parameter is the sum of an operation, a memory and a spread. */
enum { ATOMICS_ADD, ATOMICS_MIN, ATOMICS_MAX, ATOMICS_EXCH, ATOMICS_CAS, ATOMICS_FLOAT, ATOMICS_OPERATION = 7 };
enum { ATOMICS_GLOBAL = 0, ATOMICS_SHARED = 8 };
enum { ATOMICS_ONE = 0, ATOMICS_FEW = 16, ATOMICS_MANY = 32, ATOMICS_SPREAD = 48 };

/* The grid for n operations. */
static inline unsigned atomics_blocks(size_t n)
{
    return blocks_up_to(ATOMICS_GRID, n, ATOMICS_BLOCK * ATOMICS_PER_THREAD);
}

/* The number of words, a power of two, that threads with a common memory operate on. With ATOMICS_MANY it is one for
 * each of these threads: all threads of the grid in global memory, the threads of a block in shared memory. */
static inline unsigned atomics_words(unsigned parameter)
{
    unsigned spread = parameter & ATOMICS_SPREAD;
    if (spread != ATOMICS_MANY)
        return spread == ATOMICS_ONE ? 1 : 32;
    return parameter & ATOMICS_SHARED ? ATOMICS_BLOCK : ATOMICS_BLOCK * ATOMICS_GRID;
}

/* The number of copies of these words in the result: 1, or one for each block, one after the other. A word for each
 * thread follows the copies. */
static inline unsigned atomics_copies(size_t n, unsigned parameter)
{
    return parameter & ATOMICS_SHARED ? atomics_blocks(n) : 1;
}

/* What operation i adds or writes: bits that look random, so that the compiler knows nothing about them. */
static __device__ unsigned value_of(size_t i)
{
    return (unsigned)i * 2654435761u;
}

/*
 * The operations. add, min, max and float do not need the old value, so the compiler turns them into reductions: the
 * thread sends one and goes on. exch needs the old value, and cas needs it for its next attempt: both wait for an
 * answer. All return the answer, or 0.
 */
static __device__ unsigned operate_add(unsigned *word, size_t i)
{
    atomicAdd(word, value_of(i));
    return 0;
}

static __device__ unsigned operate_min(unsigned *word, size_t i)
{
    atomicMin(word, value_of(i));
    return 0;
}

static __device__ unsigned operate_max(unsigned *word, size_t i)
{
    atomicMax(word, value_of(i));
    return 0;
}

static __device__ unsigned operate_exch(unsigned *word, size_t i)
{
    return atomicExch(word, value_of(i));
}

/*
 * An addition by compare and swap, the way to make any operation atomic that has no atomic of its own. The swap fails
 * if the word does not hold the value that this thread assumed, and returns the value that it does hold; the next
 * attempt starts from this value. The first guess may be anything. Of the threads that try at the same time only one
 * succeeds, so with many threads on a word nearly all attempts fail.
 */
static __device__ unsigned operate_cas(unsigned *word, size_t i)
{
    unsigned old = 0, guess;
    do {
        guess = old;
        old = atomicCAS(word, guess, guess + value_of(i));
    } while (old != guess);
    return 0;
}

/* Adds 1, so that sums are exact. Global memory has an atomic for it; for shared memory the compiler emits a loop of
 * compare and swap. */
static __device__ unsigned operate_float(float *word, size_t i)
{
    (void)i;
    atomicAdd(word, 1.0f);
    return 0;
}

/*
 * Two kernels and two rungs for an operation. `fresh` is the initial value of a word, and fresh_byte the value of each
 * of its bytes. The word of operation i is i & mask. In global memory all threads operate on the same words. In shared
 * memory each block has its own words and writes them out at the end, without atomics, into its own copy.
 */
#define KERNELS(name, type, fresh, fresh_byte)                                                                         \
    static __global__ void name##_global(type *words, unsigned mask, unsigned *came_back, size_t n)                    \
    {                                                                                                                  \
        size_t stride = (size_t)gridDim.x * blockDim.x, thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;        \
        unsigned sum = 0;                                                                                              \
        for (size_t i = thread; i < n; i += stride)                                                                    \
            sum += operate_##name(&words[i & mask], i);                                                                \
        came_back[thread] = sum;                                                                                       \
    }                                                                                                                  \
                                                                                                                       \
    static __global__ void name##_shared(type *words, unsigned mask, unsigned *came_back, size_t n)                    \
    {                                                                                                                  \
        __shared__ type own[ATOMICS_BLOCK];                                                                            \
        size_t stride = (size_t)gridDim.x * blockDim.x, thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;        \
        unsigned sum = 0;                                                                                              \
        own[threadIdx.x] = fresh;                                                                                      \
        __syncthreads(); /* all words are there before any thread operates on one */                                   \
        for (size_t i = thread; i < n; i += stride)                                                                    \
            sum += operate_##name(&own[i & mask], i);                                                                  \
        came_back[thread] = sum;                                                                                       \
        __syncthreads(); /* all operations are done before any thread reads a word */                                  \
        if (threadIdx.x <= mask)                                                                                       \
            words[blockIdx.x * (mask + 1) + threadIdx.x] = own[threadIdx.x];                                           \
    }                                                                                                                  \
                                                                                                                       \
    RUNG(atomics_##name##_global)                                                                                      \
    {                                                                                                                  \
        unsigned words = atomics_words(call->parameter);                                                               \
        set_bytes(call, call->out, fresh_byte, words * sizeof(unsigned));                                              \
        RUN(name##_global, atomics_blocks(call->n), ATOMICS_BLOCK, call->out, words - 1,                               \
            (unsigned *)call->out + words, call->n);                                                                   \
    }                                                                                                                  \
                                                                                                                       \
    RUNG(atomics_##name##_shared)                                                                                      \
    {                                                                                                                  \
        unsigned words = atomics_words(call->parameter), copies = atomics_copies(call->n, call->parameter);            \
        RUN(name##_shared, atomics_blocks(call->n), ATOMICS_BLOCK, call->out, words - 1,                               \
            (unsigned *)call->out + (size_t)copies * words, call->n);                                                  \
    }

KERNELS(add, unsigned, 0, 0)
KERNELS(min, unsigned, ~0u, 0xFF)
KERNELS(max, unsigned, 0, 0)
KERNELS(exch, unsigned, 0, 0)
KERNELS(cas, unsigned, 0, 0)
KERNELS(float, float, 0, 0)
