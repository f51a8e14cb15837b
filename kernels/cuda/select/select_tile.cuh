/* SPDX-License-Identifier: MIT */
/* The tiles of select: how samples come into registers, and which of them are picked. Included by select.cu. */
#ifndef GF_CUDA_SELECT_TILE_CUH
#define GF_CUDA_SELECT_TILE_CUH

#include <type_traits>

#include "kernels/cuda/device/cuda_device.h"
#include "kernels/cuda/device/dispatch.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/device/tile_state.cuh"

namespace gf
{

constexpr int threads = 256;
constexpr int lanes = 32;
constexpr int warps = threads / lanes;
constexpr int blocks_per_unit = 3; /* that a multiprocessor has room for */

/* A thread has words of neighbouring samples; those of a warp, and then of a block, follow each other. T is the
 * unsigned integer that has the bits of a sample. */
template <class T> struct Tile {
    using word = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    static constexpr int per_word = sizeof(word) / sizeof(T);
    /* Of a thread; of 16-bit samples so many that values and places of a tile fit 64 KiB. */
    static constexpr int words = sizeof(T) == 4 ? 32 : sizeof(T) == 2 ? 28 : 16;
    static constexpr int samples = threads * words * per_word;
    static constexpr int packs = words / 4; /* counts of words, four in a register */
    static constexpr int flags = (words * per_word + 31) / 32;

    static_assert(samples <= 65536, "16 bits say where in a tile a sample is");
    static_assert(lanes * per_word <= 255, "the count of a word over a warp fits 8 bits");
};

/* One row of an output; `data` is NULL if it was not requested. */
struct List {
    char *data;
    size_t pitch;
};

/*
 * The samples that are picked, as their bits say it. Integers are compared as unsigned ones: `flip`, repeated for each
 * sample of a word, turns the sign bits of signed ones, bounds included, which keeps their order. Floats are compared
 * as floats: NaN lies in no range, and -0 equals 0.
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
    bool flat;      /* rows follow each other without padding */
    uint32_t magic; /* ceil(2^32 / width), 0 for rows longer than a tile */
    List values, indices, counts;
    counted_tile_state tile_state; /* of the channels one after the other */
    uint64_t tiles, groups;        /* of a channel */
    ticket_counter *tickets;       /* how many were given */
    /* Tickets that earlier launches gave for no tile, one to each block; the tiles of all channels up to this launch.
     */
    uint64_t surplus, end;
    uint32_t slot_bytes, stage_bytes; /* of shared memory: from slot to slot, and of all */
    bool later;                       /* a tile is written after the next one is picked, from the other slot */
    struct range range;
    uint64_t absent; /* the bits that stand in values where no sample does; 0 of samples of less than 4 bytes */
};

/* How samples lie in the image. */
enum Form {
    in_a_row,   /* words follow each other */
    in_rows,    /* words lie whole in a row */
    one_by_one, /* anything else */
};

/* A tile of a channel, the same for all threads; without samples where there is none left. */
struct Unit {
    uint64_t tile, start;   /* its number and its first sample */
    const char *row, *rows; /* where that is, and where the channel begins in the next row */
    uint32_t left;          /* samples from the first to the end of its row, at most 2^32 - 1 */
    uint32_t channel, samples;
};

/* Where sample `at` of the tile is. */
template <class T> __device__ __forceinline__ const T *locate(const Args &args, const Unit &unit, uint32_t at)
{
    /* Rows shorter than a tile have fewer than 2^32 bytes from one to the next; of longer ones only the next counts. */
    const uint32_t past = at - unit.left, width = static_cast<uint32_t>(args.width);
    const uint32_t rows = args.width == 1 ? past : __umulhi(past, args.magic);
    const char *later = unit.rows + static_cast<uint64_t>(rows) * static_cast<uint32_t>(args.pitch);
    const bool first = at < unit.left;
    return reinterpret_cast<const T *>(first ? unit.row : later) + (first ? at : past - rows * width) * args.channels;
}

/* Neighbouring samples in a register. */
template <class T> struct Word {
    typename Tile<T>::word raw;

    __device__ __forceinline__ T at(int v) const
    {
        return static_cast<T>(raw >> 8 * sizeof(T) * v);
    }
    /* Puts a sample where there are zeros. */
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

/* The first sample that word j of this thread has, in the tile. */
template <class T> __device__ __forceinline__ uint32_t first_of(int j)
{
    const int warp = threadIdx.x / lanes, lane = threadIdx.x % lanes;
    return static_cast<uint32_t>(((warp * Tile<T>::words + j) * lanes + lane) * Tile<T>::per_word);
}

/* `full`: no sample of the tile lies past the end. */
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

/* What a thread picks. */
template <class T> struct Picked {
    static constexpr int per_word = Tile<T>::per_word;
    static constexpr uint32_t word_flags = (1u << per_word) - 1;

    uint32_t flags[Tile<T>::flags]; /* a bit per sample */
    /* Per word, four in a register: samples of it that lanes before this one pick, and that all lanes do. */
    uint32_t before[Tile<T>::packs], total[Tile<T>::packs];

    __device__ __forceinline__ bool has(int j, int v) const
    {
        const int k = j * per_word + v;
        return (flags[k / 32] >> k % 32 & 1) != 0;
    }

    /* Calls is_picked(word, sample of it) for each. */
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

    /* After find; gives what the whole warp picks. */
    __device__ __forceinline__ uint32_t count()
    {
        const int lane = threadIdx.x % lanes;
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
            uint32_t sum = own;
#pragma unroll
            for (int d = 1; d < lanes; d *= 2) {
                const uint32_t from = gf_shuffle_up(sum, d);
                sum += lane >= d ? from : 0;
            }
            before[p] = sum - own;
            total[p] = gf_shuffle(sum, lanes - 1);
            all += (total[p] & 0x00FF00FFu) + (total[p] >> 8 & 0x00FF00FFu);
        }
        return (all & 0xFFFF) + (all >> 16);
    }

    /* Calls f(place among the picked ones of the tile, word, sample of it) for each one picked; `first` is the place of
     * the warp's first. */
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
