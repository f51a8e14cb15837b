/* SPDX-License-Identifier: MIT */
/* Scans along rows: cuts the sequences into blocks and selects their launchers. Called by scan.c and
 * integral.c. */
#include "kernels/cuda/step/segments.h"
#include "scan_run.h"
#include "scan_span.cuh"

namespace
{

using namespace gf;

/* Sets the number of packed sequences per warp: several where they are short rows of one channel. */
void set_packing(struct scan_args *args, bool any_short)
{
    const struct gf_scan &scan = args->scan;
    args->per_warp = 1;
    if (!any_short || args->offsets != nullptr || scan.channels > 1 || scan.axis != GF_AXIS_ROWS || scan.reverse)
        return;
    args->rows = static_cast<uint32_t>((args->length + GF_SCAN_ROW - 1) / GF_SCAN_ROW);
    args->per_warp = GF_SCAN_GROUP / args->rows;
    args->by_rows = (1024 + args->rows - 1) / args->rows;
}

start_fn *start_of(const struct gf_scan &scan)
{
    const enum gf_dtype_kind kind = gf_dtype_kind(scan.in);
    return scan.what == GF_SCAN_MIN || scan.what == GF_SCAN_MAX   ? start_extremes_scan
           : scan.what == GF_SCAN_AFFINE || kind == GF_KIND_FLOAT ? start_float_scan
                                                                  : start_int_scan;
}

} // namespace

extern "C" cudaError_t gf_cuda_scan_prepare(void)
{
    cudaError_t error = prepare_float_scans();
    if (error == cudaSuccess)
        error = prepare_int_scans();
    return error == cudaSuccess ? prepare_extremes_scans() : error;
}

extern "C" enum gf_status gf_cuda_scan_blocks(struct gf_cuda_call *call, const struct gf_scan *scan,
                                              struct gf_error *err)
{
    struct gf_cuda_segments segments = {};
    struct scan_args args = make_args(*scan);
    enum gf_status status = GF_OK;
    bool any_short = args.length <= warp_elements;
    if (scan->segments != nullptr) {
        const struct gf_cuda_segment_rules rules = {args.length, true, true, warp_elements, GF_SCAN_BLOCK};
        status = gf_cuda_segments_cut(call, &rules, &segments, err);
        args.offsets = segments.offsets;
        args.narrow = segments.narrow;
        args.first_blocks = segments.first_blocks;
        args.blocks = segments.n_blocks * scan->channels;
        any_short = segments.any_short;
    } else {
        args.n_blocks = (args.length + GF_SCAN_BLOCK - 1) / GF_SCAN_BLOCK;
        args.blocks = any_short ? 0 : args.sequences * args.n_blocks;
        if (args.n_blocks > 1 && args.blocks < UINT64_MAX / args.n_blocks)
            args.per_block = UINT64_MAX / args.n_blocks + 1;
    }
    set_packing(&args, any_short);
    args.powers[0] = scan->a;
    for (unsigned j = 1; j < GF_SCAN_ROW; j++)
        args.powers[j] = args.powers[j - 1] * scan->a;
    if (status == GF_OK && scan->checked)
        status = gf_cuda_fault_word(call, gf_scan_overflow, &args.fault, err);
    if (status == GF_OK)
        status = start_of(*scan)(call, args, any_short, err);
    gf_cuda_segments_free(call, &segments);
    return status;
}
