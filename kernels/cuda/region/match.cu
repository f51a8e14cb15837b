/* SPDX-License-Identifier: MIT */
/*
 * match on CUDA, docs/numerics.md, "match". Called through the op's row.
 *
 * All sums are of integers, so their order does not matter. Sums of the samples under the template, and of their
 * squares, slide down columns (column_kernel), then along rows (row_kernel). Products are dot products of four bytes
 * (__dp4a): a block makes a tile of scores from parts of the template and the pixels under them, one channel at a time,
 * in shared memory (score_kernel). match_peaks.cu makes the table of peaks from the scores.
 *
 * Kernels have grid-stride loops, so a launch may have any number of blocks; launches are split so that the host can
 * stop a job between them. A kernel reads what earlier kernels wrote, because all are in one stream. Nothing that a
 * client could change in the meantime is used as an index unchecked.
 */
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/cuda/step/cuda_ops.h"
#include "match.cuh"
#include "protocol/ops/params/match.h"

namespace
{

using namespace gf;
using namespace gf::match;

constexpr uint32_t strip_rows = 64;   /* rows that a thread slides down */
constexpr uint32_t span_columns = 32; /* columns that a thread slides along */
constexpr uint32_t across = 4;        /* adjacent scores per thread along a row: the bytes of a word */
constexpr uint32_t down = 4;         /* adjacent scores per thread down a column, which share the rows that they read */
constexpr uint32_t lanes = 16;       /* threads per tile along each axis */
constexpr uint32_t tile = 4 * lanes; /* scores per tile along each axis */
constexpr uint32_t part_rows = 32;   /* rows of the template in shared memory */
constexpr uint32_t part_columns = 32;

static_assert(lanes * lanes == threads && tile == lanes * across && tile == lanes * down, "threads must cover a tile");
static_assert(u64{65025} * part_rows * part_columns <= UINT32_MAX, "sums of a part must fit 32 bits");

/* The pixels under a part of the template, plus one word for the bytes of the last places. Threads that are `lanes`
 * apart read rows 4 apart in one access; 4 rows are 16 banks modulo 32, so that these reads have no bank conflicts. */
constexpr uint32_t row_bytes = tile + part_columns + 4, row_words = 28;
static_assert(row_bytes <= 4 * row_words && down * row_words % 32 == 16, "rows must fit and be 16 banks apart");

__global__ void __launch_bounds__(threads) template_kernel(const __grid_constant__ Args a, const Range range)
{
    Template own = {};
    for (uint64_t i = range.first + blockIdx.x * threads + threadIdx.x; i < range.end; i += gridDim.x * threads) {
        const uint32_t y = static_cast<uint32_t>(i / a.w), x = static_cast<uint32_t>(i % a.w);
        const uint8_t *p = a.templ + y * a.templ_pitch + static_cast<size_t>(x) * a.channels;
        for (uint32_t c = 0; c < a.channels; c++) {
            own.sums[c] += p[c];
            own.squares += p[c] * p[c];
        }
    }
    for (uint32_t c = 0; c < a.channels; c++)
        gf_atomic_add(&a.sums->sums[c], own.sums[c]);
    gf_atomic_add(&a.sums->squares, own.squares);
}

__device__ __forceinline__ const uint8_t *pixel_at(const Args &a, uint32_t y, uint32_t x)
{
    return a.src + y * a.pitch + static_cast<size_t>(x) * a.channels;
}

/* A thread slides down strips of rows of one column of pixels, in a grid-stride loop. */
__global__ void __launch_bounds__(threads) column_kernel(const __grid_constant__ Args a, const Range range)
{
    for (uint64_t i = range.first + blockIdx.x * threads + threadIdx.x; i < range.end; i += gridDim.x * threads) {
        const uint32_t x = static_cast<uint32_t>(i % a.src_width);
        const uint32_t y0 = static_cast<uint32_t>(i / a.src_width) * strip_rows, end = min(y0 + strip_rows, a.height);
        uint32_t sums[GF_MAX_CHANNELS] = {};
        u64 squares = 0;
        for (uint32_t y = y0; y < y0 + a.h - 1; y++) {
            const uint8_t *p = pixel_at(a, y, x);
            for (uint32_t c = 0; c < a.channels; c++) {
                sums[c] += p[c];
                squares += p[c] * p[c];
            }
        }
        for (uint32_t y = y0; y < end; y++) {
            const uint8_t *add = pixel_at(a, y + a.h - 1, x), *take = pixel_at(a, y, x);
            const uint64_t at = static_cast<uint64_t>(y) * a.src_width + x;
            for (uint32_t c = 0; c < a.channels; c++) {
                sums[c] += add[c];
                squares += add[c] * add[c];
                a.column_sums[at * a.channels + c] = sums[c];
            }
            a.column_squares[at] = squares;
            for (uint32_t c = 0; c < a.channels; c++) {
                sums[c] -= take[c];
                squares -= take[c] * take[c];
            }
        }
    }
}

/* A thread slides along spans of scores of a row, in a grid-stride loop. */
__global__ void __launch_bounds__(threads) row_kernel(const __grid_constant__ Args a, const Range range)
{
    const uint32_t spans = (a.width + span_columns - 1) / span_columns;
    const u64 n = static_cast<u64>(a.w) * a.h;
    for (uint64_t i = range.first + blockIdx.x * threads + threadIdx.x; i < range.end; i += gridDim.x * threads) {
        const uint32_t y = static_cast<uint32_t>(i / spans), x0 = static_cast<uint32_t>(i % spans) * span_columns;
        const uint32_t end = min(x0 + span_columns, a.width);
        const uint32_t *columns = a.column_sums + static_cast<uint64_t>(y) * a.src_width * a.channels;
        const u64 *column_squares = a.column_squares + static_cast<uint64_t>(y) * a.src_width;
        u64 sums[GF_MAX_CHANNELS] = {}, squares = 0;
        for (uint32_t x = x0; x < x0 + a.w - 1; x++) {
            for (uint32_t c = 0; c < a.channels; c++)
                sums[c] += columns[static_cast<size_t>(x) * a.channels + c];
            squares += column_squares[x];
        }
        for (uint32_t x = x0; x < end; x++) {
            const size_t add = static_cast<size_t>(x + a.w - 1) * a.channels,
                         take = static_cast<size_t>(x) * a.channels;
            const uint64_t at = static_cast<uint64_t>(y) * a.width + x;
            u64 cross = 0, means = 0;
            squares += column_squares[x + a.w - 1];
            for (uint32_t c = 0; c < a.channels; c++) {
                sums[c] += columns[add + c];
                cross += sums[c] * a.sums->sums[c];
                means += sums[c] * sums[c];
                sums[c] -= columns[take + c];
            }
            a.cross[at] = cross;
            a.squares[at] = a.method == GF_MATCH_CCOEFF ? n * squares - means : squares;
            squares -= column_squares[x];
        }
    }
}

/* The template's factor of the root's square. */
__device__ __forceinline__ double template_square(const Args &a)
{
    u64 square = a.sums->squares;
    if (a.method == GF_MATCH_CCOEFF) {
        square *= static_cast<u64>(a.w) * a.h;
        for (uint32_t c = 0; c < a.channels; c++)
            square -= a.sums->sums[c] * a.sums->sums[c];
    }
    return __ll2double_rn(static_cast<long long>(square));
}

__device__ __forceinline__ float score_of(const Args &a, u64 product, uint64_t at, double square)
{
    const bool differs = a.method == GF_MATCH_SQDIFF;
    const u64 squares = a.squares[at];
    u64 numerator = product;
    if (a.method == GF_MATCH_CCOEFF)
        numerator = static_cast<u64>(a.w) * a.h * product - a.cross[at];
    else if (differs)
        numerator = squares + a.sums->squares - 2 * product;
    const double root = __dsqrt_rn(__dmul_rn(__ll2double_rn(static_cast<long long>(squares)), square));
    if (root == 0.0)
        return differs ? 1.0f : 0.0f;
    const double q = __ddiv_rn(__ll2double_rn(static_cast<long long>(numerator)), root);
    return __double2float_rn(q < 1.0 ? q : 1.0);
}

/* A part of the template and the pixels under it, in shared memory. Rows of zeros precede and follow the template's
 * rows, because a row of the picture meets a different row of the template for each of a thread's scores, and for some
 * of them a row outside the part. */
struct Part {
    uint32_t src[(tile + part_rows - 1) * row_words];
    uint32_t templ[(part_rows + 2 * (down - 1)) * (part_columns / 4)];
};

/* Loads the part of the template from (x, y) on, one channel. Bytes outside the template are 0. */
__device__ __forceinline__ void load_template(const Args &a, Part *part, uint32_t x, uint32_t y, uint32_t c)
{
    auto *bytes = reinterpret_cast<uint8_t *>(part->templ);
    for (uint32_t i = threadIdx.x; i < sizeof(part->templ); i += threads) {
        const uint32_t r = i / part_columns, k = x + i % part_columns, row = y + r - (down - 1);
        const bool inside = r >= down - 1 && r < down - 1 + part_rows && row < a.h && k < a.w;
        bytes[i] = inside ? a.templ[row * a.templ_pitch + static_cast<size_t>(k) * a.channels + c] : 0;
    }
}

/* Loads the pixels under the part for a tile, from (x, y) of the picture on. */
__device__ __forceinline__ void load_source(const Args &a, Part *part, uint32_t x, uint32_t y, uint32_t c,
                                            uint32_t rows)
{
    auto *bytes = reinterpret_cast<uint8_t *>(part->src);
    for (uint32_t i = threadIdx.x; i < rows * row_bytes; i += threads) {
        const uint32_t r = i / row_bytes, k = i % row_bytes;
        const bool inside = y + r < a.src_height && x + k < a.src_width;
        bytes[r * row_words * 4 + k] = inside ? pixel_at(a, y + r, x + k)[c] : 0;
    }
}

/* Adds the products of a part, `n` words of `rows` rows of the template, to a thread's sums. Row j of the thread's
 * pixels meets row j - r of the template for the scores of row r. */
__device__ __forceinline__ void add_products(const Part &part, uint32_t rows, uint32_t n, u64 (&products)[down][across])
{
    const uint32_t tx = threadIdx.x % lanes, ty = threadIdx.x / lanes;
    uint32_t sums[down][across] = {};
    for (uint32_t j = 0; j < rows + down - 1; j++) {
        const uint32_t *src = part.src + (ty * down + j) * row_words + tx;
        uint32_t word = src[0];
        for (uint32_t k = 0; k < n; k++) {
            const uint32_t next = src[k + 1];
            uint32_t bytes[across];
#pragma unroll
            for (uint32_t i = 0; i < across; i++)
                bytes[i] = __funnelshift_r(word, next, 8 * i);
#pragma unroll
            for (uint32_t r = 0; r < down; r++) {
                const uint32_t templ = part.templ[(j + (down - 1) - r) * (part_columns / 4) + k];
#pragma unroll
                for (uint32_t i = 0; i < across; i++)
                    sums[r][i] = __dp4a(bytes[i], templ, sums[r][i]);
            }
            word = next;
        }
    }
#pragma unroll
    for (uint32_t r = 0; r < down; r++)
#pragma unroll
        for (uint32_t i = 0; i < across; i++)
            products[r][i] += sums[r][i];
}

/* A block takes tiles of scores in a grid-stride loop. */
__global__ void __launch_bounds__(threads) score_kernel(const __grid_constant__ Args a, const Range range)
{
    __shared__ Part part;
    const uint32_t tiles_across = (a.width + tile - 1) / tile;
    const double square = template_square(a);
    for (uint64_t t = range.first + blockIdx.x; t < range.end; t += gridDim.x) {
        const uint32_t x0 = static_cast<uint32_t>(t % tiles_across) * tile;
        const uint32_t y0 = static_cast<uint32_t>(t / tiles_across) * tile;
        u64 products[down][across] = {};
        for (uint32_t y = 0; y < a.h; y += part_rows)
            for (uint32_t x = 0; x < a.w; x += part_columns)
                for (uint32_t c = 0; c < a.channels; c++) {
                    const uint32_t rows = min(part_rows, a.h - y), n = (min(part_columns, a.w - x) + 3) / 4;
                    gf_sync_block(); /* all threads have read the previous part before it is overwritten */
                    load_template(a, &part, x, y, c);
                    load_source(a, &part, x0 + x, y0 + y, c, tile + rows - 1);
                    gf_sync_block(); /* the part is written */
                    add_products(part, rows, n, products);
                }
        for (uint32_t r = 0; r < down; r++) {
            const uint32_t y = y0 + threadIdx.x / lanes * down + r, x1 = x0 + threadIdx.x % lanes * across;
            for (uint32_t i = 0; i < across && y < a.height && x1 + i < a.width; i++)
                reinterpret_cast<float *>(a.dst + y * a.dst_pitch)[x1 + i] =
                    score_of(a, products[r][i], static_cast<uint64_t>(y) * a.width + x1 + i, square);
        }
    }
}

/* All arguments but the memory from the pool. */
Args make_args(const struct gf_cuda_call *call)
{
    const struct gf_view *src = &call->image[0]->view, *templ = &call->image[1]->view, *dst = &call->out[0].view;
    const struct gf_match_params p = gf_match_params_get(&call->step->params);
    Args a = {};
    a.src = static_cast<const uint8_t *>(call->image[0]->data);
    a.templ = static_cast<const uint8_t *>(call->image[1]->data);
    a.pitch = static_cast<size_t>(src->pitch);
    a.templ_pitch = static_cast<size_t>(templ->pitch);
    a.src_width = static_cast<uint32_t>(src->width);
    a.src_height = static_cast<uint32_t>(src->height);
    a.channels = src->channels;
    a.w = static_cast<uint32_t>(templ->width);
    a.h = static_cast<uint32_t>(templ->height);
    a.width = static_cast<uint32_t>(dst->width);
    a.height = static_cast<uint32_t>(dst->height);
    a.method = p.method;
    a.dst = static_cast<char *>(call->out[0].data);
    a.dst_pitch = static_cast<size_t>(dst->pitch);
    a.n_keys = ((dst->width + 1) / 2) * ((dst->height + 1) / 2); /* of 2 x 2 adjacent scores at most one is a peak */
    a.sign = p.method == GF_MATCH_SQDIFF ? -1.0f : 1.0f;
    a.has_threshold = p.threshold.n > 0;
    a.threshold = p.threshold.v[0];
    a.found = static_cast<double *>(call->out[1].data);
    a.rows = p.peaks;
    a.count = static_cast<u64 *>(call->out[2].data);
    return a;
}

enum gf_status start_all(struct gf_cuda_call *call, const Args &a, struct gf_error *err)
{
    const uint64_t area = static_cast<uint64_t>(a.w) * a.h;
    const uint64_t strips = (a.height + strip_rows - 1) / strip_rows,
                   spans = (a.width + span_columns - 1) / span_columns;
    const uint64_t tiles = static_cast<uint64_t>((a.width + tile - 1) / tile) * ((a.height + tile - 1) / tile);
    enum gf_status status = start(call, template_kernel, a, area, threads * 16, a.channels, err);
    if (status == GF_OK)
        status = start(call, column_kernel, a, strips * a.src_width, threads,
                       static_cast<uint64_t>(2 * strip_rows + a.h) * 4 * a.channels, err);
    if (status == GF_OK)
        status = start(call, row_kernel, a, spans * a.height, threads,
                       static_cast<uint64_t>(2 * span_columns + a.w) * 8 * a.channels, err);
    if (status == GF_OK) /* 16 products take as long as one byte */
        status = start(call, score_kernel, a, tiles, 1, tile * tile * (1 + area * a.channels / 16), err);
    return status == GF_OK ? start_peaks(call, a, err) : status;
}

} // namespace

extern "C" enum gf_status gf_cuda_match(struct gf_cuda_call *call, struct gf_error *err)
{
    enum gf_status status = gf_cuda_require_all(call, call->image[0], err);
    if (status == GF_OK)
        status = gf_cuda_require_all(call, call->image[1], err);
    if (status != GF_OK)
        return status;
    Args a = make_args(call);
    const size_t scores = static_cast<size_t>(a.width) * a.height,
                 columns = static_cast<size_t>(a.src_width) * a.height;
    const size_t words = 2 * scores + columns + static_cast<size_t>(a.n_keys);
    void *data = nullptr;
    status = gf_cuda_alloc(call->exec, sizeof(Template) + words * sizeof(u64) + columns * a.channels * sizeof(uint32_t),
                           &data, err);
    if (status != GF_OK)
        return status;
    a.sums = static_cast<Template *>(data);
    a.cross = reinterpret_cast<u64 *>(a.sums + 1);
    a.squares = a.cross + scores;
    a.column_squares = a.squares + scores;
    a.keys = a.column_squares + columns;
    a.column_sums = reinterpret_cast<uint32_t *>(a.keys + a.n_keys);
    status = gf_cuda_status(cudaMemsetAsync(a.sums, 0, sizeof(Template), call->exec->main), "clearing sums", err);
    if (status == GF_OK)
        status =
            gf_cuda_status(cudaMemsetAsync(a.count, 0, sizeof(*a.count), call->exec->main), "clearing a count", err);
    if (status == GF_OK)
        status = start_all(call, a, err);
    gf_cuda_free(call->exec, data);
    return status;
}
