/* SPDX-License-Identifier: MIT */
/*
 * bench_select: the speed of select on the device, beside CUB's DeviceSelect::If. CUB leaves the places after the
 * selected samples unchanged, but select fills them, so `room` sets the capacity as a share of the samples. Options:
 * bench_case.h.
 */
#include <cub/cub.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "bench_case.h"
#include "protocol/ops/params/select.h"

namespace
{

using namespace bench;

constexpr data any = data::random;
constexpr uint32_t ends = array_1m | array_256m;
constexpr uint32_t no_values = 1, no_indices = 2; /* outputs that are not requested */

const test_case cases[] = {
    {"select", "lo=0 hi=0.5", GF_F32, 1, arrays, any, 1, nullptr, 0, false, 0, 0, no_indices},
    {"select", "lo=0 hi=0.5", GF_F32, 1, ends, any, 1, nullptr, 0, false, 0.5, 0, no_indices},
    {"select", "lo=0 hi=0.01", GF_F32, 1, ends, any, 1, nullptr, 0, false, 0, 0, no_indices},
    {"select", "lo=0 hi=0.01", GF_F32, 1, array_256m, any, 1, nullptr, 0, false, 0.01, 0, no_indices},
    {"select", "lo=0 hi=1", GF_F32, 1, array_256m, any, 1, nullptr, 0, false, 0, 0, no_indices},
    {"select", "lo=0 hi=0.5", GF_F32, 1, array_256m, data::equal, 1, nullptr, 0, false, 0, 0, no_indices},
    {"select", "lo=0 hi=0.5", GF_F32, 1, ends, any, 1, "indices", 0, false, 0, 0, no_values},
    {"select", "lo=0 hi=0.5", GF_F32, 1, array_256m, any, 1, "indices", 0, false, 0.5, 0, no_values},
    {"select", "lo=0 hi=0.5", GF_F32, 1, array_256m, any, 0, "both", 0, false, 0.5},
    {"select", "lo=0 hi=0.5", GF_F32, 3, photo, any, 0, nullptr, 0, false, 0, 0, no_indices},
    {"select", "lo=0 hi=0.5", GF_F64, 1, array_256m, any, 1, nullptr, 0, false, 0, 0, no_indices},
    {"select", "lo=0 hi=1000", GF_I32, 1, ends, any, 1, nullptr, 0, false, 0, 0, no_indices},
    {"select", "lo=0 hi=32767", GF_U16, 1, array_256m, any, 1, nullptr, 0, false, 0, 0, no_indices},
    {"select", "lo=0 hi=127", GF_U8, 1, arrays, any, 1, nullptr, 0, false, 0, 0, no_indices},
    {"select", "lo=0 hi=127", GF_U8, 1, array_256m, any, 1, nullptr, 0, false, 0.5, 0, no_indices},
    {"select", "lo=0 hi=127", GF_U8, 3, photo, any, 0, nullptr, 0, false, 0, 0, no_indices},
};

template <class T> struct in_range {
    T lo, hi;
    __host__ __device__ bool operator()(T x) const
    {
        return x >= lo && x <= hi;
    }
};

struct sample_in_range {
    const float *samples;
    in_range<float> range;
    __host__ __device__ bool operator()(int64_t i) const
    {
        return range(samples[i]);
    }
};

/* CUB writes the samples, or for f32 their indices. The count precedes CUB's own memory. */
constexpr size_t count_bytes = 256;

template <class T> in_range<T> range_of(const work &w)
{
    return {T(0), static_cast<T>(gf_select_params_get(&w.step.params).hi)};
}

template <class T> cudaError_t cub_values(place &b, const work &w)
{
    size_t size = room_bytes - count_bytes;
    return cub::DeviceSelect::If(b.room + count_bytes, size, reinterpret_cast<const T *>(b.src),
                                 reinterpret_cast<T *>(b.dst), reinterpret_cast<int64_t *>(b.room),
                                 static_cast<int64_t>(w.samples), range_of<T>(w), b.exec->main);
}

cudaError_t cub_indices(place &b, const work &w)
{
    size_t size = room_bytes - count_bytes;
    return cub::DeviceSelect::If(
        b.room + count_bytes, size, thrust::make_counting_iterator<int64_t>(0), reinterpret_cast<int64_t *>(b.dst),
        reinterpret_cast<int64_t *>(b.room), static_cast<int64_t>(w.samples),
        sample_in_range{reinterpret_cast<const float *>(b.src), range_of<float>(w)}, b.exec->main);
}

/* Covers only the cases above, because CUB takes seconds to compile for each type. */
cudaError_t cub_any(place &b, const work &w)
{
    if (w.c->unwanted == no_values)
        return cub_indices(b, w);
    switch (w.view.dtype) {
    case GF_U8:
        return cub_values<uint8_t>(b, w);
    case GF_U16:
        return cub_values<uint16_t>(b, w);
    case GF_I32:
        return cub_values<int32_t>(b, w);
    case GF_F32:
        return cub_values<float>(b, w);
    default:
        return cub_values<double>(b, w);
    }
}

} // namespace

int main(int argc, char **argv)
{
    return run_all(argc, argv, cases, sizeof(cases) / sizeof(cases[0]), cub_any, CUB_VERSION);
}
