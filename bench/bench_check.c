/* SPDX-License-Identifier: MIT */
/* See bench_check.h. */
#include "bench_check.h"

#include <string.h>

#include "kernels/registry.h"
#include "tests/reference/reference.h"

enum gf_status bench_check_open(struct bench_check *ret_check, struct gf_error *err)
{
    const struct gf_device_options options = {.device = "cpu"};
    enum gf_status status = gf_cpu_backend.open(&options, &ret_check->device, err);
    return status == GF_OK ? gf_cpu_backend.exec_open(ret_check->device, &ret_check->exec, err) : status;
}

void bench_check_close(struct bench_check *check)
{
    gf_cpu_backend.exec_close(check->exec);
    gf_cpu_backend.close(check->device);
}

static enum gf_status run_reference(const struct gf_step *step, const struct gf_buf *in, const struct gf_buf *out,
                                    struct gf_error *err)
{
    struct gf_reference_buf from[GF_MAX_INPUTS] = {{0}}, to[GF_MAX_OUTPUTS] = {{0}};
    for (uint32_t i = 0; i < step->op->n_inputs; i++)
        from[i] = (struct gf_reference_buf){in[i].data, in[i].view};
    for (uint32_t i = 0; i < step->op->n_outputs; i++)
        to[i] = (struct gf_reference_buf){out[i].data, out[i].view};
    return gf_reference_run(step->op, &step->params, from, to, err);
}

enum gf_status bench_check_run(const struct bench_check *check, bool reference, const struct gf_step *step,
                               const struct gf_buf *in, const struct gf_buf *out, struct gf_error *err)
{
    struct gf_sink sinks[GF_MAX_OUTPUTS];
    uint32_t n_sinks = 0;
    if (reference)
        return run_reference(step, in, out, err);
    for (uint32_t i = 0; i < step->op->n_outputs; i++)
        if (out[i].data)
            sinks[n_sinks++] = (struct gf_sink){.output = (uint8_t)i, .buf = out[i]};
    struct gf_job job = {.steps = step,
                         .n_steps = 1,
                         .operands = in,
                         .n_operands = step->op->n_inputs,
                         .sinks = sinks,
                         .n_sinks = n_sinks};
    return gf_cpu_backend.run(check->exec, &job, err);
}

uint64_t bench_check_hash(uint64_t hash, const void *data, size_t size)
{
    const char *p = data;
    for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, p + at, size - at < sizeof(word) ? size - at : sizeof(word));
        hash = (hash ^ word) * 0x100000001B3u;
    }
    return hash;
}
