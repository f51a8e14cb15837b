/* SPDX-License-Identifier: MIT */
/*
 * The kernels of scans along rows, docs/numerics.md 9, for the files that have those of a kind of values:
 * scan_float.cu, scan_signed.cu, scan_unsigned.cu and scan_extremes.cu.
 *
 * A block of threads takes blocks of 4096 elements one after the other, 512 per warp, 16 in a row per thread, and
 * brings the next one while it computes. Every element is read once and written once: blocks of a long sequence tell
 * each other their aggregates (scan_tile_state.cuh). Sequences of at most 512 elements are packed, one or more per
 * warp.
 */
#ifndef GF_CUDA_SCAN_KERNELS_CUH
#define GF_CUDA_SCAN_KERNELS_CUH

#include "kernels/cuda/device/async_copy.cuh"
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/cuda_pool.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/device/sync.cuh"
#include "scan_row.cuh"
#include "scan_segments.cuh"
#include "scan_start.cuh"
#include "scan_tile_state.cuh"

namespace gf
{

/* How a launch is laid out. */
struct plan {
    uint64_t items;        /* blocks of elements, or eights of packed sequences */
    uint32_t region_bytes; /* bytes of a warp's region */
    bool packed, looks_back;
    bool ahead; /* there are three regions per warp: the item that is brought, the last and the one before */
};

/* What the warps of a block tell each other, by turns: totals of groups, what stands before each in its block, what
 * stands before the block whose results are due, and the item that is next. */
template <class Op> struct board {
    typename Op::item totals[2][GF_SCAN_GROUPS];
    maybe<Op> before_group[2][GF_SCAN_GROUPS], before[2];
    unsigned long long ticket[2];
};

/* Starts to bring an item into this warp's region. */
template <class Layout, bool packed>
__device__ __forceinline__ void fetch(const struct scan_args &args, const struct plan &plan, uint64_t item,
                                      char *region)
{
    constexpr bool plain = Layout::plain;
    if (item < plan.items) {
        const struct span s = find_span<plain>(args, packed, item);
        const struct span_memory<plain> memory =
            find_memory<Layout>(args, s, args.scan.src, args.scan.src_pitch, args.in_size, args.src_flat);
        if constexpr (plain)
            fetch_span<typename Layout::in, Layout>(args, packed, s, memory, region);
        else if (args.in_size == 4)
            fetch_span<uint32_t, Layout>(args, packed, s, memory, region);
        else if (args.in_size == 8)
            fetch_span<uint64_t, Layout>(args, packed, s, memory, region);
        else if (args.in_size == 1)
            fetch_span<uint8_t, Layout>(args, packed, s, memory, region);
        else
            fetch_span<uint16_t, Layout>(args, packed, s, memory, region);
    }
    gf_commit_copies();
}

/* The total of this warp's part of an item, once that is here, which of packed ones is not the last that is brought;
 * gives what stands before this thread's row in it. */
template <class Op, class Layout, bool packed>
__device__ __forceinline__ maybe<Op> sum_up(const struct scan_args &args, uint64_t item, const char *region,
                                            typename Op::item *ret_total)
{
    const struct span s = find_span<Layout::plain>(args, packed, item);
    typename Op::value x[scan_row];
    gf_wait_for_copies(packed ? 1 : 0);
    gf_sync_warp();
    read_values<Op, Layout>(args, s, region, x);
    const typename Op::item u = scan_lanes<Op>(sum_row<Op>(args, x), s.row);
    const typename Op::item before = from_lane_before(u, 1);
    if (!packed && threadIdx.x % 32 == 31)
        *ret_total = u;
    return s.row > 0 ? maybe<Op>::some(before) : maybe<Op>::none(args);
}

/* For a whole warp: what stands before each group in the block; gives the block's aggregate. */
template <class Op>
__device__ __forceinline__ typename Op::item fold_groups(const struct scan_args &args, struct board<Op> *board,
                                                         int side)
{
    const bool first = threadIdx.x % 32 == 0;
    typename Op::item e = board->totals[side][0];
    if (first)
        board->before_group[side][0] = maybe<Op>::none(args);
#pragma unroll
    for (int g = 1; g < scan_warps; g++) {
        if (first)
            board->before_group[side][g] = maybe<Op>::some(e);
        e = Op::join(e, board->totals[side][g]);
    }
    return e;
}

/* Blocks of threads that a multiprocessor has room for. */
template <class T> constexpr bool is_long = sizeof(T) == 8 && !std::is_floating_point_v<T>;
template <class Layout> constexpr int blocks_per_unit = 2;
template <class In, class Out, bool backwards>
constexpr int blocks_per_unit<plain_layout<In, Out, backwards>> = sizeof(In) == 8 ? 2
                                                                  : is_long<Out>  ? 3
                                                                                  : 4;

/* The results of a span that lies in its region, with what stands before this thread's row. */
template <class Op, class Layout, bool packed>
__device__ __forceinline__ void finish(const struct scan_args &args, const struct span &s, char *region,
                                       const maybe<Op> &before)
{
    typename Op::value x[scan_row];
    read_values<Op, Layout>(args, s, region, x);
    if constexpr (!Op::exact)
        (void)sum_row<Op>(args, x);
    if (s.count > 0)
        finish_row<Op>(args, before, s, s.start + s.row * scan_row, x);
    gf_sync_warp();
    store_values<Op, Layout, packed>(args, s, region, x);
}

/*
 * In every round an item gets its aggregate, which is published at once, and the one before it, if items are brought
 * ahead, its results, so that those it waits for have had time. Warp 1 publishes, warp 0 asks what stands before the
 * block whose results are due, and all bring the next item meanwhile.
 */
template <class Op, class Layout>
__global__ void __launch_bounds__(scan_threads, blocks_per_unit<Layout>)
    scan_kernel(const __grid_constant__ struct scan_args args, const __grid_constant__ struct plan plan)
{
    constexpr bool plain = Layout::plain, packed = false;
    extern __shared__ uint4 regions[];
    __shared__ struct board<Op> board;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    auto *tickets = static_cast<unsigned long long *>(args.tile_state);
    char *const mine = reinterpret_cast<char *>(regions) + warp * plan.region_bytes;
    const uint32_t step = plan.ahead ? scan_warps * plan.region_bytes : 0; /* from region to region */
    uint64_t last = plan.items, item = blockIdx.x;
    maybe<Op> last_offset = maybe<Op>::none(args), offset = last_offset;
    int slot = 0, last_slot = 0, side = 0;
    if (plan.looks_back) {
        if (threadIdx.x == 0)
            board.ticket[1] = gf_atomic_add(tickets, 1ull);
        gf_sync_block();
        item = board.ticket[1];
    }
    fetch<Layout, packed>(args, plan, item, mine);
#pragma unroll 1
    while (item < plan.items || last < plan.items) {
        const uint64_t ready = plan.ahead ? last : item;
        const int next_slot = slot < 2 ? slot + 1 : 0;
        uint64_t next = plan.items;
        if (item < plan.items) {
            next = plan.looks_back ? plan.items : item + gridDim.x;
            if (plan.looks_back && threadIdx.x == scan_threads - 1)
                next = gf_atomic_add(tickets, 1ull);
            offset = sum_up<Op, Layout, packed>(args, item, mine + slot * step, &board.totals[side][warp]);
        }
        if (plan.looks_back && threadIdx.x == scan_threads - 1)
            board.ticket[side] = next;
        gf_sync_block();
        if (plan.looks_back)
            next = board.ticket[side];
        if (warp == 1 && item < plan.items) {
            const typename Op::item a = fold_groups<Op>(args, &board, side);
            if (plan.looks_back) {
                const struct span s = find_span<plain>(args, packed, item);
                tile_state<Op>(args, s).publish(s.block, a);
            }
        }
        if (plan.ahead)
            fetch<Layout, packed>(args, plan, next, mine + next_slot * step);
        if (plan.looks_back && warp == 0 && ready < plan.items) {
            const struct span s = find_span<plain>(args, packed, ready);
            const maybe<Op> before = tile_state<Op>(args, s).before(s.block);
            if (lane == 0)
                board.before[side] = before;
        }
        if (plan.looks_back || !plan.ahead)
            gf_sync_block();
        if (ready < plan.items) {
            maybe<Op> before = plan.ahead ? last_offset : offset;
            before = board.before_group[plan.ahead ? side ^ 1 : side][warp].with(before);
            if (plan.looks_back)
                before = board.before[side].with(before);
            finish<Op, Layout, packed>(args, find_span<plain>(args, packed, ready),
                                       mine + (plan.ahead ? last_slot : slot) * step, before);
        }
        if (!plan.ahead)
            fetch<Layout, packed>(args, plan, next, mine);
        last = plan.ahead ? item : plan.items;
        last_slot = slot;
        last_offset = offset;
        item = next;
        slot = next_slot;
        side ^= 1;
    }
}

/* Item: packed sequences. Each warp works on its own, and brings the next while it computes. */
template <class Op, class Layout>
__global__ void __launch_bounds__(scan_threads, blocks_per_unit<Layout>)
    packed_kernel(const __grid_constant__ struct scan_args args, const __grid_constant__ struct plan plan)
{
    constexpr bool packed = true;
    extern __shared__ uint4 regions[];
    char *const mine = reinterpret_cast<char *>(regions) + threadIdx.x / 32 * 2 * plan.region_bytes;
    uint32_t slot = 0;
    fetch<Layout, packed>(args, plan, blockIdx.x, mine);
#pragma unroll 1
    for (uint64_t item = blockIdx.x; item < plan.items; item += gridDim.x) {
        fetch<Layout, packed>(args, plan, item + gridDim.x, mine + (slot ^ 1) * plan.region_bytes);
        char *const region = mine + slot * plan.region_bytes;
        const maybe<Op> before = sum_up<Op, Layout, packed>(args, item, region, nullptr);
        finish<Op, Layout, packed>(args, find_span<Layout::plain>(args, packed, item), region, before);
        slot ^= 1;
    }
}

/* The most that a warp's region has, of elements or results of any type. */
constexpr uint32_t max_region_bytes = warp_elements * sizeof(uint64_t);

/* Room for three items if the device has it, for two of those that are packed. What a kernel may have at most does not
 * depend on the scan, since other exec contexts set it too, between this one's setting and its launch. */
template <class Op, class Layout>
cudaError_t launch(const struct scan_args &args, struct plan plan, uint32_t units, cudaStream_t stream)
{
    const int shared_max = static_cast<int>(gf_cuda_shared_memory_max());
    uint32_t bytes = (plan.packed ? 2 : 3) * scan_warps * plan.region_bytes;
    plan.ahead = bytes + sizeof(struct board<Op>) + 64 <= static_cast<size_t>(shared_max);
    if (!plan.packed && !plan.ahead)
        bytes /= 3;
    const auto kernel = plan.packed ? packed_kernel<Op, Layout> : scan_kernel<Op, Layout>;
    const int fixed = plan.packed ? 0 : static_cast<int>(sizeof(struct board<Op>)) + 64;
    const int all = static_cast<int>((plan.packed ? 2 : 3) * scan_warps * max_region_bytes);
    const int limit = all < shared_max - fixed ? all : shared_max - fixed;
    const cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, limit);
    if (error != cudaSuccess)
        return error;
    const uint64_t blocks = static_cast<uint64_t>(units) * 4;
    kernel<<<gf_cuda_grid(plan.items < blocks ? plan.items : blocks), scan_threads, bytes, stream>>>(args, plan);
    return cudaPeekAtLastError();
}

using launch_fn = cudaError_t(const struct scan_args &, struct plan, uint32_t, cudaStream_t);

template <class A, class B>
constexpr bool is_same_kind =
    std::is_floating_point_v<A> == std::is_floating_point_v<B> &&std::is_signed_v<A> == std::is_signed_v<B>;

/* Sums of floats are the only ones for which there is one backwards. */
template <class Op, class In, class Out> launch_fn *find_backwards()
{
    if constexpr (is_sum<Op> && std::is_same_v<In, Out> && std::is_floating_point_v<In>)
        return launch<Op, plain_layout<In, Out, true>>;
    else
        return nullptr;
}

/* The launch that knows the dtypes of a plain scan; NULL where there is none: a kernel for each would be too many. */
template <class Op, class In> launch_fn *find_plain(const struct gf_scan &scan)
{
    return gf_dispatch_any(scan.out, [&](auto tag) -> launch_fn * {
        using Out = decltype(tag);
        constexpr bool known = is_sum<Op> ? sizeof(Out) >= 4
                               : is_extreme<Op>
                                   ? sizeof(In) == sizeof(Out) && (sizeof(In) == 8) == (sizeof(typename Op::value) == 8)
                                   : sizeof(In) == sizeof(Out);
        if constexpr (known && suits<Op, In> && suits<Op, Out> && is_same_kind<In, Out>)
            return scan.reverse ? find_backwards<Op, In, Out>() : launch<Op, plain_layout<In, Out>>;
        else
            return nullptr;
    });
}

template <class Op> launch_fn *find_launch(const struct scan_args &args)
{
    const struct gf_scan &scan = args.scan;
    const bool plain = scan.channels == 1 && !scan.square && args.offsets == nullptr &&
                       (scan.axis != GF_AXIS_ALL || (args.src_flat && args.dst_flat));
    launch_fn *found = nullptr;
    if constexpr (!std::is_same_v<Op, scan_product<typename Op::value>>)
        if (plain)
            found = gf_dispatch_any(scan.in, [&](auto tag) { return find_plain<Op, decltype(tag)>(scan); });
    return found != nullptr ? found : launch<Op, any_layout>;
}

template <class Op>
enum gf_status start_pass(struct gf_cuda_call *call, struct scan_args args, struct plan plan, struct gf_error *err)
{
    const uint32_t units = call->exec->device->info.units;
    const uint32_t in = warp_elements * args.in_size, out = 32 * store_unit_bytes(args.out_size, 1);
    cudaStream_t stream = call->exec->main;
    enum gf_status status = GF_OK;
    plan.region_bytes = in > out ? in : out;
    if (plan.looks_back) {
        const uint64_t size = tile_state_layout(args).bytes<Op>();
        status = gf_cuda_take(call->exec, size, &args.tile_state, err);
        if (status == GF_OK)
            status =
                gf_cuda_status(cudaMemsetAsync(args.tile_state, 0, size, stream), "clearing the state of a scan", err);
    }
    if (status == GF_OK)
        status = gf_cuda_status(find_launch<Op>(args)(args, plan, units, stream), "starting a scan", err);
    gf_cuda_give(call->exec, args.tile_state);
    return status;
}

/* Those of at most 512 elements. */
template <class Op>
enum gf_status start_segments(struct gf_cuda_call *call, const struct scan_args &args, struct gf_error *err)
{
    if constexpr (!is_affine<Op>) {
        const uint32_t units = call->exec->device->info.units;
        const int each = segments_per_warp(args.sequences, units);
        const uint64_t blocks = (args.sequences - 1) / (each * scan_warps) + 1,
                       limit_of_blocks = static_cast<uint64_t>(units) * 8;
        segments_kernel<Op>
            <<<gf_cuda_grid(blocks < limit_of_blocks ? blocks : limit_of_blocks), scan_threads, 0, call->exec->main>>>(
                args, each);
    }
    return gf_cuda_status(cudaPeekAtLastError(), "starting a scan of segments", err);
}

template <class Op>
enum gf_status start_blocks(struct gf_cuda_call *call, const struct scan_args &args, bool any_short,
                            struct gf_error *err)
{
    enum gf_status status = GF_OK;
    struct plan packed = {}, by_blocks = {};
    packed.packed = true;
    packed.items = (args.sequences - 1) / (args.per_warp * scan_warps) + 1;
    by_blocks.items = args.blocks;
    by_blocks.looks_back = args.blocks > args.sequences || args.offsets != nullptr;
    if (any_short)
        status =
            args.offsets != nullptr ? start_segments<Op>(call, args, err) : start_pass<Op>(call, args, packed, err);
    if (status == GF_OK && args.blocks > 0)
        status = start_pass<Op>(call, args, by_blocks, err);
    return status;
}

} // namespace gf

#endif
