/* SPDX-License-Identifier: MIT */
/* reduce: every channel, row, column or segment to one value; and dot, of two inputs. This file has the kernels along
 * rows and by segments. Called through the table of ops, for both ops. */
#include "kernels/cuda/step/cuda_ops.h"
#include "reduce_sets.cuh"
#include "reduction.cuh"

namespace
{

template <class T, unsigned... sets>
cudaError_t along_rows(gf_reduce_sets<T, sets...>, const struct gf_cuda_sequences *s, cudaStream_t stream)
{
    return gf_reduction_kernels::launch_one_of<T, sets...>(s, stream);
}

} // namespace

extern "C" cudaError_t gf_cuda_reduce_launch(uint32_t dtype, const struct gf_cuda_sequences *s, cudaStream_t stream)
{
    if (s->columns)
        return gf_cuda_reduce_columns_launch(dtype, s, stream);
    if (s->by_block)
        return gf_cuda_reduce_by_block_launch(dtype, s, stream);
    return gf_dispatch_any(dtype, [&](auto tag) {
        return gf_with_reduce_sets(tag, [&](auto sets) { return along_rows(sets, s, stream); });
    });
}

extern "C" enum gf_status gf_cuda_reduce(struct gf_cuda_call *call, struct gf_error *err)
{
    return gf_cuda_reduce_step(call, gf_cuda_reduce_launch, err);
}
