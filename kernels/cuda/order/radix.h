/* SPDX-License-Identifier: MIT */
/* CUB's radix sort of keys with and without a number for each, both stable, from the least on. Called by order.c. */
#ifndef GF_CUDA_RADIX_H
#define GF_CUDA_RADIX_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Floats have no NaN but positive ones, of one form; CUB takes -0 and +0 as equal. Only u32 and u64 have numbers. */
enum gf_cuda_radix_kind { GF_RADIX_U8, GF_RADIX_U16, GF_RADIX_U32, GF_RADIX_U64, GF_RADIX_F32, GF_RADIX_F64 };

struct gf_cuda_radix {
    enum gf_cuda_radix_kind kind;
    int end_bit;   /* higher ones are the same in all keys; of floats all count */
    uint32_t n;    /* keys */
    void *keys[2]; /* in keys[0]; both are written to */
    bool numbered;
    uint32_t *places[2]; /* with numbers these, in places[0] */
    uint32_t made;       /* set: which of the two has the result */
};

/* Where `workspace` is NULL, *size becomes what it needs; else puts the sort into the stream. */
cudaError_t gf_cuda_radix_sort(struct gf_cuda_radix *radix, void *workspace, size_t *size, cudaStream_t stream);
/* The same of keys that stay, into memory that has them then: no numbers, no pass over all keys beside CUB's own. The
 * workspace has room for all keys. */
cudaError_t gf_cuda_radix_copy(enum gf_cuda_radix_kind kind, const void *from, void *to, uint32_t n, void *workspace,
                               size_t *size, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
