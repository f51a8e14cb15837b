/* SPDX-License-Identifier: MIT */
/*
 * clahe on CUDA: one kernel counts every tile, the second makes a table per tile, the third interpolates between the
 * four tables nearest to each pixel. 16-bit counts and tables are made one channel at a time. Called through the op's
 * row.
 */
#include "intensity.cuh"
#include "kernels/shared/tone/clahe.h"
#include "protocol/ops/params/clahe.h"

namespace
{

using namespace gf;

constexpr int count_threads = 256, count_warps = count_threads / lanes;
constexpr uint32_t byte_levels = 256;

/* Reflects index i at the right border, without repeating the border sample (reflect-101). i is not negative. */
__device__ __forceinline__ uint32_t mirrored(uint32_t i, uint32_t n)
{
    if (i < n)
        return i;
    if (n == 1)
        return 0;
    const uint32_t period = 2 * n - 2, m = i % period;
    return m < n ? m : period - m;
}

struct picture {
    const void *data;
    size_t pitch;
    uint32_t width, height, channels;
};

/* Calls f(bin) for the samples of one channel in rows `first` to first + rows of a tile. Each warp takes a row, its
 * lanes take adjacent pixels. */
template <class T, class F>
__device__ __forceinline__ void walk_rows(const struct picture &in, const struct gf_clahe &k, uint32_t tile,
                                          uint32_t colour, uint32_t first, uint32_t rows, F &&f)
{
    const uint32_t x0 = tile % k.tiles_x * k.width, y0 = tile / k.tiles_x * k.height;
    const uint32_t end = min(first + rows, k.height);
    for (uint32_t r = first + threadIdx.x / lanes; r < end; r += count_warps) {
        const T *row =
            reinterpret_cast<const T *>(static_cast<const char *>(in.data) + mirrored(y0 + r, in.height) * in.pitch) +
            colour;
#pragma unroll 4
        for (uint32_t i = threadIdx.x % lanes; i < k.width; i += lanes)
            f(__ldg(row + static_cast<size_t>(mirrored(x0 + i, in.width)) * in.channels) ^ k.sign);
    }
}

/* Grid: x is a part of a tile, y a channel. `counts` must be 0; channel y of tile t counts at (y * tiles + t) * levels.
 * For 8-bit samples each warp counts in its own shared histogram first. */
template <class T>
__global__ void __launch_bounds__(count_threads)
    count_kernel(const struct picture in, const struct gf_clahe k, uint32_t first_colour, uint32_t parts,
                 uint32_t part_rows, uint32_t *counts)
{
    const uint32_t tile = blockIdx.x / parts, first = blockIdx.x % parts * part_rows,
                   colour = first_colour + blockIdx.y;
    uint32_t *own = counts + (static_cast<size_t>(blockIdx.y) * k.tiles_x * k.tiles_y + tile) * k.levels;
    if constexpr (sizeof(T) == 1) {
        __shared__ uint32_t bins[count_warps][byte_levels];
        for (uint32_t i = threadIdx.x; i < count_warps * byte_levels; i += count_threads)
            bins[0][i] = 0;
        gf_sync_block(); /* all bins are 0 before any warp counts */
        uint32_t *warp = bins[threadIdx.x / lanes];
        walk_rows<T>(in, k, tile, colour, first, part_rows, [&](uint32_t v) { gf_atomic_add(warp + v, 1u); });
        gf_sync_block(); /* all warps have counted before any thread sums; the bins are not written again */
        uint32_t sum = 0;
#pragma unroll
        for (int w = 0; w < count_warps; w++)
            sum += bins[w][threadIdx.x];
        if (sum != 0)
            gf_atomic_add(own + threadIdx.x, sum);
    } else {
        walk_rows<T>(in, k, tile, colour, first, part_rows, [&](uint32_t v) { gf_atomic_add(own + v, 1u); });
    }
}

/* Grid: x is a tile, y a channel. The number of levels is a multiple of blockDim.x. The only shared memory belongs to
 * block_scan, which documents its own barriers. */
template <class T> __global__ void table_kernel(const struct gf_clahe k, const uint32_t *counts, T *tables)
{
    const size_t at = (static_cast<size_t>(blockIdx.y) * k.tiles_x * k.tiles_y + blockIdx.x) * k.levels;
    const uint32_t *own = counts + at;
    T *table = tables + at;
    unsigned long long excess = 0, total = 0;
    for (uint32_t v = threadIdx.x; v < k.levels && k.limit != 0; v += blockDim.x)
        excess += own[v] > k.limit ? own[v] - k.limit : 0;
    (void)block_scan(excess, &total);
    const struct gf_clahe_share share = gf_clahe_share_of(k.levels, static_cast<uint32_t>(total));
    unsigned long long carry = 0;
    for (uint32_t v = threadIdx.x; v < k.levels; v += blockDim.x) { /* the same trip count in every thread */
        const uint32_t count = gf_clahe_clipped(&k, &share, v, own[v]);
        const unsigned long long before = block_scan(count, &total);
        table[v ^ k.sign] = static_cast<T>(gf_clahe_entry(&k, static_cast<uint32_t>(carry + before + count)));
        carry += total;
    }
}

/* Maps every sample by the tables of its channel and copies channels from s.planes on. Uses no shared memory. */
template <class T>
__global__ void __launch_bounds__(intensity_threads)
    mean_kernel(const struct gf_cuda_samples s, const struct gf_clahe k, uint32_t width, uint64_t tiles,
                const T *__restrict__ tables, char *dst, size_t dst_pitch)
{
    const uint64_t warps = static_cast<uint64_t>(gridDim.x) * (intensity_threads / lanes);
    const size_t row_of_tables = static_cast<size_t>(k.tiles_x) * k.levels;
    for (uint64_t tile = blockIdx.x + static_cast<uint64_t>(threadIdx.x / lanes) * gridDim.x; tile < tiles;
         tile += warps)
        walk_tile<T, Unrolled::nowhere>(s, tile, [&](Pack<T> pack, int n, uint32_t c, uint64_t row, uint64_t vector) {
            /* s.rows is 1 where rows have no padding; 32 bits suffice since a picture has at most 2^31 samples. */
            const uint32_t pixel = static_cast<uint32_t>(vector * per_vector<T>) / s.channels;
            uint32_t x = pixel % width, y = s.rows == 1 ? pixel / width : static_cast<uint32_t>(row);
            struct gf_clahe_place down = gf_clahe_place_of(y, k.inverse_y, k.tiles_y);
            struct gf_clahe_place across = gf_clahe_place_of(x, k.inverse_x, k.tiles_x);
#pragma unroll
            for (int j = 0; j < per_vector<T>; j++) {
                if (c < s.planes && j < n) {
                    const T *own = tables + c * k.tiles_y * row_of_tables + pack.v[j];
                    const T *above = own + down.before * row_of_tables, *below = own + down.after * row_of_tables;
                    const uint32_t before = across.before * k.levels, after = across.after * k.levels;
                    const float v =
                        rintf(gf_clahe_mean(__ldg(above + before), __ldg(above + after), __ldg(below + before),
                                            __ldg(below + after), across.weight, down.weight));
                    pack.v[j] = static_cast<T>(v < k.max ? v : k.max);
                }
                c++;
                if (c == s.channels) {
                    c = 0;
                    x++;
                    if (x == width) { /* the next row, where rows have no padding; nothing is stored past the last */
                        x = 0;
                        down = gf_clahe_place_of(++y, k.inverse_y, k.tiles_y);
                    }
                    across = gf_clahe_place_of(x, k.inverse_x, k.tiles_x);
                }
            }
            store_pack(reinterpret_cast<uint4 *>(dst + row * dst_pitch) + vector, pack, n);
        });
}

/* The number of blocks per tile: enough to occupy all multiprocessors, with at least four rows for every warp. */
uint32_t parts_of(const struct gf_clahe &k, uint32_t colours)
{
    const uint32_t tiles = k.tiles_x * k.tiles_y * colours, wanted = (gf_cuda_units() * 4 + tiles - 1) / tiles;
    const uint32_t most = (k.height + 4 * count_warps - 1) / (4 * count_warps);
    return wanted < most ? wanted : most;
}

template <class T>
cudaError_t start(const struct gf_cuda_call *call, const struct gf_clahe &k, uint32_t colours, uint32_t at_once,
                  uint32_t *counts, T *tables)
{
    const struct gf_cuda_image *image = call->image[0];
    const cudaStream_t stream = call->exec->main;
    const struct picture in = {image->data, static_cast<size_t>(image->view.pitch),
                               static_cast<uint32_t>(image->view.width), static_cast<uint32_t>(image->view.height),
                               image->view.channels};
    const uint32_t tiles = k.tiles_x * k.tiles_y, parts = parts_of(k, at_once);
    const uint32_t part_rows = (k.height + parts - 1) / parts;
    const size_t levels = static_cast<size_t>(tiles) * k.levels;
    for (uint32_t colour = 0; colour < colours; colour += at_once) {
        const cudaError_t error = cudaMemsetAsync(counts, 0, levels * at_once * sizeof(*counts), stream);
        if (error != cudaSuccess)
            return error;
        count_kernel<T>
            <<<dim3(tiles * parts, at_once), count_threads, 0, stream>>>(in, k, colour, parts, part_rows, counts);
        table_kernel<T>
            <<<dim3(tiles, at_once), sizeof(T) == 1 ? 256 : 1024, 0, stream>>>(k, counts, tables + colour * levels);
    }
    const struct gf_cuda_samples s = gf_cuda_samples_both(call, colours);
    const uint64_t pieces = gf_cuda_samples_tiles(&s), limit = static_cast<uint64_t>(gf_cuda_units()) * 8;
    mean_kernel<T><<<gf_cuda_grid(pieces < limit ? pieces : limit), intensity_threads, 0, stream>>>(
        s, k, in.width, pieces, tables, static_cast<char *>(call->out[0].data), call->out[0].view.pitch);
    return cudaGetLastError();
}

} // namespace

extern "C" enum gf_status gf_cuda_clahe(struct gf_cuda_call *call, struct gf_error *err)
{
    struct gf_cuda_image *image = call->image[0];
    enum gf_status status = gf_cuda_require_all(call, image, err);
    if (status != GF_OK)
        return status;
    const struct gf_clahe k = gf_clahe_of(call->step, &image->view);
    const uint32_t colours = gf_computed_channels(gf_clahe_params_get(&call->step->params).alpha, image->view.channels);
    const bool bytes = image->view.dtype == GF_U8;
    const uint32_t at_once = bytes ? colours : 1;
    const size_t levels = static_cast<size_t>(k.tiles_x) * k.tiles_y * k.levels;
    void *data = nullptr;
    status = gf_cuda_alloc(call->exec, levels * (at_once * sizeof(uint32_t) + colours * (bytes ? 1 : 2)), &data, err);
    if (status != GF_OK)
        return status;
    auto *counts = static_cast<uint32_t *>(data);
    void *tables = counts + levels * at_once;
    const cudaError_t error = bytes ? start(call, k, colours, at_once, counts, static_cast<uint8_t *>(tables))
                                    : start(call, k, colours, at_once, counts, static_cast<uint16_t *>(tables));
    gf_cuda_free(call->exec, data);
    return gf_cuda_status(error, "equalizing tiles", err);
}
