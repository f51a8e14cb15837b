/* SPDX-License-Identifier: MIT */
/* Finds the span of a tile that a warp scans: the elements of a whole line or of a segment. Included by
 * scan_tile.cuh. */
#ifndef GF_CUDA_SCAN_SPAN_CUH
#define GF_CUDA_SCAN_SPAN_CUH

#include "kernels/cuda/device/sequences.cuh"
#include "scan_op.cuh"

namespace gf
{

constexpr int scan_row = static_cast<int>(GF_SCAN_ROW);
constexpr int warp_elements = static_cast<int>(GF_SCAN_GROUP * GF_SCAN_ROW);
constexpr int scan_threads = GF_SCAN_BLOCK / GF_SCAN_ROW, scan_warps = GF_SCAN_GROUPS;

static_assert(GF_SCAN_ROW == scan_batch && scan_threads == 32 * scan_warps, "a row per thread, a group per warp");

/*
 * The policy of a kernel: its resident blocks per multiprocessor, and what it knows of a scan at compile time, where
 * that is measurably faster. A plain policy fixes the dtypes and the direction; it has one channel, every sequence
 * contiguous in memory, and no transformation of elements.
 */
struct any_policy {
    static constexpr bool plain = false;
    static constexpr int blocks_per_unit = 2;

    static __device__ __forceinline__ bool reversed(const struct scan_args &args)
    {
        return args.scan.reverse;
    }
};
template <class In, class Out, bool backwards = false> struct plain_policy {
    using in = In;
    using out = Out;
    static constexpr bool plain = true;
    static constexpr bool to_long = sizeof(Out) == 8 && !std::is_floating_point_v<Out>;
    static constexpr int blocks_per_unit = sizeof(In) == 8 ? 2 : to_long ? 3 : 4;

    static __device__ __forceinline__ bool reversed(const struct scan_args &)
    {
        return backwards;
    }
};

/* The elements of a warp. Elements past the end do not exist; in a reversed scan, memory holds the elements backwards.
 * If a warp has several packed sequences, `sequence` and `length` belong to the thread's own sequence, and `length` is
 * 0 for a thread without one. */
struct span {
    uint64_t sequence, block; /* block within the sequence */
    uint64_t y;               /* row of the image, if sequences are rows */
    uint64_t base, length;    /* of the sequence: its first element in memory, its number of elements */
    uint64_t start;           /* index of the first element in its sequence */
    uint64_t first_block;     /* blocks of all sequences before this one */
    uint32_t channel;
    int count; /* existing elements, or packed sequences */
    int row;   /* this thread's row within its sequence's part */
};

/* For warps with several packed sequences: returns the sequence that owns a row of the warp, and the row's number
 * within the sequence. */
__device__ __forceinline__ unsigned find_packed(const struct scan_args &args, unsigned row, unsigned *ret_row)
{
    const unsigned q = row * args.by_rows >> 10;
    *ret_row = row - q * args.rows;
    return q;
}

/* find_span() for several packed sequences per warp. */
__device__ __forceinline__ struct span find_packed_span(const struct scan_args &args, uint64_t tile)
{
    struct span s = {};
    unsigned row;
    s.y = (tile * scan_warps + threadIdx.x / 32) * args.per_warp;
    if (s.y < args.sequences)
        s.count = static_cast<int>(args.sequences - s.y < args.per_warp ? args.sequences - s.y : args.per_warp);
    const int q = static_cast<int>(find_packed(args, threadIdx.x % 32, &row));
    s.sequence = s.y + q;
    s.length = q < s.count ? args.length : 0;
    s.row = static_cast<int>(row);
    return s;
}

/* find_span() for segments that have blocks. */
__device__ __forceinline__ struct span find_segment_span(const struct scan_args &args, uint64_t tile)
{
    struct span s = {};
    const int warp = threadIdx.x / 32;
    uint64_t channel;
    const uint64_t block = divide(tile, args.scan.channels, &channel),
                   segment = find_segment(args.first_blocks, args.sequences / args.scan.channels, block);
    const uint64_t first = args.first_blocks[segment];
    s.row = threadIdx.x % 32;
    s.base = offset_of(args, segment);
    s.length = offset_of(args, segment + 1) - s.base;
    s.channel = static_cast<uint32_t>(channel);
    s.sequence = segment * args.scan.channels + channel;
    s.block = block - first;
    s.first_block = first * args.scan.channels + channel * (args.first_blocks[segment + 1] - first);
    s.start = s.block * GF_SCAN_BLOCK + warp * warp_elements;
    if (s.start < s.length)
        s.count = s.length - s.start < warp_elements ? static_cast<int>(s.length - s.start) : warp_elements;
    return s;
}

/* Returns this warp's part of a tile: a block of the contract, or packed sequences for eight warps. Consecutive tiles
 * hold different channels of the same pixels, so that they share cache lines. */
template <bool plain>
__device__ __forceinline__ struct span find_span(const struct scan_args &args, bool packed, uint64_t tile)
{
    if (!plain && args.offsets != nullptr)
        return find_segment_span(args, tile);
    if (packed && args.per_warp > 1)
        return find_packed_span(args, tile);
    struct span s;
    s.row = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    uint64_t channel = 0, rest = packed ? tile * scan_warps + warp : tile;
    s.count = 0;
    const bool used = rest < args.sequences * args.n_blocks;
    if (!plain && args.scan.channels > 1)
        rest = divide(rest, args.scan.channels, &channel);
    if (args.n_blocks == 1) {
        s.y = rest;
        s.block = 0;
    } else if (args.per_block != 0) {
        s.y = __umul64hi(rest, args.per_block);
        s.block = rest - s.y * args.n_blocks;
    } else {
        s.y = divide(rest, args.n_blocks, &s.block);
    }
    s.channel = static_cast<uint32_t>(channel);
    s.sequence = plain ? s.y : s.y * args.scan.channels + channel;
    s.first_block = s.sequence * args.n_blocks;
    s.base = 0;
    s.length = args.length;
    s.start = s.block * GF_SCAN_BLOCK + (packed ? 0 : warp * warp_elements);
    if (used && s.start < s.length)
        s.count = s.length - s.start < warp_elements ? static_cast<int>(s.length - s.start) : warp_elements;
    return s;
}

} // namespace gf

#endif
