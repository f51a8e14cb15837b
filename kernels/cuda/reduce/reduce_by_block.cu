/* SPDX-License-Identifier: MIT */
/* reduce where there are few chunks along rows. Called by reduce.cu. */
#include "reduce_sets.cuh"
#include "reduction_by_block.cuh"

namespace
{

template <class T, unsigned... sets>
cudaError_t of_sets(gf_reduce_sets<T, sets...>, const struct gf_cuda_sequences *s, cudaStream_t stream)
{
    return gf_reduction_kernels::launch_by_block_of<T, sets...>(s, stream);
}

} // namespace

extern "C" cudaError_t gf_cuda_reduce_by_block_launch(uint32_t dtype, const struct gf_cuda_sequences *s,
                                                      cudaStream_t stream)
{
    return gf_dispatch_any(
        dtype, [&](auto tag) { return gf_with_reduce_sets(tag, [&](auto sets) { return of_sets(sets, s, stream); }); });
}
