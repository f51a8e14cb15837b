/* SPDX-License-Identifier: MIT */
/* The operations scan and recurrence. Called through the table of ops. */
#include "kernels/cuda/operator/operator.h"
#include "kernels/cuda/step/cuda_ops.h"
#include "protocol/ops/texts/operator.h"
#include "scan_run.h"

enum gf_status gf_cuda_scan(struct gf_cuda_call *call, struct gf_error *err)
{
    if (gf_operator_is_used(call->step->op, &call->step->params))
        return gf_cuda_operator_scan(call, err);
    struct gf_cuda_image *in = call->image[0];
    struct gf_scan scan = gf_scan_of_step(call->step, &in->view);
    if (scan.what != GF_SCAN_AFFINE && call->coefs[1] != NULL)
        gf_scan_cut(&scan, call->coefs[1]);
    enum gf_status status = gf_cuda_require_rows(call, in, in->view.height, err);
    if (status != GF_OK)
        return status;
    scan.src = in->data;
    scan.src_pitch = in->view.pitch;
    scan.dst = call->out[0].data;
    scan.dst_pitch = call->out[0].view.pitch;
    return scan.axis == GF_AXIS_COLS ? gf_cuda_scan_columns(call, &scan, err) : gf_cuda_scan_blocks(call, &scan, err);
}
