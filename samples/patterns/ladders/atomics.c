/* SPDX-License-Identifier: MIT */
/* The problem of atomics.cu: n atomic operations on one word, on 32 words, or on one word for each thread. */
#include <string.h>

#include "atomics.cu"
#include "samples/patterns/patterns.h"

/* Where many threads swap in one word, nearly all attempts fail, and larger sizes would take seconds. A float counts
 * exactly up to 2^24. */
enum { CAS_GLOBAL_ONE = 1 << 16, CAS_GLOBAL_FEW = 1 << 20, CAS_SHARED_ONE = 1 << 24, EXACT = 1 << 24 };

static const size_t checked[] = {0, 1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 5003};

static unsigned operation_of(unsigned parameter)
{
    return parameter & ATOMICS_OPERATION;
}

/* The copies of the words, then a word for each thread. */
static size_t words_of(size_t n, unsigned parameter)
{
    return (size_t)atomics_copies(n, parameter) * atomics_words(parameter) + (size_t)atomics_blocks(n) * ATOMICS_BLOCK;
}

SIZES(.out = words_of(n, parameter) * sizeof(uint32_t))

static void fill(size_t n, void *const in[MAX_INPUTS])
{
    (void)n, (void)in;
}

/* Applies an operation with `value` to `word`. For exch the reference is the sum of all values that the word ever
 * held. */
static uint32_t operate(unsigned operation, uint32_t word, uint32_t value)
{
    if (operation == ATOMICS_MIN)
        return value < word ? value : word;
    if (operation == ATOMICS_MAX)
        return value > word ? value : word;
    return word + value;
}

static uint32_t fresh(unsigned operation)
{
    return operation == ATOMICS_MIN ? UINT32_MAX : 0;
}

/* The words after all operations; floats as integers. */
static void reference(size_t n, unsigned parameter, const void *const in[MAX_INPUTS], void *out)
{
    uint32_t *words = out;
    unsigned operation = operation_of(parameter), n_words = atomics_words(parameter);
    (void)in;
    for (unsigned w = 0; w < n_words; w++)
        words[w] = fresh(operation);
    for (size_t i = 0; i < n; i++) {
        uint32_t value = operation == ATOMICS_FLOAT ? 1 : (uint32_t)i * 2654435761u;
        words[i & (n_words - 1)] = operate(operation, words[i & (n_words - 1)], value);
    }
}

/* A word of a result as an integer; a float that cannot be right becomes UINT32_MAX. */
static uint32_t word_of(unsigned operation, const uint32_t *word)
{
    float number;
    if (operation != ATOMICS_FLOAT)
        return *word;
    memcpy(&number, word, sizeof(number));
    return number >= 0 && number <= EXACT && number == (float)(uint32_t)number ? (uint32_t)number : UINT32_MAX;
}

/* Folds the copies of each word and compares the word with the reference. exch is checked differently: a written value
 * is either still in a word or was returned to one thread, so the sum of all values in words and all returned values
 * must be the sum of all written values. */
static uint64_t wrong(size_t n, unsigned parameter, const void *got, const void *expected, uint64_t *ret_of)
{
    const uint32_t *words = got, *right = expected;
    unsigned operation = operation_of(parameter), n_words = atomics_words(parameter);
    size_t copies = atomics_copies(n, parameter);
    uint64_t off = 0;
    if (operation == ATOMICS_EXCH) {
        uint32_t there = 0, written = 0;
        for (size_t i = 0; i < words_of(n, parameter); i++)
            there += words[i];
        for (unsigned w = 0; w < n_words; w++)
            written += right[w];
        *ret_of = 1;
        return there != written;
    }
    for (unsigned w = 0; w < n_words; w++) {
        uint32_t word = fresh(operation);
        for (size_t c = 0; c < copies; c++)
            word = operate(operation, word, word_of(operation, &words[c * n_words + w]));
        off += word != right[w];
    }
    *ret_of = n_words;
    return off;
}

TRAFFIC(operations, (double)n)

/* Operations on one word, which are serialized. */
FORMULA(steps_global_one, n)
FORMULA(steps_global_few, n / 32)
FORMULA(steps_global_many, n / (ATOMICS_GRID * ATOMICS_BLOCK))
FORMULA(steps_shared_one, n / ATOMICS_GRID)
FORMULA(steps_shared_few, n / (ATOMICS_GRID * 32))
FORMULA(steps_shared_many, n / (ATOMICS_GRID * ATOMICS_BLOCK))

#define ABOUT_add "atomicAdd of unsigned"
#define ABOUT_min "atomicMin of unsigned"
#define ABOUT_max "atomicMax of unsigned"
#define ABOUT_exch "atomicExch of unsigned, whose threads wait for the old value"
#define ABOUT_cas "an addition by a loop of atomicCAS"
#define ABOUT_float "atomicAdd of float"
#define ABOUT_global_one "one word of global memory for all threads"
#define ABOUT_global_few "32 words of global memory, one for each lane, that all warps share"
#define ABOUT_global_many "a word of global memory for each thread"
#define ABOUT_shared_one "one word of shared memory for each block"
#define ABOUT_shared_few "32 words of shared memory, one for each lane, that the warps of a block share"
#define ABOUT_shared_many "a word of shared memory for each thread"

/* A row of the table: a rung and its largest size, for example ROW(add, ADD, global, GLOBAL, one, ONE, 0). */
#define ROW(operation, OPERATION, memory, MEMORY, spread, SPREAD, most)                                                \
    KERNEL(atomics_##operation##_##memory, #operation "-" #memory "-" #spread,                                         \
           ABOUT_##operation "; " ABOUT_##memory##_##spread,                                                           \
           .parameter = ATOMICS_##OPERATION + ATOMICS_##MEMORY + ATOMICS_##SPREAD, .max_n = (most),                    \
           .steps = steps_##memory##_##spread, .begins = ATOMICS_##SPREAD == ATOMICS_ONE)

/* The six rows of an operation. The largest sizes are for one word and for few words, in global and in shared
 * memory. */
#define ROWS(operation, OPERATION, global_one, global_few, shared_one)                                                 \
    ROW(operation, OPERATION, global, GLOBAL, one, ONE, global_one),                                                   \
        ROW(operation, OPERATION, global, GLOBAL, few, FEW, global_few),                                               \
        ROW(operation, OPERATION, global, GLOBAL, many, MANY, 0),                                                      \
        ROW(operation, OPERATION, shared, SHARED, one, ONE, shared_one),                                               \
        ROW(operation, OPERATION, shared, SHARED, few, FEW, 0),                                                        \
        ROW(operation, OPERATION, shared, SHARED, many, MANY, 0)

static const struct rung rungs[] = {
    ROWS(add, ADD, 0, 0, 0),
    ROWS(min, MIN, 0, 0, 0),
    ROWS(max, MAX, 0, 0, 0),
    ROWS(exch, EXCH, 0, 0, 0),
    ROWS(cas, CAS, CAS_GLOBAL_ONE, CAS_GLOBAL_FEW, CAS_SHARED_ONE),
    ROWS(float, FLOAT, EXACT, 0, CAS_SHARED_ONE),
};

LADDER(g_atomics, .name = "atomics", .title = "atomic operations on one word, on few and on many", .n = (size_t)1 << 26,
       .max_n = (size_t)1 << 29, .counts = "operations", .wrong = wrong, .flops = operations, .plain_operations = true);
