/* SPDX-License-Identifier: MIT */
/* The kernels of reduce down columns: for f32 and f64 one per set of quantities, for every other type one for all sets.
 * Called by reduce.cu. */
#include "reduce_sets.cuh"
#include "reduction_columns.cuh"

namespace
{

template <class T, unsigned... sets>
cudaError_t down_columns(gf_reduce_sets<T, sets...>, const struct gf_cuda_sequences *s, cudaStream_t stream)
{
    if constexpr (std::is_floating_point_v<T>) /* in a shared kernel var would take 19 % longer (f32, H200) */
        return gf_reduction_kernels::launch_columns_of<T, sets...>(s, stream);
    else
        return gf_reduction_kernels::launch_columns_shared<T, sets...>(s, stream);
}

} // namespace

extern "C" cudaError_t gf_cuda_reduce_columns_launch(uint32_t dtype, const struct gf_cuda_sequences *s,
                                                     cudaStream_t stream)
{
    return gf_dispatch_any(dtype, [&](auto tag) {
        return gf_with_reduce_sets(tag, [&](auto sets) { return down_columns(sets, s, stream); });
    });
}
