/* SPDX-License-Identifier: MIT */
/*
 * The passes of reduce, stats, dot and compare: data to parts, parts to fewer parts until a sequence has one, parts to
 * results. Sequences are taken in slices whose parts fit a bounded room. Called by the ops' own files.
 */
#include "cuda_pool.h"
#include "cuda_status.h"
#include "reduce_args.h"

/* Bytes of parts that a slice may take, unless it is a single row or column. */
#define SLICE_BYTES (256u * 1024u * 1024u)

struct passes {
    struct gf_cuda_call *call;
    gf_cuda_first_fn *launch;
    struct gf_reduction r;
    struct gf_reduce_target target;
    struct gf_cuda_sequences s; /* of all sequences */
    uint64_t chunk;             /* elements of a part, and parts of one of the next level */
    uint64_t *parts, *others;
    uint64_t *fault;
};

static void passes_deinit(struct passes *p)
{
    gf_cuda_give(p->call->lane, p->parts);
    gf_cuda_give(p->call->lane, p->others);
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a - 1) / b + 1;
}

/* Sequences `first` and the `n` from there on, from data to results. */
static cudaError_t run_slice(const struct passes *p, uint64_t first, uint64_t n)
{
    cudaStream_t stream = p->call->lane->main;
    struct gf_cuda_sequences s = p->s;
    uint32_t dtype = p->call->image[0]->view.dtype;
    size_t size = gf_dtype_size(dtype);
    uint64_t skip = s.columns ? first * size : first / s.channels * s.pitch;
    s.a += skip;
    s.b += s.b ? skip : 0;
    s.sequences = n;
    s.parts = p->parts;
    cudaError_t error = p->launch(dtype, p->r.want, &s, stream);
    uint64_t *from = p->parts, *to = p->others;
    for (uint64_t left = s.chunks; left > 1 && error == cudaSuccess; left = divide_up(left, p->chunk)) {
        error = gf_cuda_parts_launch(&p->r, from, left, to, n, stream);
        uint64_t *made = to;
        to = from;
        from = made;
    }
    if (error == cudaSuccess)
        error = gf_cuda_finish_launch(&p->r, &p->target, from, first, n, p->fault, stream);
    return error;
}

/* Room for the parts of a slice, and how many sequences it has. */
static enum gf_status take_parts(struct passes *p, uint64_t *ret_slice, struct gf_error *err)
{
    uint64_t bytes, all, unit = p->s.columns ? 1 : p->s.channels;
    if (!gf_mul_u64(p->s.chunks, gf_part_words(p->r.want) * sizeof(uint64_t), &bytes))
        return gf_error_set(err, GF_E_TOO_LARGE, "%s: too many chunks", p->call->step->op->name);
    uint64_t slice = SLICE_BYTES / bytes / unit * unit;
    slice = slice < unit ? unit : slice > p->r.sequences ? p->r.sequences : slice;
    if (!gf_mul_u64(bytes, slice, &all))
        return gf_error_set(err, GF_E_TOO_LARGE, "%s: too many chunks", p->call->step->op->name);
    void *data = NULL;
    enum gf_status status = gf_cuda_take(p->call->lane, (size_t)all, &data, err);
    if (status == GF_OK)
        p->parts = data;
    if (status == GF_OK && p->s.chunks > 1) {
        data = NULL;
        status =
            gf_cuda_take(p->call->lane, (size_t)(all / p->s.chunks * divide_up(p->s.chunks, p->chunk)), &data, err);
        if (status == GF_OK)
            p->others = data;
    }
    if (status == GF_OK)
        *ret_slice = slice;
    return status;
}

static void set_views(struct passes *p)
{
    struct gf_cuda_call *call = p->call;
    const struct gf_view *view = &call->image[0]->view;
    bool follow = view->height == 1 || view->pitch == gf_view_row_bytes(view);
    p->s = (struct gf_cuda_sequences){.a = call->image[0]->data,
                                      .b = call->image[1] ? call->image[1]->data : NULL,
                                      .pitch = view->pitch,
                                      .n = p->r.n,
                                      .chunks = divide_up(p->r.n, p->chunk),
                                      .channels = view->channels,
                                      .columns = p->r.axis == GF_AXIS_COLS,
                                      .omit = p->r.omit};
    p->s.width = p->r.axis == GF_AXIS_ALL && !follow ? view->width : p->r.n;
    p->target.row = call->out[0].view.width * call->out[0].view.channels;
    for (uint32_t i = 0; i < call->step->op->n_outputs; i++) {
        p->target.data[i] = call->out[i].data;
        p->target.pitch[i] = call->out[i].view.pitch;
        p->target.size[i] = (uint32_t)gf_dtype_size(call->out[i].view.dtype);
    }
}

enum gf_status gf_cuda_reduce_step(struct gf_cuda_call *call, gf_cuda_first_fn *launch, struct gf_error *err)
{
    struct passes gf_cleanup(passes_deinit)
        p = {.call = call, .launch = launch, .r = gf_reduction_of(call->step, &call->image[0]->view)};
    p.chunk = p.r.axis == GF_AXIS_COLS ? GF_TREE_ROWS : GF_TREE_CHUNK;
    set_views(&p);
    uint64_t slice = 0;
    enum gf_status status = gf_cuda_go_on(call->lane, call->job, gf_view_bytes(&call->image[0]->view), err);
    if (status == GF_OK)
        status = gf_cuda_fault_word(call, gf_reduce_overflow, &p.fault, err);
    for (uint32_t i = 0; i < call->step->op->n_inputs && status == GF_OK; i++)
        if (call->image[i])
            status = gf_cuda_need(call, call->image[i], (uint32_t)call->image[i]->view.height, err);
    if (status == GF_OK)
        status = take_parts(&p, &slice, err);
    for (uint64_t first = 0; first < p.r.sequences && status == GF_OK; first += slice) {
        uint64_t left = p.r.sequences - first;
        status = gf_cuda_status(run_slice(&p, first, left < slice ? left : slice), "reducing", err);
    }
    return status;
}
