/* SPDX-License-Identifier: MIT */
/* The arguments of a rung. Files of kernels include this header, too, compiled as C++ for the GPU. */
#ifndef PATTERNS_CALL_H
#define PATTERNS_CALL_H

#include <stdbool.h>
#include <stddef.h>

#define MAX_INPUTS 3

/* C++ does not convert void * to other pointers; this type does, so that kernels take the pointers as they are. */
#ifdef __cplusplus
struct any_pointer {
    void *address;
    template <typename type> operator type *() const
    {
        return (type *)address;
    }
};
typedef struct any_pointer any_input;
#else
typedef void *any_pointer;
typedef const void *any_input;
#endif

/* Pointers are GPU pointers in a CUDA form and host pointers in an emulated one. temp and out start filled with
 * rubbish. */
struct call {
    size_t n;
    unsigned parameter;
    any_input in[MAX_INPUTS];
    any_pointer out;
    any_pointer temp; /* scratch memory of the size that the ladder's `sizes` gives */

    /* Set by RUN for the harness: the first kernel of the rung, and the first error. */
    const void *kernel;
    unsigned threads; /* per block */
    char error[160];  /* empty: no error */
    bool absent;      /* the rung needs something that is not installed; `error` says what */
};

#endif
