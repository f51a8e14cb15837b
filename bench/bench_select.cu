/* SPDX-License-Identifier: MIT */
/*
 * bench_select: how fast select is on random data that lies on the device, and DeviceSelect::If of CUB, by
 * bench_peer.cuh. CUB leaves places behind those picked as they were; ours are filled, so `room` says for which share
 * of the samples there is room. Rates are of samples read.
 */
#include <cub/cub.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "bench_peer.cuh"

namespace
{

using namespace bench;

struct bench_case {
    uint32_t dtype, channels;
    uint32_t rows;    /* of the side, per row of a picture */
    double hi;        /* samples from 0 to this are picked */
    double room;      /* share of the samples; 0: all */
    uint32_t outputs; /* 1: values, 2: indices, 3: both */
};

const bench_case cases[] = {
    {GF_F32, 1, 1, 0.5, 0, 1},     {GF_F32, 1, 1, 0.5, 0.5, 1}, {GF_F32, 1, 1, 0.01, 0, 1},
    {GF_F32, 1, 1, 0.01, 0.01, 1}, {GF_F32, 1, 1, 1.0, 0, 1},   {GF_F32, 1, 1, 0.5, 0, 2},
    {GF_F32, 1, 1, 0.5, 0.5, 2},   {GF_F32, 1, 1, 0.5, 0.5, 3}, {GF_I32, 1, 1, 0x40000000, 0, 1},
    {GF_F64, 1, 1, 0.5, 0, 1},     {GF_U16, 1, 1, 32767, 0, 1}, {GF_U8, 1, 1, 127, 0, 1},
    {GF_U8, 1, 4, 127, 0, 1},      {GF_U8, 1, 4, 127, 0.5, 1},  {GF_U8, 1, 4, 1, 0, 1},
    {GF_U8, 3, 1, 127, 0, 1},      {GF_F32, 3, 1, 0.5, 0, 1},
};

/* Random samples; floats from 0 to 1. */
void fill(const place &b, uint32_t dtype)
{
    std::vector<uint32_t> block(block_bytes / 4);
    uint32_t state = 12345;
    for (size_t i = 0; i < block.size(); i++) {
        const uint32_t r = next_random(&state);
        const float f = static_cast<float>(r >> 8) * 0x1p-24f;
        const double d = static_cast<double>(f);
        if (dtype == GF_F32)
            memcpy(&block[i], &f, sizeof(f));
        else if (dtype == GF_F64)
            memcpy(&block[i / 2 * 2], &d, sizeof(d));
        else
            block[i] = r;
    }
    repeat(b, b.src, block);
}

template <class T> struct in_range {
    T lo, hi;
    __host__ __device__ bool operator()(T x) const
    {
        return x >= lo && x <= hi;
    }
};

template <class T> struct sample_in_range {
    const T *samples;
    in_range<T> range;
    __host__ __device__ bool operator()(int64_t i) const
    {
        return range(samples[i]);
    }
};

template <class T> cudaError_t cub_run(place &b, const bench_case &c, uint64_t n)
{
    const T *in = reinterpret_cast<const T *>(b.src);
    auto *count = reinterpret_cast<int64_t *>(b.other);
    const in_range<T> range = {T(0), static_cast<T>(c.hi)};
    const int64_t samples = static_cast<int64_t>(n);
    size_t size = b.room_bytes;
    if (c.outputs == 2)
        return cub::DeviceSelect::If(b.room, size, thrust::make_counting_iterator<int64_t>(0),
                                     reinterpret_cast<int64_t *>(b.dst), count, samples, sample_in_range<T>{in, range},
                                     b.lane->main);
    return cub::DeviceSelect::If(b.room, size, in, reinterpret_cast<T *>(b.dst), count, samples, range, b.lane->main);
}

cudaError_t cub_any(place &b, const bench_case &c, uint64_t n)
{
    switch (c.dtype) {
    case GF_U8:
        return cub_run<uint8_t>(b, c, n);
    case GF_U16:
        return cub_run<uint16_t>(b, c, n);
    case GF_I32:
        return cub_run<int32_t>(b, c, n);
    case GF_F32:
        return cub_run<float>(b, c, n);
    default:
        return cub_run<double>(b, c, n);
    }
}

void run_case(place &b, const bench_case &c)
{
    char name[96], params[96];
    const uint32_t width = b.side / c.channels / 16 * 16, height = b.side * c.rows;
    const double room = c.room > 0 ? c.room : 1.0;
    snprintf(params, sizeof(params), "lo=0 hi=%g capacity=%.0f", c.hi,
             room * static_cast<double>(width) * static_cast<double>(height));
    const work w = make_work("select", params, c.dtype, width, height, c.channels);
    snprintf(name, sizeof(name), "%s %ux%ux%u to %g, room %g%s", gf_dtype_word(c.dtype), width, height, c.channels,
             c.hi, room,
             c.outputs == 1   ? ""
             : c.outputs == 2 ? ", indices"
                              : ", values and indices");
    if (!wanted(b, name))
        return;
    fill(b, c.dtype);
    std::function<cudaError_t()> other;
    if (c.channels == 1 && c.outputs != 3)
        other = [&] { return cub_any(b, c, w.samples); };
    compare(
        b, name, static_cast<double>(w.samples * gf_dtype_size(c.dtype)), [&] { run_ours(b, w, ~c.outputs & 3); },
        other);
}

} // namespace

int main(int argc, char **argv)
{
    return run_all(argc, argv, cases, run_case);
}
