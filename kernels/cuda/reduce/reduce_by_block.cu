/* SPDX-License-Identifier: MIT */
/* reduce along rows with few chunks. For common types every set of quantities has its own kernel; for other types the
 * sets share kernels. Called by reduce.cu. */
#include "reduce_sets.cuh"
#include "reduction_by_block.cuh"

namespace
{

/* A shared kernel takes 2 to 9 % longer (f32, 2^16 to 2^20 elements, H200). */
template <class T>
constexpr bool is_common = std::is_floating_point_v<T> || std::is_same_v<T, uint8_t> || std::is_same_v<T, int32_t>;

template <class T, unsigned... sets>
cudaError_t of_sets(gf_reduce_sets<T, sets...>, const struct gf_cuda_sequences *s, cudaStream_t stream)
{
    if constexpr (is_common<T>)
        return gf_reduction_kernels::launch_by_block_of<T, sets...>(s, stream);
    else
        return gf_reduction_kernels::launch_by_block_shared<T, sets...>(s, stream);
}

} // namespace

extern "C" cudaError_t gf_cuda_reduce_by_block_launch(uint32_t dtype, const struct gf_cuda_sequences *s,
                                                      cudaStream_t stream)
{
    return gf_dispatch_any(
        dtype, [&](auto tag) { return gf_with_reduce_sets(tag, [&](auto sets) { return of_sets(sets, s, stream); }); });
}
