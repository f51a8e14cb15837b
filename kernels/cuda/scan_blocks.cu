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
#include "scan_chain.cuh"
#include "scan_run.h"
#include "scan_tile.cuh"

namespace
{

using namespace gf;

constexpr int scan_threads = GF_SCAN_BLOCK / GF_SCAN_ROW, scan_warps = GF_SCAN_GROUPS;

static_assert(GF_SCAN_ROW == scan_batch && scan_threads == 32 * scan_warps, "a row per thread, a group per warp");

/* How a launch is laid out. */
struct plan {
    uint64_t items; /* blocks of elements, or eights of packed sequences */
    uint32_t room;  /* bytes of a warp's region */
    bool packed, chained;
    bool ahead; /* there are three regions per warp: the item that is brought, the last and the one before */
};

/* What a kernel knows of its scan when it is compiled: dtypes, and that it is plain. */
struct any_layout {
    static constexpr bool plain = false;
};
template <class In, class Out> struct plain_layout {
    using in = In;
    using out = Out;
    static constexpr bool plain = true;
};

/* True where values V are read from and stored as T. */
template <class V, class T>
constexpr bool suits =
    std::is_floating_point_v<T> == std::is_floating_point_v<V> &&std::is_signed_v<T> == std::is_signed_v<V>;

/* What the warps of a block tell each other, by turns. */
template <class Op> struct board {
    typename Op::item totals[3][GF_SCAN_GROUPS];
    maybe<Op> before;
    unsigned long long ticket;
};

/* This warp's part of an item. Channels are next to each other, so that they share lines of memory in the cache. */
template <bool plain>
__device__ __forceinline__ struct stretch find_stretch(const struct scan_args &args, const struct plan &plan,
                                                       uint64_t item)
{
    struct stretch s;
    const int warp = threadIdx.x / 32;
    uint64_t channel = 0, rest = plan.packed ? item * scan_warps + warp : item;
    s.count = 0;
    const bool used = rest < args.sequences * args.n_blocks;
    if (!plain && args.scan.channels > 1)
        rest = divide(rest, args.scan.channels, &channel);
    if (plain && args.sequences == 1) {
        s.y = 0;
        s.block = rest;
    } else {
        s.y = divide(rest, args.n_blocks, &s.block);
    }
    s.channel = static_cast<uint32_t>(channel);
    s.sequence = plain ? s.y : s.y * args.scan.channels + channel;
    s.start = s.block * GF_SCAN_BLOCK + (plan.packed ? 0 : warp * warp_elements);
    if (used && s.start < args.length)
        s.count = args.length - s.start < warp_elements ? static_cast<int>(args.length - s.start) : warp_elements;
    return s;
}

/* Starts to bring an item into this warp's region. */
template <class Layout>
__device__ __forceinline__ void fetch(const struct scan_args &args, const struct plan &plan, uint64_t item,
                                      char *region)
{
    constexpr bool plain = Layout::plain;
    if (item < plan.items) {
        const struct stretch s = find_stretch<plain>(args, plan, item);
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

/* This thread's row as it is computed with. */
template <class Op, class Layout>
__device__ __forceinline__ void read_values(const struct scan_args &args, const struct stretch &s, const char *region,
                                            typename Op::value (&x)[scan_row])
{
    using V = typename Op::value;
    constexpr bool plain = Layout::plain;
    if constexpr (plain)
        read_row<typename Layout::in>(region, memory_row<plain>(args), x);
    else
        gf_dispatch_any(args.scan.in, [&](auto tag) {
            if constexpr (suits<V, decltype(tag)>)
                read_row<decltype(tag)>(region, memory_row<plain>(args), x);
        });
    turn_row<plain>(args, x);
    if constexpr (is_affine<Op>) {
#pragma unroll
        for (int j = 0; j < scan_row; j++)
            x[j] = __dmul_rn(args.scan.b, x[j]);
        if (s.start == 0 && threadIdx.x % 32 == 0 && args.scan.started)
            x[0] = __fma_rn(args.scan.a, args.scan.init.f, x[0]);
    } else if (!plain && args.scan.square) {
#pragma unroll
        for (int j = 0; j < scan_row; j++)
            x[j] = scan_product<V>::join(x[j], x[j]);
    }
}

/* The total of the row. Where the order counts, x[j] becomes s[j]. */
template <class Op>
__device__ __forceinline__ typename Op::item sum_row(const struct scan_args &args, typename Op::value (&x)[scan_row])
{
    if constexpr (is_affine<Op>) {
#pragma unroll
        for (int j = 1; j < scan_row; j++)
            x[j] = __fma_rn(args.scan.a, x[j - 1], x[j]);
        return scan_affine::item{args.powers[scan_row - 1], x[scan_row - 1]};
    } else if constexpr (Op::exact) {
        typename Op::value t = x[0];
#pragma unroll
        for (int j = 1; j < scan_row; j++)
            t = Op::join(t, x[j]);
        return t;
    } else {
#pragma unroll
        for (int j = 1; j < scan_row; j++)
            x[j] = Op::join(x[j - 1], x[j]);
        return x[scan_row - 1];
    }
}

/* True where a row of sums from `last` on certainly fits. */
template <class V> __device__ __forceinline__ bool row_fits(const struct scan_args &args, V last)
{
    if (args.scan.what != GF_SCAN_SUM || args.in_size > 4)
        return false;
    const uint64_t most = static_cast<uint64_t>(GF_SCAN_ROW) << (8 * args.in_size);
    if constexpr (std::is_signed_v<V>)
        return last >= args.scan.lo + static_cast<int64_t>(most) && last <= static_cast<int64_t>(args.scan.hi - most) &&
               args.scan.hi >= most;
    else
        return args.scan.hi >= most && last <= args.scan.hi - most;
}

/* Reports the first result of a row that does not fit; result `index` is that of x[0] after `last`. */
template <class Op>
__device__ __forceinline__ void check_row(const struct scan_args &args, typename Op::value last, uint64_t sequence,
                                          uint64_t index, const typename Op::value (&x)[scan_row])
{
    unsigned wrong = 0;
#pragma unroll
    for (int j = 0; j < scan_row; j++) {
        const typename Op::value v = Op::join(last, x[j]);
        wrong |= static_cast<unsigned>(Op::overflows(last, x[j], v) || !fits(args, v)) << j;
        last = v;
    }
    const uint64_t first = index + __ffs(static_cast<int>(wrong)) - 1;
    if (wrong != 0 && first < args.length)
        report_overflow(args, sequence, first);
}

/* From what sum_row left and what stands before the row to its inclusive results; `index` is that of its first. */
template <class Op>
__device__ __forceinline__ void finish_row(const struct scan_args &args, const maybe<Op> &base, uint64_t sequence,
                                           uint64_t index, typename Op::value (&x)[scan_row])
{
    using V = typename Op::value;
    if constexpr (is_affine<Op>) {
        if (base.present) {
#pragma unroll
            for (int j = 0; j < scan_row; j++)
                x[j] = __fma_rn(args.powers[j], base.item.v, x[j]);
        }
    } else if constexpr (Op::exact) {
        V last = base.present ? base.item : value_of<V>(args.scan.absent);
        if (args.scan.started)
            last = Op::join(value_of<V>(args.scan.init), last);
        if (args.scan.checked && !row_fits(args, last))
            check_row<Op>(args, last, sequence, index + args.scan.exclusive, x);
#pragma unroll
        for (int j = 0; j < scan_row; j++)
            x[j] = last = Op::join(last, x[j]);
    } else {
        const V left = base.present ? base.item : value_of<V>(args.scan.absent);
#pragma unroll
        for (int j = 0; j < scan_row; j++)
            x[j] = Op::join(left, x[j]);
        if (args.scan.started) {
#pragma unroll
            for (int j = 0; j < scan_row; j++)
                x[j] = Op::join(args.scan.init.f, x[j]);
        }
    }
}

template <class Op, class Layout>
__device__ __forceinline__ void store_values(const struct scan_args &args, const struct stretch &s, char *region,
                                             typename Op::value (&x)[scan_row])
{
    if constexpr (Layout::plain)
        store_stretch<typename Layout::out, true>(args, s, region, x);
    else
        gf_dispatch_any(args.scan.out, [&](auto tag) {
            if constexpr (suits<typename Op::value, decltype(tag)>)
                store_stretch<decltype(tag), false>(args, s, region, x);
        });
}

/* E[g] of the groups before g. */
template <class Op>
__device__ __forceinline__ maybe<Op> groups_before(const typename Op::item (&totals)[GF_SCAN_GROUPS], int g)
{
    maybe<Op> e = {totals[0], g > 0};
#pragma unroll
    for (int k = 1; k < scan_warps; k++)
        if (k < g)
            e.item = Op::join(e.item, totals[k]);
    return e;
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
        finish_row<Op>(args, before.with(offset), s.sequence, s.start + threadIdx.x % 32 * scan_row, x);
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
            const struct stretch s = find_stretch<plain>(args, plan, item);
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
                const struct stretch s = find_stretch<plain>(args, plan, item);
                const typename Op::item a = groups_before<Op>(board.totals[turn], scan_warps).item;
                if (lane == 0)
                    chain<Op>(args, s.sequence).blocks[s.block].put(a);
            }
            if (warp == 0 && ready < plan.items) {
                const struct stretch s = find_stretch<plain>(args, plan, ready);
                const maybe<Op> before = chain<Op>(args, s.sequence).before(s.block);
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
            finish<Op, Layout>(args, find_stretch<plain>(args, plan, ready), mine + ready_turn * step, before, row);
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
    const bool plain = scan.channels == 1 && !scan.reverse && !scan.square &&
                       (scan.axis != GF_AXIS_ALL || (args.src_flat && args.dst_flat));
    launch_fn *found = nullptr;
    if constexpr (!std::is_same_v<Op, scan_product<typename Op::value>>)
        if (plain)
            found = gf_dispatch_any(scan.in, [&](auto tag) { return find_plain<Op, decltype(tag)>(scan.out); });
    return found != nullptr ? found : launch<Op, any_layout>;
}

template <class Op> enum gf_status start_blocks(struct gf_cuda_call *call, struct scan_args args, struct gf_error *err)
{
    const uint32_t units = call->lane->device->info.units;
    const uint32_t in = warp_elements * args.in_size, out = 32 * piece_bytes(args.out_size);
    struct plan plan = {};
    cudaStream_t stream = call->lane->main;
    enum gf_status status = GF_OK;
    plan.packed = args.length <= warp_elements;
    plan.chained = args.n_blocks > 1;
    plan.items = plan.packed ? (args.sequences + scan_warps - 1) / scan_warps : args.sequences * args.n_blocks;
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

} // namespace

extern "C" enum gf_status gf_cuda_scan_blocks(struct gf_cuda_call *call, const struct gf_scan *scan,
                                              struct gf_error *err)
{
    struct scan_args args = make_args(*scan);
    args.n_blocks = (args.length + GF_SCAN_BLOCK - 1) / GF_SCAN_BLOCK;
    args.powers[0] = scan->a;
    for (unsigned j = 1; j < GF_SCAN_ROW; j++)
        args.powers[j] = args.powers[j - 1] * scan->a;
    enum gf_status status = scan->checked ? gf_cuda_fault_word(call, gf_scan_overflow, &args.fault, err) : GF_OK;
    if (status != GF_OK)
        return status;
    return pick_operator(*scan, [&](auto op) { return start_blocks<decltype(op)>(call, args, err); });
}
