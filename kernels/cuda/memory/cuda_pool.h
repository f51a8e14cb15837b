/* SPDX-License-Identifier: MIT */
/*
 * Device memory in the order of an execution context's main stream. Returned memory is kept for the next request of its
 * size, so most requests make no call to CUDA, whose own pool takes microseconds.
 */
#ifndef GF_CUDA_POOL_H
#define GF_CUDA_POOL_H

#include "kernels/cuda/device/cuda_device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the device's pool and makes it keep returned memory. A device that shares the machine's memory gets a budget.
 */
enum gf_status gf_cuda_pool_init(struct gf_device *device, struct gf_error *err);

/* Counts bytes as held, for jobs and resident buffers together. NO_DEVICE_MEMORY where they exceed the budget. `own` is
 * the number of bytes that the same job already holds, for the error text. */
enum gf_status gf_cuda_pool_reserve(struct gf_device *device, uint64_t size, uint64_t own, struct gf_error *err);
void gf_cuda_pool_unreserve(struct gf_device *device, uint64_t size);
/* Allocates held memory in the order of a stream. NO_DEVICE_MEMORY. */
enum gf_status gf_cuda_pool_alloc(struct gf_device *device, cudaStream_t stream, size_t size, uint64_t own,
                                  void **ret_data, struct gf_error *err);
/* Free the memory that is kept for later: of an execution context, by its thread; of the whole device, while no job
 * runs. */
void gf_cuda_exec_trim(struct gf_exec *exec);
void gf_cuda_pool_trim(struct gf_device *device);
/* Returns the bytes that can still be allocated. */
uint64_t gf_cuda_pool_free(struct gf_device *device);

/* Allocates at least `size` bytes, not cleared and aligned for any access, for use in the execution context's main
 * stream. NO_DEVICE_MEMORY. */
enum gf_status gf_cuda_alloc(struct gf_exec *exec, size_t size, void **ret_data, struct gf_error *err);
/* Returns memory once the main stream has reached this point. NULL is allowed. */
void gf_cuda_free(struct gf_exec *exec, void *data);

/*
 * Tables that an op computes on the device from a few numbers are kept in place of being returned: at most
 * GF_CUDA_TABLES tables of at most 1 MiB each, until other tables replace them or the execution context is trimmed.
 * Keys and notes have GF_CUDA_TABLES_KEY and GF_CUDA_TABLES_NOTE bytes. Called by the thread that runs the job. A job
 * ends when its execution context is idle, so the tables of earlier jobs are complete whichever stream the next job
 * uses.
 */
/* Whether tables with this key exist; if so, returns their note. They may be used by work that is put into the main
 * stream before the next gf_cuda_keep_tables. */
bool gf_cuda_find_tables(struct gf_exec *exec, const void *key, void *ret_note);
/* Keeps a taken block as tables, or returns it where it is too large. The note must say where the block is. */
void gf_cuda_keep_tables(struct gf_exec *exec, void *data, const void *key, const void *note);

/* Returns a view whose rows start at multiples of GF_CUDA_ALIGN, and its size in bytes. TOO_LARGE. */
enum gf_status gf_cuda_align_view(const struct gf_view *view, struct gf_view *ret_view, uint64_t *ret_bytes,
                                  struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
