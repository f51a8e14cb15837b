/* SPDX-License-Identifier: MIT */
/*
 * bench_scan: how fast scan and recurrence are on data that lies on the device, and where CUB makes the same, how that
 * compares, by bench_peer.cuh; rates are of bytes read and written. CUB adds f32 up in f32 and, where it says so, in
 * f64.
 */
#include <cub/cub.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "bench_peer.cuh"

namespace
{

using namespace bench;

enum class peer { none, sum, sum_f64, exclusive, backwards, max };

struct bench_case {
    const char *op, *params; /* name=value, space between */
    uint32_t dtype, channels;
    uint32_t width;   /* 0: the side */
    uint64_t segment; /* elements of each; 0: no segments */
    peer other;
};

const bench_case cases[] = {
    {"scan", "op=sum", GF_F32, 1, 0, 0, peer::sum},
    {"scan", "op=sum", GF_F32, 1, 0, 0, peer::sum_f64},
    {"scan", "op=sum dtype=f64", GF_F32, 1, 0, 0, peer::sum},
    {"scan", "op=sum", GF_F64, 1, 0, 0, peer::sum},
    {"scan", "op=sum", GF_U64, 1, 0, 0, peer::sum},
    {"scan", "op=sum dtype=i32", GF_I32, 1, 0, 0, peer::sum},
    {"scan", "op=sum", GF_I32, 1, 0, 0, peer::sum},
    {"scan", "op=sum", GF_U8, 1, 0, 0, peer::sum},
    {"scan", "op=sum dtype=u32 overflow=wrap", GF_U8, 1, 0, 0, peer::sum},
    {"scan", "op=product overflow=wrap", GF_I32, 1, 0, 0, peer::none},
    {"scan", "op=max", GF_F32, 1, 0, 0, peer::max},
    {"scan", "op=max", GF_F64, 1, 0, 0, peer::max},
    {"scan", "op=max", GF_U8, 1, 0, 0, peer::max},
    {"scan", "op=max", GF_I32, 1, 0, 0, peer::max},
    {"scan", "op=sum exclusive=1", GF_F32, 1, 0, 0, peer::exclusive},
    {"scan", "op=sum reverse=1", GF_F32, 1, 0, 0, peer::backwards},
    {"scan", "op=sum", GF_F32, 3, 0, 0, peer::none},
    {"recurrence", "a=0.5", GF_F32, 1, 0, 0, peer::none},
    {"recurrence", "a=0.5", GF_F64, 1, 0, 0, peer::none},
    {"scan", "op=sum axis=rows", GF_F32, 1, 16384, 0, peer::none},
    {"scan", "op=sum axis=rows", GF_F32, 1, 512, 0, peer::none},
    {"scan", "op=sum axis=rows", GF_F32, 1, 100, 0, peer::none},
    {"scan", "op=sum axis=rows", GF_F32, 1, 16, 0, peer::none},
    {"scan", "op=sum axis=cols", GF_F32, 1, 0, 0, peer::none},
    {"scan", "op=sum", GF_F32, 1, 0, 1u << 18, peer::none},
    {"scan", "op=sum", GF_F32, 1, 0, 512, peer::none},
    {"scan", "op=sum", GF_F32, 1, 0, 100, peer::none},
    {"scan", "op=sum", GF_F32, 1, 0, 16, peer::none},
};

/* Random samples around 0, and of u8 any. */
template <class T> void fill(const place &b)
{
    std::vector<uint32_t> block(block_bytes / sizeof(uint32_t));
    T *x = reinterpret_cast<T *>(block.data());
    uint32_t state = 12345;
    for (size_t i = 0; i < block_bytes / sizeof(T); i++) {
        const uint32_t r = next_random(&state);
        if constexpr (std::is_floating_point_v<T>)
            x[i] = static_cast<T>(static_cast<double>(r) * 0x1p-31 - 1.0);
        else if constexpr (std::is_signed_v<T>)
            x[i] = static_cast<T>(r % 17) - 8;
        else
            x[i] = static_cast<T>(r);
    }
    repeat(b, b.src, block);
}

template <class A> struct widen {
    template <class T> __host__ __device__ A operator()(T x) const
    {
        return static_cast<A>(x);
    }
};

struct greater {
    template <class T> __host__ __device__ T operator()(T a, T b) const
    {
        return a < b ? b : a;
    }
};

/* CUB's way; T of the data, A of sums, Out of results. */
template <class T, class A, class Out> cudaError_t cub_run(place &b, peer other, uint64_t n)
{
    const T *in = reinterpret_cast<const T *>(b.src);
    Out *out = reinterpret_cast<Out *>(b.dst);
    const cudaStream_t stream = b.lane->main;
    const auto sums = thrust::make_transform_iterator(in, widen<A>{});
    size_t size = b.room_bytes;
    switch (other) {
    case peer::sum:
        return cub::DeviceScan::InclusiveSum(b.room, size, sums, out, n, stream);
    case peer::sum_f64:
        return cub::DeviceScan::InclusiveSum(b.room, size, thrust::make_transform_iterator(in, widen<double>{}), out, n,
                                             stream);
    case peer::exclusive:
        return cub::DeviceScan::ExclusiveSum(b.room, size, sums, out, n, stream);
    case peer::backwards:
        return cub::DeviceScan::InclusiveSum(b.room, size, thrust::make_reverse_iterator(in + n),
                                             thrust::make_reverse_iterator(out + n), n, stream);
    case peer::max:
        return cub::DeviceScan::InclusiveScan(b.room, size, in, reinterpret_cast<T *>(b.dst), greater{}, n, stream);
    default:
        return cudaErrorNotSupported;
    }
}

cudaError_t cub_any(place &b, uint32_t in, uint32_t out, peer other, uint64_t n)
{
    switch (in) {
    case GF_U8:
        return out == GF_U32 ? cub_run<uint8_t, uint32_t, uint32_t>(b, other, n)
                             : cub_run<uint8_t, uint64_t, uint64_t>(b, other, n);
    case GF_I32:
        return out == GF_I32 ? cub_run<int32_t, int32_t, int32_t>(b, other, n)
                             : cub_run<int32_t, int64_t, int64_t>(b, other, n);
    case GF_U64:
        return cub_run<uint64_t, uint64_t, uint64_t>(b, other, n);
    case GF_F32:
        return out == GF_F32 ? cub_run<float, float, float>(b, other, n) : cub_run<float, double, double>(b, other, n);
    default:
        return cub_run<double, double, double>(b, other, n);
    }
}

void fill_any(const place &b, uint32_t dtype)
{
    switch (dtype) {
    case GF_U8:
        return fill<uint8_t>(b);
    case GF_I32:
        return fill<int32_t>(b);
    case GF_U64:
        return fill<uint64_t>(b);
    case GF_F32:
        return fill<float>(b);
    default:
        return fill<double>(b);
    }
}

void run_case(place &b, const bench_case &c)
{
    char name[96], of[48] = "";
    const uint64_t all = static_cast<uint64_t>(b.side) * b.side;
    const uint64_t width = c.width != 0 ? c.width : b.side / c.channels;
    work w = make_work(c.op, c.params, c.dtype, width, all / width / c.channels, c.channels);
    if (c.width != 0 || c.segment != 0)
        snprintf(of, sizeof(of), " %s of %llu", c.width != 0 ? "rows" : "segments",
                 static_cast<unsigned long long>(c.width != 0 ? c.width : c.segment));
    snprintf(name, sizeof(name), "%s %s %s x%u%s%s", c.op, gf_dtype_word(c.dtype), c.params, c.channels, of,
             c.other == peer::sum_f64 ? " (CUB in f64)" : "");
    if (!wanted(b, name))
        return;
    std::vector<uint64_t> offsets;
    for (uint64_t at = 0; c.segment != 0 && at < w.samples; at += c.segment)
        offsets.push_back(at);
    offsets.push_back(w.samples);
    const gf_buf list = {offsets.data(), gf_view_tight(GF_U64, offsets.size(), 1, 1)};
    if (c.segment != 0)
        w.list = &list;
    fill_any(b, c.dtype);
    std::function<cudaError_t()> other;
    if (c.other != peer::none)
        other = [&] { return cub_any(b, c.dtype, w.step.out[0].dtype, c.other, w.samples); };
    const double bytes = static_cast<double>(w.samples * (gf_dtype_size(c.dtype) + gf_dtype_size(w.step.out[0].dtype)));
    compare(
        b, name, bytes, [&] { run_ours(b, w, 0); }, other);
}

} // namespace

int main(int argc, char **argv)
{
    return run_all(argc, argv, cases, run_case);
}
