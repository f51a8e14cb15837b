/* SPDX-License-Identifier: MIT */
/*
 * The worker with backends that fail on request. This file replaces kernels/registry.c and defines its only function. A
 * request whose first operand has 4000 + n columns triggers fault n of fault_kernels.h on any device; with 4100 + n
 * columns it triggers the fault on a GPU alone. All other requests run as usual. Never installed.
 */
#include <string.h>
#include <unistd.h>

#include "fault_kernels.h"
#include "kernels/registry.h"

#define ANYWHERE 4000u
#define ON_A_GPU 4100u
#define EXIT_CODE 9

static const struct gf_backend *g_real;

static enum gf_fault fault_of(const struct gf_job *job)
{
    bool gpu = g_real == &gf_cuda_backend;
    uint64_t width = job->n_operands > 0 ? job->operands[0].view.width : 0;
    for (uint64_t fault = GF_FAULT_EXIT; fault < GF_N_FAULTS; fault++)
        if (width == ANYWHERE + fault || (gpu && width == ON_A_GPU + fault))
            return (enum gf_fault)fault;
    return GF_FAULT_NONE;
}

static enum gf_status run(struct gf_exec *exec, struct gf_job *job, struct gf_error *err)
{
    enum gf_fault fault = fault_of(job);
    if (fault == GF_FAULT_EXIT)
        _exit(EXIT_CODE);
    if (fault != GF_FAULT_NONE && g_real == &gf_cuda_backend)
        gf_fault_launch(fault);
    else if (fault == GF_FAULT_HANG)
        for (;;)
            pause();
    enum gf_status status = g_real->run(exec, job, err);
    return status == GF_OK && g_real == &gf_cuda_backend ? gf_fault_compute(job, err) : status;
}

const struct gf_backend *gf_backend_for_device(const char *device)
{
    static struct gf_backend faulty;
    g_real = strcmp(device, gf_cpu_backend.name) == 0 ? &gf_cpu_backend : &gf_cuda_backend;
    faulty = *g_real;
    faulty.run = run;
    return &faulty;
}
