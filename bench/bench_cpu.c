/* SPDX-License-Identifier: MIT */
/* See bench_cpu.h. Called by one thread. */
#include "bench_cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/registry.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/op_shapes.h"

#define EXPORT __attribute__((visibility("default")))

struct bench_device {
    struct gf_device *device;
    struct gf_exec *exec;
};

struct bench_step {
    struct gf_exec *exec;
    struct gf_step step;
    struct gf_buf in[GF_MAX_INPUTS];
    struct gf_sink out[GF_MAX_OUTPUTS];
    char params[GF_MAX_BODY / 16]; /* cut into words, which the step points to */
};

static struct gf_error last;

EXPORT const char *bench_error(void)
{
    return last.text;
}

EXPORT struct bench_device *bench_open(uint32_t threads)
{
    const struct gf_device_options options = {.device = "cpu", .threads = threads};
    struct bench_device *d = calloc(1, sizeof(*d));
    if (!d)
        return NULL;
    enum gf_status status = gf_cpu_backend.open(&options, &d->device, &last);
    if (status == GF_OK)
        status = gf_cpu_backend.exec_open(d->device, &d->exec, &last);
    if (status == GF_OK)
        return d;
    gf_cpu_backend.close(d->device);
    free(d);
    return NULL;
}

static enum gf_status set_params(struct bench_step *s, const char *params)
{
    struct gf_step *step = &s->step;
    char *rest = NULL;
    (void)snprintf(s->params, sizeof(s->params), "%s", params);
    gf_op_params_default(step->op, &step->params);
    for (char *word = strtok_r(s->params, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        if (value)
            *value++ = '\0';
        const struct gf_param_desc *param = value ? gf_op_param(step->op, word) : NULL;
        if (!param)
            return gf_error_set(&last, GF_E_BAD_PARAM, "%s has no parameter %s", step->op->name, word);
        enum gf_status status = gf_op_param_parse(step->op, param, value, &step->params, &last);
        if (status != GF_OK)
            return status;
    }
    return GF_OK;
}

static enum gf_status set_up(struct bench_step *s, const char *params, uint32_t n_inputs,
                             const struct bench_array *inputs)
{
    struct gf_view views[GF_MAX_INPUTS];
    enum gf_status status = set_params(s, params);
    for (uint32_t i = n_inputs; i < GF_MAX_INPUTS; i++)
        s->step.in[i].from = GF_FROM_NOTHING;
    for (uint32_t i = 0; i < n_inputs && i < GF_MAX_INPUTS; i++) {
        views[i] = gf_view_tight(gf_dtype_from_word(inputs[i].dtype), inputs[i].width, inputs[i].height,
                                 (uint32_t)inputs[i].channels);
        s->in[i] = (struct gf_buf){.data = inputs[i].data, .view = views[i]};
        s->step.in[i] = (struct gf_ref){.index = (uint16_t)i};
    }
    if (status == GF_OK)
        status = gf_op_infer(s->step.op, views, n_inputs, &s->step.params, s->step.out, &last);
    for (uint32_t i = 0; i < s->step.op->n_outputs && status == GF_OK; i++)
        s->out[i] = (struct gf_sink){.output = (uint8_t)i, .buf = {.view = s->step.out[i]}};
    return status;
}

EXPORT struct bench_step *bench_step_new(struct bench_device *device, const char *op, const char *params,
                                         uint32_t n_inputs, const struct bench_array *inputs)
{
    struct bench_step *s = calloc(1, sizeof(*s));
    if (!s)
        return NULL;
    s->exec = device->exec;
    s->step.op = gf_op_by_name(op);
    if (!s->step.op)
        (void)gf_error_set(&last, GF_E_BAD_REQUEST, "there is no op %s", op);
    else if (set_up(s, params, n_inputs, inputs) == GF_OK)
        return s;
    bench_step_free(s);
    return NULL;
}

EXPORT void bench_step_free(struct bench_step *step)
{
    free(step);
}

EXPORT struct bench_array bench_output(const struct bench_step *step, uint32_t i)
{
    const struct gf_buf *buf = &step->out[i].buf;
    if (i >= step->step.op->n_outputs)
        return (struct bench_array){0};
    return (struct bench_array){buf->data, gf_dtype_word(buf->view.dtype), buf->view.width, buf->view.height,
                                buf->view.channels};
}

EXPORT void bench_place(struct bench_step *step, uint32_t i, void *data)
{
    step->out[i].buf.data = data;
}

EXPORT int bench_run(struct bench_step *step)
{
    struct gf_job job = {.steps = &step->step,
                         .n_steps = 1,
                         .operands = step->in,
                         .n_operands = GF_MAX_INPUTS,
                         .sinks = step->out,
                         .n_sinks = step->step.op->n_outputs};
    return gf_cpu_backend.run(step->exec, &job, &last) == GF_OK ? 0 : 1;
}
