/* SPDX-License-Identifier: MIT */
/*
 * bench_reduce: how fast reduce, stats and dot are on data that lies on the device, and where CUB makes the same, how
 * that compares, by bench_peer.cuh; rates are of bytes read. CUB adds f32 up in f32 and, where it says so, in f64.
 */
#include <cub/cub.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "bench_peer.cuh"

namespace
{

using namespace bench;

enum class peer { none, sum, sum_f64, product, min, max, argmin, nonzero, rows };

struct bench_case {
    const char *op, *params; /* name=value, space between */
    uint32_t dtype, channels;
    peer other;
};

const bench_case cases[] = {
    {"reduce", "op=sum", GF_F32, 1, peer::sum},
    {"reduce", "op=sum", GF_F32, 1, peer::sum_f64},
    {"reduce", "op=sum", GF_F64, 1, peer::sum},
    {"reduce", "op=sum", GF_U8, 1, peer::sum},
    {"reduce", "op=sum", GF_U16, 1, peer::sum},
    {"reduce", "op=sum", GF_I32, 1, peer::sum},
    {"reduce", "op=sum", GF_I64, 1, peer::sum},
    {"reduce", "op=product", GF_F32, 1, peer::product},
    {"reduce", "op=product overflow=wrap", GF_U8, 1, peer::product},
    {"reduce", "op=product overflow=wrap", GF_I32, 1, peer::product},
    {"reduce", "op=min", GF_U8, 1, peer::min},
    {"reduce", "op=max", GF_U8, 1, peer::max},
    {"reduce", "op=min", GF_U16, 1, peer::min},
    {"reduce", "op=min", GF_I32, 1, peer::min},
    {"reduce", "op=min", GF_F32, 1, peer::min},
    {"reduce", "op=max", GF_F64, 1, peer::max},
    {"reduce", "op=argmin", GF_F32, 1, peer::argmin},
    {"reduce", "op=argmin", GF_U8, 1, peer::argmin},
    {"reduce", "op=argmin", GF_I32, 1, peer::argmin},
    {"reduce", "op=count", GF_F32, 1, peer::nonzero},
    {"reduce", "op=count", GF_U8, 1, peer::nonzero},
    {"reduce", "op=any", GF_U8, 1, peer::nonzero},
    {"reduce", "op=all", GF_F32, 1, peer::nonzero},
    {"reduce", "op=mean", GF_F32, 1, peer::sum_f64},
    {"reduce", "op=l1", GF_F32, 1, peer::none},
    {"reduce", "op=l2", GF_F32, 1, peer::none},
    {"reduce", "op=linf", GF_F32, 1, peer::none},
    {"reduce", "op=l1", GF_I8, 1, peer::none},
    {"reduce", "op=l2", GF_U8, 1, peer::none},
    {"reduce", "op=var", GF_F32, 1, peer::none},
    {"reduce", "op=var", GF_U8, 1, peer::none},
    {"reduce", "op=sum axis=rows", GF_F32, 1, peer::rows},
    {"reduce", "op=sum axis=rows", GF_U8, 1, peer::rows},
    {"reduce", "op=max axis=rows", GF_F32, 1, peer::none},
    {"reduce", "op=sum axis=cols", GF_F32, 1, peer::none},
    {"reduce", "op=sum axis=cols", GF_U8, 1, peer::none},
    {"reduce", "op=max axis=cols", GF_F32, 1, peer::none},
    {"reduce", "op=max axis=cols", GF_U8, 1, peer::none},
    {"reduce", "op=var axis=cols", GF_F32, 1, peer::none},
    {"reduce", "op=sum", GF_U8, 3, peer::none},
    {"reduce", "op=max", GF_U8, 3, peer::none},
    {"reduce", "op=sum", GF_F32, 3, peer::none},
    {"reduce", "op=sum axis=rows", GF_U8, 3, peer::none},
    {"stats", "", GF_F32, 1, peer::none},
    {"stats", "", GF_U8, 1, peer::none},
    {"stats", "", GF_U8, 3, peer::none},
    {"dot", "", GF_F32, 1, peer::none},
    {"dot", "", GF_F64, 1, peer::none},
};

/* Random samples; floats near 1 so that products stay finite. */
void fill(const place &b, char *to, uint32_t dtype)
{
    std::vector<uint32_t> block(block_bytes / 4);
    uint32_t state = 12345;
    for (size_t i = 0; i < block.size(); i++) {
        const uint32_t r = next_random(&state);
        const float f = 1.0f + (static_cast<float>(r >> 8) * 0x1p-24f - 0.5f) * 1e-3f;
        if (dtype == GF_F32)
            memcpy(&block[i], &f, sizeof(f));
        else if (dtype == GF_F64)
            block[i] = i % 2 != 0 ? 0x3FF00000u : r;
        else
            block[i] = r;
    }
    repeat(b, to, block);
}

template <class A> struct widen {
    template <class T> __host__ __device__ A operator()(T x) const
    {
        return static_cast<A>(x);
    }
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
template <class T, class A> cudaError_t cub_run(place &b, peer other, uint64_t n)
{
    const T *in = reinterpret_cast<const T *>(b.src);
    const cudaStream_t stream = b.lane->main;
    size_t size = b.room_bytes;
    switch (other) {
    case peer::sum:
        return cub::DeviceReduce::TransformReduce(b.room, size, in, reinterpret_cast<A *>(b.dst), n,
                                                  cuda::std::plus<>{}, widen<A>{}, A(0), stream);
    case peer::sum_f64:
        return cub::DeviceReduce::TransformReduce(b.room, size, in, reinterpret_cast<double *>(b.dst), n,
                                                  cuda::std::plus<>{}, widen<double>{}, 0.0, stream);
    case peer::product:
        return cub::DeviceReduce::TransformReduce(b.room, size, in, reinterpret_cast<A *>(b.dst), n, times{},
                                                  widen<A>{}, A(1), stream);
    case peer::min:
        return cub::DeviceReduce::Min(b.room, size, in, reinterpret_cast<T *>(b.dst), n, stream);
    case peer::max:
        return cub::DeviceReduce::Max(b.room, size, in, reinterpret_cast<T *>(b.dst), n, stream);
    case peer::argmin:
        return cub::DeviceReduce::ArgMin(b.room, size, in, reinterpret_cast<T *>(b.dst),
                                         reinterpret_cast<int64_t *>(b.dst + 64), static_cast<int64_t>(n), stream);
    case peer::nonzero:
        return cub::DeviceReduce::TransformReduce(b.room, size, in, reinterpret_cast<uint64_t *>(b.dst), n,
                                                  cuda::std::plus<>{}, not_zero{}, uint64_t{0}, stream);
    case peer::rows: {
        const auto starts =
            thrust::make_transform_iterator(thrust::make_counting_iterator<uint64_t>(0), row_start{b.side});
        return cub::DeviceSegmentedReduce::Sum(b.room, size, thrust::make_transform_iterator(in, widen<A>{}),
                                               reinterpret_cast<A *>(b.dst), static_cast<int64_t>(n / b.side), starts,
                                               starts + 1, stream);
    }
    default:
        return cudaErrorNotSupported;
    }
}

cudaError_t cub_any(place &b, const bench_case &c, uint64_t n)
{
    switch (c.dtype) {
    case GF_U8:
        return cub_run<uint8_t, uint64_t>(b, c.other, n);
    case GF_U16:
        return cub_run<uint16_t, uint64_t>(b, c.other, n);
    case GF_I32:
        return cub_run<int32_t, int64_t>(b, c.other, n);
    case GF_I64:
        return cub_run<int64_t, int64_t>(b, c.other, n);
    case GF_F32:
        return cub_run<float, float>(b, c.other, n);
    default:
        return cub_run<double, double>(b, c.other, n);
    }
}

void run_case(place &b, const bench_case &c)
{
    char name[96];
    const work w = make_work(c.op, c.params, c.dtype, b.side / c.channels / 16 * 16, b.side, c.channels);
    snprintf(name, sizeof(name), "%s %s %s x%u%s", c.op, gf_dtype_word(c.dtype), c.params, c.channels,
             c.other == peer::sum_f64 ? " (CUB in f64)" : "");
    if (!wanted(b, name))
        return;
    fill(b, b.src, c.dtype);
    if (w.step.op->n_required > 1)
        fill(b, b.other, c.dtype);
    std::function<cudaError_t()> other;
    if (c.other != peer::none)
        other = [&] { return cub_any(b, c, w.samples); };
    const double bytes = static_cast<double>(w.samples * gf_dtype_size(c.dtype) * w.step.op->n_required);
    compare(
        b, name, bytes, [&] { run_ours(b, w, 0); }, other);
}

} // namespace

int main(int argc, char **argv)
{
    return run_all(argc, argv, cases, run_case);
}
