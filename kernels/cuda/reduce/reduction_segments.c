/* SPDX-License-Identifier: MIT */
/* The passes of reduce by segments: tables, data to partials, partials of long segments to fewer partials, results.
 * Called by reduction.c. */
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/cuda/memory/cuda_upload.h"
#include "kernels/shared/compose.h"
#include "reduce_segments.h"

/* Allocates memory, copies the tables there and sets the addresses: results, partials of even levels, partials of odd
 * levels. */
static enum gf_status take_workspace(struct gf_cuda_call *call, const struct gf_reduce_cut *cut, uint32_t results,
                                     uint32_t words, struct gf_cuda_sequences *s, uint64_t *partials[2],
                                     void **ret_data, struct gf_error *err)
{
    uint64_t tables = gf_cut_words(cut), even = gf_cut_partial_count(cut, 0) * words,
             odd = gf_cut_partial_count(cut, 1) * words;
    uint64_t all = tables + cut->n * results + even + odd;
    enum gf_status status = gf_cuda_alloc(call->exec, (size_t)(all * sizeof(uint64_t)), ret_data, err);
    if (status != GF_OK)
        return status;
    uint64_t *at = *ret_data;
    s->cut = gf_cut_at_words(cut, at);
    s->results = at + tables;
    s->partials = partials[0] = s->results + cut->n * results;
    partials[1] = partials[0] + even;
    return gf_cuda_upload(call->exec, at, cut->offsets, (size_t)(tables * sizeof(*at)), err);
}

static struct gf_cuda_cut_level level_of(const struct gf_reduce_cut *cut, uint64_t *const partials[2], uint32_t level)
{
    return (struct gf_cuda_cut_level){.level = level,
                                      .in = level > 0 ? partials[(level - 1) % 2] : NULL,
                                      .in_n = level > 0 ? gf_cut_partial_count(cut, level - 1) : 0,
                                      .out = partials[level % 2],
                                      .out_n = gf_cut_partial_count(cut, level)};
}

static cudaError_t run_passes(const struct gf_cuda_sequences *s, uint32_t dtype, const struct gf_reduce_cut *cut,
                              uint64_t *const partials[2], cudaStream_t stream)
{
    const bool compose = gf_is_compose(s->r.op);
    struct gf_cuda_cut_level level = level_of(cut, partials, 0);
    cudaError_t error =
        compose ? gf_cuda_compose_segments_launch(dtype, s, &level, stream) : gf_cuda_reduce_launch(dtype, s, stream);
    for (uint64_t left = cut->max; left > 1 && error == cudaSuccess; left = (left - 1) / GF_TREE_CHUNK + 1) {
        level = level_of(cut, partials, level.level + 1);
        error = compose ? gf_cuda_compose_segments_launch(dtype, s, &level, stream)
                        : gf_cuda_partials_of_segments_launch(s, &level, stream);
    }
    return compose || error != cudaSuccess ? error : gf_cuda_finish_segments_launch(s, stream);
}

enum gf_status gf_cuda_reduce_segments(struct gf_cuda_call *call, struct gf_cuda_sequences *s, struct gf_error *err)
{
    struct gf_reduce_cut gf_cleanup(gf_reduce_cut_deinit) cut = {0};
    uint64_t *partials[2];
    void *data = NULL;
    bool compose = gf_is_compose(s->r.op);
    uint32_t channels = call->image[0]->view.channels,
             words = compose ? channels : channels * gf_partial_words(s->r.want);
    enum gf_status status = gf_reduce_cut_init(call->step, call->coefs[1], s->n, s->span, &cut, err);
    if (status == GF_OK)
        status = gf_cuda_require_rows(call, call->image[0], call->image[0]->view.height, err);
    if (status == GF_OK)
        status = take_workspace(call, &cut, compose ? 0 : words, words, s, partials, &data, err);
    if (status == GF_OK) {
        s->chunks = cut.n + cut.chunks;
        s->warps = GF_CUDA_CHUNK_WARPS;
        s->items = (s->chunks * s->channels - 1) / s->warps + 1;
        status = gf_cuda_status(run_passes(s, call->image[0]->view.dtype, &cut, partials, call->exec->main), "reducing",
                                err);
    }
    gf_cuda_free(call->exec, data);
    return status;
}
