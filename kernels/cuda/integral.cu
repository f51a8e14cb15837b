/* SPDX-License-Identifier: MIT */
/* The integral image: a scan of rows, then of columns. Called through the op's row. */
#include "cuda_ops.h"
#include "cuda_pool.h"
#include "cuda_status.h"
#include "scan_run.h"

namespace
{

/* Zeros in row and column 0. */
cudaError_t put_zeros(const struct gf_cuda_image *out, cudaStream_t stream)
{
    const size_t pitch = out->view.pitch, pixel = out->view.channels * gf_dtype_size(out->view.dtype);
    cudaError_t error = cudaMemsetAsync(out->data, 0, gf_view_row_bytes(&out->view), stream);
    if (error == cudaSuccess)
        error =
            cudaMemset2DAsync(static_cast<char *>(out->data) + pitch, pitch, 0, pixel, out->view.height - 1, stream);
    return error;
}

} // namespace

extern "C" enum gf_status gf_cuda_integral(struct gf_cuda_call *call, struct gf_error *err)
{
    struct gf_cuda_image *in = call->image[0], *out = &call->out[0];
    struct gf_scan rows, columns;
    void *between = nullptr; /* sums between the passes that the result has no room for */
    gf_scan_of_integral(call->step, &in->view, &rows, &columns);
    rows.src = in->data;
    rows.src_pitch = in->view.pitch;
    columns.dst = out->data;
    columns.dst_pitch = out->view.pitch;

    enum gf_status status = gf_cuda_need(call, in, in->view.height, err);
    if (status == GF_OK && call->step->params.integral.pad != 0) {
        status = gf_cuda_status(put_zeros(out, call->lane->main), "clearing a border", err);
        columns.dst =
            static_cast<char *>(out->data) + out->view.pitch + out->view.channels * gf_dtype_size(out->view.dtype);
    }
    rows.dst = columns.dst;
    rows.dst_pitch = columns.dst_pitch;
    if (status == GF_OK && rows.out != columns.out) {
        rows.dst_pitch = rows.width * rows.channels * sizeof(double);
        status = gf_cuda_take(call->lane, rows.dst_pitch * rows.height, &between, err);
        rows.dst = between;
    }
    columns.src = rows.dst;
    columns.src_pitch = rows.dst_pitch;
    if (status == GF_OK)
        status = gf_cuda_scan_blocks(call, &rows, err);
    if (status == GF_OK)
        status = gf_cuda_scan_columns(call, &columns, err);
    gf_cuda_give(call->lane, between);
    return status;
}
