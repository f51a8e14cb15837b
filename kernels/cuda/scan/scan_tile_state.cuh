/* SPDX-License-Identifier: MIT */
/*
 * How the blocks of a sequence learn what stands before them while they all run, for scan_kernels.cuh. Values are
 * published once, by position: the aggregate of a block, the total of 32 blocks, what stands before 1024 blocks. A
 * block waits for those before it in its 32, in its 1024, and for one more, so that the tree of docs/numerics.md 9 is
 * kept and the only chain goes from 1024 to 1024. Blocks are taken by tickets: those waited for have begun.
 */
#ifndef GF_CUDA_SCAN_TILE_STATE_CUH
#define GF_CUDA_SCAN_TILE_STATE_CUH

#include "kernels/cuda/device/sync.cuh"
#include "scan_span.cuh"

namespace gf
{

constexpr uint64_t lookback_group = GF_SCAN_GROUP, lookback_super = GF_SCAN_GROUP * GF_SCAN_GROUP;

/* An item as words. */
template <class Op> struct tile_state_item {
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
            ready &= gf_look(&words[k], &values[k]);
        memcpy(ret_item, values, sizeof(*ret_item));
        return ready;
    }
};

/* What is published of all sequences, behind the counter of tickets: items, then how many there are of each group and
 * super group. Segments, of which there may be very many without any block, have as much room for totals as for
 * blocks. */
struct tile_state_layout {
    uint64_t blocks, groups, supers;

    __host__ __device__ explicit tile_state_layout(const struct scan_args &args)
        : blocks(args.blocks), groups(args.offsets ? blocks : blocks / lookback_group + args.sequences),
          supers(args.offsets ? blocks : blocks / lookback_super + args.sequences)
    {
    }
    template <class Op> uint64_t bytes() const
    {
        return sizeof(struct gf_published) + (blocks + groups + supers) * sizeof(struct tile_state_item<Op>) +
               (groups + supers) * sizeof(unsigned);
    }
};

template <class T> __device__ __forceinline__ T from_lane(const T &v, int lane)
{
    return gf_shuffle(v, lane);
}

__device__ __forceinline__ scan_affine::item from_lane(const scan_affine::item &v, int lane)
{
    return scan_affine::item{gf_shuffle(v.a, lane), gf_shuffle(v.v, lane)};
}

/* Lanes wait for what they have not got yet. */
template <class Op>
__device__ __forceinline__ void wait_for(const struct tile_state_item<Op> *from, bool got, typename Op::item *item)
{
    gf_wait_until(got, [&] { return from->get(item); });
}

/* What the blocks of one sequence look at: its words begin here. */
template <class Op> struct tile_state {
    const struct scan_args &args;
    struct tile_state_item<Op> *blocks, *groups, *supers;
    unsigned *group_counts, *super_counts;

    __device__ __forceinline__ tile_state(const struct scan_args &all_args, const struct span &s) : args(all_args)
    {
        const struct tile_state_layout layout(args);
        const bool cut = args.offsets != nullptr;
        const uint64_t group = cut ? s.first_block : s.first_block / lookback_group + s.sequence;
        const uint64_t super = cut ? s.first_block : s.first_block / lookback_super + s.sequence;
        auto *all =
            reinterpret_cast<struct tile_state_item<Op> *>(static_cast<struct gf_published *>(args.tile_state) + 1);
        auto *counts = reinterpret_cast<unsigned *>(all + layout.blocks + layout.groups + layout.supers);
        blocks = all + s.first_block;
        groups = all + layout.blocks + group;
        supers = all + layout.blocks + layout.groups + super;
        group_counts = counts + group;
        super_counts = counts + layout.groups + super;
    }

    /* For a whole warp: notes that one more is there; gives how many were before. */
    static __device__ __forceinline__ unsigned arrive(unsigned *count)
    {
        unsigned n = 0;
        if (threadIdx.x % 32 == 0)
            n = gf_atomic_add(count, 1u);
        return gf_shuffle(n, 0);
    }

    /* For a whole warp: the total of 32. */
    static __device__ __forceinline__ typename Op::item fold(const struct tile_state_item<Op> *from)
    {
        typename Op::item u = {};
        wait_for<Op>(from + threadIdx.x % 32, false, &u);
        return from_lane(scan_lanes<Op>(u, threadIdx.x % 32), 31);
    }

    /* For a whole warp: publishes a block's aggregate, and the totals that it is the last one of. */
    __device__ __forceinline__ void publish(uint64_t block, const typename Op::item &a) const
    {
        const bool first = threadIdx.x % 32 == 0;
        uint64_t group = block / lookback_group, h = block / lookback_super;
        if (first)
            blocks[block].put(a);
        if (arrive(group_counts + group) != lookback_group - 1)
            return;
        const typename Op::item total = fold(blocks + group * lookback_group);
        if (first)
            groups[group].put(total);
        while (arrive(super_counts + h) == lookback_group - (h == 0)) {
            typename Op::item before = {};
            bool got = h == 0 || supers[h - 1].get(&before);
            typename Op::item c = fold(groups + h * lookback_group);
            wait_for<Op>(supers + h - 1, got, &before);
            if (h > 0)
                c = Op::join(before, c);
            if (first)
                supers[h].put(c);
            h++;
        }
    }

    /* For a whole warp: C[h] for h > 0 from itself, or from C[h-1] and totals of groups if those are there first. */
    __device__ __forceinline__ typename Op::item before_super(uint64_t h) const
    {
        const struct tile_state_item<Op> *t1 = groups + (h - 1) * lookback_group + threadIdx.x % 32;
        typename Op::item c = {}, last = {}, t = {};
        bool got_last = h == 1, got_t = false;
        while (!gf_every_lane(supers[h - 1].get(&c))) {
            got_last = got_last || supers[h - 2].get(&last);
            got_t = got_t || t1->get(&t);
            if (gf_every_lane(got_last && got_t)) {
                t = from_lane(scan_lanes<Op>(t, threadIdx.x % 32), 31);
                return h == 1 ? t : Op::join(last, t);
            }
        }
        return c;
    }

    /* For a whole warp: (C[h] + I2[g-1]) + I1[b-1], what stands before the block. */
    __device__ __forceinline__ maybe<Op> before(uint64_t block) const
    {
        const int lane = threadIdx.x % 32;
        const int b = static_cast<int>(block % lookback_group),
                  g = static_cast<int>(block / lookback_group % lookback_group);
        const uint64_t h = block / lookback_super;
        const struct tile_state_item<Op> *a = blocks + (block - b) + lane, *t1 = groups + h * lookback_group + lane;
        typename Op::item u = {}, t = {}, c = {};
        bool got_u = lane >= b || a->get(&u), got_t = lane >= g || t1->get(&t);
        bool got_c = h == 0 || supers[h - 1].get(&c);
        wait_for<Op>(a, got_u, &u);
        u = scan_lanes<Op>(u, lane);
        wait_for<Op>(t1, got_t, &t);
        t = scan_lanes<Op>(t, lane);
        if (!gf_every_lane(got_c))
            c = before_super(h);
        maybe<Op> p = h > 0 ? maybe<Op>::some(c) : maybe<Op>::none(args);
        if (g > 0)
            p = p.with(maybe<Op>::some(from_lane(t, g - 1)));
        if (b > 0)
            p = p.with(maybe<Op>::some(from_lane(u, b - 1)));
        return p;
    }
};

} // namespace gf

#endif
