/* SPDX-License-Identifier: MIT */
/*
 * bench_count: how fast histogram and the tone ops, which count first, are on data that lies on the device, and for
 * histograms DeviceHistogram of CUB, by bench_peer.cuh. Rates are of bytes read by histogram, read and written by the
 * others.
 */
#include <cub/cub.cuh>

#include "bench_peer.cuh"

namespace
{

using namespace bench;

enum class data { random, equal, apart }; /* apart: 256 values, 1/256 of the range from one to the next */

struct bench_case {
    const char *op, *params;
    uint32_t dtype, channels;
    uint32_t width, height; /* 0: the side */
    data what;
    uint32_t bins; /* of CUB; 0: it does not run */
};

const bench_case cases[] = {
    {"histogram", "", GF_U8, 1, 1920, 1080, data::random, 256},
    {"histogram", "", GF_U8, 1, 1920, 1080, data::equal, 256},
    {"histogram", "", GF_U8, 3, 1920, 1080, data::random, 256},
    {"histogram", "", GF_U8, 1, 0, 0, data::random, 256},
    {"histogram", "", GF_U8, 1, 0, 0, data::equal, 256},
    {"histogram", "", GF_U8, 3, 0, 0, data::random, 256},
    {"histogram", "", GF_U16, 1, 0, 0, data::random, 65536},
    {"histogram", "bins=256 lo=0 hi=1", GF_F32, 1, 0, 0, data::random, 256},
    {"histogram", "bins=16384 lo=0 hi=1", GF_F32, 1, 0, 0, data::random, 16384},
    {"histogram", "bins=16384 lo=0 hi=1", GF_F32, 1, 0, 0, data::apart, 16384},
    {"histogram", "bins=50000 lo=0 hi=1", GF_F32, 1, 0, 0, data::random, 50000},
    {"histogram", "bins=100000 lo=0 hi=1", GF_F32, 1, 0, 0, data::random, 100000},
    {"histogram", "bins=100000 lo=0 hi=1", GF_F32, 1, 0, 0, data::equal, 100000},
    {"equalize", "", GF_U8, 3, 6000, 4000, data::random, 0},
    {"equalize", "", GF_U8, 1, 6000, 4000, data::random, 0},
    {"equalize", "", GF_U8, 4, 6000, 4000, data::random, 0},
    {"equalize", "", GF_U16, 3, 6000, 4000, data::random, 0},
    {"threshold", "mode=otsu", GF_U8, 3, 6000, 4000, data::random, 0},
    {"threshold", "mode=otsu", GF_U8, 1, 6000, 4000, data::random, 0},
    {"threshold", "mode=otsu", GF_F32, 1, 6000, 4000, data::random, 0},
    {"threshold", "value=99", GF_U8, 3, 6000, 4000, data::random, 0},
    {"autocontrast", "", GF_U8, 3, 6000, 4000, data::random, 0},
    {"autocontrast", "", GF_F32, 3, 6000, 4000, data::random, 0},
};

/* Floats from 0 to 1. */
void fill(const place &b, uint32_t dtype, data what)
{
    std::vector<uint32_t> block(block_bytes / 4);
    uint32_t state = 12345;
    for (uint32_t &word : block) {
        const uint32_t r = what == data::equal ? 0x37373737u : next_random(&state);
        const float f =
            what == data::apart ? static_cast<float>(r >> 24) * 0x1p-8f : static_cast<float>(r >> 8) * 0x1p-24f;
        word = r;
        if (dtype == GF_F32)
            memcpy(&word, &f, sizeof(f));
    }
    repeat(b, b.src, block);
}

/* L holds levels, which T may not. */
template <class T, class L> cudaError_t cub_run(place &b, const bench_case &c, uint64_t n, L hi)
{
    const T *in = reinterpret_cast<const T *>(b.src);
    auto *to = reinterpret_cast<unsigned *>(b.dst);
    const int levels = static_cast<int>(c.bins) + 1, pixels = static_cast<int>(n / c.channels);
    size_t size = b.room_bytes;
    if (c.channels == 1)
        return cub::DeviceHistogram::HistogramEven(b.room, size, in, to, levels, L(0), hi, pixels, b.lane->main);
    const cuda::std::array<unsigned *, 3> each = {to, to + c.bins, to + 2 * c.bins};
    const cuda::std::array<int, 3> all_levels = {levels, levels, levels};
    const cuda::std::array<L, 3> lower = {}, upper = {hi, hi, hi};
    return cub::DeviceHistogram::MultiHistogramEven<3, 3>(b.room, size, in, each, all_levels, lower, upper, pixels,
                                                          b.lane->main);
}

cudaError_t cub_any(place &b, const bench_case &c, uint64_t n)
{
    if (c.dtype == GF_F32)
        return cub_run<float>(b, c, n, 1.0f);
    if (c.dtype == GF_U16)
        return cub_run<uint16_t>(b, c, n, static_cast<int>(c.bins));
    return cub_run<uint8_t>(b, c, n, static_cast<int>(c.bins));
}

void run_case(place &b, const bench_case &c)
{
    static const char *const words[] = {"random", "equal", "apart"};
    char name[96];
    const uint32_t width = c.width != 0 ? c.width : b.side / c.channels / 16 * 16,
                   height = c.height != 0 ? c.height : b.side;
    const work w = make_work(c.op, c.params, c.dtype, width, height, c.channels);
    snprintf(name, sizeof(name), "%s %s %s %ux%ux%u %s", c.op, gf_dtype_word(c.dtype), c.params, width, height,
             c.channels, words[static_cast<int>(c.what)]);
    if (!wanted(b, name))
        return;
    fill(b, c.dtype, c.what);
    std::function<cudaError_t()> other;
    if (c.bins != 0)
        other = [&] { return cub_any(b, c, w.samples); };
    const double passes = strcmp(c.op, "histogram") == 0 ? 1.0 : 2.0;
    compare(
        b, name, passes * static_cast<double>(w.samples * gf_dtype_size(c.dtype)), [&] { run_ours(b, w, 0); }, other);
}

} // namespace

int main(int argc, char **argv)
{
    return run_all(argc, argv, cases, run_case);
}
