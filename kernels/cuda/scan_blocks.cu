/* SPDX-License-Identifier: MIT */
/*
 * Scans of sequences that lie along rows, docs/numerics.md 9. Called by scan.cu, recurrence.cu and integral.cu.
 *
 * A block of threads takes blocks of 4096 elements one after the other, 512 per warp, 16 in a row per thread, and
 * brings the next one while it computes. Every element is read once and written once: blocks of a long sequence tell
 * each other their aggregates (scan_chain.cuh). Sequences of at most 512 elements are packed, one per warp.
 */
#include "cuda_pool.h"
#include "cuda_status.h"
#include "kernels/segments.h"
#include "scan_chain.cuh"
#include "scan_row.cuh"
#include "scan_run.h"

namespace
{

using namespace gf;

/* How a launch is laid out. */
struct plan {
    uint64_t items; /* blocks of elements, or eights of packed sequences */
    uint32_t room;  /* bytes of a warp's region */
    bool packed, chained;
    bool ahead; /* there are three regions per warp: the item that is brought, the last and the one before */
};

/* What the warps of a block tell each other, by turns. */
template <class Op> struct board {
    typename Op::item totals[3][GF_SCAN_GROUPS];
    maybe<Op> before;
    unsigned long long ticket;
};

/* Starts to bring an item into this warp's region. */
template <class Layout>
__device__ __forceinline__ void fetch(const struct scan_args &args, const struct plan &plan, uint64_t item,
                                      char *region)
{
    constexpr bool plain = Layout::plain;
    if (item < plan.items) {
        const struct stretch s = find_stretch<plain>(args, plan.packed, item);
        const struct stretch_memory<plain> memory =
            find_memory<plain>(args, s, args.scan.src, args.scan.src_pitch, args.in_size, args.src_flat);
        if constexpr (plain)
            fetch_stretch<typename Layout::in, plain>(args, s, memory, region);
        else if (args.in_size == 4)
            fetch_stretch<uint32_t, plain>(args, s, memory, region);
        else if (args.in_size == 8)
            fetch_stretch<uint64_t, plain>(args, s, memory, region);
        else if (args.in_size == 1)
            fetch_stretch<uint8_t, plain>(args, s, memory, region);
        else
            fetch_stretch<uint16_t, plain>(args, s, memory, region);
    }
    __pipeline_commit();
}

/* The results of a stretch that lies in its region, with what stands before this thread's row in its block. */
template <class Op, class Layout>
__device__ __forceinline__ void finish(const struct scan_args &args, const struct stretch &s, char *region,
                                       const maybe<Op> &before, const maybe<Op> &offset)
{
    typename Op::value x[scan_row];
    read_values<Op, Layout>(args, s, region, x);
    if constexpr (!Op::exact)
        (void)sum_row<Op>(args, x);
    if (s.count > 0)
        finish_row<Op>(args, before.with(offset), s, s.start + threadIdx.x % 32 * scan_row, x);
    __syncwarp();
    store_values<Op, Layout>(args, s, region, x);
}

/* In every round an item gets its aggregate and the one before it, if items are brought ahead, its results, so that
 * those it waits for have had time. */
template <class Op, class Layout>
__global__ void __launch_bounds__(scan_threads, Layout::plain ? 4 : 2)
    scan_kernel(const __grid_constant__ struct scan_args args, const __grid_constant__ struct plan plan)
{
    constexpr bool plain = Layout::plain;
    extern __shared__ uint4 regions[];
    __shared__ struct board<Op> board;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    auto *tickets = static_cast<unsigned long long *>(args.chain);
    char *const mine = reinterpret_cast<char *>(regions) + warp * plan.room;
    const uint32_t step = plan.ahead ? scan_warps * plan.room : 0; /* from region to region */
    uint64_t last = plan.items, item = plan.items, next = blockIdx.x;
    maybe<Op> last_offset = {}, offset = {};
    int turn = 0, last_turn = 0;
    if (plan.chained) {
        if (threadIdx.x == 0)
            board.ticket = atomicAdd(tickets, 1ull);
        __syncthreads();
        next = board.ticket;
    }
#pragma unroll 1
    while (next < plan.items || item < plan.items || last < plan.items) {
        unsigned long long ticket = plan.items;
        if (item < plan.items) {
            const struct stretch s = find_stretch<plain>(args, plan.packed, item);
            typename Op::value x[scan_row];
            if (plan.chained && threadIdx.x == scan_threads - 1)
                ticket = atomicAdd(tickets, 1ull);
            __pipeline_wait_prior(0);
            __syncwarp();
            read_values<Op, Layout>(args, s, mine + turn * step, x);
            const typename Op::item u = scan_lanes<Op>(sum_row<Op>(args, x), lane);
            offset = {from_lane_before(u, 1), lane > 0};
            if (lane == 31)
                board.totals[turn][warp] = u;
            next = plan.chained ? plan.items : item + gridDim.x;
        }
        const uint64_t ready = plan.ahead ? last : item;
        const int ready_turn = plan.ahead ? last_turn : turn;
        if (!plan.packed)
            __syncthreads();
        if (plan.chained) {
            if (warp == 0 && item < plan.items) {
                const struct stretch s = find_stretch<plain>(args, plan.packed, item);
                const typename Op::item a = groups_before<Op>(board.totals[turn], scan_warps).item;
                if (lane == 0)
                    chain<Op>(args, s).blocks[s.block].put(a);
            }
            if (warp == 0 && ready < plan.items) {
                const struct stretch s = find_stretch<plain>(args, plan.packed, ready);
                const maybe<Op> before = chain<Op>(args, s).before(s.block);
                if (lane == 0)
                    board.before = before;
            }
            if (item < plan.items && threadIdx.x == scan_threads - 1)
                board.ticket = ticket;
            __syncthreads();
            if (item < plan.items)
                next = board.ticket;
        }
        const int next_turn = turn < 2 ? turn + 1 : 0;
        if (plan.ahead)
            fetch<Layout>(args, plan, next, mine + next_turn * step);
        if (ready < plan.items) {
            maybe<Op> before = {}, row = plan.ahead ? last_offset : offset;
            if (plan.chained)
                before = board.before;
            if (!plan.packed)
                row = groups_before<Op>(board.totals[ready_turn], warp).with(row);
            finish<Op, Layout>(args, find_stretch<plain>(args, plan.packed, ready), mine + ready_turn * step, before,
                               row);
        }
        if (!plan.ahead)
            fetch<Layout>(args, plan, next, mine);
        last = plan.ahead ? item : plan.items;
        last_turn = turn;
        last_offset = offset;
        item = next;
        turn = next_turn;
        next = plan.items;
    }
}

/* Room for three items if the device has it. */
template <class Op, class Layout>
cudaError_t launch(const struct scan_args &args, struct plan plan, uint32_t units, cudaStream_t stream)
{
    int device = 0, most = 0;
    uint32_t bytes = 3 * scan_warps * plan.room;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    plan.ahead = bytes + sizeof(struct board<Op>) + 64 <= static_cast<size_t>(most);
    if (!plan.ahead)
        bytes /= 3;
    if (error == cudaSuccess)
        error = cudaFuncSetAttribute(scan_kernel<Op, Layout>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     static_cast<int>(bytes));
    if (error != cudaSuccess)
        return error;
    const uint64_t blocks = static_cast<uint64_t>(units) * 4;
    scan_kernel<Op, Layout>
        <<<grid_of(plan.items < blocks ? plan.items : blocks), scan_threads, bytes, stream>>>(args, plan);
    return cudaPeekAtLastError();
}

using launch_fn = cudaError_t(const struct scan_args &, struct plan, uint32_t, cudaStream_t);

/* The launch that knows the dtypes of a plain scan; NULL where there is none: a kernel for each would be too many. */
template <class Op, class In> launch_fn *find_plain(uint32_t out)
{
    return gf_dispatch_any(out, [](auto tag) -> launch_fn * {
        using Out = decltype(tag);
        constexpr bool sum = std::is_same_v<Op, scan_sum<typename Op::value>>;
        if constexpr (suits<typename Op::value, In> && suits<typename Op::value, Out> &&
                      (sum ? sizeof(Out) >= 4 : sizeof(In) == sizeof(Out)))
            return launch<Op, plain_layout<In, Out>>;
        else
            return nullptr;
    });
}

template <class Op> launch_fn *find_launch(const struct scan_args &args)
{
    const struct gf_scan &scan = args.scan;
    const bool plain = scan.channels == 1 && !scan.reverse && !scan.square && args.offsets == nullptr &&
                       (scan.axis != GF_AXIS_ALL || (args.src_flat && args.dst_flat));
    launch_fn *found = nullptr;
    if constexpr (!std::is_same_v<Op, scan_product<typename Op::value>>)
        if (plain)
            found = gf_dispatch_any(scan.in, [&](auto tag) { return find_plain<Op, decltype(tag)>(scan.out); });
    return found != nullptr ? found : launch<Op, any_layout>;
}

template <class Op>
enum gf_status start_pass(struct gf_cuda_call *call, struct scan_args args, struct plan plan, struct gf_error *err)
{
    const uint32_t units = call->lane->device->info.units;
    const uint32_t in = warp_elements * args.in_size, out = 32 * piece_bytes(args.out_size);
    cudaStream_t stream = call->lane->main;
    enum gf_status status = GF_OK;
    plan.room = in > out ? in : out;
    if (plan.chained) {
        const uint64_t size = chain_room(args).bytes<Op>();
        status = gf_cuda_take(call->lane, size, &args.chain, err);
        if (status == GF_OK)
            status = gf_cuda_status(cudaMemsetAsync(args.chain, 0, size, stream), "clearing the state of a scan", err);
    }
    if (status == GF_OK)
        status = gf_cuda_status(find_launch<Op>(args)(args, plan, units, stream), "starting a scan", err);
    gf_cuda_give(call->lane, args.chain);
    return status;
}

template <class Op>
enum gf_status start_blocks(struct gf_cuda_call *call, const struct scan_args &args, bool any_short,
                            struct gf_error *err)
{
    enum gf_status status = GF_OK;
    struct plan packed = {}, whole = {};
    packed.packed = true;
    packed.items = (args.sequences + scan_warps - 1) / scan_warps;
    whole.items = args.blocks;
    whole.chained = args.blocks > args.sequences || args.offsets != nullptr;
    if (any_short)
        status = start_pass<Op>(call, args, packed, err);
    if (status == GF_OK && args.blocks > 0)
        status = start_pass<Op>(call, args, whole, err);
    return status;
}

/* Puts the tables of segments onto the device, from where they have to be given back. */
enum gf_status cut(struct gf_lane *lane, const struct gf_scan &scan, struct scan_args *args, void **ret_tables,
                   bool *ret_any_short, struct gf_error *err)
{
    struct gf_segment_blocks blocks = {};
    enum gf_status status = gf_segment_blocks_init(&blocks, scan.segments, warp_elements, GF_SCAN_BLOCK, err);
    const size_t size = blocks.n * sizeof(uint64_t);
    if (status == GF_OK)
        status = gf_cuda_take(lane, blocks.n_blocks > 0 ? 2 * size : size, ret_tables, err);
    if (status == GF_OK) {
        auto *tables = static_cast<uint64_t *>(*ret_tables);
        cudaError_t error = cudaMemcpyAsync(tables, blocks.offsets, size, cudaMemcpyHostToDevice, lane->main);
        if (error == cudaSuccess && blocks.n_blocks > 0)
            error = cudaMemcpyAsync(tables + blocks.n, blocks.first_blocks, size, cudaMemcpyHostToDevice, lane->main);
        status = gf_cuda_status(error, "copying the offsets of segments", err);
        args->offsets = tables;
        args->first_blocks = tables + blocks.n;
        args->blocks = blocks.n_blocks * scan.channels;
        *ret_any_short = blocks.any_short;
    }
    gf_segment_blocks_deinit(&blocks);
    return status;
}

} // namespace

extern "C" enum gf_status gf_cuda_scan_blocks(struct gf_cuda_call *call, const struct gf_scan *scan,
                                              struct gf_error *err)
{
    void *tables = nullptr;
    struct scan_args args = make_args(*scan);
    enum gf_status status = GF_OK;
    bool any_short = args.length <= warp_elements;
    if (scan->segments != nullptr) {
        status = cut(call->lane, *scan, &args, &tables, &any_short, err);
    } else {
        args.n_blocks = (args.length + GF_SCAN_BLOCK - 1) / GF_SCAN_BLOCK;
        args.blocks = any_short ? 0 : args.sequences * args.n_blocks;
    }
    args.powers[0] = scan->a;
    for (unsigned j = 1; j < GF_SCAN_ROW; j++)
        args.powers[j] = args.powers[j - 1] * scan->a;
    if (status == GF_OK && scan->checked)
        status = gf_cuda_fault_word(call, gf_scan_overflow, &args.fault, err);
    if (status == GF_OK)
        status = pick_operator(*scan, [&](auto op) { return start_blocks<decltype(op)>(call, args, any_short, err); });
    gf_cuda_give(call->lane, tables);
    return status;
}
