/* SPDX-License-Identifier: MIT */
/*
 * See poison.h. An exec context keeps the memory that a job gave back for the next job that needs as much. A job before
 * the case copies arrays as large as the case's pictures and so leaves memory full of the byte. Called by runner.c and
 * places.c.
 */
#include "poison.h"

#include <stdlib.h>
#include <string.h>

#include "protocol/ops/op_codec.h"

#define MAX_BLOCKS (GF_MAX_STEPS / 2)
#define ROW 16u    /* rows on a device begin at multiples of this */
#define BLOCK 512u /* and so large are pieces of its memory */

/* The bytes that the pictures of a case take, one for each. */
struct blocks {
    uint64_t size[MAX_BLOCKS], largest;
    uint32_t n;
};

static uint64_t round_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static void add(struct blocks *b, const struct gf_view *view)
{
    if (b->n == MAX_BLOCKS || gf_view_samples(view) == 0)
        return;
    uint64_t size = round_up(round_up(gf_view_row_bytes(view), ROW) * view->height, BLOCK);
    b->size[b->n++] = size;
    b->largest = size > b->largest ? size : b->largest;
}

static struct blocks blocks_of(const struct gf_case *c)
{
    struct blocks b = {.n = 0};
    add(&b, &c->src);
    for (uint32_t s = 0; s < c->n_steps; s++) {
        const struct gf_case_step *step = &c->steps[s];
        for (uint32_t i = 1; i < step->op->n_inputs; i++)
            if (gf_view_given(&step->inputs[i].view))
                add(&b, &step->inputs[i].view);
        for (uint32_t i = 0; i < step->op->n_outputs; i++)
            add(&b, &step->out[i]);
    }
    return b;
}

static struct gf_step copy_of(enum gf_from from, uint32_t index, const struct gf_view *view)
{
    struct gf_step step = {
        .op = gf_op_by_name("copy"), .in[0] = {.from = (uint8_t)from, .index = (uint16_t)index}, .out[0] = *view};
    gf_op_params_default(step.op, &step.params);
    return step;
}

static void *filled(uint64_t size, unsigned char byte)
{
    void *data = malloc(size);
    if (data != NULL)
        memset(data, byte, size);
    return data;
}

bool gf_poison_exec(const struct gf_runner_device *device, const struct gf_case *c, unsigned char byte)
{
    struct gf_step steps[2 * MAX_BLOCKS];
    struct gf_buf operands[MAX_BLOCKS];
    struct gf_sink sinks[MAX_BLOCKS];
    struct blocks b = blocks_of(c);
    void *data = filled(b.largest, byte);
    for (uint32_t i = 0; i < b.n; i++) {
        operands[i] = (struct gf_buf){data, gf_view_tight(GF_U8, b.size[i], 1, 1)};
        /* Each copy is copied again after all have been made, so that all exist at once. */
        steps[i] = copy_of(GF_FROM_OPERAND, i, &operands[i].view);
        steps[b.n + i] = copy_of(GF_FROM_STEP, i, &operands[i].view);
        sinks[i] = (struct gf_sink){.step = (uint16_t)(b.n + i), .buf = operands[i]};
    }
    struct gf_job job = {
        .steps = steps, .operands = operands, .sinks = sinks, .n_steps = 2 * b.n, .n_operands = b.n, .n_sinks = b.n};
    bool ok = data != NULL && device->backend->run(device->exec, &job, NULL) == GF_OK;
    free(data);
    return ok;
}

bool gf_poison_buffer(const struct gf_runner_device *device, const struct gf_buf *buf, unsigned char byte)
{
    struct gf_view all = gf_view_tight(GF_U8, buf->view.pitch * buf->view.height, 1, 1);
    struct gf_step step = copy_of(GF_FROM_OPERAND, 0, &all);
    struct gf_sink sink = {.buf = {buf->data, all}};
    struct gf_buf from = {filled(all.pitch, byte), all};
    struct gf_job job = {.steps = &step,
                         .operands = &from,
                         .sinks = &sink,
                         .n_steps = 1,
                         .n_operands = 1,
                         .n_sinks = 1,
                         .resident_sinks = 1};
    bool ok = from.data != NULL && device->backend->run(device->exec, &job, NULL) == GF_OK;
    free(from.data);
    return ok;
}
