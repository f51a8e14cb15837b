/* SPDX-License-Identifier: MIT */
/* CUB's radix sort of keys, with or without a number per key; stable, ascending. Called by order.c. */
#ifndef GF_CUDA_RADIX_H
#define GF_CUDA_RADIX_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Floats must have no NaN except the positive canonical one. CUB treats -0 and +0 as equal. Only u32 and u64 keys may
 * have numbers. */
enum gf_cuda_radix_kind { GF_RADIX_U8, GF_RADIX_U16, GF_RADIX_U32, GF_RADIX_U64, GF_RADIX_F32, GF_RADIX_F64 };

struct gf_cuda_radix {
    enum gf_cuda_radix_kind kind;
    int end_bit;   /* higher bits are the same in all keys; for floats it must be their width */
    uint32_t n;    /* number of keys */
    void *keys[2]; /* input in keys[0]; both are overwritten */
    bool numbered;
    uint32_t *places[2]; /* where numbered: input in places[0] */
    uint32_t made;       /* output: index of the buffer with the result */
};

/* If `workspace` is NULL, sets *size to the required bytes; otherwise puts the sort into the stream. */
cudaError_t gf_cuda_radix_sort(struct gf_cuda_radix *radix, void *workspace, size_t *size, cudaStream_t stream);
/* Sorts keys without numbers from one buffer into another and leaves the input unchanged. It adds no pass over the keys
 * to CUB's own. The workspace has room for all keys. */
cudaError_t gf_cuda_radix_copy(enum gf_cuda_radix_kind kind, const void *from, void *to, uint32_t n, void *workspace,
                               size_t *size, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
