/* SPDX-License-Identifier: MIT */
/*
 * The reduction that a step of reduce, stats, dot or compare asks of its sequences, and the quantities that it needs
 * (docs/numerics.md, "reduce" and "compare"), alike on every backend. reduce_partial.h has parts of sequences,
 * reduce_result.h results; backends bring the loops over samples. Read by C and CUDA.
 */
#ifndef GF_KERNELS_REDUCE_H
#define GF_KERNELS_REDUCE_H

#include "kernels/backend.h"
#include "protocol/ops/enums.h"

#ifdef __CUDACC__
#define GF_EVERYWHERE static __host__ __device__ __forceinline__
#define GF_EVERYWHERE_CONST static __host__ __device__ constexpr
#else
#define GF_EVERYWHERE static inline
#define GF_EVERYWHERE_CONST static inline
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define GF_TREE_LANES 128u
#define GF_TREE_CHUNK 4096u
#define GF_TREE_ROWS 64u /* of a column's block */

/* Quantities of a part; `want` is a set of them. */
enum gf_want {
    GF_WANT_EXTREMES = 1 << 0, /* least and greatest element with their indices */
    GF_WANT_NAN = 1 << 1,      /* number of NaNs and the index of the first */
    GF_WANT_NONZERO = 1 << 2,  /* number of elements that are not zero, without NaNs */
    GF_WANT_SUM = 1 << 3,      /* exact, integers */
    GF_WANT_ABS = 1 << 4,      /* exact, integers */
    GF_WANT_SQUARES = 1 << 5,  /* exact, 8- and 16-bit integers */
    GF_WANT_PRODUCT = 1 << 6,  /* exact, integers */
    GF_WANT_TREE_SUM = 1 << 7, /* this and the following: by the tree, in f64 */
    GF_WANT_TREE_PRODUCT = 1 << 8,
    GF_WANT_TREE_ABS = 1 << 9,
    GF_WANT_TREE_SQUARES = 1 << 10,
    GF_WANT_SPREAD = 1 << 11, /* (n, m, Q) */
    GF_WANT_DOT = 1 << 12,
    GF_WANT_DIFFERENCES = 1 << 13, /* not a quantity: the elements are the differences of two inputs, in f64 */
};

/* The reduction of each sequence. */
struct gf_reduction {
    uint32_t op;    /* GF_REDUCTION_* */
    uint32_t dtype; /* of the elements; may differ from the inputs' if the elements are differences */
    uint32_t ddof;
    bool omit;     /* ignore NaN */
    bool wrap;     /* compute integers modulo 2^64 */
    uint64_t n;    /* elements of a sequence */
    uint32_t kind; /* GF_REDUCE_* */
    uint32_t axis; /* GF_AXIS_* */
    uint32_t want;
    uint64_t sequences; /* numbered by row, then column, then channel, which varies fastest */
};

/* The kind of op, which determines the outputs. */
enum gf_reduce_kind { GF_REDUCE_ONE, GF_REDUCE_STATS, GF_REDUCE_DOT, GF_REDUCE_COMPARE };

GF_EVERYWHERE bool gf_is_float(uint32_t dtype)
{
    return dtype == GF_F32 || dtype == GF_F64;
}

GF_EVERYWHERE bool gf_is_signed(uint32_t dtype)
{
    return dtype == GF_I8 || dtype == GF_I16 || dtype == GF_I32 || dtype == GF_I64;
}

GF_EVERYWHERE bool gf_is_short(uint32_t dtype)
{
    return dtype == GF_U8 || dtype == GF_I8 || dtype == GF_U16 || dtype == GF_I16;
}

/* The quantities that a reduction needs. */
GF_EVERYWHERE uint32_t gf_reduce_want(uint32_t op, uint32_t dtype)
{
    bool real = gf_is_float(dtype);
    uint32_t nan = real ? GF_WANT_NAN : 0;
    if (op == GF_REDUCTION_SUM || op == GF_REDUCTION_MEAN)
        return nan | (real ? GF_WANT_TREE_SUM : GF_WANT_SUM);
    if (op == GF_REDUCTION_PRODUCT)
        return nan | (real ? GF_WANT_TREE_PRODUCT : GF_WANT_PRODUCT);
    if (op == GF_REDUCTION_VAR || op == GF_REDUCTION_STD)
        return nan | (gf_is_short(dtype) ? GF_WANT_SUM | GF_WANT_SQUARES : GF_WANT_SPREAD);
    if (op == GF_REDUCTION_L1)
        return nan | (real ? GF_WANT_TREE_ABS : gf_is_signed(dtype) ? GF_WANT_ABS : GF_WANT_SUM);
    if (op == GF_REDUCTION_L2)
        return nan | (gf_is_short(dtype) ? GF_WANT_SUM | GF_WANT_SQUARES : GF_WANT_TREE_SQUARES);
    if (op == GF_REDUCTION_COUNT || op == GF_REDUCTION_ANY || op == GF_REDUCTION_ALL)
        return nan | GF_WANT_NONZERO;
    return nan | GF_WANT_EXTREMES;
}

/* The reduction of a step of reduce, stats, dot or compare on inputs with this view. In reduce.c. */
struct gf_reduction gf_reduction_of(const struct gf_step *step, const struct gf_view *view);
/* RESULT_OVERFLOW: the result of this sequence does not fit. */
enum gf_status gf_reduce_overflow(const struct gf_step *step, uint64_t sequence, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
