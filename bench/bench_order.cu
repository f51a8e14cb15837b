/* SPDX-License-Identifier: MIT */
/*
 * bench_order: the speed of sort, argsort and topk on the device, beside CUB's DeviceRadixSort on the same samples. CUB
 * sorts no pictures, and no NaN. Options: bench_case.h.
 */
#include <cub/device/device_radix_sort.cuh>

#include "bench_case.h"

namespace
{

using namespace bench;

constexpr data any = data::random;
constexpr uint32_t some = array_1m | array_16m | array_256m;

const test_case cases[] = {
    {"sort", "", GF_U32, 1, some, any, 1},
    {"sort", "descending=1", GF_U32, 1, array_256m, any},
    {"sort", "", GF_I32, 1, array_256m, any},
    {"sort", "", GF_F32, 1, some, any, 1},
    {"sort", "", GF_U8, 1, array_256m, any, 1},
    {"sort", "", GF_U16, 1, array_256m, any, 1},
    {"sort", "", GF_F64, 1, array_16m, any},
    {"sort", "", GF_U8, 3, photo, any},
    {"sort", "axis=rows", GF_F32, 1, square_4k, any},
    {"sort", "axis=cols", GF_U16, 1, square_4k, any},
    {"argsort", "", GF_F32, 1, array_1m | array_16m, any},
    {"topk", "k=100", GF_F32, 1, array_16m, any},
    {"topk", "k=10 axis=rows", GF_F32, 1, square_4k, any},
};

/* The result goes where ours goes; the workspace follows it. */
template <class Key> cudaError_t cub_sort(place &b, const work &w)
{
    const size_t bytes = (w.samples * sizeof(Key) + 255) / 256 * 256;
    size_t size = dst_bytes - bytes;
    return cub::DeviceRadixSort::SortKeys(b.dst + bytes, size, reinterpret_cast<const Key *>(b.src),
                                          reinterpret_cast<Key *>(b.dst), static_cast<uint32_t>(w.samples), 0,
                                          static_cast<int>(8 * sizeof(Key)), b.exec->main);
}

/* Covers only the cases above, because CUB takes seconds to compile for each type. */
cudaError_t cub_any(place &b, const work &w)
{
    switch (w.view.dtype) {
    case GF_U8:
        return cub_sort<uint8_t>(b, w);
    case GF_U16:
        return cub_sort<uint16_t>(b, w);
    case GF_U32:
        return cub_sort<uint32_t>(b, w);
    default:
        return cub_sort<float>(b, w);
    }
}

} // namespace

int main(int argc, char **argv)
{
    return run_all(argc, argv, cases, sizeof(cases) / sizeof(cases[0]), cub_any, CUB_VERSION);
}
