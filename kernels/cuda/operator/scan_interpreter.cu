/* SPDX-License-Identifier: MIT */
/* The interpreted kernels of scan with op=user. Called by operator.c. */
#include "operator_interpreter.cuh"

extern "C" cudaError_t gf_cuda_operator_interpret_scan(enum gf_cuda_operator_kernel kernel,
                                                       const struct gf_cuda_operator_args *args,
                                                       const struct gf_cuda_operator_level *level,
                                                       const struct gf_cuda_operator_code *code, unsigned blocks,
                                                       cudaStream_t stream)
{
    switch (kernel) {
    case GF_CUDA_OPERATOR_SCAN_SHORT:
        return gf::user::interpret<GF_CUDA_OPERATOR_SCAN_SHORT>(args, level, code, blocks, stream);
    case GF_CUDA_OPERATOR_SCAN_LINES:
        return gf::user::interpret<GF_CUDA_OPERATOR_SCAN_LINES>(args, level, code, blocks, stream);
    case GF_CUDA_OPERATOR_SCAN_COLUMN_TOTALS:
        return gf::user::interpret<GF_CUDA_OPERATOR_SCAN_COLUMN_TOTALS>(args, level, code, blocks, stream);
    case GF_CUDA_OPERATOR_SCAN_COLUMN_PARTS:
        return gf::user::interpret<GF_CUDA_OPERATOR_SCAN_COLUMN_PARTS>(args, level, code, blocks, stream);
    default:
        return gf::user::interpret<GF_CUDA_OPERATOR_SCAN_COLUMN_RESULTS>(args, level, code, blocks, stream);
    }
}
