/* SPDX-License-Identifier: MIT */
/*
 * Scans of segments of at most 512 elements, for scan_dispatch.cuh. A warp takes up to 32 consecutive segments, packed
 * into its 32 rows of 16 elements. Each thread loads and stores its row by itself, because segments begin anywhere.
 */
#ifndef GF_CUDA_SCAN_SEGMENTS_CUH
#define GF_CUDA_SCAN_SEGMENTS_CUH

#include "kernels/cuda/device/sync.cuh"
#include "scan_row.cuh"

namespace gf
{

/* A segment of one channel. A longer segment has no rows here. */
struct short_segment {
    uint64_t base, length;
    uint32_t channel;
    int rows;
};

__device__ __forceinline__ struct short_segment find_short_segment(const struct scan_args &args, uint64_t number)
{
    struct short_segment own = {};
    uint64_t channel;
    if (number >= args.sequences)
        return own;
    const uint64_t segment = divide(number, args.scan.channels, &channel);
    own.base = offset_of(args, segment);
    own.length = offset_of(args, segment + 1) - own.base;
    own.channel = static_cast<uint32_t>(channel);
    if (own.length <= warp_elements)
        own.rows = static_cast<int>(own.length + scan_row - 1) / scan_row;
    return own;
}

/* Returns the span of a row. `first` is the number of lane 0's segment. Whole warps must call it. */
__device__ __forceinline__ struct span find_segment_row(const struct short_segment &own, const struct packed_row &row,
                                                        uint64_t first)
{
    struct span s = {};
    s.sequence = first + row.owner;
    s.base = gf_shuffle(own.base, row.owner);
    s.length = gf_shuffle(own.length, row.owner);
    s.channel = gf_shuffle(own.channel, row.owner);
    s.count = row.there ? static_cast<int>(s.length) - row.number * scan_row : 0;
    s.row = s.count > 0 ? row.number : 0;
    return s;
}

__device__ __forceinline__ struct span_memory<false> find_row_memory(const struct scan_args &args, const struct span &s,
                                                                     const void *data, uint64_t pitch, uint32_t size,
                                                                     bool flat) {
    struct span_memory<false> memory = {
    };
    const uint64_t start = static_cast<uint64_t>(s.row) * scan_row;
    memory.line = static_cast<char *>(const_cast<void *>(data)) + s.channel * size;
    memory.first = s.base + (args.scan.reverse ? s.length - 1 - start : start);
    memory.pitch = pitch;
    memory.width = args.scan.width;
    memory.step = args.scan.channels * size;
    memory.folded = !flat;
    return memory;
}

template <class Op>
__device__ __forceinline__ void scan_segment_rows(const Op &op, struct span s)
{
    const struct scan_args &args = op.args;
    const int way = args.scan.reverse ? -1 : 1;
    typename Op::value x[scan_row];
    op.dispatch_in([&](auto tag) {
        using T = decltype(tag);
        const auto memory = find_row_memory(args, s, args.scan.src, args.scan.src_pitch, sizeof(T), args.src_flat);
        T raw[scan_row];
#pragma unroll
        for (int j = 0; j < scan_row; j++)
            raw[j] = j < s.count ? *reinterpret_cast<const T *>(memory.at(way * j)) : T{};
#pragma unroll
        for (int j = 0; j < scan_row; j++)
            x[j] = op.loaded(raw[j]);
    });
    const typename Op::item u = warp_inclusive_scan(op, sum_row(op, x), s.row), left = Op::shuffle_up(u, 1);
    if (s.count > 0)
        finish_row(op, s.row > 0 ? op.some(left) : op.none(), s, s.row * scan_row, x);
    if (args.scan.exclusive)
        shift_row(op, s, gf_shuffle_up(x[scan_row - 1], 1), x);
    op.dispatch_out([&](auto tag) {
        using T = decltype(tag);
        const auto memory = find_row_memory(args, s, args.scan.dst, args.scan.dst_pitch, sizeof(T), args.dst_flat);
#pragma unroll
        for (int j = 0; j < scan_row; j++)
            if (j < s.count)
                *reinterpret_cast<T *>(memory.at(way * j)) = stored<T>(op, x[j]);
    });
}

template <class Op>
__global__ void __launch_bounds__(scan_threads) segments_kernel(const __grid_constant__ struct scan_args args, int each)
{
    const Op op(args);
    const int lane = threadIdx.x % 32;
    const uint64_t warp = static_cast<uint64_t>(blockIdx.x) * scan_warps + threadIdx.x / 32;
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * scan_warps * each;
    for (uint64_t first = warp * each; first < args.sequences; first += step) {
        const struct short_segment own = find_short_segment(args, lane < each ? first + lane : args.sequences);
        pack_rows(own.rows,
                  [&](const struct packed_row &row) { scan_segment_rows(op, find_segment_row(own, row, first)); });
    }
}

} // namespace gf

#endif
