/* SPDX-License-Identifier: MIT */
/*
 * select on CUDA in a single pass over the samples, docs/numerics.md 10. Called through the op's row.
 *
 * A block of threads takes a tile of one channel: reads it once into registers, counts what lies in the range, finds
 * out how many samples tiles before it have there, and writes its own to their places. Tiles are numbered by tickets,
 * so that those before it have begun; each makes its count known at once and its sum with all before as soon as it has
 * it, and a warp looks back over 32 tiles at a time until it meets a sum. Picked samples go through shared memory,
 * from where they are written in order.
 *
 * The samples that are not picked stand for places at the end of the result: of n samples, r of which are passed over
 * before a tile, those places are the last ones before n - r. So the same pass fills what nothing is picked for.
 */
#include "cuda_ops.h"
#include "cuda_pool.h"
#include "cuda_status.h"
#include "select_tile.cuh"

namespace
{

using namespace gf;

/* What a tile says of itself: nothing yet, its own count, or the sum with all tiles before it. */
constexpr u64 own_count = 1ull << 62;
constexpr u64 whole_sum = 2ull << 62;
constexpr u64 number_bits = own_count - 1;

/* How many samples before this tile are picked, given how many it has itself; run by one warp. */
__device__ __forceinline__ u64 look_back(volatile u64 *states, uint64_t tile, u64 own)
{
    const int lane = threadIdx.x % lanes;
    u64 before = 0;
    if (lane == 0)
        states[tile] = (tile == 0 ? whole_sum : own_count) | own;
    for (uint64_t end = tile; end > 0;) {
        u64 state = whole_sum;
        if (static_cast<uint64_t>(lane) < end)
            state = states[end - 1 - lane];
        const unsigned sums = __ballot_sync(all_lanes, state >= whole_sum);
        const unsigned needed = sums == 0 ? all_lanes : (sums & (~sums + 1)) * 2 - 1;
        if ((__ballot_sync(all_lanes, state < own_count) & needed) != 0)
            continue; /* not all that is needed is known */
        before += (needed >> lane & 1) != 0 ? state & number_bits : 0;
        if (sums != 0)
            break;
        end -= lanes;
    }
#pragma unroll
    for (int d = lanes / 2; d > 0; d /= 2)
        before += __shfl_xor_sync(all_lanes, before, d);
    if (lane == 0 && tile > 0)
        states[tile] = whole_sum | (before + own);
    return before;
}

/* Calls word(i) for the i-th whole 4-byte word of n elements from `to` on, and element(k) for those around them. */
template <int size, class E, class W>
__device__ __forceinline__ void by_words(const char *to, uint32_t n, E &&element, W &&word)
{
    const uint32_t lead = (0u - static_cast<uint32_t>(reinterpret_cast<uintptr_t>(to))) % 4 / size;
    const uint32_t head = lead < n ? lead : n;
    const uint32_t n_words = (n - head) * size / 4, tail = head + n_words * (4 / size);
    if (threadIdx.x < head)
        element(threadIdx.x);
    for (uint32_t i = threadIdx.x; i < n_words; i += threads)
        word(i, head);
    if (tail + threadIdx.x < n)
        element(tail + threadIdx.x);
}

/* The first n elements of the stage to neighbouring places. */
template <int size> __device__ __forceinline__ void store(const uint32_t *stage, char *to, uint32_t n)
{
    const auto *from = reinterpret_cast<const bits_of<size> *>(stage);
    auto *out = reinterpret_cast<bits_of<size> *>(to);
    if constexpr (size >= 4) {
        for (uint32_t k = threadIdx.x; k < n; k += threads)
            out[k] = from[k];
    } else {
        by_words<size>(
            to, n, [&](uint32_t k) { out[k] = from[k]; },
            [&](uint32_t i, uint32_t head) {
                reinterpret_cast<uint32_t *>(to + head * size)[i] =
                    __funnelshift_r(stage[i], stage[i + 1], head * size * 8);
            });
    }
}

template <int size> __device__ __forceinline__ void fill(char *to, uint32_t n, bits_of<size> value)
{
    auto *out = reinterpret_cast<bits_of<size> *>(to);
    if constexpr (size >= 4) {
        for (uint32_t k = threadIdx.x; k < n; k += threads)
            out[k] = value;
    } else { /* all bytes are 0 */
        by_words<size>(
            to, n, [&](uint32_t k) { out[k] = value; },
            [&](uint32_t i, uint32_t head) { reinterpret_cast<uint32_t *>(to + head * size)[i] = 0; });
    }
}

/* What stands in values where no sample does. */
template <class T> __device__ __forceinline__ bits_of<sizeof(T)> nothing()
{
    return std::is_same_v<T, float>    ? static_cast<bits_of<sizeof(T)>>(0x7FC00000u)
           : std::is_same_v<T, double> ? static_cast<bits_of<sizeof(T)>>(0x7FF8000000000000ull)
                                       : static_cast<bits_of<sizeof(T)>>(0);
}

/* How many of n places from `first` on there is room for. */
__device__ __forceinline__ uint32_t room_for(const Args &args, uint64_t first, uint32_t n)
{
    const uint64_t left = first < args.capacity ? args.capacity - first : 0;
    return n < left ? n : static_cast<uint32_t>(left);
}

/* What threads tell each other about their tile. */
struct Shared {
    Unit unit;
    u64 before;
    uint32_t warp_totals[warps];
    uint32_t stage[stage_words + 1]; /* one more: words are read past the end */
};

/* Writes what nothing is picked for, and the count once it is known. */
template <class T>
__device__ __forceinline__ void finish(const Args &args, const Unit &unit, uint32_t n, uint64_t before)
{
    const uint32_t passed = unit.samples - n;
    const uint64_t to = args.pixels - (unit.start - before) - passed;
    const uint32_t room = room_for(args, to, passed);
    if (args.values.data != nullptr)
        fill<sizeof(T)>(args.values.data + unit.channel * args.values.pitch + to * sizeof(T), room, nothing<T>());
    if (args.indices.data != nullptr)
        fill<8>(args.indices.data + unit.channel * args.indices.pitch + to * 8, room, UINT64_MAX);
    if (threadIdx.x == 0 && unit.tile == args.tiles - 1)
        *reinterpret_cast<u64 *>(args.counts.data + unit.channel * args.counts.pitch) = before + n;
}

template <class T, Form form>
__global__ void __launch_bounds__(threads, 4) select_kernel(const __grid_constant__ Args args)
{
    __shared__ Shared shared;
    Word<T> x[Tile<T>::words];
    const int warp = threadIdx.x / lanes;
    if (threadIdx.x == 0)
        take_unit<T>(args, &shared.unit);
    __syncthreads();
    const Unit unit = shared.unit;
    load<T, form>(args, unit, x);
    Picked<T> picked;
    picked.find(x, args, unit);
    const uint32_t of_warp = picked.count();
    if (threadIdx.x % lanes == 0)
        shared.warp_totals[warp] = of_warp;
    __syncthreads();
    uint32_t first = 0, n = 0;
#pragma unroll
    for (int w = 0; w < warps; w++) {
        first += w < warp ? shared.warp_totals[w] : 0;
        n += shared.warp_totals[w];
    }
    if (warp == 0) {
        const u64 before = look_back(args.states + unit.channel * args.tiles, unit.tile, n);
        if (threadIdx.x == 0)
            shared.before = before;
    }
    if (args.values.data != nullptr)
        picked.each(first, [&](uint32_t k, int j, int v) { reinterpret_cast<T *>(shared.stage)[k] = x[j].at(v); });
    __syncthreads();
    const uint64_t before = shared.before;
    const uint32_t room = room_for(args, before, n);
    if (args.values.data != nullptr)
        store<sizeof(T)>(shared.stage, args.values.data + unit.channel * args.values.pitch + before * sizeof(T), room);
    if (args.indices.data != nullptr) {
        auto *places = reinterpret_cast<uint16_t *>(shared.stage);
        auto *out = reinterpret_cast<uint64_t *>(args.indices.data + unit.channel * args.indices.pitch) + before;
        __syncthreads();
        picked.each(first, [&](uint32_t k, int j, int v) { places[k] = static_cast<uint16_t>(first_of<T>(j) + v); });
        __syncthreads();
        for (uint32_t k = threadIdx.x; k < room; k += threads)
            out[k] = unit.start + places[k];
    }
    finish<T>(args, unit, n, before);
}

List list_of(const struct gf_cuda_image &image)
{
    return {static_cast<char *>(image.data), static_cast<size_t>(image.view.pitch)};
}

/* All but the memory for states. */
Args make_args(const struct gf_cuda_call *call)
{
    const struct gf_cuda_image *image = call->image[0];
    const struct gf_view *view = &image->view;
    Args args = {};
    args.src = static_cast<const char *>(image->data);
    args.pitch = static_cast<size_t>(view->pitch);
    args.pixels = view->width * view->height;
    args.flat = view->height == 1 || view->pitch == gf_view_row_bytes(view);
    args.width = args.flat ? args.pixels : view->width;
    args.magic = args.width > 1 && args.width <= UINT16_MAX ? UINT32_MAX / static_cast<uint32_t>(args.width) + 1 : 0;
    args.channels = view->channels;
    args.capacity = call->out[0].view.width;
    args.values = list_of(call->out[0]);
    args.indices = list_of(call->out[1]);
    args.counts = list_of(call->out[2]);
    args.range = gf_select_range(&call->step->params.select, view->dtype);
    return args;
}

/* Starts the tiles in as many launches as let the host look for a stop in between. */
template <class T> enum gf_status start(struct gf_cuda_call *call, const Args &args, struct gf_error *err)
{
    const uint64_t per_sample =
        sizeof(T) * (args.values.data != nullptr ? 2 : 1) + (args.indices.data != nullptr ? 8 : 0);
    const uint64_t bytes = Tile<T>::samples * per_sample, most = GF_CUDA_PIECE_BYTES / bytes;
    const uint64_t units = args.tiles * args.channels;
    enum gf_status status = GF_OK;
    for (uint64_t done = 0; done < units && status == GF_OK; done += most) {
        const unsigned grid = static_cast<unsigned>(units - done < most ? units - done : most);
        status = gf_cuda_go_on(call->lane, call->job, grid * bytes, err);
        if (status != GF_OK)
            break;
        if (args.channels != 1 || (!args.flat && args.width % Tile<T>::per_word != 0))
            select_kernel<T, one_by_one><<<grid, threads, 0, call->lane->main>>>(args);
        else if (args.flat)
            select_kernel<T, in_a_row><<<grid, threads, 0, call->lane->main>>>(args);
        else
            select_kernel<T, in_rows><<<grid, threads, 0, call->lane->main>>>(args);
        status = gf_cuda_status(cudaPeekAtLastError(), "starting to pick samples", err);
    }
    return status;
}

} // namespace

extern "C" enum gf_status gf_cuda_select(struct gf_cuda_call *call, struct gf_error *err)
{
    struct gf_cuda_image *image = call->image[0];
    enum gf_status status = gf_cuda_need(call, image, image->view.height, err);
    if (status != GF_OK)
        return status;
    Args args = make_args(call);
    args.tiles = gf_dispatch_any(image->view.dtype, [&](auto zero) -> uint64_t {
        constexpr uint64_t samples = Tile<decltype(zero)>::samples;
        return (args.pixels + samples - 1) / samples;
    });
    const size_t size = (static_cast<size_t>(args.tiles) * args.channels + 1) * sizeof(u64);
    void *data = nullptr;
    status = gf_cuda_take(call->lane, size, &data, err);
    if (status != GF_OK)
        return status;
    args.tickets = static_cast<u64 *>(data);
    args.states = args.tickets + 1;
    status = gf_cuda_status(cudaMemsetAsync(data, 0, size, call->lane->main), "clearing counts", err);
    if (status == GF_OK)
        status = gf_dispatch_any(image->view.dtype, [&](auto zero) { return start<decltype(zero)>(call, args, err); });
    gf_cuda_give(call->lane, data);
    return status;
}
