/* SPDX-License-Identifier: MIT */
/*
 * A step on its way to the device: the argument of an op's function. The op asks for rows of its inputs, which are then
 * uploaded, and reports rows of its outputs, which may then be downloaded, so that copies and kernels overlap where the
 * job allows it. Made by cuda_run.c.
 */
#ifndef GF_CUDA_CALL_H
#define GF_CUDA_CALL_H

#include "kernels/cuda/device/cuda_device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A job checks for a stop at least once per this many bytes of images: every few milliseconds. */
#define GF_CUDA_WORK_UNIT_BYTES (1024u * 1024u * 1024u)

struct gf_cuda_filter_group;

struct gf_cuda_call {
    struct gf_exec *exec;
    const struct gf_step *step; /* for a group, the step of the filter */
    struct gf_job *job;
    uint32_t index; /* index of the step in the job; for a group, of its last step, whose output is `out` */
    const struct gf_cuda_filter_group *group;   /* for a linear filter: filter_group.h */
    struct gf_cuda_image *image[GF_MAX_INPUTS]; /* images and buffers; NULL for other and omitted inputs */
    const struct gf_buf *coefs[GF_MAX_INPUTS];  /* inputs that are coefficients or lists, on the host; otherwise NULL */
    struct gf_cuda_image *out;                  /* one per output; a COUNTED output that is not used has no data */
    bool overlap;                               /* copies run in their own streams */
};

/* Makes the first `rows` rows of an input available to work that is put into the main stream from now on. */
enum gf_status gf_cuda_require_rows(struct gf_cuda_call *call, struct gf_cuda_image *image, uint64_t rows,
                                    struct gf_error *err);
/* Makes all rows of an input available, and calls gf_cuda_throttle for its bytes. */
enum gf_status gf_cuda_require_all(struct gf_cuda_call *call, struct gf_cuda_image *image, struct gf_error *err);
/* Reports that the first `rows` rows of an output will be complete when the main stream reaches this point. */
enum gf_status gf_cuda_rows_ready(struct gf_cuda_call *call, uint32_t output, uint64_t rows, struct gf_error *err);
/* Returns a word on the device for the least index of data that the op refuses; kernels of the step write it by
 * atomicMin. When the job has finished, `explain` makes the request fail for that index. */
enum gf_status gf_cuda_fault_word(struct gf_cuda_call *call, gf_cuda_fault_fn *explain, uint64_t **ret_word,
                                  struct gf_error *err);
/* Copies the fault words to the host, if the job has any. */
enum gf_status gf_cuda_faults_fetch(struct gf_exec *exec, struct gf_error *err);
/* Called when the execution context is idle. Returns the failure of the first step that found a fault, otherwise OK. */
enum gf_status gf_cuda_faults_check(const struct gf_exec *exec, const struct gf_job *job, struct gf_error *err);
/* Called before work on `bytes` bytes is put into the main stream. Returns CANCELLED or DEADLINE where the job must
 * stop. Waits for work older than about GF_CUDA_WORK_UNIT_BYTES, so that a stop is noticed in time. */
enum gf_status gf_cuda_throttle(struct gf_exec *exec, const struct gf_job *job, uint64_t bytes, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
