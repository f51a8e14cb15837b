/* SPDX-License-Identifier: MIT */
/*
 * bench_count: the speed on the device of the ops that count: histogram, the tone ops, quantile and histogram2d.
 * Histograms run beside CUB's DeviceHistogram. Options: bench_case.h.
 */
#include <cub/device/device_histogram.cuh>

#include "bench_case.h"

namespace
{

using namespace bench;

constexpr data any = data::random;
constexpr uint32_t ends = full_hd | square;

const test_case cases[] = {
    {"histogram", "", GF_U8, 1, pictures, any, 1},
    {"histogram", "", GF_U8, 1, pictures, data::equal, 1},
    {"histogram", "", GF_U8, 1, ends, data::few, 1},
    {"histogram", "", GF_U8, 3, pictures, any, 1},
    {"histogram", "", GF_U8, 3, ends, data::equal, 1},
    {"histogram", "channels=colour", GF_U8, 4, pictures, any, 1},
    {"histogram", "channels=colour", GF_U8, 4, pictures, data::equal, 1},
    {"histogram", "", GF_U16, 1, pictures, any, 1},
    {"histogram", "", GF_U16, 1, pictures, data::equal, 1},
    {"histogram", "", GF_U16, 1, ends, data::few, 1},
    {"histogram", "bins=256 lo=0 hi=1", GF_F32, 1, pictures, any, 1},
    {"histogram", "bins=256 lo=0 hi=1", GF_F32, 1, square, data::equal, 1},
    {"histogram", "bins=256 lo=0 hi=1", GF_F32, 1, square, data::few, 1},
    {"histogram", "bins=16384 lo=0 hi=1", GF_F32, 1, square, any, 1},
    {"histogram", "bins=16384 lo=0 hi=1", GF_F32, 1, square, data::few, 1},
    {"histogram", "bins=100000 lo=0 hi=1", GF_F32, 1, square, any, 1},
    {"histogram", "bins=100000 lo=0 hi=1", GF_F32, 1, square, data::equal, 1},
    {"equalize", "", GF_U8, 1, pictures, any},
    {"equalize", "", GF_U8, 3, photos, any},
    {"equalize", "", GF_U8, 3, photo, data::equal},
    {"equalize", "", GF_U8, 3, photo, data::few},
    {"equalize", "", GF_U8, 4, photo, any},
    {"equalize", "", GF_U16, 3, photo, any},
    {"threshold", "mode=otsu", GF_U8, 1, pictures, any},
    {"threshold", "mode=otsu channels=each", GF_U8, 3, photo, any},
    {"threshold", "mode=otsu", GF_F32, 1, photo, any},
    {"threshold", "value=99", GF_U8, 1, pictures, any},
    {"autocontrast", "", GF_U8, 3, photos, any},
    {"autocontrast", "", GF_F32, 1, pictures, any},
    {"histogram2d", "", GF_U8, 3, photos, any},
    {"histogram2d", "", GF_U8, 3, photo, data::equal},
    {"histogram2d", "bins=64 lo=0 hi=1", GF_F32, 3, photo, any},
    {"quantile", "", GF_U8, 3, photos, any},
    {"quantile", "", GF_U8, 3, photo, data::equal},
    {"quantile", "", GF_U16, 3, photo, any},
    {"quantile", "", GF_F32, 1, photos, any},
    {"quantile", "q=0.01,0.5,0.99", GF_F32, 3, photo, any},
    {"quantile", "", GF_F64, 1, photo, any},
    {"quantile", "axis=rows", GF_F32, 1, photo, any},
    {"quantile", "axis=cols", GF_F32, 1, photo, any},
};

/* L is the type of levels, which may exceed the range of T. */
template <class T, class L> cudaError_t cub_one(place &b, const work &w, L hi)
{
    const int levels = static_cast<int>(w.step.out[0].width) + 1, samples = static_cast<int>(w.samples);
    size_t size = room_bytes;
    return cub::DeviceHistogram::HistogramEven(b.room, size, reinterpret_cast<const T *>(b.src),
                                               reinterpret_cast<unsigned *>(b.dst), levels, L(0), hi, samples,
                                               b.exec->main);
}

/* Counts three of C channels of bytes. */
template <int C> cudaError_t cub_three(place &b, const work &w)
{
    const uint64_t bins = w.step.out[0].width;
    const int levels = static_cast<int>(bins) + 1, pixels = static_cast<int>(w.samples / C);
    auto *to = reinterpret_cast<unsigned *>(b.dst);
    const cuda::std::array<unsigned *, 3> each = {to, to + bins, to + 2 * bins};
    const cuda::std::array<int, 3> all_levels = {levels, levels, levels}, lower = {}, upper = {256, 256, 256};
    size_t size = room_bytes;
    return cub::DeviceHistogram::MultiHistogramEven<C, 3>(b.room, size, reinterpret_cast<const uint8_t *>(b.src), each,
                                                          all_levels, lower, upper, pixels, b.exec->main);
}

/* Covers only the cases above, because CUB takes seconds to compile for each type. */
cudaError_t cub_any(place &b, const work &w)
{
    if (w.view.dtype == GF_F32)
        return cub_one<float>(b, w, 1.0f);
    if (w.view.dtype == GF_U16)
        return cub_one<uint16_t>(b, w, 65536);
    return w.view.channels == 1   ? cub_one<uint8_t>(b, w, 256)
           : w.view.channels == 3 ? cub_three<3>(b, w)
                                  : cub_three<4>(b, w);
}

} // namespace

int main(int argc, char **argv)
{
    return run_all(argc, argv, cases, sizeof(cases) / sizeof(cases[0]), cub_any, CUB_VERSION);
}
