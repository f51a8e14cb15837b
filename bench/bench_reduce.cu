/* SPDX-License-Identifier: MIT */
/*
 * bench_reduce: the speed of reduce, stats and dot on the device, beside CUB if CUB computes the same. CUB sums f32 in
 * f32, and in f64 if the row says so. Options: bench_case.h.
 */
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/version.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "bench_case.h"

namespace
{

using namespace bench;

/* What CUB computes. */
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
    {"reduce", "op=user combine=a0+b0", GF_F32, 1, arrays | array_2m, any},
    {"reduce", "op=user lift=a,i combine=select(b0>a0,b0,a0),select(b0>a0,b1,a1) finish=a1", GF_F32, 1, array_256m,
     any},
    {"reduce", "op=user lift=1.0,f64(a),0.0 combine=a0+b0,a1+(b1-a1)*b0/(a0+b0),a2+b2+(b1-a1)*(b1-a1)*a0*b0/(a0+b0)",
     GF_F32, 1, array_256m, any},
    {"reduce", "op=user combine=a0+b0 axis=rows", GF_F32, 1, square | photo, any},
    {"reduce", "op=user combine=a0+b0 axis=cols", GF_F32, 1, square | photo, any},

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
    {"reduce", "op=user combine=a0+b0", GF_U8, 1, array_256m, any},
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

/* CUB's algorithms. T is the type of the data, A of the result. */

template <class T> const T *elements(const place &b)
{
    return reinterpret_cast<const T *>(b.src);
}

template <class T, class A, class J, class W> cudaError_t cub_fold(place &b, const work &w, J join, W widen, A first)
{
    size_t size = room_bytes;
    return cub::DeviceReduce::TransformReduce(b.room, size, elements<T>(b), reinterpret_cast<A *>(b.dst), w.samples,
                                              join, widen, first, b.exec->main);
}

template <class T, class A> cudaError_t cub_sum(place &b, const work &w)
{
    return cub_fold<T>(b, w, cuda::std::plus<>{}, widen<A>{}, A(0));
}

template <class T, class A> cudaError_t cub_product(place &b, const work &w)
{
    return cub_fold<T>(b, w, times{}, widen<A>{}, A(1));
}

template <class T> cudaError_t cub_nonzero(place &b, const work &w)
{
    return cub_fold<T>(b, w, cuda::std::plus<>{}, not_zero{}, uint64_t{0});
}

template <class T> cudaError_t cub_min(place &b, const work &w)
{
    size_t size = room_bytes;
    return cub::DeviceReduce::Min(b.room, size, elements<T>(b), reinterpret_cast<T *>(b.dst), w.samples, b.exec->main);
}

template <class T> cudaError_t cub_max(place &b, const work &w)
{
    size_t size = room_bytes;
    return cub::DeviceReduce::Max(b.room, size, elements<T>(b), reinterpret_cast<T *>(b.dst), w.samples, b.exec->main);
}

template <class T> cudaError_t cub_argmin(place &b, const work &w)
{
    size_t size = room_bytes;
    return cub::DeviceReduce::ArgMin(b.room, size, elements<T>(b), reinterpret_cast<T *>(b.dst),
                                     reinterpret_cast<int64_t *>(b.dst + 64), static_cast<int64_t>(w.samples),
                                     b.exec->main);
}

template <class T, class A> cudaError_t cub_rows(place &b, const work &w)
{
    const auto starts =
        thrust::make_transform_iterator(thrust::make_counting_iterator<uint64_t>(0), row_start{w.view.width});
    size_t size = room_bytes;
    return cub::DeviceSegmentedReduce::Sum(b.room, size, thrust::make_transform_iterator(elements<T>(b), widen<A>{}),
                                           reinterpret_cast<A *>(b.dst), static_cast<int64_t>(w.view.height), starts,
                                           starts + 1, b.exec->main);
}

/* Covers only the cases above, because CUB takes seconds to compile for each line. */
const struct {
    uint32_t dtype;
    int makes;
    cub_fn run;
} peers[] = {
    {GF_F32, of_sum, cub_sum<float, float>},
    {GF_F32, of_sum_f64, cub_sum<float, double>},
    {GF_F32, of_product, cub_product<float, float>},
    {GF_F32, of_min, cub_min<float>},
    {GF_F32, of_argmin, cub_argmin<float>},
    {GF_F32, of_nonzero, cub_nonzero<float>},
    {GF_F32, of_rows, cub_rows<float, float>},
    {GF_F64, of_sum, cub_sum<double, double>},
    {GF_F64, of_max, cub_max<double>},
    {GF_U8, of_sum, cub_sum<uint8_t, uint64_t>},
    {GF_U8, of_product, cub_product<uint8_t, uint64_t>},
    {GF_U8, of_min, cub_min<uint8_t>},
    {GF_U8, of_max, cub_max<uint8_t>},
    {GF_U8, of_argmin, cub_argmin<uint8_t>},
    {GF_U8, of_nonzero, cub_nonzero<uint8_t>},
    {GF_U8, of_rows, cub_rows<uint8_t, uint64_t>},
    {GF_U16, of_sum, cub_sum<uint16_t, uint64_t>},
    {GF_U16, of_min, cub_min<uint16_t>},
    {GF_I32, of_sum, cub_sum<int32_t, int64_t>},
    {GF_I32, of_product, cub_product<int32_t, int64_t>},
    {GF_I32, of_min, cub_min<int32_t>},
    {GF_I32, of_argmin, cub_argmin<int32_t>},
    {GF_I64, of_sum, cub_sum<int64_t, int64_t>},
};

cudaError_t cub_any(place &b, const work &w)
{
    for (const auto &peer : peers)
        if (peer.dtype == w.view.dtype && peer.makes == w.c->peer)
            return peer.run(b, w);
    return cudaErrorNotSupported;
}

} // namespace

int main(int argc, char **argv)
{
    return run_all(argc, argv, cases, sizeof(cases) / sizeof(cases[0]), cub_any, CUB_VERSION);
}
