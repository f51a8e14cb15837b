/* SPDX-License-Identifier: MIT */
/*
 * The kernels of scans along rows, docs/numerics.md, "Trees of scans", launched by scan_dispatch.cuh.
 *
 * A thread block takes one tile of 4096 elements after another: 512 elements per warp, 16 items per thread. It loads
 * the next tile while it computes. A tile is a block of the contract. Every element is read once and written once: the
 * tiles of a long sequence learn their prefixes by decoupled look-back (tile_state.cuh). Sequences of at most 512
 * elements are packed, one or more per warp, eight warps' worth to a tile.
 */
#ifndef GF_CUDA_SCAN_AGENT_CUH
#define GF_CUDA_SCAN_AGENT_CUH

#include "kernels/cuda/device/async_copy.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "scan_row.cuh"

namespace gf
{

/* The plan of a launch. The two flags are not adjacent: loaded together, they would occupy registers for the whole
 * loop. */
struct scan_plan {
    uint64_t tiles;
    bool looks_back;
    uint32_t region_bytes; /* of shared memory, for a warp's part of a tile */
    bool ahead;            /* three regions per warp: one tile is being loaded, one reduced, one scanned */
};

/* A warp's part of a tile. Only the warp itself uses its regions, so gf_sync_warp() orders all accesses to them. */
template <class Op, class Policy, bool packed> struct warp_agent {
    const struct scan_args &args;
    const struct scan_plan &plan;
    const Op op;

    __device__ __forceinline__ warp_agent(const struct scan_args &all_args, const struct scan_plan &the_plan)
        : args(all_args), plan(the_plan), op(all_args)
    {
    }

    __device__ __forceinline__ struct span span_of(uint64_t tile) const
    {
        return find_span<Policy::plain>(args, packed, tile);
    }

    /* Starts loading a tile into a region. No lane reads the region any more: see store_span(). */
    __device__ __forceinline__ void fetch(uint64_t tile, char *region) const
    {
        if (tile < plan.tiles) {
            const struct span s = span_of(tile);
            const struct span_memory<Policy::plain> memory =
                find_memory<Policy>(args, s, args.scan.src, args.scan.src_pitch, args.in_size, args.src_flat);
            if constexpr (Policy::plain)
                fetch_span<typename Policy::in, Policy>(args, packed, s, memory, region);
            else
                op.dispatch_in(
                    [&](auto element) { fetch_span<decltype(element), Policy>(args, packed, s, memory, region); });
        }
        gf_commit_copies();
    }

    /* Waits for this warp's part of a tile and reduces it. Returns the prefix of this thread's row within the part.
     * Each thread waits for its own copies; the barrier covers the copies of the other lanes. With packed sequences the
     * copies of the next tile stay in flight. */
    __device__ __forceinline__ typename Op::prefix reduce(uint64_t tile, const char *region,
                                                          typename Op::item *ret_total) const
    {
        const struct span s = span_of(tile);
        typename Op::value x[scan_row];
        gf_wait_for_copies(packed ? 1 : 0);
        gf_sync_warp();
        read_values<Policy>(op, s, region, x);
        const typename Op::item u = warp_inclusive_scan(op, sum_row(op, x), s.row);
        const typename Op::item before = Op::shuffle_up(u, 1);
        if (!packed && threadIdx.x % 32 == 31)
            *ret_total = u;
        return s.row > 0 ? op.some(before) : op.none();
    }

    /* Scans and stores a tile that lies in its region, given the prefix of this thread's row. The results pass through
     * the region; the barrier keeps them from overwriting rows that other lanes still read. */
    __device__ __forceinline__ void scan(uint64_t tile, char *region, const typename Op::prefix &before) const
    {
        const struct span s = span_of(tile);
        typename Op::value x[scan_row];
        read_values<Policy>(op, s, region, x);
        if constexpr (!Op::exact)
            (void)sum_row(op, x);
        if (s.count > 0)
            finish_row(op, before, s, s.start + s.row * scan_row, x);
        gf_sync_warp();
        store_values<Policy, packed>(op, s, region, x);
    }
};

/*
 * In every round a thread block reduces one tile and publishes its aggregate at once. With tiles loaded ahead, it then
 * scans the tile of the previous round, whose predecessors have had a round's time to publish. Warp 1 publishes, warp 0
 * looks back for the tile that is due, and all warps load the next tile meanwhile.
 *
 * Barriers. Round r uses side r % 2 of the temporary storage and barriers A(r) and, where needed, B(r).
 * - totals and ticket are written before A(r) and read after it. The next write is in round r + 2, after A(r + 1),
 * which every reader reaches after its read.
 * - before_group is written by warp 1 after A(r). With tiles loaded ahead it is read in round r + 1, after A(r + 1);
 *   otherwise in round r, after B(r). The next write comes after A(r + 2).
 * - before is written by warp 0 after A(r), read after B(r), and next written after A(r + 2).
 * B(r) is therefore needed with look-back, and where nothing is loaded ahead. Regions are ordered within their warps:
 * the region that round r loads into was last used by the scan of round r - 1, or, where nothing is loaded ahead, by
 * the scan of round r itself, before the load.
 */
template <class Op, class Policy> struct block_agent : warp_agent<Op, Policy, false> {
    struct temp_storage {
        typename Op::item totals[2][GF_SCAN_GROUPS];
        typename Op::prefix before_group[2][GF_SCAN_GROUPS]; /* within the tile */
        typename Op::prefix before[2];                       /* of the tile that is due */
        ticket_counter ticket[2];
    };
    using warp_agent<Op, Policy, false>::args;
    using warp_agent<Op, Policy, false>::plan;
    using warp_agent<Op, Policy, false>::op;
    struct temp_storage &temp;

    __device__ __forceinline__ block_agent(const struct scan_args &all_args, const struct scan_plan &the_plan,
                                           struct temp_storage &storage)
        : warp_agent<Op, Policy, false>(all_args, the_plan), temp(storage)
    {
    }

    __device__ __forceinline__ struct ordered_tile_state<Op> tile_state_of(const struct span &s) const {
        return ordered_tile_state<Op>::of(op, args.tile_state, s.first_block, s.sequence, args.offsets != nullptr);
    }

    __device__ __forceinline__ uint64_t
    first_tile() const
    {
        if (!plan.looks_back)
            return blockIdx.x;
        if (threadIdx.x == 0)
            temp.ticket[1] = take_ticket(args.tile_state.tickets);
        gf_sync_block();
        return temp.ticket[1];
    }

    /* Writes the prefix of each group within the tile, and returns the tile's aggregate. Whole warps must call it. */
    __device__ __forceinline__ typename Op::item scan_groups(int side) const
    {
        const bool first = threadIdx.x % 32 == 0;
        typename Op::item e = temp.totals[side][0];
        if (first)
            temp.before_group[side][0] = op.none();
#pragma unroll
        for (int g = 1; g < scan_warps; g++) {
            if (first)
                temp.before_group[side][g] = op.some(e);
            e = op(e, temp.totals[side][g]);
        }
        return e;
    }

    /* Called by warp 1. */
    __device__ __forceinline__ void publish(uint64_t tile, int side) const
    {
        const typename Op::item a = scan_groups(side);
        if (plan.looks_back) {
            const struct span s = this->span_of(tile);
            tile_state_of(s).publish(s.block, a);
        }
    }

    /* Called by warp 0. */
    __device__ __forceinline__ void look_back(uint64_t tile, int side) const
    {
        const struct span s = this->span_of(tile);
        const typename Op::prefix before = tile_state_of(s).exclusive_prefix(s.block);
        if (threadIdx.x % 32 == 0)
            temp.before[side] = before;
    }

    __device__ __forceinline__ void run(char *mine) const
    {
        const int warp = threadIdx.x / 32;
        const uint32_t step = plan.ahead ? scan_warps * plan.region_bytes : 0; /* from region to region */
        typename Op::prefix last_prefix = op.none(), prefix = last_prefix; /* of this thread's row within the warp */
        uint64_t last = plan.tiles, tile = first_tile();
        int slot = 0, last_slot = 0, side = 0;
        this->fetch(tile, mine);
#pragma unroll 1
        while (tile < plan.tiles || last < plan.tiles) {
            const uint64_t due = plan.ahead ? last : tile;
            const int next_slot = slot < 2 ? slot + 1 : 0;
            uint64_t next = plan.tiles;
            if (tile < plan.tiles) {
                next = plan.looks_back ? plan.tiles : tile + gridDim.x;
                if (plan.looks_back && threadIdx.x == scan_threads - 1)
                    next = take_ticket(args.tile_state.tickets); /* higher than all that look_back waits for */
                prefix = this->reduce(tile, mine + slot * step, &temp.totals[side][warp]);
            }
            if (plan.looks_back && threadIdx.x == scan_threads - 1)
                temp.ticket[side] = next;
            gf_sync_block(); /* A */
            if (plan.looks_back)
                next = temp.ticket[side];
            if (warp == 1 && tile < plan.tiles)
                publish(tile, side);
            if (plan.ahead)
                this->fetch(next, mine + next_slot * step);
            if (plan.looks_back && warp == 0 && due < plan.tiles)
                look_back(due, side);
            if (plan.looks_back || !plan.ahead)
                gf_sync_block(); /* B */
            if (due < plan.tiles) {
                typename Op::prefix before = plan.ahead ? last_prefix : prefix;
                before = join(op, temp.before_group[plan.ahead ? side ^ 1 : side][warp], before);
                if (plan.looks_back)
                    before = join(op, temp.before[side], before);
                this->scan(due, mine + (plan.ahead ? last_slot : slot) * step, before);
            }
            if (!plan.ahead)
                this->fetch(next, mine);
            last = plan.ahead ? tile : plan.tiles;
            last_slot = slot;
            last_prefix = prefix;
            tile = next;
            slot = next_slot;
            side ^= 1;
        }
    }
};

template <class Op, class Policy>
__global__ void __launch_bounds__(scan_threads, Policy::blocks_per_unit)
    scan_kernel(const __grid_constant__ struct scan_args args, const __grid_constant__ struct scan_plan plan)
{
    using agent = block_agent<Op, Policy>;
    extern __shared__ uint4 regions[];
    __shared__ typename agent::temp_storage temp;
    agent(args, plan, temp).run(reinterpret_cast<char *>(regions) + threadIdx.x / 32 * plan.region_bytes);
}

/* Packed sequences. Each warp works alone and loads the next sequences while it computes. */
template <class Op, class Policy>
__global__ void __launch_bounds__(scan_threads, Policy::blocks_per_unit)
    packed_kernel(const __grid_constant__ struct scan_args args, const __grid_constant__ struct scan_plan plan)
{
    const warp_agent<Op, Policy, true> agent(args, plan);
    extern __shared__ uint4 regions[];
    char *const mine = reinterpret_cast<char *>(regions) + threadIdx.x / 32 * 2 * plan.region_bytes;
    uint32_t slot = 0;
    agent.fetch(blockIdx.x, mine);
#pragma unroll 1
    for (uint64_t tile = blockIdx.x; tile < plan.tiles; tile += gridDim.x) {
        agent.fetch(tile + gridDim.x, mine + (slot ^ 1) * plan.region_bytes);
        char *const region = mine + slot * plan.region_bytes;
        agent.scan(tile, region, agent.reduce(tile, region, nullptr));
        slot ^= 1;
    }
}

} // namespace gf

#endif
