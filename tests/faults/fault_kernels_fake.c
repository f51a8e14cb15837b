/* SPDX-License-Identifier: MIT */
/* The device of tests/support/fake_cuda.c launches no faults, and the CPU computes its results; see fault_kernels.h. */
#include <pthread.h>
#include <string.h>

#include "fault_kernels.h"
#include "kernels/registry.h"
#include "tests/support/fake_cuda.h"

static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;

void gf_fault_launch(enum gf_fault fault)
{
    (void)fault;
}

static void to_content(struct gf_buf *buf)
{
    buf->data = gf_fake_cuda_content(buf->data);
}

enum gf_status gf_fault_compute(const struct gf_job *job, struct gf_error *err)
{
    static struct gf_device *cpu;
    static struct gf_exec *exec;
    struct gf_buf operands[GF_MAX_OPERANDS];
    struct gf_sink sinks[GF_MAX_RESULTS];
    struct gf_job copy = *job;
    enum gf_status status = GF_OK;
    (void)pthread_mutex_lock(&g_mutex);
    if (!cpu)
        status = gf_cpu_backend.open(&(struct gf_device_options){.device = "cpu", .threads = 1}, &cpu, err);
    if (status == GF_OK && !exec)
        status = gf_cpu_backend.exec_open(cpu, &exec, err);
    memcpy(operands, job->operands, job->n_operands * sizeof(*operands));
    memcpy(sinks, job->sinks, job->n_sinks * sizeof(*sinks));
    for (uint32_t i = 0; i < job->n_operands; i++)
        to_content(&operands[i]);
    for (uint32_t i = 0; i < job->n_sinks; i++)
        to_content(&sinks[i].buf);
    copy.operands = operands;
    copy.sinks = sinks;
    copy.spans = NULL;
    if (status == GF_OK)
        status = gf_cpu_backend.run(exec, &copy, err);
    (void)pthread_mutex_unlock(&g_mutex);
    return status;
}
