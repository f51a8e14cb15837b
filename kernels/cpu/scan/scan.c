/* SPDX-License-Identifier: MIT */
/* Scans of arrays on the CPU. Called through the op's row. */
#include "kernels/cpu/operator/operator.h"
#include "kernels/shared/segments.h"
#include "protocol/ops/texts/operator.h"
#include "scan_lines.h"

enum gf_status gf_cpu_scan_step(const struct gf_cpu_call *call, struct gf_error *err)
{
    if (gf_operator_is_used(call->step->op, &call->step->params))
        return gf_cpu_operator_scan(call, err);
    struct gf_scan scan = gf_scan_of_step(call->step, &call->in[0].view);
    if (scan.what != GF_SCAN_AFFINE && call->in[1].data) {
        enum gf_status status = gf_segments_check(call->step->op, 1, &call->in[1], gf_scan_length(&scan), true, err);
        if (status != GF_OK)
            return status;
        gf_scan_cut(&scan, &call->in[1]);
    }
    scan.src = call->in[0].data;
    scan.src_pitch = call->in[0].view.pitch;
    scan.dst = call->out[0].data;
    scan.dst_pitch = call->out[0].view.pitch;
    return gf_cpu_scan_run(call, &scan, err);
}
