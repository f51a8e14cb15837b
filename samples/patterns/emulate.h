/* SPDX-License-Identifier: MIT */
/*
 * The language of CUDA kernels for a C compiler. Blocks run one after the other. The threads of a block run in fibers,
 * which switch only at a barrier or where a warp exchanges values, in an order that the caller chooses. One of the
 * orders usually exposes what a GPU's schedule would break: a missing barrier, a barrier that some threads do not
 * reach, shared memory that is read before it is written. It cannot expose a race between two threads inside one
 * read-modify-write, nor a stream that does not wait for another: all streams run in the order of the calls.
 *
 * Included by kernel.h; harness.c chooses the order.
 */
#ifndef PATTERNS_EMULATE_H
#define PATTERNS_EMULATE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "call.h"

typedef struct {
    unsigned x, y, z;
} dim3;
typedef struct {
    float x, y, z, w;
} float4;
typedef struct {
    int x, y, z, w;
} int4;
typedef struct {
    unsigned x, y, z, w;
} uint4;

extern dim3 threadIdx, blockIdx, blockDim, gridDim;
enum { warpSize = 32 };

#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__ static __attribute__((section("patterns_shared")))
#define __constant__

#define RUNG(function)                                                                                                 \
    void cuda_##function(struct call *call);                                                                           \
    static void cpu_##function(struct call *call)

#define COUNT_10(a, b, c, d, e, f, g, h, i, j, n, ...) n
#define COUNT(...) COUNT_10(__VA_ARGS__, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define AS_DIM3(size) _Generic((size), dim3 : same_dim3, default : line_dim3)(size)
#define RUN(kernel, grid, block, ...)                                                                                  \
    emulate(call, #kernel, AS_DIM3(grid), AS_DIM3(block), (void (*)(void))(kernel), COUNT(__VA_ARGS__), __VA_ARGS__)

#define RUN_IN(stream, kernel, grid, block, ...) ((void)(stream), RUN(kernel, grid, block, __VA_ARGS__))

static inline dim3 same_dim3(dim3 size)
{
    return size;
}

static inline dim3 line_dim3(unsigned size)
{
    return (dim3){size, 1, 1};
}

/* Runs all threads of a grid. Arguments must be pointers or integers. An error is left in call->error. */
void emulate(struct call *call, const char *name, dim3 grid, dim3 block, void (*kernel)(void), int n_args, ...);
/* Sets the order of the blocks, and of a block's threads between two barriers. 0: ascending, 1: descending, else
 * shuffled. */
void emulate_order(unsigned seed);

void __syncthreads(void);
/* Waits until all lanes of the mask have given a value; returns the value of `lane`. */
uint64_t emulate_shuffle(unsigned mask, uint64_t value, unsigned lane);
unsigned emulate_ballot(unsigned mask, bool predicate);
unsigned emulate_lane(void);

static inline void __syncwarp(unsigned mask)
{
    emulate_ballot(mask, false);
}

#define __ballot_sync(mask, predicate) emulate_ballot(mask, (predicate) != 0)
#define __any_sync(mask, predicate) (emulate_ballot(mask, (predicate) != 0) != 0)
#define __all_sync(mask, predicate) (emulate_ballot(mask, (predicate) == 0) == 0)

/* A shuffle of a value of any type up to 64 bits. A source lane outside the warp gives the lane its own value. */
#define EMULATE_SHUFFLE(mask, value, from)                                                                             \
    __extension__({                                                                                                    \
        __typeof__(value) emulated_value = (value);                                                                    \
        unsigned emulated_from = (from);                                                                               \
        uint64_t emulated_bits = 0;                                                                                    \
        memcpy(&emulated_bits, &emulated_value, sizeof(emulated_value));                                               \
        emulated_bits = emulate_shuffle(mask, emulated_bits, emulated_from < 32 ? emulated_from : emulate_lane());     \
        memcpy(&emulated_value, &emulated_bits, sizeof(emulated_value));                                               \
        emulated_value;                                                                                                \
    })
#define __shfl_sync(mask, value, lane) EMULATE_SHUFFLE(mask, value, (unsigned)(lane)&31u)
#define __shfl_down_sync(mask, value, by) EMULATE_SHUFFLE(mask, value, emulate_lane() + (unsigned)(by))
#define __shfl_up_sync(mask, value, by) EMULATE_SHUFFLE(mask, value, emulate_lane() - (unsigned)(by))
#define __shfl_xor_sync(mask, value, by) EMULATE_SHUFFLE(mask, value, emulate_lane() ^ (unsigned)(by))

#define EMULATE_ATOMIC(address, new_value)                                                                             \
    __extension__({                                                                                                    \
        __typeof__(address) emulated_address = (address);                                                              \
        __typeof__(*(address)) emulated_old = *emulated_address;                                                       \
        *emulated_address = (__typeof__(*(address)))(new_value);                                                       \
        emulated_old;                                                                                                  \
    })
#define atomicAdd(address, value) EMULATE_ATOMIC(address, emulated_old + (value))
#define atomicSub(address, value) EMULATE_ATOMIC(address, emulated_old - (value))
#define atomicMin(address, value) EMULATE_ATOMIC(address, (value) < emulated_old ? (value) : emulated_old)
#define atomicMax(address, value) EMULATE_ATOMIC(address, (value) > emulated_old ? (value) : emulated_old)
#define atomicAnd(address, value) EMULATE_ATOMIC(address, emulated_old &(value))
#define atomicOr(address, value) EMULATE_ATOMIC(address, emulated_old | (value))
#define atomicExch(address, value) EMULATE_ATOMIC(address, value)
#define atomicInc(address, last) EMULATE_ATOMIC(address, emulated_old >= (last) ? 0 : emulated_old + 1)
#define atomicCAS(address, compare, value) EMULATE_ATOMIC(address, emulated_old == (compare) ? (value) : emulated_old)

#define __threadfence() ((void)0)
#define __threadfence_block() ((void)0)
#define __ldg(address) (*(address))
#define __popc(bits) __builtin_popcount(bits)
#define __ffs(bits) __builtin_ffs((int)(bits))
#define __clz(bits) ((bits) == 0 ? 32 : __builtin_clz((unsigned)(bits)))
#define __float_as_uint(value)                                                                                         \
    ((union {                                                                                                          \
         float f;                                                                                                      \
         unsigned u;                                                                                                   \
     }){.f = (value)}                                                                                                  \
         .u)
#define __uint_as_float(value)                                                                                         \
    ((union {                                                                                                          \
         unsigned u;                                                                                                   \
         float f;                                                                                                      \
     }){.u = (value)}                                                                                                  \
         .f)
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))

static inline void set_bytes(struct call *call, void *data, int value, size_t size)
{
    (void)call;
    memset(data, value, size);
}

static inline void copy_to_host(struct call *call, void *to, const void *from, size_t size)
{
    (void)call;
    memcpy(to, from, size);
}

static inline void copy_from_host(struct call *call, void *to, const void *from, size_t size)
{
    (void)call;
    memcpy(to, from, size);
}

static inline void copy_in_stream(struct call *call, unsigned stream, void *to, const void *from, size_t size)
{
    (void)call, (void)stream;
    memcpy(to, from, size);
}

static inline void wait_for(struct call *call, unsigned stream, unsigned other)
{
    (void)call, (void)stream, (void)other;
}

#define SET_SYMBOL(symbol, from, size) memcpy(&(symbol), from, size)
#define RESIDENT_BLOCKS(kernel, threads) ((void)(kernel), 12u)

#endif
