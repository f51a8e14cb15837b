/* SPDX-License-Identifier: MIT */
/* The tiles of select: loads samples into registers and finds which are selected. Included by select.cu. */
#ifndef GF_CUDA_SELECT_TILE_CUH
#define GF_CUDA_SELECT_TILE_CUH

#include <type_traits>

#include "kernels/cuda/device/cuda_device.h"
#include "kernels/cuda/device/dispatch.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/device/tile_state.cuh"
#include "kernels/cuda/device/warp_reduce.cuh"

namespace gf
{

constexpr int threads = 256;
constexpr int lanes = 32;
constexpr int warps = threads / lanes;
constexpr int blocks_per_unit = 3; /* resident blocks per multiprocessor, which limits the registers */

/* A thread has words of adjacent samples. The words of a warp are consecutive, and the warps of a block are. T is the
 * unsigned integer that has the bits of a sample. */
template <class T> struct Tile {
    using word = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    static constexpr int per_word = sizeof(word) / sizeof(T);
    /* Words per thread. For 16-bit samples the values and places of a tile must fit 64 KiB. */
    static constexpr int words = sizeof(T) == 4 ? 32 : sizeof(T) == 2 ? 28 : 16;
    static constexpr int samples = threads * words * per_word;
    static constexpr int packs = words / 4; /* registers of four 8-bit counts, one per word */
    static constexpr int flags = (words * per_word + 31) / 32;

    static_assert(samples <= 65536, "the place of a sample in its tile must fit 16 bits");
    static_assert(lanes * per_word <= 255, "the count of a word over a warp must fit 8 bits");
};

/* One row of an output; `data` is NULL if it was not requested. */
struct List {
    char *data;
    size_t pitch;
};

/*
 * The range of selected samples, as bits. Integers are compared as unsigned numbers: `flip`, repeated for each sample
 * of a word, inverts the sign bits of signed samples and bounds, which keeps their order. Floats are compared as
 * floats: NaN is in no range, and -0 equals 0.
 */
struct range {
    uint64_t lo, hi, flip;
    bool is_float;
};

struct Args {
    const char *src;
    size_t pitch;
    uint64_t width, pixels, capacity;
    uint32_t channels;
    bool flat;      /* rows have no padding */
    uint32_t magic; /* ceil(2^32 / width), 0 for rows longer than a tile */
    List values, indices, counts;
    counted_tile_state tile_state; /* channel after channel */
    uint64_t tiles, groups;        /* per channel */
    ticket_counter *tickets;       /* the number of tickets taken */
    /* Tickets that blocks of earlier launches took without getting a tile, one per block. The number of tiles, of all
     * channels, up to the end of this launch. */
    uint64_t surplus, end;
    uint32_t slot_bytes, stage_bytes; /* of shared memory: per slot, in total */
    bool later;                       /* write a tile after selecting from the next one, from the other slot */
    struct range range;
    uint64_t absent; /* the bits of a value that no sample is selected for; 0 for samples of less than 4 bytes */
};

/* The layout of samples in the image. */
enum Form {
    in_a_row,   /* words are consecutive */
    in_rows,    /* no word crosses the end of a row */
    one_by_one, /* any other layout */
};

/* A tile of a channel, the same for all threads of a block. It has no samples if no tile is left. */
struct Unit {
    uint64_t tile, start;   /* its number; the number of its first sample */
    const char *row, *rows; /* the address of the first sample; the address of the channel in the next row */
    uint32_t left;          /* samples from the first one to the end of its row, clamped to 2^32 - 1 */
    uint32_t channel, samples;
};

/* The address of sample `at` of the tile. */
template <class T> __device__ __forceinline__ const T *locate(const Args &args, const Unit &unit, uint32_t at)
{
    /* If rows are shorter than a tile, the pitch fits 32 bits. If they are longer, the tile reaches at most into the
     * next row, and `rows` is 0. */
    const uint32_t past = at - unit.left, width = static_cast<uint32_t>(args.width);
    const uint32_t rows = args.width == 1 ? past : __umulhi(past, args.magic);
    const char *later = unit.rows + static_cast<uint64_t>(rows) * static_cast<uint32_t>(args.pitch);
    const bool first = at < unit.left;
    return reinterpret_cast<const T *>(first ? unit.row : later) + (first ? at : past - rows * width) * args.channels;
}

/* Adjacent samples in a register. */
template <class T> struct Word {
    typename Tile<T>::word raw;

    __device__ __forceinline__ T at(int v) const
    {
        return static_cast<T>(raw >> 8 * sizeof(T) * v);
    }
    /* Sets a sample whose bits are 0. */
    __device__ __forceinline__ void put(int v, T x)
    {
        raw |= static_cast<typename Tile<T>::word>(x) << 8 * sizeof(T) * v;
    }
};

__device__ __forceinline__ float float_of(uint32_t bits)
{
    return __uint_as_float(bits);
}
__device__ __forceinline__ double float_of(uint64_t bits)
{
    return __longlong_as_double(static_cast<long long>(bits));
}

/* The place in the tile of the first sample of this thread's word j. */
template <class T> __device__ __forceinline__ uint32_t first_of(int j)
{
    const int warp = threadIdx.x / lanes, lane = threadIdx.x % lanes;
    return static_cast<uint32_t>(((warp * Tile<T>::words + j) * lanes + lane) * Tile<T>::per_word);
}

/* `full`: the whole tile has samples. */
template <class T, Form form, bool full>
__device__ __forceinline__ void load_tile(const Args &args, const Unit &unit, Word<T> (&x)[Tile<T>::words])
{
    using word = typename Tile<T>::word;
#pragma unroll
    for (int j = 0; j < Tile<T>::words; j++) {
        const uint32_t at = first_of<T>(j);
        x[j].raw = 0;
        if constexpr (form != one_by_one) {
            const auto *from =
                form == in_a_row ? reinterpret_cast<const T *>(unit.row) + at : locate<T>(args, unit, at);
            if (full || at < unit.samples)
                x[j].raw = __ldg(reinterpret_cast<const word *>(from));
        } else {
#pragma unroll
            for (int v = 0; v < Tile<T>::per_word; v++)
                if (full || at + v < unit.samples)
                    x[j].put(v, __ldg(locate<T>(args, unit, at + v)));
        }
    }
}

template <class T, Form form>
__device__ __forceinline__ void load(const Args &args, const Unit &unit, Word<T> (&x)[Tile<T>::words])
{
    if (unit.samples == Tile<T>::samples)
        load_tile<T, form, true>(args, unit, x);
    else
        load_tile<T, form, false>(args, unit, x);
}

__device__ __forceinline__ counted_tile_state tile_state_of(const Args &args, uint32_t channel)
{
    const uint64_t groups = channel * args.groups;
    return {args.tile_state.tiles + groups * lookback_group, args.tile_state.groups + groups};
}

/* Takes the next tile. */
template <class T> __device__ __forceinline__ void take_unit(const Args &args, Unit *ret_unit)
{
    const ticket_counter ticket = take_ticket(args.tickets) - args.surplus;
    Unit unit = {};
    if (ticket >= args.end) {
        *ret_unit = unit;
        return;
    }
    unit.tile = args.channels == 1 ? ticket : ticket / args.channels;
    unit.channel = static_cast<uint32_t>(ticket - unit.tile * args.channels);
    unit.start = unit.tile * Tile<T>::samples;
    unit.samples = static_cast<uint32_t>(min(args.pixels - unit.start, static_cast<uint64_t>(Tile<T>::samples)));
    const uint64_t y = args.flat ? 0 : unit.start / args.width, x = unit.start - y * args.width;
    unit.left = static_cast<uint32_t>(min(args.width - x, static_cast<uint64_t>(UINT32_MAX)));
    unit.row = args.src + y * args.pitch + (x * args.channels + unit.channel) * sizeof(T);
    unit.rows = args.src + (y + 1) * args.pitch + unit.channel * sizeof(T);
    *ret_unit = unit;
}

/* The samples that a thread selects. */
template <class T> struct Picked {
    static constexpr int per_word = Tile<T>::per_word;
    static constexpr uint32_t word_flags = (1u << per_word) - 1;

    uint32_t flags[Tile<T>::flags]; /* one bit per sample */
    /* Per word, four 8-bit counts in a register: selected samples of the word in lower lanes, and in all lanes. */
    uint32_t before[Tile<T>::packs], total[Tile<T>::packs];

    __device__ __forceinline__ bool has(int j, int v) const
    {
        const int k = j * per_word + v;
        return (flags[k / 32] >> k % 32 & 1) != 0;
    }

    /* Sets the flag of each sample to is_picked(word, sample of the word). */
    template <class F> __device__ __forceinline__ void mark(F &&is_picked)
    {
#pragma unroll
        for (int f = 0; f < Tile<T>::flags; f++)
            flags[f] = 0;
#pragma unroll
        for (int k = 0; k < Tile<T>::words * per_word; k++)
            flags[k / 32] |= is_picked(k / per_word, k % per_word) ? 1u << k % 32 : 0;
    }

    __device__ __forceinline__ void find(const Word<T> (&x)[Tile<T>::words], const Args &args, const Unit &unit)
    {
        const T lo = static_cast<T>(args.range.lo), hi = static_cast<T>(args.range.hi);
        bool is_float = false;
        if constexpr (sizeof(T) >= 4) {
            is_float = args.range.is_float;
            if (is_float)
                mark([&](int j, int) {
                    return float_of(x[j].raw) >= float_of(lo) && float_of(x[j].raw) <= float_of(hi);
                });
        }
        if (!is_float)
            mark([&](int j, int v) {
                const T bits = Word<T>{x[j].raw ^ static_cast<typename Tile<T>::word>(args.range.flip)}.at(v);
                return bits >= lo && bits <= hi;
            });
        if (unit.samples == Tile<T>::samples)
            return;
#pragma unroll
        for (int k = 0; k < Tile<T>::words * per_word; k++)
            if (first_of<T>(k / per_word) + k % per_word >= unit.samples)
                flags[k / 32] &= ~(1u << k % 32);
    }

    /* Counts the selected samples after find(). Returns the count of the whole warp. */
    __device__ __forceinline__ uint32_t count()
    {
        uint32_t all = 0;
#pragma unroll
        for (int p = 0; p < Tile<T>::packs; p++) {
            uint32_t own = 0;
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const int k = (4 * p + j) * per_word;
                const uint32_t bits = flags[k / 32] >> k % 32 & word_flags;
                own |= (per_word == 1 ? bits : static_cast<uint32_t>(__popc(bits))) << 8 * j;
            }
            const uint32_t sum = gf_warp_running_sum(own);
            before[p] = sum - own;
            total[p] = gf_shuffle(sum, lanes - 1);
            all += (total[p] & 0x00FF00FFu) + (total[p] >> 8 & 0x00FF00FFu);
        }
        return (all & 0xFFFF) + (all >> 16);
    }

    /* Calls f(place among the tile's selected samples, word, sample of the word) for each selected sample. `first` is
     * the place of the warp's first one. */
    template <class F> __device__ __forceinline__ void each(uint32_t first, F &&f) const
    {
#pragma unroll
        for (int j = 0; j < Tile<T>::words; j++) {
            uint32_t k = first + (before[j / 4] >> 8 * (j % 4) & 0xFF);
#pragma unroll
            for (int v = 0; v < per_word; v++) {
                const bool is = has(j, v);
                if (is)
                    f(k, j, v);
                k += is;
            }
            first += total[j / 4] >> 8 * (j % 4) & 0xFF;
        }
    }
};

} // namespace gf

#endif
