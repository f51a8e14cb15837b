/* SPDX-License-Identifier: MIT */
/*
 * bench_scan: the speed of scan and recurrence on the device, beside CUB if CUB computes the same. CUB sums f32 in f32,
 * and in f64 if the row says so. Options: bench_case.h.
 */
#include <cub/cub.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "bench_case.h"

namespace
{

using namespace bench;

/* What CUB computes. */
enum of { of_nothing, of_sum, of_sum_f64, of_exclusive, of_backwards, of_max };

constexpr data any = data::random;
constexpr uint32_t ends = array_1m | array_256m;
constexpr uint32_t middle = array_1m | array_16m;

const test_case cases[] = {
    {"scan", "op=sum", GF_F32, 1, arrays | array_2m, any, of_sum},
    {"scan", "op=sum", GF_F32, 1, ends, any, of_sum_f64, "(CUB in f64)"},
    {"scan", "op=sum dtype=f64", GF_F32, 1, ends, any, of_sum},
    {"scan", "op=max", GF_F32, 1, ends, any, of_max},
    {"scan", "op=sum exclusive=1", GF_F32, 1, array_256m, any, of_exclusive},
    {"scan", "op=sum reverse=1", GF_F32, 1, array_256m, any, of_backwards},
    {"recurrence", "a=0.5", GF_F32, 1, arrays, any},
    {"scan", "op=sum axis=rows", GF_F32, 1, pictures, any},
    {"scan", "op=sum axis=cols", GF_F32, 1, square | photo, any},
    {"scan", "op=sum", GF_F32, 1, array_256m, any, of_nothing, nullptr, 0, false, 0, 1u << 18},
    {"scan", "op=sum", GF_F32, 1, middle, any, of_nothing, nullptr, 0, false, 0, 100},
    {"scan", "op=sum", GF_F32, 1, middle, any, of_nothing, nullptr, 0, false, 0, 16},
    {"scan", "op=sum", GF_F32, 3, photo, any},
    {"scan", "op=user combine=a0+b0", GF_F32, 1, arrays | array_2m, any},
    {"scan", "op=user combine=max(a0,b0)", GF_F32, 1, array_256m, any},
    {"scan", "op=user combine=a0+b0 exclusive=1 identity=0", GF_F32, 1, array_256m, any},
    {"scan", "op=user combine=a0+b0", GF_F32, 1, array_256m, any, of_nothing, nullptr, 0, false, 0, 1u << 18},
    {"scan", "op=user combine=a0+b0 axis=rows", GF_F32, 1, pictures, any},
    {"scan", "op=user combine=a0+b0 axis=cols", GF_F32, 1, square | photo, any},
    {"scan", "op=user combine=a0+b0", GF_F64, 1, array_256m, any},
    {"scan", "op=sum", GF_F64, 1, ends, any, of_sum},
    {"scan", "op=max", GF_F64, 1, array_256m, any, of_max},
    {"recurrence", "a=0.5", GF_F64, 1, ends, any},
    {"scan", "op=sum dtype=i32", GF_I32, 1, arrays | array_2m, any, of_sum},
    {"scan", "op=sum", GF_I32, 1, ends, any, of_sum},
    {"scan", "op=max", GF_I32, 1, array_256m, any, of_max},
    {"scan", "op=product overflow=wrap", GF_I32, 1, array_256m, any},
    {"scan", "op=sum", GF_U64, 1, array_256m, any, of_sum},
    {"scan", "op=sum", GF_U8, 1, ends, any, of_sum},
    {"scan", "op=sum dtype=u32 overflow=wrap", GF_U8, 1, array_256m, any, of_sum},
    {"scan", "op=max", GF_U8, 1, ends, any, of_max},
};

struct greater {
    template <class T> __host__ __device__ T operator()(T a, T b) const
    {
        return a < b ? b : a;
    }
};

template <class T> const T *input(const place &b)
{
    return reinterpret_cast<const T *>(b.src);
}
template <class T> T *output(const place &b)
{
    return reinterpret_cast<T *>(b.dst);
}

/* T is the type of the data, A of sums, Out of results. Covers only the cases above, because CUB takes seconds to
 * compile for each type. */
template <class T, class A, class Out = A> cudaError_t cub_sum(place &b, const work &w)
{
    size_t size = room_bytes;
    return cub::DeviceScan::InclusiveSum(b.room, size, thrust::make_transform_iterator(input<T>(b), widen<A>{}),
                                         output<Out>(b), w.samples, b.exec->main);
}

template <class T> cudaError_t cub_max(place &b, const work &w)
{
    size_t size = room_bytes;
    return cub::DeviceScan::InclusiveScan(b.room, size, input<T>(b), output<T>(b), greater{}, w.samples, b.exec->main);
}

cudaError_t cub_exclusive(place &b, const work &w)
{
    size_t size = room_bytes;
    return cub::DeviceScan::ExclusiveSum(b.room, size, thrust::make_transform_iterator(input<float>(b), widen<float>{}),
                                         output<float>(b), w.samples, b.exec->main);
}

cudaError_t cub_backwards(place &b, const work &w)
{
    size_t size = room_bytes;
    return cub::DeviceScan::InclusiveSum(b.room, size, thrust::make_reverse_iterator(input<float>(b) + w.samples),
                                         thrust::make_reverse_iterator(output<float>(b) + w.samples), w.samples,
                                         b.exec->main);
}

cudaError_t cub_f32(place &b, const work &w)
{
    switch (w.c->peer) {
    case of_sum:
        return w.step.out[0].dtype == GF_F32 ? cub_sum<float, float>(b, w) : cub_sum<float, double>(b, w);
    case of_sum_f64:
        return cub_sum<float, double, float>(b, w);
    case of_exclusive:
        return cub_exclusive(b, w);
    case of_backwards:
        return cub_backwards(b, w);
    default:
        return cub_max<float>(b, w);
    }
}

cudaError_t cub_any(place &b, const work &w)
{
    const uint32_t in = w.view.dtype, out = w.step.out[0].dtype;
    if (in == GF_F32)
        return cub_f32(b, w);
    if (w.c->peer == of_max)
        return in == GF_U8 ? cub_max<uint8_t>(b, w) : in == GF_I32 ? cub_max<int32_t>(b, w) : cub_max<double>(b, w);
    switch (in) {
    case GF_U8:
        return out == GF_U32 ? cub_sum<uint8_t, uint32_t>(b, w) : cub_sum<uint8_t, uint64_t>(b, w);
    case GF_I32:
        return out == GF_I32 ? cub_sum<int32_t, int32_t>(b, w) : cub_sum<int32_t, int64_t>(b, w);
    case GF_U64:
        return cub_sum<uint64_t, uint64_t>(b, w);
    default:
        return cub_sum<double, double>(b, w);
    }
}

} // namespace

int main(int argc, char **argv)
{
    return run_all(argc, argv, cases, sizeof(cases) / sizeof(cases[0]), cub_any, CUB_VERSION);
}
