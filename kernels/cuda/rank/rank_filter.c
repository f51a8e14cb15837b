/* SPDX-License-Identifier: MIT */
/* median, rank and percentile on CUDA: selects the kernel and asks for the rows that it needs. Called through the table
 * of ops. */
#include "kernels/shared/rank/rank.h"

#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/step/cuda_ops.h"
#include "kernels/cuda/step/row_chunks.h"
#include "rank.h"

/* The height of a network's row chunk is a multiple of this, so that it fills whole thread blocks. */
#define NETWORK_ROWS 64u
/* The cost of a sample in a network, in multiplications. */
#define NETWORK_COST 64.0

static struct gf_cuda_ranking ranking_of(const struct gf_cuda_call *call, const struct gf_rank *rank)
{
    const struct gf_cuda_image *in = call->image[0], *out = &call->out[0];
    const size_t size = gf_dtype_size(in->view.dtype);
    struct gf_cuda_ranking r = {.src = in->data,
                                .dst = out->data,
                                .src_pitch = (size_t)in->view.pitch,
                                .dst_pitch = (size_t)out->view.pitch,
                                .width = (int32_t)in->view.width,
                                .height = (int32_t)in->view.height,
                                .channels = (int32_t)in->view.channels,
                                .dtype = in->view.dtype,
                                .window_x = (int32_t)rank->width,
                                .window_y = (int32_t)rank->height,
                                .anchor_x = (int32_t)rank->anchor_x,
                                .anchor_y = (int32_t)rank->anchor_y,
                                .index = rank->index,
                                .border = rank->border};
    /* The kernels' keys are unsigned: the least is 0. */
    for (uint32_t c = 0; c < in->view.channels; c++)
        r.outside[c] = (uint32_t)rank->outside[c] + (size == 1 ? 128u : size == 2 ? 32768u : UINT32_C(0x80000000));
    return r;
}

typedef cudaError_t rank_fn(const struct gf_cuda_ranking *r, cudaStream_t stream);

static rank_fn *choose(const struct gf_cuda_ranking *r)
{
    bool median = r->window_x == r->window_y && r->index == (uint32_t)(r->window_x * r->window_y / 2);
    if (median && r->window_x == 3)
        return gf_cuda_rank_median3;
    return median && r->window_x == 5 ? gf_cuda_rank_median5 : gf_cuda_rank_digits;
}

/* Returns how many source rows, from the top, are needed for the result rows before `end`. The border at the top
 * reflects rows no deeper than the window reaches. */
static uint64_t rows_needed(const void *op, uint32_t input, uint64_t end)
{
    (void)input;
    const struct gf_cuda_ranking *r = op;
    uint64_t height = (uint64_t)r->height, needed = end + (uint64_t)r->window_y;
    return r->border == GF_BORDER_WRAP || needed > height ? height : needed;
}

static enum gf_status launch(struct gf_cuda_call *call, void *op, uint64_t first, uint64_t end, struct gf_error *err)
{
    struct gf_cuda_ranking *r = op;
    r->first = (int32_t)first;
    r->end = (int32_t)end;
    return gf_cuda_status(choose(r)(r, call->exec->main), "starting to rank windows", err);
}

enum gf_status gf_cuda_rank_filter(struct gf_cuda_call *call, struct gf_error *err)
{
    const struct gf_view *dst = &call->out[0].view;
    const struct gf_rank rank = gf_rank_of(call->step, &call->image[0]->view);
    struct gf_cuda_ranking r = ranking_of(call, &rank);
    const bool network = choose(&r) != gf_cuda_rank_digits;
    const uint64_t samples = dst->width * dst->channels;
    const double row = (network ? NETWORK_COST : gf_cuda_rank_digits_cost(&r)) * (double)samples;
    struct gf_cuda_row_chunks row_chunks = gf_cuda_row_chunks(call, gf_view_bytes(dst), network ? NETWORK_ROWS : 1);
    gf_cuda_row_chunks_limit(&row_chunks, call, row, samples);
    return gf_cuda_run_rows(call, &row_chunks, &(struct gf_cuda_row_fns){launch, rows_needed, NULL}, &r, err);
}
