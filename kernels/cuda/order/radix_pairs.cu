/* SPDX-License-Identifier: MIT */
/* The instances of CUB's radix sort for keys with numbers. Called by radix_keys.cu. */
#include "radix_pairs.h"

#include <cub/device/device_radix_sort.cuh>

namespace
{

template <class Key>
cudaError_t sort_pairs(struct gf_cuda_radix *radix, void *workspace, size_t *size, cudaStream_t stream)
{
    cub::DoubleBuffer<Key> keys(static_cast<Key *>(radix->keys[0]), static_cast<Key *>(radix->keys[1]));
    cub::DoubleBuffer<uint32_t> places(radix->places[0], radix->places[1]);
    const cudaError_t error =
        cub::DeviceRadixSort::SortPairs(workspace, *size, keys, places, radix->n, 0, radix->end_bit, stream);
    radix->made = static_cast<uint32_t>(keys.selector);
    return error;
}

} // namespace

extern "C" cudaError_t gf_cuda_radix_pairs(struct gf_cuda_radix *radix, void *workspace, size_t *size,
                                           cudaStream_t stream)
{
    return radix->kind == GF_RADIX_U32 ? sort_pairs<uint32_t>(radix, workspace, size, stream)
                                       : sort_pairs<uint64_t>(radix, workspace, size, stream);
}
