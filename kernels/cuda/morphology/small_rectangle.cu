/* SPDX-License-Identifier: MIT */
/*
 * Extrema under rectangles of up to 16 x 16, docs/numerics.md, "Morphology", in registers. Called by rectangle.cu,
 * which handles larger rectangles.
 *
 * A tile has 32 rows, and 256 words per row with the halo. A thread loads a column of words, all rows before it uses
 * the first, and makes the windows of `height` rows. Squares of n words, n being the samples per word, are transposed,
 * so that a word holds samples of different rows, and stored in shared memory (A). Then a thread loads 17 adjacent
 * pixels of a channel, with their halo, from A and makes the windows of `width` pixels (B). Finally words are
 * transposed back and stored. Both passes use van Herk's method as rectangle.cu does, but with lines in registers;
 * register numbers must be constants, so there is code for each length.
 *
 * Line g of A or B has rows g n to g n + n - 1, one word per sample of a row. A thread writes and reads n adjacent
 * words of a line as one vector. In the pass along rows, consecutive lanes take consecutive segments of a line and then
 * of the next lines, 17 pixels apart. plan() chooses the pitch of lines so that lanes have no bank conflicts, since 17
 * is odd; with 2 or 4 channels, adjacent lanes take the channels of the same pixels.
 */
#include <type_traits>

#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/shared_limit.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "words.cuh"

namespace
{

using namespace gf;

constexpr int threads = 256, blocks_per_unit = 2;
constexpr int tile_rows = 32, segment = 17; /* results per thread: down a column, along a row */
constexpr int most = GF_CUDA_SMALL_RECTANGLE;
constexpr int at_once = 4, stored = 8; /* rows of a column per batch: loads at a border, stores */

__device__ __forceinline__ int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* The number of lines of A or B. A word has n samples. */
template <int n> constexpr int lines = tile_rows / n;

/* n words, as one vector. */
template <int n> struct alignas(4 * n) Words {
    uint32_t v[n];
};

/* The extrema of the `length` samples from each of the first `count` samples on. The line is cut into blocks of length
 * + 1 windows, whose first window ends right before its last one begins. Window k of a block combines the suffix
 * ends[k], its samples up to that point, and the prefix begins[k], the k samples after it. Integers have an instruction
 * for the maximum of three. To use it, an odd window combines sample k itself with ends[k + 1], and an even window its
 * last sample with begins[k - 1]. So only even ends and odd begins are needed, each two samples longer than the
 * previous one. */
template <int n, bool dilate, int length, int count>
__device__ __forceinline__ void make_windows(const uint32_t (&line)[count + length - 1],
                                             Extremum<n, dilate> (&to)[count])
{
#pragma unroll
    for (int first = 0; first < count; first += length + 1) {
        Extremum<n, dilate> ends[length], begins[length + 1];
        ends[length - 1].set(line[first + length - 1]);
#pragma unroll
        for (int k = length - 2; k >= 0; k--) {
            ends[k] = ends[k + 1];
            ends[k].add(line[first + k]);
        }
        to[first] = ends[0];
#pragma unroll
        for (int k = 1; k <= length && first + k < count; k++) {
            const uint32_t last = line[first + length + k - 1];
            begins[k].set(last);
            if (k > 1)
                begins[k].add(begins[k - 1]);
            Extremum<n, dilate> &window = to[first + k];
            window = begins[k];
            if (k < length && n == 1) {
                window.add(ends[k]);
            } else if (k < length && k % 2 != 0) {
                window.add(line[first + k]);
                if (k + 1 < length)
                    window.add(ends[k + 1]);
            } else if (k < length) {
                window = begins[k - 1];
                window.add(last);
                window.add(ends[k]);
            }
        }
    }
}

/* Calls f with `length`, from 1 to 16, as a type. */
template <class F> __device__ __forceinline__ void with_length(int32_t length, F &&f)
{
    static_assert(most == 16, "the switch must have a case for each length");
    switch (length) {
    case 1:
        return f(std::integral_constant<int, 1>());
    case 2:
        return f(std::integral_constant<int, 2>());
    case 3:
        return f(std::integral_constant<int, 3>());
    case 4:
        return f(std::integral_constant<int, 4>());
    case 5:
        return f(std::integral_constant<int, 5>());
    case 6:
        return f(std::integral_constant<int, 6>());
    case 7:
        return f(std::integral_constant<int, 7>());
    case 8:
        return f(std::integral_constant<int, 8>());
    case 9:
        return f(std::integral_constant<int, 9>());
    case 10:
        return f(std::integral_constant<int, 10>());
    case 11:
        return f(std::integral_constant<int, 11>());
    case 12:
        return f(std::integral_constant<int, 12>());
    case 13:
        return f(std::integral_constant<int, 13>());
    case 14:
        return f(std::integral_constant<int, 14>());
    case 15:
        return f(std::integral_constant<int, 15>());
    default:
        return f(std::integral_constant<int, 16>());
    }
}

/* Converts between samples and keys for erode and i16; the conversion is its own inverse. For bytes it is a
 * multiply-add, ~w = w * -1 - 1, which runs on another pipe than extrema. */
template <int n, int count>
__device__ __forceinline__ void turn_keys(const struct gf_cuda_morphology &m, uint32_t (&w)[count])
{
    const uint32_t turned = (m.dilate ? 0 : 0xFFFFFFFFu) ^ (n == 2 && m.dtype == GF_I16 ? 0x80008000u : 0);
#pragma unroll
    for (int i = 0; i < count; i++)
        w[i] = n == 4 ? w[i] * (turned | 1) + turned : w[i] ^ turned;
}

/* Convert words to keys and back, with one branch for all of them. */
template <int n, int count>
__device__ __forceinline__ void keys_of(const struct gf_cuda_morphology &m, uint32_t (&w)[count])
{
    if constexpr (n == 1)
        return;
    if (n == 2 && m.dtype == GF_F16) {
#pragma unroll
        for (int i = 0; i < count; i++)
            w[i] = half_keys(w[i]);
    }
    turn_keys<n>(m, w);
}

template <int n, int count>
__device__ __forceinline__ void samples_of(const struct gf_cuda_morphology &m, uint32_t (&w)[count])
{
    if constexpr (n != 1)
        turn_keys<n>(m, w);
    if (n == 1 || (n == 2 && m.dtype == GF_F16)) {
#pragma unroll
        for (int i = 0; i < count; i++)
            w[i] = n == 1 ? canonical<1>(m.dtype, w[i]) : half_samples(w[i]);
    }
}

/* Loads a column of words from row `top` and sample `at` on, where the border maps some samples. */
template <int n>
__device__ __forceinline__ void load_mapped(const struct gf_cuda_morphology &m, int32_t top, int32_t at, int32_t rows,
                                            uint32_t (&column)[tile_rows + most])
{
    constexpr uint32_t bits = 32 / n, mask = n == 1 ? 0xFFFFFFFFu : (1u << (bits & 31)) - 1;
    const int32_t channels = static_cast<int32_t>(m.channels);
    int32_t from[n]; /* source samples within a row; negative for the constant */
    uint32_t outside = 0;
#pragma unroll
    for (int k = 0; k < n; k++) {
        const int32_t i = at + k, pixel = i >= 0 ? i / channels : -((channels - 1 - i) / channels);
        const int32_t c = i - pixel * channels, mapped = border_index(m.border, pixel, m.picture_width);
        from[k] = mapped < 0 ? -1 : mapped * channels + c;
        outside |= (m.outside[c] & mask) << (k * bits & 31);
    }
    for (int32_t r = 0; r < rows; r += at_once) {
        uint32_t sample[at_once][n];
        int32_t line[at_once];
#pragma unroll
        for (int i = 0; i < at_once; i++)
            line[i] = border_index(m.border, top + r + i, m.picture_height);
#pragma unroll
        for (int i = 0; i < at_once; i++)
#pragma unroll
            for (int k = 0; k < n; k++)
                sample[i][k] = word_of(m.src, line[i] < 0 ? 0 : line[i], (from[k] < 0 ? 0 : from[k]) / n);
#pragma unroll
        for (int i = 0; i < at_once; i++) {
            uint32_t w = 0;
#pragma unroll
            for (int k = 0; k < n; k++) {
                const uint32_t there = line[i] < 0 || from[k] < 0 ? 0 : mask << (k * bits & 31);
                w |= (sample[i][k] >> (from[k] % n * bits & 31) << (k * bits & 31) & there) |
                     (outside & (mask << (k * bits & 31)) & ~there);
            }
            column[r + i] = w;
        }
    }
}

/* Transposes n windows of consecutive rows into one word per sample. */
template <int n, bool dilate> __device__ __forceinline__ void turn(const Extremum<n, dilate> *windows, uint32_t (&w)[n])
{
#pragma unroll
    for (int k = 0; k < n; k++)
        w[k] = windows[k].get();
    transpose<n>(w);
}

template <> __device__ __forceinline__ void turn<4>(const Extremum<4> *windows, uint32_t (&w)[4])
{
    const uint32_t even0 = __byte_perm(windows[0].even, windows[1].even, 0x7351);
    const uint32_t even1 = __byte_perm(windows[2].even, windows[3].even, 0x7351);
    const uint32_t odd0 = __byte_perm(windows[0].odd, windows[1].odd, 0x7351);
    const uint32_t odd1 = __byte_perm(windows[2].odd, windows[3].odd, 0x7351);
    w[0] = __byte_perm(even0, even1, 0x5410);
    w[1] = __byte_perm(odd0, odd1, 0x5410);
    w[2] = __byte_perm(even0, even1, 0x7632);
    w[3] = __byte_perm(odd0, odd1, 0x7632);
}

/* A: makes the windows of `height` rows for the words from `at` on. */
template <int n, bool dilate, int height>
__device__ __forceinline__ void make_columns(const struct gf_cuda_morphology &m, int32_t top, int32_t at, bool inside,
                                             const uint32_t (&mapped)[tile_rows + most], uint32_t *to, int32_t line)
{
    constexpr int rows = tile_rows + height - 1;
    uint32_t column[rows];
    if (inside) {
        const char *from = m.src.data + static_cast<size_t>(top) * m.src.pitch + static_cast<size_t>(at) * (4 / n);
        const uint32_t pitch = static_cast<uint32_t>(m.src.pitch);
#pragma unroll
        for (int i = 0; i < rows; i++)
            column[i] = __ldg(reinterpret_cast<const uint32_t *>(from + static_cast<uint64_t>(pitch) * i));
    } else {
#pragma unroll
        for (int i = 0; i < rows; i++)
            column[i] = mapped[i];
    }
    keys_of<n>(m, column);
    Extremum<n, dilate> windows[tile_rows];
    make_windows<n, dilate, height, tile_rows>(column, windows);
#pragma unroll
    for (int g = 0; g < tile_rows / n; g++) {
        Words<n> square;
        turn(&windows[g * n], square.v);
        *reinterpret_cast<Words<n> *>(to + g * line) = square;
    }
}

/* B: makes the windows of `width` samples, which are `step` words apart. */
template <int n, bool dilate, int width>
__device__ __forceinline__ void make_rows(const uint32_t *from, uint32_t *to, int32_t step)
{
    uint32_t line[segment + width - 1];
#pragma unroll
    for (int i = 0; i < segment + width - 1; i++)
        line[i] = from[i * step];
    Extremum<n, dilate> windows[segment];
    make_windows<n, dilate, width, segment>(line, windows);
#pragma unroll
    for (int i = 0; i < segment; i++)
        to[i * step] = windows[i].get();
}

__device__ __forceinline__ void load_rows(const struct gf_cuda_plane &plane, int32_t y, int32_t word,
                                          uint32_t (&w)[stored])
{
#pragma unroll
    for (int i = 0; i < stored; i++)
        w[i] = word_of(plane, y + i, word);
}

/* Stores a column of words that lies wholly inside the picture, `stored` rows at a time, with the loads that it needs.
 */
template <int n>
__device__ __forceinline__ void store_words(const struct gf_cuda_morphology &m, const uint32_t *from, int32_t line,
                                            int32_t y, int32_t at)
{
    const uint32_t bits = m.copy_alpha ? alpha_bits<n>(m.channels, at) : 0;
#pragma unroll 1
    for (int32_t end = y + tile_rows; y < end; y += stored, from += stored / n * line) {
        uint32_t column[stored], other[stored];
#pragma unroll
        for (int i = 0; i < stored; i += n) {
            Words<n> square = *reinterpret_cast<const Words<n> *>(from + i / n * line);
            transpose<n>(square.v);
#pragma unroll
            for (int k = 0; k < n; k++)
                column[i + k] = square.v[k];
        }
        samples_of<n>(m, column);
        if (m.last != GF_END_RESULT) {
            load_rows(m.other, y, at / n, other);
#pragma unroll
            for (int i = 0; i < stored; i++)
                column[i] = ended<n>(m, column[i], other[i]);
        }
        if (bits != 0) {
            load_rows(m.alpha, y, at / n, other);
#pragma unroll
            for (int i = 0; i < stored; i++)
                column[i] = with_alpha<n>(m, column[i], other[i], bits);
        }
        char *row = m.dst + static_cast<size_t>(y) * m.dst_pitch + static_cast<size_t>(at) * (4 / n);
#pragma unroll
        for (int i = 0; i < stored; i++, row += m.dst_pitch)
            *reinterpret_cast<uint32_t *>(row) = column[i];
    }
}

/* Stores any other column of words. */
template <int n>
__device__ __forceinline__ void finish_words(const struct gf_cuda_morphology &m, const uint32_t *from, int32_t line,
                                             int32_t y, int32_t at, int32_t rows)
{
#pragma unroll 1
    for (int g = 0; g < lines<n>; g++) {
        Words<n> square = *reinterpret_cast<const Words<n> *>(from + g * line);
        transpose<n>(square.v);
#pragma unroll
        for (int k = 0; k < n; k++)
            if (g * n + k < rows)
                finish<n>(m, y + g * n + k, at, square.v[k]);
    }
}

template <int n, bool dilate>
__global__ void __launch_bounds__(threads, blocks_per_unit)
    small_rectangle_kernel(const __grid_constant__ struct gf_cuda_morphology m)
{
    extern __shared__ __align__(16) uint32_t shared[];
    uint32_t *a = shared, *b = shared + lines<n> * m.line;
    const int32_t channels = static_cast<int32_t>(m.channels), samples = m.picture_width * channels;
    const int32_t across = (m.picture_width + m.tile_width - 1) / m.tile_width;
    const int32_t down = (m.end - m.first + tile_rows - 1) / tile_rows, own = threadIdx.x * n;
    const int32_t beside = channels & -channels, of_channel = m.segments * lines<n>;
    for (int32_t tile = blockIdx.x; tile < across * down; tile += gridDim.x) {
        const int32_t x = tile % across * m.tile_width, y = m.first + tile / across * tile_rows;
        const int32_t width = least(m.tile_width, m.picture_width - x);
        const int32_t begin = (x - m.anchor_x) * channels, lead = begin & (n - 1);
        if (own < lead + (width + m.width - 1) * channels) {
            const int32_t top = y - m.anchor_y, rows = tile_rows + m.height - 1, at = begin - lead + own;
            const bool inside =
                top >= 0 && top + rows <= m.picture_height && at >= 0 && at + n <= samples && m.src.pitch <= UINT32_MAX;
            uint32_t mapped[tile_rows + most];
            if (!inside)
                load_mapped<n>(m, top, at, rows, mapped);
            with_length(m.height, [&](auto height) {
                make_columns<n, dilate, decltype(height)::value>(m, top, at, inside, mapped, a + own, m.line);
            });
        }
        gf_sync_block(); /* A is written before it is read; B has been read before it is overwritten */
        /* Consecutive lanes take 1, 2 or 4 adjacent channels, then segments, then lines, then the remaining channels.
         */
        for (int32_t i = threadIdx.x; i < of_channel * channels; i += threads) {
            int32_t c = i & (beside - 1), j = i >> (beside >> 1); /* log2 of 1, 2, 4 is beside >> 1 */
            for (; j >= of_channel; j -= of_channel)
                c += beside;
            const int32_t g = j * m.reciprocal >> 16, at = (j - g * m.segments) * segment;
            const int32_t first = g * m.line + c + at * channels;
            if (at < width)
                with_length(m.width, [&](auto length) {
                    make_rows<n, dilate, decltype(length)::value>(a + first + lead, b + first, channels);
                });
        }
        gf_sync_block(); /* B is written before it is read; A has been read before the next tile overwrites it */
        if (own >= width * channels)
            continue;
        const int32_t at = x * channels + own, rows = least(tile_rows, m.end - y);
        if (rows == tile_rows && at + n <= samples)
            store_words<n>(m, b + own, m.line, y, at);
        else
            finish_words<n>(m, b + own, m.line, y, at, rows);
    }
}

/* Tiles of equal width, as few as possible. They begin at multiples of 16 bytes if that takes no more tiles. */
template <int n> void plan(struct gf_cuda_morphology *m)
{
    const int32_t channels = static_cast<int32_t>(m->channels), beside = channels & -channels;
    const int32_t unit = n > beside ? n / beside : 1; /* pixels that fill whole words */
    const int32_t fit = ((threads * n - (n - 1)) / channels - (m->width - 1)) / unit * unit;
    const int32_t tiles = (m->picture_width + fit - 1) / fit, width = (m->picture_width + tiles - 1) / tiles;
    const int32_t aligned = (width + 4 * unit - 1) / (4 * unit) * (4 * unit);
    m->tile_width = aligned <= fit ? aligned : (width + unit - 1) / unit * unit;
    m->tile_height = tile_rows;
    const int32_t used = (m->tile_width + segment - 1) / segment;
    const int32_t columns = n - 1 + (used * segment + m->width - 1) * channels;
    const int32_t needed = columns > threads * n ? columns : threads * n;
    m->segments = (used + n - 1) / n * n; /* a multiple of n, so that m->line is one too */
    m->line = needed + ((m->segments * segment * channels - needed) & 31);
    m->reciprocal = 65536 / m->segments + 1; /* exact, because lines * segments * segments is below 65536 */
}

template <int n> size_t shared_bytes(const struct gf_cuda_morphology &m)
{
    return 2 * static_cast<size_t>(lines<n> * m.line) * sizeof(uint32_t);
}

template <int n, bool dilate> cudaError_t launch(const struct gf_cuda_morphology *m, cudaStream_t stream)
{
    const uint64_t across = (m->picture_width + m->tile_width - 1) / m->tile_width;
    const uint64_t down = (m->end - m->first + tile_rows - 1) / tile_rows;
    small_rectangle_kernel<n, dilate><<<gf_cuda_grid(across * down), threads, shared_bytes<n>(*m), stream>>>(*m);
    return cudaPeekAtLastError();
}

} // namespace

extern "C" bool gf_cuda_small_rectangle_plan(struct gf_cuda_morphology *m)
{
    return with_kind(*m, [&](auto kind) {
        plan<kind.n>(m);
        return shared_bytes<kind.n>(*m) <= gf_cuda_shared_memory_max();
    });
}

extern "C" cudaError_t gf_cuda_small_rectangle(const struct gf_cuda_morphology *m, cudaStream_t stream)
{
    return with_kind(*m, [&](auto kind) { return launch<kind.n, kind.dilate>(m, stream); });
}

extern "C" cudaError_t gf_cuda_small_rectangle_prepare(void)
{
    return raise_shared_limit(gf_cuda_shared_memory_max(), small_rectangle_kernel<4, true>,
                              small_rectangle_kernel<2, true>, small_rectangle_kernel<1, true>,
                              small_rectangle_kernel<1, false>);
}
