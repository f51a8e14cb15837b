/* SPDX-License-Identifier: MIT */
/* Images and arrays as runs of vectors, and the numbers of tiles and blocks that they make. Called by the files of
 * histogram/, by select and by the tone ops. */
#include "samples.h"

#include "kernels/cuda/device/cuda_launch.h"

static struct gf_cuda_samples samples_of(const struct gf_cuda_image *image, uint32_t planes, bool luma, bool one_row)
{
    const struct gf_view *view = &image->view;
    struct gf_cuda_samples s = {.data = image->data,
                                .pitch = (size_t)view->pitch,
                                .rows = view->height,
                                .row_samples = view->width * view->channels,
                                .channels = view->channels,
                                .dtype = view->dtype,
                                .luma = luma,
                                .planes = planes};
    if (one_row) {
        s.row_samples *= s.rows;
        s.rows = 1;
    }
    s.row_vectors = (s.row_samples * gf_dtype_size(view->dtype) + GF_CUDA_VECTOR - 1) / GF_CUDA_VECTOR;
    return s;
}

struct gf_cuda_samples gf_cuda_samples(const struct gf_cuda_image *image, uint32_t planes, bool luma)
{
    return samples_of(image, planes, luma, gf_view_row_bytes(&image->view) == image->view.pitch);
}

struct gf_cuda_samples gf_cuda_samples_both(const struct gf_cuda_call *call, uint32_t planes)
{
    const struct gf_view *in = &call->image[0]->view, *out = &call->out[0].view;
    const bool one_row = gf_view_row_bytes(in) == in->pitch && in->pitch == out->pitch;
    return samples_of(call->image[0], planes, false, one_row);
}

uint64_t gf_cuda_samples_tiles(const struct gf_cuda_samples *s)
{
    const uint64_t pieces = s->luma ? s->row_samples / s->channels : s->row_vectors;
    return (pieces + GF_CUDA_WARP_TILE - 1) / GF_CUDA_WARP_TILE * s->rows;
}

uint32_t gf_cuda_samples_blocks(const struct gf_cuda_call *call, uint64_t tiles, uint32_t per_unit)
{
    const uint64_t limit = (uint64_t)call->exec->device->info.units * per_unit;
    return gf_cuda_grid(tiles < limit ? tiles : limit);
}
