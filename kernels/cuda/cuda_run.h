/* SPDX-License-Identifier: MIT */
/* The run of a program: it is put into the streams of an execution context, then waited for. gf_cuda_run_whole does
 * both. */
#ifndef GF_CUDA_RUN_H
#define GF_CUDA_RUN_H

#include "kernels/cuda/device/cuda_device.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gf_cuda_run {
    struct gf_exec *exec;
    struct gf_job *job;
    bool overlap;           /* copies run in their own streams */
    uint64_t max_on_device; /* images with more bytes lie in host memory */
    uint64_t begin_ns;
};

#define GF_CUDA_ALL_ON_DEVICE UINT64_MAX

/* Puts the whole job into the streams. Whatever the status, the caller must pass it to gf_cuda_run_end before the
 * execution context runs anything else. */
enum gf_status gf_cuda_run_begin(struct gf_exec *exec, struct gf_job *job, uint64_t max_on_device,
                                 struct gf_cuda_run *ret_run, struct gf_error *err);
/* Waits until the execution context is idle, frees its memory and fills job->times: those of the stages, or as the
 * kernel's all the time since the run began if it failed. Returns the status of the whole run. */
enum gf_status gf_cuda_run_end(struct gf_cuda_run *run, enum gf_status status, struct gf_error *err);

/* Runs every op once per sample type on a tiny picture, so that no request pays for set-up. In cuda_warm.c. */
enum gf_status gf_cuda_warm(struct gf_exec *exec, struct gf_error *err);

/* Runs a job in one go. */
enum gf_status gf_cuda_run_whole(struct gf_exec *exec, struct gf_job *job, struct gf_error *err);

/* gf_backend.run. In cuda_schedule.c. */
enum gf_status gf_cuda_run(struct gf_exec *exec, struct gf_job *job, struct gf_error *err);

/* gf_cuda_run_whole with large images in host memory. */
enum gf_status gf_cuda_run_host_mapped(struct gf_exec *exec, struct gf_job *job, struct gf_error *err);

/* The execution contexts of a job thread: the slabs of a job alternate between them, so that one copies while the other
 * computes. The backend hands out the first. */
struct gf_cuda_exec_pair {
    struct gf_exec exec, other;
};

#ifdef __cplusplus
}
#endif
#endif
