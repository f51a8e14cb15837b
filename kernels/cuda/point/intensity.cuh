/* SPDX-License-Identifier: MIT */
/* Maps each sample by a function of its value and channel: the last step of threshold, equalize and autocontrast. */
#ifndef GF_CUDA_INTENSITY_CUH
#define GF_CUDA_INTENSITY_CUH

#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/histogram/count_bins.h"
#include "kernels/cuda/histogram/count_bytes.cuh"
#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/cuda/step/cuda_ops.h"
#include "kernels/cuda/step/samples.cuh"
#include "kernels/shared/tables.h"
#include "lookup_bytes.h"
#include "protocol/ops/enums.h"

namespace gf
{

constexpr int intensity_threads = 256;

/* i16 samples run through the u16 kernels. A sample's bits XOR sign_bits() are the sample plus 0x8000, so they compare
 * as unsigned numbers. 0 for u16. */
inline uint32_t sign_bits(uint32_t dtype)
{
    return dtype == GF_I16 ? 0x8000 : 0;
}

template <class T> __device__ __forceinline__ T copied(T v)
{
    return v;
}
__device__ __forceinline__ float copied(float v)
{
    return v != v ? __int_as_float(0x7FC00000) : v;
}

/* `Intensity` has a type Shared. All threads of a block first call prepare(shared); value(shared, v, channel) then maps
 * the samples of the first `planes` channels. The remaining channels are copied. dst has the shape of the source. */
template <class T, class Intensity>
__global__ void __launch_bounds__(intensity_threads)
    intensity_kernel(const struct gf_cuda_samples s, uint64_t tiles, char *dst, size_t dst_pitch,
                     const Intensity intensity)
{
    __shared__ typename Intensity::Shared shared;
    intensity.prepare(shared);
    gf_sync_block(); /* `shared` is complete before any read; it is not written again */
    const uint64_t warps = static_cast<uint64_t>(gridDim.x) * (intensity_threads / lanes);
    for (uint64_t tile = blockIdx.x + static_cast<uint64_t>(threadIdx.x / lanes) * gridDim.x; tile < tiles;
         tile += warps)
        walk_tile<T>(s, tile, [&](Pack<T> pack, int n, uint32_t phase, uint64_t row, uint64_t vector) {
            uint32_t c = phase;
#pragma unroll
            for (int j = 0; j < per_vector<T>; j++) {
                pack.v[j] = c < s.planes ? copied(intensity.value(shared, pack.v[j], c)) : copied(pack.v[j]);
                c = c + 1 == s.channels ? 0 : c + 1;
            }
            store_pack(reinterpret_cast<uint4 *>(dst + row * dst_pitch) + vector, pack, n);
        });
}

template <class T, class Intensity>
cudaError_t intensity_launch(const struct gf_cuda_call *call, const struct gf_cuda_samples &s,
                             const Intensity &intensity)
{
    const uint64_t tiles = gf_cuda_samples_tiles(&s);
    const uint64_t limit = static_cast<uint64_t>(call->exec->device->info.units) * 8;
    intensity_kernel<T><<<gf_cuda_grid(tiles < limit ? tiles : limit), intensity_threads, 0, call->exec->main>>>(
        s, tiles, static_cast<char *>(call->out[0].data), call->out[0].view.pitch, intensity);
    return cudaGetLastError();
}

/* The same for 8-bit samples, by tables. `data` has room for byte_values per plane. The counting launch also makes the
 * tables, the second launch applies them. */
inline cudaError_t intensity_by_tables(const struct gf_cuda_call *call, const struct gf_cuda_samples &s,
                                       FinishBytes::What what, void *data)
{
    auto *tables = static_cast<uint8_t *>(data);
    FinishBytes finish = {what, {}};
    finish.tables = {tables, call->image[0]->view.width * call->image[0]->view.height, s.planes};
    const cudaError_t error = count_bytes(call, s, finish);
    return error == cudaSuccess ? gf_cuda_lookup_bytes(call, &s, tables) : error;
}

} // namespace gf

#endif
