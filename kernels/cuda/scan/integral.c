/* SPDX-License-Identifier: MIT */
/* The operation integral. One channel has kernels of its own; other images take a scan of the rows, then of the
 * columns. Called through the table of ops. */
#include "protocol/ops/params/integral.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/cuda/step/cuda_ops.h"
#include "scan_run.h"

static cudaError_t put_zeros(const struct gf_cuda_image *out, cudaStream_t stream)
{
    const size_t pitch = out->view.pitch, pixel = out->view.channels * gf_dtype_size(out->view.dtype);
    cudaError_t error = cudaMemsetAsync(out->data, 0, gf_view_row_bytes(&out->view), stream);
    if (error == cudaSuccess)
        error = cudaMemset2DAsync((char *)out->data + pitch, pitch, 0, pixel, out->view.height - 1, stream);
    return error;
}

static bool one_channel(const struct gf_scan *rows)
{
    return rows->channels == 1 && ((uintptr_t)rows->src | rows->src_pitch) % 16 == 0;
}

/* Runs two scans. If the result is too small for the sums between them, the sums get memory of their own. */
static enum gf_status scan_twice(struct gf_cuda_call *call, struct gf_scan *rows, struct gf_scan *columns,
                                 struct gf_error *err)
{
    void *between = NULL;
    enum gf_status status = GF_OK;
    rows->dst = columns->dst;
    rows->dst_pitch = columns->dst_pitch;
    if (rows->out != columns->out) {
        rows->dst_pitch = rows->width * rows->channels * sizeof(double);
        status = gf_cuda_alloc(call->exec, rows->dst_pitch * rows->height, &between, err);
        rows->dst = between;
    }
    columns->src = rows->dst;
    columns->src_pitch = rows->dst_pitch;
    if (status == GF_OK)
        status = gf_cuda_scan_blocks(call, rows, err);
    if (status == GF_OK)
        status = gf_cuda_scan_columns(call, columns, err);
    gf_cuda_free(call->exec, between);
    return status;
}

enum gf_status gf_cuda_integral(struct gf_cuda_call *call, struct gf_error *err)
{
    struct gf_cuda_image *in = call->image[0], *out = &call->out[0];
    struct gf_scan rows, columns;
    gf_scan_of_integral(call->step, &in->view, &rows, &columns);
    rows.src = in->data;
    rows.src_pitch = in->view.pitch;
    columns.dst = out->data;
    columns.dst_pitch = out->view.pitch;

    enum gf_status status = gf_cuda_require_rows(call, in, in->view.height, err);
    if (status == GF_OK && gf_integral_params_get(&call->step->params).pad != 0) {
        status = gf_cuda_status(put_zeros(out, call->exec->main), "clearing a border", err);
        columns.dst = (char *)out->data + out->view.pitch + out->view.channels * gf_dtype_size(out->view.dtype);
    }
    if (status != GF_OK)
        return status;
    if (!one_channel(&rows))
        return scan_twice(call, &rows, &columns, err);
    return in->view.dtype == GF_F32 ? gf_cuda_integral_float(call, &rows, &columns, err)
                                    : gf_cuda_integral_int(call, &rows, &columns, err);
}
