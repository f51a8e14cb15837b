/* SPDX-License-Identifier: MIT */
/*
 * Device memory in the order of an exec context's main stream. What is given back is kept as it is for the next block
 * of its size, so that most takes are not heard of by CUDA, whose own pool takes microseconds.
 */
#ifndef GF_CUDA_POOL_H
#define GF_CUDA_POOL_H

#include "cuda_device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the device's pool and makes it keep what was given back. */
enum gf_status gf_cuda_pool_init(struct gf_device *device, struct gf_error *err);

/* Counts bytes as held, for jobs and resident buffers together. NO_DEVICE_MEMORY where the budget has no room for them;
 * `own`: what the same job holds already, for the sentence. */
enum gf_status gf_cuda_pool_hold(struct gf_device *device, uint64_t size, uint64_t own, struct gf_error *err);
void gf_cuda_pool_let_go(struct gf_device *device, uint64_t size);
/* Memory in the order of a stream, held before. NO_DEVICE_MEMORY. */
enum gf_status gf_cuda_pool_take(struct gf_device *device, cudaStream_t stream, size_t size, uint64_t own,
                                 void **ret_data, struct gf_error *err);
/* Gives back what is kept for later: of an exec context by its thread; of the whole device, while no job runs. */
void gf_cuda_exec_trim(struct gf_exec *exec);
void gf_cuda_pool_trim(struct gf_device *device);
/* Bytes that could still be taken. */
uint64_t gf_cuda_pool_free(struct gf_device *device);

/* At least `size` bytes, not cleared, for use in the exec context's main stream; aligned for any access.
 * NO_DEVICE_MEMORY. */
enum gf_status gf_cuda_take(struct gf_exec *exec, size_t size, void **ret_data, struct gf_error *err);
/* Gives memory back once the main stream has come this far. NULL is allowed. */
void gf_cuda_give(struct gf_exec *exec, void *data);

/*
 * Tables that an op makes on the device from a few numbers stay there in place of being given back, at most
 * GF_CUDA_TABLES of them, of at most 1 MiB each, until others come or the exec context is trimmed. Keys and notes are
 * GF_CUDA_TABLES_KEY and GF_CUDA_TABLES_NOTE bytes. Called by the thread that runs the job: a job ends when its exec
 * context is idle, so what an earlier one copied is there, in whichever stream the next one runs.
 */
/* Whether there are tables with this key, with their note: for work put into the main stream before the next
 * gf_cuda_keep_tables. */
bool gf_cuda_find_tables(struct gf_exec *exec, const void *key, void *ret_note);
/* Keeps a block that was taken, or gives it back where it is too large. Its note says where it is. */
void gf_cuda_keep_tables(struct gf_exec *exec, void *data, const void *key, const void *note);

/* A view with rows at multiples of GF_CUDA_ALIGN, and its size in bytes; TOO_LARGE. */
enum gf_status gf_cuda_align_view(const struct gf_view *view, struct gf_view *ret_view, uint64_t *ret_bytes,
                                  struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
