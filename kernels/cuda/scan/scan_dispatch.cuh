/* SPDX-License-Identifier: MIT */
/* Launches the kernels of a scan along rows, for the files that instantiate them per kind of value: scan_float.cu,
 * scan_int.cu and scan_extremes.cu. */
#ifndef GF_CUDA_SCAN_DISPATCH_CUH
#define GF_CUDA_SCAN_DISPATCH_CUH

#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/device/shared_limit.cuh"
#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/cuda/memory/tile_memory.h"
#include "scan_agent.cuh"
#include "scan_segments.cuh"

namespace gf
{

/* The largest region of a warp, for any element and result type. */
constexpr uint32_t max_region_bytes = warp_elements * sizeof(uint64_t);

/* Shared memory beside the tiles, at most. */
template <class Op, class Policy>
constexpr size_t temp_bytes = sizeof(typename block_agent<Op, Policy>::temp_storage) + 64;

/* Raises the limits of an operation's kernels, for each policy, to the most that launch() asks for. */
template <class Op, class... Policy> cudaError_t prepare()
{
    const size_t most = gf_cuda_shared_memory_max();
    cudaError_t error = cudaSuccess;
    const auto raise = [&](size_t tiles, size_t fixed, auto kernel) {
        const size_t all = tiles * scan_warps * max_region_bytes;
        if (error == cudaSuccess)
            error = raise_shared_limit(all < most - fixed ? all : most - fixed, kernel);
    };
    (raise(2, 0, packed_kernel<Op, Policy>), ...);
    (raise(3, temp_bytes<Op, Policy>, scan_kernel<Op, Policy>), ...);
    return error;
}

/* Calls prepare functions until the first error. */
template <size_t N> cudaError_t prepare_all(cudaError_t (*const (&all)[N])())
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < N && error == cudaSuccess; i++)
        error = all[i]();
    return error;
}

/* Launches with shared memory for three tiles, or two of packed sequences, if the device has it. */
template <class Op, class Policy>
cudaError_t launch(const struct scan_args &args, struct scan_plan plan, bool packed, uint32_t units,
                   cudaStream_t stream)
{
    uint32_t bytes = (packed ? 2 : 3) * scan_warps * plan.region_bytes;
    plan.ahead = bytes + temp_bytes<Op, Policy> <= gf_cuda_shared_memory_max();
    if (!packed && !plan.ahead)
        bytes /= 3;
    const auto kernel = packed ? packed_kernel<Op, Policy> : scan_kernel<Op, Policy>;
    const uint64_t blocks = static_cast<uint64_t>(units) * 4;
    kernel<<<gf_cuda_grid(plan.tiles < blocks ? plan.tiles : blocks), scan_threads, bytes, stream>>>(args, plan);
    return cudaPeekAtLastError();
}

using launch_fn = cudaError_t(const struct scan_args &, struct scan_plan, bool packed, uint32_t units, cudaStream_t);

/* Whether kernels with a plain_policy support a scan: a single channel, and no segments, squares or gaps. */
inline bool is_plain(const struct scan_args &args)
{
    return args.scan.channels == 1 && !args.scan.square && args.offsets == nullptr &&
           (args.scan.axis != GF_AXIS_ALL || (args.src_flat && args.dst_flat));
}

template <class Op>
enum gf_status start_pass(struct gf_cuda_call *call, struct scan_args args, struct scan_plan plan, bool packed,
                          launch_fn *start, struct gf_error *err)
{
    const uint32_t units = call->exec->device->info.units;
    const uint32_t in = warp_elements * args.in_size, out = 32 * store_unit_bytes(args.out_size, 1);
    cudaStream_t stream = call->exec->main;
    enum gf_status status = GF_OK;
    plan.region_bytes = in > out ? in : out;
    if (plan.looks_back) {
        const struct gf_lookback_tiles tiles = {args.blocks, args.sequences, tile_item<Op>::n, args.offsets != nullptr};
        status = gf_cuda_alloc_tile_state(call->exec, &tiles, &args.tile_state, err);
    }
    if (status == GF_OK)
        status = gf_cuda_status(start(args, plan, packed, units, stream), "starting a scan", err);
    gf_cuda_free(call->exec, args.tile_state.tickets);
    return status;
}

template <class Op>
enum gf_status start_segments(struct gf_cuda_call *call, const struct scan_args &args, struct gf_error *err)
{
    if constexpr (!Op::is_affine) {
        const uint32_t units = call->exec->device->info.units;
        const int each = static_cast<int>(gf_cuda_sequences_per_warp(args.sequences));
        const uint64_t blocks = (args.sequences - 1) / (each * scan_warps) + 1,
                       limit_of_blocks = static_cast<uint64_t>(units) * 8;
        segments_kernel<Op>
            <<<gf_cuda_grid(blocks < limit_of_blocks ? blocks : limit_of_blocks), scan_threads, 0, call->exec->main>>>(
                args, each);
    }
    return gf_cuda_status(cudaPeekAtLastError(), "starting a scan of segments", err);
}

/* `plain` launches the kernels of a plain policy. NULL: there are none for the scan, and the kernels of any_policy run.
 */
template <class Op>
enum gf_status start_scan(struct gf_cuda_call *call, const struct scan_args &args, bool any_short, launch_fn *plain,
                          struct gf_error *err)
{
    launch_fn *const start = plain != nullptr ? plain : launch<Op, any_policy>;
    enum gf_status status = GF_OK;
    struct scan_plan packed = {}, tiled = {};
    packed.tiles = (args.sequences - 1) / (args.per_warp * scan_warps) + 1;
    tiled.tiles = args.blocks;
    tiled.looks_back = args.blocks > args.sequences || args.offsets != nullptr;
    if (any_short)
        status = args.offsets != nullptr ? start_segments<Op>(call, args, err)
                                         : start_pass<Op>(call, args, packed, true, start, err);
    if (status == GF_OK && args.blocks > 0)
        status = start_pass<Op>(call, args, tiled, false, start, err);
    return status;
}

} // namespace gf

#endif
