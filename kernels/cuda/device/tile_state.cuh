/* SPDX-License-Identifier: MIT */
/*
 * Decoupled look-back: how the tiles of a launch learn their exclusive prefixes while they all run. Used by the scans,
 * including scans with user-defined operators (ordered_tile_state), and by select and label (counted_tile_state).
 *
 * A block takes its tiles by tickets, publishes the aggregate of each tile as soon as it has it, and later asks for the
 * exclusive prefix, the combination of all tiles before it. Relaxed accesses suffice: a value comes with its flag, or a
 * count with the number of its contributors, in one access, and no other memory is read on the strength of it
 * (sync.cuh). The host must clear all words before the launch.
 *
 * No block waits for ever, however many run at once, because of one rule: a block waits only for tiles below every tile
 * that it holds, that is, has taken and not published yet. It may hold the next tile while it waits for the prefix of
 * the present one, which it has published (select.cu, scan_agent.cuh). Proof: let m be the lowest tile that is not
 * published. If anybody waits for m, m is taken, since tickets are given out in order and whoever waits has taken a
 * higher one; so a running block holds m. That block waits only for tiles below m, which are all published. So it does
 * not wait, and publishes m. Totals of groups follow, and prefixes of super groups, by the same proof over their
 * numbers: the block that publishes the last member makes them, after it has published its own tile.
 *
 * 32 tiles form a group, one tile per lane of the warp that looks back; 32 groups form a super group.
 */
#ifndef GF_CUDA_TILE_STATE_CUH
#define GF_CUDA_TILE_STATE_CUH

#ifndef __CUDACC_RTC__ /* NVRTC has no headers */
#include <cstdint>
#include <string.h>
#endif

#include "kernels/cuda/device/tile_state.h"
#include "sync.cuh"
#include "warp_reduce.cuh"

namespace gf
{

using ticket_counter = unsigned long long;

constexpr uint64_t lookback_group = GF_LOOKBACK_GROUP, lookback_super = GF_LOOKBACK_SUPER;

/* Returns the number of a block's next tile. Called by one thread. */
__device__ __forceinline__ ticket_counter take_ticket(ticket_counter *tickets)
{
    return gf_atomic_add(tickets, ticket_counter{1});
}

/* The inclusive scan over the lanes of a warp, in five steps. */
template <class Op>
__device__ __forceinline__ typename Op::item warp_inclusive_scan(const Op &op, typename Op::item u, int lane)
{
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const typename Op::item before = Op::shuffle_up(u, d);
        if (lane >= d)
            u = op(before, u);
    }
    return u;
}

/* An item as published words. */
template <class Op> struct tile_item {
    static constexpr int n = (sizeof(typename Op::item) + sizeof(uint64_t) - 1) / sizeof(uint64_t);
    struct gf_published words[n];

    __device__ __forceinline__ void put(const typename Op::item &item)
    {
        uint64_t values[n] = {};
        memcpy(values, &item, sizeof(item));
#pragma unroll
        for (int k = 0; k < n; k++)
            gf_publish(&words[k], values[k]);
    }
    __device__ __forceinline__ bool get(typename Op::item *ret_item) const
    {
        uint64_t values[n];
        bool ready = true;
#pragma unroll
        for (int k = 0; k < n; k++)
            ready &= gf_load_published(&words[k], &values[k]);
        memcpy(ret_item, values, sizeof(*ret_item));
        return ready;
    }
};

/*
 * For operators whose order of combination matters. Values are published once, by position: the aggregate of a tile,
 * the total of a group, the prefix of a super group. All readers therefore fold the same tree. A tile waits for the
 * preceding tiles of its group, for the preceding groups of its super group, and for one more word; the only chain runs
 * from super group to super group.
 *
 * An Op has an `item`, operator() on two items, shuffle and shuffle_up of items, and a `prefix`, an item that may be
 * absent: none(), some(item) and join(op, prefix, prefix).
 */
template <class Op> struct ordered_tile_state {
    using item = typename Op::item;

    Op op;
    struct tile_item<Op> *tiles, *groups, *supers; /* as in gf_tile_state */
    unsigned *group_counts, *super_counts;

    /* Returns the state of a sequence, whose first tile is tile `first` of all. */
    static __device__ __forceinline__ ordered_tile_state of(const Op &op, const struct gf_tile_state &all,
                                                            uint64_t first, uint64_t sequence, bool segments)
    {
        const uint64_t group = segments ? first : first / lookback_group + sequence;
        const uint64_t super = segments ? first : first / lookback_super + sequence;
        return {op,
                static_cast<struct tile_item<Op> *>(all.tiles) + first,
                static_cast<struct tile_item<Op> *>(all.groups) + group,
                static_cast<struct tile_item<Op> *>(all.supers) + super,
                all.group_counts + group,
                all.super_counts + super};
    }

    /* Adds 1 to a count and returns its previous value. Whole warps must call it. */
    static __device__ __forceinline__ unsigned arrive(unsigned *count)
    {
        unsigned n = 0;
        if (threadIdx.x % 32 == 0)
            n = gf_atomic_add(count, 1u);
        return gf_shuffle(n, 0);
    }

    /* Waits, in every lane that has not `got` its item, until the item is published. */
    static __device__ __forceinline__ void wait_for(const struct tile_item<Op> *from, bool got, item *ret_item)
    {
        gf_wait_until(got, [&] { return from->get(ret_item); });
    }

    /* Returns the total of 32 items. Whole warps must call it. */
    __device__ __forceinline__ item fold(const struct tile_item<Op> *from) const
    {
        item u = {};
        wait_for(from + threadIdx.x % 32, false, &u);
        return Op::shuffle(warp_inclusive_scan(op, u, threadIdx.x % 32), 31);
    }

    /* Publishes a tile's aggregate, and the totals that it completes. Whole warps must call it. The counter elects the
     * warp that folds. It does not order the words, so fold() waits for them; every warp that has arrived has published
     * its own, so the wait ends. */
    __device__ __forceinline__ void publish(uint64_t tile, const item &aggregate) const
    {
        const bool first = threadIdx.x % 32 == 0;
        uint64_t group = tile / lookback_group, h = tile / lookback_super;
        if (first)
            tiles[tile].put(aggregate);
        if (arrive(group_counts + group) != lookback_group - 1)
            return;
        const item total = fold(tiles + group * lookback_group);
        if (first)
            groups[group].put(total);
        while (arrive(super_counts + h) == lookback_group - (h == 0)) {
            item before = {};
            bool got = h == 0 || supers[h - 1].get(&before);
            item c = fold(groups + h * lookback_group);
            wait_for(supers + h - 1, got, &before);
            if (h > 0)
                c = op(before, c);
            if (first)
                supers[h].put(c);
            h++;
        }
    }

    /* Returns the prefix of super group h > 0: from its own word, or from the previous word and the group totals if
     * these are published first. Whole warps must call it. */
    __device__ __forceinline__ item before_super(uint64_t h) const
    {
        const struct tile_item<Op> *t1 = groups + (h - 1) * lookback_group + threadIdx.x % 32;
        item c = {}, last = {}, t = {};
        bool got_last = h == 1, got_t = false;
        while (!gf_all_lanes_true(supers[h - 1].get(&c))) {
            got_last = got_last || supers[h - 2].get(&last);
            got_t = got_t || t1->get(&t);
            if (gf_all_lanes_true(got_last && got_t)) {
                t = Op::shuffle(warp_inclusive_scan(op, t, threadIdx.x % 32), 31);
                return h == 1 ? t : op(last, t);
            }
        }
        return c;
    }

    /* Returns (prefix of the super group + preceding groups in it) + preceding tiles in the group. Whole warps must
     * call it. */
    __device__ __forceinline__ typename Op::prefix exclusive_prefix(uint64_t tile) const
    {
        const int lane = threadIdx.x % 32;
        const int b = static_cast<int>(tile % lookback_group),
                  g = static_cast<int>(tile / lookback_group % lookback_group);
        const uint64_t h = tile / lookback_super;
        const struct tile_item<Op> *a = tiles + (tile - b) + lane, *t1 = groups + h * lookback_group + lane;
        item u = {}, t = {}, c = {};
        bool got_u = lane >= b || a->get(&u), got_t = lane >= g || t1->get(&t);
        bool got_c = h == 0 || supers[h - 1].get(&c);
        wait_for(a, got_u, &u);
        u = warp_inclusive_scan(op, u, lane);
        wait_for(t1, got_t, &t);
        t = warp_inclusive_scan(op, t, lane);
        if (!gf_all_lanes_true(got_c))
            c = before_super(h);
        typename Op::prefix p = h > 0 ? op.some(c) : op.none();
        if (g > 0)
            p = join(op, p, op.some(Op::shuffle(t, g - 1)));
        if (b > 0)
            p = join(op, p, op.some(Op::shuffle(u, b - 1)));
        return p;
    }
};

/*
 * For counts, which may be added in any order. A tile's word is its count plus 1. A group's word accumulates the counts
 * of its tiles, the number of tiles that have reported (bit 62: all have), and, once the group's first tile knows it,
 * the prefix of the group (bit 63: it is included). A warp sees its own group and 32 groups at once, 1024 tiles, which
 * is more than can be in flight.
 */
struct counted_tile_state {
    using word = unsigned long long;
    static constexpr word one_tile = (1ull << 62) / lookback_group;
    static constexpr word all_tiles = 1ull << 62;
    static constexpr word total_bit = 1ull << 63;
    static constexpr word count_bits = one_tile - 1;

    uint32_t *tiles;
    word *groups;

    /* Called by one thread. */
    __device__ __forceinline__ void publish(uint64_t tile, uint32_t n) const
    {
        gf_publish(tiles + tile, n + 1);
        gf_atomic_add(groups + tile / lookback_group, one_tile + n);
    }

    /* Returns the word of the group before `end` that belongs to this lane, the nearest group first. Before the first
     * group every word counts as complete and 0. */
    __device__ __forceinline__ word group_before(uint64_t end) const
    {
        const uint32_t lane = threadIdx.x % 32;
        if (lane < end)
            return gf_load_published(groups + (end - 1 - lane));
        return total_bit | all_tiles;
    }

    /* Returns the word of the preceding tile in the group that belongs to this lane; 0: not published yet. */
    __device__ __forceinline__ uint32_t tile_before(uint64_t tile) const
    {
        const uint32_t lane = threadIdx.x % 32, in_group = tile % lookback_group;
        if (lane < in_group)
            return gf_load_published(tiles + (tile - in_group + lane));
        return 1;
    }

    /* Returns the number of elements counted before a tile. Whole warps must call it. */
    __device__ __forceinline__ word exclusive_prefix(uint64_t tile) const
    {
        const uint32_t lane = threadIdx.x % 32;
        uint32_t of_tile = tile_before(tile);
        word of_group = group_before(tile / lookback_group), before = 0;
        for (uint64_t end = tile / lookback_group;; of_group = group_before(end)) {
            const unsigned totals = gf_ballot(of_group >= (total_bit | all_tiles));
            const unsigned needed = totals == 0 ? gf_all_lanes : (totals & (~totals + 1)) * 2 - 1;
            if ((gf_ballot((of_group & all_tiles) == 0) & needed) != 0)
                continue; /* a needed word is not published yet */
            before += (needed >> lane & 1) != 0 ? of_group & count_bits : 0;
            if (totals != 0)
                break;
            end -= lookback_group;
        }
        if (tile % lookback_group == 0) {
            before = gf_warp_sum(before);
            if (lane == 0)
                gf_atomic_add(groups + tile / lookback_group, total_bit | before);
            return before;
        }
        gf_wait_until(of_tile != 0, [&] { return (of_tile = tile_before(tile)) != 0; });
        return gf_warp_sum(before + of_tile - 1);
    }
};

} // namespace gf

#endif
