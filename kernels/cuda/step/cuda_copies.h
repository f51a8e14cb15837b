/* SPDX-License-Identifier: MIT */
/* Copies in streams, for cuda_run.c. The functions of cuda_copies.c for ops are declared in cuda_call.h. */
#ifndef GF_CUDA_COPIES_H
#define GF_CUDA_COPIES_H

#include "cuda_call.h"

/* Copies rows to, from or on the device, by the fastest call for their pitches. */
cudaError_t gf_cuda_copy_rows(char *dst, size_t dst_pitch, const char *src, size_t src_pitch, size_t row, uint64_t rows,
                              enum cudaMemcpyKind kind, cudaStream_t stream);
/* Makes `later` wait for the work that is in `earlier` now. */
cudaError_t gf_cuda_stream_wait(struct gf_exec *exec, cudaStream_t later, cudaStream_t earlier);

#endif
