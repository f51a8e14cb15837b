/* SPDX-License-Identifier: MIT */
/* Runs a kernel of reduce or scan with op=user by its number: for the interpreter, and for sources compiled at run
 * time. */
#ifndef GF_CUDA_OPERATOR_KERNELS_CUH
#define GF_CUDA_OPERATOR_KERNELS_CUH

#include "operator_fold.cuh"
#include "operator_scan.cuh"

namespace gf
{
namespace user
{

template <int kernel, class Op>
__device__ __forceinline__ void run_kernel(const Op &op, const struct gf_cuda_operator_level &level)
{
    if constexpr (kernel == GF_CUDA_OPERATOR_FOLD_SHORT) {
        fold_short(op, level);
    } else if constexpr (kernel == GF_CUDA_OPERATOR_FOLD_DATA || kernel == GF_CUDA_OPERATOR_FOLD_PARTS) {
        fold_lines<kernel == GF_CUDA_OPERATOR_FOLD_DATA>(op, level);
    } else if constexpr (kernel == GF_CUDA_OPERATOR_FOLD_COLUMN_DATA || kernel == GF_CUDA_OPERATOR_FOLD_COLUMN_PARTS) {
        fold_columns<kernel == GF_CUDA_OPERATOR_FOLD_COLUMN_DATA>(op, level);
    } else if constexpr (kernel == GF_CUDA_OPERATOR_SCAN_SHORT) {
        scan_short(op, level);
    } else if constexpr (kernel == GF_CUDA_OPERATOR_SCAN_LINES) {
        __shared__ struct line_storage<Op> shared;
        scan_lines(op, level, shared, memory_of_block<Op>());
    } else if constexpr (kernel == GF_CUDA_OPERATOR_SCAN_COLUMN_PARTS) {
        scan_column_parts(op, level);
    } else {
        scan_columns<kernel == GF_CUDA_OPERATOR_SCAN_COLUMN_RESULTS>(op, level);
    }
}

} // namespace user
} // namespace gf

#endif
