/* SPDX-License-Identifier: MIT */
/* The operators that reduction_operators.cu reduces by, for its kernels and for its reference. */
#ifndef PATTERNS_REDUCTION_OPERATORS_H
#define PATTERNS_REDUCTION_OPERATORS_H

enum {
    OP_MIN,
    OP_MAX,
    OP_PRODUCT,  /* modulo 2^32 */
    OP_MATRIX,   /* the product of [[x, 1], [1, 0]] for each number x, in order, modulo 2^32 */
    OP_FARTHEST, /* three numbers are a point: the index of the one farthest from the origin, the lowest if equal */
};

#endif
