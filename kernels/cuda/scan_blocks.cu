/* SPDX-License-Identifier: MIT */
/*
 * Scans of sequences that lie along rows, docs/numerics.md 9. Called by scan.cu, recurrence.cu and integral.cu.
 *
 * A block of threads holds a block of 4096 elements in shared memory, 16 in a row per thread. Long sequences take three
 * steps: the aggregates of all blocks, what stands before each, the results. Sequences of at most 512 elements are
 * packed, one per warp.
 */
#include "cuda_pool.h"
#include "cuda_status.h"
#include "scan_lines.cuh"
#include "scan_run.h"

namespace
{

using namespace gf;

constexpr int scan_threads = GF_SCAN_BLOCK / GF_SCAN_ROW;
constexpr int row_room = GF_SCAN_ROW + 1; /* rows start in different banks */
constexpr int warp_elements = GF_SCAN_GROUP * GF_SCAN_ROW;
constexpr int super_blocks = GF_SCAN_GROUP * GF_SCAN_GROUP;

static_assert(GF_SCAN_ROW == scan_batch && scan_threads == 32 * GF_SCAN_GROUPS, "a row per thread, a group per warp");

template <class Op> struct tile {
    typename Op::value x[scan_threads * row_room];
    typename Op::item totals[GF_SCAN_GROUPS];
};

/* The block of elements of a thread block, or of a warp where sequences are packed. */
struct place {
    uint64_t sequence, block;
    uint32_t y_channel;      /* channel */
    uint64_t y;              /* row of the image, if sequences are rows */
    int first, span, thread; /* of the tile: elements from `first` on, by `span` threads */
    bool used;
};

__device__ __forceinline__ uint64_t divide(uint64_t a, uint64_t b, uint64_t *rest)
{
    if ((a | b) >> 32 == 0) {
        *rest = static_cast<uint32_t>(a) % static_cast<uint32_t>(b);
        return static_cast<uint32_t>(a) / static_cast<uint32_t>(b);
    }
    *rest = a % b;
    return a / b;
}

/* Item number `item`: channels next to each other, so that they share lines of memory in the cache. */
__device__ __forceinline__ struct place find_place(const struct scan_args &args, uint64_t item, bool packed)
{
    struct place p;
    const int warp = threadIdx.x / 32;
    uint64_t channel;
    p.first = packed ? warp * warp_elements : 0;
    p.span = packed ? 32 : scan_threads;
    p.thread = packed ? threadIdx.x % 32 : threadIdx.x;
    p.used = item < args.sequences * args.n_blocks;
    const uint64_t rest = divide(item, args.scan.channels, &channel);
    p.y = divide(rest, args.n_blocks, &p.block);
    p.y_channel = static_cast<uint32_t>(channel);
    p.sequence = p.y * args.scan.channels + channel;
    return p;
}

/* The byte offset of element `index` of the sequence. */
__device__ __forceinline__ uint64_t locate(const struct scan_args &args, const struct place &p, uint64_t index,
                                           uint64_t pitch, uint32_t size, bool flat)
{
    uint64_t x = args.scan.reverse ? args.length - 1 - index : index, y = p.y;
    if (args.scan.axis == GF_AXIS_ALL && !flat)
        y = divide(x, args.scan.width, &x);
    return y * pitch + (x * args.scan.channels + p.y_channel) * size;
}

__device__ __forceinline__ int room_of(int element)
{
    return element + element / static_cast<int>(GF_SCAN_ROW);
}

template <class Op>
__device__ __forceinline__ void load_tile(const struct scan_args &args, const struct place &p, struct tile<Op> &tile)
{
    uint64_t at[scan_batch];
    typename Op::value x[scan_batch];
    const uint64_t start = p.block * GF_SCAN_BLOCK + p.thread;
#pragma unroll
    for (int k = 0; k < scan_batch; k++) {
        const uint64_t index = start + k * p.span;
        at[k] = p.used && index < args.length ? locate(args, p, index, args.scan.src_pitch, args.in_size, args.src_flat)
                                              : nowhere;
    }
    load_batch(args, at, x);
#pragma unroll
    for (int k = 0; k < scan_batch; k++)
        tile.x[room_of(p.first + p.thread + k * p.span)] = prepared<Op>(args, x[k], start + k * p.span);
}

template <class Op>
__device__ __forceinline__ void store_tile(const struct scan_args &args, const struct place &p,
                                           const struct tile<Op> &tile)
{
    uint64_t at[scan_batch];
    typename Op::value x[scan_batch];
    const uint64_t start = p.block * GF_SCAN_BLOCK + p.thread + args.scan.exclusive;
#pragma unroll
    for (int k = 0; k < scan_batch; k++) {
        const uint64_t index = start + k * p.span;
        at[k] = p.used && index < args.length
                    ? locate(args, p, index, args.scan.dst_pitch, args.out_size, args.dst_flat)
                    : nowhere;
        x[k] = tile.x[room_of(p.first + p.thread + k * p.span)];
    }
    store_batch(args, at, x);
    if (args.scan.exclusive && p.used && p.block == 0 && p.thread == 0)
        store_first<typename Op::value>(args, locate(args, p, 0, args.scan.dst_pitch, args.out_size, args.dst_flat));
}

/* The total of this thread's row. */
template <class Op>
__device__ __forceinline__ typename Op::item row_total(const struct scan_args &args, const typename Op::value *row)
{
    typename Op::item t = lift<Op>(args, row[0]);
#pragma unroll
    for (int j = 1; j < static_cast<int>(GF_SCAN_ROW); j++)
        t = Op::join(t, lift<Op>(args, row[j]));
    return t;
}

/* E[g] of the groups before g; all threads have written their totals. */
template <class Op> __device__ __forceinline__ maybe<Op> groups_before(const struct tile<Op> &tile, int g)
{
    maybe<Op> e = {};
    for (int k = 0; k < g; k++)
        e = e.with(maybe<Op>{tile.totals[k], true});
    return e;
}

template <class Op>
__global__ void __launch_bounds__(scan_threads) aggregate_kernel(const __grid_constant__ struct scan_args args)
{
    __shared__ struct tile<Op> tile;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    auto *between = static_cast<typename Op::item *>(args.between);
    for (uint64_t item = blockIdx.x; item < args.sequences * args.n_blocks; item += gridDim.x) {
        const struct place p = find_place(args, item, false);
        load_tile<Op>(args, p, tile);
        __syncthreads();
        const typename Op::item u = scan_lanes<Op>(row_total<Op>(args, tile.x + threadIdx.x * row_room), lane);
        if (lane == 31)
            tile.totals[warp] = u;
        __syncthreads();
        if (threadIdx.x == 0)
            between[p.sequence * args.n_blocks + p.block] = groups_before<Op>(tile, GF_SCAN_GROUPS).item;
        __syncthreads();
    }
}

template <class Op>
__global__ void __launch_bounds__(scan_threads)
    result_kernel(const __grid_constant__ struct scan_args args, const bool packed)
{
    __shared__ struct tile<Op> tile;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int per_block = packed ? static_cast<int>(GF_SCAN_GROUPS) : 1;
    const auto *between = static_cast<const typename Op::item *>(args.between);
    typename Op::value *row = tile.x + threadIdx.x * row_room;
    for (uint64_t item = static_cast<uint64_t>(blockIdx.x) * per_block; item < args.sequences * args.n_blocks;
         item += static_cast<uint64_t>(gridDim.x) * per_block) {
        const struct place p = find_place(args, packed ? item + warp : item, packed);
        load_tile<Op>(args, p, tile);
        __syncthreads();
        const typename Op::item u = scan_lanes<Op>(row_total<Op>(args, row), lane);
        if (lane == 31)
            tile.totals[warp] = u;
        __syncthreads();
        const maybe<Op> row_before = {from_lane_before(u, 1), lane > 0};
        const maybe<Op> offset = groups_before<Op>(tile, packed ? 0 : warp).with(row_before);
        maybe<Op> before = {};
        if (p.block > 0)
            before = maybe<Op>{between[p.sequence * args.n_blocks + p.block], true};
        walk<Op> results(args, before.with(offset));
        const uint64_t start = p.block * GF_SCAN_BLOCK + (packed ? lane : threadIdx.x) * GF_SCAN_ROW;
#pragma unroll
        for (int j = 0; j < static_cast<int>(GF_SCAN_ROW); j++)
            row[j] = results.next(args, row[j], p.sequence, p.used ? start + j : args.length);
        __syncthreads();
        store_tile<Op>(args, p, tile);
        __syncthreads();
    }
}

/* 1024 blocks of one sequence: I1 within each 32 of them, and in `groups` I2 over those. */
template <class Op>
__device__ __forceinline__ typename Op::item scan_super(const struct scan_args &args, uint64_t sequence, uint64_t block,
                                                        typename Op::item (&groups)[GF_SCAN_GROUP])
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    typename Op::item u = {};
    if (block < args.n_blocks)
        u = static_cast<const typename Op::item *>(args.between)[sequence * args.n_blocks + block];
    u = scan_lanes<Op>(u, lane);
    if (lane == 31)
        groups[warp] = u;
    __syncthreads();
    if (warp == 0) {
        typename Op::item t = {};
        if (lane < static_cast<int>(blockDim.x / 32))
            t = groups[lane];
        t = scan_lanes<Op>(t, lane);
        groups[lane] = t;
    }
    __syncthreads();
    return u;
}

/* The totals T2 of groups of 1024 blocks. */
template <class Op>
__global__ void __launch_bounds__(super_blocks) totals_kernel(const __grid_constant__ struct scan_args args)
{
    __shared__ typename Op::item groups[GF_SCAN_GROUP];
    for (uint64_t item = blockIdx.x; item < args.sequences * args.n_supers; item += gridDim.x) {
        uint64_t h;
        const uint64_t sequence = divide(item, args.n_supers, &h);
        (void)scan_super<Op>(args, sequence, h * super_blocks + threadIdx.x, groups);
        if (threadIdx.x == 0)
            static_cast<typename Op::item *>(args.totals)[item] = groups[GF_SCAN_GROUP - 1];
        __syncthreads();
    }
}

/* From aggregates to what stands before each block: (C[h] + I2[g-1]) + I1[b-1]. */
template <class Op>
__global__ void __launch_bounds__(super_blocks) prefix_kernel(const __grid_constant__ struct scan_args args)
{
    __shared__ typename Op::item groups[GF_SCAN_GROUP];
    __shared__ typename Op::item all;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (uint64_t item = blockIdx.x; item < args.sequences * args.n_supers; item += gridDim.x) {
        uint64_t h;
        const uint64_t sequence = divide(item, args.n_supers, &h), block = h * super_blocks + threadIdx.x;
        if (threadIdx.x == 0) {
            const auto *totals = static_cast<const typename Op::item *>(args.totals) + sequence * args.n_supers;
            maybe<Op> c = {};
            for (uint64_t k = 0; k < h; k++)
                c = c.with(maybe<Op>{totals[k], true});
            all = c.item;
        }
        const typename Op::item u = scan_super<Op>(args, sequence, block, groups);
        maybe<Op> p = {all, h > 0};
        if (warp > 0)
            p = p.with(maybe<Op>{groups[warp - 1], true});
        p = p.with(maybe<Op>{from_lane_before(u, 1), lane > 0});
        if (block < args.n_blocks)
            static_cast<typename Op::item *>(args.between)[sequence * args.n_blocks + block] = p.item;
        __syncthreads();
    }
}

/* Aggregates, and what stands before each block. */
template <class Op> cudaError_t start_prefixes(const struct scan_args &args, cudaStream_t stream)
{
    const uint64_t supers = args.sequences * args.n_supers;
    const unsigned threads = args.n_supers > 1 ? super_blocks : static_cast<unsigned>((args.n_blocks + 31) / 32 * 32);
    aggregate_kernel<Op><<<grid_of(args.sequences * args.n_blocks), scan_threads, 0, stream>>>(args);
    if (args.n_supers > 1)
        totals_kernel<Op><<<grid_of(supers), super_blocks, 0, stream>>>(args);
    prefix_kernel<Op><<<grid_of(supers), threads, 0, stream>>>(args);
    return cudaPeekAtLastError();
}

template <class Op> enum gf_status start_blocks(struct gf_cuda_call *call, struct scan_args args, struct gf_error *err)
{
    const bool packed = args.length <= warp_elements;
    const uint64_t per_block = packed ? GF_SCAN_GROUPS : 1;
    enum gf_status status = GF_OK;
    if (args.n_blocks > 1)
        status =
            gf_cuda_take(call->lane, args.sequences * args.n_blocks * sizeof(typename Op::item), &args.between, err);
    if (status == GF_OK && args.n_supers > 1)
        status =
            gf_cuda_take(call->lane, args.sequences * args.n_supers * sizeof(typename Op::item), &args.totals, err);
    if (status == GF_OK && args.n_blocks > 1)
        status = gf_cuda_status(start_prefixes<Op>(args, call->lane->main), "starting a scan of blocks", err);
    if (status == GF_OK) {
        const uint64_t blocks = (args.sequences * args.n_blocks + per_block - 1) / per_block;
        result_kernel<Op><<<grid_of(blocks), scan_threads, 0, call->lane->main>>>(args, packed);
        status = gf_cuda_status(cudaPeekAtLastError(), "starting a scan", err);
    }
    gf_cuda_give(call->lane, args.totals);
    gf_cuda_give(call->lane, args.between);
    return status;
}

} // namespace

extern "C" enum gf_status gf_cuda_scan_blocks(struct gf_cuda_call *call, const struct gf_scan *scan,
                                              struct gf_error *err)
{
    struct scan_args args = make_args(*scan);
    args.n_blocks = (args.length + GF_SCAN_BLOCK - 1) / GF_SCAN_BLOCK;
    args.n_supers = (args.n_blocks + super_blocks - 1) / super_blocks;
    enum gf_status status = scan->checked ? gf_cuda_fault_word(call, gf_scan_overflow, &args.fault, err) : GF_OK;
    if (status != GF_OK)
        return status;
    return pick_operator(*scan, [&](auto op) { return start_blocks<decltype(op)>(call, args, err); });
}
