/* SPDX-License-Identifier: MIT */
/*
 * A case of a benchmark of the CUDA kernels: an op on data of some shapes in device memory, alternating with CUB
 * where that computes the same. Every shape is a row: the median time of its kernels, the rate in bytes, pixels or
 * multiplications, a hash of the result, and whether it equals the host's. The benchmarks differ in their cases and in
 * how they call CUB.
 *
 * Options of every benchmark: --runs N (15 by default, fewer of slow rows), --only TEXT (rows whose name contains it),
 * --most N (no shapes of more pixels), --json (an object per line, for table.py), --compile (expressions by kernels
 * made for them, otherwise by the interpreter), --dry (each row runs once, and is neither timed nor compared:
 * tests/support/fake_cuda.c is enough for that). Exits with 1 where a result differs.
 */
#ifndef GF_BENCH_BENCH_CASE_H
#define GF_BENCH_BENCH_CASE_H

#include "bench_place.h"

namespace bench
{

/* Shapes, a bit for each. */
enum shape : uint32_t {
    small = 1,         /* 64x64 */
    full_hd = 2,       /* 1920x1080 */
    photo = 4,         /* 6000x4000 */
    square = 8,        /* 16384x16384 */
    pictures = 15,     /* the four */
    photos = 7,        /* without the largest */
    square_4k = 16,    /* 4096x4096 */
    square_10k = 32,   /* 10000x10000 */
    array_64k = 64,    /* 2^16 elements */
    array_1m = 128,    /* 2^20 */
    array_2m = 256,    /* 2^21 */
    array_16m = 512,   /* 2^24 */
    array_256m = 1024, /* 2^28 */
    arrays = 1728,     /* all of them but 2^21 */
    matrices = 2048,   /* 512x512, 1024x1024 and 4096x4096 */
};

struct test_case {
    const char *op, *params; /* name=value, space between */
    uint32_t dtype, channels;
    uint32_t shapes;
    data what;
    int peer;         /* what CUB makes, a number of the bench's own; 0: nothing */
    const char *note; /* about it, for the name */
    uint32_t taps;    /* a full mask of this side, or 1-D taps; of other ops multiplications of each sample, if known */
    bool whole;       /* small whole numbers in the mask */
    double room;      /* select: the share of the samples that there is room for; 0: all */
    uint64_t segment; /* scan: elements of each; 0: no segments */
    uint32_t unwanted; /* a bit for each output that is not made */
};

/* A case with one of its shapes. */
struct work {
    const test_case *c;
    gf_step step;
    gf_view view;              /* of input 0, rows at multiples of 16 bytes; there are no gaps */
    gf_view in[GF_MAX_INPUTS]; /* of all inputs; none for those left out */
    const gf_buf *list;        /* input 1, where it lies on the host */
    uint64_t samples;
};

/* CUB's elements in the type of its sums. */
template <class A> struct widen {
    template <class T> __host__ __device__ A operator()(T x) const
    {
        return static_cast<A>(x);
    }
};

/* Puts CUB's way from b.src to b.dst into the exec context's main stream. */
using cub_fn = cudaError_t (*)(place &b, const work &w);

/* main() of a bench. `cub` may be NULL. */
int run_all(int argc, char **argv, const test_case *cases, size_t n, cub_fn cub, int cub_version);

} // namespace bench

#endif
