/* SPDX-License-Identifier: MIT */
/* One program on its way: put into an exec context's streams, then waited for; gf_cuda_run_whole is both. */
#ifndef GF_CUDA_RUN_H
#define GF_CUDA_RUN_H

#include "kernels/cuda/device/cuda_device.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gf_cuda_run {
    struct gf_exec *exec;
    struct gf_job *job;
    bool overlap;           /* copies run in streams of their own */
    uint64_t max_on_device; /* images of more bytes lie in the host's memory */
};

#define GF_CUDA_ALL_ON_DEVICE UINT64_MAX

/* Puts the whole job into the streams. Whatever it returns, gf_cuda_run_end comes next, before the exec context runs
 * anything else, and is told that status. */
enum gf_status gf_cuda_run_begin(struct gf_exec *exec, struct gf_job *job, uint64_t max_on_device,
                                 struct gf_cuda_run *ret_run, struct gf_error *err);
/* Waits until the exec context is idle, gives back its memory and fills job->times. The status of the whole. */
enum gf_status gf_cuda_run_end(struct gf_cuda_run *run, enum gf_status status, struct gf_error *err);

/* Runs every op once per sample type on a tiny picture, so that nothing is set up later. In cuda_warm.c. */
enum gf_status gf_cuda_warm(struct gf_exec *exec, struct gf_error *err);

/* Runs a job in one go. */
enum gf_status gf_cuda_run_whole(struct gf_exec *exec, struct gf_job *job, struct gf_error *err);

/* gf_backend.run. In cuda_schedule.c. */
enum gf_status gf_cuda_run(struct gf_exec *exec, struct gf_job *job, struct gf_error *err);

/* gf_cuda_run_whole with large images in the host's memory. */
enum gf_status gf_cuda_run_host_mapped(struct gf_exec *exec, struct gf_job *job, struct gf_error *err);

/* What a job thread has: slabs of a job go to both exec contexts by turns, so that one copies while the other computes.
 * The backend hands out the first one. */
struct gf_cuda_exec_pair {
    struct gf_exec exec, other;
};

#ifdef __cplusplus
}
#endif
#endif
