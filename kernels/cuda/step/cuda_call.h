/* SPDX-License-Identifier: MIT */
/*
 * One step on its way to the device: what an op's function is given. Rows of inputs are uploaded when the op asks for
 * them, rows of outputs may leave as soon as the op says that they are on their way, so that copies and kernels overlap
 * where the job allows it. Made by cuda_run.c.
 */
#ifndef GF_CUDA_CALL_H
#define GF_CUDA_CALL_H

#include "kernels/cuda/device/cuda_device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A stop is looked for at least once in so many bytes of images: some milliseconds. */
#define GF_CUDA_WORK_UNIT_BYTES (1024u * 1024u * 1024u)

struct gf_cuda_filter_group;

struct gf_cuda_call {
    struct gf_exec *exec;
    const struct gf_step *step; /* of a group that of the filter */
    struct gf_job *job;
    uint32_t index; /* of the step in the job; of a group the last one, whose output is `out` */
    const struct gf_cuda_filter_group *group;   /* of a linear filter: filter_group.h */
    struct gf_cuda_image *image[GF_MAX_INPUTS]; /* inputs that are images or buffers, else NULL; so if left out */
    const struct gf_buf *coefs[GF_MAX_INPUTS];  /* inputs that are coefficients or lists, on the host, else NULL */
    struct gf_cuda_image *out;                  /* one per output; a COUNTED one that nobody wants has no data */
    bool overlap;                               /* copies run in streams of their own */
};

/* Makes the first `rows` rows of an input ready for work put into the main stream from now on. */
enum gf_status gf_cuda_need(struct gf_cuda_call *call, struct gf_cuda_image *image, uint64_t rows,
                            struct gf_error *err);
/* All rows of an input, and gf_cuda_go_on for its bytes. */
enum gf_status gf_cuda_need_all(struct gf_cuda_call *call, struct gf_cuda_image *image, struct gf_error *err);
/* Says that the first `rows` rows of an output are ready once the main stream has come this far. */
enum gf_status gf_cuda_made(struct gf_cuda_call *call, uint32_t output, uint64_t rows, struct gf_error *err);
/* A word on the device into which kernels of this step put the least index of data that the op refuses, by atomicMin;
 * when the job is done, `explain` makes the request fail for it. */
enum gf_status gf_cuda_fault_word(struct gf_cuda_call *call, gf_cuda_fault_fn *explain, uint64_t **ret_word,
                                  struct gf_error *err);
/* Brings the words to the host, if the job has any. */
enum gf_status gf_cuda_faults_fetch(struct gf_exec *exec, struct gf_error *err);
/* After the exec context is idle: the failure of the first step that found a fault, or OK. */
enum gf_status gf_cuda_faults_check(const struct gf_exec *exec, const struct gf_job *job, struct gf_error *err);
/* Before work on so many bytes is put into the main stream: CANCELLED or DEADLINE where the job should go no further.
 * Waits for work before the last GF_CUDA_WORK_UNIT_BYTES or so, so that this is known in time. */
enum gf_status gf_cuda_go_on(struct gf_exec *exec, const struct gf_job *job, uint64_t bytes, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
