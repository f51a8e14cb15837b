/* SPDX-License-Identifier: MIT */
/*
 * A case of a benchmark of the CUDA kernels: an op on data of some shapes in device memory, alternating with CUB if CUB
 * computes the same. Every shape is a row: the median time of its kernels, the rate in bytes, pixels or
 * multiplications, a hash of the result, and whether the result equals the host's. The benchmarks differ in their cases
 * and in how they call CUB.
 *
 * Options of every benchmark: --runs N (15 by default, fewer for slow rows), --only TEXT (rows whose name contains it),
 * --most N (no shapes of more pixels), --json (one object per line, for table.py), --compile (run expressions by
 * compiled kernels, otherwise by the interpreter), --dry (run each row once, without timing or comparing it, for which
 * tests/support/fake_cuda.c suffices). The exit status is 1 if a result differs.
 */
#ifndef GF_BENCH_BENCH_CASE_H
#define GF_BENCH_BENCH_CASE_H

#include "bench_place.h"

namespace bench
{

/* Shapes, one bit each. */
enum shape : uint32_t {
    small = 1,         /* 64x64 */
    full_hd = 2,       /* 1920x1080 */
    photo = 4,         /* 6000x4000 */
    square = 8,        /* 16384x16384 */
    pictures = 15,     /* the four above */
    photos = 7,        /* all of them but the largest */
    square_4k = 16,    /* 4096x4096 */
    square_10k = 32,   /* 10000x10000 */
    array_64k = 64,    /* 2^16 elements */
    array_1m = 128,    /* 2^20 */
    array_2m = 256,    /* 2^21 */
    array_16m = 512,   /* 2^24 */
    array_256m = 1024, /* 2^28 */
    arrays = 1728,     /* all arrays but 2^21 */
    matrices = 2048,   /* 512x512, 1024x1024 and 4096x4096 */
};

struct test_case {
    const char *op, *params; /* params: name=value, separated by spaces */
    uint32_t dtype, channels;
    uint32_t shapes;
    data what;
    int peer;          /* what CUB computes, a number of the benchmark's own; 0: nothing */
    const char *note;  /* appended to the name */
    uint32_t taps;     /* side of a full mask, or 1-D taps; for other ops multiplications per sample, if known */
    bool whole;        /* the mask has small integers */
    double room;       /* select: the capacity as a share of the samples; 0: all */
    uint64_t segment;  /* scan: elements per segment; 0: no segments */
    uint32_t unwanted; /* one bit for each output that is not requested */
};

/* A case with one of its shapes. */
struct work {
    const test_case *c;
    gf_step step;
    gf_view view;              /* of input 0; rows are multiples of 16 bytes, without gaps */
    gf_view in[GF_MAX_INPUTS]; /* of all inputs; empty for inputs that are left out */
    const gf_buf *list;        /* input 1, if it is on the host */
    uint64_t samples;
};

/* Converts CUB's elements to the type of its sums. */
template <class A> struct widen {
    template <class T> __host__ __device__ A operator()(T x) const
    {
        return static_cast<A>(x);
    }
};

/* Launches CUB's algorithm from b.src to b.dst on the main stream of the exec context. */
using cub_fn = cudaError_t (*)(place &b, const work &w);

/* The main() of a benchmark. `cub` may be NULL. */
int run_all(int argc, char **argv, const test_case *cases, size_t n, cub_fn cub, int cub_version);

} // namespace bench

#endif
