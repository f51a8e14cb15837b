/* SPDX-License-Identifier: MIT */
/* The instances of CUB's radix sort for keys alone. Called by order.c. */
#include <cub/device/device_radix_sort.cuh>

#include "radix.h"
#include "radix_pairs.h"

namespace
{

template <class Key>
cudaError_t sort_keys(struct gf_cuda_radix *radix, void *workspace, size_t *size, cudaStream_t stream)
{
    cub::DoubleBuffer<Key> keys(static_cast<Key *>(radix->keys[0]), static_cast<Key *>(radix->keys[1]));
    const cudaError_t error =
        cub::DeviceRadixSort::SortKeys(workspace, *size, keys, radix->n, 0, radix->end_bit, stream);
    radix->made = static_cast<uint32_t>(keys.selector);
    return error;
}

template <class Key>
cudaError_t copy_keys(const void *from, void *to, uint32_t n, void *workspace, size_t *size, cudaStream_t stream)
{
    return cub::DeviceRadixSort::SortKeys(workspace, *size, static_cast<const Key *>(from), static_cast<Key *>(to), n,
                                          0, static_cast<int>(8 * sizeof(Key)), stream);
}

/* Calls f with a zero of the key's type. */
template <class F> cudaError_t with_key(enum gf_cuda_radix_kind kind, F &&f)
{
    switch (kind) {
    case GF_RADIX_U8:
        return f(uint8_t{0});
    case GF_RADIX_U16:
        return f(uint16_t{0});
    case GF_RADIX_U32:
        return f(uint32_t{0});
    case GF_RADIX_U64:
        return f(uint64_t{0});
    case GF_RADIX_F32:
        return f(float{0});
    default:
        return f(double{0});
    }
}

} // namespace

extern "C" cudaError_t gf_cuda_radix_sort(struct gf_cuda_radix *radix, void *workspace, size_t *size,
                                          cudaStream_t stream)
{
    if (radix->numbered)
        return gf_cuda_radix_pairs(radix, workspace, size, stream);
    return with_key(radix->kind, [&](auto zero) { return sort_keys<decltype(zero)>(radix, workspace, size, stream); });
}

extern "C" cudaError_t gf_cuda_radix_copy(enum gf_cuda_radix_kind kind, const void *from, void *to, uint32_t n,
                                          void *workspace, size_t *size, cudaStream_t stream)
{
    return with_key(kind, [&](auto zero) { return copy_keys<decltype(zero)>(from, to, n, workspace, size, stream); });
}
