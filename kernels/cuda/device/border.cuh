/* SPDX-License-Identifier: MIT */
/* Border modes, docs/numerics.md, "Borders": gf_border_index of kernels/shared/filter.h on the device. Included by
 * kernels that read neighbouring pixels. */
#ifndef GF_CUDA_BORDER_CUH
#define GF_CUDA_BORDER_CUH

#include <type_traits>

#include "protocol/ops/enums.h"

namespace gf
{

/* Returns the index that a border maps i to, or -1 for the constant. Any i; n must be at least 1. */
template <class Index> __device__ __forceinline__ Index border_index(uint32_t border, Index i, Index n)
{
    using Unsigned = std::make_unsigned_t<Index>;
    if (static_cast<Unsigned>(i) < static_cast<Unsigned>(n))
        return i;
    if (border == GF_BORDER_REPLICATE)
        return i < 0 ? 0 : n - 1;
    if (border == GF_BORDER_CONSTANT)
        return -1;
    const Index period = border == GF_BORDER_WRAP ? n : border == GF_BORDER_REFLECT ? 2 * n : 2 * n - 2;
    if (period == 0)
        return 0;
    Index m = i % period;
    if (m < 0)
        m += period;
    if (m < n)
        return m;
    return border == GF_BORDER_REFLECT ? 2 * n - 1 - m : period - m;
}

} // namespace gf

#endif
