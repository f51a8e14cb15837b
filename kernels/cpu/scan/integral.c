/* SPDX-License-Identifier: MIT */
/*
 * The integral image on the CPU: bytes and f32 have their own passes, other types a scan of rows and then a scan of
 * columns. Called through the op's row.
 */
#include "integral.h"

#include <string.h>

#include "protocol/ops/params/integral.h"
#include "scan_lines.h"

/* Writes the zeros of row 0 and column 0. */
static void put_zeros(const struct gf_buf *out)
{
    size_t pixel = out->view.channels * gf_dtype_size(out->view.dtype);
    memset(out->data, 0, (size_t)gf_view_row_bytes(&out->view));
    for (uint64_t y = 1; y < out->view.height; y++)
        memset((char *)out->data + y * out->view.pitch, 0, pixel);
}

enum gf_status gf_cpu_integral(const struct gf_cpu_call *call, struct gf_error *err)
{
    struct gf_buf out = call->out[0];
    struct gf_scan rows, columns;
    if (gf_integral_params_get(&call->step->params).pad) {
        put_zeros(&out);
        out.data = (char *)out.data + out.view.pitch + out.view.channels * gf_dtype_size(out.view.dtype);
    }
    if (call->in[0].view.dtype == GF_U8 && out.view.dtype == GF_U32 &&
        !gf_integral_params_get(&call->step->params).square)
        return gf_cpu_integral_bytes(call, &out, err);
    if (call->in[0].view.dtype == GF_F32)
        return gf_cpu_integral_floats(call, &out, err);
    gf_scan_of_integral(call->step, &call->in[0].view, &rows, &columns);
    columns.dst = rows.dst = out.data;
    columns.dst_pitch = rows.dst_pitch = out.view.pitch;
    rows.src = call->in[0].data;
    rows.src_pitch = call->in[0].view.pitch;
    columns.src = rows.dst;
    columns.src_pitch = rows.dst_pitch;
    enum gf_status status = gf_cpu_scan_run(call, &rows, err);
    return status == GF_OK ? gf_cpu_scan_run(call, &columns, err) : status;
}
