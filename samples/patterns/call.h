/* SPDX-License-Identifier: MIT */
/* What a rung works on. It stands alone because files of kernels include it too, as C++ for the GPU. */
#ifndef PATTERNS_CALL_H
#define PATTERNS_CALL_H

#include <stdbool.h>
#include <stddef.h>

#define MAX_INPUTS 3

/* C++ has a pointer become one to any type, too, as kernels take it. */
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

/* Pointers are the GPU's in a CUDA form, the host's in an emulated one. temp and out hold rubbish at the start. */
struct call {
    size_t n;
    unsigned parameter;
    any_input in[MAX_INPUTS];
    any_pointer out;
    any_pointer temp; /* temporary storage, as large as the ladder's `sizes` says */

    /* Set by RUN for the harness: the first kernel of the rung, and what went wrong first. */
    const void *kernel;
    unsigned threads; /* in a block */
    char error[160];  /* empty: nothing */
    bool absent;      /* error says what the rung needs that is not here; nothing is wrong */
};

#endif
