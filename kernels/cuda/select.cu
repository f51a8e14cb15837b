/* SPDX-License-Identifier: MIT */
/*
 * select on CUDA in a single pass over the samples, docs/numerics.md 10. Called through the op's row.
 *
 * A block of threads takes a tile of one channel: reads it once into registers, counts what lies in the range, finds
 * out how many samples tiles before it have there, and writes its own to their places. Tiles are numbered by tickets,
 * so that those before it have begun; each makes its count known at once and its sum with all before as soon as it has
 * it, and a warp looks back over 32 tiles at a time until it meets a sum. Picked samples go through shared memory, from
 * where they are written in order.
 *
 * The samples that are not picked stand for places at the end of the result: of n samples, r of which are passed over
 * before a tile, those places are the last ones before n - r. So the same pass fills what nothing is picked for.
 */
#include <type_traits>

#include "cuda_ops.h"
#include "cuda_pool.h"
#include "cuda_status.h"
#include "dispatch.cuh"
#include "kernels/select.h"

namespace
{

using u64 = unsigned long long;

constexpr int threads = 256;
constexpr int lanes = 32;
constexpr int warps = threads / lanes;
constexpr unsigned all_lanes = 0xFFFFFFFFu;
constexpr uint32_t stage_words = 8192; /* of shared memory: the samples of a tile, or their 16-bit places in it */

/* What a tile says of itself: nothing yet, its own count, or the sum with all tiles before it. */
constexpr u64 own_count = 1ull << 62;
constexpr u64 whole_sum = 2ull << 62;
constexpr u64 number_bits = own_count - 1;

/* A thread has words of neighbouring samples; those of a warp, and then of a block, follow each other. */
template <class T> struct Tile {
    using word = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    static constexpr int per_word = sizeof(word) / sizeof(T);
    static constexpr int words = sizeof(T) == 1 || sizeof(T) == 8 ? 16 : 32; /* of a thread */
    static constexpr int samples = threads * words * per_word;
    static constexpr int packs = words / 4; /* counts of words, four in a register */

    static_assert(samples * sizeof(T) <= stage_words * 4 && samples * 2 <= stage_words * 4, "a tile fits the stage");
    static_assert(lanes * per_word <= 255, "the count of a word over a warp fits 8 bits");
};

/* One row of an output; `data` is NULL where nobody wants it. */
struct List {
    char *data;
    size_t pitch;
};

struct Args {
    const char *src;
    size_t pitch;
    uint64_t width, pixels, capacity;
    uint32_t channels;
    bool flat;      /* rows follow each other without padding */
    uint32_t magic; /* ceil(2^32 / width), 0 for rows longer than a tile */
    List values, indices, counts;
    u64 *states;  /* of the channels one after the other, a word per tile */
    u64 *tickets; /* how many were given */
    uint64_t tiles;
    struct gf_select_range range;
};

template <class T> __device__ __forceinline__ T bound_of(const union gf_select_bound &b)
{
    if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(b.f);
    else if constexpr (std::is_signed_v<T>)
        return static_cast<T>(b.i);
    else
        return static_cast<T>(b.u);
}

/* A tile of a channel, the same for all threads. */
struct Unit {
    uint64_t tile, start; /* its number and its first sample */
    uint64_t x, y;        /* where that stands in the image */
    uint32_t channel;
    int samples;
};

/* Where sample `at` of the tile is. */
template <class T> __device__ __forceinline__ const T *locate(const Args &args, const Unit &unit, uint32_t at)
{
    uint64_t x = unit.x + at, y = unit.y;
    if (!args.flat && x >= args.width) {
        const uint32_t past = static_cast<uint32_t>(x - args.width);
        const uint32_t rows = args.width == 1 ? past : __umulhi(past, args.magic);
        y += 1 + rows;
        x = past - rows * static_cast<uint32_t>(args.width);
    }
    return reinterpret_cast<const T *>(args.src + y * args.pitch) + x * args.channels + unit.channel;
}

/* An unsigned number of that many bytes. */
template <int size>
using bits_of =
    std::conditional_t<size == 8, uint64_t,
                       std::conditional_t<size == 4, uint32_t, std::conditional_t<size == 2, uint16_t, uint8_t>>>;

/* Neighbouring samples in a register. */
template <class T> struct Word {
    typename Tile<T>::word raw;

    __device__ __forceinline__ T at(int v) const
    {
        if constexpr (std::is_same_v<T, float>)
            return __uint_as_float(raw);
        else if constexpr (std::is_same_v<T, double>)
            return __longlong_as_double(static_cast<long long>(raw));
        else
            return static_cast<T>(raw >> 8 * sizeof(T) * v);
    }
    /* Puts a sample where there are zeros. */
    __device__ __forceinline__ void put(int v, T x)
    {
        if constexpr (std::is_same_v<T, float>)
            raw = __float_as_uint(x);
        else if constexpr (std::is_same_v<T, double>)
            raw = static_cast<uint64_t>(__double_as_longlong(x));
        else
            raw |= static_cast<typename Tile<T>::word>(static_cast<bits_of<sizeof(T)>>(x)) << 8 * sizeof(T) * v;
    }
};

/* The first sample that word j of this thread has, in the tile. */
template <class T> __device__ __forceinline__ uint32_t first_of(int j)
{
    const int warp = threadIdx.x / lanes, lane = threadIdx.x % lanes;
    return static_cast<uint32_t>(((warp * Tile<T>::words + j) * lanes + lane) * Tile<T>::per_word);
}

/* `whole`: words lie in the image as in the tile. */
template <class T, bool whole>
__device__ __forceinline__ void load(const Args &args, const Unit &unit, Word<T> (&x)[Tile<T>::words])
{
#pragma unroll
    for (int j = 0; j < Tile<T>::words; j++) {
        const uint32_t at = first_of<T>(j);
        x[j].raw = 0;
        if constexpr (whole) {
            if (at < static_cast<uint32_t>(unit.samples))
                x[j].raw = __ldg(reinterpret_cast<const typename Tile<T>::word *>(locate<T>(args, unit, at)));
        } else {
#pragma unroll
            for (int v = 0; v < Tile<T>::per_word; v++)
                if (at + v < static_cast<uint32_t>(unit.samples))
                    x[j].put(v, __ldg(locate<T>(args, unit, at + v)));
        }
    }
}

/* Sample v of word j is picked. */
template <class T> struct Picked {
    T lo, hi;
    uint32_t samples;

    __device__ __forceinline__ bool operator()(const Word<T> &x, int j, int v) const
    {
        return x.at(v) >= lo && x.at(v) <= hi && first_of<T>(j) + v < samples;
    }
};

/* How many samples before this tile are picked, given how many it has itself; run by one warp. */
__device__ __forceinline__ u64 look_back(volatile u64 *states, uint64_t tile, u64 own)
{
    const int lane = threadIdx.x % lanes;
    u64 before = 0;
    if (lane == 0)
        states[tile] = (tile == 0 ? whole_sum : own_count) | own;
    for (uint64_t end = tile; end > 0;) {
        const bool there = static_cast<uint64_t>(lane) < end;
        u64 state;
        unsigned sums, needed;
        do { /* until all tiles up to the nearest sum are known */
            state = whole_sum;
            if (there)
                state = states[end - 1 - lane];
            sums = __ballot_sync(all_lanes, state >= whole_sum);
            needed = sums == 0 ? all_lanes : (sums & (~sums + 1)) * 2 - 1;
        } while ((__ballot_sync(all_lanes, state < own_count) & needed) != 0);
        u64 part = (needed >> lane & 1) != 0 ? state & number_bits : 0;
#pragma unroll
        for (int d = lanes / 2; d > 0; d /= 2)
            part += __shfl_xor_sync(all_lanes, part, d);
        before += part;
        if (sums != 0)
            break;
        end -= lanes;
    }
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

/* Per word of the thread, four in a register: how many of its samples are picked, then how many of those of the words
 * before it in the warp. */
template <class T> struct Counts {
    uint32_t before[Tile<T>::packs], total[Tile<T>::packs];

    __device__ __forceinline__ void make(const Word<T> (&x)[Tile<T>::words], const Picked<T> &picked)
    {
        const int lane = threadIdx.x % lanes;
#pragma unroll
        for (int p = 0; p < Tile<T>::packs; p++) {
            uint32_t own = 0;
#pragma unroll
            for (int j = 0; j < 4; j++)
#pragma unroll
                for (int v = 0; v < Tile<T>::per_word; v++)
                    own += picked(x[4 * p + j], 4 * p + j, v) ? 1u << 8 * j : 0;
            uint32_t sum = own;
#pragma unroll
            for (int d = 1; d < lanes; d *= 2) {
                const uint32_t from = __shfl_up_sync(all_lanes, sum, d);
                sum += lane >= d ? from : 0;
            }
            before[p] = sum - own;
            total[p] = __shfl_sync(all_lanes, sum, lanes - 1);
        }
    }

    /* Of the whole warp. */
    __device__ __forceinline__ uint32_t of_warp() const
    {
        uint32_t sum = 0;
#pragma unroll
        for (int p = 0; p < Tile<T>::packs; p++)
            sum += (total[p] & 0x00FF00FFu) + (total[p] >> 8 & 0x00FF00FFu);
        return (sum & 0xFFFF) + (sum >> 16);
    }

    /* Calls f(place among the picked ones of the tile, word, sample of it) for each one picked. */
    template <class F>
    __device__ __forceinline__ void each(const Word<T> (&x)[Tile<T>::words], const Picked<T> &picked, uint32_t first,
                                         F &&f) const
    {
#pragma unroll
        for (int j = 0; j < Tile<T>::words; j++) {
            uint32_t k = first + (before[j / 4] >> 8 * (j % 4) & 0xFF);
#pragma unroll
            for (int v = 0; v < Tile<T>::per_word; v++)
                if (picked(x[j], j, v))
                    f(k++, j, v);
            first += total[j / 4] >> 8 * (j % 4) & 0xFF;
        }
    }
};

/* What threads tell each other about their tile. */
struct Shared {
    Unit unit;
    u64 before;
    uint32_t warp_totals[warps];
    uint32_t stage[stage_words + 1]; /* one more: words are read past the end */
};

template <class T> __device__ __forceinline__ void take_unit(const Args &args, Unit *ret_unit)
{
    const u64 ticket = atomicAdd(args.tickets, 1ull);
    Unit unit;
    unit.tile = args.channels == 1 ? ticket : ticket / args.channels;
    unit.channel = static_cast<uint32_t>(ticket - unit.tile * args.channels);
    unit.start = unit.tile * Tile<T>::samples;
    unit.samples = static_cast<int>(min(args.pixels - unit.start, static_cast<uint64_t>(Tile<T>::samples)));
    unit.y = args.flat ? 0 : unit.start / args.width;
    unit.x = unit.start - unit.y * args.width;
    *ret_unit = unit;
}

/* Writes what nothing is picked for, and the count once it is known. */
template <class T>
__device__ __forceinline__ void finish(const Args &args, const Unit &unit, uint32_t n, uint64_t before)
{
    const uint32_t passed = static_cast<uint32_t>(unit.samples) - n;
    const uint64_t to = args.pixels - (unit.start - before) - passed;
    const uint32_t room = room_for(args, to, passed);
    if (args.values.data != nullptr)
        fill<sizeof(T)>(args.values.data + unit.channel * args.values.pitch + to * sizeof(T), room, nothing<T>());
    if (args.indices.data != nullptr)
        fill<8>(args.indices.data + unit.channel * args.indices.pitch + to * 8, room, UINT64_MAX);
    if (threadIdx.x == 0 && unit.tile == args.tiles - 1)
        *reinterpret_cast<u64 *>(args.counts.data + unit.channel * args.counts.pitch) = before + n;
}

template <class T, bool whole>
__global__ void __launch_bounds__(threads, 3) select_kernel(const __grid_constant__ Args args)
{
    __shared__ Shared shared;
    Word<T> x[Tile<T>::words];
    const int warp = threadIdx.x / lanes;
    if (threadIdx.x == 0)
        take_unit<T>(args, &shared.unit);
    __syncthreads();
    const Unit unit = shared.unit;
    load<T, whole>(args, unit, x);
    const Picked<T> picked = {bound_of<T>(args.range.lo), bound_of<T>(args.range.hi),
                              static_cast<uint32_t>(unit.samples)};
    Counts<T> counts;
    counts.make(x, picked);
    if (threadIdx.x % lanes == 0)
        shared.warp_totals[warp] = counts.of_warp();
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
        counts.each(x, picked, first,
                    [&](uint32_t k, int j, int v) { reinterpret_cast<T *>(shared.stage)[k] = x[j].at(v); });
    __syncthreads();
    const uint64_t before = shared.before;
    const uint32_t room = room_for(args, before, n);
    if (args.values.data != nullptr)
        store<sizeof(T)>(shared.stage, args.values.data + unit.channel * args.values.pitch + before * sizeof(T), room);
    if (args.indices.data != nullptr) {
        auto *places = reinterpret_cast<uint16_t *>(shared.stage);
        auto *out = reinterpret_cast<uint64_t *>(args.indices.data + unit.channel * args.indices.pitch) + before;
        __syncthreads();
        counts.each(x, picked, first,
                    [&](uint32_t k, int j, int v) { places[k] = static_cast<uint16_t>(first_of<T>(j) + v); });
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
    const bool whole = args.channels == 1 && (args.flat || args.width % Tile<T>::per_word == 0);
    const uint64_t units = args.tiles * args.channels;
    enum gf_status status = GF_OK;
    for (uint64_t done = 0; done < units && status == GF_OK; done += most) {
        const unsigned grid = static_cast<unsigned>(units - done < most ? units - done : most);
        status = gf_cuda_go_on(call->lane, call->job, grid * bytes, err);
        if (status != GF_OK)
            break;
        if (whole)
            select_kernel<T, true><<<grid, threads, 0, call->lane->main>>>(args);
        else
            select_kernel<T, false><<<grid, threads, 0, call->lane->main>>>(args);
        status = gf_cuda_status(cudaPeekAtLastError(), "starting to pick samples", err);
    }
    return status;
}

} // namespace

extern "C" enum gf_status gf_cuda_select(struct gf_cuda_call *call, struct gf_error *err)
{
    struct gf_cuda_image *image = call->image[0];
    enum gf_status status = gf_cuda_need(call, image, static_cast<uint32_t>(image->view.height), err);
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
