/* SPDX-License-Identifier: MIT */
/*
 * The common part of reduce, stats, dot and compare on the CPU: chooses the path through the data, distributes the
 * tasks, stores results and reports sums that overflow.
 */
#include "reduction.h"

#include "kernels/cpu/operator/operator.h"
#include "kernels/shared/compose.h"
#include "protocol/ops/texts/operator.h"

struct batch {
    struct gf_cpu_reduction *p;
    gf_cpu_reduce_fn *fn;
    void *context;
    uint64_t n, grain;
};

void gf_cpu_reduce_emit(struct gf_cpu_reduction *p, uint64_t sequence, const struct gf_partial *partial)
{
    gf_cpu_reduce_emit_of(p, sequence, p->r.n, partial);
}

void gf_cpu_reduce_emit_of(struct gf_cpu_reduction *p, uint64_t sequence, uint64_t n, const struct gf_partial *partial)
{
    struct gf_reduction r = p->r;
    r.n = n;
    if (gf_reduce_emit(&r, &p->target, sequence, partial))
        return;
    uint64_t first = __atomic_load_n(&p->overflow, __ATOMIC_RELAXED);
    while (sequence < first &&
           !__atomic_compare_exchange_n(&p->overflow, &first, sequence, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

static void run_batch(void *context, uint32_t task, uint32_t slot)
{
    const struct batch *b = context;
    if (gf_cpu_stopped(&b->p->stop))
        return;
    uint64_t first = task * b->grain, end = b->n - first > b->grain ? first + b->grain : b->n;
    for (uint64_t item = first; item < end; item++)
        b->fn(b->p, b->context, item, slot);
}

void gf_cpu_reduce_each(struct gf_cpu_reduction *p, gf_cpu_reduce_fn *fn, void *context, uint64_t n, uint64_t grain)
{
    struct batch batch = {p, fn, context, n, grain == 0 ? 1 : grain};
    while ((n - 1) / batch.grain >= UINT32_MAX)
        batch.grain *= 2;
    gf_cpu_pool_run(p->call->pool, run_batch, &batch, (uint32_t)((n - 1) / batch.grain + 1));
}

enum gf_status gf_cpu_reduce_step(const struct gf_cpu_call *call, struct gf_error *err)
{
    const struct gf_op *op = call->step->op;
    if (gf_operator_is_used(op, &call->step->params))
        return gf_cpu_operator_reduce(call, err);
    struct gf_cpu_reduction p = {.call = call,
                                 .stop = {.job = call->job},
                                 .r = gf_reduction_of(call->step, &call->in[0].view),
                                 .overflow = GF_NO_INDEX};
    p.target.row = call->out[0].view.width * call->out[0].view.channels;
    for (uint32_t i = 0; i < op->n_outputs; i++) {
        p.target.data[i] = call->out[i].data;
        p.target.pitch[i] = call->out[i].view.pitch;
        p.target.size[i] = (uint32_t)gf_dtype_size(call->out[i].view.dtype);
    }
    bool cut = p.r.kind == GF_REDUCE_ONE && call->in[1].data != NULL;
    enum gf_status status = cut                                                  ? gf_cpu_reduce_segments(&p, err)
                            : p.r.kind == GF_REDUCE_ONE && gf_is_compose(p.r.op) ? gf_cpu_compose(&p, err)
                            : p.r.axis == GF_AXIS_COLS                           ? gf_cpu_reduce_columns(&p, err)
                            : gf_cpu_reduce_is_exact(&p)                         ? gf_cpu_reduce_exact(&p, err)
                                                                                 : gf_cpu_reduce_sequences(&p, err);
    if (status != GF_OK)
        return status;
    status = gf_cpu_stop_error(call, &p.stop, err);
    if (status != GF_OK)
        return status;
    return p.overflow == GF_NO_INDEX ? GF_OK : gf_reduce_overflow(call->step, p.overflow, err);
}
