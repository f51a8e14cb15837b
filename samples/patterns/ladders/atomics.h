/* SPDX-License-Identifier: MIT */
/* What atomics.cu and atomics.c agree on: the parameter of a rung, and where its results stand. */
#ifndef PATTERNS_ATOMICS_H
#define PATTERNS_ATOMICS_H

#include <stddef.h>

enum { ATOMICS_BLOCK = 256, ATOMICS_GRID = 1024, ATOMICS_PER_THREAD = 4 };

/* A parameter is an operation, a memory and a spread, added. */
enum { ATOMICS_ADD, ATOMICS_MIN, ATOMICS_MAX, ATOMICS_EXCH, ATOMICS_CAS, ATOMICS_FLOAT, ATOMICS_OPERATION = 7 };
enum { ATOMICS_GLOBAL = 0, ATOMICS_SHARED = 8 };
enum { ATOMICS_ONE = 0, ATOMICS_FEW = 16, ATOMICS_MANY = 32, ATOMICS_SPREAD = 48 };

/* Blocks for n operations. */
static inline unsigned atomics_blocks(size_t n)
{
    size_t each = ATOMICS_BLOCK * ATOMICS_PER_THREAD, blocks = n == 0 ? 1 : (n + each - 1) / each;
    return blocks < ATOMICS_GRID ? (unsigned)blocks : (unsigned)ATOMICS_GRID;
}

/* Words that the threads which share a memory operate on, a power of two: in global memory all threads, in shared
 * memory those of a block. The many are one for each of them. */
static inline unsigned atomics_words(unsigned parameter)
{
    unsigned spread = parameter & ATOMICS_SPREAD;
    if (spread != ATOMICS_MANY)
        return spread == ATOMICS_ONE ? 1 : 32;
    return parameter & ATOMICS_SHARED ? ATOMICS_BLOCK : ATOMICS_BLOCK * ATOMICS_GRID;
}

/* Copies of these words in the result, one behind the other: 1, or one for each block. Behind them stands a word for
 * each thread. */
static inline unsigned atomics_copies(size_t n, unsigned parameter)
{
    return parameter & ATOMICS_SHARED ? atomics_blocks(n) : 1;
}

#endif
