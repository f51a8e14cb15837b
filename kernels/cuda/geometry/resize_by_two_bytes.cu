/* SPDX-License-Identifier: MIT */
/*
 * resize of u8 if windows move by two pixels and the weights of rows are integers times 2^-8 (by_two.whole). Works like
 * resize_by_two.cu, but sums along columns by byte dot products, which are exact in any order. Launched by resize.c.
 *
 * A word has the bytes of one column in four rows, which are two pairs. The word is the first half of the window of one
 * result and the second half of the window two results before, so each gets one dot product of four bytes. The
 * accumulator begins at `base`, the bits of 3.0f, whose last bit counts 2^-22. Read as f32, the sum is 3 plus 2^-22
 * times the integer sum, that is 3 plus 2^-14 times the weighted sum of samples. The f32 chains have the same scale;
 * they compute the chunks of lines that reach rows near the edges, whose weights are not such integers.
 *
 * A block's results begin at a multiple of 16 bytes, so that warps store vectors. While a chunk's pixels are computed,
 * half of the next chunk's rows are being loaded.
 */
#include "kernels/cuda/filter/raw_tile.cuh"
#include "resize_by_two.cuh"

namespace
{

using namespace gf;

constexpr int base = 0x40400000; /* 3.0f */
constexpr int vector_bytes = 16;
constexpr int rows_at_once = 2 * pairs_at_once;

/* The layout of a block's bytes in its lines. */
template <int m, int C> struct byte_span {
    using of = span_of<m, C>;
    static constexpr int whole = C == 4 ? 1 : C == 2 ? 2 : 4; /* groups that fill whole vectors */
    static constexpr int groups = ((by_two_threads * quad - of::reads) / (2 * group_pixels * C) + 1) / whole * whole;
    /* The words of a line of results: a multiple of the 32 banks plus a vector, so that eight lines have no bank
     * conflicts. */
    static constexpr int out_pitch = round_up(groups * C, warp_lanes) + quad;
    /* The number of columns that n groups read. */
    __host__ __device__ static constexpr int columns(int n)
    {
        return of::reads + 2 * group_pixels * C * (n - 1);
    }
    static constexpr int blocks = 4; /* per multiprocessor, which limits the registers */
    static_assert(groups * C <= warp_lanes * quad, "a warp must store a line at once");
};

/* What pairs of rows leave for the next pairs: the bytes of the last pair, two columns per word, and the sums of
 * results whose first half is done. */
template <int m> struct column_sums {
    uint32_t low, high;
    int half[m / 2 > 1 ? 2 : 1][quad];
};

/* Loads a quad of columns of n rows, all inside the picture, and moves `from` to the row after them. */
template <int n> __device__ __forceinline__ void load_inner(const char **from, size_t pitch, uint32_t (&rows)[n])
{
#pragma unroll
    for (int i = 0; i < n; i++, *from += pitch)
        rows[i] = __ldg(reinterpret_cast<const uint32_t *>(*from));
}

/* Adds a pair of rows to the column sums and returns the line that the pair completes. */
template <int m>
__device__ __forceinline__ void add_pair(const struct gf_by_two_whole &whole, uint32_t a, uint32_t b,
                                         struct column_sums<m> &sums, float4 *ret_line)
{
    constexpr int last = m / 2 - 1; /* the last word of a window */
    const uint32_t low = __byte_perm(a, b, 0x5140), high = __byte_perm(a, b, 0x7362);
    const uint32_t words[quad] = {__byte_perm(sums.low, low, 0x5410), __byte_perm(sums.low, low, 0x7632),
                                  __byte_perm(sums.high, high, 0x5410), __byte_perm(sums.high, high, 0x7632)};
    float line[quad];
#pragma unroll
    for (int q = 0; q < quad; q++) {
        const int sum = dot_bytes(words[q], whole.weights[last], last > 0 ? sums.half[0][q] : base);
        line[q] = __fadd_rn(__int_as_float(sum), -3.0f);
        if (last > 0) {
            sums.half[0][q] = sums.half[1][q];
            sums.half[1][q] = dot_bytes(words[q], whole.weights[0], base);
        }
    }
    sums.low = low;
    sums.high = high;
    *ret_line = make_float4(line[0], line[1], line[2], line[3]);
}

/* Adds pairs of rows; each completes one of `lines`. */
template <int m, int n>
__device__ __forceinline__ void add_bytes(const struct gf_by_two_whole &whole, const uint32_t (&rows)[n],
                                          struct column_sums<m> &sums, float *lines)
{
#pragma unroll
    for (int i = 0; i < n / 2; i++) {
        float4 line;
        add_pair<m>(whole, rows[2 * i], rows[2 * i + 1], sums, &line);
        reinterpret_cast<float4 *>(lines + i * line_pitch)[threadIdx.x] = line;
    }
}

/* Computes the sums that precede the first whole line of a span. */
template <int m>
__device__ __forceinline__ void begin_bytes(const struct gf_by_two_whole &whole, const char **from, size_t pitch,
                                            struct column_sums<m> &sums)
{
    uint32_t rows[2 * (m - 1)];
    load_inner(from, pitch, rows);
    sums = {};
#pragma unroll
    for (int i = 0; i < m - 1; i++) {
        float4 none;
        add_pair<m>(whole, rows[2 * i], rows[2 * i + 1], sums, &none);
    }
}

/* Computes a chunk of lines by f32 chains. */
template <int m>
__device__ __forceinline__ void add_floats(const struct gf_cuda_resizing &r, int y, int flat, float *lines)
{
    const int left = r.src.width * r.src.channels - flat;
    const bool inside = flat >= 0 && left > 0;
    float acc[m][quad] = {};
    add_pairs<m, m - 1, uint8_t>(r, y, flat, inside, left, acc, nullptr);
#pragma unroll 1
    for (int i = 0; i < chunk_lines; i += pairs_at_once)
        add_pairs<m, pairs_at_once, uint8_t>(r, y + m - 1 + i, flat, inside, left, acc, lines + i * line_pitch);
}

/* Makes the pixels of a chunk of lines, four at a time, from column x0 of the result on. A warp works on eight lines
 * and four groups at a time. */
template <int m, int C>
__device__ __forceinline__ void make_groups(const struct gf_cuda_resizing &r, int x0, int groups, const float *lines,
                                            uint32_t *out)
{
    using of = byte_span<m, C>;
    const int line = threadIdx.x % chunk_lines, first = threadIdx.x / chunk_lines;
    const float *from = lines + line * line_pitch + 2 * group_pixels * C * first;
    uint32_t *to = out + line * of::out_pitch + C * first;
#pragma unroll 1
    for (int g = first; g < groups; g += block_groups) {
        float acc[group_pixels][C];
        make_sums<m, C>(r, x0 + g * group_pixels, from, acc);
        uint32_t made[C];
#pragma unroll
        for (int q = 0; q < C; q++) {
            const int i = q * quad;
            const float v[quad] = {acc[i / C][i % C], acc[(i + 1) / C][(i + 1) % C], acc[(i + 2) / C][(i + 2) % C],
                                   acc[(i + 3) / C][(i + 3) % C]};
            made[q] = pack(uint8_t{}, v);
        }
        if constexpr (C == 4)
            *reinterpret_cast<uint4 *>(to) = make_uint4(made[0], made[1], made[2], made[3]);
        else if constexpr (C == 2)
            *reinterpret_cast<uint2 *>(to) = make_uint2(made[0], made[1]);
        else
#pragma unroll
            for (int q = 0; q < C; q++)
                to[q] = made[q];
        from += 2 * group_pixels * C * block_groups;
        to += C * block_groups;
    }
}

/* Stores a lane's vector of a line, of which `room` bytes are inside the picture. */
__device__ __forceinline__ void store_vector(uint8_t *to, int room, const uint4 *vector)
{
    if (room == vector_bytes) {
        *reinterpret_cast<uint4 *>(to) = *vector;
        return;
    }
#pragma unroll 1
    for (int i = 0; i < room; i++)
        to[i] = reinterpret_cast<const uint8_t *>(vector)[i];
}

/*
 * Makes rows y0 to y1 - 1 of a block's columns. Columns outside the picture only have weights of 0, so any column of
 * the row may be read in their place. All threads of a block pass both barriers once per chunk of lines; the kind of a
 * chunk depends on its rows alone. (1) orders the writes of the lines before their reads. (2) orders these reads before
 * the next chunk's writes, and the writes to `out` before the warps store its rows. The next chunk writes `out` after
 * its own (1), which comes after all reads of `out` for this chunk.
 */
template <int m, int C>
__device__ __forceinline__ void make_span(const struct gf_cuda_resizing &r, int x0, int groups, int y0, int y1,
                                          float *lines, uint32_t *out)
{
    using of = byte_span<m, C>;
    const struct gf_by_two_whole &whole = r.by_two.whole;
    const int lane = threadIdx.x % warp_lanes, warp = threadIdx.x / warp_lanes;
    const int flat = 2 * x0 * C - span_of<m, C>::lead + static_cast<int>(threadIdx.x) * quad;
    /* Warps past the last column that a group reads are idle. */
    const bool used = warp * warp_span < of::columns(groups);
    const int inside = max(0, min(flat, (r.src.width * C - 1) / quad * quad));
    const int x = x0 * C + lane * vector_bytes, row_end = min(r.dst.samples, (x0 + groups * group_pixels) * C);
    const int room = min(vector_bytes, row_end - x);
    const uint4 *made = reinterpret_cast<const uint4 *>(out + warp * of::out_pitch) + lane;
    uint8_t *to = row_of<uint8_t>(r.dst.data, r.dst.pitch, y0 + warp) + x;
    /* Chunks that begin at rows `first` to `last` use byte products. */
    const int first = max(y0, whole.rows.first), last = min(whole.rows.end, y1 + chunk_lines - 1) - chunk_lines;
    const char *from = nullptr;
    struct column_sums<m> sums = {
    };
    uint32_t rows[rows_at_once] = {}; /* loads in flight */
#pragma unroll 1
    for (int y = y0; y < y1; y += chunk_lines, to += chunk_lines * r.dst.pitch) {
        if (used && y >= first && y <= last) {
            if (y - chunk_lines < first) {
                from = row_of<char>(r.src.data, r.src.pitch, 2 * y + 1 - m) + inside;
                begin_bytes<m>(whole, &from, r.src.pitch, sums);
                load_inner(&from, r.src.pitch, rows);
            }
            uint32_t later[rows_at_once];
            load_inner(&from, r.src.pitch, later);
            add_bytes<m>(whole, rows, sums, lines);
            add_bytes<m>(whole, later, sums, lines + pairs_at_once * line_pitch);
            if (y + chunk_lines <= last)
                load_inner(&from, r.src.pitch, rows);
        } else if (used) {
            add_floats<m>(r, y, flat, lines);
        }
        gf_sync_block(); /* (1) */
        make_groups<m, C>(r, x0, groups, lines, out);
        gf_sync_block(); /* (2) */
        if (y + warp < y1)
            store_vector(to, room, made);
    }
}

static_assert(by_two_warps == chunk_lines && chunk_lines == 2 * pairs_at_once, "each warp must store one line");

template <int m, int C>
__global__ void __launch_bounds__(by_two_threads, byte_span<m, C>::blocks)
    by_two_bytes_kernel(const __grid_constant__ struct gf_cuda_resizing r, int tile_groups, int rows)
{
    __shared__ __align__(16) float lines[chunk_lines * line_pitch];
    __shared__ __align__(16) uint32_t out[chunk_lines * byte_span<m, C>::out_pitch];
    const int all = (r.dst.samples / C + group_pixels - 1) / group_pixels, first = blockIdx.x * tile_groups;
    const int groups = min(tile_groups, all - first);
    const int end = min(r.end * GF_RESIZE_GROUP, r.dst.height), y0 = r.first * GF_RESIZE_GROUP + blockIdx.y * rows;
    make_span<m, C>(r, first * group_pixels, groups, y0, min(y0 + rows, end), lines, out);
}

/* The cost of a warp's column sums for a line, relative to a group of pixels. */
constexpr int warp_cost = 7;

/* Spans are as high as possible while all blocks run at once, because adjacent spans read some rows twice. Their width
 * minimises the work of the multiprocessor that has the most blocks. */
template <int m, int C> cudaError_t launch(const struct gf_cuda_resizing *r, cudaStream_t stream)
{
    using of = byte_span<m, C>;
    const int units = static_cast<int>(gf_cuda_units()), slots = units * of::blocks;
    const int all = (r->dst.samples / C + group_pixels - 1) / group_pixels;
    const int height = (r->end - r->first) * GF_RESIZE_GROUP;
    int groups = 0, rows = 0, least = INT32_MAX;
    dim3 grid(1, 1);
    for (int g = of::groups; g > of::groups * 3 / 4; g -= of::whole) {
        const int across = (all + g - 1) / g, at_once = slots > across ? slots / across : 1;
        const int n = round_up((height + at_once - 1) / at_once, chunk_lines), down = (height + n - 1) / n;
        const int cost = (across * down + units - 1) / units * (n + m - 1) *
                         (warp_cost * round_up(of::columns(g), warp_span) / warp_span + g);
        if (cost < least) {
            groups = g;
            rows = n;
            grid = dim3(across, down);
            least = cost;
        }
    }
    by_two_bytes_kernel<m, C><<<grid, by_two_threads, 0, stream>>>(*r, groups, rows);
    return cudaPeekAtLastError();
}

template <int m> cudaError_t launch(const struct gf_cuda_resizing *r, cudaStream_t stream)
{
    return gf_dispatch_channels(r->src.channels, [&](auto c) { return launch<m, c.value>(r, stream); });
}

} // namespace

extern "C" cudaError_t gf_cuda_resize_by_two_bytes(const struct gf_cuda_resizing *r, cudaStream_t stream)
{
    return r->by_two.taps == 4 ? launch<2>(r, stream) : launch<4>(r, stream);
}
