/* SPDX-License-Identifier: MIT */
/* Words on the device in which kernels record the data that an op refuses; see cuda_call.h. */
#include "cuda_call.h"
#include "kernels/cuda/device/cuda_status.h"

enum gf_status gf_cuda_fault_word(struct gf_cuda_call *call, gf_cuda_fault_fn *explain, uint64_t **ret_word,
                                  struct gf_error *err)
{
    struct gf_cuda_faults *faults = &call->exec->faults;
    cudaError_t error = cudaSuccess;
    if (!faults->used)
        error = cudaMemsetAsync(faults->device, 0xFF, GF_MAX_STEPS * sizeof(*faults->device), call->exec->main);
    if (error == cudaSuccess) {
        faults->used = true;
        faults->explain[call->index] = explain;
        *ret_word = &faults->device[call->index];
    }
    return gf_cuda_status(error, "clearing the fault words", err);
}

enum gf_status gf_cuda_faults_fetch(struct gf_exec *exec, struct gf_error *err)
{
    struct gf_cuda_faults *faults = &exec->faults;
    if (!faults->used)
        return GF_OK;
    return gf_cuda_status(cudaMemcpyAsync(faults->host, faults->device, GF_MAX_STEPS * sizeof(*faults->host),
                                          cudaMemcpyDeviceToHost, exec->main),
                          "copying the fault words", err);
}

enum gf_status gf_cuda_faults_check(const struct gf_exec *exec, const struct gf_job *job, struct gf_error *err)
{
    const struct gf_cuda_faults *faults = &exec->faults;
    for (uint32_t i = 0; faults->used && i < job->n_steps; i++)
        if (faults->explain[i] && faults->host[i] != UINT64_MAX)
            return faults->explain[i](&job->steps[i], faults->host[i], err);
    return GF_OK;
}
