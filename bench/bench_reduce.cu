/* SPDX-License-Identifier: MIT */
/*
 * bench_reduce: speed of reduce, stats and dot on the device, beside CUB where that computes the same. CUB adds f32 in
 * f32 and, where the row says so, in f64. Options: bench_case.h.
 */
#include <cub/cub.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "bench_case.h"

namespace
{

using namespace bench;

/* What CUB makes. */
enum of { of_nothing, of_sum, of_sum_f64, of_product, of_min, of_max, of_argmin, of_nonzero, of_rows };

constexpr data any = data::random;
constexpr uint32_t ends = array_1m | array_256m;

const test_case cases[] = {
    {"reduce", "op=sum", GF_F32, 1, arrays | array_2m, any, of_sum},
    {"reduce", "op=sum", GF_F32, 1, array_256m, any, of_sum_f64, "(CUB in f64)"},
    {"reduce", "op=min", GF_F32, 1, ends, any, of_min},
    {"reduce", "op=argmin", GF_F32, 1, arrays, any, of_argmin},
    {"reduce", "op=argmin", GF_F32, 1, array_256m, data::equal, of_argmin},
    {"reduce", "op=count", GF_F32, 1, array_256m, any, of_nonzero},
    {"reduce", "op=all", GF_F32, 1, array_256m, any, of_nonzero},
    {"reduce", "op=mean", GF_F32, 1, array_256m, any, of_sum_f64, "(CUB's sum in f64)"},
    {"reduce", "op=l1", GF_F32, 1, array_256m, any},
    {"reduce", "op=l2", GF_F32, 1, array_256m, any},
    {"reduce", "op=linf", GF_F32, 1, array_256m, any},
    {"reduce", "op=var", GF_F32, 1, arrays, any},
    {"reduce", "op=sum axis=rows", GF_F32, 1, square | photo, any, of_rows},
    {"reduce", "op=max axis=rows", GF_F32, 1, square, any},
    {"reduce", "op=sum axis=cols", GF_F32, 1, square | photo, any},
    {"reduce", "op=max axis=cols", GF_F32, 1, square, any},
    {"reduce", "op=var axis=cols", GF_F32, 1, square, any},
    {"stats", "", GF_F32, 1, arrays, any},
    {"dot", "", GF_F32, 1, arrays, any},
    {"reduce", "op=product", GF_F32, 1, array_256m, data::around_one, of_product},
    {"reduce", "op=sum", GF_F32, 3, photo, any},

    {"reduce", "op=sum", GF_F64, 1, arrays, any, of_sum},
    {"reduce", "op=max", GF_F64, 1, ends, any, of_max},
    {"dot", "", GF_F64, 1, array_256m, any},

    {"reduce", "op=sum", GF_U8, 1, arrays, any, of_sum},
    {"reduce", "op=min", GF_U8, 1, arrays, any, of_min},
    {"reduce", "op=max", GF_U8, 1, ends, any, of_max},
    {"reduce", "op=argmin", GF_U8, 1, ends, any, of_argmin},
    {"reduce", "op=count", GF_U8, 1, array_256m, any, of_nonzero},
    {"reduce", "op=any", GF_U8, 1, array_256m, any, of_nonzero},
    {"reduce", "op=l2", GF_U8, 1, array_256m, any},
    {"reduce", "op=var", GF_U8, 1, ends, any},
    {"reduce", "op=product overflow=wrap", GF_U8, 1, array_256m, any, of_product},
    {"reduce", "op=sum axis=rows", GF_U8, 1, square, any, of_rows},
    {"reduce", "op=sum axis=cols", GF_U8, 1, square, any},
    {"reduce", "op=max axis=cols", GF_U8, 1, square, any},
    {"stats", "", GF_U8, 1, ends, any},
    {"reduce", "op=sum", GF_U8, 3, photos, any},
    {"reduce", "op=max", GF_U8, 3, photo, any},
    {"reduce", "op=sum axis=rows", GF_U8, 3, photo, any},
    {"stats", "", GF_U8, 3, photos, any},

    {"reduce", "op=sum", GF_U16, 1, ends, any, of_sum},
    {"reduce", "op=min", GF_U16, 1, array_256m, any, of_min},
    {"reduce", "op=l1", GF_I8, 1, array_256m, any},

    {"reduce", "op=sum", GF_I32, 1, arrays, any, of_sum},
    {"reduce", "op=min", GF_I32, 1, ends, any, of_min},
    {"reduce", "op=argmin", GF_I32, 1, array_256m, any, of_argmin},
    {"reduce", "op=product overflow=wrap", GF_I32, 1, array_256m, any, of_product},
    {"reduce", "op=sum", GF_I64, 1, ends, any, of_sum},
};

struct not_zero {
    template <class T> __host__ __device__ uint64_t operator()(T x) const
    {
        return x != T(0);
    }
};

struct times {
    template <class T> __host__ __device__ T operator()(T a, T b) const
    {
        return a * b;
    }
};

struct row_start {
    uint64_t width;
    __host__ __device__ uint64_t operator()(uint64_t row) const
    {
        return row * width;
    }
};

/* CUB's way; T of the data, A of sums. */
template <class T, class A> cudaError_t cub_run(place &b, const work &w)
{
    const T *in = reinterpret_cast<const T *>(b.src);
    const uint64_t n = w.samples;
    const cudaStream_t stream = b.exec->main;
    size_t size = room_bytes;
    switch (w.c->peer) {
    case of_sum:
        return cub::DeviceReduce::TransformReduce(b.room, size, in, reinterpret_cast<A *>(b.dst), n,
                                                  cuda::std::plus<>{}, widen<A>{}, A(0), stream);
    case of_sum_f64:
        return cub::DeviceReduce::TransformReduce(b.room, size, in, reinterpret_cast<double *>(b.dst), n,
                                                  cuda::std::plus<>{}, widen<double>{}, 0.0, stream);
    case of_product:
        return cub::DeviceReduce::TransformReduce(b.room, size, in, reinterpret_cast<A *>(b.dst), n, times{},
                                                  widen<A>{}, A(1), stream);
    case of_min:
        return cub::DeviceReduce::Min(b.room, size, in, reinterpret_cast<T *>(b.dst), n, stream);
    case of_max:
        return cub::DeviceReduce::Max(b.room, size, in, reinterpret_cast<T *>(b.dst), n, stream);
    case of_argmin:
        return cub::DeviceReduce::ArgMin(b.room, size, in, reinterpret_cast<T *>(b.dst),
                                         reinterpret_cast<int64_t *>(b.dst + 64), static_cast<int64_t>(n), stream);
    case of_nonzero:
        return cub::DeviceReduce::TransformReduce(b.room, size, in, reinterpret_cast<uint64_t *>(b.dst), n,
                                                  cuda::std::plus<>{}, not_zero{}, uint64_t{0}, stream);
    case of_rows: {
        const auto starts =
            thrust::make_transform_iterator(thrust::make_counting_iterator<uint64_t>(0), row_start{w.view.width});
        return cub::DeviceSegmentedReduce::Sum(b.room, size, thrust::make_transform_iterator(in, widen<A>{}),
                                               reinterpret_cast<A *>(b.dst), static_cast<int64_t>(w.view.height),
                                               starts, starts + 1, stream);
    }
    default:
        return cudaErrorNotSupported;
    }
}

cudaError_t cub_any(place &b, const work &w)
{
    switch (w.view.dtype) {
    case GF_U8:
        return cub_run<uint8_t, uint64_t>(b, w);
    case GF_U16:
        return cub_run<uint16_t, uint64_t>(b, w);
    case GF_I32:
        return cub_run<int32_t, int64_t>(b, w);
    case GF_I64:
        return cub_run<int64_t, int64_t>(b, w);
    case GF_F32:
        return cub_run<float, float>(b, w);
    default:
        return cub_run<double, double>(b, w);
    }
}

} // namespace

int main(int argc, char **argv)
{
    return run_all(argc, argv, cases, sizeof(cases) / sizeof(cases[0]), cub_any, CUB_VERSION);
}
