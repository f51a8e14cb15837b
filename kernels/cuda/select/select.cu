/* SPDX-License-Identifier: MIT */
/*
 * select on CUDA in a single pass over the samples, docs/numerics.md, "select". Called through the op's row.
 *
 * A block takes tiles of one channel, one after another, by tickets. It reads a tile once into registers, publishes how
 * many of its samples are in the range, stages these in order in shared memory, and begins to load its next tile. Then
 * it writes the previous tile, whose count it published a whole tile earlier. By then the counts of all earlier tiles
 * are published too, so the decoupled look-back (tile_state.cuh) reads them once and hardly ever waits.
 *
 * Samples that are not selected account for the unused places at the end of the result: if the picture has n samples
 * and r samples before a tile were not selected, the tile fills the places right before n - r. So the same pass also
 * fills the unused places.
 */
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/device/shared_limit.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/cuda/step/cuda_ops.h"
#include "kernels/cuda/step/launches.cuh"
#include "kernels/cuda/step/samples.h"
#include "kernels/shared/select.h"
#include "protocol/ops/params/select.h"
#include "select.h"
#include "select_tile.cuh"

namespace
{

using namespace gf;

/* The sizes of values and places in a slot of the stage. Words may be read past the end of values. */
template <class T> constexpr uint32_t value_bytes = Tile<T>::samples * sizeof(T) + 16;
template <class T> constexpr uint32_t place_bytes = Tile<T>::samples * sizeof(uint16_t);

using Kernel = void(const Args);
using u64 = unsigned long long;

/* Calls word(i) for each whole 4-byte word i of n elements at `to`, and element(k) for the elements around the words.
 */
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

/* Calls element(k) for the n elements, of at least 4 bytes, at `to`. The elements of a warp share a line of memory. */
template <int size, class E> __device__ __forceinline__ void by_lines(const char *to, uint32_t n, E &&element)
{
    constexpr uint32_t line = lanes * size;
    const uint32_t past = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(to)) % line / size;
    if (threadIdx.x >= past && threadIdx.x - past < n)
        element(threadIdx.x - past);
    for (uint32_t k = threadIdx.x + threads - past; k < n; k += threads)
        element(k);
}

/* Copies the first n elements of the stage to consecutive places. */
template <class T> __device__ __forceinline__ void store(const uint32_t *stage, char *to, uint32_t n)
{
    constexpr int size = sizeof(T);
    const auto *from = reinterpret_cast<const T *>(stage);
    auto *out = reinterpret_cast<T *>(to);
    if constexpr (size >= 4) {
        by_lines<size>(to, n, [&](uint32_t k) { out[k] = from[k]; });
    } else {
        by_words<size>(
            to, n, [&](uint32_t k) { out[k] = from[k]; },
            [&](uint32_t i, uint32_t head) {
                reinterpret_cast<uint32_t *>(to + head * size)[i] =
                    __funnelshift_r(stage[i], stage[i + 1], head * size * 8);
            });
    }
}

template <class T> __device__ __forceinline__ void fill(char *to, uint32_t n, T value)
{
    constexpr int size = sizeof(T);
    auto *out = reinterpret_cast<T *>(to);
    if constexpr (size >= 4) {
        by_lines<size>(to, n, [&](uint32_t k) { out[k] = value; });
    } else { /* all bytes are 0 */
        by_words<size>(
            to, n, [&](uint32_t k) { out[k] = value; },
            [&](uint32_t i, uint32_t head) { reinterpret_cast<uint32_t *>(to + head * size)[i] = 0; });
    }
}

/* The number of places, of n from `first` on, that the result has room for. */
__device__ __forceinline__ uint32_t places_left(const Args &args, uint64_t first, uint32_t n)
{
    const uint64_t left = first < args.capacity ? args.capacity - first : 0;
    return n < left ? n : static_cast<uint32_t>(left);
}

/*
 * What the threads of a block share about their tiles: two copies, used in alternate rounds. A round writes its copy,
 * passes the barrier in pick(), then reads the copy. The copy is next written two rounds later, after the barrier of
 * the round in between, which every thread reaches after its reads. So one barrier per round suffices, also in rounds
 * in which write() has none because no tile is due. Slots of the stage are written after the barrier of pick() and read
 * after the barrier of write(), which is a round later if there are two slots. They are next written after another
 * barrier of pick().
 */
struct Shared {
    Unit unit[2];
    u64 before[2];                  /* per slot */
    uint32_t warp_totals[2][warps]; /* per slot */
};

extern __shared__ uint4 stages[];

/* Fills the unused places that the tile accounts for, and stores the channel's count if the tile is the last one. */
template <class T>
__device__ __forceinline__ void finish(const Args &args, const Unit &unit, uint32_t n, uint64_t before)
{
    const uint32_t passed = unit.samples - n;
    const uint64_t to = args.pixels - (unit.start - before) - passed;
    const uint32_t n_left = places_left(args, to, passed);
    if (args.values.data != nullptr)
        fill(args.values.data + unit.channel * args.values.pitch + to * sizeof(T), n_left, static_cast<T>(args.absent));
    if (args.indices.data != nullptr)
        fill<uint64_t>(args.indices.data + unit.channel * args.indices.pitch + to * 8, n_left, UINT64_MAX);
    if (threadIdx.x == 0 && unit.tile == args.tiles - 1)
        *reinterpret_cast<u64 *>(args.counts.data + unit.channel * args.counts.pitch) = before + n;
}

/* The place of this warp's first selected sample among the tile's, and the number of the tile's. */
__device__ __forceinline__ uint32_t first_of_warp(const uint32_t (&warp_totals)[warps], uint32_t *ret_n)
{
    uint32_t first = 0, n = 0;
#pragma unroll
    for (int w = 0; w < warps; w++) {
        first += w < static_cast<int>(threadIdx.x) / lanes ? warp_totals[w] : 0;
        n += warp_totals[w];
    }
    *ret_n = n;
    return first;
}

/* A tile whose samples are in the stage. */
struct Staged {
    Unit unit;
    uint32_t n; /* selected samples */
};

/* A slot of the stage has values, followed by places. */
__device__ __forceinline__ char *slot_at(const Args &args, int slot)
{
    return reinterpret_cast<char *>(stages) + slot * args.slot_bytes;
}
template <class T> __device__ __forceinline__ uint16_t *places_at(const Args &args, int slot)
{
    return reinterpret_cast<uint16_t *>(slot_at(args, slot) + (args.values.data != nullptr ? value_bytes<T> : 0));
}

/* Finds the selected samples of the tile in x, publishes their number, and stages them in order. */
template <class T>
__device__ __forceinline__ uint32_t pick(const Args &args, Shared &shared, const Unit &unit, int slot,
                                         const Word<T> (&x)[Tile<T>::words])
{
    Picked<T> picked;
    picked.find(x, args, unit);
    const uint32_t of_warp = picked.count();
    if (threadIdx.x % lanes == 0)
        shared.warp_totals[slot][threadIdx.x / lanes] = of_warp;
    gf_sync_block();
    uint32_t n;
    const uint32_t first = first_of_warp(shared.warp_totals[slot], &n);
    if (threadIdx.x == 0)
        tile_state_of(args, unit.channel).publish(unit.tile, n);
    T *values = reinterpret_cast<T *>(slot_at(args, slot));
    uint16_t *places = places_at<T>(args, slot);
    if (args.values.data != nullptr)
        picked.each(first, [&](uint32_t k, int j, int v) { values[k] = x[j].at(v); });
    if (args.indices.data != nullptr)
        picked.each(first, [&](uint32_t k, int j, int v) { places[k] = static_cast<uint16_t>(first_of<T>(j) + v); });
    return n;
}

/* Writes a tile from a slot of the stage. */
template <class T> __device__ __forceinline__ void write(const Args &args, Shared &shared, const Staged &tile, int slot)
{
    const Unit &unit = tile.unit;
    if (threadIdx.x < lanes) {
        const u64 before = tile_state_of(args, unit.channel).exclusive_prefix(unit.tile);
        if (threadIdx.x == 0)
            shared.before[slot] = before;
    }
    gf_sync_block();
    const uint64_t before = shared.before[slot];
    const uint32_t n_left = places_left(args, before, tile.n);
    if (args.values.data != nullptr)
        store<T>(reinterpret_cast<const uint32_t *>(slot_at(args, slot)),
                 args.values.data + unit.channel * args.values.pitch + before * sizeof(T), n_left);
    if (args.indices.data != nullptr) {
        const uint16_t *places = places_at<T>(args, slot);
        char *to = args.indices.data + unit.channel * args.indices.pitch + before * 8;
        by_lines<8>(to, n_left, [&](uint32_t k) { reinterpret_cast<uint64_t *>(to)[k] = unit.start + places[k]; });
    }
    finish<T>(args, unit, tile.n, before);
}

template <class T, Form form>
__global__ void __launch_bounds__(threads, blocks_per_unit) select_kernel(const __grid_constant__ Args args)
{
    __shared__ Shared shared;
    Word<T> x[Tile<T>::words];
    Staged last = {};
    if (threadIdx.x == 0)
        take_unit<T>(args, &shared.unit[0]);
    gf_sync_block();
    load<T, form>(args, shared.unit[0], x);
    for (int slot = 0;; slot = 1 - slot) {
        Staged tile = {};
        tile.unit = shared.unit[slot];
        if (tile.unit.samples != 0) {
            if (threadIdx.x == 0)
                take_unit<T>(args, &shared.unit[1 - slot]); /* while the loads of x are in flight; write() waits only
                                                             * for lower tiles */
            tile.n = pick(args, shared, tile.unit, slot, x);
            load<T, form>(args, shared.unit[1 - slot], x);
        }
        const Staged due = args.later ? last : tile;
        if (due.unit.samples != 0)
            write<T>(args, shared, due, args.later ? 1 - slot : slot);
        if (tile.unit.samples == 0)
            break;
        last = tile;
    }
}

List list_of(const struct gf_cuda_image &image)
{
    return {static_cast<char *>(image.data), static_cast<size_t>(image.view.pitch)};
}

/* The bits of a bound, as a sample of the dtype. */
uint64_t bits_of(const union gf_select_bound &bound, uint32_t dtype)
{
    if (dtype != GF_F32)
        return bound.u;
    const float narrow = static_cast<float>(bound.f);
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof(bits));
    return bits;
}

struct range make_range(const struct gf_select_params &params, uint32_t dtype)
{
    const struct gf_select_range bounds = gf_select_range(&params, dtype);
    const uint64_t all = UINT64_MAX >> (64 - 8 * gf_dtype_size(dtype)); /* the bits of a sample */
    struct range range = {};
    range.is_float = gf_dtype_kind(dtype) == GF_KIND_FLOAT;
    if (gf_dtype_kind(dtype) == GF_KIND_SINT)
        range.flip = UINT64_MAX / all * (all / 2 + 1);
    range.lo = (bits_of(bounds.lo, dtype) ^ range.flip) & all;
    range.hi = (bits_of(bounds.hi, dtype) ^ range.flip) & all;
    return range;
}

/* All arguments but the state of tiles. */
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
    args.range = make_range(gf_select_params_get(&call->step->params), view->dtype);
    args.absent = view->dtype == GF_F32 ? 0x7FC00000u : view->dtype == GF_F64 ? 0x7FF8000000000000u : 0;
    return args;
}

/* The shared memory that a block may use for its stage. */
uint32_t stage_capacity()
{
    return static_cast<uint32_t>(gf_cuda_shared_memory_max() - sizeof(Shared));
}

template <class T>
constexpr Kernel *kernels[] = {select_kernel<T, in_a_row>, select_kernel<T, in_rows>, select_kernel<T, one_by_one>};

/* Launches blocks for the tiles before args.end. */
template <class T> void launch(const Args &args, unsigned grid, cudaStream_t stream)
{
    const Form form = args.channels != 1 || (!args.flat && args.width % Tile<T>::per_word != 0) ? one_by_one
                      : args.flat                                                               ? in_a_row
                                                                                                : in_rows;
    kernels<T>[form]<<<grid, threads, args.stage_bytes, stream>>>(args);
}

/* Lays out the stage. If it has room for two tiles, each is written after the next one is selected from. */
template <class T> void lay_out(Args *args)
{
    const uint32_t slot =
        (args->values.data != nullptr ? value_bytes<T> : 0) + (args->indices.data != nullptr ? place_bytes<T> : 0);
    args->later = 2 * slot <= stage_capacity();
    args->slot_bytes = args->later ? slot : 0;
    args->stage_bytes = args->later ? 2 * slot : slot;
}

template <class T> cudaError_t prepare()
{
    const uint32_t limit = 2 * (value_bytes<T> + place_bytes<T>), n_left = stage_capacity();
    cudaError_t error = cudaSuccess;
    for (Kernel *kernel : kernels<T>)
        if (error == cudaSuccess)
            error = raise_shared_limit(limit < n_left ? limit : n_left, kernel);
    return error;
}

template <class T> enum gf_status start(struct gf_cuda_call *call, Args args, struct gf_error *err)
{
    const uint64_t per_sample =
        sizeof(T) * (args.values.data != nullptr ? 2 : 1) + (args.indices.data != nullptr ? 8 : 0);
    const unsigned at_once = call->exec->device->info.units * blocks_per_unit;
    lay_out<T>(&args);
    return in_launches(call,
                       {args.tiles * args.channels, 1, Tile<T>::samples * per_sample, "starting to select samples"},
                       err, [&](unsigned grid, const Range &range) {
                           grid = grid < at_once ? grid : at_once;
                           args.end = range.end;
                           launch<T>(args, grid, call->exec->main);
                           args.surplus += grid;
                       });
}

} // namespace

extern "C" enum gf_status gf_cuda_select(struct gf_cuda_call *call, struct gf_error *err)
{
    struct gf_cuda_image *image = call->image[0];
    enum gf_status status = gf_cuda_require_rows(call, image, image->view.height, err);
    if (status != GF_OK)
        return status;
    Args args = make_args(call);
    const size_t sample_size = gf_dtype_size(image->view.dtype);
    args.tiles = gf_dispatch_size(sample_size, [&](auto zero) -> uint64_t {
        constexpr uint64_t samples = Tile<decltype(zero)>::samples;
        return (args.pixels + samples - 1) / samples;
    });
    args.groups = (args.tiles + lookback_group - 1) / lookback_group;
    const size_t groups = static_cast<size_t>(args.groups) * args.channels;
    const size_t size = (groups + 1) * sizeof(u64) + groups * lookback_group * sizeof(uint32_t);
    void *data = nullptr;
    status = gf_cuda_alloc(call->exec, size, &data, err);
    if (status != GF_OK)
        return status;
    args.tickets = static_cast<ticket_counter *>(data);
    args.tile_state.groups = args.tickets + 1;
    args.tile_state.tiles = reinterpret_cast<uint32_t *>(args.tickets + 1 + groups);
    status = gf_cuda_status(cudaMemsetAsync(data, 0, size, call->exec->main), "clearing counts", err);
    if (status == GF_OK)
        status = gf_dispatch_size(sample_size, [&](auto zero) { return start<decltype(zero)>(call, args, err); });
    gf_cuda_free(call->exec, data);
    return status;
}

extern "C" cudaError_t gf_cuda_select_prepare(void)
{
    cudaError_t error = cudaSuccess;
    for (size_t size = 1; size <= sizeof(uint64_t); size *= 2)
        gf_dispatch_size(size, [&](auto zero) { error = error == cudaSuccess ? prepare<decltype(zero)>() : error; });
    return error;
}
