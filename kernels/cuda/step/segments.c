/* SPDX-License-Identifier: MIT */
/*
 * A list has up to 16 million offsets, and the host's work on it can take longer than the kernels that use it. The
 * offsets are therefore read once: they are checked, counted and written where they are copied from, and each piece is
 * copied while the host reads the next. See segments.h.
 */
#include "segments.h"

#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/cuda/memory/cuda_upload.h"
#include "kernels/shared/segments.h"

/* Reads the whole list and copies one of its tables: the offsets or the blocks before each segment. */
static enum gf_status read_list(struct gf_exec *exec, struct gf_segment_reader *reader, bool offsets, void *table,
                                struct gf_error *err)
{
    const size_t each = offsets && reader->narrow ? sizeof(uint32_t) : sizeof(uint64_t);
    enum gf_status status = GF_OK;
    for (uint64_t n = reader->list->view.width; reader->at < n && status == GF_OK;) {
        void *room = NULL, *to = (char *)table + reader->at * each;
        size_t size = 0;
        status = gf_cuda_upload_room(exec, (n - reader->at) * each, &room, &size, err);
        if (status != GF_OK)
            return status;
        gf_segments_read(reader, size / each, offsets ? room : NULL, offsets ? NULL : room);
        status = gf_cuda_upload_commit(exec, to, size, err);
    }
    return status;
}

enum gf_status gf_cuda_segments_cut(struct gf_cuda_call *call, const struct gf_cuda_segment_rules *rules,
                                    struct gf_cuda_segments *ret, struct gf_error *err)
{
    const struct gf_segment_reader begin = {.list = call->coefs[1],
                                            .min_length = rules->min_length,
                                            .block = rules->block,
                                            .narrow = rules->may_narrow && rules->elements <= UINT32_MAX};
    struct gf_segment_reader reader = begin;
    const uint64_t n = begin.list->view.width;
    void *blocks = NULL;
    enum gf_status status =
        gf_cuda_alloc(call->exec, n * (begin.narrow ? sizeof(uint32_t) : sizeof(uint64_t)), &ret->offsets, err);
    if (status == GF_OK)
        status = read_list(call->exec, &reader, true, ret->offsets, err);
    if (status == GF_OK)
        status = gf_segments_check_read(&reader, call->step->op, 1, rules->elements, rules->covers_all, err);
    if (status != GF_OK)
        return status;
    ret->narrow = begin.narrow;
    ret->n = n - 1;
    ret->n_blocks = reader.n_blocks;
    ret->longest = reader.longest;
    ret->any_short = reader.any_short;
    if (ret->n_blocks == 0)
        return GF_OK;
    status = gf_cuda_alloc(call->exec, n * sizeof(*ret->first_blocks), &blocks, err);
    ret->first_blocks = blocks;
    reader = begin;
    return status == GF_OK ? read_list(call->exec, &reader, false, blocks, err) : status;
}

void gf_cuda_segments_free(struct gf_cuda_call *call, struct gf_cuda_segments *segments)
{
    gf_cuda_free(call->exec, segments->first_blocks);
    gf_cuda_free(call->exec, segments->offsets);
}
